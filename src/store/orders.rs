//! Orders: frozen contents, and a life guarded by expected state and version.

use super::dialect::{self, among, ask, done};
use super::{Conn, StoreError, Written, count, kept, micros, moment, moment_if, parsed, search, to_json};
use crate::domain::contents::{Digest, OrderContents, SupplierId};
use crate::domain::ids::{IntentId, OperationKey, OrderId, PersonId, SuggestionId, TenantId};
use crate::domain::order::{Holds, Life, OrderState, ResumeWanted};
use crate::domain::suggestion::Predecessor;
use chrono::{DateTime, Utc};
use std::collections::HashSet;

/// An order as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRow {
    pub id: OrderId,
    pub tenant: TenantId,
    pub intent: IntentId,
    pub revision: u32,
    pub suggestion: SuggestionId,
    pub operation_key: OperationKey,
    pub contents: OrderContents,
    pub digest: Digest,
    pub second_purchase: bool,
    /// Predecessors that whoever approved it saw as bought, or accepted unsettled, and wanted it beside (rule 5).
    pub beside: Vec<OrderId>,
    pub approved_by: PersonId,
    pub approved_at: DateTime<Utc>,
    pub life: Life,
    pub changed_at: DateTime<Utc>,
    pub asking: Asking,
    /// The version of the supplier's file that a person last decided under; absent for orders from before it was kept.
    pub supplier_version: Option<u32>,
    /// The last event before a gap in which it may have been sent already (rule 20).
    pub gap_at: Option<DateTime<Utc>>,
}

/// When the supplier is asked about an order, and for whom. Changes nothing about the order itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asking {
    /// When the worker asks next.
    pub at: Option<DateTime<Utc>>,
    /// Who wants it asked now.
    pub by: Option<PersonId>,
    /// The supplier is being asked since then.
    pub since: Option<DateTime<Utc>>,
    /// How often it was asked since the order came into its state.
    pub asked: u32,
}

impl Asking {
    /// The worker asks at this moment, for nobody in particular.
    pub fn at(moment: DateTime<Utc>) -> Self {
        Self {
            at: Some(moment),
            ..Self::default()
        }
    }
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    tenant: String,
    intent: String,
    revision: i64,
    suggestion: String,
    operation_key: String,
    contents: String,
    digest: String,
    second_purchase: i64,
    beside: String,
    approved_by: String,
    approved_at: i64,
    state: String,
    holds: String,
    differences: i64,
    version: i64,
    supplier_reference: Option<String>,
    due_at: Option<i64>,
    sendable_since: i64,
    not_sent: i64,
    changed_at: i64,
    look_up_at: Option<i64>,
    look_up_by: Option<String>,
    look_up_since: Option<i64>,
    looked_up: i64,
    resume_at: Option<i64>,
    resume_by: Option<String>,
    supplier_version: Option<i64>,
    gap_at: Option<i64>,
}

macro_rules! order_columns {
    ($rest:literal) => {
        order_columns!("FROM orders ", $rest)
    };
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT id, tenant, intent, revision, suggestion, operation_key, contents, digest, second_purchase,
             beside, approved_by, approved_at, state, holds, differences, version, supplier_reference, due_at, sendable_since,
             not_sent, changed_at, look_up_at, look_up_by, look_up_since, looked_up, resume_at, resume_by,
             supplier_version, gap_at ",
            $from,
            $rest
        )
    };
}

fn read_life(row: &Columns) -> Result<Life, StoreError> {
    Ok(Life {
        state: OrderState::of(&row.state).ok_or_else(|| StoreError::corrupt(&row.state))?,
        holds: Holds::of(&row.holds).ok_or_else(|| StoreError::corrupt(&row.holds))?,
        differences: row.differences != 0,
        version: count(row.version)?,
        supplier_reference: row.supplier_reference.clone(),
        due_at: moment_if(row.due_at)?,
        sendable_since: moment(row.sendable_since)?,
        not_sent: u32::try_from(row.not_sent).map_err(StoreError::corrupt)?,
        resume: match row.resume_at {
            Some(at) => Some(ResumeWanted {
                by: row.resume_by.as_deref().map(parsed).transpose()?,
                at: moment(at)?,
            }),
            None => None,
        },
    })
}

fn read_asking(row: &Columns) -> Result<Asking, StoreError> {
    Ok(Asking {
        at: moment_if(row.look_up_at)?,
        by: row.look_up_by.as_deref().map(parsed).transpose()?,
        since: moment_if(row.look_up_since)?,
        asked: u32::try_from(row.looked_up).map_err(StoreError::corrupt)?,
    })
}

