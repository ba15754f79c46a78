//! How long pages and lists take in a young house and in an old one.

use super::clients::Door;
use super::report::{Table, usual_and_worst_ms};
use super::support::fill::copied_order;
use super::support::{BUYER, House};
use super::years::{Originals, fill, house_with_originals};

/// Orders in all, and how many things are open.
const HOUSES: [(i64, i64); 2] = [(1_000, 900), (1_000_000, 900)];
/// Requests of each kind, one after the other, and before them some that are not counted.
const REQUESTS: usize = 200;
const BEFORE: usize = 20;

pub async fn measure() {
    for (orders, open) in HOUSES {
        let (mut house, originals) = house_with_originals().await;
        fill(&mut house, &originals, orders, open).await;
        look_around(&house, &originals, orders, open).await;
    }
}

async fn look_around(house: &House, originals: &Originals, orders: i64, open: i64) {
    let about =
        format!("Pages with {orders} orders, {open} things open: {REQUESTS} requests by one client, to the last byte");
    let mut table = Table::new(&about, &["", "median", "p99"]);
    let door = Door::of(house).await;
    for (what, paths) in paths(house, originals, orders, open).await {
        let mut times = Vec::new();
        for number in 0..BEFORE + REQUESTS {
            let took = door.get(&paths[number % paths.len()]).await;
            if number >= BEFORE {
                times.push(took);
            }
        }
        let mut cells = vec![what.to_owned()];
        cells.extend(usual_and_worst_ms(times));
        table.row(&cells);
    }
    table.print();
}

/// What is asked for, by its name; in turn where there are several.
async fn paths(house: &House, originals: &Originals, orders: i64, open: i64) -> Vec<(&'static str, Vec<String>)> {
    let settled = (0..REQUESTS as i64).map(|number| open + number * 7919 % (orders - open));
    let doubtful = (0..REQUESTS as i64).map(|number| 1 + number % (open / 3 - 1));
    let page = |number| format!("/orders/{}", copied_order(number));
    let (idle, busy) = (person(house, BUYER).await, owner(house, originals).await);
    vec![
        ("queue", vec!["/".to_owned()]),
        ("queue, a section", vec!["/?section=pending".to_owned()]),
        ("queue, what is mine", vec!["/?mine=yes".to_owned()]),
        (
            "queue, an order’s id",
            settled
                .clone()
                .map(|number| format!("/?q={}", copied_order(number)))
                .collect(),
        ),
        ("queue, an article that all have", vec!["/?q=settled".to_owned()]),
        ("order page, confirmed", settled.map(page).collect()),
        ("order page, in doubt", doubtful.map(page).collect()),
        ("suggestions page", vec!["/suggestions".to_owned()]),
        ("orders page", vec!["/orders".to_owned()]),
        ("API, 50 orders", vec!["/api/v1/orders?limit=50".to_owned()]),
        (
            "API, by state and supplier",
            vec!["/api/v1/orders?limit=50&state=confirmed&supplier=practice".to_owned()],
        ),
        (
            "API, a supplier without orders",
            vec!["/api/v1/orders?limit=50&state=confirmed&supplier=nobody".to_owned()],
        ),
        ("API, by owner", vec![format!("/api/v1/orders?limit=50&owner={busy}")]),
        (
            "API, an owner of nothing",
            vec![format!("/api/v1/orders?limit=50&owner={idle}")],
        ),
    ]
}

async fn person(house: &House, email: &str) -> String {
    let pool = house.database().await;
    let id = sqlx::query_scalar("SELECT id FROM people WHERE email = $1").bind(email);
    let id = id.fetch_one(&pool).await.expect("the person");
    pool.close().await;
    id
}

/// Who owns what is in doubt.
async fn owner(house: &House, originals: &Originals) -> String {
    let order = house.order(&originals.pending).await;
    order["case"]["owner"].as_str().expect("an owner").to_owned()
}
