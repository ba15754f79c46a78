//! Asking suppliers about orders in doubt, by the worker: claim, ask, keep the answer, and write what it establishes.
//!
//! Promises: an answer is kept whatever it says; only `domain::look_up` makes a finding of it (rule 10); a question that
//! is lost with its process is asked again. Must not: send anything that changes something at a supplier.

use super::again::again;
use super::claim::by_tenant;
use super::record::Act;
use super::settle::reference_of;
use super::submit::{FIRST_PAUSE, LONGEST_PAUSE};
use super::{Desk, DeskError, clock, delta};
use crate::domain::case::{CaseKind, CaseStep};
use crate::domain::contents::SupplierId;
use crate::domain::difference;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{OrderId, PersonId, TenantId};
use crate::domain::look_up::{Answer, FindingWord, Source};
use crate::domain::order::{self, Change, Finding, OrderState};
use crate::domain::resume::NotResumed;
use crate::domain::settling::{AskedAbout, Conclusion, MOST_FOR_CONFIRMED, conclude, resume_by_itself};
use crate::store::cases::About;
use crate::store::findings::NewFinding;
use crate::store::look_ups::NewLookUp;
use crate::store::orders::{Asking, OrderRow};
use crate::store::{Conn, Transaction, attempts, events, findings, look_ups, orders, people, suppliers};
use crate::supplier::Supplier;
use chrono::{DateTime, TimeDelta, Utc};

/// Orders looked at in one claim of a look-up.
const LOOK_AT: u32 = 32;
/// How long a late record is watched for after the verdict, where no readable file says (brief.md "Life of an order").
const WATCH: TimeDelta = TimeDelta::days(7);
/// A supplier's clock, by which it dates its records, may be this far off ours.
const OTHER_CLOCKS: TimeDelta = TimeDelta::days(1);
/// A question without an answer is asked again this long after its deadline.
const ASK_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// A look-up that is claimed and not asked yet.
#[derive(Debug)]
pub struct Question {
    pub tenant: TenantId,
    pub order: OrderId,
    pub supplier_id: SupplierId,
    supplier: Supplier,
    operation_key: String,
    /// Where a supplier only has lists, they are read from here on.
    records_since: DateTime<Utc>,
    by: Option<PersonId>,
    /// When it was claimed: what the order notes of it is this question's as long as that stands there.
    since: DateTime<Utc>,
}

/// What became of the order whose turn it was.
struct Turn {
    order: OrderId,
    came: Result<Option<Question>, DeskError>,
}

