//! What came under a known intent and revision and was never stored as a suggestion (rule 3).

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, moment};
use crate::domain::contents::OrderContents;
use crate::domain::ids::{SuggestionId, TenantId};
use crate::domain::suggestion::Reused;

/// So many different contents are kept of one suggestion; what comes after them is in the log by its digest.
const MOST: i64 = 20;

/// Keeps what came, once for the same contents.
pub async fn reused_add(
    conn: &mut Conn,
    tenant: &TenantId,
    suggestion: &SuggestionId,
    reused: &Reused,
) -> Result<(), StoreError> {
    let contents = String::from_utf8(reused.contents.normal_form()).map_err(StoreError::corrupt)?;
    done!(
        conn,
        sqlx::query(
            "INSERT INTO reused_contents (tenant, suggestion, at, sent_by, contents, digest)
         SELECT $1, $2, $3, $4, $5, $6
         WHERE (SELECT count(*) FROM reused_contents WHERE suggestion = $2) < $7
         ON CONFLICT (suggestion, digest) DO NOTHING",
        )
        .bind(tenant.as_str())
        .bind(suggestion.as_str())
        .bind(micros(reused.at))
        .bind(&reused.sent_by)
        .bind(contents)
        .bind(reused.contents.digest().as_str())
        .bind(MOST)
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// What came about a suggestion, oldest first.
pub async fn reused_list(conn: &mut Conn, suggestion: &SuggestionId) -> Result<Vec<Reused>, StoreError> {
    let rows: Vec<(i64, String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT at, sent_by, contents FROM reused_contents WHERE suggestion = $1 ORDER BY at, id")
            .bind(suggestion.as_str())
            .fetch_all(&mut *conn)
    )?;
    let read = |(at, sent_by, contents): (i64, String, String)| {
        Ok(Reused {
            at: moment(at)?,
            sent_by,
            contents: OrderContents::thaw(contents.as_bytes()).map_err(StoreError::corrupt)?,
        })
    };
    rows.into_iter().map(read).collect()
}
