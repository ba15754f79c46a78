//! Asking suppliers about orders in doubt, by the worker: claim, ask, keep the answer, and write what it establishes.
//!
//! Promises: an answer is kept whatever it says; only `domain::look_up` makes a finding of it (rule 10); a question that
//! is lost with its process is asked again. Must not: send anything that changes something at a supplier.

use super::again::again;
use super::claim::by_tenant;
use super::doubt::Known;
use super::record::Act;
use super::settle::reference_of;
use super::submit::{FIRST_PAUSE, LONGEST_PAUSE};
use super::{Desk, DeskError, clock, delta};
use crate::domain::case::{CaseKind, CaseStep};
use crate::domain::contents::SupplierId;
use crate::domain::contract::{LookUp, NotResumed};
use crate::domain::difference;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{OrderId, PersonId, TenantId};
use crate::domain::look_up::{Answer, FindingWord, Found, Source, Standing, finding};
use crate::domain::order::{self, Change, Finding, OrderState};
use crate::store::cases::About;
use crate::store::findings::NewFinding;
use crate::store::look_ups::NewLookUp;
use crate::store::orders::{Asking, OrderRow};
use crate::store::{Conn, Transaction, attempts, events, findings, look_ups, orders, people, suppliers};
use crate::supplier::Supplier;
use chrono::{DateTime, TimeDelta, Utc};