fn read(row: Columns) -> Result<OrderRow, StoreError> {
    let digest: Digest = parsed(&row.digest)?;
    if Digest::of(row.contents.as_bytes()) != digest {
        return Err(StoreError::corrupt(format!(
            "the frozen contents of {} do not match their digest",
            row.id
        )));
    }
    Ok(OrderRow {
        life: read_life(&row)?,
        asking: read_asking(&row)?,
        supplier_version: row
            .supplier_version
            .map(|version| u32::try_from(version).map_err(StoreError::corrupt))
            .transpose()?,
        gap_at: moment_if(row.gap_at)?,
        id: parsed(&row.id)?,
        tenant: parsed(&row.tenant)?,
        intent: parsed(&row.intent)?,
        revision: u32::try_from(row.revision).map_err(StoreError::corrupt)?,
        suggestion: parsed(&row.suggestion)?,
        operation_key: parsed(&row.operation_key)?,
        contents: OrderContents::thaw(row.contents.as_bytes()).map_err(StoreError::corrupt)?,
        digest,
        second_purchase: row.second_purchase != 0,
        beside: row.beside.split_whitespace().map(parsed).collect::<Result<_, _>>()?,
        approved_by: parsed(&row.approved_by)?,
        approved_at: moment(row.approved_at)?,
        changed_at: moment(row.changed_at)?,
    })
}

fn read_all(rows: Vec<Columns>) -> Result<Vec<OrderRow>, StoreError> {
    rows.into_iter().map(read).collect()
}

/// Keeps a new order. A second order of the same intent and revision is `is_taken()`.
pub async fn order_add(conn: &mut Conn, order: &OrderRow) -> Result<(), StoreError> {
    let contents = String::from_utf8(order.contents.normal_form()).map_err(StoreError::corrupt)?;
    let total = order.contents.total();
    done!(
        conn,
        sqlx::query(
            "INSERT INTO orders (id, tenant, intent, revision, suggestion, supplier, operation_key, contents, digest,
                             look_alike_key, second_purchase, approved_by, approved_at, state, holds, version, due_at,
                             sendable_since, changed_at, supplier_version, look_up_at, gap_at, currency, total,
                             beside)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                 $23, $24, $25)",
        )
        .bind(order.id.as_str())
        .bind(order.tenant.as_str())
        .bind(order.intent.as_str())
        .bind(i64::from(order.revision))
        .bind(order.suggestion.as_str())
        .bind(order.contents.supplier.as_str())
        .bind(order.operation_key.to_string())
        .bind(contents)
        .bind(order.digest.as_str())
        .bind(order.contents.look_alike_key())
        .bind(i64::from(order.second_purchase))
        .bind(order.approved_by.as_str())
        .bind(micros(order.approved_at))
        .bind(order.life.state.word())
        .bind(order.life.holds.to_text())
        .bind(kept(order.life.version)?)
        .bind(order.life.due_at.map(micros))
        .bind(micros(order.life.sendable_since))
        .bind(micros(order.changed_at))
        .bind(order.supplier_version.map(i64::from))
        .bind(order.asking.at.map(micros))
        .bind(order.gap_at.map(micros))
        .bind(total.currency().code())
        .bind(total.amount().to_string())
        .bind(order.beside.iter().map(OrderId::as_str).collect::<Vec<_>>().join(" "))
        .execute(&mut *conn)
    )?;
    search::order_id_add(conn, &order.tenant, &order.id, order.approved_at).await
}

