//! Sending an order: attempt committed, call, reply committed (rule 6). Three steps, two short transactions, and the
//! network between them.
//!
//! Promises: an attempt is committed before its first byte and sent at most once; its reply is stored on it whenever it
//! comes (rule 13); a reply that cannot be stored leaves an order that is confirmation pending. Must not: classify the
//! wire, or send an order that is held, overtaken, or in doubt without a request that `may_resume` allows.

use super::doubt::{DoubtFacts, Known, first_seen};
use super::record::Act;
use super::{Desk, DeskError, clock};
use crate::config::StopPoint;
use crate::domain::attempt::{self, Reply, ReplyWord};
use crate::domain::case::{CaseKind, CaseStep};
use crate::domain::contents::SupplierId;
use crate::domain::contract::{Ground, JUST_ASKED, LookUp, NotResumed, may_resume};
use crate::domain::difference::{self, Difference, Recorded};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{AttemptId, OrderId, TenantId};
use crate::domain::look_up::{AnswerWord, FindingWord, LookedUp, Source};
use crate::domain::order::{self, BeforeAttempt, Beside, Hold, OrderState};
use crate::domain::refusal::Refusal;
use crate::store::attempts::{AttemptRow, Ended, NewAttempt, NewStep};
use crate::store::findings::NewFinding;
use crate::store::orders::{Asking, OrderRow};
use crate::store::suppliers::SupplierRow;
use crate::store::{Conn, Written, attempts, events, findings, orders, suppliers, tenants};
use crate::supplier::http::Bounds;
use crate::supplier::{Outcome, Purchase, Step, Supplier};
use chrono::{DateTime, TimeDelta, Utc};
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
        let mut read = self.store.begin_read().await?;
        let mut due = orders::order_resume_due(&mut read, busy, LOOK_AT).await?;
        due.extend(orders::order_due(&mut read, busy, clock::now(), LOOK_AT).await?);
        drop(read);
        for (tenant, id) in due {
            match self.claim_one(&tenant, &id).await {
                Ok(Ok(claimed)) => return Ok(Some(claimed)),
                Ok(Err(
                    NotClaimed::Overtaken
                    | NotClaimed::SupplierHeld
                    | NotClaimed::Dropped
                    | NotClaimed::AsksFirst
                    | NotClaimed::Moved,
                )) => {}
                // one order that cannot be read must not keep the others from being sent
                Err(error) => tracing::error!(order = %id, "this order could not be claimed: {error}"),
            }
        }
        Ok(None)
    }

    async fn claim_one(&self, tenant: &TenantId, id: &OrderId) -> Result<Result<Claimed, NotClaimed>, DeskError> {
        self.reach(StopPoint::BeforeAttempt).await;
        let mut tx = self.store.begin_write_in(tenant).await?;
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
            Ok(_) | Err(NotClaimed::SupplierHeld | NotClaimed::Dropped | NotClaimed::AsksFirst | NotClaimed::Moved) => {
                tx.commit().await?;
            }
            Err(NotClaimed::Overtaken) => {}
        }
        Ok(outcome)
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
        let today = ready.supplier.base_url();
        if let Some(seen) = first_seen(&tried) {
            return Ok(seen.base_url != today);
        }
        let file = suppliers::supplier_file(conn, &order.tenant, &row.id, version).await?;
        let decided: Supplier = file.ok_or(DeskError::Absent("supplier's version"))?.parse()?;
        Ok(decided.base_url() != today)
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
        let ground = match may_resume(&facts.about(&order), now) {
            Ok(ground) => ground,
            Err(why) => {
                self.drop_resume(conn, &order, NotResumed::Unsafe(why), now).await?;
                return Ok(Err(NotClaimed::Dropped));
            }
        };
        let askable = facts.supplier.contract.look_up == LookUp::Exact;
        if ground == Ground::NotFound && askable && !is_just_asked(&facts, now) {
            return Ok(Err(self.ask_first(conn, &order, now).await?));
        }
        self.open(conn, order, row, ready, true).await
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
            by: order.life.resume.as_ref().map(|wanted| wanted.by.clone()),
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
            // a key that was seen goes with the bytes it was seen with, whatever the supplier's file says by now
            let NewStep { method, body, .. } = attempts::attempt_step(conn, &seen.attempt.id).await?;
            step = Step { method, body, ..step };
        }
        let before = BeforeAttempt {
            open_doubt: tried.iter().any(|row| row.attempt.is_doubtful(now)),
            later_order_live: orders::order_later_live(conn, &order).await?,
            resume_granted,
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
            in_doubt: order.life.state == OrderState::ConfirmationPending,
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
        self.reach(StopPoint::AnswerReceived).await;
        for wait in [50, 200, 1_000, 2_000, 4_000] {
            match self.close(claimed, &outcome).await {
                Ok(()) => return self.reach(StopPoint::ReplyCommitted).await,
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
        let mut tx = self.store.begin_write_in(&claimed.tenant).await?;
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
        let other_doubt = others.iter().any(|row| row.attempt.is_doubtful(now));
        if mine.lapsed {
            let doubt = other_doubt || mine.in_doubt;
            self.close_late(&mut tx, &order, claimed, outcome, &differences, doubt)
                .await?;
        } else {
            let known = Known::of(&mut tx, &order).await?;
            let beside = Beside {
                doubt: other_doubt || mine.in_doubt || is_there_by_now(&known, &others, mine),
                was_not_found: known.was_not_found(),
                late_acceptance: late_acceptance(&others, mine),
            };
            self.close_in_time(&mut tx, &order, mine, outcome, &differences, beside)
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
        beside: Beside<'_>,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let change = order::close_attempt(&order.life, &outcome.reply, differences, beside, &self.pace, now)?;
        let happening = Happening::AttemptClosed {
            attempt: mine.attempt.id.clone(),
            reply: outcome.reply.word(),
            detail: outcome.detail.clone(),
            from: order.life.state,
            to: change.life.state,
        };
        self.record_now(conn, order, &change, Act::by(&Actor::Worker, happening, now))
            .await?;
        if let (Some((reference, _)), OrderState::Confirmed) = (beside.late_acceptance, change.life.state) {
            self.keep_reply_finding(conn, order, FindingWord::AtSupplier, Some(reference), now)
                .await?;
        }
        answer_doubt(conn, order, change.life.state).await
    }

    async fn keep_reply_finding(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        finding: FindingWord,
        reference: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let kept = NewFinding {
            tenant: &order.tenant,
            order: &order.id,
            at: now,
            finding,
            source: Source::Reply,
            found_by: None,
            reference,
            evidence: None,
        };
        Ok(findings::finding_add(conn, &kept).await?)
    }

    /// The lease had lapsed: kept on its attempt; what it definitely says is a finding.
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
        let known = Known::of(conn, order).await?;
        let doubt = other_doubt || known.record_there;
        let is_settled = ![OrderState::ConfirmationPending, OrderState::Submitting].contains(&order.life.state);
        let judged = outcome
            .reply
            .reference()
            .is_some_and(|reference| known.judged(reference));
        let change = if is_settled && judged {
            // a record once judged never reopens an order
            Err(Refusal::OrderIs(order.life.state))
        } else {
            order::late_reply(&order.life, &outcome.reply, differences, doubt, now)
        };
        let happening = Happening::LateReply {
            attempt: claimed.attempt.clone(),
            reply: outcome.reply.word(),
            detail: outcome.detail.clone(),
            from: order.life.state,
            to: change.as_ref().map_or(order.life.state, |change| change.life.state),
        };
        let Ok(change) = change else {
            let subject = Subject::Order(order.id.clone());
            events::event_append(conn, &order.tenant, &Actor::Worker, subject, happening, now).await?;
            return Ok(());
        };
        self.record_now(conn, order, &change, Act::by(&Actor::Worker, happening, now))
            .await?;
        if let Some(finding) = finding_of(&outcome.reply) {
            self.keep_reply_finding(conn, order, finding, outcome.reply.reference(), now)
                .await?;
        }
        answer_doubt(conn, order, change.life.state).await
    }
}

/// What a reply that came late establishes.
fn finding_of(reply: &Reply) -> Option<FindingWord> {
    match reply {
        Reply::Accepted { .. } => Some(FindingWord::AtSupplier),
        Reply::Acknowledged { .. } => Some(FindingWord::NotYetConfirmed),
        Reply::NotSent(_) => Some(FindingWord::NotAtSupplier),
        Reply::Refused | Reply::Unknown { .. } => None,
    }
}

/// Whether the supplier said, while this attempt was open, that it has the order: to a look-up, or in another attempt's
/// late acknowledgement. Then this attempt's "refused" or "not sent" is doubt.
fn is_there_by_now(known: &Known, others: &[AttemptRow], mine: &AttemptRow) -> bool {
    let since = mine.attempt.started_at;
    let seen = |one: &LookedUp| one.answer == AnswerWord::Found && one.at >= since;
    let acknowledged = |row: &AttemptRow| {
        row.attempt.reply == Some(ReplyWord::Acknowledged) && row.attempt.ended_at.is_some_and(|at| at >= since)
    };
    known.look_ups.iter().any(seen) || others.iter().any(acknowledged)
}

/// An acceptance that another attempt brought, after its lease, while this one was open.
pub(super) fn late_acceptance<'a>(others: &'a [AttemptRow], mine: &AttemptRow) -> Option<(&'a str, &'a [Difference])> {
    let while_open = |row: &&AttemptRow| row.attempt.ended_at.is_some_and(|at| at >= mine.attempt.started_at);
    let accepted = |row: &&AttemptRow| row.lapsed && row.attempt.reply == Some(ReplyWord::Accepted);
    let late = others.iter().filter(while_open).find(accepted)?;
    Some((late.attempt.reference.as_deref()?, &late.differences))
}

/// Whether the supplier was asked a moment ago, after it had been found not to have the order, and said "none" (rule 9).
fn is_just_asked(facts: &DoubtFacts, now: DateTime<Utc>) -> bool {
    facts.known.look_ups.last().is_some_and(|last| {
        last.answer == AnswerWord::None
            && last.books == facts.books
            && last.at <= now
            && now - last.at <= JUST_ASKED
            && facts.last_finding().is_none_or(|found| last.at > found)
    })
}

/// A supplier that said yes, or "we have it", answers every doubt about the order.
pub(super) async fn answer_doubt(conn: &mut Conn, order: &OrderRow, to: OrderState) -> Result<(), DeskError> {
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
