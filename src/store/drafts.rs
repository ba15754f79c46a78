//! What somebody typed into an act that was refused, kept so that it can be shown again (rule 18).

use super::dialect::{ask, done};
use super::{Conn, StoreError, from_json, micros, to_json};
use crate::domain::ids::{DraftId, PersonId};
use crate::domain::refusal::Refusal;
use chrono::{DateTime, Utc};

/// Most drafts kept for one person; the oldest go first.
const MOST: i64 = 50;

/// Keeps a draft.
pub async fn draft_add(
    conn: &mut Conn,
    id: &DraftId,
    person: &PersonId,
    fields: &[(String, String)],
    refusal: &Refusal,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("INSERT INTO drafts (id, person, fields, refusal, created_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(id.as_str())
            .bind(person.as_str())
            .bind(to_json(&fields)?)
            .bind(to_json(refusal)?)
            .bind(micros(now))
            .execute(&mut *conn)
    )?;
    done!(
        conn,
        sqlx::query(
            "DELETE FROM drafts WHERE person = $1 AND id NOT IN
         (SELECT id FROM drafts WHERE person = $1 ORDER BY created_at DESC LIMIT $2)",
        )
        .bind(person.as_str())
        .bind(MOST)
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// A person's own draft.
pub async fn draft_fetch(
    conn: &mut Conn,
    id: &DraftId,
    person: &PersonId,
) -> Result<Option<(Vec<(String, String)>, Refusal)>, StoreError> {
    let row: Option<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT fields, refusal FROM drafts WHERE id = $1 AND person = $2")
            .bind(id.as_str())
            .bind(person.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(|(fields, refusal)| Ok((from_json(&fields)?, from_json(&refusal)?)))
        .transpose()
}