/// A person decided about the order under this version of the supplier's file.
pub async fn order_decided_under(conn: &mut Conn, id: &OrderId, version: u32) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE orders SET supplier_version = $1 WHERE id = $2")
            .bind(i64::from(version))
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Writes an order's new life, if it still is in the state and version that the change was made from.
pub async fn order_record(
    conn: &mut Conn,
    id: &OrderId,
    expected: &Life,
    life: &Life,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE orders SET state = $1, holds = $2, differences = $3, version = $4, supplier_reference = $5,
                           due_at = $6, sendable_since = $7, not_sent = $8, changed_at = $9, resume_at = $10,
                           resume_by = $11,
                           acknowledged_at = CASE WHEN $1 <> 'acknowledged' THEN NULL
                                                  WHEN state = 'acknowledged' THEN acknowledged_at
                                                  ELSE $9 END
         WHERE id = $12 AND state = $13 AND version = $14",
        )
        .bind(life.state.word())
        .bind(life.holds.to_text())
        .bind(i64::from(life.differences))
        .bind(kept(life.version)?)
        .bind(&life.supplier_reference)
        .bind(life.due_at.map(micros))
        .bind(micros(life.sendable_since))
        .bind(i64::from(life.not_sent))
        .bind(micros(now))
        .bind(life.resume.as_ref().map(|wanted| micros(wanted.at)))
        .bind(
            life.resume
                .as_ref()
                .and_then(|wanted| wanted.by.as_ref())
                .map(PersonId::as_str)
        )
        .bind(id.as_str())
        .bind(expected.state.word())
        .bind(kept(expected.version)?)
        .execute(&mut *conn)
    )?;
    let written = Written::of(done);
    match &life.supplier_reference {
        Some(reference) if written == Written::Done && expected.supplier_reference != life.supplier_reference => {
            search::reference_add(conn, id, reference, now).await?;
        }
        Some(_) | None => {}
    }
    Ok(written)
}

/// One order of the tenant.
pub async fn order_fetch(conn: &mut Conn, tenant: &TenantId, id: &OrderId) -> Result<Option<OrderRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!("WHERE tenant = $1 AND id = $2"))
            .bind(tenant.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// The order a suggestion became.
pub async fn order_of_suggestion(conn: &mut Conn, suggestion: &SuggestionId) -> Result<Option<OrderRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!("WHERE suggestion = $1"))
            .bind(suggestion.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// The latest order of an intent.
pub async fn order_latest(
    conn: &mut Conn,
    tenant: &TenantId,
    intent: &IntentId,
) -> Result<Option<OrderRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!(
            "WHERE tenant = $1 AND intent = $2 ORDER BY revision DESC LIMIT 1"
        ))
        .bind(tenant.as_str())
        .bind(intent.as_str())
        .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// Every order of an intent, oldest first.
pub async fn order_of_intent(
    conn: &mut Conn,
    tenant: &TenantId,
    intent: &IntentId,
) -> Result<Vec<OrderRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!("WHERE tenant = $1 AND intent = $2 ORDER BY revision"))
            .bind(tenant.as_str())
            .bind(intent.as_str())
            .fetch_all(&mut *conn)
    )?;
    read_all(rows)
}

/// The earlier orders of an intent, before this revision, as approval sees them.
pub async fn order_predecessors(
    conn: &mut Conn,
    tenant: &TenantId,
    intent: &IntentId,
    revision: u32,
) -> Result<Vec<Predecessor>, StoreError> {
    let rows: Vec<(String, String, i64)> = ask!(conn, sqlx::query_as(
        "SELECT id, state, version FROM orders WHERE tenant = $1 AND intent = $2 AND revision < $3 ORDER BY revision",
    )
    .bind(tenant.as_str())
    .bind(intent.as_str())
    .bind(i64::from(revision))
    .fetch_all(&mut *conn))?;
    let predecessor = |(id, state, version): (String, String, i64)| {
        let state = OrderState::of(&state).ok_or_else(|| StoreError::corrupt(&state))?;
        Ok(Predecessor {
            order: parsed(&id)?,
            state,
            version: count(version)?,
        })
    };
    rows.into_iter().map(predecessor).collect()
}

/// Later orders of the same intent that nobody has sent, oldest first.
pub async fn order_successors_unsent(conn: &mut Conn, order: &OrderRow) -> Result<Vec<OrderRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!(
            "WHERE tenant = $1 AND intent = $2 AND revision > $3 AND state = 'approved' ORDER BY revision"
        ))
        .bind(order.tenant.as_str())
        .bind(order.intent.as_str())
        .bind(i64::from(order.revision))
        .fetch_all(&mut *conn)
    )?;
    read_all(rows)
}

