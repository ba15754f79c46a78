//! A person's change: the next revision of what was suggested or ordered, for a review of its own (rule 5).
//!
//! Promises: frozen contents stay as they are; the change says what it differs in, and both sides name each other; a change
//! that was made already is answered with what it became (case P11). Must not: approve anything.

use super::again::again;
use super::decide::{contents_of, fetch, missing, overtaken};
use super::settle::order_at;
use super::suggest::{known, supersede};
use super::{Desk, DeskError, Person, clock};
use crate::domain::contents::{Digest, OrderContents, check};
use crate::domain::difference;
use crate::domain::event::{Happening, Subject};
use crate::domain::ids::{IntentId, OrderId, SuggestionId};
use crate::domain::order::OrderState;
use crate::domain::person::{Act, may};
use crate::domain::refusal::Refusal;
use crate::domain::revision::{RevisionTyped, revised};
use crate::domain::suggestion::{Evidence, Suggestion, SuggestionState, may_change, may_change_order};
use crate::store::orders::OrderRow;
use crate::store::suggestions::SuggestionRow;
use crate::store::{Conn, Written, events, orders, suggestions};
use chrono::{DateTime, Utc};

/// What is changed, as the page showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changing {
    Suggestion { id: SuggestionId, digest: Digest },
    Order { id: OrderId, version: u64 },
}

/// What the change stands on.
struct Base {
    intent: IntentId,
    contents: OrderContents,
    /// The order that is to be another purchase.
    order: Option<OrderRow>,
    /// The intent's latest suggestion.
    latest: Suggestion,
}

impl Desk {
    /// Makes the next revision out of a person's change. Answers the suggestion that waits for review now.
    pub async fn revise(
        &self,
        person: &Person,
        changing: &Changing,
        typed: &RevisionTyped,
    ) -> Result<SuggestionId, DeskError> {
        may(person.roles(), Act::Revise)?;
        again(|| self.revise_once(person, changing, typed)).await
    }

