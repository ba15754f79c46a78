//! A house with a history: orders of years, and what is open of them.

use super::support::fill::{Filling, Original};
use super::support::{BUYER, House, body};
use super::{as_shipped, support};

/// One of each that is made through the product and then copied.
pub struct Originals {
    pub confirmed: String,
    pub pending: String,
    pub held: String,
    pub suggestion: String,
}

/// A house with one of each.
pub async fn house_with_originals() -> (House, Originals) {
    let house = as_shipped(House::plan()).no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let worker = house.work().await;
    let confirmed = house.buy(&buyer, "settled").await;
    house.wait_for_state(&confirmed, "confirmed").await;
    let pending = house.lose(&buyer, "lost", "store_then_close").await;
    drop(worker);
    let held = house.buy(&buyer, "held").await;
    let order = house.order(&held).await;
    buyer.does("hold", &order, &[("reason", "waits for the budget")]).await;
    let suggestion = house.suggest("waits", &body("waits")).await.id;
    let originals = Originals {
        confirmed,
        pending: support::home::id(&pending).to_owned(),
        held,
        suggestion,
    };
    (house, originals)
}

/// So many orders in all, the newest of them open: a third in doubt, a third held, and as many suggestions in review.
/// Numbers from `open` to before `orders` are confirmed.
pub async fn fill(house: &mut House, originals: &Originals, orders: i64, open: i64) {
    house.kill_web();
    let mut filling = Filling::of(house.database_url()).await;
    let third = open / 3;
    filling.copy(Original::Order(&originals.pending), 1..third).await;
    filling.copy(Original::Order(&originals.held), third..2 * third).await;
    filling
        .copy(Original::Suggestion(&originals.suggestion), 2 * third..open)
        .await;
    filling.copy(Original::Order(&originals.confirmed), open..orders).await;
    filling.done().await;
    house.restart_web().await;
}
