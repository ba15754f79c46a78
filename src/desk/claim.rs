//! Claiming an order to be sent: who gets it, whether it may go now, and its attempt, committed before its first byte.
//!
//! Promises: of all workers on the database one claims an order, and the others pass it over; whether it may be sent is
//! judged in the transaction that opens the attempt; an attempt that may not be kept is never sent. Must not: talk to a
//! supplier, or claim an order that is held, overtaken, or in doubt without a request that `may_resume` allows.

use super::again::again;
use super::record::Act;
use super::{Desk, DeskError, clock};
use crate::config::StopPoint;
use crate::domain::attempt::first_seen;
use crate::domain::case::{CaseKind, CaseStep};
use crate::domain::classify::Before;
use crate::domain::contents::SupplierId;
use crate::domain::doubt::{Opening, before};
use crate::domain::event::{Actor, Happening};
use crate::domain::ids::{AttemptId, OrderId, TenantId};
use crate::domain::order::{self, BeforeAttempt, Hold, OrderState};
use crate::domain::resume::NotResumed;
use crate::store::attempts::{NewAttempt, NewStep};
use crate::store::orders::{Asking, OrderRow};
use crate::store::suppliers::SupplierRow;
use crate::store::{Conn, Transaction, Written, attempts, orders, suppliers, tenants};
use crate::supplier::{Purchase, Step, Supplier};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::time::Duration;

/// Due orders looked at in one claim; those that cannot be claimed are not looked at again before the next.
const LOOK_AT: u32 = 32;
/// Looks at the database in one claim: as many as new connections could ask for, and not for ever.
const MOST_LOOKS: u32 = 20;
/// So long after its lease the reply of an attempt is given up, should the database be away until then.
const LONG_OVER: Duration = Duration::from_secs(60 * 60);

/// An order whose attempt is committed, and whose first byte has not left.
#[derive(Debug)]
pub struct Claimed {
    pub tenant: TenantId,
    pub order: OrderId,
    pub attempt: AttemptId,
    pub supplier_id: SupplierId,
    pub(super) supplier: Supplier,
    pub(super) operation_key: String,
    pub(super) step: Step,
    /// What its answer is sorted by.
    pub(super) before: Before,
    /// On the clock that counts sleep: past this, nothing is sent.
    pub(super) send_by: Duration,
    /// On the same clock: until then its reply is worth storing, also while the database is away.
    pub(super) store_until: Duration,
    /// The database said that the attempt is kept. If its answer was lost, nobody knows, and nothing is sent.
    pub(super) is_kept: bool,
}

/// What became of the order whose turn it was.
struct Turn {
    order: OrderId,
    came: Result<Result<Claimed, NotClaimed>, DeskError>,
}

/// Why an order was not claimed, and what was done about it.
enum NotClaimed {
    /// Somebody was faster, it is no longer due, or it waits for its supplier's release or a look-up.
    Overtaken,
    /// The supplier's file or secret cannot be used; the supplier went on hold.
    SupplierHeld,
    /// It is not safe to send it once more; whoever asked is told.
    Dropped,
    /// It is looked up first, right before the send.
    AsksFirst,
    /// The supplier's address is not the one it was approved for: a person looks first (case C11).
    Moved,
}

/// Everything that sending an order needs.
struct Ready {
    supplier: Supplier,
    step: Step,
    secret: Option<String>,
}

impl Desk {
    /// Claims an order to be sent, those that a person wants sent once more first: opens its attempt and commits it.
    /// `busy` as in `order_due`.
    pub async fn claim(&self, busy: &str) -> Result<Option<Claimed>, DeskError> {
        for _ in 0..MOST_LOOKS {
            self.look_if_connected_anew().await?;
            let claimed = self.claim_known(busy).await?;
            // a connection that was made meanwhile is looked at, and what it kept from being claimed is claimed now: nobody
            // else may wake this worker for it
            if claimed.is_some() || !self.must_look() {
                return Ok(claimed);
            }
        }
        tracing::error!("the database was looked at {MOST_LOOKS} times and is still not the one that was looked at");
        Ok(None)
    }

