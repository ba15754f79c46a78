//! Every question to a supplier, and its answer. Append-only.

use super::dialect::{ask, done};
use super::{Conn, StoreError, from_json, micros, moment, search, to_json};
use crate::domain::ids::{OrderId, PersonId, TenantId};
use crate::domain::look_up::{Answer, AnswerWord, Books, Found, LookedUp};
use chrono::{DateTime, Utc};

/// A look-up to be kept.
#[derive(Debug, Clone)]
pub struct NewLookUp<'a> {
    pub tenant: &'a TenantId,
    pub order: &'a OrderId,
    pub at: DateTime<Utc>,
    pub asked_by: Option<&'a PersonId>,
    pub answer: &'a Answer,
    pub books: &'a Books,
    pub detail: &'a str,
}

/// Keeps a look-up.
pub async fn look_up_add(conn: &mut Conn, new: &NewLookUp<'_>) -> Result<(), StoreError> {
    let records: &[Found] = match new.answer {
        Answer::Found(records) => records,
        Answer::None | Answer::CouldNotCheck => &[],
    };
    done!(
        conn,
        sqlx::query(
            "INSERT INTO look_ups (tenant, order_id, at, asked_by, answer, base_url, account, detail, records)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(new.tenant.as_str())
        .bind(new.order.as_str())
        .bind(micros(new.at))
        .bind(new.asked_by.map(PersonId::as_str))
        .bind(new.answer.word().word())
        .bind(&new.books.base_url)
        .bind(&new.books.account)
        .bind(new.detail)
        .bind(to_json(&records)?)
        .execute(&mut *conn)
    )?;
    for record in records {
        search::reference_add(conn, new.order, &record.reference, new.at).await?;
    }
    Ok(())
}

/// Whether the answer to what was asked about this order at this moment is kept.
pub async fn look_up_is_kept(conn: &mut Conn, order: &OrderId, at: DateTime<Utc>) -> Result<bool, StoreError> {
    let found: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT CAST(1 AS BIGINT) FROM look_ups WHERE order_id = $1 AND at = $2 LIMIT 1")
            .bind(order.as_str())
            .bind(micros(at))
            .fetch_optional(&mut *conn)
    )?;
    Ok(found.is_some())
}

#[derive(sqlx::FromRow)]
struct Columns {
    at: i64,
    answer: String,
    base_url: String,
    account: String,
    detail: String,
    records: String,
    name: Option<String>,
}

/// As many look-ups of one order are read: the supplier is asked for as long as the doubt lasts, and what is judged and
/// shown must not grow with it. Leaving out older ones proves nothing that they would not: "not there" needs its answers
/// among these.
const LATEST: i64 = 200;

/// The look-ups of an order, the latest of them, oldest first.
pub async fn look_up_list(conn: &mut Conn, order: &OrderId) -> Result<Vec<LookedUp>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT l.at, l.answer, l.base_url, l.account, l.detail, l.records, p.name
         FROM look_ups l LEFT JOIN people p ON p.id = l.asked_by WHERE l.order_id = $1
         ORDER BY l.at DESC, l.id DESC LIMIT $2",
        )
        .bind(order.as_str())
        .bind(LATEST)
        .fetch_all(&mut *conn)
    )?;
    let read = |row: Columns| {
        Ok(LookedUp {
            at: moment(row.at)?,
            answer: AnswerWord::of(&row.answer).ok_or_else(|| StoreError::corrupt(&row.answer))?,
            books: Books {
                base_url: row.base_url,
                account: row.account,
            },
            detail: row.detail,
            records: from_json(&row.records)?,
            by: row.name,
        })
    };
    rows.into_iter().rev().map(read).collect()
}