    async fn revise_once(
        &self,
        person: &Person,
        changing: &Changing,
        typed: &RevisionTyped,
    ) -> Result<SuggestionId, DeskError> {
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let contents = self.typed_contents(&mut tx, person, changing, typed).await?;
        let base = match base(&mut tx, person, changing).await {
            Ok(base) => base,
            Err(DeskError::Refused(refusal)) => {
                let before = made_before(&mut tx, person, changing, &contents.digest()).await?;
                return before.ok_or(DeskError::Refused(refusal));
            }
            Err(other) => return Err(other),
        };
        let is_another = base.order.as_ref().is_some_and(|order| is_over(order.life.state));
        if contents == base.contents && !is_another {
            return Err(Refusal::NothingChanged.into());
        }
        let id = keep(&mut tx, person, base, contents, clock::now()).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// What was typed, on top of what stood; every fault by the field it was typed into.
    async fn typed_contents(
        &self,
        conn: &mut Conn,
        person: &Person,
        changing: &Changing,
        typed: &RevisionTyped,
    ) -> Result<OrderContents, DeskError> {
        let standing = match changing {
            Changing::Suggestion { id, .. } => fetch(conn, person, id).await?.suggestion.contents,
            Changing::Order { id, .. } => {
                let order = orders::order_fetch(conn, person.tenant(), id).await?;
                order.ok_or(DeskError::Absent("order"))?.contents
            }
        };
        let revised = revised(&standing, typed);
        let known = known(conn, person.tenant()).await?;
        check(&revised.draft, &known).map_err(|faults| {
            let fields = faults
                .iter()
                .map(|fault| (revised.field_of(fault), fault.detail.clone()));
            DeskError::Refused(Refusal::Fields(fields.collect()))
        })
    }
}

/// An order of which nothing is under way: the same may be wanted again.
fn is_over(state: OrderState) -> bool {
    match state {
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => true,
        OrderState::Approved | OrderState::Submitting | OrderState::Acknowledged | OrderState::ConfirmationPending => {
            false
        }
    }
}

async fn base(conn: &mut Conn, person: &Person, changing: &Changing) -> Result<Base, DeskError> {
    match changing {
        Changing::Suggestion { id, digest } => base_of_suggestion(conn, person, id, digest).await,
        Changing::Order { id, version } => {
            let order = order_at(conn, person, id, *version).await?;
            base_of_order(conn, person, order).await
        }
    }
}

async fn base_of_suggestion(
    conn: &mut Conn,
    person: &Person,
    id: &SuggestionId,
    digest: &Digest,
) -> Result<Base, DeskError> {
    let row = fetch(conn, person, id).await?;
    if may_change(row.suggestion.state).is_err() {
        return Err(overtaken(conn, person, row).await?.into());
    }
    let latest = row.suggestion;
    if *digest != latest.digest {
        let shown = contents_of(conn, person, &latest, digest).await?;
        let differences = shown.map(|shown| difference::between(&shown, &latest.contents));
        return Err(Refusal::ContentsChanged(differences.unwrap_or_default()).into());
    }
    Ok(Base {
        intent: latest.intent.clone(),
        contents: latest.contents.clone(),
        order: None,
        latest,
    })
}

async fn base_of_order(conn: &mut Conn, person: &Person, order: OrderRow) -> Result<Base, DeskError> {
    let latest = latest_suggestion(conn, person, &order.intent).await?;
    may_change_order_now(conn, &order, &latest).await??;
    Ok(Base {
        intent: order.intent.clone(),
        contents: order.contents.clone(),
        order: Some(order),
        latest: latest.suggestion,
    })
}

async fn latest_suggestion(conn: &mut Conn, person: &Person, intent: &IntentId) -> Result<SuggestionRow, DeskError> {
    let latest = suggestions::suggestion_latest(conn, person.tenant(), intent).await?;
    latest.ok_or(DeskError::Absent("suggestion"))
}

/// Whether this order may be changed into a different purchase, as its intent now stands.
pub(super) async fn may_change_order_now(
    conn: &mut Conn,
    order: &OrderRow,
    latest: &SuggestionRow,
) -> Result<Result<(), Refusal>, DeskError> {
    let last = orders::order_latest(conn, &order.tenant, &order.intent).await?;
    let later = last.map(|last| last.id).filter(|last| *last != order.id);
    let latest = &latest.suggestion;
    Ok(may_change_order((&latest.id, latest.state), later.as_ref()))
}

/// What this very change became, where it was made before: the intent's latest revision says the same, and is this person's.
async fn made_before(
    conn: &mut Conn,
    person: &Person,
    changing: &Changing,
    digest: &Digest,
) -> Result<Option<SuggestionId>, DeskError> {
    let (intent, revision) = match changing {
        Changing::Suggestion { id, .. } => {
            let row = fetch(conn, person, id).await?.suggestion;
            (row.intent, row.revision)
        }
        Changing::Order { id, .. } => {
            let order = orders::order_fetch(conn, person.tenant(), id).await?;
            let order = order.ok_or(DeskError::Absent("order"))?;
            (order.intent, order.revision)
        }
    };
    let latest = latest_suggestion(conn, person, &intent).await?.suggestion;
    let is_mine = latest.evidence.changed_by.as_deref() == Some(&*person.0.name);
    Ok((is_mine && latest.revision > revision && latest.digest == *digest).then_some(latest.id))
}

async fn keep(
    conn: &mut Conn,
    person: &Person,
    base: Base,
    contents: OrderContents,
    now: DateTime<Utc>,
) -> Result<SuggestionId, DeskError> {
    let (tenant, actor) = (person.tenant(), person.actor());
    if SuggestionState::OPEN.contains(&base.latest.state) {
        let by = (&actor, person.0.name.as_str());
        if supersede(conn, tenant, by, &base.latest, now).await? == Written::NotInThatState {
            return Err(Refusal::SuggestionIs(base.latest.state).into());
        }
    }
    let revision = base.latest.revision.checked_add(1);
    let suggestion = Suggestion {
        id: SuggestionId::from_random(clock::random()),
        intent: base.intent,
        revision: revision.ok_or_else(|| missing("suggestion", "has no further version"))?,
        state: SuggestionState::InReview,
        digest: contents.digest(),
        evidence: Evidence {
            changed_by: Some(person.0.name.clone()),
            ..Evidence::default()
        },
        created_at: now,
        contents,
    };
    suggestions::suggestion_add(conn, tenant, &suggestion).await?;
    let order = base.order.map(|order| order.id);
    let revised = Happening::SuggestionRevised {
        revision: suggestion.revision,
        digest: suggestion.digest.clone(),
        order: order.clone(),
        differences: difference::between(&base.contents, &suggestion.contents).len(),
    };
    let subject = Subject::Suggestion(suggestion.id.clone());
    events::event_append(conn, tenant, &actor, subject, revised, now).await?;
    if let Some(order) = order {
        let suggested = Happening::ChangeSuggested {
            suggestion: suggestion.id.clone(),
        };
        events::event_append(conn, tenant, &actor, Subject::Order(order), suggested, now).await?;
    }
    Ok(suggestion.id)
}