/// These predecessors are wanted beside the order: it is not held for them any more.
pub async fn order_beside(conn: &mut Conn, order: &OrderRow, predecessors: &[OrderId]) -> Result<(), StoreError> {
    let all: Vec<&str> = order.beside.iter().chain(predecessors).map(OrderId::as_str).collect();
    done!(
        conn,
        sqlx::query("UPDATE orders SET beside = $1 WHERE tenant = $2 AND id = $3")
            .bind(all.join(" "))
            .bind(order.tenant.as_str())
            .bind(order.id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Whether a later order of the intent is live (rule 5).
pub async fn order_later_live(conn: &mut Conn, order: &OrderRow) -> Result<bool, StoreError> {
    let found: Option<i64> = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT CAST(1 AS BIGINT) FROM orders WHERE tenant = $1 AND intent = $2 AND revision > $3
         AND state NOT IN ('refused', 'withdrawn') LIMIT 1",
        )
        .bind(order.tenant.as_str())
        .bind(order.intent.as_str())
        .bind(i64::from(order.revision))
        .fetch_optional(&mut *conn)
    )?;
    Ok(found.is_some())
}

/// Orders with the same look-alike key that are not final, or were approved since `since`; newest first.
pub async fn order_look_alikes(
    conn: &mut Conn,
    tenant: &TenantId,
    key: &str,
    intent: &IntentId,
    since: DateTime<Utc>,
) -> Result<Vec<OrderRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!(
            "WHERE tenant = $1 AND look_alike_key = $2 AND intent <> $3
         AND (approved_at >= $4 OR state IN ('approved', 'submitting', 'acknowledged', 'confirmation_pending'))
         ORDER BY approved_at DESC LIMIT 20"
        ))
        .bind(tenant.as_str())
        .bind(key)
        .bind(intent.as_str())
        .bind(micros(since))
        .fetch_all(&mut *conn)
    )?;
    read_all(rows)
}

/// Orders that the worker may send now, longest due first, at most `most`. The claim itself is the guarded write.
///
/// `busy` names suppliers that have their share of requests under way, as `|tenant/supplier|tenant/supplier|`.
pub async fn order_due(
    conn: &mut Conn,
    busy: &str,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<(TenantId, OrderId)>, StoreError> {
    let rows = dialect::due(conn, busy, micros(now), i64::from(most)).await?;
    ids(&rows)
}

/// How many orders there are, whatever their state.
pub async fn order_total(conn: &mut Conn) -> Result<u64, StoreError> {
    let number: i64 = ask!(
        conn,
        sqlx::query_scalar("SELECT count(*) FROM orders").fetch_one(&mut *conn)
    )?;
    count(number)
}

/// Orders that a person asked to send once more and whose supplier is not on hold, longest waiting first.
pub async fn order_resume_due(conn: &mut Conn, busy: &str, most: u32) -> Result<Vec<(TenantId, OrderId)>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT o.tenant, o.id FROM orders o
         WHERE o.resume_at IS NOT NULL AND replace($1, '|' || o.tenant || '/' || o.supplier || '|', '') = $1
         AND NOT EXISTS (SELECT 1 FROM suppliers s
                         WHERE s.tenant = o.tenant AND s.id = o.supplier AND s.held_at IS NOT NULL)
         ORDER BY o.resume_at LIMIT $2",
        )
        .bind(busy)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    ids(&rows)
}

/// Orders whose request to resume is older than `before`, oldest first.
pub async fn order_resume_void(
    conn: &mut Conn,
    before: DateTime<Utc>,
    most: u32,
) -> Result<Vec<(TenantId, OrderId)>, StoreError> {
    let rows: Vec<(String, String)> =
        ask!(conn, sqlx::query_as(
        "SELECT tenant, id FROM orders WHERE resume_at IS NOT NULL AND resume_at < $1 ORDER BY resume_at LIMIT $2",
    )
    .bind(micros(before))
    .bind(i64::from(most))
    .fetch_all(&mut *conn))?;
    ids(&rows)
}

/// Acknowledged orders of a supplier that were so before `cutoff` and have no open case about it, at most `most`.
pub async fn order_acknowledged_before(
    conn: &mut Conn,
    tenant: &TenantId,
    supplier: &SupplierId,
    cutoff: DateTime<Utc>,
    most: u32,
) -> Result<Vec<OrderId>, StoreError> {
    let rows: Vec<String> = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT o.id FROM orders o
         WHERE o.tenant = $1 AND o.supplier = $2 AND o.state = 'acknowledged' AND o.acknowledged_at <= $3
         AND NOT EXISTS (SELECT 1 FROM cases c
                         WHERE c.order_id = o.id AND c.kind = 'acknowledged_late' AND c.closed_at IS NULL)
         ORDER BY o.acknowledged_at LIMIT $4",
        )
        .bind(tenant.as_str())
        .bind(supplier.as_str())
        .bind(micros(cutoff))
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    rows.iter().map(|id| parsed(id)).collect()
}