    async fn claim_known(&self, busy: &str) -> Result<Option<Claimed>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let mut due = orders::order_resume_due(&mut read, busy, LOOK_AT).await?;
        due.extend(orders::order_due(&mut read, busy, clock::now(), LOOK_AT).await?);
        drop(read);
        for (tenant, mut left) in by_tenant(due) {
            while !left.is_empty() {
                let Some(turn) = again(|| self.take_turn(&tenant, &left)).await? else {
                    break;
                };
                // those before it are gone, or in somebody else's hand
                let place = left.iter().position(|id| *id == turn.order);
                left.drain(..=place.unwrap_or(left.len() - 1));
                match turn.came {
                    Ok(Ok(claimed)) => return Ok(Some(claimed)),
                    Ok(Err(
                        NotClaimed::Overtaken
                        | NotClaimed::SupplierHeld
                        | NotClaimed::Dropped
                        | NotClaimed::AsksFirst
                        | NotClaimed::Moved,
                    )) => {}
                    // one order that cannot be read must not keep the others from being sent
                    Err(error) => tracing::error!(order = %turn.order, "this order could not be claimed: {error}"),
                }
            }
        }
        Ok(None)
    }

    /// Waits for the tenant's turn, and takes the first of these orders that then still is due.
    async fn take_turn(&self, tenant: &TenantId, orders: &[OrderId]) -> Result<Option<Turn>, DeskError> {
        self.reach(StopPoint::BeforeAttempt).await;
        let mut tx = self.store.begin_write_in(tenant).await?;
        // this very connection may be a new one, and what is behind it another database (rule 20)
        if self.must_look() || !self.is_known(&mut tx, tenant).await? {
            return Ok(None);
        }
        let Some(order) = orders::order_first_due(&mut tx, orders, clock::now()).await? else {
            return Ok(None);
        };
        match self.claim_in(tx, tenant, &order).await {
            // no fault of the order
            Err(error @ (DeskError::Crossed(_) | DeskError::Away(_))) => Err(error),
            came => Ok(Some(Turn { order, came })),
        }
    }

    /// Claims this order of the tenant that the transaction has locked.
    async fn claim_in(
        &self,
        mut tx: Transaction,
        tenant: &TenantId,
        id: &OrderId,
    ) -> Result<Result<Claimed, NotClaimed>, DeskError> {
        let Some(order) = orders::order_fetch(&mut tx, tenant, id).await? else {
            return Ok(Err(NotClaimed::Overtaken));
        };
        let row = suppliers::supplier_fetch(&mut tx, tenant, &order.contents.supplier).await?;
        let row = row.ok_or(DeskError::Absent("supplier"))?;
        if row.held_at.is_some() {
            return Ok(Err(NotClaimed::Overtaken));
        }
        let outcome = match ready(&row, &order) {
            Ok(ready) if order.life.resume.is_some() => self.open_resumed(&mut tx, order, &row, ready).await?,
            Ok(ready) if self.has_moved(&mut tx, &order, &row, &ready).await? => {
                self.hold_moved(&mut tx, &order).await?;
                Err(NotClaimed::Moved)
            }
            Ok(ready) => self.open(&mut tx, order, &row, ready, false).await?,
            Err(fault) => {
                let reason = format!("the supplier cannot be used: {fault}");
                let now = clock::now();
                let worker = Actor::Worker;
                let hold = self
                    .supplier_hold_in(&mut tx, tenant, &row.id, &reason, &worker, now)
                    .await?;
                tracing::error!(%tenant, supplier = %row.id, ?hold, "{reason}");
                Err(NotClaimed::SupplierHeld)
            }
        };
        match outcome {
            Ok(claimed) => Ok(Ok(keep_claim(tx, claimed).await?)),
            Err(why @ (NotClaimed::SupplierHeld | NotClaimed::Dropped | NotClaimed::AsksFirst | NotClaimed::Moved)) => {
                tx.commit().await?;
                Ok(Err(why))
            }
            Err(NotClaimed::Overtaken) => Ok(Err(NotClaimed::Overtaken)),
        }
    }

    /// Whether the supplier's address changed since a person decided about an order that nobody has sent.
    async fn has_moved(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        row: &SupplierRow,
        ready: &Ready,
    ) -> Result<bool, DeskError> {
        let Some(version) = order.supplier_version.filter(|version| *version != row.version) else {
            return Ok(false);
        };
        let tried = attempts::attempt_list(conn, &order.id).await?;
        if let Some(seen) = first_seen(&tried) {
            return Ok(seen.books.base_url != ready.supplier.base_url());
        }
        let file = suppliers::supplier_file(conn, &order.tenant, &row.id, version).await?;
        let decided: Supplier = file.ok_or(DeskError::Absent("supplier's version"))?.parse()?;
        Ok(decided.submit_url() != ready.supplier.submit_url())
    }

    async fn hold_moved(&self, conn: &mut Conn, order: &OrderRow) -> Result<(), DeskError> {
        let reason = "the supplier’s address changed after the approval; somebody has to look before it is sent there";
        let mut change = order::hold(&order.life, Hold::Person)?;
        change.cases.push(CaseStep::Open {
            kind: CaseKind::NotSent,
            reason: reason.to_owned(),
        });
        let happening = Happening::OrderHeld {
            hold: Hold::Person,
            reason: reason.to_owned(),
        };
        self.record_now(conn, order, &change, Act::by(&Actor::Worker, happening, clock::now()))
            .await
    }

    /// A person wants it sent once more: judged again, in this very transaction (rule 9).
    async fn open_resumed(
        &self,
        conn: &mut Conn,
        order: OrderRow,
        row: &SupplierRow,
        ready: Ready,
    ) -> Result<Result<Claimed, NotClaimed>, DeskError> {
        let now = clock::now();
        let facts = self.doubt_facts(conn, &order).await?;
        match facts.opening(&order.life, now) {
            Opening::Send => self.open(conn, order, row, ready, true).await,
            Opening::AskFirst => Ok(Err(self.ask_first(conn, &order, now).await?)),
            Opening::Drop(why) => {
                self.drop_resume(conn, &order, NotResumed::Unsafe(why), now).await?;
                Ok(Err(NotClaimed::Dropped))
            }
        }
    }

    /// Has the supplier asked right before the send, unless it is being asked.
    async fn ask_first(&self, conn: &mut Conn, order: &OrderRow, now: DateTime<Utc>) -> Result<NotClaimed, DeskError> {
        let is_under_way = order.asking.since.is_some() && order.asking.at.is_some_and(|at| at > now);
        let is_due = order.asking.at.is_some_and(|at| at <= now);
        if is_under_way || is_due {
            return Ok(NotClaimed::Overtaken);
        }
        let asking = Asking {
            at: Some(now),
            by: order.life.resume.as_ref().and_then(|wanted| wanted.by.clone()),
            since: None,
            ..order.asking
        };
        orders::order_ask(conn, &order.id, &asking).await?;
        Ok(NotClaimed::AsksFirst)
    }

    /// Opens the attempt. From its commit on, nobody else sends this order.
    async fn open(
        &self,
        conn: &mut Conn,
        order: OrderRow,
        row: &SupplierRow,
        ready: Ready,
        resume_granted: bool,
    ) -> Result<Result<Claimed, NotClaimed>, DeskError> {
        let now = clock::now();
        let Ready {
            supplier,
            mut step,
            secret,
        } = ready;
        let tried: Vec<_> = attempts::attempt_list(conn, &order.id).await?;
        if let Some(seen) = first_seen(&tried) {
            // a key that was seen goes with the bytes it was seen with, and to where it was seen, whatever the supplier's
            // file says by now (case C11)
            let NewStep { method, url, body } = attempts::attempt_step(conn, &seen.attempt.id).await?;
            step = Step { method, url, body };
        }
        let standing = BeforeAttempt {
            open_doubt: tried.iter().any(|row| row.attempt.is_doubtful(now)),
            later_order_live: orders::order_later_live(conn, &order).await?,
            resume_granted,
        };
        let Ok(change) = order::open_attempt(&order.life, standing, now) else {
            return Ok(Err(NotClaimed::Overtaken));
        };
        let in_doubt = order.life.state == OrderState::ConfirmationPending;
        let send_by = clock::awake_or_not() + self.lengths.send_by;
        let new = NewAttempt {
            id: AttemptId::from_random(clock::random()),
            tenant: order.tenant.clone(),
            order: order.id.clone(),
            supplier_version: row.version,
            books: supplier.books(),
            secret_mac: self.fingerprint(conn, &order.tenant, secret.as_deref()).await?,
            started_at: now,
            send_by: now + TimeDelta::from_std(self.lengths.send_by).unwrap_or_default(),
            lease_until: now + self.lengths.lease,
            in_doubt,
            step: NewStep {
                method: step.method.clone(),
                url: step.url.clone(),
                body: step.body.clone(),
            },
        };
        let happening = Happening::AttemptOpened {
            attempt: new.id.clone(),
        };
        let act = Act {
            actor: &Actor::Worker,
            happening,
            now,
        };
        if self.record(conn, &order, &change, act).await? == Written::NotInThatState {
            return Ok(Err(NotClaimed::Overtaken));
        }
        attempts::attempt_open(conn, &new).await?;
        Ok(Ok(Claimed {
            tenant: order.tenant,
            order: order.id,
            attempt: new.id,
            supplier_id: row.id.clone(),
            supplier,
            operation_key: order.operation_key.to_string(),
            step,
            before: before(&tried, in_doubt),
            send_by,
            store_until: clock::awake_or_not() + self.lengths.lease.to_std().unwrap_or_default() + LONG_OVER,
            is_kept: true,
        }))
    }

    /// HMAC of the long-lived secret, salted per tenant: shows a change, tells nothing (rule 17).
    pub(super) async fn fingerprint(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        secret: Option<&str>,
    ) -> Result<String, DeskError> {
        let Some(secret) = secret else {
            return Ok(String::new());
        };
        let tenant = tenants::tenant_fetch(conn, tenant)
            .await?
            .ok_or(DeskError::Absent("tenant"))?;
        let mut mac = Hmac::<Sha256>::new_from_slice(tenant.salt.as_bytes())
            .map_err(|error| DeskError::Broken(error.to_string()))?;
        mac.update(secret.as_bytes());
        Ok(mac
            .finalize()
            .into_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
    }
}

