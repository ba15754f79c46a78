//! The event chain: append-only, hashed, one chain a tenant (rule 16).
//!
//! An event is its body, and the hash is over that alone. The columns `subject`, `at`, `actor` and `kind` are an index over
//! bodies, written with them and read by filters; `desk::verify` holds them against the bodies.

use super::dialect::{among, ask, done};
use super::{Conn, StoreError, count, from_json, kept, micros, moment, parsed, to_json};
use crate::domain::activity::{By, Filter, Kind};
use crate::domain::chain::chained;
use crate::domain::event::{Actor, Event, Happening, Subject};
use crate::domain::ids::{OrderId, TenantId};
use crate::domain::restored::{Head, Heads};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

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
        sqlx::query(
            "INSERT INTO events (tenant, number, subject, body, hash, at, actor, kind)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        )
        .bind(tenant.as_str())
        .bind(kept(event.number)?)
        .bind(event.subject.id())
        .bind(&bytes)
        .bind(hash.as_str())
        .bind(micros(event.at))
        .bind(By::of(&event.actor).word())
        .bind(Kind::of(&event.happening).word())
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

/// Everything that happened to each of these subjects, oldest first.
pub async fn events_of(
    conn: &mut Conn,
    tenant: &TenantId,
    subjects: &[&str],
) -> Result<HashMap<String, Vec<Event>>, StoreError> {
    let statement = among!(
        conn,
        "SELECT subject, body FROM events WHERE tenant = $2 AND subject",
        "ORDER BY subject, number"
    );
    let subjects = to_json(&subjects)?;
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as(statement)
            .bind(subjects)
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    let mut events: HashMap<String, Vec<Event>> = HashMap::new();
    for (subject, body) in rows {
        events.entry(subject).or_default().push(from_json(&body)?);
    }
    Ok(events)
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

/// Whom the events after this number are about, at most so many, oldest first.
pub async fn event_subjects(
    conn: &mut Conn,
    tenant: &TenantId,
    after: u64,
    most: u32,
) -> Result<Vec<(u64, Subject)>, StoreError> {
    let page = event_page(conn, tenant, after, most).await?;
    let about = |(number, body, _): (u64, String, String)| Ok((number, from_json::<Event>(&body)?.subject));
    page.into_iter().map(about).collect()
}

/// Where a page of the log begins: behind the event of this moment and number.
pub type Behind = (DateTime<Utc>, u64);

/// The place of an event, for the page behind it.
pub async fn event_place(conn: &mut Conn, tenant: &TenantId, number: u64) -> Result<Option<Behind>, StoreError> {
    let Ok(number) = kept(number) else { return Ok(None) };
    let at: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT at FROM events WHERE tenant = $1 AND number = $2 AND at IS NOT NULL")
            .bind(tenant.as_str())
            .bind(number)
            .fetch_optional(&mut *conn)
    )?;
    at.map(|at| Ok((moment(at)?, count(number)?))).transpose()
}

/// A page of what happened, newest first. The key is (at, number), so that a span of time is one piece of an index; each
/// shape of filter has its own statement and index, so that cost grows neither with the page nor with history.
///
/// What happened to one subject is little: it is read by its own index and put in order afterwards. The plus signs keep
/// SQLite from reading everything in order of time instead.
pub async fn event_search(
    conn: &mut Conn,
    tenant: &TenantId,
    filter: &Filter,
    behind: Option<Behind>,
    most: u32,
) -> Result<Vec<Event>, StoreError> {
    let statement = match (&filter.about, &filter.by, filter.kind) {
        (Some(_), _, _) => {
            "SELECT body FROM events
             WHERE tenant = $1 AND subject = $2 AND ($3 IS NULL OR actor = $3) AND ($4 IS NULL OR kind = $4)
             AND +at >= $5 AND (+at, number) < ($6, $7) ORDER BY +at DESC, number DESC LIMIT $8"
        }
        (None, Some(_), Some(_)) => {
            "SELECT body FROM events WHERE tenant = $1 AND $2 IS NULL AND actor = $3 AND kind = $4
             AND at >= $5 AND (at, number) < ($6, $7) ORDER BY at DESC, number DESC LIMIT $8"
        }
        (None, Some(_), None) => {
            "SELECT body FROM events WHERE tenant = $1 AND $2 IS NULL AND actor = $3 AND $4 IS NULL
             AND at >= $5 AND (at, number) < ($6, $7) ORDER BY at DESC, number DESC LIMIT $8"
        }
        (None, None, Some(_)) => {
            "SELECT body FROM events WHERE tenant = $1 AND $2 IS NULL AND $3 IS NULL AND kind = $4
             AND at >= $5 AND (at, number) < ($6, $7) ORDER BY at DESC, number DESC LIMIT $8"
        }
        (None, None, None) => {
            "SELECT body FROM events WHERE tenant = $1 AND $2 IS NULL AND $3 IS NULL AND $4 IS NULL
             AND at >= $5 AND (at, number) < ($6, $7) ORDER BY at DESC, number DESC LIMIT $8"
        }
    };
    // no event has the number 0: what happened at the very end of the span is left out
    let end = (filter.before.map_or(i64::MAX, micros), 0);
    let behind = match behind {
        Some((at, number)) => (micros(at), kept(number)?),
        None => end,
    };
    let (at, number) = behind.min(end);
    let rows: Vec<String> = ask!(
        conn,
        sqlx::query_scalar(statement)
            .bind(tenant.as_str())
            .bind(filter.about.as_deref())
            .bind(filter.by.as_ref().map(By::word))
            .bind(filter.kind.map(Kind::word))
            .bind(filter.since.map_or(i64::MIN, micros))
            .bind(at)
            .bind(number)
            .bind(i64::from(most))
            .fetch_all(&mut *conn)
    )?;
    rows.iter().map(|body| from_json(body)).collect()
}

/// An event's body with the columns by which it is found.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Filed {
    number: i64,
    body: String,
    subject: String,
    at: Option<i64>,
    actor: Option<String>,
    kind: Option<String>,
}

