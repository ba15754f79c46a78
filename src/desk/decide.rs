//! A person's decision on a suggestion: approve, send back, reject. One compare-and-set each (rules 4, 5 and 14).
//!
//! Promises: what was shown is what is frozen; whoever comes too late is told who decided what. Must not: send anything.

use super::again::again;
use super::{Desk, DeskError, Person, clock};
use crate::domain::contents::{Digest, OrderContents};
use crate::domain::difference;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{DraftId, OperationKey, OrderId, SuggestionId};
use crate::domain::order::{self, Hold, Holds, OrderState};
use crate::domain::person::{Act, may};
use crate::domain::refusal::Refusal;
use crate::domain::suggestion::{Approval, Predecessor, ReviewAct, Suggestion, SuggestionState, approve, review};
use crate::domain::text;
use crate::store::cases::About;
use crate::store::orders::{Asking, OrderRow};
use crate::store::suggestions::SuggestionRow;
use crate::store::{Conn, Written, drafts, events, intents, orders, suggestions, suppliers};
use chrono::TimeDelta;

/// How far back an approved order still counts as a look-alike (brief.md).
pub(super) const LOOK_ALIKE: TimeDelta = TimeDelta::days(7);

/// What an approval came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approved {
    Now(OrderId),
    /// The same contents had been approved; the earlier result (case P11).
    Before(OrderId),
}

impl Approved {
    /// The order that the suggestion became.
    pub fn order(self) -> OrderId {
        match self {
            Approved::Now(order) | Approved::Before(order) => order,
        }
    }
}

/// A decision that makes no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum No {
    SendBack,
    Reject,
}

impl No {
    fn act(self) -> (Act, ReviewAct) {
        match self {
            No::SendBack => (Act::SendBack, ReviewAct::SendBack),
            No::Reject => (Act::Reject, ReviewAct::Reject),
        }
    }
}

impl Desk {
    /// Approves what the screen showed: freezes the contents and makes the order, due at once.
    pub async fn approve(
        &self,
        person: &Person,
        id: &SuggestionId,
        approval: &Approval,
        reason: Option<&str>,
    ) -> Result<Approved, DeskError> {
        may(person.roles(), Act::Approve)?;
        if !approval.accept_unsettled.is_empty() {
            may(person.roles(), Act::AcceptUnsettled)?;
            if reason.is_none_or(|words| words.trim().is_empty()) {
                return Err(missing("reason", "say why an unsettled order is accepted").into());
            }
        }
        again(|| self.approve_once(person, id, approval, reason)).await
    }

    async fn approve_once(
        &self,
        person: &Person,
        id: &SuggestionId,
        approval: &Approval,
        reason: Option<&str>,
    ) -> Result<Approved, DeskError> {
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let row = fetch(&mut tx, person, id).await?;
        if row.suggestion.state == SuggestionState::Approved && row.suggestion.digest == approval.digest {
            let order = orders::order_of_suggestion(&mut tx, id)
                .await?
                .ok_or(DeskError::Absent("order"))?;
            return Ok(Approved::Before(order.id));
        }
        if row.suggestion.state != SuggestionState::InReview {
            return Err(overtaken(&mut tx, person, row).await?.into());
        }
        let order = self
            .approve_in(&mut tx, person, &row.suggestion, approval, reason)
            .await?;
        self.commit_and_ring(tx).await?;
        Ok(Approved::Now(order))
    }

