//! Cases: opened with owner and deadline, closed once.

use super::dialect::{ask, done};
use super::{Conn, StoreError, count, micros, moment, moment_if, parsed};
use crate::domain::case::{Case, CaseKind};
use crate::domain::ids::{CaseId, OrderId, PersonId, SuggestionId, TenantId};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// What a case is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    Order(OrderId),
    Suggestion(SuggestionId),
    Supplier(String),
}

impl About {
    fn columns(&self) -> (Option<&str>, Option<&str>, Option<&str>) {
        match self {
            About::Order(id) => (Some(id.as_str()), None, None),
            About::Suggestion(id) => (None, Some(id.as_str()), None),
            About::Supplier(id) => (None, None, Some(id)),
        }
    }
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
    closed_at: Option<i64>,
    fell_to_manager: i64,
    order_id: Option<String>,
    suggestion: Option<String>,
    supplier: Option<String>,
}

macro_rules! case_columns {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.version, c.kind, c.owner, p.name AS owner_name, c.due_at, c.reason, c.opened_at, c.closed_at,
                    c.fell_to_manager, c.order_id, c.suggestion, c.supplier
             FROM cases c JOIN people p ON p.id = c.owner ",
            $rest
        )
    };
}

fn read(row: Columns) -> Result<Case, StoreError> {
    Ok(Case {
        id: parsed(&row.id)?,
        version: count(row.version)?,
        kind: CaseKind::of(&row.kind).ok_or_else(|| StoreError::corrupt(&row.kind))?,
        owner: parsed(&row.owner)?,
        owner_name: row.owner_name,
        fell_to_manager: row.fell_to_manager != 0,
        due_at: moment(row.due_at)?,
        reason: row.reason,
        opened_at: moment(row.opened_at)?,
        closed_at: moment_if(row.closed_at)?,
    })
}

fn read_with_about(row: Columns) -> Result<(Case, About), StoreError> {
    let about = match (&row.order_id, &row.suggestion, &row.supplier) {
        (Some(order), _, _) => About::Order(parsed(order)?),
        (None, Some(suggestion), _) => About::Suggestion(parsed(suggestion)?),
        (None, None, supplier) => About::Supplier(supplier.clone().unwrap_or_default()),
    };
    Ok((read(row)?, about))
}

/// Keeps a new case.
pub async fn case_open(conn: &mut Conn, tenant: &TenantId, about: &About, case: &Case) -> Result<(), StoreError> {
    let (order, suggestion, supplier) = about.columns();
    done!(conn, sqlx::query(
        "INSERT INTO cases (id, tenant, version, kind, order_id, suggestion, supplier, owner, due_at, reason, opened_at,
                            fell_to_manager)
         VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(case.id.as_str())
    .bind(tenant.as_str())
    .bind(case.kind.word())
    .bind(order)
    .bind(suggestion)
    .bind(supplier)
    .bind(case.owner.as_str())
    .bind(micros(case.due_at))
    .bind(&case.reason)
    .bind(micros(case.opened_at))
    .bind(i64::from(case.fell_to_manager))
    .execute(&mut *conn))?;
    Ok(())
}

/// The open case of this kind about this thing.
pub async fn case_find(
    conn: &mut Conn,
    tenant: &TenantId,
    about: &About,
    kind: CaseKind,
) -> Result<Option<Case>, StoreError> {
    let cases = case_list(conn, tenant, about).await?;
    Ok(cases
        .into_iter()
        .find(|case| case.kind == kind && case.closed_at.is_none()))
}

/// Every case about this thing, open ones first by deadline.
pub async fn case_list(conn: &mut Conn, tenant: &TenantId, about: &About) -> Result<Vec<Case>, StoreError> {
    let rows: Vec<Columns> = match about {
        About::Order(id) => ask!(
            conn,
            sqlx::query_as(case_columns!("WHERE c.order_id = $1 AND c.tenant = $2"))
                .bind(id.as_str())
                .bind(tenant.as_str())
                .fetch_all(&mut *conn)
        )?,
        About::Suggestion(id) => ask!(
            conn,
            sqlx::query_as(case_columns!("WHERE c.suggestion = $1 AND c.tenant = $2"))
                .bind(id.as_str())
                .bind(tenant.as_str())
                .fetch_all(&mut *conn)
        )?,
        About::Supplier(id) => ask!(
            conn,
            sqlx::query_as(case_columns!("WHERE c.supplier = $1 AND c.tenant = $2"))
                .bind(id)
                .bind(tenant.as_str())
                .fetch_all(&mut *conn)
        )?,
    };
    let mut cases: Vec<Case> = rows.into_iter().map(read).collect::<Result<_, _>>()?;
    cases.sort_by_key(|case| (case.closed_at.is_some(), case.due_at));
    Ok(cases)
}

