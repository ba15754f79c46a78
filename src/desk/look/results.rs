//! What became of the orders that somebody approved and others had to see to: whoever approved them is told, once.
//!
//! Promises: only what is settled is told; an order with an open case is in the queue. Must not: read what is older than a
//! week.

use super::super::{DeskError, Person};
use crate::domain::closing::{Closing, last_closing};
use crate::domain::ids::OrderId;
use crate::domain::pages::{Became, Results};
use crate::store::cases::case_results;
use crate::store::queue::{ShownOrder, shown_orders};
use crate::store::{Conn, events};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::HashMap;

/// For so long a result is told.
const TOLD_FOR: TimeDelta = TimeDelta::days(7);
/// Results on the page; the rest is counted.
const MOST_RESULTS: u32 = 20;

/// The results for this person.
pub(super) async fn results(conn: &mut Conn, person: &Person, now: DateTime<Utc>) -> Result<Results, DeskError> {
    let (tenant, since) = (person.tenant(), now - TOLD_FOR);
    let (count, settled) = case_results(conn, tenant, &person.0.id, since, MOST_RESULTS).await?;
    if settled.is_empty() {
        return Ok(Results::default());
    }
    let ids: Vec<&OrderId> = settled.iter().collect();
    let orders = shown_orders(conn, tenant, &ids).await?;
    let mut orders: HashMap<OrderId, ShownOrder> = orders.into_iter().map(|one| (one.id.clone(), one)).collect();
    let subjects: Vec<&str> = settled.iter().map(OrderId::as_str).collect();
    let histories = events::events_of(conn, tenant, &subjects).await?;
    let rows = settled.iter().filter_map(|id| {
        let closing = last_closing(histories.get(id.as_str())?)?;
        Some(became(orders.remove(id)?, closing))
    });
    Ok(Results {
        count,
        rows: rows.collect(),
    })
}

fn became(order: ShownOrder, closing: Closing) -> Became {
    Became {
        stands: order.stands(),
        headline: order.contents.headline(),
        total: order.contents.total(),
        order: order.id,
        reference: order.supplier_reference,
        supplier_name: order.supplier_name,
        closing,
    }
}