    async fn approve_in(
        &self,
        conn: &mut Conn,
        person: &Person,
        suggestion: &Suggestion,
        approval: &Approval,
        reason: Option<&str>,
    ) -> Result<OrderId, DeskError> {
        let (now, tenant) = (clock::now(), person.tenant());
        let intent = &suggestion.intent;
        let shown = contents_of(conn, person, suggestion, &approval.digest).await?;
        let predecessors = orders::order_predecessors(conn, tenant, intent, suggestion.revision).await?;
        let key = suggestion.contents.look_alike_key();
        let alike = orders::order_look_alikes(conn, tenant, &key, intent, now - LOOK_ALIKE).await?;
        let waiting = suggestions::suggestion_look_alikes(conn, tenant, &key, intent).await?;
        let supplier = suppliers::supplier_fetch(conn, tenant, &suggestion.contents.supplier).await?;
        let supplier = supplier.ok_or(DeskError::Absent("supplier"))?;
        let holds = if supplier.held_at.is_some() {
            Holds::NONE.with(Hold::Supplier)
        } else {
            Holds::NONE
        };
        let reserved = intents::intent_fetch(conn, tenant, intent).await?;
        let reserved_at = reserved.ok_or(DeskError::IntentUnknown)?.reserved_at;
        let (holds, gap_at) = self.holds_of_pause(conn, tenant, reserved_at, holds).await?;
        let look_alikes = alike.len() + waiting.len();
        let life = approve(
            suggestion,
            approval,
            shown.as_ref(),
            &predecessors,
            look_alikes,
            holds,
            now,
        )?;
        let order = OrderRow {
            id: OrderId::from_random(clock::random()),
            tenant: tenant.clone(),
            intent: intent.clone(),
            revision: suggestion.revision,
            suggestion: suggestion.id.clone(),
            operation_key: OperationKey::of(tenant, intent, suggestion.revision),
            contents: suggestion.contents.clone(),
            digest: suggestion.digest.clone(),
            second_purchase: approval.second_purchase,
            beside: live(&predecessors),
            approved_by: person.0.id.clone(),
            approved_at: now,
            life,
            changed_at: now,
            // what may have been sent before a restore is looked up at once (rule 20)
            asking: gap_at.map_or_else(Asking::default, |_| Asking::at(now)),
            supplier_version: Some(supplier.version),
            gap_at,
        };
        let approved = Happening::OrderApproved {
            suggestion: suggestion.id.clone(),
            revision: suggestion.revision,
            digest: suggestion.digest.clone(),
            second_purchase: order.second_purchase,
            look_alikes: alike.into_iter().map(|one| one.id).collect(),
            accepted: unsettled(&predecessors),
            reason: match reason.filter(|words| !words.trim().is_empty()) {
                Some(words) => Some(reason_given("reason", words, "say why")?),
                None => None,
            },
        };
        self.keep_approval(conn, person, suggestion, &order, approved).await?;
        Ok(order.id)
    }

    async fn keep_approval(
        &self,
        conn: &mut Conn,
        person: &Person,
        suggestion: &Suggestion,
        order: &OrderRow,
        approved: Happening,
    ) -> Result<(), DeskError> {
        let (now, tenant, actor) = (order.approved_at, person.tenant(), person.actor());
        let by = (person.0.name.as_str(), None);
        let to = SuggestionState::Approved;
        let moved = suggestions::suggestion_move(conn, &suggestion.id, suggestion.state, to, by, now).await?;
        if moved == Written::NotInThatState {
            return Err(Refusal::SuggestionIs(suggestion.state).into());
        }
        orders::order_add(conn, order).await?;
        events::event_append(conn, tenant, &actor, Subject::Order(order.id.clone()), approved, now).await?;
        if let Some(hold) = order.life.holds.gravest() {
            let reason = match hold {
                Hold::Restore => "the database was restored since the wish was made: it may have been sent already",
                Hold::NotFound | Hold::Predecessor | Hold::TooOld | Hold::Supplier | Hold::Person => {
                    "it was on hold when the order was approved"
                }
            };
            let reason = reason.to_owned();
            let held = Happening::OrderHeld { hold, reason };
            events::event_append(
                conn,
                tenant,
                &Actor::Worker,
                Subject::Order(order.id.clone()),
                held,
                now,
            )
            .await?;
        }
        if order.life.holds.has(Hold::Restore) {
            let (about, open) = (About::Order(order.id.clone()), order::restored());
            self.case_step(conn, tenant, &about, &open, &Actor::Worker, now).await?;
        }
        let moved = Happening::SuggestionMoved {
            from: suggestion.state,
            to,
            reason: None,
        };
        events::event_append(
            conn,
            tenant,
            &actor,
            Subject::Suggestion(suggestion.id.clone()),
            moved,
            now,
        )
        .await?;
        Ok(())
    }

    /// Sends a suggestion back to the assistant, or rejects it, with a reason.
    pub async fn say_no(
        &self,
        person: &Person,
        id: &SuggestionId,
        digest: &Digest,
        no: No,
        reason: &str,
    ) -> Result<(), DeskError> {
        let (act, review_act) = no.act();
        may(person.roles(), act)?;
        let reason = reason_given(
            "reason",
            reason,
            "say why, so that the assistant and your colleagues know",
        )?;
        again(|| self.say_no_once(person, id, digest, review_act, &reason)).await
    }

