//! The floor: what the same database on the same disk does at most, with nothing of ours in between.

use super::support::House;
use super::support::database::{Database, either};
use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Executor};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::JoinSet;

const LASTS: Duration = Duration::from_secs(3);

/// Durable commits of one small row each second, by so many connections at once.
pub async fn commits(connections: usize) -> String {
    let folder = TempDir::new().expect("a folder");
    let database = Database::empty(folder.path());
    sqlx::any::install_default_drivers();
    let url = format!("{}{}", database.url, either("?mode=rwc", ""));
    let pool = AnyPoolOptions::new()
        .max_connections(connections as u32)
        .after_connect(|connection, _| {
            Box::pin(async move {
                // as the program has it
                let settings = either("PRAGMA synchronous = FULL; PRAGMA busy_timeout = 20000", "SELECT 1");
                connection.execute(settings).await.map(|_| ())
            })
        });
    let pool = pool.connect(&url).await.expect("a database");
    pool.execute(either("PRAGMA journal_mode = WAL", "SELECT 1"))
        .await
        .expect("WAL");
    pool.execute("CREATE TABLE floor (body TEXT NOT NULL)")
        .await
        .expect("a table");
    let began = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..connections {
        running.spawn(commit_until(pool.clone(), began + LASTS));
    }
    let done: usize = running.join_all().await.into_iter().sum();
    let rate = super::report::rate(done, began.elapsed());
    pool.close().await;
    rate
}

async fn commit_until(pool: AnyPool, end: Instant) -> usize {
    let mut connection = pool.acquire().await.expect("a connection");
    let mut done = 0;
    while Instant::now() < end {
        sqlx::query("INSERT INTO floor (body) VALUES ('one small row')")
            .execute(&mut *connection)
            .await
            .expect("a commit");
        done += 1;
    }
    done
}

/// What the practice supplier takes each second when asked directly: no more orders can be confirmed by it.
pub async fn supplier(house: &House, clients: usize) -> String {
    let (http, base) = (reqwest::Client::new(), house.supplier_base.clone());
    let began = Instant::now();
    let mut running = JoinSet::new();
    for client in 0..clients {
        let (http, base) = (http.clone(), base.clone());
        running.spawn(async move {
            let mut done = 0;
            while began.elapsed() < LASTS {
                let reference = format!("floor-{client}-{done}");
                let order = serde_json::json!({
                    "reference": reference, "currency": "EUR", "deliver_to": "main-warehouse", "charges": [],
                    "lines": [{ "sku": "M8", "description": "bolt", "quantity": "24", "unit": "EA",
                                "unit_price": "0.4375", "price_per": "1" }],
                });
                let post = http
                    .post(format!("{base}/orders"))
                    .header("Idempotency-Key", &reference);
                let answer = super::support::Answer::of(post.json(&order)).await;
                assert_eq!(answer.status, 201, "{answer:?}");
                done += 1;
            }
            done
        });
    }
    let done: usize = running.join_all().await.into_iter().sum();
    super::report::rate(done, began.elapsed())
}
