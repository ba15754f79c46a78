//! Cases: opened with owner and deadline, closed once.

use super::dialect::{among, ask, done};
use super::{Conn, StoreError, count, micros, moment, moment_if, parsed, to_json};
use crate::domain::case::{Case, CaseKind};
use crate::domain::ids::{CaseId, OrderId, PersonId, SuggestionId, TenantId};
use crate::domain::ownership::FirstOwner;
use crate::domain::reminding::Watch;
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
    quiet_until: Option<i64>,
    quiet_by_name: Option<String>,
    escalated: i64,
    fell_to_manager: i64,
    order_id: Option<String>,
    suggestion: Option<String>,
    supplier: Option<String>,
}

macro_rules! case_columns {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.version, c.kind, c.owner, p.name AS owner_name, c.due_at, c.reason, c.opened_at, c.closed_at,
                    c.quiet_until, q.name AS quiet_by_name, c.escalated, c.fell_to_manager, c.order_id, c.suggestion,
                    c.supplier
             FROM cases c JOIN people p ON p.id = c.owner LEFT JOIN people q ON q.id = c.quiet_by ",
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
        quiet_until: moment_if(row.quiet_until)?,
        quiet_by_name: row.quiet_by_name,
        escalated: u32::try_from(row.escalated).map_err(StoreError::corrupt)?,
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

/// Keeps a new case; its owner is reminded at this moment.
pub async fn case_open(
    conn: &mut Conn,
    tenant: &TenantId,
    about: &About,
    case: &Case,
    remind_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let (order, suggestion, supplier) = about.columns();
    done!(conn, sqlx::query(
        "INSERT INTO cases (id, tenant, version, kind, order_id, suggestion, supplier, owner, due_at, reason, opened_at,
                            remind_at, fell_to_manager)
         VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
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
    .bind(micros(remind_at))
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

/// Whose a case about this thing is, or was until this very moment.
pub async fn case_keeper(
    conn: &mut Conn,
    tenant: &TenantId,
    about: &About,
    now: DateTime<Utc>,
) -> Result<Option<PersonId>, StoreError> {
    let cases = case_list(conn, tenant, about).await?;
    let is_kept = |case: &Case| !case.fell_to_manager && case.closed_at.is_none_or(|at| at == now);
    let kept = cases.into_iter().find(is_kept);
    Ok(kept.map(|case| case.owner))
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
    open_first(&mut cases);
    Ok(cases)
}

fn open_first(cases: &mut [Case]) {
    cases.sort_by(|one, other| {
        (one.closed_at.is_some(), one.due_at, &one.id).cmp(&(other.closed_at.is_some(), other.due_at, &other.id))
    });
}

/// Every case about each of these orders, open ones first by deadline.
pub async fn cases_of(conn: &mut Conn, orders: &[&OrderId]) -> Result<HashMap<OrderId, Vec<Case>>, StoreError> {
    let statement = among!(conn, case_columns!("WHERE c.order_id"), "ORDER BY c.order_id, c.id");
    let orders = to_json(&orders)?;
    let rows: Vec<Columns> = ask!(conn, sqlx::query_as(statement).bind(orders).fetch_all(&mut *conn))?;
    let mut cases: HashMap<OrderId, Vec<Case>> = HashMap::new();
    for row in rows {
        let order: OrderId = parsed(row.order_id.as_deref().unwrap_or_default())?;
        cases.entry(order).or_default().push(read(row)?);
    }
    cases.values_mut().for_each(|cases| open_first(cases));
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

/// The tenant's open cases with what each is about; what is due first comes first.
pub async fn case_open_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<(Case, About)>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(case_columns!(
            "WHERE c.tenant = $1 AND c.closed_at IS NULL ORDER BY c.due_at, c.id"
        ))
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

/// Gives an open case to somebody, until a deadline, from exactly this version. What was said of the deadline before does not
/// count any more.
pub async fn case_give(
    conn: &mut Conn,
    case: &Case,
    owner: &FirstOwner,
    due_at: DateTime<Utc>,
    remind_at: DateTime<Utc>,
) -> Result<super::Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE cases SET owner = $1, due_at = $2, fell_to_manager = $6, version = version + 1, remind_at = $5,
                          reminded = 0, escalated = 0, quiet_until = NULL, quiet_by = NULL
         WHERE id = $3 AND version = $4 AND closed_at IS NULL",
        )
        .bind(owner.person.as_str())
        .bind(micros(due_at))
        .bind(case.id.as_str())
        .bind(super::kept(case.version)?)
        .bind(micros(remind_at))
        .bind(i64::from(owner.fell_to_manager))
        .execute(&mut *conn)
    )?;
    Ok(super::Written::of(done))
}

/// Open cases that somebody has to be told of by this moment, at most so many.
pub async fn case_to_remind(
    conn: &mut Conn,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<(TenantId, CaseId)>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT tenant, id FROM (
                 SELECT tenant, id, remind_at AS at FROM cases WHERE closed_at IS NULL AND remind_at <= $1
                 UNION ALL SELECT tenant, id, due_at FROM cases
                 WHERE closed_at IS NULL AND remind_at IS NULL AND due_at <= $1) AS waiting
             ORDER BY at LIMIT $2"
        )
        .bind(micros(now))
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    let read = |(tenant, id): (String, String)| Ok((parsed(&tenant)?, parsed(&id)?));
    rows.into_iter().map(read).collect()
}