    async fn say_no_once(
        &self,
        person: &Person,
        id: &SuggestionId,
        digest: &Digest,
        review_act: ReviewAct,
        reason: &str,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let row = fetch(&mut tx, person, id).await?;
        let Ok(to) = review(row.suggestion.state, review_act) else {
            return Err(overtaken(&mut tx, person, row).await?.into());
        };
        let known = row.suggestion;
        if *digest != known.digest {
            let shown = contents_of(&mut tx, person, &known, digest).await?;
            let differences = shown.map(|shown| difference::between(&shown, &known.contents));
            return Err(Refusal::ContentsChanged(differences.unwrap_or_default()).into());
        }
        let by = (person.0.name.as_str(), Some(reason));
        let moved = suggestions::suggestion_move(&mut tx, id, known.state, to, by, now).await?;
        if moved == Written::NotInThatState {
            return Err(Refusal::SuggestionIs(known.state).into());
        }
        let happening = Happening::SuggestionMoved {
            from: known.state,
            to,
            reason: Some(reason.to_owned()),
        };
        let subject = Subject::Suggestion(id.clone());
        events::event_append(&mut tx, person.tenant(), &person.actor(), subject, happening, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Keeps what was typed into an act after its session had ended, for the person it had belonged to (case P10).
    pub async fn keep_draft_of_session(
        &self,
        secret: &str,
        fields: &[(String, String)],
    ) -> Result<Option<DraftId>, DeskError> {
        match self.session_owner(secret).await? {
            Some(person) => Ok(Some(self.keep_draft(&person, fields, &Refusal::SignedOut).await?)),
            None => Ok(None),
        }
    }

    /// Keeps what was typed into an act that was refused (rule 18); answers the draft's id.
    pub async fn keep_draft(
        &self,
        person: &Person,
        fields: &[(String, String)],
        refusal: &Refusal,
    ) -> Result<DraftId, DeskError> {
        let id = DraftId::from_random(clock::random());
        let mut tx = self.store.begin_write().await?;
        drafts::draft_add(&mut tx, &id, &person.0.id, fields, refusal, clock::now()).await?;
        tx.commit().await?;
        Ok(id)
    }
}

/// The most characters of a reason; the form says the same.
const MOST_REASON: usize = 2_000;

/// A reason, or evidence, in normal spelling; an act that needs one does not happen without. `hint` says what is wanted.
pub(super) fn reason_given(field: &str, reason: &str, hint: &str) -> Result<String, Refusal> {
    // what nobody can see says nothing
    if reason
        .chars()
        .all(|letter| letter.is_whitespace() || text::is_hidden(letter))
    {
        return Err(missing(field, hint));
    }
    text::free_text(reason, MOST_REASON).map_err(|fault| missing(field, &fault.to_string()))
}

/// The predecessors that live: whoever approves has just said to want the order beside them.
fn live(predecessors: &[Predecessor]) -> Vec<OrderId> {
    let live = predecessors.iter().filter(|one| one.state.is_live());
    live.map(|one| one.order.clone()).collect()
}

/// Those that were accepted though they are not settled.
fn unsettled(predecessors: &[Predecessor]) -> Vec<OrderId> {
    let open = predecessors
        .iter()
        .filter(|one| !OrderState::FINAL.contains(&one.state));
    open.map(|one| one.order.clone()).collect()
}

/// A refusal that names a field.
pub fn missing(field: &str, detail: &str) -> Refusal {
    Refusal::Field {
        field: field.to_owned(),
        detail: detail.to_owned(),
    }
}

/// Why an act on a suggestion comes too late: replaced by a version that says something else (rule 4), or decided by
/// somebody, who and when (rule 14).
pub(super) async fn overtaken(conn: &mut Conn, person: &Person, row: SuggestionRow) -> Result<Refusal, DeskError> {
    let known = row.suggestion;
    if known.state == SuggestionState::Superseded {
        let latest = suggestions::suggestion_latest(conn, person.tenant(), &known.intent).await?;
        let changes = latest.map(|latest| difference::between(&known.contents, &latest.suggestion.contents));
        if let Some(changes) = changes.filter(|changes| !changes.is_empty()) {
            return Ok(Refusal::ContentsChanged(changes));
        }
    }
    Ok(match (row.decided_by, row.decided_at) {
        (Some(by), Some(at)) => Refusal::AlreadyDecided {
            by,
            at,
            state: known.state,
        },
        (None, _) | (_, None) => Refusal::SuggestionIs(known.state),
    })
}

pub(super) async fn fetch(conn: &mut Conn, person: &Person, id: &SuggestionId) -> Result<SuggestionRow, DeskError> {
    let row = suggestions::suggestion_fetch(conn, person.tenant(), id).await?;
    row.ok_or(DeskError::Absent("suggestion"))
}

/// The contents that had this digest, if they are a revision of the same intent: for the difference view (rule 4).
pub(super) async fn contents_of(
    conn: &mut Conn,
    person: &Person,
    suggestion: &Suggestion,
    digest: &Digest,
) -> Result<Option<OrderContents>, DeskError> {
    for revision in (1..=suggestion.revision).rev() {
        let row = suggestions::suggestion_revision(conn, person.tenant(), &suggestion.intent, revision).await?;
        if let Some(row) = row.filter(|row| row.suggestion.digest == *digest) {
            return Ok(Some(row.suggestion.contents));
        }
    }
    Ok(None)
}
