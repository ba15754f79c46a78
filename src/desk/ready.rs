//! Whether this process, and the house around it, can do its work now.
//!
//! Promises: everything that is wrong is named at once, within a moment, also while the database is away. Must not: change
//! anything.

use super::{Desk, DeskError, clock};
use crate::store::nodes;
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// A worker that was silent for longer is not counted on.
pub(super) const SILENT_AFTER: TimeDelta = TimeDelta::seconds(30);
/// A machine whose clock is this far from the house's is worth a remark; from the second on something is wrong with it.
const SKEW: (TimeDelta, TimeDelta) = (TimeDelta::seconds(2), TimeDelta::seconds(5));
/// Who asks whether we are ready does not wait for a database that does not answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// What stands against being ready, and what is only worth saying.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readiness {
    pub faults: Vec<String>,
    pub remarks: Vec<String>,
}

impl Readiness {
    /// Nothing stands against it.
    pub fn is_ready(&self) -> bool {
        self.faults.is_empty()
    }

    /// Two clocks in one house: how far apart they may be.
    pub(super) fn judge_skew(&mut self, skew: TimeDelta) {
        let (remark, fault) = SKEW;
        let ahead = if skew > TimeDelta::zero() { "ahead of" } else { "behind" };
        let apart = skew.abs();
        let sentence = format!(
            "clock: this machine is {:.1} s {ahead} the database",
            apart.as_seconds_f64()
        );
        if apart >= fault {
            self.faults.push(sentence);
        } else if apart >= remark {
            self.remarks.push(sentence);
        }
    }

    fn judge_worker(&mut self, last_beat: Option<DateTime<Utc>>, now: DateTime<Utc>) {
        match last_beat {
            Some(at) if now - at <= SILENT_AFTER => {}
            Some(at) => {
                let ago = (now - at).num_seconds();
                self.faults
                    .push(format!("worker: none was heard of for {ago} s, so nothing is sent"));
            }
            None => self.faults.push("worker: there is none, so nothing is sent".to_owned()),
        }
    }
}

impl Desk {
    /// Whether the database answers, its schema is current, a worker is there, and the clocks agree.
    pub async fn readiness(&self) -> Readiness {
        let mut found = Readiness::default();
        let why = match tokio::time::timeout(PATIENCE, self.judge(&mut found)).await {
            Ok(Ok(())) => return found,
            Ok(Err(error)) => {
                tracing::warn!("not ready: {error}");
                "it cannot be reached"
            }
            Err(_) => "it does not answer in time",
        };
        found.faults.insert(0, format!("database: {why}"));
        found
    }

    async fn judge(&self, found: &mut Readiness) -> Result<(), DeskError> {
        // the skew is known from the last beat, also while the database is away
        found.judge_skew(clock::skew());
        if self.cannot_remember() {
            let fault = "node file: this process cannot write it, so it sends nothing";
            found.faults.push(fault.to_owned());
        }
        let faults = self.store.faults().await?;
        let current = faults.is_empty();
        found
            .faults
            .extend(faults.into_iter().map(|fault| format!("database: {fault}")));
        if current {
            let mut read = self.store.begin_read().await?;
            found.judge_worker(nodes::worker_last_beat(&mut read).await?, clock::now());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_a_remark_first_and_then_a_fault() {
        let judged = |seconds: i64| {
            let mut found = Readiness::default();
            found.judge_skew(TimeDelta::seconds(seconds));
            (found.faults.len(), found.remarks.len())
        };
        assert_eq!(judged(1), (0, 0));
        assert_eq!((judged(2), judged(-2)), ((0, 1), (0, 1)));
        assert_eq!((judged(5), judged(-3_600)), ((1, 0), (1, 0)));
    }

    #[test]
    fn a_worker_that_was_not_heard_of_for_half_a_minute_is_not_counted_on() {
        let now = DateTime::from_timestamp_micros(0).expect("a moment");
        let judged = |beat: Option<i64>| {
            let mut found = Readiness::default();
            found.judge_worker(beat.map(|ago| now - TimeDelta::seconds(ago)), now);
            found.is_ready()
        };
        assert!(judged(Some(30)));
        assert!(!judged(Some(31)));
        assert!(!judged(None));
    }
}
