//! What an exported order shows beside itself.

use super::dialect::{among, ask};
use super::{Conn, StoreError, moment_if, parsed, to_json};
use crate::domain::case::CaseKind;
use crate::domain::ids::{OrderId, TenantId};
use chrono::{DateTime, Utc};

/// Names around an order, and its open case that is due first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    pub order: OrderId,
    pub supplier_name: String,
    pub approved_by_name: String,
    pub case_kind: Option<CaseKind>,
    pub case_reason: Option<String>,
    pub owner_name: Option<String>,
    pub due_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    supplier_name: String,
    approved_by_name: String,
    case_kind: Option<String>,
    case_reason: Option<String>,
    owner_name: Option<String>,
    due_at: Option<i64>,
}

fn read(row: Columns) -> Result<Around, StoreError> {
    let kind = |word: String| CaseKind::of(&word).ok_or_else(|| StoreError::corrupt(word));
    Ok(Around {
        order: parsed(&row.id)?,
        supplier_name: row.supplier_name,
        approved_by_name: row.approved_by_name,
        case_kind: row.case_kind.map(kind).transpose()?,
        case_reason: row.case_reason,
        owner_name: row.owner_name,
        due_at: moment_if(row.due_at)?,
    })
}

/// What is around these orders of one tenant. They are looked up by id, as in `queue::shown_orders`.
pub async fn order_around(conn: &mut Conn, tenant: &TenantId, these: &[&OrderId]) -> Result<Vec<Around>, StoreError> {
    let statement = among!(
        conn,
        "SELECT o.id, s.name AS supplier_name, a.name AS approved_by_name, c.kind AS case_kind, c.reason AS case_reason,
                p.name AS owner_name, c.due_at
         FROM orders o
         JOIN suppliers s ON s.tenant = o.tenant AND s.id = o.supplier
         JOIN people a ON a.id = o.approved_by
         LEFT JOIN cases c ON c.id = (SELECT id FROM cases WHERE order_id = o.id AND closed_at IS NULL
                                      ORDER BY due_at, id LIMIT 1)
         LEFT JOIN people p ON p.id = c.owner
         WHERE o.id",
        "AND o.tenant || '' = $2"
    );
    let these = to_json(&these)?;
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(statement)
            .bind(these)
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}
