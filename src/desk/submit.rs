//! Sending an order: attempt committed, call, reply committed (rule 6). Three steps, two short transactions, and the
//! network between them.
//!
//! Promises: an attempt is committed before its first byte and sent at most once; its reply is stored on it whenever it
//! comes (rule 13); a reply that cannot be stored leaves an order that is confirmation pending. Must not: classify the
//! wire, or send an order that is held, in doubt or overtaken.

use super::record::{Act, must_be_done};
use super::{Desk, DeskError, clock};
use crate::config::StopPoint;
use crate::domain::attempt::{self, Reply};
use crate::domain::contents::SupplierId;
use crate::domain::difference::{self, Difference, Recorded};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{AttemptId, OrderId, TenantId};
use crate::domain::order::{self, BeforeAttempt, OrderState};
use crate::store::attempts::{AttemptRow, Ended, NewAttempt, NewStep};
use crate::store::orders::OrderRow;
use crate::store::suppliers::SupplierRow;
use crate::store::{Conn, Written, attempts, events, orders, suppliers, tenants};
use crate::supplier::http::Bounds;
use crate::supplier::{Outcome, Purchase, Step, Supplier};
use chrono::TimeDelta;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::time::Duration;

/// Due orders looked at in one claim; those that cannot be claimed are not looked at again before the next.
const LOOK_AT: u32 = 32;

/// An order whose attempt is committed, and whose first byte has not left.
#[derive(Debug)]
pub struct Claimed {
    pub tenant: TenantId,
    pub order: OrderId,
    pub attempt: AttemptId,
    pub supplier_id: SupplierId,
    supplier: Supplier,
    operation_key: String,
    step: Step,
    /// On the clock that counts sleep: past this, nothing is sent.
    send_by: Duration,
}

/// Why a due order was not claimed, and what was done about it.
enum NotClaimed {
    /// Somebody was faster, or it is no longer due.
    Overtaken,
    /// The supplier's file or secret cannot be used; the supplier went on hold.
    SupplierHeld,
}

