//! How the house comes to rest when the chaos is over: by what the product offers, within a bounded time.

use super::stage::Stage;
use fastrand::Rng;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long it may take.
const REST: Duration = Duration::from_secs(150);
/// After so many rounds nobody resumes any more: a supplier that keeps an error for a key answers it for ever.
const RESUMED: usize = 4;
/// States that are not final.
const OPEN: [&str; 4] = ["approved", "submitting", "acknowledged", "confirmation_pending"];

/// Settles what is open; answers what is not settled when the time is over.
pub async fn come_to_rest(stage: &Arc<Stage>, rng: &mut Rng) -> Vec<Value> {
    let since = Instant::now();
    for round in 0.. {
        let mut open = Vec::new();
        for state in OPEN {
            open.extend(stage.orders(rng, state, 200).await);
        }
        if open.is_empty() || since.elapsed() > REST {
            return open;
        }
        stage.release_suppliers().await;
        for order in &open {
            settle(stage, rng, order, round).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    unreachable!("it ends by rest or by time")
}

async fn settle(stage: &Stage, rng: &mut Rng, order: &Value, round: usize) {
    let (resolver, buyer) = (&stage.people.resolver, &stage.people.buyer);
    let held = order["held_because"].as_str().unwrap_or_default();
    match (order["state"].as_str().unwrap_or_default(), held) {
        ("confirmation_pending", _) if round.is_multiple_of(2) => {
            stage.press(rng, resolver, "look_up", order, &[]).await
        }
        ("confirmation_pending", _) => stage.find_out(rng, order).await,
        ("acknowledged", _) => {
            stage.confirm_there(order).await;
            stage.press(rng, resolver, "look_up", order, &[]).await;
        }
        ("approved", "not_found") if round < RESUMED && rng.bool() => {
            stage.press(rng, resolver, "resume", order, &[]).await;
        }
        ("approved", "not_found") => stage.withdraw(rng, order).await,
        ("approved", "person") => {
            let reason = [("reason", "the budget came")];
            stage.press(rng, buyer, "release", order, &reason).await;
        }
        // the worker sends it, or the sweep finds its lease
        _ => {}
    }
}
