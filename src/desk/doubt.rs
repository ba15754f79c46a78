//! What bringing an order home is judged by: its attempts, both versions of the contract, look-ups and findings, gathered
//! in one place, so that screen, act and worker judge by the same facts.
//!
//! Must not: decide, or write.

use super::{Desk, DeskError, delta};
use crate::domain::attempt::ReplyWord;
use crate::domain::case::{Case, CaseKind};
use crate::domain::contract::{InDoubt, SupplierContract};
use crate::domain::look_up::{Books, Established, FindingWord, Ladder, LookedUp, Source, ladder, settled_at};
use crate::store::attempts::AttemptRow;
use crate::store::cases::{About, case_list};
use crate::store::orders::OrderRow;
use crate::store::suppliers::SupplierRow;
use crate::store::{Conn, attempts, findings, look_ups, orders, pauses, suppliers};
use crate::supplier::Supplier;
use chrono::{DateTime, TimeDelta, Utc};

/// What is known of an order at its supplier. Storing a reply needs this alone, so that no supplier's file and no secret
/// stands between an answer and its row.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub look_ups: Vec<LookedUp>,
    pub findings: Vec<Established>,
    /// A late record, or several records, wait to be judged.
    pub record_there: bool,
}

impl Known {
    /// Reads it.
    pub async fn of(conn: &mut Conn, order: &OrderRow) -> Result<Self, DeskError> {
        let cases = case_list(conn, &order.tenant, &About::Order(order.id.clone())).await?;
        let unjudged = [CaseKind::LateRecord, CaseKind::SupplierDuplicate];
        let waits = |case: &Case| case.closed_at.is_none() && unjudged.contains(&case.kind);
        Ok(Self {
            look_ups: look_ups::look_up_list(conn, &order.id).await?,
            findings: findings::finding_list(conn, &order.id).await?,
            record_there: cases.iter().any(waits),
        })
    }

    /// Whether the last thing established is that it is not there.
    pub fn was_not_found(&self) -> bool {
        let last = self.findings.iter().rev().find(|one| one.settles());
        last.is_some_and(|one| one.finding == FindingWord::NotAtSupplier)
    }

    /// Whether a record of this number was judged: it never reopens the order.
    pub fn judged(&self, reference: &str) -> bool {
        self.findings.iter().any(|one| one.judged(reference))
    }
}

/// The facts of one order.
#[derive(Debug, Clone)]
pub(super) struct DoubtFacts {
    /// The supplier's file of today.
    pub supplier: Supplier,
    pub supplier_held: bool,
    pub attempts: Vec<AttemptRow>,
    pub known: Known,
    /// From when "no record" counts.
    pub settled_at: DateTime<Utc>,
    /// The books the order was submitted to; today's, as long as it was not.
    pub books: Books,
    then: SupplierContract,
    first_send: DateTime<Utc>,
    /// After a restore: from when a look-up shows what may have been sent just before.
    pub gap_shows_at: Option<DateTime<Utc>>,
    same_scope: bool,
    later_order_live: bool,
    request_deadline: TimeDelta,
}

impl Desk {
    /// Gathers the facts of an order.
    pub(super) async fn doubt_facts(&self, conn: &mut Conn, order: &OrderRow) -> Result<DoubtFacts, DeskError> {
        let attempts = attempts::attempt_list(conn, &order.id).await?;
        let row = suppliers::supplier_fetch(conn, &order.tenant, &order.contents.supplier).await?;
        let row = row.ok_or(DeskError::Absent("supplier"))?;
        let supplier: Supplier = row.file.parse()?;
        // every window counts from the first send, also from one that was turned away (rule 9)
        let first = first_seen(&attempts);
        let then = match first {
            Some(first) if first.supplier_version != row.version => contract_of(conn, order, &row, first).await?,
            Some(_) | None => supplier.contract.clone(),
        };
        // a secret that cannot be read is not the one it was sent with
        let mac = match supplier.secret() {
            Ok(secret) => Some(self.fingerprint(conn, &order.tenant, secret.as_deref()).await?),
            Err(_) => None,
        };
        let books = supplier.books();
        let placed: Vec<_> = attempts.iter().filter(|row| may_have_been_placed(row)).collect();
        let of = |row: &AttemptRow| Books {
            base_url: row.base_url.clone(),
            account: row.account.clone(),
        };
        let request_deadline = delta(self.lengths.request_deadline);
        let last_end = last_end(&attempts).unwrap_or(order.approved_at);
        let cautious = supplier.contract.as_slow_as(&then);
        let first_send = first.map_or(order.approved_at, |first| first.attempt.started_at);
        // what was sent until the restore shows by then
        let restored_at = match order.gap_at {
            Some(_) => pauses::pause_last(conn, &order.tenant).await?,
            None => None,
        };
        let gap_shows_at = restored_at.map(|at| at + TimeDelta::seconds(cautious.look_up_lag_seconds));
        let last_end = restored_at.map_or(last_end, |at| at.max(last_end));
        Ok(DoubtFacts {
            settled_at: settled_at(&cautious, last_end, request_deadline),
            same_scope: placed
                .iter()
                .all(|row| of(row) == books && Some(&row.secret_mac) == mac.as_ref()),
            books: placed.last().map_or(books, |row| of(row)),
            // it may have been sent already in a gap that began then (rule 20)
            first_send: first_send.min(order.gap_at.unwrap_or(first_send)),
            gap_shows_at,
            supplier_held: row.held_at.is_some(),
            known: Known::of(conn, order).await?,
            later_order_live: orders::order_later_live(conn, order).await?,
            then,
            supplier,
            attempts,
            request_deadline,
        })
    }
}

