//! What the queue reads: everything of a tenant that is not final, by the indexes that hold only open things.

use super::dialect::ask;
use super::{Conn, StoreError, moment, moment_if, parsed};
use crate::domain::contents::OrderContents;
use crate::domain::ids::{OrderId, SuggestionId, TenantId};
use crate::domain::order::{Holds, OrderState};
use crate::domain::suggestion::SuggestionState;
use chrono::{DateTime, Utc};

/// An order that is not final, or has an open case.
#[derive(Debug, Clone)]
pub struct OpenOrder {
    pub id: OrderId,
    pub state: OrderState,
    pub holds: Holds,
    pub differences: bool,
    pub contents: OrderContents,
    pub supplier_name: String,
    pub approved_at: DateTime<Utc>,
    pub changed_at: DateTime<Utc>,
    pub due_at: Option<DateTime<Utc>>,
    pub not_sent: i64,
    pub approved_by_name: String,
    pub owner: Option<(String, String)>,
    pub case_due_at: Option<DateTime<Utc>>,
    pub case_reason: Option<String>,
}

#[derive(sqlx::FromRow)]
struct OrderColumns {
    id: String,
    state: String,
    holds: String,
    differences: i64,
    contents: String,
    supplier_name: String,
    approved_at: i64,
    changed_at: i64,
    due_at: Option<i64>,
    not_sent: i64,
    approved_by_name: String,
    owner: Option<String>,
    owner_name: Option<String>,
    case_due_at: Option<i64>,
    case_reason: Option<String>,
}

fn read(row: OrderColumns) -> Result<OpenOrder, StoreError> {
    Ok(OpenOrder {
        id: parsed(&row.id)?,
        state: OrderState::of(&row.state).ok_or_else(|| StoreError::corrupt(&row.state))?,
        holds: Holds::of(&row.holds).ok_or_else(|| StoreError::corrupt(&row.holds))?,
        differences: row.differences != 0,
        contents: OrderContents::thaw(row.contents.as_bytes()).map_err(StoreError::corrupt)?,
        supplier_name: row.supplier_name,
        approved_at: moment(row.approved_at)?,
        changed_at: moment(row.changed_at)?,
        due_at: moment_if(row.due_at)?,
        not_sent: row.not_sent,
        approved_by_name: row.approved_by_name,
        owner: row.owner.zip(row.owner_name),
        case_due_at: moment_if(row.case_due_at)?,
        case_reason: row.case_reason,
    })
}

/// Open orders, oldest approval first. The case shown is the open one due first.
pub async fn open_orders(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<OpenOrder>, StoreError> {
    let rows: Vec<OrderColumns> = ask!(
        conn,
        sqlx::query_as(
            "WITH open_ids AS (
             SELECT id FROM orders WHERE tenant = $1 AND state = 'approved'
             UNION SELECT id FROM orders WHERE tenant = $1 AND state = 'submitting'
             UNION SELECT id FROM orders WHERE tenant = $1 AND state = 'acknowledged'
             UNION SELECT id FROM orders WHERE tenant = $1 AND state = 'confirmation_pending'
             UNION SELECT order_id FROM cases WHERE tenant = $1 AND closed_at IS NULL AND order_id IS NOT NULL)
         SELECT o.id, o.state, o.holds, o.differences, o.contents, s.name AS supplier_name, o.approved_at,
                o.changed_at, o.due_at, o.not_sent, a.name AS approved_by_name, c.owner, p.name AS owner_name,
                c.due_at AS case_due_at, c.reason AS case_reason
         FROM open_ids JOIN orders o ON o.id = open_ids.id
         JOIN suppliers s ON s.tenant = o.tenant AND s.id = o.supplier
         JOIN people a ON a.id = o.approved_by
         LEFT JOIN cases c ON c.id = (SELECT id FROM cases WHERE order_id = o.id AND closed_at IS NULL
                                      ORDER BY due_at LIMIT 1)
         LEFT JOIN people p ON p.id = c.owner
         ORDER BY o.approved_at, o.id",
        )
        .bind(tenant.as_str())
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// A suggestion that is not final, or has an open case.
#[derive(Debug, Clone)]
pub struct OpenSuggestion {
    pub id: SuggestionId,
    pub state: SuggestionState,
    pub contents: OrderContents,
    pub supplier_name: String,
    pub created_at: DateTime<Utc>,
    pub decision: Option<String>,
    pub owner: Option<(String, String)>,
    pub case_due_at: Option<DateTime<Utc>>,
    pub case_reason: Option<String>,
}

#[derive(sqlx::FromRow)]
struct SuggestionColumns {
    id: String,
    state: String,
    contents: String,
    supplier_name: String,
    created_at: i64,
    decision: Option<String>,
    owner: Option<String>,
    owner_name: Option<String>,
    case_due_at: Option<i64>,
    case_reason: Option<String>,
}

/// Open suggestions, oldest first. The states are asked for in the very words of the index that holds only them: SQLite
/// does not see that a part of its condition implies it, and would read every suggestion there ever was.
pub async fn open_suggestions(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<OpenSuggestion>, StoreError> {
    let rows: Vec<SuggestionColumns> = ask!(
        conn,
        sqlx::query_as(
            "WITH open_ids AS (
             SELECT id FROM suggestions WHERE tenant = $1 AND state IN ('in_review', 'sent_back')
             UNION SELECT suggestion FROM cases WHERE tenant = $1 AND closed_at IS NULL AND suggestion IS NOT NULL)
         SELECT g.id, g.state, g.contents, s.name AS supplier_name, g.created_at, g.decision, c.owner,
                p.name AS owner_name, c.due_at AS case_due_at, c.reason AS case_reason
         FROM open_ids JOIN suggestions g ON g.id = open_ids.id
         JOIN suppliers s ON s.tenant = g.tenant AND s.id = g.supplier
         LEFT JOIN cases c ON c.id = (SELECT id FROM cases WHERE suggestion = g.id AND closed_at IS NULL
                                      ORDER BY due_at LIMIT 1)
         LEFT JOIN people p ON p.id = c.owner
         ORDER BY g.created_at, g.id",
        )
        .bind(tenant.as_str())
        .fetch_all(&mut *conn)
    )?;
    let read = |row: SuggestionColumns| {
        Ok(OpenSuggestion {
            id: parsed(&row.id)?,
            state: SuggestionState::of(&row.state).ok_or_else(|| StoreError::corrupt(&row.state))?,
            contents: OrderContents::thaw(row.contents.as_bytes()).map_err(StoreError::corrupt)?,
            supplier_name: row.supplier_name,
            created_at: moment(row.created_at)?,
            decision: row.decision,
            owner: row.owner.zip(row.owner_name),
            case_due_at: moment_if(row.case_due_at)?,
            case_reason: row.case_reason,
        })
    };
    rows.into_iter().map(read).collect()
}
