//! The only place that reads a clock or draws random numbers.

use argon2::password_hash::rand_core::{OsRng, RngCore};
use chrono::{DateTime, SubsecRound, Utc};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The moment, to the microsecond that the database keeps.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the clock that everybody else is told to use"
)]
pub fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
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