impl DoubtFacts {
    /// As `may_resume` wants them.
    pub fn about(&self, order: &OrderRow) -> InDoubt<'_> {
        let mut settling = self.known.findings.iter().rev().filter(|one| one.settles());
        let by_hand = settling
            .next()
            .filter(|one| (one.source, one.finding) == (Source::Person, FindingWord::NotAtSupplier));
        InDoubt {
            state: order.life.state,
            holds: order.life.holds,
            then: &self.then,
            today: &self.supplier.contract,
            first_send: self.first_send,
            same_scope: self.same_scope,
            same_account: self.books == self.supplier.books(),
            supplier_held: self.supplier_held,
            later_order_live: self.later_order_live,
            record_there: self.known.record_there,
            found_by_hand_at: by_hand.map(|one| one.at),
            request_deadline: self.request_deadline,
            gap_shows_at: self.gap_shows_at,
        }
    }

    /// Whether an attempt leaves open doubt.
    pub fn open_doubt(&self, now: DateTime<Utc>) -> bool {
        self.attempts.iter().any(|row| row.attempt.is_doubtful(now))
    }

    /// When something was last established; from then on the ladder is climbed anew.
    pub fn last_finding(&self) -> Option<DateTime<Utc>> {
        let settling = self.known.findings.iter().filter(|one| one.settles());
        settling.map(|one| one.at).max()
    }

    /// How far "not at the supplier" is from being established.
    pub fn ladder(&self) -> Ladder {
        let from = self
            .last_finding()
            .map_or(self.settled_at, |at| at.max(self.settled_at));
        let cautious = self.supplier.contract.as_slow_as(&self.then);
        ladder(&cautious, from, &self.books, &self.known.look_ups)
    }

    /// Whether the last look-up asked the books that the order was submitted to.
    pub fn asked_the_right_books(&self) -> bool {
        self.known.look_ups.last().is_some_and(|last| last.books == self.books)
    }

    /// When the key's window ends, under both versions; nothing without a key.
    pub fn key_until(&self) -> Option<DateTime<Utc>> {
        let end = |contract: &SupplierContract| contract.key_until(self.first_send);
        let (then, today) = end(&self.then).zip(end(&self.supplier.contract))?;
        Some(then.min(today))
    }
}

async fn contract_of(
    conn: &mut Conn,
    order: &OrderRow,
    row: &SupplierRow,
    first: &AttemptRow,
) -> Result<SupplierContract, DeskError> {
    let file = suppliers::supplier_file(conn, &order.tenant, &row.id, first.supplier_version).await?;
    let file = file.ok_or(DeskError::Absent("supplier's version"))?;
    Ok(file.parse::<Supplier>()?.contract)
}

/// Whether it may have been placed, or may still be under way.
fn may_have_been_placed(row: &AttemptRow) -> bool {
    match row.attempt.reply {
        Some(ReplyWord::NotSent) => false,
        Some(ReplyWord::Accepted | ReplyWord::Acknowledged | ReplyWord::Refused | ReplyWord::Unknown) | None => true,
    }
}

/// Whether a byte of it may have reached the supplier: what was turned away was not placed, but its key was seen.
fn may_have_been_seen(row: &AttemptRow) -> bool {
    may_have_been_placed(row) || row.attempt.http_status.is_some()
}

/// The attempt whose key the supplier may have seen first: every later one carries its bytes.
pub(super) fn first_seen(attempts: &[AttemptRow]) -> Option<&AttemptRow> {
    attempts.iter().find(|row| may_have_been_seen(row))
}

/// When the last attempt ended; its lease's end when it never said so.
fn last_end(attempts: &[AttemptRow]) -> Option<DateTime<Utc>> {
    let seen = attempts.iter().filter(|row| may_have_been_seen(row));
    seen.map(|row| row.attempt.ended_at.unwrap_or(row.attempt.lease_until))
        .max()
}