impl Filed {
    /// The event's number, by its row.
    pub fn number(&self) -> Result<u64, StoreError> {
        count(self.number)
    }

    /// Whether it is found by what it says. A body that cannot be read, or is another event's, is not judged here: the
    /// chain shows it.
    pub fn is_as_it_says(&self) -> bool {
        let said = from_json::<Event>(&self.body).ok();
        let said = said.filter(|event| kept(event.number).is_ok_and(|number| number == self.number));
        said.is_none_or(|event| {
            self.subject == event.subject.id()
                && self.at == Some(micros(event.at))
                && self.actor.as_deref() == Some(By::of(&event.actor).word())
                && self.kind.as_deref() == Some(Kind::of(&event.happening).word())
        })
    }
}

/// Events with the columns by which they are found, after this number, at most so many.
pub async fn event_filed(conn: &mut Conn, tenant: &TenantId, after: u64, most: u32) -> Result<Vec<Filed>, StoreError> {
    Ok(ask!(
        conn,
        sqlx::query_as(
            "SELECT number, body, subject, at, actor, kind FROM events
             WHERE tenant = $1 AND number > $2 ORDER BY number LIMIT $3",
        )
        .bind(tenant.as_str())
        .bind(kept(after)?)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?)
}

/// Orders of whose approval no event tells, at most so many.
pub async fn event_less_orders(conn: &mut Conn, tenant: &TenantId, most: u32) -> Result<Vec<OrderId>, StoreError> {
    let rows: Vec<String> = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT o.id FROM orders o
             WHERE o.tenant = $1
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.tenant = o.tenant AND e.subject = o.id
                             AND e.body LIKE '%\"kind\":\"order_approved\"%')
             ORDER BY o.id LIMIT $2",
        )
        .bind(tenant.as_str())
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    rows.iter().map(|id| parsed(id)).collect()
}
