//! Suggestions: one row per revision.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written, count, from_json, micros, moment, moment_if, parsed, search, to_json};
use crate::domain::contents::OrderContents;
use crate::domain::ids::{IntentId, SuggestionId, TenantId};
use crate::domain::suggestion::{Suggestion, SuggestionState};
use chrono::{DateTime, Utc};

/// A suggestion as it is kept, with who decided and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionRow {
    pub suggestion: Suggestion,
    /// How often the same revision came again.
    pub repeated: u64,
    pub decided_by: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub decision: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    intent: String,
    revision: i64,
    state: String,
    contents: String,
    digest: String,
    evidence: String,
    repeated: i64,
    created_at: i64,
    decided_by: Option<String>,
    decided_at: Option<i64>,
    decision: Option<String>,
}

macro_rules! suggestion_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, intent, revision, state, contents, digest, evidence, repeated, created_at, decided_by,
             decided_at, decision FROM suggestions ",
            $rest
        )
    };
}

fn read(row: Columns) -> Result<SuggestionRow, StoreError> {
    Ok(SuggestionRow {
        suggestion: Suggestion {
            id: parsed(&row.id)?,
            intent: parsed(&row.intent)?,
            revision: u32::try_from(row.revision).map_err(StoreError::corrupt)?,
            state: SuggestionState::of(&row.state).ok_or_else(|| StoreError::corrupt(&row.state))?,
            contents: OrderContents::thaw(row.contents.as_bytes()).map_err(StoreError::corrupt)?,
            digest: parsed(&row.digest)?,
            evidence: from_json(&row.evidence)?,
            created_at: moment(row.created_at)?,
        },
        repeated: count(row.repeated)?,
        decided_by: row.decided_by,
        decided_at: moment_if(row.decided_at)?,
        decision: row.decision,
    })
}

/// Keeps a new revision. One that is there is `is_taken()`.
pub async fn suggestion_add(conn: &mut Conn, tenant: &TenantId, suggestion: &Suggestion) -> Result<(), StoreError> {
    let contents = String::from_utf8(suggestion.contents.normal_form()).map_err(StoreError::corrupt)?;
    let total = suggestion.contents.total();
    done!(
        conn,
        sqlx::query(
            "INSERT INTO suggestions (id, tenant, intent, revision, state, supplier, contents, digest, look_alike_key,
                                  evidence, created_at, currency, total)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        )
        .bind(suggestion.id.as_str())
        .bind(tenant.as_str())
        .bind(suggestion.intent.as_str())
        .bind(i64::from(suggestion.revision))
        .bind(suggestion.state.word())
        .bind(suggestion.contents.supplier.as_str())
        .bind(contents)
        .bind(suggestion.digest.as_str())
        .bind(suggestion.contents.look_alike_key())
        .bind(to_json(&suggestion.evidence)?)
        .bind(micros(suggestion.created_at))
        .bind(total.currency().code())
        .bind(total.amount().to_string())
        .execute(&mut *conn)
    )?;
    search::skus_add(
        conn,
        tenant,
        &suggestion.id,
        &suggestion.contents,
        suggestion.created_at,
    )
    .await
}

/// One revision by its id.
pub async fn suggestion_fetch(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SuggestionId,
) -> Result<Option<SuggestionRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(suggestion_columns!("WHERE tenant = $1 AND id = $2"))
            .bind(tenant.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// One revision of an intent.
pub async fn suggestion_revision(
    conn: &mut Conn,
    tenant: &TenantId,
    intent: &IntentId,
    revision: u32,
) -> Result<Option<SuggestionRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(suggestion_columns!(
            "WHERE tenant = $1 AND intent = $2 AND revision = $3"
        ))
        .bind(tenant.as_str())
        .bind(intent.as_str())
        .bind(i64::from(revision))
        .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// The latest revision of an intent.
pub async fn suggestion_latest(
    conn: &mut Conn,
    tenant: &TenantId,
    intent: &IntentId,
) -> Result<Option<SuggestionRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(suggestion_columns!(
            "WHERE tenant = $1 AND intent = $2 ORDER BY revision DESC LIMIT 1"
        ))
        .bind(tenant.as_str())
        .bind(intent.as_str())
        .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// How many suggestions are in this open state.
pub async fn suggestion_count(conn: &mut Conn, tenant: &TenantId, state: SuggestionState) -> Result<u64, StoreError> {
    let found: i64 =
        ask!(conn, sqlx::query_scalar(
        "SELECT count(*) FROM suggestions WHERE tenant = $1 AND state = $2 AND state IN ('in_review', 'sent_back')",
    )
    .bind(tenant.as_str())
    .bind(state.word())
    .fetch_one(&mut *conn))?;
    count(found)
}

/// Other suggestions in review with the same look-alike key, of other intents.
pub async fn suggestion_look_alikes(
    conn: &mut Conn,
    tenant: &TenantId,
    key: &str,
    intent: &IntentId,
) -> Result<Vec<SuggestionRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(suggestion_columns!(
            "WHERE tenant = $1 AND look_alike_key = $2 AND state = 'in_review' AND intent <> $3
         ORDER BY created_at, id LIMIT 20"
        ))
        .bind(tenant.as_str())
        .bind(key)
        .bind(intent.as_str())
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// Moves a suggestion from exactly this state to another, with who decided and why.
pub async fn suggestion_move(
    conn: &mut Conn,
    id: &SuggestionId,
    from: SuggestionState,
    to: SuggestionState,
    (decided_by, decision): (&str, Option<&str>),
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE suggestions SET state = $1, decided_by = $2, decided_at = $3, decision = $4
         WHERE id = $5 AND state = $6",
        )
        .bind(to.word())
        .bind(decided_by)
        .bind(micros(now))
        .bind(decision)
        .bind(id.as_str())
        .bind(from.word())
        .execute(&mut *conn)
    )?;
    match to {
        SuggestionState::Rejected | SuggestionState::Superseded if Written::of(done) == Written::Done => {
            search::skus_drop(conn, id).await?;
        }
        SuggestionState::Rejected
        | SuggestionState::Superseded
        | SuggestionState::InReview
        | SuggestionState::SentBack
        | SuggestionState::Approved => {}
    }
    Ok(Written::of(done))
}

/// Counts that a known revision came again (case I8).
pub async fn suggestion_repeat(conn: &mut Conn, id: &SuggestionId) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE suggestions SET repeated = repeated + 1 WHERE id = $1")
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}
