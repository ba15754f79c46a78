//! Intents: one business wish, reserved before inference.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, moment};
use crate::domain::ids::{IntentId, TenantId};
use chrono::{DateTime, Utc};

/// An intent as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentRow {
    pub id: IntentId,
    pub purpose: String,
    pub reserved_at: DateTime<Utc>,
}

/// Whether reserving made the intent, or it was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    Now,
    Before,
}

impl Reserved {
    /// Whether this call made it.
    pub fn is_new(self) -> bool {
        self == Reserved::Now
    }
}

/// Reserves an intent; one that is there stays as it was, purpose included.
pub async fn intent_reserve(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &IntentId,
    purpose: &str,
    reserved_by: &str,
    now: DateTime<Utc>,
) -> Result<Reserved, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "INSERT INTO intents (tenant, id, purpose, reserved_by, reserved_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant, id) DO NOTHING",
        )
        .bind(tenant.as_str())
        .bind(id.as_str())
        .bind(purpose)
        .bind(reserved_by)
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    Ok(if done == 1 { Reserved::Now } else { Reserved::Before })
}

/// One intent.
pub async fn intent_fetch(conn: &mut Conn, tenant: &TenantId, id: &IntentId) -> Result<Option<IntentRow>, StoreError> {
    let row: Option<(String, i64)> = ask!(
        conn,
        sqlx::query_as("SELECT purpose, reserved_at FROM intents WHERE tenant = $1 AND id = $2")
            .bind(tenant.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(|(purpose, at)| {
        Ok(IntentRow {
            id: id.clone(),
            purpose,
            reserved_at: moment(at)?,
        })
    })
    .transpose()
}
