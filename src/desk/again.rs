//! Trying again what the database undid.

use super::{DeskError, clock};
use std::time::Duration;

/// Pauses between tries; a part of each is chance, so that two that crossed do not cross again.
const PAUSES: [u64; 5] = [10, 30, 100, 300, 1_000];

/// Does an act, and does it again from the start of its transaction when the database undid it because it crossed another
/// one: then nothing of it was done. Inside is one transaction and no call to anybody outside (rule 6), so nothing is
/// bought twice by this.
pub(super) async fn again<T, F>(act: impl Fn() -> F) -> Result<T, DeskError>
where
    F: Future<Output = Result<T, DeskError>>,
{
    for pause in PAUSES {
        match act().await {
            Err(DeskError::Crossed(why)) => {
                tracing::info!("crossed another transaction, done again: {why}");
                tokio::time::sleep(partly_by_chance(pause)).await;
            }
            done => return done,
        }
    }
    act().await
}

fn partly_by_chance(pause: u64) -> Duration {
    let chance = u64::try_from(clock::random() % 1_000).unwrap_or_default();
    Duration::from_micros(pause * (500 + chance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn what_crossed_is_done_again_and_what_failed_is_not() {
        let tries = AtomicUsize::new(0);
        let done = again(|| async {
            match tries.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Err(DeskError::Crossed("deadlock detected".to_owned())),
                try_number => Ok(try_number),
            }
        });
        assert_eq!(done.await.expect("done at last"), 2);
        tries.store(0, Ordering::Relaxed);
        let away = again(|| async {
            tries.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(DeskError::Away("gone".to_owned()))
        });
        assert!(matches!(away.await, Err(DeskError::Away(_))));
        assert_eq!(tries.load(Ordering::Relaxed), 1, "a commit may have gone through");
    }
}
