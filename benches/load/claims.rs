//! How long claiming an order takes when few and when very many are due, and how fast a worker works off what is due.

use super::report::{Table, usual_and_worst_ms};
use super::support::fill::{Filling, Original};
use super::support::{BUYER, House, Process};
use super::{as_shipped, suppliers};
use std::time::{Duration, Instant};

const FEW: i64 = 100;
const SOME: i64 = 2_000;
const MANY: i64 = 100_000;
/// Claims that are looked at.
const CLAIMS: usize = 100;
/// How long a worker is watched.
const LASTS: Duration = Duration::from_secs(10);

pub async fn measure() {
    let about = format!(
        "Claims: from one attempt's start to the next, {CLAIMS} in a row by one worker whose supplier never answers"
    );
    let mut table = Table::new(&about, &["orders due", "median", "p99"]);
    for due in [FEW, MANY] {
        let mut cells = vec![due.to_string()];
        cells.extend(usual_and_worst_ms(claims(due).await));
        table.row(&cells);
    }
    table.print();

    let about = format!(
        "One worker with what is due, at the practice supplier, over {} s",
        LASTS.as_secs()
    );
    let mut table = Table::new(&about, &["orders due", "confirmed each second"]);
    for due in [SOME, MANY] {
        table.row(&[due.to_string(), format!("{:.0}", worked_off(due).await)]);
    }
    table.print();
}

/// One order that is due, and copies of it.
async fn due(house: &mut House, due: i64) {
    let buyer = house.sign_in(BUYER).await;
    let original = house.buy(&buyer, "due").await;
    drop(buyer);
    house.kill_web();
    let mut filling = Filling::of(house.database_url()).await;
    filling.copy(Original::Order(&original), 1..due).await;
    filling.done().await;
    house.restart_web().await;
}

/// The times between the starts of attempts that follow each other. With nobody answering, and places for all, the
/// worker does nothing but claim; each claim is its reads, and the transaction that opens the attempt.
async fn claims(many: i64) -> Vec<Duration> {
    // half of the places are the share of one supplier
    let places = (CLAIMS * 2).to_string();
    let mut house = as_shipped(House::plan())
        .setting("parallel", &places)
        .no_worker()
        .start()
        .await;
    let silent = suppliers::silent().await;
    let practice = house.supplier_base.clone();
    house.add_supplier(|file| file.replace(&practice, &silent));
    due(&mut house, many).await;
    let _worker: Process = house.work().await;
    let pool = house.database().await;
    let since = Instant::now();
    let mut started: Vec<i64> = Vec::new();
    while started.len() < CLAIMS {
        assert!(since.elapsed() < LASTS * 3, "{} attempts", started.len());
        tokio::time::sleep(Duration::from_millis(200)).await;
        let all = sqlx::query_scalar("SELECT started_at FROM attempts ORDER BY started_at");
        started = all.fetch_all(&pool).await.expect("the attempts");
    }
    pool.close().await;
    let pairs = started.windows(2);
    pairs
        .map(|pair| Duration::from_micros((pair[1] - pair[0]) as u64))
        .collect()
}

/// Orders confirmed each second, once the first are.
async fn worked_off(many: i64) -> f64 {
    let mut house = as_shipped(House::plan()).no_worker().start().await;
    due(&mut house, many).await;
    let _worker = house.work().await;
    let since = Instant::now();
    while house.number(CONFIRMED).await == 0 {
        assert!(since.elapsed() < LASTS, "nothing is confirmed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (before, began) = (house.number(CONFIRMED).await, Instant::now());
    while began.elapsed() < LASTS && house.number(CONFIRMED).await < many {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let done = house.number(CONFIRMED).await - before;
    done as f64 / began.elapsed().as_secs_f64()
}

const CONFIRMED: &str = "SELECT count(*) FROM orders WHERE state = 'confirmed'";
