//! Amounts above which a second person confirms, and what waits for one.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written, kept, micros, moment, parsed, search};
use crate::domain::ids::{OrderId, PersonId, TenantId};
use crate::domain::look_up::FindingWord;
use crate::domain::money::{Currency, Money};
use crate::domain::second_person::Proposed;
use chrono::{DateTime, Utc};

/// The tenant's amounts, by currency.
pub async fn amount_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<Money>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT currency, amount FROM second_person_above WHERE tenant = $1 ORDER BY currency")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    let read = |(currency, amount): (String, String)| {
        Money::of_texts(&currency, &amount).ok_or_else(|| StoreError::corrupt(format!("{amount} {currency}")))
    };
    rows.into_iter().map(read).collect()
}

/// Sets the amount of its currency.
pub async fn amount_put(conn: &mut Conn, tenant: &TenantId, amount: Money) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO second_person_above (tenant, currency, amount) VALUES ($1, $2, $3)
         ON CONFLICT (tenant, currency) DO UPDATE SET amount = excluded.amount",
        )
        .bind(tenant.as_str())
        .bind(amount.currency().code())
        .bind(amount.amount().to_string())
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// Takes the amount of a currency away.
pub async fn amount_remove(conn: &mut Conn, tenant: &TenantId, currency: Currency) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("DELETE FROM second_person_above WHERE tenant = $1 AND currency = $2")
            .bind(tenant.as_str())
            .bind(currency.code())
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}

#[derive(sqlx::FromRow)]
struct Columns {
    at: i64,
    finding: String,
    reference: Option<String>,
    evidence: String,
    proposed_by: String,
    name: String,
}

/// What waits for a second person about this version of an order.
pub async fn proposal_open(conn: &mut Conn, order: &OrderId, version: u64) -> Result<Option<Proposed>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT f.at, f.finding, f.reference, f.evidence, f.proposed_by, p.name
         FROM proposed_findings f JOIN people p ON p.id = f.proposed_by
         WHERE f.order_id = $1 AND f.answer IS NULL AND f.order_version = $2",
        )
        .bind(order.as_str())
        .bind(kept(version)?)
        .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

fn read(row: Columns) -> Result<Proposed, StoreError> {
    Ok(Proposed {
        at: moment(row.at)?,
        finding: FindingWord::of(&row.finding).ok_or_else(|| StoreError::corrupt(&row.finding))?,
        reference: row.reference,
        evidence: row.evidence,
        by: parsed(&row.proposed_by)?,
        by_name: row.name,
    })
}

/// Keeps what a person found out. Whatever still waited about this order is void by it.
pub async fn proposal_add(
    conn: &mut Conn,
    tenant: &TenantId,
    (order, version): (&OrderId, u64),
    proposed: &Proposed,
) -> Result<(), StoreError> {
    proposal_void(conn, order, proposed.at).await?;
    done!(
        conn,
        sqlx::query(
            "INSERT INTO proposed_findings (tenant, order_id, order_version, at, finding, proposed_by, reference, evidence)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(tenant.as_str())
        .bind(order.as_str())
        .bind(kept(version)?)
        .bind(micros(proposed.at))
        .bind(proposed.finding.word())
        .bind(proposed.by.as_str())
        .bind(&proposed.reference)
        .bind(&proposed.evidence)
        .execute(&mut *conn)
    )?;
    if let Some(reference) = &proposed.reference {
        search::reference_add(conn, order, reference, proposed.at).await?;
    }
    Ok(())
}

/// Whatever waits about this order says nothing any more.
pub async fn proposal_void(conn: &mut Conn, order: &OrderId, at: DateTime<Utc>) -> Result<(), StoreError> {
    answer(conn, order, "void", None, at).await.map(|_whatever_waited| ())
}

/// A second person confirmed it: it is a finding now.
pub async fn proposal_confirmed(
    conn: &mut Conn,
    order: &OrderId,
    by: &PersonId,
    at: DateTime<Utc>,
) -> Result<Written, StoreError> {
    answer(conn, order, "confirmed", Some(by), at).await
}

/// It does not count.
pub async fn proposal_declined(
    conn: &mut Conn,
    order: &OrderId,
    by: &PersonId,
    at: DateTime<Utc>,
) -> Result<Written, StoreError> {
    answer(conn, order, "declined", Some(by), at).await
}

async fn answer(
    conn: &mut Conn,
    order: &OrderId,
    answer: &'static str,
    by: Option<&PersonId>,
    at: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE proposed_findings SET answer = $1, answered_by = $2, answered_at = $3
         WHERE order_id = $4 AND answer IS NULL",
        )
        .bind(answer)
        .bind(by.map(PersonId::as_str))
        .bind(micros(at))
        .bind(order.as_str())
        .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}
