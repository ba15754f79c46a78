//! Finding a thing by what stands on somebody's papers: articles, suppliers' numbers, ids.
//!
//! Promises: what matches exactly is found by an index, and so is what begins so; neither reads what does not match. The
//! words are an index over what other rooms keep: nothing is decided by them.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, parsed_if};
use crate::domain::contents::OrderContents;
use crate::domain::ids::{OrderId, SuggestionId, TenantId};
use crate::domain::queue::{Alike, FoundPlace, Matched, Word, folded};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Keeps the articles of a suggestion.
pub async fn skus_add(
    conn: &mut Conn,
    tenant: &TenantId,
    suggestion: &SuggestionId,
    contents: &OrderContents,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let skus: BTreeSet<&str> = contents.lines.iter().filter_map(|line| line.sku.as_deref()).collect();
    for sku in skus {
        done!(
            conn,
            sqlx::query(
                "INSERT INTO search_words (tenant, word, folded, what, suggestion, at)
                 VALUES ($1, $2, $3, 'sku', $4, $5) ON CONFLICT DO NOTHING"
            )
            .bind(tenant.as_str())
            .bind(sku)
            .bind(folded(sku))
            .bind(suggestion.as_str())
            .bind(micros(at))
            .execute(&mut *conn)
        )?;
    }
    Ok(())
}

/// Forgets the articles of a suggestion that came to nothing: nobody looks for it any more, and what is looked for is not
/// behind years of them.
pub async fn skus_drop(conn: &mut Conn, suggestion: &SuggestionId) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("DELETE FROM search_words WHERE suggestion = $1")
            .bind(suggestion.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Keeps an order's own id.
pub async fn order_id_add(
    conn: &mut Conn,
    tenant: &TenantId,
    order: &OrderId,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO search_words (tenant, word, folded, what, order_id, at)
             VALUES ($1, $2, $3, 'order', $2, $4) ON CONFLICT DO NOTHING"
        )
        .bind(tenant.as_str())
        .bind(order.as_str())
        .bind(folded(order.as_str()))
        .bind(micros(at))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// Keeps a number that a supplier, or somebody who asked it, gave for an order.
pub async fn reference_add(
    conn: &mut Conn,
    order: &OrderId,
    reference: &str,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO search_words (tenant, word, folded, what, order_id, at)
             SELECT tenant, $2, $3, 'reference', id, $4 FROM orders WHERE id = $1 ON CONFLICT DO NOTHING"
        )
        .bind(order.as_str())
        .bind(reference)
        .bind(folded(reference))
        .bind(micros(at))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// A thing that was found, and by what. A suggestion that became an order is the order.
#[derive(Debug, Clone)]
pub struct Hit {
    pub order: Option<OrderId>,
    pub suggestion: Option<SuggestionId>,
    pub matched: Matched,
    pub place: FoundPlace,
}

#[derive(sqlx::FromRow)]
struct Columns {
    what: String,
    word: String,
    order_id: Option<String>,
    suggestion: Option<String>,
    at: i64,
    number: i64,
}

fn read(rows: Vec<Columns>, text: &str, place: impl Fn(&Columns) -> FoundPlace) -> Result<Vec<Hit>, StoreError> {
    let hit = |row: Columns| {
        Ok(Hit {
            place: place(&row),
            order: parsed_if(row.order_id.as_deref())?,
            suggestion: parsed_if(row.suggestion.as_deref())?,
            matched: Matched {
                what: Word::of(&row.what).ok_or_else(|| StoreError::corrupt(&row.what))?,
                alike: Alike::of(&row.word, text),
                word: row.word,
            },
        })
    };
    rows.into_iter().map(hit).collect()
}

/// The statement over words. A suggestion that became an order is asked for word by word, and the words are read in the order
/// of their index: a join would be free to read every one there is.
macro_rules! words {
    ($which:literal, $order:literal) => {
        concat!(
            "SELECT w.what, w.word, w.suggestion, w.at, w.id AS number,
                    coalesce(w.order_id, (SELECT o.id FROM orders o WHERE o.suggestion = w.suggestion)) AS order_id
             FROM search_words w WHERE w.tenant = $1 AND ",
            $which,
            " ORDER BY ",
            $order,
            " LIMIT $4"
        )
    };
}

/// Things on which exactly this stands, the newest first, at most so many.
pub async fn words_exact(conn: &mut Conn, tenant: &TenantId, text: &str, most: u32) -> Result<Vec<Hit>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(words!("w.folded = $2 AND w.word = $3", "w.at DESC, w.id DESC"))
            .bind(tenant.as_str())
            .bind(folded(text))
            .bind(text)
            .bind(i64::from(most))
            .fetch_all(&mut *conn)
    )?;
    read(rows, text, |row| FoundPlace::exact(row.at, row.number))
}

/// Things on which something stands that begins so, and is not exactly this; great and small ASCII letters being the same, in
/// their order, at most so many.
pub async fn words_begin(conn: &mut Conn, tenant: &TenantId, text: &str, most: u32) -> Result<Vec<Hit>, StoreError> {
    // no text has a greater character than this
    let end = format!("{}\u{10FFFF}", folded(text));
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(words!(
            "w.folded >= $2 AND w.folded < $3 AND w.word <> $5",
            "w.folded, w.word, w.at, w.id"
        ))
        .bind(tenant.as_str())
        .bind(folded(text))
        .bind(end)
        .bind(i64::from(most))
        .bind(text)
        .fetch_all(&mut *conn)
    )?;
    read(rows, text, |row| FoundPlace::begins(&row.word, row.at, row.number))
}

/// The things whose id this is: an operation key, a suggestion or a case, or everything of an intent; at most so many, by
/// their own ids. An order's id is a word.
pub async fn ids_exact(conn: &mut Conn, tenant: &TenantId, text: &str, most: u32) -> Result<Vec<Hit>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT 'operation_key' AS what, operation_key AS word, id AS order_id, CAST(NULL AS TEXT) AS suggestion,
                    CAST(0 AS BIGINT) AS at, CAST(0 AS BIGINT) AS number
             FROM orders WHERE tenant = $1 AND operation_key = $2
             UNION ALL SELECT 'intent', intent, id, NULL, 0, 0 FROM orders WHERE tenant = $1 AND intent = $2
             UNION ALL SELECT 'intent', intent, NULL, id, 0, 0 FROM suggestions
             WHERE tenant = $1 AND intent = $2 AND state IN ('in_review', 'sent_back')
             UNION ALL SELECT 'suggestion', g.id, o.id, CASE WHEN o.id IS NULL THEN g.id END, 0, 0
             FROM suggestions g LEFT JOIN orders o ON o.suggestion = g.id WHERE g.tenant || '' = $1 AND g.id = $2
             UNION ALL SELECT 'case', id, order_id, suggestion, 0, 0 FROM cases
             WHERE tenant || '' = $1 AND id = $2 AND supplier IS NULL
             LIMIT $3"
        )
        .bind(tenant.as_str())
        .bind(text)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    let thing = |row: &Columns| {
        row.order_id
            .clone()
            .or_else(|| row.suggestion.clone())
            .unwrap_or_default()
    };
    let mut hits = read(rows, text, |row| FoundPlace::id(&thing(row)))?;
    hits.sort_by(|one, other| one.place.cmp(&other.place));
    Ok(hits)
}
