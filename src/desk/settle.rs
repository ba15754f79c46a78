//! Bringing a pending order home, by people: have it looked up, have it sent once more, say what they found out.
//!
//! Promises: whoever acts on a page that is no longer true is told who did what, and changes nothing (rule 14); a
//! finding, its event and the order's new life are one transaction. Must not: talk to a supplier; the worker does.

use super::again::again;
use super::decide::{missing, reason_given};
use super::record::{Act, subject_of};
use super::second_person::{Counts, Second};
use super::{Desk, DeskError, Person, clock};
use crate::domain::case::{Case, CaseKind, CaseStep};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{CaseId, OrderId, PersonId};
use crate::domain::look_up::{FindingWord, Source, may_look_up};
use crate::domain::order::{self, Finding, OrderState};
use crate::domain::person::{self, may};
use crate::domain::refusal::Refusal;
use crate::domain::resume::Ground;
use crate::domain::second_person::Proposed;
use crate::domain::text;
use crate::domain::ways::may_resume_now;
use crate::store::cases::{About, case_fetch};
use crate::store::findings::NewFinding;
use crate::store::orders::{Asking, OrderRow};
use crate::store::{Conn, attempts, events, findings, orders};
use chrono::{DateTime, TimeDelta, Utc};

/// The longest number of a supplier, in characters.
const MOST_REFERENCE: usize = 200;

/// The least time between two questions about one order that people want asked (doors.md: "limited by rate only").
const BETWEEN_QUESTIONS: TimeDelta = TimeDelta::seconds(1);

/// What a person found out.
#[derive(Debug, Clone)]
pub struct FoundByHand {
    pub finding: FindingWord,
    /// The supplier's own number.
    pub reference: Option<String>,
    pub evidence: String,
}

impl Desk {
    /// A person wants the supplier asked now; the worker asks within a second, so no page waits for it.
    pub async fn look_up(&self, person: &Person, id: &OrderId, version: u64) -> Result<(), DeskError> {
        may(person.roles(), person::Act::LookUp)?;
        again(|| self.look_up_once(person, id, version)).await
    }

