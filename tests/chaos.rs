//! Chaos under load: processes killed, frozen and stopped, the database restarted and cut off, the supplier spoiling
//! answers and dying, while assistants suggest, buyers approve and resolvers settle. Then everything comes to rest by what
//! the product offers, and is judged by counts at the supplier: no purchase twice, none lost, no doubt without an owner.
//! Half of the orders go without a key, so that whatever is sent once too often is a second record there.
//!
//! The seed fixes what the driver chooses: whom it strikes, when, with what, and what people press. It does not fix the
//! machine's own timing, so a run with the same seed is alike and not the same.
//!
//! `make chaos` runs three minutes on PostgreSQL (`DATABASE=sqlite` on SQLite; `CHAOS_SEED`, `CHAOS_SECONDS`).

#[path = "chaos/crew.rs"]
mod crew;
#[path = "chaos/judge.rs"]
mod judge;
#[path = "chaos/load.rs"]
mod load;
#[path = "chaos/rest.rs"]
mod rest;
#[path = "chaos/stage.rs"]
mod stage;
mod support;
#[path = "chaos/trouble.rs"]
mod trouble;

use crew::Crew;
use fastrand::Rng;
use load::Load;
use serde_json::json;
use stage::Stage;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use support::database::{Cluster, on_postgres};
use support::home::fault;
use support::{BUYER, RESOLVER};
use trouble::Trouble;

/// After the last strike the load goes on for a moment, so that something happens on the house as it was left.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// A number from the environment.
fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// PostgreSQL with a server of its own, or SQLite; `CHAOS_DATABASE` says so where the tests' own database does not.
fn wants_server() -> bool {
    match std::env::var("CHAOS_DATABASE").as_deref() {
        Ok("postgres") => true,
        Ok("sqlite") => false,
        Ok("") | Err(_) => on_postgres(),
        Ok(other) => panic!("CHAOS_DATABASE={other} is neither postgres nor sqlite"),
    }
}

/// Said at once, also by a test that passes.
fn say(line: &str) {
    // that it cannot be told is no reason to fail
    let _ = writeln!(std::io::stderr(), "{line}");
}

async fn run(seed: u64, length: Duration) {
    let on = if wants_server() { "PostgreSQL" } else { "SQLite" };
    say(&format!("seed {seed}: {} s of chaos on {on}", length.as_secs()));
    let mut rng = Rng::with_seed(seed);
    let cluster = wants_server().then(|| Arc::new(Cluster::start(&[])));
    let stage = Arc::new(Stage::build(cluster).await);
    let crew = Arc::new(Crew::assemble(&stage).await);

    stage.begin(length + AFTERWARDS);
    let load = Load::start(&stage, &mut rng);
    let struck = Trouble::new(stage.clone(), crew.clone(), rng.fork())
        .strike(length)
        .await;
    crew.all_up().await;
    load.end().await;
    stage.no_more_faults().await;
    let unsettled = rest::come_to_rest(&stage, &mut rng).await;

    let verdict = judge::judge(&stage, &crew, &unsettled).await;
    say(&format!(
        "seed {seed}: {}, {struck}; {}",
        verdict.size,
        verdict.counts()
    ));
    let logs = crew.dismiss().await;
    assert!(verdict.is_clean(), "seed {seed}: {}\n{logs}", verdict.told());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_chaos_leaves_nothing_bought_twice_lost_or_unowned() {
    run(4711, Duration::from_secs(15)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make chaos"]
async fn a_long_chaos_leaves_nothing_bought_twice_lost_or_unowned() {
    let seed = from_environment("CHAOS_SEED").unwrap_or_else(|| fastrand::u64(..1_000_000));
    let seconds = from_environment("CHAOS_SECONDS").unwrap_or(180);
    run(seed, Duration::from_secs(seconds)).await;
}

/// What the judge is for: it sees what must not be. A supplier that breaks its word about the key gets a second purchase,
/// one that deletes a confirmed order loses it, and a person who leaves behind the database's back owns nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_judge_sees_a_second_purchase_a_lost_one_and_a_doubt_without_an_owner() {
    let cluster = wants_server().then(|| Arc::new(Cluster::start(&[])));
    let stage = Arc::new(Stage::build(cluster).await);
    let crew = Crew::assemble(&stage).await;
    let house = &stage.house;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let twice = house.lose(&buyer, "twice", "store_then_close").await;
    house.habits(json!({ "key_honoured": false })).await;
    resolver.does("resume", &twice, &[]).await;
    let twice = house.see_state(&twice, "confirmed").await;
    assert_eq!(house.count(&twice).await, 2);
    assert_eq!(judge::judge(&stage, &crew, &[]).await.numbers(), (1, 0, 0));

    let gone = house.buy(&buyer, "gone").await;
    let gone = house.wait_for_state(&gone, "confirmed").await;
    let number = house.number_of(&gone).await;
    house.clerk(&number, json!({ "status": "cancelled" })).await;
    assert_eq!(judge::judge(&stage, &crew, &[]).await.numbers(), (1, 1, 0));

    house.faults(json!([fault("close_without_store")])).await;
    let doubtful = house.buy(&buyer, "doubtful").await;
    house.wait_for_state(&doubtful, "confirmation_pending").await;
    assert_eq!(judge::judge(&stage, &crew, &[]).await.numbers(), (1, 1, 0));

    let pool = house.database().await;
    let leaves = sqlx::query("UPDATE people SET disabled_at = created_at + 1");
    leaves.execute(&pool).await.expect("they leave");
    pool.close().await;
    let verdict = judge::judge(&stage, &crew, &[]).await;
    let (duplicates, lost, unowned) = verdict.numbers();
    assert_eq!((duplicates, lost), (1, 1), "{}", verdict.told());
    assert!(unowned >= 2, "the order and its case: {}", verdict.told());
    crew.dismiss().await;
}