impl Desk {
    /// Claims the order that is due longest: opens its attempt and commits it. `busy` as in `order_due`.
    pub async fn claim(&self, busy: &str) -> Result<Option<Claimed>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let due = orders::order_due(&mut read, busy, clock::now(), LOOK_AT).await?;
        drop(read);
        for (tenant, id) in due {
            match self.claim_one(&tenant, &id).await {
                Ok(Ok(claimed)) => return Ok(Some(claimed)),
                Ok(Err(NotClaimed::Overtaken | NotClaimed::SupplierHeld)) => {}
                // one order that cannot be read must not keep the others from being sent
                Err(error) => tracing::error!(order = %id, "this order could not be claimed: {error}"),
            }
        }
        Ok(None)
    }

    async fn claim_one(&self, tenant: &TenantId, id: &OrderId) -> Result<Result<Claimed, NotClaimed>, DeskError> {
        let mut tx = self.store.begin_write().await?;
        let Some(order) = orders::order_fetch(&mut tx, tenant, id).await? else {
            return Ok(Err(NotClaimed::Overtaken));
        };
        let row = suppliers::supplier_fetch(&mut tx, tenant, &order.contents.supplier).await?;
        let row = row.ok_or(DeskError::Absent("supplier"))?;
        if row.held_at.is_some() {
            return Ok(Err(NotClaimed::SupplierHeld));
        }
        let outcome = match ready(&row, &order) {
            Ok((supplier, step, secret)) => self.open(&mut tx, order, &row, supplier, step, secret).await?,
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
        if !matches!(outcome, Err(NotClaimed::Overtaken)) {
            tx.commit().await?;
        }
        Ok(outcome)
    }

    /// Opens the attempt. From its commit on, nobody else sends this order.
    async fn open(
        &self,
        conn: &mut Conn,
        order: OrderRow,
        row: &SupplierRow,
        supplier: Supplier,
        step: Step,
        secret: Option<String>,
    ) -> Result<Result<Claimed, NotClaimed>, DeskError> {
        let now = clock::now();
        let tried: Vec<_> = attempts::attempt_list(conn, &order.id).await?;
        let before = BeforeAttempt {
            open_doubt: tried.iter().any(|row| row.attempt.is_doubtful(now)),
            later_order_live: orders::order_later_live(conn, &order).await?,
            resume_granted: false,
        };
        let Ok(change) = order::open_attempt(&order.life, before, now) else {
            return Ok(Err(NotClaimed::Overtaken));
        };
        let send_by = clock::awake_or_not() + self.lengths.send_by;
        let new = NewAttempt {
            id: AttemptId::from_random(clock::random()),
            tenant: order.tenant.clone(),
            order: order.id.clone(),
            supplier_version: row.version,
            base_url: supplier.base_url().to_owned(),
            account: supplier.account().to_owned(),
            secret_mac: self.fingerprint(conn, &order.tenant, secret.as_deref()).await?,
            started_at: now,
            send_by: now + TimeDelta::from_std(self.lengths.send_by).unwrap_or_default(),
            lease_until: now + self.lengths.lease,
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
            send_by,
        }))
    }

    /// HMAC of the long-lived secret, salted per tenant: shows a change, tells nothing (rule 17).
    async fn fingerprint(&self, conn: &mut Conn, tenant: &TenantId, secret: Option<&str>) -> Result<String, DeskError> {
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

    /// Makes the call and stores its reply; a reply that cannot be stored yet is kept and tried again (case C5).
    pub async fn submit(&self, claimed: &Claimed) {
        self.reach(StopPoint::AttemptCommitted).await;
        let may_send = || clock::awake_or_not() < claimed.send_by;
        let bounds = Bounds {
            deadline: self.lengths.request_deadline,
            may_send: &may_send,
            now: clock::now(),
        };
        let outcome = match claimed.supplier.http() {
            Ok(http) => http.submit(&claimed.step, &claimed.operation_key, &bounds).await,
            Err(fault) => Outcome {
                reply: Reply::NotSent(attempt::NotSent {
                    retry_after: None,
                    hold_supplier: true,
                }),
                http_status: None,
                detail: format!("Nothing was sent: {fault}."),
                excerpt: None,
            },
        };
        for wait in [50, 200, 1_000, 2_000, 4_000] {
            match self.close(claimed, &outcome).await {
                Ok(()) => return,
                Err(error) => {
                    tracing::error!(order = %claimed.order, attempt = %claimed.attempt, "reply not stored yet: {error}");
                    tokio::time::sleep(Duration::from_millis(wait)).await;
                }
            }
        }
        // the lease lapses, and the order ends confirmation pending: that is the honest state
        tracing::error!(order = %claimed.order, attempt = %claimed.attempt, "the reply could not be stored");
    }

    /// Stores a reply on its own attempt (rule 13), and what it means for the order.
    async fn close(&self, claimed: &Claimed, outcome: &Outcome) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write().await?;
        let order = orders::order_fetch(&mut tx, &claimed.tenant, &claimed.order).await?;
        let order = order.ok_or(DeskError::Absent("order"))?;
        let tried = attempts::attempt_list(&mut tx, &order.id).await?;
        let (mine, others): (Vec<_>, Vec<_>) = tried.into_iter().partition(|row| row.attempt.id == claimed.attempt);
        let [mine] = &mine[..] else {
            return Err(DeskError::Absent("attempt"));
        };
        let recorded = match &outcome.reply {
            Reply::Accepted { record, .. } => Some(record.clone()),
            Reply::Acknowledged { .. } | Reply::Refused | Reply::NotSent(_) | Reply::Unknown { .. } => None,
        };
        let differences = recorded
            .as_ref()
            .map(|record| difference::with_record(&order.contents, record))
            .unwrap_or_default();
        let ended = ended(outcome, recorded, &differences, now);
        if attempts::attempt_close(&mut tx, &claimed.attempt, &ended).await? == Written::NotInThatState {
            // an earlier try of ours stored it, and only its commit's answer was lost
            return Ok(());
        }
        let doubt = others.iter().any(|row| row.attempt.is_doubtful(now));
        if mine.lapsed {
            self.close_late(&mut tx, &order, claimed, outcome, &differences, doubt)
                .await?;
        } else {
            self.close_in_time(&mut tx, &order, mine, outcome, &differences, doubt)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn close_in_time(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        mine: &AttemptRow,
        outcome: &Outcome,
        differences: &[Difference],
        earlier_doubt: bool,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let change = order::close_attempt(&order.life, &outcome.reply, differences, earlier_doubt, &self.pace, now)?;
        let happening = Happening::AttemptClosed {
            attempt: mine.attempt.id.clone(),
            reply: outcome.reply.word(),
            detail: outcome.detail.clone(),
            from: order.life.state,
            to: change.life.state,
        };
        must_be_done(
            self.record(
                conn,
                order,
                &change,
                Act {
                    actor: &Actor::Worker,
                    happening,
                    now,
                },
            )
            .await?,
        )?;
        answer_doubt(conn, order, change.life.state).await
    }

    /// The lease had lapsed: kept on its attempt; an acceptance is a finding.
    async fn close_late(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        claimed: &Claimed,
        outcome: &Outcome,
        differences: &[Difference],
        other_doubt: bool,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let change = order::late_reply(&order.life, &outcome.reply, differences, other_doubt, now);
        let happening = |to: OrderState| Happening::LateReply {
            attempt: claimed.attempt.clone(),
            reply: outcome.reply.word(),
            detail: outcome.detail.clone(),
            from: order.life.state,
            to,
        };
        match change {
            Ok(change) => {
                let act = Act {
                    actor: &Actor::Worker,
                    happening: happening(change.life.state),
                    now,
                };
                must_be_done(self.record(conn, order, &change, act).await?)?;
                answer_doubt(conn, order, change.life.state).await
            }
            Err(_) => {
                let subject = Subject::Order(order.id.clone());
                let kept = happening(order.life.state);
                events::event_append(conn, &order.tenant, &Actor::Worker, subject, kept, now).await?;
                Ok(())
            }
        }
    }
}

/// A supplier that said yes, or "we have it", answers every doubt about the order.
async fn answer_doubt(conn: &mut Conn, order: &OrderRow, to: OrderState) -> Result<(), DeskError> {
    match to {
        OrderState::Confirmed | OrderState::Acknowledged => Ok(attempts::attempts_answer(conn, &order.id).await?),
        OrderState::Approved
        | OrderState::Submitting
        | OrderState::ConfirmationPending
        | OrderState::Refused
        | OrderState::Withdrawn => Ok(()),
    }
}

/// The supplier, the bytes to send and the secret's presence, or why none of it can be had.
fn ready(row: &SupplierRow, order: &OrderRow) -> Result<(Supplier, Step, Option<String>), DeskError> {
    let supplier: Supplier = row.file.parse()?;
    let purchase = Purchase {
        operation_key: order.operation_key,
        contents: &order.contents,
    };
    let step = supplier.submit_step(&purchase)?;
    let secret = supplier.secret()?;
    Ok((supplier, step, secret))
}

fn ended(
    outcome: &Outcome,
    recorded: Option<Recorded>,
    differences: &[Difference],
    at: chrono::DateTime<chrono::Utc>,
) -> Ended {
    Ended {
        at,
        reply: outcome.reply.word(),
        http_status: outcome.http_status,
        reference: outcome.reply.reference().map(str::to_owned),
        detail: outcome.detail.clone(),
        excerpt: outcome.excerpt.clone(),
        recorded,
        differences: differences.to_vec(),
    }
}