/// Sets when the supplier is asked about an order, and for whom. No version moves: asking changes nothing.
pub async fn order_ask(conn: &mut Conn, id: &OrderId, asking: &Asking) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "UPDATE orders SET look_up_at = $1, look_up_by = $2, look_up_since = $3, looked_up = $4 WHERE id = $5"
        )
        .bind(asking.at.map(micros))
        .bind(asking.by.as_ref().map(PersonId::as_str))
        .bind(asking.since.map(micros))
        .bind(i64::from(asking.asked))
        .bind(id.as_str())
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// Orders to be asked about now, longest due first. `busy` as in `order_due`.
pub async fn order_ask_due(
    conn: &mut Conn,
    busy: &str,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<(TenantId, OrderId)>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT o.tenant, o.id FROM orders o
         WHERE o.look_up_at <= $1 AND replace($2, '|' || o.tenant || '/' || o.supplier || '|', '') = $2
         AND NOT EXISTS (SELECT 1 FROM suppliers s
                         WHERE s.tenant = o.tenant AND s.id = o.supplier AND s.next_look_up_at > $1)
         ORDER BY o.look_up_at LIMIT $3",
        )
        .bind(micros(now))
        .bind(busy)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    ids(&rows)
}

/// The first of these orders of one tenant that may still be sent; its row is locked where the database locks rows.
pub async fn order_first_due(
    conn: &mut Conn,
    orders: &[OrderId],
    now: DateTime<Utc>,
) -> Result<Option<OrderId>, StoreError> {
    let first = dialect::first_due(conn, &texts(orders), micros(now)).await?;
    first.as_deref().map(parsed).transpose()
}

/// As `order_first_due`, of orders to be asked about.
pub async fn order_first_asked(
    conn: &mut Conn,
    orders: &[OrderId],
    now: DateTime<Utc>,
) -> Result<Option<OrderId>, StoreError> {
    let first = dialect::first_asked(conn, &texts(orders), micros(now)).await?;
    first.as_deref().map(parsed).transpose()
}

fn texts(orders: &[OrderId]) -> Vec<String> {
    orders.iter().map(OrderId::to_string).collect()
}

fn ids(rows: &[(String, String)]) -> Result<Vec<(TenantId, OrderId)>, StoreError> {
    rows.iter()
        .map(|(tenant, id)| Ok((parsed(tenant)?, parsed(id)?)))
        .collect()
}

/// Whether there is any order at all, of any tenant.
pub async fn order_exists(conn: &mut Conn) -> Result<bool, StoreError> {
    let found: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT CAST(1 AS BIGINT) FROM orders LIMIT 1").fetch_optional(&mut *conn)
    )?;
    Ok(found.is_some())
}

/// The tenant's approved orders, oldest first.
pub async fn order_unfinished(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<OrderRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!(
            "WHERE tenant = $1 AND state IN ('approved', 'submitting', 'acknowledged', 'confirmation_pending')
             ORDER BY approved_at, id"
        ))
        .bind(tenant.as_str())
        .fetch_all(&mut *conn)
    )?;
    read_all(rows)
}

/// The order may have been sent already in a gap that began then. An earlier gap stays.
pub async fn order_gap(conn: &mut Conn, id: &OrderId, gap_at: DateTime<Utc>) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE orders SET gap_at = $1 WHERE id = $2 AND (gap_at IS NULL OR gap_at > $1)")
            .bind(micros(gap_at))
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// How many orders from before a gap are held after the restore.
pub async fn order_held_from_before(
    conn: &mut Conn,
    tenant: &TenantId,
    gap_at: DateTime<Utc>,
) -> Result<u64, StoreError> {
    let held: i64 = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT count(*) FROM orders
         WHERE tenant = $1 AND state = 'approved' AND approved_at <= $2 AND holds LIKE '%restore%'"
        )
        .bind(tenant.as_str())
        .bind(micros(gap_at))
        .fetch_one(&mut *conn)
    )?;
    count(held)
}

/// Approved orders of a supplier, oldest first.
pub async fn order_of_supplier(
    conn: &mut Conn,
    tenant: &TenantId,
    supplier: &str,
) -> Result<Vec<OrderRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(order_columns!(
            "WHERE tenant = $1 AND state = 'approved' AND supplier = $2 ORDER BY approved_at, id"
        ))
        .bind(tenant.as_str())
        .bind(supplier)
        .fetch_all(&mut *conn)
    )?;
    read_all(rows)
}