/// Orders looked at in one claim of a look-up.
const LOOK_AT: u32 = 32;
/// How often a confirmed order that was not compared is asked about, before that is left to people.
const MOST_FOR_CONFIRMED: u32 = 5;
/// How long a late record is watched for after the verdict (brief.md "Life of an order").
const WATCH: TimeDelta = TimeDelta::days(7);
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
        let supplier = row.file.parse::<Supplier>().ok();
        let supplier = supplier.filter(|supplier| supplier.contract.look_up == LookUp::Exact);
        let asking = match supplier {
            // should the answer be lost with this process, it is asked again
            Some(_) => Asking {
                at: Some(self.asked_again_at(now)),
                since: Some(now),
                ..order.asking.clone()
            },
            // the file may be corrected while the doubt lasts (case C11)
            None => Asking {
                at: self.asks_next(&order, now).at.map(|_| now + self.lengths.look_up_most),
                ..Asking::default()
            },
        };
        orders::order_ask(&mut tx, id, &asking).await?;
        tx.commit().await?;
        Ok(supplier.map(|supplier| Question {
            tenant: order.tenant,
            order: order.id,
            supplier_id: row.id,
            supplier,
            operation_key: order.operation_key.to_string(),
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
                http.look_up(&question.operation_key, self.lengths.request_deadline)
                    .await
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
            orders::order_ask(&mut tx, &order.id, &self.asks_next(&order, now)).await?;
        }
        self.conclude(&mut tx, &order, answer, now).await?;
        self.commit_and_ring(tx).await
    }

    /// When an order in this state is asked about again: doubling from the first wait to the most (doors.md "Defaults").
    fn asks_next(&self, order: &OrderRow, now: DateTime<Utc>) -> Asking {
        let asked = order.asking.asked.saturating_add(1);
        let doubled = self.lengths.look_up_first.checked_mul(1 << asked.min(20));
        let wait = doubled.map_or(self.lengths.look_up_most, |wait| wait.min(self.lengths.look_up_most));
        let goes_on = match order.life.state {
            OrderState::ConfirmationPending | OrderState::Acknowledged => true,
            OrderState::Confirmed => asked < MOST_FOR_CONFIRMED,
            OrderState::Approved | OrderState::Refused | OrderState::Withdrawn => now - order.changed_at < WATCH,
            OrderState::Submitting => false,
        };
        Asking {
            at: goes_on.then(|| now + wait),
            by: None,
            since: None,
            asked,
        }
    }

    /// What the answer means for the order as it stands now.
    async fn conclude(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        match order.life.state {
            OrderState::ConfirmationPending | OrderState::Acknowledged => {
                self.conclude_doubt(conn, order, answer, now).await
            }
            OrderState::Approved => self.conclude_not_found(conn, order, answer, now).await,
            OrderState::Confirmed => self.conclude_confirmed(conn, order, answer, now).await,
            OrderState::Refused | OrderState::Withdrawn => self.conclude_settled(conn, order, answer, now).await,
            // a record is doubt when the open attempt closes: `desk::submit` looks for it
            OrderState::Submitting => Ok(()),
        }
    }

    /// A record of an order that was thought settled, and that nobody has judged.
    async fn conclude_settled(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let Answer::Found(records) = answer else { return Ok(()) };
        let known = Known::of(conn, order).await?;
        let unjudged = |one: &&Found| one.standing != Standing::Refused && !known.judged(&one.reference);
        let Some(late) = records.iter().find(unjudged) else {
            return Ok(());
        };
        let change = order::late_record(&order.life, &late.reference)?;
        self.record_late(conn, order, &change, late, now).await
    }

    async fn conclude_doubt(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        if let Answer::Found(records) = answer {
            self.open_duplicate(conn, order, records, now).await?;
        }
        let facts = self.doubt_facts(conn, order).await?;
        if facts.known.record_there {
            // nobody has judged the record that turned up; that is a person's
            return Ok(());
        }
        if *answer == Answer::None && !facts.asked_the_right_books() {
            return Ok(());
        }
        let compare = |record: &_| difference::with_record(&order.contents, record);
        let Some(established) = finding(answer, facts.ladder(), compare) else {
            return Ok(());
        };
        // an order they have and have not confirmed may be asked about many times
        let Ok(change) = order::establish(&order.life, &established, now) else {
            return Ok(());
        };
        self.establish_in(conn, order, &established, &change, now).await
    }

    /// Several records of one order: which is ours, and what becomes of the others, is a person's to say (case I7).
    async fn open_duplicate(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        records: &[Found],
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        if records.len() < 2 {
            return Ok(());
        }
        let numbers: Vec<_> = records.iter().map(|one| one.reference.as_str()).collect();
        let reason = format!("the supplier has several records of it: {}", numbers.join(", "));
        self.open_case(conn, order, CaseKind::SupplierDuplicate, reason, now)
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
            reference: reference.as_deref(),
            evidence: None,
        };
        Ok(findings::finding_add(conn, &kept).await?)
    }

    /// Asked about an order that was found not to be there: a record brings the doubt back, and a person judges it. A
    /// request to send it once more goes on after "none", and is dropped when nobody can tell (rule 9).
    async fn conclude_not_found(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        match answer {
            Answer::Found(records) => match records.first() {
                Some(first) => {
                    let change = order::late_record(&order.life, &first.reference)?;
                    self.record_late(conn, order, &change, first, now).await?;
                    self.open_duplicate(conn, order, records, now).await
                }
                None => Ok(()),
            },
            Answer::None => Ok(()),
            Answer::CouldNotCheck => self.drop_resume(conn, order, NotResumed::CouldNotCheck, now).await,
        }
    }

    async fn record_late(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
        record: &Found,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let happening = Happening::LateRecord {
            reference: record.reference.clone(),
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
        self.record_now(
            conn,
            order,
            &change,
            Act::by(&Actor::Worker, Happening::ResumeNotSent { why }, now),
        )
        .await
    }

    /// A person's word confirmed it: now their record is compared with what was approved (rule 12).
    async fn conclude_confirmed(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let Answer::Found(records) = answer else {
            return self.confirmed_unseen(conn, order, answer, now).await;
        };
        // what they have was seen; asking again would say the same once more
        orders::order_ask(conn, &order.id, &Asking::default()).await?;
        let ours = order.life.supplier_reference.as_deref();
        if let Some(other) = records.iter().find(|one| Some(one.reference.as_str()) != ours) {
            return match order::compared(&order.life, &other.reference, &[])? {
                Some(change) => self.record_late(conn, order, &change, other, now).await,
                None => Ok(()),
            };
        }
        let Some(one) = records.first() else { return Ok(()) };
        if one.standing == Standing::Refused {
            let reason = format!("the supplier’s record {} says refused or cancelled", one.reference);
            self.open_case(conn, order, CaseKind::Differences, reason, now).await?;
        }
        // what differs was told before, by the answer that confirmed it
        let Some(record) = one.record.as_ref().filter(|_| !order.life.differences) else {
            return Ok(());
        };
        let differences = difference::with_record(&order.contents, record);
        let happening = Happening::Compared {
            reference: one.reference.clone(),
            differences: differences.len(),
        };
        match order::compared(&order.life, &one.reference, &differences)? {
            Some(change) => {
                self.record_now(conn, order, &change, Act::by(&Actor::Worker, happening, now))
                    .await?;
            }
            None => {
                let subject = Subject::Order(order.id.clone());
                events::event_append(conn, &order.tenant, &Actor::Worker, subject, happening, now).await?;
            }
        }
        Ok(())
    }

    /// Asked often enough, and they show no record of what somebody's word confirmed: a person looks again.
    async fn confirmed_unseen(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        if *answer != Answer::None || order.asking.asked.saturating_add(1) < MOST_FOR_CONFIRMED {
            return Ok(());
        }
        let reason = "the supplier shows no record of what was confirmed".to_owned();
        self.open_case(conn, order, CaseKind::Differences, reason, now).await
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