/// Commits the attempt. If the database does not say whether it is kept, the claim says so: then nothing may be sent, and
/// the attempt, should it be there, is closed as not sent.
async fn keep_claim(tx: Transaction, claimed: Claimed) -> Result<Claimed, DeskError> {
    match tx.commit().await {
        Ok(()) => Ok(claimed),
        Err(error) if error.is_crossed() => Err(error.into()),
        Err(error) => {
            let (order, attempt) = (&claimed.order, &claimed.attempt);
            tracing::error!(%order, %attempt, "whether this attempt is kept is not known, so nothing is sent: {error}");
            Ok(Claimed {
                is_kept: false,
                ..claimed
            })
        }
    }
}

/// Tenants in the order of their first due order, each with its orders as they are due.
pub(super) fn by_tenant(due: Vec<(TenantId, OrderId)>) -> Vec<(TenantId, Vec<OrderId>)> {
    let mut tenants: Vec<(TenantId, Vec<OrderId>)> = Vec::new();
    for (tenant, order) in due {
        match tenants.iter_mut().find(|(known, _)| *known == tenant) {
            Some((_, orders)) => orders.push(order),
            None => tenants.push((tenant, vec![order])),
        }
    }
    tenants
}

/// The supplier, the bytes to send and the secret's presence, or why none of it can be had.
fn ready(row: &SupplierRow, order: &OrderRow) -> Result<Ready, DeskError> {
    let supplier: Supplier = row.file.parse()?;
    let purchase = Purchase {
        operation_key: order.operation_key,
        contents: &order.contents,
    };
    let step = supplier.submit_step(&purchase)?;
    let secret = supplier.secret()?;
    Ok(Ready { supplier, step, secret })
}
