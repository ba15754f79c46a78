//! Who was written which day's digest, and what there is to tell in it.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, parsed};
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
