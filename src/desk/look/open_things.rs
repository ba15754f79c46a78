//! Everything open, as the queue has it, and not only what its page shows.

use super::rows::{Placed, order_row, placed, suggestion_row};
use super::{DeskError, PAGE, held_suppliers};
use crate::domain::ids::TenantId;
use crate::domain::pages::{HeldSupplier, Row, Target};
use crate::domain::queue::Section;
use crate::store::Conn;
use crate::store::queue::{open_orders, open_suggestions, shown_orders, shown_suggestions};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// Something open, in its section.
#[derive(Debug, Clone)]
pub enum OpenThing {
    Row {
        section: Section,
        row: Row,
    },
    /// A supplier on hold belongs to no section, and stands above them.
    Supplier(HeldSupplier),
}

/// Suppliers on hold, then section by section, oldest first. It grows with what is open, as the queue does, and not with
/// history.
pub(in crate::desk) async fn open_things(
    conn: &mut Conn,
    tenant: &TenantId,
    now: DateTime<Utc>,
) -> Result<Vec<OpenThing>, DeskError> {
    let held = held_suppliers(conn, tenant).await?;
    let orders = open_orders(conn, tenant).await?;
    let suggestions = open_suggestions(conn, tenant).await?;
    let placed = placed(orders, suggestions);
    let mut rows = HashMap::new();
    for some in placed.chunks(PAGE as usize) {
        rows.extend(rows_of(conn, tenant, some, now).await?);
    }
    let in_section = |section: Section| placed.iter().filter(move |one| one.section == section);
    let all = Section::ALL.into_iter().flat_map(in_section);
    let all = all.filter_map(|one| {
        let row = rows.remove(&one.target)?;
        Some(OpenThing::Row {
            section: one.section,
            row,
        })
    });
    Ok(held.into_iter().map(OpenThing::Supplier).chain(all).collect())
}

async fn rows_of(
    conn: &mut Conn,
    tenant: &TenantId,
    some: &[Placed],
    now: DateTime<Utc>,
) -> Result<Vec<(Target, Row)>, DeskError> {
    let (mut orders, mut suggestions) = (Vec::new(), Vec::new());
    for one in some {
        match &one.target {
            Target::Order(id) => orders.push(id),
            Target::Suggestion(id) => suggestions.push(id),
        }
    }
    let orders = shown_orders(conn, tenant, &orders).await?;
    let suggestions = shown_suggestions(conn, tenant, &suggestions).await?;
    let rows = orders.into_iter().map(|order| order_row(order, now));
    let rows = rows.chain(suggestions.into_iter().map(suggestion_row));
    Ok(rows.map(|row| (row.target.clone(), row)).collect())
}
