//! Closing a case by a decision: what a person decides, with a reason, from exactly the version the page showed.
//!
//! Promises: decision, judgement of the record, the order's new life and the closed case are one transaction; whoever comes
//! second is told who was faster (rule 14). Must not: say what a decision means; `domain::decision` does.

use super::again::again;
use super::decide::{missing, reason_given};
use super::own::target_of;
use super::record::{Act, subject_of};
use super::settle::{case_at, reference_if_given};
use super::{Desk, DeskError, Person, clock};
use crate::domain::case::{Case, CaseKind, CaseStep};
use crate::domain::decision::{Decided, Deciding, Decision, decide, may_decide};
use crate::domain::event::{Event, Happening};
use crate::domain::ids::CaseId;
use crate::domain::order::OrderState;
use crate::domain::pages::Target;
use crate::domain::refusal::Refusal;
use crate::store::cases::About;
use crate::store::judgements::{NewJudgement, judgement_add};
use crate::store::orders::{Asking, OrderRow};
use crate::store::{Conn, attempts, events, orders};
use chrono::{DateTime, Utc};

/// What a person decided.
#[derive(Debug, Clone)]
pub struct ByDecision {
    pub decision: Decision,
    pub reason: String,
    /// The supplier's number of the record it is about.
    pub reference: Option<String>,
}

/// What people need to know of a decision.
const SAY_WHY: &str = "say how you know, and why it is right";

impl Desk {
    /// Closes a case by a decision. Answers the page of what the case is about.
    pub async fn close_case(
        &self,
        person: &Person,
        id: &CaseId,
        version: u64,
        by: &ByDecision,
    ) -> Result<Target, DeskError> {
        may_decide(person.roles(), by.decision)?;
        again(|| self.close_case_once(person, id, version, by)).await
    }

    async fn close_case_once(
        &self,
        person: &Person,
        id: &CaseId,
        version: u64,
        by: &ByDecision,
    ) -> Result<Target, DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let (case, about) = case_at(&mut tx, person, id, version).await?;
        let order = order_of(&mut tx, person, &about).await?;
        let reference = reference_if_given(by.reference.as_deref())?;
        let deciding = Deciding {
            kind: case.kind,
            life: order.as_ref().map(|order| &order.life),
            reference: reference.as_deref(),
            was_refused: was_refused(&mut tx, person, &about).await?,
        };
        let decided = decide(deciding, by.decision, now)?;
        if let Some(order) = &order {
            self.fits_what_is_known(&mut tx, order, &case, &decided).await?;
        }
        let reason = reason_given("reason", &by.reason, SAY_WHY)?;
        self.decided(
            &mut tx,
            person,
            (&case, &about),
            order.as_ref(),
            &decided,
            (by.decision, reason),
            now,
        )
        .await?;
        self.commit_and_ring(tx).await?;
        Ok(target_of(about, &case.id))
    }

    /// A doubt is not given up while a record waits to be judged, and a record that nobody has seen is not judged.
    async fn fits_what_is_known(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        case: &Case,
        decided: &Decided,
    ) -> Result<(), DeskError> {
        let facts = self.doubt_facts(conn, order).await?;
        if case.kind == CaseKind::Pending && facts.known.record_there {
            return Err(Refusal::RecordThere.into());
        }
        let Some(judged) = decided
            .judged
            .as_ref()
            .filter(|_| case.kind == CaseKind::SupplierDuplicate)
        else {
            return Ok(());
        };
        let looked_up = facts.known.look_ups.iter().flat_map(|one| &one.records);
        let told = facts.tried.iter().filter_map(|one| one.attempt.reference.as_deref());
        let mut seen: Vec<&str> = looked_up.map(|one| one.reference.as_str()).chain(told).collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.contains(&judged.reference.as_str()) {
            return Ok(());
        }
        let detail = format!("nobody has seen a record of this number; seen were {}", seen.join(", "));
        Err(missing("reference", &detail).into())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a decision is all of these at once; a struct would be used only here"
    )]
    async fn decided(
        &self,
        conn: &mut Conn,
        person: &Person,
        (case, about): (&Case, &About),
        order: Option<&OrderRow>,
        decided: &Decided,
        (decision, reason): (Decision, String),
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let actor = person.actor();
        let happening = Happening::CaseDecided {
            case: case.id.clone(),
            case_kind: case.kind,
            decision,
            reference: decided.judged.as_ref().map(|judged| judged.reference.clone()),
            reason: reason.clone(),
            from: order.map(|order| order.life.state),
            to: decided.change.as_ref().map(|change| change.life.state),
        };
        match (order, &decided.change) {
            (Some(order), Some(change)) => {
                self.record_now(conn, order, change, Act::by(&actor, happening, now))
                    .await?;
            }
            (Some(_) | None, None) | (None, Some(_)) => {
                events::event_append(conn, person.tenant(), &actor, subject_of(about), happening, now).await?;
            }
        }
        if let (Some(order), Some(judged)) = (order, &decided.judged) {
            let kept = NewJudgement {
                tenant: person.tenant(),
                order: &order.id,
                at: now,
                judged,
                by: &person.0.id,
                evidence: &reason,
            };
            judgement_add(conn, &kept).await?;
            let kept = decided.change.as_ref().map(|change| change.life.state) == Some(OrderState::Confirmed);
            if kept {
                // their record is compared with what was approved (rule 12)
                self.compare_later(conn, order, now).await?;
            } else if decided.change.is_none() && order.life.state != OrderState::Submitting {
                // one record less stands beside the others: they are asked for anew
                orders::order_ask(conn, &order.id, &Asking::at(now)).await?;
            }
        }
        if let (Some(order), true) = (order, decided.answers_doubt) {
            attempts::attempts_answer(conn, &order.id).await?;
        }
        // the order's change may have closed it
        let close = CaseStep::Close(case.kind);
        self.case_step(conn, person.tenant(), about, &close, &actor, now).await
    }
}

async fn order_of(conn: &mut Conn, person: &Person, about: &About) -> Result<Option<OrderRow>, DeskError> {
    match about {
        About::Order(id) => {
            let order = orders::order_fetch(conn, person.tenant(), id).await?;
            Ok(Some(order.ok_or(DeskError::Absent("order"))?))
        }
        About::Suggestion(_) | About::Supplier(_) => Ok(None),
    }
}

/// Whether the order had been refused when its late record turned up.
async fn was_refused(conn: &mut Conn, person: &Person, about: &About) -> Result<bool, DeskError> {
    let About::Order(id) = about else {
        return Ok(false);
    };
    let history = events::event_list(conn, person.tenant(), id.as_str()).await?;
    let from = |event: &Event| match event.happening {
        Happening::LateRecord { from, to, .. } | Happening::LateReply { from, to, .. } => {
            let came_back = from != to && to == OrderState::ConfirmationPending;
            came_back.then_some(from)
        }
        _ => None,
    };
    Ok(history.iter().rev().find_map(from) == Some(OrderState::Refused))
}
