//! Pauses after a restore or a copy (rule 20): at most one a tenant is open.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written, micros, moment};
use crate::domain::ids::{PersonId, TenantId};
use chrono::{DateTime, Utc};

/// A pause as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseRow {
    pub since: DateTime<Utc>,
    pub because: String,
    /// The last event before the gap.
    pub gap_at: DateTime<Utc>,
}

fn read((since, because, gap_at): (i64, String, i64)) -> Result<PauseRow, StoreError> {
    Ok(PauseRow {
        since: moment(since)?,
        because,
        gap_at: moment(gap_at)?,
    })
}

/// Begins a pause. One that is open is `is_taken()`.
pub async fn pause_begin(conn: &mut Conn, tenant: &TenantId, pause: &PauseRow) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("INSERT INTO pauses (tenant, since, because, gap_at) VALUES ($1, $2, $3, $4)")
            .bind(tenant.as_str())
            .bind(micros(pause.since))
            .bind(&pause.because)
            .bind(micros(pause.gap_at))
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// The tenant's open pause.
pub async fn pause_open(conn: &mut Conn, tenant: &TenantId) -> Result<Option<PauseRow>, StoreError> {
    let row: Option<(i64, String, i64)> = ask!(
        conn,
        sqlx::query_as("SELECT since, because, gap_at FROM pauses WHERE tenant = $1 AND ended_at IS NULL")
            .bind(tenant.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// Whether any tenant is paused.
pub async fn pause_any(conn: &mut Conn) -> Result<bool, StoreError> {
    let found: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT CAST(1 AS BIGINT) FROM pauses WHERE ended_at IS NULL LIMIT 1")
            .fetch_optional(&mut *conn)
    )?;
    Ok(found.is_some())
}

/// When the tenant's last pause began, open or not.
pub async fn pause_last(conn: &mut Conn, tenant: &TenantId) -> Result<Option<DateTime<Utc>>, StoreError> {
    let since: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT max(since) FROM pauses WHERE tenant = $1")
            .bind(tenant.as_str())
            .fetch_one(&mut *conn)
    )?;
    since.map(moment).transpose()
}

/// The last event before the first gap of the open pause, and of those that ended in it one after the other, for this
/// reason: an order approved now may have been sent in any of them.
pub async fn gap_first(conn: &mut Conn, tenant: &TenantId, reason: &str) -> Result<Option<DateTime<Utc>>, StoreError> {
    let first: Option<i64> = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT min(gap_at) FROM pauses WHERE tenant = $1 AND (ended_at IS NULL OR reason = $2)
             AND since > coalesce((SELECT max(since) FROM pauses
                                   WHERE tenant = $1 AND ended_at IS NOT NULL AND reason <> $2), 0)"
        )
        .bind(tenant.as_str())
        .bind(reason)
        .fetch_one(&mut *conn)
    )?;
    first.map(moment).transpose()
}

/// The last event before the first gap that opened after this moment, also where its pause has ended: what stood there then
/// may have been approved and sent in it.
pub async fn gap_after(
    conn: &mut Conn,
    tenant: &TenantId,
    at: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    let first: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT min(gap_at) FROM pauses WHERE tenant = $1 AND since > $2")
            .bind(tenant.as_str())
            .bind(micros(at))
            .fetch_one(&mut *conn)
    )?;
    first.map(moment).transpose()
}

/// Ends the tenant's open pause; `by` is nobody from the command line.
pub async fn pause_end(
    conn: &mut Conn,
    tenant: &TenantId,
    by: Option<&PersonId>,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE pauses SET ended_at = $1, ended_by = $2, reason = $3 WHERE tenant = $4 AND ended_at IS NULL"
        )
        .bind(micros(now))
        .bind(by.map(PersonId::as_str))
        .bind(reason)
        .bind(tenant.as_str())
        .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}
