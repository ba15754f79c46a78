//! Suggestions, approvals, and orders from their approval until they are confirmed, each second.

use super::clients::{CLIENTS, Door, approvals, suggestions};
use super::report::{Table, rate, usual_and_worst_ms};
use super::support::database::either;
use super::support::{House, Process};
use super::{as_shipped, floor, suppliers};
use std::time::{Duration, Instant};

/// Taken in and approved without a worker, and with one.
const MANY: usize = 600;
/// Approved one after the other, each when the one before is confirmed.
const ONE_BY_ONE: usize = 40;
/// Longer than this nobody waits for the last order to be confirmed.
const PATIENCE: Duration = Duration::from_secs(90);

pub async fn measure() {
    let mut table = Table::new("Acts each second", &["", "clients", "each second"]);
    for connections in [1, CLIENTS] {
        let commits = floor::commits(connections).await;
        table.row(&["floor: bare durable commits".into(), connections.to_string(), commits]);
    }
    let house = as_shipped(House::plan()).no_worker().start().await;
    let supplier = floor::supplier(&house, CLIENTS).await;
    table.row(&[
        "floor: practice supplier asked directly".into(),
        CLIENTS.to_string(),
        supplier,
    ]);
    let door = Door::of(&house).await;
    let (suggested, [reserving, suggesting]) = suggestions(&door, "only", MANY).await;
    let (_, approving) = approvals(&door, suggested).await;
    for (what, time) in [
        ("intents", reserving),
        ("suggestions", suggesting),
        ("approvals, no worker", approving),
    ] {
        table.row(&[what.into(), CLIENTS.to_string(), rate(MANY, time)]);
    }
    table.print();
    drop(house);

    let about = format!(
        "From approval to confirmed: {MANY} orders approved by {CLIENTS} clients while the workers run, and {ONE_BY_ONE} \
         one by one"
    );
    let columns = [
        "supplier, workers",
        "orders each second",
        "one order, median",
        "p99",
        "one by one, median",
        "p99",
    ];
    let mut table = Table::new(&about, &columns);
    for supplier in [Supplier::Practice, Supplier::AtOnce] {
        for workers in either(&[0][..], &[1, 2, 4]) {
            table.row(&through(supplier, *workers).await);
        }
    }
    table.print();
}

/// Who confirms the orders.
#[derive(Debug, Clone, Copy)]
enum Supplier {
    /// The practice supplier: it keeps what it does, on the same disk.
    Practice,
    /// Whoever says yes at once.
    AtOnce,
}

/// A house, with the worker in the web process or elsewhere.
async fn house_with(supplier: Supplier, worker_elsewhere: bool) -> House {
    let plan = as_shipped(House::plan());
    let house = if worker_elsewhere { plan.no_worker() } else { plan }.start().await;
    match supplier {
        Supplier::Practice => {}
        Supplier::AtOnce => {
            let (practice, at_once) = (house.supplier_base.clone(), suppliers::at_once().await);
            house.add_supplier(|file| file.replace(&practice, &at_once));
        }
    }
    house
}

/// With so many worker processes; none: the worker in the web process.
async fn through(supplier: Supplier, workers: usize) -> Vec<String> {
    let house = house_with(supplier, workers > 0).await;
    let mut running: Vec<Process> = Vec::new();
    for _ in 0..workers {
        running.push(house.work().await);
    }
    let door = Door::of(&house).await;
    let (mut suggested, _) = suggestions(&door, "through", MANY + ONE_BY_ONE).await;
    let single = suggested.split_off(MANY);
    approvals(&door, suggested).await;
    let whole = confirmed(&house, MANY).await;
    let span =
        whole.iter().map(|(_, end)| end).max().unwrap_or(&0) - whole.iter().map(|(begin, _)| begin).min().unwrap_or(&0);
    for (number, one) in single.iter().enumerate() {
        door.approve(one).await;
        confirmed(&house, MANY + number + 1).await;
    }
    let mut all = confirmed(&house, MANY + ONE_BY_ONE).await;
    let quiet = all.split_off(MANY);
    let who = match supplier {
        Supplier::Practice => "practice",
        Supplier::AtOnce => "at once",
    };
    let name = match workers {
        0 => format!("{who}, 1 in `serve`"),
        workers => format!("{who}, {workers}"),
    };
    let mut cells = vec![name, rate(MANY, Duration::from_micros(span as u64))];
    cells.extend(usual_and_worst_ms(lengths(&whole)));
    cells.extend(usual_and_worst_ms(lengths(&quiet)));
    cells
}

fn lengths(orders: &[(i64, i64)]) -> Vec<Duration> {
    orders
        .iter()
        .map(|(begin, end)| Duration::from_micros((end - begin) as u64))
        .collect()
}

/// When so many orders are confirmed: when each was approved and confirmed, in the order of their approval, by the
/// database's own entries.
async fn confirmed(house: &House, many: usize) -> Vec<(i64, i64)> {
    let pool = house.database().await;
    let since = Instant::now();
    loop {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM orders WHERE state = 'confirmed'")
            .fetch_one(&pool)
            .await
            .expect("a count");
        if count as usize >= many {
            break;
        }
        assert!(since.elapsed() < PATIENCE, "{count} of {many} orders are confirmed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let all =
        sqlx::query_as("SELECT approved_at, changed_at FROM orders WHERE state = 'confirmed' ORDER BY approved_at");
    let all = all.fetch_all(&pool).await.expect("the orders");
    pool.close().await;
    all
}
