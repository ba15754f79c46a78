//! Attempts and their steps.

use super::dialect::{among, ask, done};
use super::{Conn, StoreError, Written, from_json, micros, moment, moment_if, parsed, search, to_json};
use crate::domain::attempt::{Attempt, ReplyWord, Tried};
use crate::domain::classify::Meaning;
use crate::domain::difference::{Difference, Recorded};
use crate::domain::ids::{AttemptId, OrderId, TenantId};
use crate::domain::look_up::Books;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// A new attempt, before its first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttempt {
    pub id: AttemptId,
    pub tenant: TenantId,
    pub order: OrderId,
    pub supplier_version: u32,
    pub books: Books,
    /// Fingerprint of the secret (rule 17), empty without one.
    pub secret_mac: String,
    pub started_at: DateTime<Utc>,
    pub send_by: DateTime<Utc>,
    pub lease_until: DateTime<Utc>,
    /// The order was in doubt when it opened (case C9).
    pub in_doubt: bool,
    pub step: NewStep,
}

/// A mutating request, with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStep {
    pub method: String,
    pub url: String,
    pub body: String,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub at: DateTime<Utc>,
    pub reply: ReplyWord,
    pub meaning: Option<Meaning>,
    pub http_status: Option<u16>,
    pub reference: Option<String>,
    pub detail: String,
    pub excerpt: Option<String>,
    pub recorded: Option<Recorded>,
    pub differences: Vec<Difference>,
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    order_id: String,
    supplier_version: i64,
    base_url: String,
    account: String,
    secret_mac: String,
    in_doubt: i64,
    started_at: i64,
    send_by: i64,
    lease_until: i64,
    lapsed_at: Option<i64>,
    ended_at: Option<i64>,
    reply: Option<String>,
    http_status: Option<i64>,
    reference: Option<String>,
    detail: Option<String>,
    excerpt: Option<String>,
    recorded: Option<String>,
    differences: Option<String>,
    answered: i64,
    meaning: Option<String>,
}

macro_rules! attempt_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, order_id, supplier_version, base_url, account, secret_mac, in_doubt, started_at, send_by,
             lease_until, lapsed_at, ended_at, reply, http_status, reference, detail, excerpt, recorded, differences,
             answered, meaning FROM attempts ",
            $rest
        )
    };
}

fn read(row: Columns) -> Result<Tried, StoreError> {
    let reply = row
        .reply
        .as_deref()
        .map(|word| ReplyWord::of(word).ok_or_else(|| StoreError::corrupt(word)));
    let meaning = row
        .meaning
        .as_deref()
        .map(|word| Meaning::of(word).ok_or_else(|| StoreError::corrupt(word)));
    let status = row
        .http_status
        .map(|status| u16::try_from(status).map_err(StoreError::corrupt));
    Ok(Tried {
        order: parsed(&row.order_id)?,
        supplier_version: u32::try_from(row.supplier_version).map_err(StoreError::corrupt)?,
        books: Books {
            base_url: row.base_url,
            account: row.account,
        },
        secret_mac: row.secret_mac,
        in_doubt: row.in_doubt != 0,
        lapsed: row.lapsed_at.is_some(),
        meaning: meaning.transpose()?,
        recorded: row.recorded.as_deref().map(from_json).transpose()?,
        differences: row
            .differences
            .as_deref()
            .map(from_json)
            .transpose()?
            .unwrap_or_default(),
        attempt: Attempt {
            id: parsed(&row.id)?,
            started_at: moment(row.started_at)?,
            send_by: moment(row.send_by)?,
            lease_until: moment(row.lease_until)?,
            ended_at: moment_if(row.ended_at)?,
            reply: reply.transpose()?,
            http_status: status.transpose()?,
            reference: row.reference,
            detail: row.detail,
            excerpt: row.excerpt,
            answered: row.answered != 0,
        },
    })
}