/// One case of the tenant, with what it is about.
pub async fn case_fetch(conn: &mut Conn, tenant: &TenantId, id: &CaseId) -> Result<Option<(Case, About)>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(case_columns!("WHERE c.id = $1 AND c.tenant = $2"))
            .bind(id.as_str())
            .bind(tenant.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read_with_about).transpose()
}

/// Closes a case.
pub async fn case_close(conn: &mut Conn, id: &CaseId, now: DateTime<Utc>) -> Result<super::Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("UPDATE cases SET closed_at = $1, version = version + 1 WHERE id = $2 AND closed_at IS NULL")
            .bind(micros(now))
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(super::Written::of(done))
}

/// Orders that this person approved, whose last case closed since then, and how many there are; the one settled last comes
/// first, at most so many. The closed cases of that time are read and no others. Who approved an order is asked order by
/// order, and the latest case case by case: a join would be free to read every order there is.
pub async fn case_results(
    conn: &mut Conn,
    tenant: &TenantId,
    approved_by: &PersonId,
    since: DateTime<Utc>,
    most: u32,
) -> Result<(usize, Vec<OrderId>), StoreError> {
    let rows: Vec<(String, i64)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT c.order_id, count(*) OVER () FROM cases c
             WHERE c.tenant = $1 AND c.closed_at >= $2
               AND (SELECT o.approved_by FROM orders o WHERE o.id = c.order_id) = $3
               AND c.id = (SELECT l.id FROM cases l WHERE l.order_id = c.order_id
                           ORDER BY l.closed_at IS NULL DESC, l.closed_at DESC, l.id DESC LIMIT 1)
             ORDER BY c.closed_at DESC, c.id DESC LIMIT $4",
        )
        .bind(tenant.as_str())
        .bind(micros(since))
        .bind(approved_by.as_str())
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    let many = rows.first().map_or(0, |(_, many)| *many);
    let orders = rows.iter().map(|(order, _)| parsed(order)).collect::<Result<_, _>>()?;
    Ok((usize::try_from(many).map_err(StoreError::corrupt)?, orders))
}

/// The open cases of a person, with what each is about; what is due first comes first.
pub async fn case_owned(
    conn: &mut Conn,
    tenant: &TenantId,
    owner: &PersonId,
) -> Result<Vec<(Case, About)>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(case_columns!(
            "WHERE c.owner = $1 AND c.closed_at IS NULL AND c.tenant = $2 ORDER BY c.due_at, c.id"
        ))
        .bind(owner.as_str())
        .bind(tenant.as_str())
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read_with_about).collect()
}

/// What somebody has open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    pub open: u64,
    /// Past their deadline.
    pub late: u64,
}

/// How many cases each person has open, and how many of them are late.
pub async fn case_loads(
    conn: &mut Conn,
    tenant: &TenantId,
    now: DateTime<Utc>,
) -> Result<HashMap<PersonId, Load>, StoreError> {
    let rows: Vec<(String, i64, i64)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT owner, count(*), count(*) FILTER (WHERE due_at <= $2) FROM cases
             WHERE tenant = $1 AND closed_at IS NULL GROUP BY owner",
        )
        .bind(tenant.as_str())
        .bind(micros(now))
        .fetch_all(&mut *conn)
    )?;
    let load = |(owner, open, late): (String, i64, i64)| {
        let (open, late) = (count(open)?, count(late)?);
        Ok((parsed(&owner)?, Load { open, late }))
    };
    rows.into_iter().map(load).collect()
}

/// Gives an open case to somebody, until a deadline, from exactly this version.
pub async fn case_give(
    conn: &mut Conn,
    case: &Case,
    owner: &PersonId,
    due_at: DateTime<Utc>,
) -> Result<super::Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE cases SET owner = $1, due_at = $2, fell_to_manager = 0, version = version + 1
         WHERE id = $3 AND version = $4 AND closed_at IS NULL",
        )
        .bind(owner.as_str())
        .bind(micros(due_at))
        .bind(case.id.as_str())
        .bind(super::kept(case.version)?)
        .execute(&mut *conn)
    )?;
    Ok(super::Written::of(done))
}

/// Nobody but a manager could be found for an open case that was just given to one.
pub async fn case_fell_to_manager(conn: &mut Conn, id: &CaseId) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE cases SET fell_to_manager = 1 WHERE id = $1 AND closed_at IS NULL")
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}