impl Desk {
    /// Claims the look-up that is due longest. `busy` as in `order_due`.
    pub async fn claim_look_up(&self, busy: &str) -> Result<Option<Question>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let due = orders::order_ask_due(&mut read, busy, clock::now(), LOOK_AT).await?;
        drop(read);
        for (tenant, mut left) in by_tenant(due) {
            while !left.is_empty() {
                let Some(turn) = again(|| self.take_question(&tenant, &left)).await? else {
                    break;
                };
                let place = left.iter().position(|id| *id == turn.order);
                left.drain(..=place.unwrap_or(left.len() - 1));
                match turn.came {
                    Ok(Some(question)) => return Ok(Some(question)),
                    Ok(None) => {}
                    // one order that cannot be read must not keep the others from being asked about
                    Err(error) => tracing::error!(order = %turn.order, "it could not be asked about: {error}"),
                }
            }
        }
        Ok(None)
    }

    /// Waits for the tenant's turn, and takes the first of these orders that then still is to be asked about.
    async fn take_question(&self, tenant: &TenantId, orders: &[OrderId]) -> Result<Option<Turn>, DeskError> {
        let mut tx = self.store.begin_write_in(tenant).await?;
        let Some(order) = orders::order_first_asked(&mut tx, orders, clock::now()).await? else {
            return Ok(None);
        };
        match self.claim_question(tx, tenant, &order).await {
            // no fault of the order
            Err(error @ (DeskError::Crossed(_) | DeskError::Away(_))) => Err(error),
            came => Ok(Some(Turn { order, came })),
        }
    }

    /// Should the commit's answer be lost, the question is asked again when its time is over.
    async fn claim_question(
        &self,
        mut tx: Transaction,
        tenant: &TenantId,
        id: &OrderId,
    ) -> Result<Option<Question>, DeskError> {
        let now = clock::now();
        let order = orders::order_fetch(&mut tx, tenant, id).await?;
        let Some(order) = order.filter(|order| order.asking.at.is_some_and(|at| at <= now)) else {
            return Ok(None);
        };
        let row = suppliers::supplier_fetch(&mut tx, tenant, &order.contents.supplier).await?;
        let row = row.ok_or(DeskError::Absent("supplier"))?;
        if row.next_look_up_at.is_some_and(|at| at > now) {
            // somebody else asked it a moment ago; its contract says how often it may be asked
            return Ok(None);
        }
        let supplier = row.file.parse::<Supplier>().ok();
        let watch = supplier.as_ref().map(|supplier| supplier.contract.watch_seconds);
        let supplier = supplier.filter(|supplier| supplier.contract.look_up.can_ask());
        if supplier.is_none() {
            self.settle_unasked(&mut tx, &order, now).await?;
        }
        let asking = match &supplier {
            // should the answer be lost with this process, it is asked again
            Some(_) => Asking {
                at: Some(self.asked_again_at(now)),
                since: Some(now),
                ..order.asking.clone()
            },
            // the file may be corrected while the doubt lasts (case C11)
            None => Asking {
                at: self
                    .asks_next(&order, watch, now)
                    .at
                    .map(|_| now + self.lengths.look_up_most),
                ..Asking::default()
            },
        };
        orders::order_ask(&mut tx, id, &asking).await?;
        let pages = supplier.as_ref().map_or(1, |supplier| i64::from(supplier.pages()));
        if let Some(Supplier { contract, .. }) = supplier.as_ref().filter(|one| one.contract.between_look_ups_ms > 0) {
            let until = now + TimeDelta::milliseconds(contract.between_look_ups_ms * pages);
            suppliers::supplier_rest(&mut tx, tenant, &row.id, until).await?;
        }
        tx.commit().await?;
        Ok(supplier.map(|supplier| Question {
            tenant: order.tenant,
            order: order.id,
            supplier_id: row.id,
            supplier,
            operation_key: order.operation_key.to_string(),
            records_since: order.approved_at.min(order.gap_at.unwrap_or(order.approved_at)) - OTHER_CLOCKS,
            by: order.asking.by,
            since: now,
        }))
    }

    /// Asks, and keeps the answer with what it establishes. A look-up belongs to an order, and to no attempt of it.
    #[tracing::instrument(level = "error", name = "look_up", skip_all, fields(
        tenant = %question.tenant, order = %question.order, supplier = %question.supplier_id
    ))]
    pub async fn ask(&self, question: &Question) {
        let asked_at = clock::now();
        let (answer, detail) = match question.supplier.http() {
            Ok(http) => {
                let (key, since) = (&question.operation_key, question.records_since);
                http.look_up(key, since, self.lengths.request_deadline).await
            }
            Err(fault) => (Answer::CouldNotCheck, format!("It could not be asked: {fault}.")),
        };
        tracing::info!(answer = answer.word().word(), "the supplier was asked");
        self.store_answer(question, asked_at, &answer, &detail).await;
    }

    /// Stores an answer, trying again until the question is asked again: then there is a newer one.
    async fn store_answer(&self, question: &Question, asked_at: DateTime<Utc>, answer: &Answer, detail: &str) {
        let asked_again_at = self.asked_again_at(question.since);
        let mut pause = FIRST_PAUSE;
        loop {
            match self.keep_answer(question, asked_at, answer, detail).await {
                Ok(()) => return self.tally.answered(answer.word()),
                Err(error) if clock::now() >= asked_again_at => {
                    return tracing::error!("a look-up's answer was not stored, it is asked again: {error}");
                }
                Err(error) => tracing::error!("a look-up's answer is not stored yet: {error}"),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// When a question that was claimed then, and of which nothing was heard, is asked once more.
    fn asked_again_at(&self, since: DateTime<Utc>) -> DateTime<Utc> {
        since + delta(self.lengths.request_deadline) + ASK_AGAIN
    }

    /// `asked_at`: what the supplier had then, it had; so the answer counts from before it was given.
    async fn keep_answer(
        &self,
        question: &Question,
        asked_at: DateTime<Utc>,
        answer: &Answer,
        detail: &str,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(&question.tenant).await?;
        let order = orders::order_fetch(&mut tx, &question.tenant, &question.order).await?;
        let order = order.ok_or(DeskError::Absent("order"))?;
        if look_ups::look_up_is_kept(&mut tx, &question.order, asked_at).await? {
            // an earlier try of ours stored it, and only its commit's answer was lost: one answer is one rung of the ladder
            return Ok(());
        }
        let kept = NewLookUp {
            tenant: &question.tenant,
            order: &question.order,
            at: asked_at,
            asked_by: question.by.as_ref(),
            answer,
            books: &question.supplier.books(),
            detail,
        };
        look_ups::look_up_add(&mut tx, &kept).await?;
        let actor = match &question.by {
            Some(id) => Actor::Person {
                id: id.clone(),
                name: people::person_name(&mut tx, id).await?,
            },
            None => Actor::Worker,
        };
        let looked_up = Happening::LookedUp {
            answer: answer.word(),
            detail: detail.to_owned(),
        };
        let subject = Subject::Order(order.id.clone());
        events::event_append(&mut tx, &order.tenant, &actor, subject, looked_up, now).await?;
        // what somebody wants asked since then, or a new state's own rhythm, is not this answer's to overwrite
        if order.asking.since == Some(question.since) {
            let watch = Some(question.supplier.contract.watch_seconds);
            orders::order_ask(&mut tx, &order.id, &self.asks_next(&order, watch, now)).await?;
        }
        self.conclude(&mut tx, &order, answer, now).await?;
        self.commit_and_ring(tx).await
    }

    /// A supplier that cannot be asked says nothing; where its file lets the worker send once more, that is what is left.
    async fn settle_unasked(&self, conn: &mut Conn, order: &OrderRow, now: DateTime<Utc>) -> Result<(), DeskError> {
        let facts = match self.doubt_facts(conn, order).await {
            Ok(facts) => facts,
            // a file that cannot be read lets nobody do anything
            Err(DeskError::Supplier(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        match resume_by_itself(&order.life, &facts, now) {
            Some(conclusion) => self.carry_out(conn, order, conclusion, now).await,
            None => Ok(()),
        }
    }

    /// When an order in this state is asked about again: doubling from the first wait to the most (doors.md "Defaults").
    /// `watch` is how long the contract has it watched after a verdict, in seconds.
    fn asks_next(&self, order: &OrderRow, watch: Option<i64>, now: DateTime<Utc>) -> Asking {
        let watch = watch.map_or(WATCH, TimeDelta::seconds);
        let asked = order.asking.asked.saturating_add(1);
        let doubled = self.lengths.look_up_first.checked_mul(1 << asked.min(20));
        let wait = doubled.map_or(self.lengths.look_up_most, |wait| wait.min(self.lengths.look_up_most));
        let goes_on = match order.life.state {
            OrderState::ConfirmationPending | OrderState::Acknowledged => true,
            OrderState::Confirmed => asked < MOST_FOR_CONFIRMED,
            OrderState::Approved | OrderState::Refused | OrderState::Withdrawn => now - order.changed_at < watch,
            OrderState::Submitting => false,
        };
        Asking {
            at: goes_on.then(|| now + wait),
            by: None,
            since: None,
            asked,
        }
    }

    /// Carries out what the answer means for the order as it stands now.
    async fn conclude(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let facts = self.doubt_facts(conn, order).await?;
        let about = AskedAbout {
            life: &order.life,
            facts: &facts,
            asked: order.asking.asked,
        };
        let compare = |record: &_| difference::with_record(&order.contents, record);
        for conclusion in conclude(about, answer, compare, now) {
            self.carry_out(conn, order, conclusion, now).await?;
        }
        Ok(())
    }

    async fn carry_out(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        conclusion: Conclusion,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        match conclusion {
            Conclusion::Establish { finding, change } => self.establish_in(conn, order, &finding, &change, now).await,
            Conclusion::LateRecord { reference, change } => {
                self.record_late(conn, order, &change, reference, now).await
            }
            Conclusion::DropResume { why, change } => self.record_not_resumed(conn, order, &change, why, now).await,
            Conclusion::ResumeByItself { change } => self.resume_by_itself(conn, order, &change, now).await,
            Conclusion::Compared {
                reference,
                differences,
                change,
            } => {
                let happening = Happening::Compared { reference, differences };
                self.record_compared(conn, order, change.as_ref(), happening, now).await
            }
            Conclusion::OpenCase { kind, reason } => self.open_case(conn, order, kind, reason, now).await,
            Conclusion::StopAsking => Ok(orders::order_ask(conn, &order.id, &Asking::default()).await?),
        }
    }

    /// The supplier's file lets the worker send it once more by itself: it asks for it as a person would (rule 9).
    async fn resume_by_itself(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        self.record_now(
            conn,
            order,
            change,
            Act::by(&Actor::Worker, Happening::ResumeWanted, now),
        )
        .await
    }

    /// Writes what a look-up established, with its event and the order's new life.
    async fn establish_in(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        established: &Finding,
        change: &Change,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let (reference, source) = (reference_of(established), Source::LookUp);
        let word = FindingWord::of_finding(established);
        let happening = Happening::FindingEstablished {
            finding: word,
            source,
            reference: reference.clone(),
            evidence: None,
            from: order.life.state,
            to: change.life.state,
        };
        self.record_now(conn, order, change, Act::by(&Actor::Worker, happening, now))
            .await?;
        attempts::attempts_answer(conn, &order.id).await?;
        let kept = NewFinding {
            tenant: &order.tenant,
            order: &order.id,
            at: now,
            finding: word,
            source,
            found_by: None,
            confirmed_by: None,
            reference: reference.as_deref(),
            evidence: None,
        };
        Ok(findings::finding_add(conn, &kept).await?)
    }

    async fn record_late(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
        reference: String,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let happening = Happening::LateRecord {
            reference,
            from: order.life.state,
            to: change.life.state,
        };
        self.record_now(conn, order, change, Act::by(&Actor::Worker, happening, now))
            .await
    }

    /// Drops a request to send it once more, and says why; nothing to do when nobody asked.
    pub(super) async fn drop_resume(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        why: NotResumed,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let Ok(change) = order::drop_resume(&order.life) else {
            return Ok(());
        };
        self.record_not_resumed(conn, order, &change, why, now).await
    }

    async fn record_not_resumed(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
        why: NotResumed,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let act = Act::by(&Actor::Worker, Happening::ResumeNotSent { why }, now);
        self.record_now(conn, order, change, act).await
    }

    async fn record_compared(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: Option<&Change>,
        happening: Happening,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let actor = Actor::Worker;
        match change {
            Some(change) => {
                self.record_now(conn, order, change, Act::by(&actor, happening, now))
                    .await
            }
            None => {
                let subject = Subject::Order(order.id.clone());
                events::event_append(conn, &order.tenant, &actor, subject, happening, now).await?;
                Ok(())
            }
        }
    }

    async fn open_case(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        kind: CaseKind,
        reason: String,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let about = About::Order(order.id.clone());
        let open = CaseStep::Open { kind, reason };
        self.case_step(conn, &order.tenant, &about, &open, &Actor::Worker, now)
            .await
    }
}
