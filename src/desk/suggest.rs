//! Acts of the assistant: reserve an intent, suggest an order, ask how it stands. There is no way to approve from here.
//!
//! Promises: the same question gets the same answer; other contents under a known identity change nothing and open a
//! case (rule 3). Must not: let evidence decide anything (rule 19).

use super::again::again;
use super::decide::LOOK_ALIKE;
use super::{Desk, DeskError, Program, clock};
use crate::domain::case::{CaseKind, CaseStep};
use crate::domain::contents::{ContentsDraft, Fault, Known, OrderContents, check};
use crate::domain::difference::{self, Difference};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{IntentId, SuggestionId, TenantId};
use crate::domain::money::{Money, sums};
use crate::domain::order::OrderState;
use crate::domain::suggestion::{Evidence, Reused, ReviewAct, Suggestion, SuggestionState, may_bring, review};
use crate::store::cases::About;
pub use crate::store::intents::IntentRow;
use crate::store::intents::Reserved;
use crate::store::orders::OrderRow;
use crate::store::suggestions::SuggestionRow;
use crate::store::{Conn, Written, events, intents, orders, people, reused, suggestions, suppliers, tenants};
use crate::supplier::Supplier;
use chrono::{DateTime, Utc};

/// What a program suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub revision: u32,
    pub contents: ContentsDraft,
    pub evidence: Evidence,
}

/// What became of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    In(Suggestion),
    /// A known revision with the same contents: the first answer again.
    Before(Suggestion),
}

/// How an intent stands.
#[derive(Debug, Clone)]
pub struct IntentView {
    pub id: IntentId,
    pub purpose: String,
    pub suggestion: Option<Suggestion>,
    /// Why a person sent it back or rejected it, for the assistant to read.
    pub reason: Option<String>,
    pub order: Option<OrderRow>,
    /// Every order of this intent.
    pub orders: Vec<OrderRow>,
    /// Other orders that look like it: approved in the last days, or not final (rule 2).
    pub look_alikes: Vec<OrderRow>,
    /// Other suggestions that look like it and wait for review.
    pub waiting_alike: Vec<Suggestion>,
}

impl IntentView {
    /// The money that may still be spent on this wish and on what looks like it, one sum a currency.
    pub fn pending_exposure(&self) -> Vec<Money> {
        let orders = self.orders.iter().chain(&self.look_alikes);
        let pending = orders.filter(|order| !OrderState::FINAL.contains(&order.life.state));
        sums(pending.map(|order| order.contents.total()))
    }
}

/// What exists in the tenant, for the contents check.
pub(super) async fn known(conn: &mut Conn, tenant: &TenantId) -> Result<Known, DeskError> {
    let mut known = Known::default();
    for row in suppliers::supplier_list(conn, tenant).await? {
        let supplier: Supplier = row.file.parse()?;
        known.suppliers.push((row.id, supplier.currencies));
    }
    known.sites = tenants::site_list(conn, tenant)
        .await?
        .into_iter()
        .map(|(code, _)| code)
        .collect();
    Ok(known)
}

impl Desk {
    /// Reserves an intent. A second, different purpose changes nothing.
    pub async fn intent_reserve(
        &self,
        program: &Program,
        id: &IntentId,
        purpose: &str,
    ) -> Result<(Reserved, IntentRow), DeskError> {
        again(|| self.reserve_once(program, id, purpose)).await
    }

    async fn reserve_once(
        &self,
        program: &Program,
        id: &IntentId,
        purpose: &str,
    ) -> Result<(Reserved, IntentRow), DeskError> {
        let now = clock::now();
        let tenant = program.tenant();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let reserved = intents::intent_reserve(&mut tx, tenant, id, purpose, program.0.id.as_str(), now).await?;
        if reserved == Reserved::Now {
            let subject = Subject::Intent(id.clone());
            events::event_append(
                &mut tx,
                tenant,
                &program.actor(),
                subject,
                Happening::IntentReserved,
                now,
            )
            .await?;
        }
        let kept = intents::intent_fetch(&mut tx, tenant, id).await?;
        let kept = kept.ok_or(DeskError::IntentUnknown)?;
        tx.commit().await?;
        Ok((reserved, kept))
    }

