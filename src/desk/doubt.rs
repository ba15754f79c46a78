//! Reads what bringing an order home is judged by: its attempts, both versions of the contract, look-ups and findings.
//!
//! Must not: decide (`domain::doubt` does), or write.

use super::{Desk, DeskError, delta};
use crate::domain::attempt::{Tried, first_seen};
use crate::domain::case::{Case, CaseKind};
use crate::domain::contract::SupplierContract;
use crate::domain::doubt::{DoubtFacts, Known, Today};
use crate::domain::look_up::FindingWord;
use crate::domain::suggestion::{StandsBefore, stands_before};
use crate::store::cases::{About, case_list};
use crate::store::orders::OrderRow;
use crate::store::suppliers::SupplierRow;
use crate::store::{Conn, attempts, findings, judgements, look_ups, orders, pauses, second_person, suppliers};
use crate::supplier::Supplier;

/// What is known of an order at its supplier.
pub(super) async fn known(conn: &mut Conn, order: &OrderRow) -> Result<Known, DeskError> {
    let cases = case_list(conn, &order.tenant, &About::Order(order.id.clone())).await?;
    let unjudged = [CaseKind::LateRecord, CaseKind::SupplierDuplicate];
    let waits = |case: &Case| case.closed_at.is_none() && unjudged.contains(&case.kind);
    // a person says that they have it, and a second one has not confirmed it yet
    let proposed = second_person::proposal_open(conn, &order.id, order.life.version).await?;
    let is_said_there = proposed.is_some_and(|one| one.finding == FindingWord::AtSupplier);
    Ok(Known {
        look_ups: look_ups::look_up_list(conn, &order.id).await?,
        findings: findings::finding_list(conn, &order.id).await?,
        judgements: judgements::judgement_list(conn, &order.id).await?,
        record_there: is_said_there || cases.iter().any(waits),
    })
}

/// What stands before an order of its predecessors (rule 5).
pub(super) async fn before(conn: &mut Conn, order: &OrderRow) -> Result<StandsBefore, DeskError> {
    let predecessors = orders::order_predecessors(conn, &order.tenant, &order.intent, order.revision).await?;
    Ok(stands_before(&predecessors, &order.beside))
}

impl Desk {
    /// Gathers the facts of an order.
    pub(super) async fn doubt_facts(&self, conn: &mut Conn, order: &OrderRow) -> Result<DoubtFacts, DeskError> {
        let tried = attempts::attempt_list(conn, &order.id).await?;
        let row = suppliers::supplier_fetch(conn, &order.tenant, &order.contents.supplier).await?;
        let row = row.ok_or(DeskError::Absent("supplier"))?;
        let supplier: Supplier = row.file.parse()?;
        let then = match first_seen(&tried) {
            Some(first) if first.supplier_version != row.version => contract_of(conn, order, &row, first).await?,
            Some(_) | None => supplier.contract.clone(),
        };
        // a secret that cannot be read is not the one it was sent with
        let secret_mac = match supplier.secret() {
            Ok(secret) => Some(self.fingerprint(conn, &order.tenant, secret.as_deref()).await?),
            Err(_) => None,
        };
        // what was sent until the restore shows by then
        let restored_at = match order.gap_at {
            Some(_) => pauses::pause_last(conn, &order.tenant).await?,
            None => None,
        };
        Ok(DoubtFacts {
            today: Today {
                books: supplier.books(),
                contract: supplier.contract,
                secret_mac,
                held: row.held_at.is_some(),
            },
            then,
            tried,
            known: known(conn, order).await?,
            approved_at: order.approved_at,
            gap_at: order.gap_at,
            restored_at,
            is_paused: pauses::pause_open(conn, &order.tenant).await?.is_some(),
            later_order_live: orders::order_later_live(conn, order).await?,
            before: before(conn, order).await?,
            request_deadline: delta(self.lengths.request_deadline),
        })
    }
}

async fn contract_of(
    conn: &mut Conn,
    order: &OrderRow,
    row: &SupplierRow,
    first: &Tried,
) -> Result<SupplierContract, DeskError> {
    let file = suppliers::supplier_file(conn, &order.tenant, &row.id, first.supplier_version).await?;
    let file = file.ok_or(DeskError::Absent("supplier's version"))?;
    Ok(file.parse::<Supplier>()?.contract)
}