    async fn look_up_once(&self, person: &Person, id: &OrderId, version: u64) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let order = order_at(&mut tx, person, id, version).await?;
        let facts = self.doubt_facts(&mut tx, &order).await?;
        may_look_up(&order.life, &facts.today.contract)?;
        let last = facts.known.look_ups.last().map(|one| one.at);
        let asking = asks_for(order.asking, last, &person.0.id, clock::now());
        orders::order_ask(&mut tx, id, &asking).await?;
        let (subject, wanted) = (Subject::Order(id.clone()), Happening::LookUpWanted);
        events::event_append(&mut tx, person.tenant(), &person.actor(), subject, wanted, clock::now()).await?;
        self.commit_and_ring(tx).await
    }

    /// A person asks to send the approved purchase once more: judged now, and again when the attempt opens (rule 9).
    pub async fn resume(&self, person: &Person, id: &OrderId, version: u64) -> Result<(), DeskError> {
        may(person.roles(), person::Act::Resume)?;
        again(|| self.resume_once(person, id, version)).await
    }

    async fn resume_once(&self, person: &Person, id: &OrderId, version: u64) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let order = order_at(&mut tx, person, id, version).await?;
        let facts = self.doubt_facts(&mut tx, &order).await?;
        let ground = may_resume_now(&order.life, person.roles(), &facts.about(&order.life), now)?;
        let change = order::want_resume(&order.life, Some(&person.0.id), now)?;
        let actor = person.actor();
        self.record_now(&mut tx, &order, &change, Act::by(&actor, Happening::ResumeWanted, now))
            .await?;
        if ground == Ground::NotFound {
            self.ask_before_send(&mut tx, person, &order, now).await?;
        }
        self.commit_and_ring(tx).await
    }

    /// The look-up right before a send, where the supplier can be asked.
    pub(super) async fn ask_before_send(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: &OrderRow,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let facts = self.doubt_facts(conn, order).await?;
        if facts.today.contract.look_up.can_ask() {
            let last = facts.known.look_ups.last().map(|one| one.at);
            let asking = asks_for(order.asking.clone(), last, &person.0.id, now);
            orders::order_ask(conn, &order.id, &asking).await?;
        }
        Ok(())
    }

    /// A person says what they found out, with evidence.
    pub async fn record_finding(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        found: &FoundByHand,
    ) -> Result<(), DeskError> {
        may(person.roles(), person::Act::RecordFinding)?;
        again(|| self.record_finding_once(person, id, version, found)).await
    }

    async fn record_finding_once(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        found: &FoundByHand,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let order = order_at(&mut tx, person, id, version).await?;
        order::may_find(&order.life)?;
        let evidence = evidence_given(&found.evidence)?;
        let established = self.by_hand(&mut tx, &order, found, now).await?;
        let reference = match reference_of(&established) {
            Some(reference) => Some(reference),
            None => reference_if_given(found.reference.as_deref())?,
        };
        let said = Proposed {
            at: now,
            finding: found.finding,
            reference,
            evidence,
            by: person.0.id.clone(),
            by_name: person.0.name.clone(),
        };
        match self.second_person(&mut tx, person, &order, said).await? {
            Second::Waits => tx.commit().await?,
            Second::Counts(counts) => {
                self.establish_by_hand(&mut tx, person, order, &established, &counts, now)
                    .await?;
                self.commit_and_ring(tx).await?;
            }
        }
        Ok(())
    }

    /// What a person found out, and a second one has confirmed where one was needed, becomes a finding.
    async fn establish_by_hand(
        &self,
        conn: &mut Conn,
        person: &Person,
        mut order: OrderRow,
        established: &Finding,
        said: &Counts,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        if let (true, Finding::AtSupplier { reference, .. }) = (order.life.waits_for_look_up(), established) {
            // it turned up after all, and the same person judges it: keep it
            order = self.turns_up(conn, person, order, reference, now).await?;
        }
        let change = order::establish(&order.life, established, now)?;
        let other_record = self.other_record(conn, &order, established).await?;
        let happening = Happening::FindingEstablished {
            finding: said.finding,
            source: Source::Person,
            reference: said.reference.clone(),
            evidence: Some(said.evidence.clone()),
            from: order.life.state,
            to: change.life.state,
        };
        let actor = person.actor();
        self.record_now(conn, &order, &change, Act::by(&actor, happening, now))
            .await?;
        if *established != Finding::CouldNotTell {
            attempts::attempts_answer(conn, &order.id).await?;
        }
        let kept = NewFinding {
            tenant: person.tenant(),
            order: &order.id,
            at: now,
            finding: said.finding,
            source: Source::Person,
            found_by: Some(&said.found_by),
            confirmed_by: said.confirmed_by.as_ref(),
            reference: said.reference.as_deref(),
            evidence: Some(&said.evidence),
        };
        findings::finding_add(conn, &kept).await?;
        if change.life.state == OrderState::Confirmed {
            self.compare_later(conn, &order, now).await?;
        }
        if let Some(reason) = other_record {
            let (about, kind) = (About::Order(order.id.clone()), CaseKind::SupplierDuplicate);
            let open = CaseStep::Open { kind, reason };
            self.case_step(conn, person.tenant(), &about, &open, &actor, now)
                .await?;
        }
        Ok(())
    }

    /// An order that was found not to be there is in doubt again, naming the record.
    async fn turns_up(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: OrderRow,
        reference: &str,
        now: DateTime<Utc>,
    ) -> Result<OrderRow, DeskError> {
        let change = order::late_record(&order.life, Some(reference))?;
        let happening = Happening::LateRecord {
            reference: reference.to_owned(),
            from: order.life.state,
            to: change.life.state,
        };
        let actor = person.actor();
        self.record_now(conn, &order, &change, Act::by(&actor, happening, now))
            .await?;
        Ok(OrderRow {
            life: change.life,
            ..order
        })
    }

    /// A late record that a person passes over, by naming another number, is still somebody's.
    async fn other_record(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        established: &Finding,
    ) -> Result<Option<String>, DeskError> {
        let (Finding::AtSupplier { reference, .. }, Some(late)) = (established, &order.life.supplier_reference) else {
            return Ok(None);
        };
        let is_late = self.doubt_facts(conn, order).await?.known.record_there;
        Ok((is_late && late != reference).then(|| format!("the supplier has another record of it, {late}")))
    }

    /// The domain's finding of a person's words.
    async fn by_hand(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        found: &FoundByHand,
        now: DateTime<Utc>,
    ) -> Result<Finding, DeskError> {
        match found.finding {
            FindingWord::AtSupplier => {
                let reference = reference_given(found.reference.as_deref())?;
                self.doubt_facts(conn, order).await?.known.may_be(&reference)?;
                let differences = Vec::new();
                Ok(Finding::AtSupplier { reference, differences })
            }
            FindingWord::RefusedThere => Ok(Finding::RefusedThere {
                reference: reference_if_given(found.reference.as_deref())?,
            }),
            FindingWord::NotAtSupplier => {
                let facts = self.doubt_facts(conn, order).await?;
                if facts.known.record_there {
                    return Err(Refusal::RecordThere.into());
                }
                let at = facts.settled_at();
                if now < at {
                    return Err(Refusal::NotSettledYet { at }.into());
                }
                Ok(Finding::NotAtSupplier)
            }
            FindingWord::CouldNotTell => Ok(Finding::CouldNotTell),
            FindingWord::NotYetConfirmed => Err(missing(
                "finding",
                "at_supplier, refused_there, not_at_supplier or could_not_tell",
            )
            .into()),
        }
    }

    /// A person's word confirmed it, and nothing was compared yet: where the supplier can be asked, its record is
    /// compared too (doors.md "record_finding").
    pub(super) async fn compare_later(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let facts = self.doubt_facts(conn, order).await?;
        if facts.today.contract.look_up.can_ask() {
            let asking = Asking {
                at: Some(now),
                ..Asking::default()
            };
            orders::order_ask(conn, &order.id, &asking).await?;
        }
        Ok(())
    }
}

