//! Established facts about orders in doubt, each with its source. Append-only.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, moment, search};
use crate::domain::ids::{OrderId, PersonId, TenantId};
use crate::domain::look_up::{Established, FindingWord, Source};
use chrono::{DateTime, Utc};

/// A finding to be kept.
#[derive(Debug, Clone)]
pub struct NewFinding<'a> {
    pub tenant: &'a TenantId,
    pub order: &'a OrderId,
    pub at: DateTime<Utc>,
    pub finding: FindingWord,
    pub source: Source,
    pub found_by: Option<&'a PersonId>,
    /// The second person, where one was needed.
    pub confirmed_by: Option<&'a PersonId>,
    pub reference: Option<&'a str>,
    pub evidence: Option<&'a str>,
}

/// Keeps a finding.
pub async fn finding_add(conn: &mut Conn, new: &NewFinding<'_>) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO findings (tenant, order_id, at, finding, source, found_by, reference, evidence, confirmed_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(new.tenant.as_str())
        .bind(new.order.as_str())
        .bind(micros(new.at))
        .bind(new.finding.word())
        .bind(new.source.word())
        .bind(new.found_by.map(PersonId::as_str))
        .bind(new.reference)
        .bind(new.evidence)
        .bind(new.confirmed_by.map(PersonId::as_str))
        .execute(&mut *conn)
    )?;
    if let Some(reference) = new.reference {
        search::reference_add(conn, new.order, reference, new.at).await?;
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Columns {
    at: i64,
    finding: String,
    source: String,
    name: Option<String>,
    confirmer: Option<String>,
    reference: Option<String>,
    evidence: Option<String>,
}

/// The findings of an order, oldest first.
pub async fn finding_list(conn: &mut Conn, order: &OrderId) -> Result<Vec<Established>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT f.at, f.finding, f.source, p.name, c.name AS confirmer, f.reference, f.evidence
         FROM findings f LEFT JOIN people p ON p.id = f.found_by LEFT JOIN people c ON c.id = f.confirmed_by WHERE f.order_id = $1 ORDER BY f.at, f.id",
        )
        .bind(order.as_str())
        .fetch_all(&mut *conn)
    )?;
    let read = |row: Columns| {
        Ok(Established {
            at: moment(row.at)?,
            finding: FindingWord::of(&row.finding).ok_or_else(|| StoreError::corrupt(&row.finding))?,
            source: Source::of(&row.source).ok_or_else(|| StoreError::corrupt(&row.source))?,
            by: row.name,
            confirmed_by: row.confirmer,
            reference: row.reference,
            evidence: row.evidence,
        })
    };
    rows.into_iter().map(read).collect()
}