/// What is kept about telling people of an open case; nothing for a closed one.
pub async fn case_watch(conn: &mut Conn, id: &CaseId) -> Result<Option<Watch>, StoreError> {
    let row: Option<(i64, i64, i64, i64, Option<i64>)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT due_at, coalesce(remind_at, due_at), reminded, escalated, quiet_until FROM cases
             WHERE id = $1 AND closed_at IS NULL"
        )
        .bind(id.as_str())
        .fetch_optional(&mut *conn)
    )?;
    let read = |(due_at, remind_at, reminded, escalated, quiet_until)| {
        Ok(Watch {
            due_at: moment(due_at)?,
            remind_at: moment(remind_at)?,
            reminded: reminded != 0,
            escalated: u32::try_from(escalated).map_err(StoreError::corrupt)?,
            quiet_until: moment_if(quiet_until)?,
        })
    };
    row.map(read).transpose()
}

/// Writes what is kept about telling people, if nobody did since it was read. Neither order nor version moves: whoever has the
/// page of it open is not too late.
pub async fn case_watched(conn: &mut Conn, id: &CaseId, was: &Watch, is: &Watch) -> Result<super::Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE cases SET remind_at = $1, reminded = $2, escalated = $3
             WHERE id = $4 AND closed_at IS NULL AND coalesce(remind_at, due_at) = $5 AND escalated = $6"
        )
        .bind(micros(is.remind_at))
        .bind(i64::from(is.reminded))
        .bind(i64::from(is.escalated))
        .bind(id.as_str())
        .bind(micros(was.remind_at))
        .bind(i64::from(was.escalated))
        .execute(&mut *conn)
    )?;
    Ok(super::Written::of(done))
}

/// Somebody is at it until then: nobody is told before, and nobody sooner than without it. From exactly this version.
pub async fn case_acknowledge(
    conn: &mut Conn,
    case: &Case,
    by: &PersonId,
    until: DateTime<Utc>,
) -> Result<super::Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE cases SET quiet_until = $1, quiet_by = $4, version = version + 1,
                          remind_at = CASE WHEN coalesce(remind_at, due_at) > $1 THEN coalesce(remind_at, due_at) ELSE $1 END
             WHERE id = $2 AND version = $3 AND closed_at IS NULL"
        )
        .bind(micros(until))
        .bind(case.id.as_str())
        .bind(super::kept(case.version)?)
        .bind(by.as_str())
        .execute(&mut *conn)
    )?;
    Ok(super::Written::of(done))
}