/// Keeps a new attempt and its first step. A second open attempt of the order is `is_taken()`.
pub async fn attempt_open(conn: &mut Conn, new: &NewAttempt) -> Result<(), StoreError> {
    done!(conn, sqlx::query(
        "INSERT INTO attempts (id, tenant, order_id, number, supplier_version, base_url, account, secret_mac,
                               started_at, send_by, lease_until, in_doubt)
         VALUES ($1, $2, $3, (SELECT count(*) + 1 FROM attempts WHERE order_id = $3), $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(new.id.as_str())
    .bind(new.tenant.as_str())
    .bind(new.order.as_str())
    .bind(i64::from(new.supplier_version))
    .bind(&new.books.base_url)
    .bind(&new.books.account)
    .bind(&new.secret_mac)
    .bind(micros(new.started_at))
    .bind(micros(new.send_by))
    .bind(micros(new.lease_until))
    .bind(i64::from(new.in_doubt))
    .execute(&mut *conn))?;
    done!(
        conn,
        sqlx::query("INSERT INTO attempt_steps (attempt, number, method, url, body) VALUES ($1, 1, $2, $3, $4)")
            .bind(new.id.as_str())
            .bind(&new.step.method)
            .bind(&new.step.url)
            .bind(&new.step.body)
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// The bytes that an attempt sent, or was about to.
pub async fn attempt_step(conn: &mut Conn, id: &AttemptId) -> Result<NewStep, StoreError> {
    let (method, url, body): (String, String, String) = ask!(
        conn,
        sqlx::query_as("SELECT method, url, body FROM attempt_steps WHERE attempt = $1 AND number = 1")
            .bind(id.as_str())
            .fetch_one(&mut *conn)
    )?;
    Ok(NewStep { method, url, body })
}

/// Writes an attempt's reply, once.
pub async fn attempt_close(conn: &mut Conn, id: &AttemptId, ended: &Ended) -> Result<Written, StoreError> {
    let recorded = ended.recorded.as_ref().map(to_json).transpose()?;
    let differences = ended
        .recorded
        .as_ref()
        .map(|_| to_json(&ended.differences))
        .transpose()?;
    let done = done!(conn, sqlx::query(
        "UPDATE attempts SET ended_at = $1, reply = $2, http_status = $3, reference = $4, detail = $5, excerpt = $6,
                             recorded = $7, differences = $8, meaning = $10
         WHERE id = $9 AND ended_at IS NULL",
    )
    .bind(micros(ended.at))
    .bind(ended.reply.word())
    .bind(ended.http_status.map(i64::from))
    .bind(&ended.reference)
    .bind(&ended.detail)
    .bind(&ended.excerpt)
    .bind(recorded)
    .bind(differences)
    .bind(id.as_str())
    .bind(ended.meaning.map(Meaning::word))
    .execute(&mut *conn))?;
    let written = Written::of(done);
    if let (Some(reference), Written::Done) = (&ended.reference, written) {
        let order: String = ask!(
            conn,
            sqlx::query_scalar("SELECT order_id FROM attempts WHERE id = $1")
                .bind(id.as_str())
                .fetch_one(&mut *conn)
        )?;
        search::reference_add(conn, &parsed(&order)?, reference, ended.at).await?;
    }
    Ok(written)
}

/// Marks an attempt whose lease lapsed without a reply.
pub async fn attempt_lapse(conn: &mut Conn, id: &AttemptId, now: DateTime<Utc>) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("UPDATE attempts SET lapsed_at = $1 WHERE id = $2 AND ended_at IS NULL AND lapsed_at IS NULL")
            .bind(micros(now))
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}

/// Marks the doubtful attempts of an order, unknown or lapsed, as answered by a finding.
pub async fn attempts_answer(conn: &mut Conn, order: &OrderId) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "UPDATE attempts SET answered = 1 WHERE order_id = $1 AND (reply = 'unknown' OR lapsed_at IS NOT NULL)",
        )
        .bind(order.as_str())
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// The attempts of an order, oldest first.
pub async fn attempt_list(conn: &mut Conn, order: &OrderId) -> Result<Vec<Tried>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(attempt_columns!("WHERE order_id = $1 ORDER BY number"))
            .bind(order.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// The attempts of each of these orders, oldest first.
pub async fn attempts_of(conn: &mut Conn, orders: &[&OrderId]) -> Result<HashMap<OrderId, Vec<Tried>>, StoreError> {
    let statement = among!(
        conn,
        attempt_columns!("WHERE order_id"),
        "ORDER BY attempts.order_id, number"
    );
    let orders = to_json(&orders)?;
    let rows: Vec<Columns> = ask!(conn, sqlx::query_as(statement).bind(orders).fetch_all(&mut *conn))?;
    let mut attempts: HashMap<OrderId, Vec<Tried>> = HashMap::new();
    for row in rows {
        let tried = read(row)?;
        attempts.entry(tried.order.clone()).or_default().push(tried);
    }
    Ok(attempts)
}

/// Every attempt of these orders, by order and oldest first: people count attempts, they do not read their ids.
pub async fn attempt_ids(conn: &mut Conn, orders: &[&OrderId]) -> Result<Vec<(OrderId, AttemptId)>, StoreError> {
    let statement = among!(
        conn,
        "SELECT order_id, id FROM attempts WHERE order_id",
        "ORDER BY order_id, number"
    );
    let orders = to_json(&orders)?;
    let rows: Vec<(String, String)> = ask!(conn, sqlx::query_as(statement).bind(orders).fetch_all(&mut *conn))?;
    rows.iter()
        .map(|(order, id)| Ok((parsed(order)?, parsed(id)?)))
        .collect()
}

/// Attempts whose lease lapsed by now and that nobody has swept, at most `most`, with their tenants.
pub async fn attempt_overdue(
    conn: &mut Conn,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<(AttemptId, OrderId, TenantId)>, StoreError> {
    let rows: Vec<(String, String, String)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT id, order_id, tenant FROM attempts
         WHERE ended_at IS NULL AND lapsed_at IS NULL AND lease_until <= $1 ORDER BY lease_until LIMIT $2",
        )
        .bind(micros(now))
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter()
        .map(|(id, order, tenant)| Ok((parsed(&id)?, parsed(&order)?, parsed(&tenant)?)))
        .collect()
}
