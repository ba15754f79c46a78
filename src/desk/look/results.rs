//! What became of the orders that somebody approved and others had to see to: whoever approved them is told, once.
//!
//! Promises: only what is settled is told; an order with an open case is in the queue. Must not: read what is older than a
//! week.

use super::super::{DeskError, Person};
use super::Names;
use crate::domain::closing::last_closing;
use crate::domain::ids::OrderId;
use crate::domain::pages::{Became, Results, Stands};
use crate::store::cases::case_results;
use crate::store::{Conn, events, orders};
use chrono::{DateTime, TimeDelta, Utc};

/// For so long a result is told.
const TOLD_FOR: TimeDelta = TimeDelta::days(7);
/// Results on the page; the rest is counted.
const MOST_RESULTS: u32 = 20;

/// The results for this person.
pub(super) async fn results(conn: &mut Conn, person: &Person, now: DateTime<Utc>) -> Result<Results, DeskError> {
    let since = now - TOLD_FOR;
    let (count, settled) = case_results(conn, person.tenant(), &person.0.id, since, MOST_RESULTS).await?;
    let (mut names, mut rows) = (Names::default(), Vec::new());
    for order in &settled {
        rows.extend(became(conn, person, order, &mut names).await?);
    }
    Ok(Results { count, rows })
}

async fn became(
    conn: &mut Conn,
    person: &Person,
    id: &OrderId,
    names: &mut Names,
) -> Result<Option<Became>, DeskError> {
    let order = orders::order_fetch(conn, person.tenant(), id)
        .await?
        .ok_or(DeskError::Absent("order"))?;
    let history = events::event_list(conn, person.tenant(), id.as_str()).await?;
    let supplier_name = names.supplier(conn, &order).await?;
    Ok(last_closing(&history).map(|closing| Became {
        stands: Stands::of_order(&order.life),
        headline: order.contents.headline(),
        total: order.contents.total(),
        order: order.id,
        reference: order.life.supplier_reference,
        supplier_name,
        closing,
    }))
}
