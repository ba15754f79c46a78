//! Who was written which day's digest, and what there is to tell in it.

use super::cases::About;
use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, moment, parsed};
use crate::domain::case::{Case, CaseKind};
use crate::domain::ids::{MessageId, PersonId, TenantId};
use chrono::{DateTime, NaiveDate, Utc};

/// Who is to be written this day's digest and was not yet: resolvers and managers who are not disabled, and who were here
/// when it was due; and whether each is a manager.
pub async fn digest_missing(
    conn: &mut Conn,
    tenant: &TenantId,
    day: NaiveDate,
    due_at: DateTime<Utc>,
) -> Result<Vec<(PersonId, bool)>, StoreError> {
    let rows: Vec<(String, i64)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT p.id, max(CASE WHEN r.role = 'manager' THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END)
             FROM people p JOIN person_roles r ON r.person = p.id
             WHERE p.tenant = $1 AND p.disabled_at IS NULL AND p.created_at <= $2
               AND r.role IN ('resolver', 'manager')
               AND NOT EXISTS (SELECT 1 FROM digests d WHERE d.tenant = $1 AND d.person = p.id AND d.day = $3)
             GROUP BY p.id ORDER BY p.id"
        )
        .bind(tenant.as_str())
        .bind(micros(due_at))
        .bind(day.to_string())
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter()
        .map(|(id, is_manager)| Ok((parsed(&id)?, is_manager != 0)))
        .collect()
}

/// Notes that somebody was written this day's digest. A second one is `is_taken()`.
pub async fn digest_add(
    conn: &mut Conn,
    tenant: &TenantId,
    person: &PersonId,
    day: NaiveDate,
    message: &MessageId,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("INSERT INTO digests (tenant, person, day, message) VALUES ($1, $2, $3, $4)")
            .bind(tenant.as_str())
            .bind(person.as_str())
            .bind(day.to_string())
            .bind(message.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// An open case with what it is about, and whether it is nobody's.
#[derive(Debug, Clone)]
pub struct OpenRow {
    pub case: Case,
    pub about: About,
    /// It fell to a manager because nobody else could be found, or its owner was disabled.
    pub is_unowned: bool,
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    version: i64,
    kind: String,
    owner: String,
    owner_name: String,
    due_at: i64,
    reason: String,
    opened_at: i64,
    order_id: Option<String>,
    suggestion: Option<String>,
    supplier: Option<String>,
    is_unowned: i64,
}

fn read(row: Columns) -> Result<OpenRow, StoreError> {
    Ok(OpenRow {
        about: match (row.order_id, row.suggestion, row.supplier) {
            (Some(order), _, _) => About::Order(parsed(&order)?),
            (None, Some(suggestion), _) => About::Suggestion(parsed(&suggestion)?),
            (None, None, supplier) => About::Supplier(supplier.unwrap_or_default()),
        },
        is_unowned: row.is_unowned != 0,
        case: Case {
            id: parsed(&row.id)?,
            version: super::count(row.version)?,
            kind: CaseKind::of(&row.kind).ok_or_else(|| StoreError::corrupt(&row.kind))?,
            owner: parsed(&row.owner)?,
            owner_name: row.owner_name,
            due_at: moment(row.due_at)?,
            reason: row.reason,
            opened_at: moment(row.opened_at)?,
            closed_at: None,
        },
    })
}

/// The tenant's open cases, the one due first on top.
pub async fn open_cases(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<OpenRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT c.id, c.version, c.kind, c.owner, p.name AS owner_name, c.due_at, c.reason, c.opened_at, c.order_id,
                    c.suggestion, c.supplier,
                    CASE WHEN c.fell_to_manager = 1 OR p.disabled_at IS NOT NULL
                         THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS is_unowned
             FROM cases c JOIN people p ON p.id = c.owner
             WHERE c.tenant = $1 AND c.closed_at IS NULL ORDER BY c.due_at, c.id"
        )
        .bind(tenant.as_str())
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}
