//! How much memory the serving process holds, by what the system says of it.

use super::clients::{Door, together};
use super::report::Table;
use super::support::House;
use super::support::fill::copied_order;
use super::years::{fill, house_with_originals};
use std::time::Duration;

const ORDERS: i64 = 100_000;
const OPEN: i64 = 2_000;
/// As many people look around at once.
const VISITORS: usize = 4;

pub async fn measure() {
    let about = format!("Resident memory of `serve`, {ORDERS} orders, {OPEN} things open, {VISITORS} visitors at once");
    let mut table = Table::new(&about, &["", "resident", "most so far"]);
    let (mut house, originals) = house_with_originals().await;
    house.restart_web().await;
    settle().await;
    table.row(&held("at rest, new", &mut house));
    fill(&mut house, &originals, ORDERS, OPEN).await;
    settle().await;
    table.row(&held("at rest", &mut house));
    let door = Door::of(&house).await;
    table.row(&held("one person signed in", &mut house));
    let orders: Vec<String> = (0..2_000)
        .map(|number| format!("/orders/{}", copied_order(OPEN + number * 47)))
        .collect();
    visit(&door, orders).await;
    table.row(&held("2000 order pages later", &mut house));
    visit(&door, vec!["/api/v1/orders?limit=200".to_owned(); 300]).await;
    table.row(&held("300 API lists of 200 orders later", &mut house));
    visit(&door, vec!["/".to_owned(); 300]).await;
    table.row(&held("300 queues later", &mut house));
    settle().await;
    table.row(&held("at rest again", &mut house));
    table.print();
}

async fn settle() {
    tokio::time::sleep(Duration::from_secs(3)).await;
}

async fn visit(door: &Door, paths: Vec<String>) {
    let door = door.clone();
    together(VISITORS, paths, move |path| {
        let door = door.clone();
        async move { door.get(&path).await }
    })
    .await;
}

fn held(when: &str, house: &mut House) -> Vec<String> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", house.web().id())).expect("its status");
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        let number: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        // the system's kB are 1024 bytes
        format!("{:.1} MB", number * 1.024 / 1000.0)
    };
    vec![when.to_owned(), kilobytes("VmRSS:"), kilobytes("VmHWM:")]
}
