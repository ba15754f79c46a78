//! What people judged a supplier's records to be. Append-only.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, moment, search};
use crate::domain::decision::{Judged, Judgement, Verdict};
use crate::domain::ids::{OrderId, PersonId, TenantId};
use chrono::{DateTime, Utc};

/// A judgement to be kept.
#[derive(Debug, Clone)]
pub struct NewJudgement<'a> {
    pub tenant: &'a TenantId,
    pub order: &'a OrderId,
    pub at: DateTime<Utc>,
    pub judged: &'a Judged,
    pub by: &'a PersonId,
    pub evidence: &'a str,
}

/// Keeps a judgement.
pub async fn judgement_add(conn: &mut Conn, new: &NewJudgement<'_>) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO judgements (tenant, order_id, at, reference, verdict, judged_by, evidence)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(new.tenant.as_str())
        .bind(new.order.as_str())
        .bind(micros(new.at))
        .bind(&new.judged.reference)
        .bind(new.judged.verdict.word())
        .bind(new.by.as_str())
        .bind(new.evidence)
        .execute(&mut *conn)
    )?;
    search::reference_add(conn, new.order, &new.judged.reference, new.at).await
}

#[derive(sqlx::FromRow)]
struct Columns {
    at: i64,
    reference: String,
    verdict: String,
    name: String,
    evidence: String,
}

/// The judgements about an order's records, oldest first.
pub async fn judgement_list(conn: &mut Conn, order: &OrderId) -> Result<Vec<Judgement>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT j.at, j.reference, j.verdict, p.name, j.evidence
         FROM judgements j JOIN people p ON p.id = j.judged_by WHERE j.order_id = $1 ORDER BY j.at, j.id",
        )
        .bind(order.as_str())
        .fetch_all(&mut *conn)
    )?;
    let read = |row: Columns| {
        Ok(Judgement {
            at: moment(row.at)?,
            judged: Judged {
                reference: row.reference,
                verdict: Verdict::of(&row.verdict).ok_or_else(|| StoreError::corrupt(&row.verdict))?,
            },
            by: row.name,
            evidence: row.evidence,
        })
    };
    rows.into_iter().map(read).collect()
}
