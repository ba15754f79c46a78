//! The only place that reads a clock or draws random numbers.

use argon2::password_hash::rand_core::{OsRng, RngCore};
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// What the database's clock said, less the time since boot, in microseconds.
///
/// Leases and deadlines are compared by every process of the house, so there must be one clock: the database's. Asking it
/// for each moment would be a round trip each; so it is asked now and then, and between two questions the time since boot
/// is added, which no wrong or corrected clock of this machine moves. One for the process, since time is one for all
/// desks in it; an atomic, since a moment is wanted everywhere.
static ANCHOR: AtomicI64 = AtomicI64::new(NO_ANCHOR);
/// Nobody said what time it is (SQLite has no clock of its own): this machine's clock counts.
const NO_ANCHOR: i64 = i64::MIN;

/// As much as two processes may differ that took their time from the same database, with room to spare.
pub const GIVE_OR_TAKE: TimeDelta = TimeDelta::seconds(1);

/// The moment by the house's clock, to the microsecond that the database keeps.
pub fn now() -> DateTime<Utc> {
    let anchor = ANCHOR.load(Ordering::Relaxed);
    told(anchor, micros(awake_or_not())).unwrap_or_else(by_this_machine)
}

/// Takes the time from the database: it answered this many microseconds since 1970, and that just came in after a round
/// trip of this length.
pub fn agree(theirs: i64, round_trip: Duration) {
    let known = ANCHOR.load(Ordering::Relaxed);
    let anchor = anchored(known, theirs, micros(round_trip), micros(awake_or_not()));
    ANCHOR.store(anchor, Ordering::Relaxed);
}

/// How far this machine's clock is ahead of the house's; nothing where it is the house's.
pub fn skew() -> TimeDelta {
    by_this_machine() - now()
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the clock that everybody else is told to use"
)]
fn by_this_machine() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
}

fn micros(length: Duration) -> i64 {
    i64::try_from(length.as_micros()).unwrap_or(i64::MAX)
}

fn told(anchor: i64, awake: i64) -> Option<DateTime<Utc>> {
    let moment = (anchor != NO_ANCHOR).then(|| anchor.saturating_add(awake))?;
    DateTime::from_timestamp_micros(moment)
}

/// The answer was true in the middle of the round trip, give or take half of it. An anchor within that stays, so that
/// time does not tremble with every question.
fn anchored(known: i64, theirs: i64, round_trip: i64, awake: i64) -> i64 {
    let half = round_trip / 2;
    let anchor = theirs.saturating_add(half).saturating_sub(awake);
    let still_true = known != NO_ANCHOR && known.abs_diff(anchor) <= half.unsigned_abs();
    if still_true { known } else { anchor }
}

/// Time since boot on a clock that goes on while the machine or the process sleeps (rule 6).
pub fn awake_or_not() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// 128 random bits for an id.
pub fn random() -> u128 {
    let mut bytes = [0; 16];
    OsRng.fill_bytes(&mut bytes);
    u128::from_le_bytes(bytes)
}

/// 256 random bits as 64 hexadecimal digits: a secret nobody can guess.
pub fn secret() -> String {
    let mut bytes = [0; 32];
    OsRng.fill_bytes(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    /// Up for a day, and by the database it is an hour after 1970 began.
    const AWAKE: i64 = 86_400 * SECOND;
    const THEIRS: i64 = 3_600 * SECOND;

    #[test]
    fn time_is_the_databases_whatever_this_machine_says() {
        let anchor = anchored(NO_ANCHOR, THEIRS, 0, AWAKE);
        // ten seconds later; the machine's own clock has no part in it
        let later = told(anchor, AWAKE + 10 * SECOND).expect("a moment");
        assert_eq!(later.timestamp_micros(), THEIRS + 10 * SECOND);
    }

    #[test]
    fn an_answer_counts_from_the_middle_of_its_round_trip() {
        let anchor = anchored(NO_ANCHOR, THEIRS, 2 * SECOND, AWAKE);
        let heard = told(anchor, AWAKE).expect("a moment");
        assert_eq!(heard.timestamp_micros(), THEIRS + SECOND);
    }

    #[test]
    fn time_does_not_tremble_and_follows_a_clock_that_was_set() {
        let anchor = anchored(NO_ANCHOR, THEIRS, 0, AWAKE);
        let within = anchored(anchor, THEIRS - 10_000, 100_000, AWAKE);
        assert_eq!(
            within, anchor,
            "half of a round trip is as much as an answer can be wrong"
        );
        let set = anchored(anchor, THEIRS + 3_600 * SECOND, 100_000, AWAKE);
        let moment = told(set, AWAKE).expect("a moment").timestamp_micros();
        assert_eq!(moment, THEIRS + 3_600 * SECOND + 50_000);
    }

    #[test]
    fn without_a_database_that_has_a_clock_this_machines_counts() {
        assert_eq!(told(NO_ANCHOR, AWAKE), None);
    }
}
