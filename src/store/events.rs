//! The event chain: append-only, hashed, one chain a tenant (rule 16).

use super::dialect::{ask, done};
use super::{Conn, StoreError, count, from_json, kept, parsed};
use crate::domain::chain::chained;
use crate::domain::event::{Actor, Event, Happening, Subject};
use crate::domain::ids::TenantId;
use crate::domain::restored::{Head, Heads};
use chrono::{DateTime, Utc};

/// Appends what happened to the tenant's chain. The head is read and moved in the caller's transaction.
pub async fn event_append(
    conn: &mut Conn,
    tenant: &TenantId,
    actor: &Actor,
    subject: Subject,
    happening: Happening,
    now: DateTime<Utc>,
) -> Result<u64, StoreError> {
    let (head, predecessor): (i64, String) = ask!(
        conn,
        sqlx::query_as("SELECT event_number, event_hash FROM tenants WHERE id = $1")
            .bind(tenant.as_str())
            .fetch_one(&mut *conn)
    )?;
    let event = Event {
        number: count(head)? + 1,
        at: now,
        actor: actor.clone(),
        subject,
        happening,
    };
    let bytes = event.bytes();
    let hash = chained(&predecessor, &bytes);
    done!(
        conn,
        sqlx::query("INSERT INTO events (tenant, number, subject, body, hash) VALUES ($1, $2, $3, $4, $5)")
            .bind(tenant.as_str())
            .bind(kept(event.number)?)
            .bind(event.subject.id())
            .bind(&bytes)
            .bind(hash.as_str())
            .execute(&mut *conn)
    )?;
    let moved = done!(
        conn,
        sqlx::query("UPDATE tenants SET event_number = $1, event_hash = $2 WHERE id = $3 AND event_number = $4")
            .bind(kept(event.number)?)
            .bind(hash.as_str())
            .bind(tenant.as_str())
            .bind(head)
            .execute(&mut *conn)
    )?;
    if moved != 1 {
        return Err(StoreError::corrupt("the event chain was forked"));
    }
    Ok(event.number)
}

/// Everything that happened to one subject, oldest first.
pub async fn event_list(conn: &mut Conn, tenant: &TenantId, subject: &str) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<String> = ask!(
        conn,
        sqlx::query_scalar("SELECT body FROM events WHERE tenant = $1 AND subject = $2 ORDER BY number")
            .bind(tenant.as_str())
            .bind(subject)
            .fetch_all(&mut *conn)
    )?;
    rows.iter().map(|body| from_json(body)).collect()
}

/// The number of the last event about one subject; 0 before the first.
pub async fn event_last(conn: &mut Conn, tenant: &TenantId, subject: &str) -> Result<u64, StoreError> {
    let number: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT max(number) FROM events WHERE tenant = $1 AND subject = $2")
            .bind(tenant.as_str())
            .bind(subject)
            .fetch_one(&mut *conn)
    )?;
    count(number.unwrap_or(0))
}

/// Number and hash of the last event, as the tenant's row has them: shows when the last events were deleted.
pub async fn event_head(conn: &mut Conn, tenant: &TenantId) -> Result<(u64, String), StoreError> {
    let (number, hash): (i64, String) = ask!(
        conn,
        sqlx::query_as("SELECT event_number, event_hash FROM tenants WHERE id = $1")
            .bind(tenant.as_str())
            .fetch_one(&mut *conn)
    )?;
    Ok((count(number)?, hash))
}

/// The last event of every tenant.
pub async fn event_heads(conn: &mut Conn) -> Result<Heads, StoreError> {
    let rows: Vec<(String, i64, String)> = ask!(
        conn,
        sqlx::query_as("SELECT id, event_number, event_hash FROM tenants").fetch_all(&mut *conn)
    )?;
    let head = |(tenant, number, hash): (String, i64, String)| {
        let number = count(number)?;
        Ok((parsed(&tenant)?, Head { number, hash }))
    };
    rows.into_iter().map(head).collect()
}

/// One event and its hash, if it is there.
pub async fn event_at(conn: &mut Conn, tenant: &TenantId, number: u64) -> Result<Option<(Event, String)>, StoreError> {
    let row: Option<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT body, hash FROM events WHERE tenant = $1 AND number = $2")
            .bind(tenant.as_str())
            .bind(kept(number)?)
            .fetch_optional(&mut *conn)
    )?;
    row.map(|(body, hash)| Ok((from_json(&body)?, hash))).transpose()
}

/// The chain as stored, after this number, at most so many: number, bytes, hash.
pub async fn event_page(
    conn: &mut Conn,
    tenant: &TenantId,
    after: u64,
    most: u32,
) -> Result<Vec<(u64, String, String)>, StoreError> {
    let rows: Vec<(i64, String, String)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT number, body, hash FROM events WHERE tenant = $1 AND number > $2 ORDER BY number LIMIT $3",
        )
        .bind(tenant.as_str())
        .bind(kept(after)?)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter()
        .map(|(number, body, hash)| Ok((count(number)?, body, hash)))
        .collect()
}