/// A person wants it asked: now, or a moment after the last question, so that impatience is no load on the supplier. One
/// that is under way is theirs too.
fn asks_for(asking: Asking, last: Option<DateTime<Utc>>, by: &PersonId, now: DateTime<Utc>) -> Asking {
    let under_way = asking.since.is_some() && asking.at.is_some_and(|at| at > now);
    let earliest = last.map_or(now, |last| now.max(last + BETWEEN_QUESTIONS));
    Asking {
        at: if under_way { asking.at } else { Some(earliest) },
        by: asking.by.or_else(|| Some(by.clone())),
        ..asking
    }
}

/// The supplier's number in a finding.
pub(super) fn reference_of(finding: &Finding) -> Option<String> {
    match finding {
        Finding::AtSupplier { reference, .. } => Some(reference.clone()),
        Finding::NotYetConfirmed { reference } => reference.clone(),
        Finding::RefusedThere { reference } => reference.clone(),
        Finding::NotAtSupplier | Finding::CouldNotTell => None,
    }
}

fn reference_given(text: Option<&str>) -> Result<String, Refusal> {
    reference_if_given(text)?
        .ok_or_else(|| missing("reference", "give their number: it is needed when they have the order"))
}

pub(super) fn reference_if_given(text: Option<&str>) -> Result<Option<String>, Refusal> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let read = text.map(|text| text::identifier(text, MOST_REFERENCE));
    read.transpose()
        .map_err(|fault| missing("reference", &fault.to_string()))
}

fn evidence_given(text: &str) -> Result<String, Refusal> {
    reason_given("evidence", text, "say how you know: whom you asked, what you saw, when")
}

/// The order as a person saw it. One that has changed since is "already done by … at …" (rule 14).
pub(super) async fn order_at(
    conn: &mut Conn,
    person: &Person,
    id: &OrderId,
    version: u64,
) -> Result<OrderRow, DeskError> {
    let order = orders::order_fetch(conn, person.tenant(), id)
        .await?
        .ok_or(DeskError::Absent("order"))?;
    if order.life.version == version {
        return Ok(order);
    }
    Err(last_doer(conn, person, id.as_str(), Doing::OfOrder).await?.into())
}

/// An open case as a person saw it, with what it is about. One that has changed since is "already done by … at …" (rule 14).
pub(super) async fn case_at(
    conn: &mut Conn,
    person: &Person,
    id: &CaseId,
    version: u64,
) -> Result<(Case, About), DeskError> {
    let (case, about) = case_fetch(conn, person.tenant(), id)
        .await?
        .ok_or(DeskError::Absent("case"))?;
    if case.closed_at.is_none() && case.version == version {
        return Ok((case, about));
    }
    let subject = subject_of(&about).id();
    Err(last_doer(conn, person, &subject, Doing::OfCase).await?.into())
}

/// Whose doing is asked for: of the thing itself, or of its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    OfOrder,
    OfCase,
}

impl Doing {
    /// Whether this is what could have overtaken a page. Look-ups, reminders and what follows from an act by itself are not.
    fn moves(self, happening: &Happening) -> bool {
        let of_case = matches!(
            happening,
            Happening::CaseMoved { .. }
                | Happening::CaseOpened { .. }
                | Happening::CaseClosed { .. }
                | Happening::CaseDecided { .. }
                | Happening::CaseAcknowledged { .. }
        );
        let leaves_it = matches!(
            happening,
            Happening::LookedUp { .. }
                | Happening::LookUpWanted
                | Happening::ChangeSuggested { .. }
                | Happening::FindingProposed { .. }
                | Happening::FindingDeclined { .. }
                | Happening::CaseReminded { .. }
                | Happening::CaseEscalated { .. }
        );
        match self {
            Doing::OfCase => of_case,
            Doing::OfOrder => !of_case && !leaves_it,
        }
    }
}

/// Within this time a second press by the same person is overtaken by their own first one, whatever followed from that.
const OWN_PRESS: TimeDelta = TimeDelta::seconds(60);

/// Who last did something to this thing, and when.
pub(super) async fn last_doer(
    conn: &mut Conn,
    person: &Person,
    subject: &str,
    doing: Doing,
) -> Result<Refusal, DeskError> {
    let history = events::event_list(conn, person.tenant(), subject).await?;
    let mut moves = history.iter().rev().filter(|event| doing.moves(&event.happening));
    let last = moves.clone().next();
    let own = moves.find(|event| event.actor.person().is_some());
    let own = own.filter(|event| event.actor == person.actor() && clock::now() - event.at <= OWN_PRESS);
    let moved = own.or(last);
    let last = moved.ok_or(DeskError::Absent("event"))?;
    let by = match &last.actor {
        Actor::Person { name, .. } | Actor::Program { name, .. } => name.clone(),
        Actor::Worker => "the worker".to_owned(),
        Actor::System => "the system".to_owned(),
        Actor::CommandLine => "the command line".to_owned(),
    };
    Ok(Refusal::AlreadyDone { by, at: last.at })
}
