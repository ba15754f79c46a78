//! Numbers over all tenants of what is open. Each statement is answered from an index that holds only open things, so that
//! its cost does not grow with history; `tests/watching.rs` asks the database how it would do it.

use super::dialect::ask;
use super::{Conn, StoreError, count, micros, moment_if};
use crate::domain::order::OrderState;
use chrono::{DateTime, Utc};

const OPEN_ORDERS: &str = "SELECT state, count(*) FROM orders
    WHERE state IN ('approved', 'submitting', 'acknowledged', 'confirmation_pending') GROUP BY state";
const DUE_ORDERS: &str = "SELECT count(*) FROM orders WHERE state = 'approved' AND holds = '' AND due_at <= $1";
const OLDEST_DOUBT: &str =
    "SELECT min(opened_at) FROM cases WHERE closed_at IS NULL AND kind IN ('pending', 'late_record')";
const OPEN_CASES: &str = "SELECT count(*) FROM cases WHERE closed_at IS NULL";
const OVERDUE_CASES: &str = "SELECT count(*) FROM cases WHERE closed_at IS NULL AND due_at < $1";
const UNOWNED_CASES: &str = "SELECT count(*) FROM cases c LEFT JOIN people p ON p.id = c.owner
    WHERE c.closed_at IS NULL AND (p.id IS NULL OR p.disabled_at IS NOT NULL)";
const WORKERS_ALIVE: &str = "SELECT count(*) FROM nodes WHERE beat_at > $1 AND works = 1";
const MAILS_IN_VAIN: &str = "SELECT count(*) FROM outbox WHERE in_vain = 1 AND given_up_at > $1";
const PAUSED_TENANTS: &str = "SELECT count(*) FROM pauses WHERE ended_at IS NULL";

/// Every statement of this file, for the test that asks for their plans.
pub const STATEMENTS: [&str; 9] = [
    OPEN_ORDERS,
    DUE_ORDERS,
    OLDEST_DOUBT,
    OPEN_CASES,
    OVERDUE_CASES,
    UNOWNED_CASES,
    WORKERS_ALIVE,
    MAILS_IN_VAIN,
    PAUSED_TENANTS,
];

/// Orders that are not final, by state; a state without any is left out.
pub async fn open_orders(conn: &mut Conn) -> Result<Vec<(OrderState, u64)>, StoreError> {
    let rows: Vec<(String, i64)> = ask!(conn, sqlx::query_as(OPEN_ORDERS).fetch_all(&mut *conn))?;
    let read = |(word, number): (String, i64)| {
        let state = OrderState::of(&word).ok_or_else(|| StoreError::corrupt(&word))?;
        Ok((state, count(number)?))
    };
    rows.into_iter().map(read).collect()
}

/// Orders whose time to be sent has come.
pub async fn due_orders(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64, StoreError> {
    let by = micros(now);
    let rows: i64 = ask!(conn, sqlx::query_scalar(DUE_ORDERS).bind(by).fetch_one(&mut *conn))?;
    count(rows)
}

/// When the oldest open case about an order in doubt was opened: the order may have changed since, its doubt is as old.
pub async fn oldest_doubt(conn: &mut Conn) -> Result<Option<DateTime<Utc>>, StoreError> {
    let opened: Option<i64> = ask!(conn, sqlx::query_scalar(OLDEST_DOUBT).fetch_one(&mut *conn))?;
    moment_if(opened)
}

/// Open cases.
pub async fn open_cases(conn: &mut Conn) -> Result<u64, StoreError> {
    count(ask!(conn, sqlx::query_scalar(OPEN_CASES).fetch_one(&mut *conn))?)
}

/// Open cases whose deadline has passed.
pub async fn overdue_cases(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64, StoreError> {
    let by = micros(now);
    let rows: i64 = ask!(conn, sqlx::query_scalar(OVERDUE_CASES).bind(by).fetch_one(&mut *conn))?;
    count(rows)
}

/// Open cases that nobody could be asked about.
pub async fn unowned_cases(conn: &mut Conn) -> Result<u64, StoreError> {
    count(ask!(conn, sqlx::query_scalar(UNOWNED_CASES).fetch_one(&mut *conn))?)
}

/// Nodes that submit and look up, and said since then that they live.
pub async fn workers_alive(conn: &mut Conn, since: DateTime<Utc>) -> Result<u64, StoreError> {
    let after = micros(since);
    let rows: i64 = ask!(
        conn,
        sqlx::query_scalar(WORKERS_ALIVE).bind(after).fetch_one(&mut *conn)
    )?;
    count(rows)
}

/// Messages given up since then that somebody should have got.
pub async fn mails_in_vain(conn: &mut Conn, since: DateTime<Utc>) -> Result<u64, StoreError> {
    let after = micros(since);
    let rows: i64 = ask!(
        conn,
        sqlx::query_scalar(MAILS_IN_VAIN).bind(after).fetch_one(&mut *conn)
    )?;
    count(rows)
}

/// Tenants whose orders are held until somebody has looked (rule 20).
pub async fn paused_tenants(conn: &mut Conn) -> Result<u64, StoreError> {
    count(ask!(conn, sqlx::query_scalar(PAUSED_TENANTS).fetch_one(&mut *conn))?)
}