    /// Takes a suggestion in. The contents are checked first, the intent looked up after (doors.md).
    pub async fn suggest(
        &self,
        program: &Program,
        intent: Result<&IntentId, Fault>,
        proposal: Result<&Proposal, Vec<Fault>>,
    ) -> Result<Taken, DeskError> {
        let tenant = program.tenant();
        let mut read = self.store.begin_read().await?;
        let (proposal, contents) = match proposal {
            Err(faults) => return Err(DeskError::Faulty(faults)),
            Ok(proposal) => {
                let known = known(&mut read, tenant).await?;
                (proposal, check(&proposal.contents, &known).map_err(DeskError::Faulty)?)
            }
        };
        let intent = intent.map_err(|fault| DeskError::Faulty(vec![fault]))?;
        if !people::has_manager(&mut read, tenant, None).await? {
            return Err(DeskError::NoManager);
        }
        drop(read);
        again(|| self.take_in(program, intent, proposal, contents.clone())).await
    }

    async fn take_in(
        &self,
        program: &Program,
        intent: &IntentId,
        proposal: &Proposal,
        contents: OrderContents,
    ) -> Result<Taken, DeskError> {
        let tenant = program.tenant();
        let mut tx = self.store.begin_write_in(tenant).await?;
        if intents::intent_fetch(&mut tx, tenant, intent).await?.is_none() {
            return Err(DeskError::IntentUnknown);
        }
        if let Some(row) = suggestions::suggestion_revision(&mut tx, tenant, intent, proposal.revision).await? {
            let taken = self.known_revision(&mut tx, program, row, &contents).await;
            // the case of a reused intent is kept with its event; anything half done is not
            if matches!(taken, Ok(_) | Err(DeskError::IntentReused)) {
                tx.commit().await?;
            }
            return taken;
        }
        let latest = suggestions::suggestion_latest(&mut tx, tenant, intent).await?;
        let latest_state = latest
            .as_ref()
            .map(|row| (row.suggestion.revision, row.suggestion.state));
        if !may_bring(proposal.revision, latest_state) {
            return Err(DeskError::IntentClosed);
        }
        let suggestion = self
            .new_revision(&mut tx, program, intent, proposal, contents, latest)
            .await?;
        tx.commit().await?;
        Ok(Taken::In(suggestion))
    }

    /// The same contents get the first answer; other contents change nothing and open a case (rule 3).
    async fn known_revision(
        &self,
        conn: &mut Conn,
        program: &Program,
        row: SuggestionRow,
        contents: &OrderContents,
    ) -> Result<Taken, DeskError> {
        let (now, tenant, actor) = (clock::now(), program.tenant(), program.actor());
        let known = row.suggestion;
        let digest = contents.digest();
        if digest == known.digest {
            suggestions::suggestion_repeat(conn, &known.id).await?;
            return Ok(Taken::Before(known));
        }
        let subject = Subject::Suggestion(known.id.clone());
        let reused = Happening::SuggestionReused {
            revision: known.revision,
            digest,
        };
        events::event_append(conn, tenant, &actor, subject, reused, now).await?;
        let other = Reused {
            at: now,
            sent_by: program.0.name.clone(),
            contents: contents.clone(),
        };
        reused::reused_add(conn, tenant, &known.id, &other).await?;
        let changes = difference::between(&known.contents, contents);
        let changes: Vec<String> = changes.iter().take(10).map(Difference::in_words).collect();
        let reason = format!(
            "{} sent other contents under the same intent and revision {}; the stored ones stand. What it sent differs: {}",
            program.0.name,
            known.revision,
            changes.join("; ")
        );
        let open = CaseStep::Open {
            kind: CaseKind::IntentReused,
            reason,
        };
        self.case_step(conn, tenant, &About::Suggestion(known.id), &open, &actor, now)
            .await?;
        Err(DeskError::IntentReused)
    }