/// Approved orders of a supplier that wait since `before` and are not held for it yet, at most `most`.
pub async fn order_waiting_since(
    conn: &mut Conn,
    tenant: &TenantId,
    supplier: &SupplierId,
    before: DateTime<Utc>,
    most: u32,
) -> Result<Vec<OrderId>, StoreError> {
    let rows: Vec<String> =
        ask!(conn, sqlx::query_scalar(
        "SELECT id FROM orders WHERE tenant = $1 AND state = 'approved' AND supplier = $2 AND sendable_since <= $3
         AND holds NOT LIKE '%too_old%' ORDER BY sendable_since LIMIT $4",
    )
    .bind(tenant.as_str())
    .bind(supplier.as_str())
    .bind(micros(before))
    .bind(i64::from(most))
    .fetch_all(&mut *conn))?;
    rows.iter().map(|id| parsed(id)).collect()
}

/// Which orders a list asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderFilter {
    pub state: Option<OrderState>,
    pub supplier: Option<SupplierId>,
    /// Owner of an open case.
    pub owner: Option<PersonId>,
    /// The last order of the page before.
    pub after: Option<(DateTime<Utc>, OrderId)>,
}

/// The end of every list: no order is approved later than this.
const NEWEST: (i64, &str) = (i64::MAX, "");

/// Those of these orders that were ever in doubt: of which there are look-ups or findings. Most never were.
pub async fn ever_in_doubt(conn: &mut Conn, orders: &[&OrderId]) -> Result<HashSet<OrderId>, StoreError> {
    let statement = among!(
        conn,
        "SELECT o.id FROM orders o WHERE o.id",
        "AND (EXISTS (SELECT 1 FROM look_ups l WHERE l.order_id = o.id)
              OR EXISTS (SELECT 1 FROM findings f WHERE f.order_id = o.id))"
    );
    let orders = to_json(&orders)?;
    let doubted: Vec<String> = ask!(conn, sqlx::query_scalar(statement).bind(orders).fetch_all(&mut *conn))?;
    doubted.iter().map(|order| parsed(order)).collect()
}

/// A page of orders, newest first. The key is (approved_at, id) and each shape of filter has its own statement and
/// index, so that cost grows neither with the page's number nor with history.
pub async fn order_page(
    conn: &mut Conn,
    tenant: &TenantId,
    filter: &OrderFilter,
    limit: u32,
) -> Result<Vec<OrderRow>, StoreError> {
    let statement = match (filter.state, &filter.supplier, &filter.owner) {
        // what somebody owns is open, and so little; SQLite reads tables that are crossed from left to right
        (_, _, Some(_)) => order_columns!(
            "FROM (SELECT DISTINCT order_id FROM cases
                   WHERE closed_at IS NULL AND owner = $6 AND order_id IS NOT NULL) owned CROSS JOIN orders ",
            "WHERE id = owned.order_id AND tenant = $1 AND (approved_at, id) < ($3, $4)
             AND ($2 IS NULL OR state = $2) AND ($5 IS NULL OR supplier = $5)
             ORDER BY approved_at DESC, id DESC LIMIT $7"
        ),
        (Some(_), Some(_), None) => order_columns!(
            "WHERE tenant = $1 AND state = $2 AND (approved_at, id) < ($3, $4) AND supplier = $5 AND $6 IS NULL
             ORDER BY approved_at DESC, id DESC LIMIT $7"
        ),
        (Some(_), None, None) => order_columns!(
            "WHERE tenant = $1 AND state = $2 AND (approved_at, id) < ($3, $4) AND $5 IS NULL AND $6 IS NULL
             ORDER BY approved_at DESC, id DESC LIMIT $7"
        ),
        (None, Some(_), None) => order_columns!(
            "WHERE tenant = $1 AND $2 IS NULL AND (approved_at, id) < ($3, $4) AND supplier = $5 AND $6 IS NULL
             ORDER BY approved_at DESC, id DESC LIMIT $7"
        ),
        (None, None, None) => order_columns!(
            "WHERE tenant = $1 AND $2 IS NULL AND (approved_at, id) < ($3, $4) AND $5 IS NULL AND $6 IS NULL
             ORDER BY approved_at DESC, id DESC LIMIT $7"
        ),
    };
    let after = filter
        .after
        .as_ref()
        .map_or(NEWEST, |(at, id)| (micros(*at), id.as_str()));
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(statement)
            .bind(tenant.as_str())
            .bind(filter.state.map(OrderState::word))
            .bind(after.0)
            .bind(after.1)
            .bind(filter.supplier.as_ref().map(SupplierId::as_str))
            .bind(filter.owner.as_ref().map(PersonId::as_str))
            .bind(i64::from(limit))
            .fetch_all(&mut *conn)
    )?;
    read_all(rows)
}