    async fn new_revision(
        &self,
        conn: &mut Conn,
        program: &Program,
        intent: &IntentId,
        proposal: &Proposal,
        contents: OrderContents,
        latest: Option<SuggestionRow>,
    ) -> Result<Suggestion, DeskError> {
        let (now, tenant, actor) = (clock::now(), program.tenant(), program.actor());
        if let Some(row) = latest
            && supersede(conn, tenant, (&actor, &program.0.name), &row.suggestion, now).await?
                == Written::NotInThatState
        {
            return Err(DeskError::IntentClosed);
        }
        let suggestion = Suggestion {
            id: SuggestionId::from_random(clock::random()),
            intent: intent.clone(),
            revision: proposal.revision,
            state: SuggestionState::InReview,
            digest: contents.digest(),
            contents,
            evidence: signed(&proposal.evidence, program),
            created_at: now,
        };
        suggestions::suggestion_add(conn, tenant, &suggestion).await?;
        let taken = Happening::SuggestionTaken {
            revision: suggestion.revision,
            digest: suggestion.digest.clone(),
        };
        events::event_append(
            conn,
            tenant,
            &actor,
            Subject::Suggestion(suggestion.id.clone()),
            taken,
            now,
        )
        .await?;
        Ok(suggestion)
    }

    /// How an intent stands.
    pub async fn intent(&self, program: &Program, id: &IntentId) -> Result<IntentView, DeskError> {
        let mut read = self.store.begin_read().await?;
        intent_view(&mut read, program.tenant(), id).await
    }
}

/// A newer revision takes the place of one that is still open. The reason it was sent back stays in its history; it is not
/// the reason for its replacement.
pub(super) async fn supersede(
    conn: &mut Conn,
    tenant: &TenantId,
    (actor, name): (&Actor, &str),
    known: &Suggestion,
    now: DateTime<Utc>,
) -> Result<Written, DeskError> {
    let to = review(known.state, ReviewAct::Supersede)?;
    let moved = suggestions::suggestion_move(conn, &known.id, known.state, to, (name, None), now).await?;
    if moved == Written::Done {
        let happening = Happening::SuggestionMoved {
            from: known.state,
            to,
            reason: None,
        };
        let subject = Subject::Suggestion(known.id.clone());
        events::event_append(conn, tenant, actor, subject, happening, now).await?;
    }
    Ok(moved)
}

/// Whoever does not say which agent it is goes by its token's name.
fn signed(evidence: &Evidence, program: &Program) -> Evidence {
    let mut evidence = evidence.clone();
    let unnamed = evidence.proposed_by.as_mut().filter(|by| by.agent.is_empty());
    if let Some(by) = unnamed {
        by.agent = program.0.name.clone();
    }
    evidence
}

async fn intent_view(conn: &mut Conn, tenant: &TenantId, id: &IntentId) -> Result<IntentView, DeskError> {
    let intent = intents::intent_fetch(conn, tenant, id)
        .await?
        .ok_or(DeskError::IntentUnknown)?;
    let latest = suggestions::suggestion_latest(conn, tenant, id).await?;
    let (suggestion, reason) = latest.map(|row| (row.suggestion, row.decision)).unzip();
    let order = orders::order_latest(conn, tenant, id).await?;
    let (mut look_alikes, mut waiting_alike) = (Vec::new(), Vec::new());
    if let Some(suggestion) = &suggestion {
        let key = suggestion.contents.look_alike_key();
        look_alikes = orders::order_look_alikes(conn, tenant, &key, id, clock::now() - LOOK_ALIKE).await?;
        let waiting = suggestions::suggestion_look_alikes(conn, tenant, &key, id).await?;
        waiting_alike = waiting.into_iter().map(|row| row.suggestion).collect();
    }
    Ok(IntentView {
        orders: orders::order_of_intent(conn, tenant, id).await?,
        look_alikes,
        waiting_alike,
        id: intent.id,
        purpose: intent.purpose,
        suggestion,
        reason: reason.flatten(),
        order,
    })
}
