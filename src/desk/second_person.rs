//! What a person found out about an order above the tenant's amount waits for a second person.
//!
//! Promises: it changes nothing about the order until somebody else confirmed it, from the version it was found out about.
//! Must not: establish anything; `desk::settle` does.

use super::again::again;
use super::decide::reason_given;
use super::settle::order_at;
use super::{Desk, DeskError, Person, clock};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{OrderId, PersonId};
use crate::domain::look_up::FindingWord;
use crate::domain::order;
use crate::domain::refusal::Refusal;
use crate::domain::second_person::{Proposed, is_needed};
use crate::store::orders::OrderRow;
use crate::store::{Conn, events, second_person};
use chrono::{DateTime, Utc};

/// Where a finding stands with the second person.
pub(super) enum Second {
    /// It was kept for one, and nothing has changed.
    Waits,
    Counts(Counts),
}

/// A finding that counts: nobody else is needed, or both have said the same.
pub(super) struct Counts {
    pub finding: FindingWord,
    pub reference: Option<String>,
    pub evidence: String,
    pub found_by: PersonId,
    pub confirmed_by: Option<PersonId>,
}

impl Counts {
    fn alone(said: Proposed) -> Self {
        Self {
            finding: said.finding,
            reference: said.reference,
            evidence: said.evidence,
            found_by: said.by,
            confirmed_by: None,
        }
    }

    fn both(first: Proposed, second: Proposed) -> Self {
        Self {
            evidence: format!("{}\n{}: {}", first.evidence, second.by_name, second.evidence),
            finding: first.finding,
            reference: first.reference,
            found_by: first.by,
            confirmed_by: Some(second.by),
        }
    }
}

impl Desk {
    /// Whether what this person says counts now, or is kept for a second one.
    pub(super) async fn second_person(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: &OrderRow,
        said: Proposed,
    ) -> Result<Second, DeskError> {
        let above = second_person::amount_list(conn, &order.tenant).await?;
        let waits = second_person::proposal_open(conn, &order.id, order.life.version).await?;
        let Some(first) = waits else {
            if said.finding == FindingWord::CouldNotTell || !is_needed(&above, order.contents.total()) {
                return Ok(Second::Counts(Counts::alone(said)));
            }
            return self.propose(conn, person, order, said).await;
        };
        let is_same = first.is_same(said.finding, said.reference.as_deref());
        match first.may_confirm(person.roles(), &person.0.id) {
            Ok(()) if is_same => {
                let _one = second_person::proposal_confirmed(conn, &order.id, &said.by, said.at).await?;
                Ok(Second::Counts(Counts::both(first, said)))
            }
            // whoever found it out may correct it
            Err(Refusal::OwnFinding) if !is_same && said.finding != FindingWord::CouldNotTell => {
                self.propose(conn, person, order, said).await
            }
            Err(Refusal::OwnFinding) => Err(Refusal::OwnFinding.into()),
            Ok(()) | Err(_) => Err(Refusal::FindingWaits {
                by: first.by_name,
                at: first.at,
            }
            .into()),
        }
    }

    /// Keeps what a person found out, for the second one.
    async fn propose(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: &OrderRow,
        proposed: Proposed,
    ) -> Result<Second, DeskError> {
        let version = (&order.id, order.life.version);
        second_person::proposal_add(conn, &order.tenant, version, &proposed).await?;
        let happening = Happening::FindingProposed {
            finding: proposed.finding,
            reference: proposed.reference,
            evidence: proposed.evidence,
        };
        let subject = Subject::Order(order.id.clone());
        events::event_append(conn, &order.tenant, &person.actor(), subject, happening, proposed.at).await?;
        Ok(Second::Waits)
    }

    /// What waited about an order says nothing of it once it has moved on, and whoever looks is told.
    pub(super) async fn void_proposal(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        if order::may_find(&order.life).is_err() {
            return Ok(());
        }
        let Some(waits) = second_person::proposal_open(conn, &order.id, order.life.version).await? else {
            return Ok(());
        };
        second_person::proposal_void(conn, &order.id, now).await?;
        let happening = Happening::FindingDeclined {
            finding: waits.finding,
            reason: "the order moved on before a second person had confirmed it".to_owned(),
        };
        let subject = Subject::Order(order.id.clone());
        events::event_append(conn, &order.tenant, actor, subject, happening, now).await?;
        Ok(())
    }

    /// What waits for a second person, as the page showed it, does not count; a manager says so, or whoever found it out.
    pub async fn decline_finding(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        shown: (FindingWord, Option<&str>),
        reason: &str,
    ) -> Result<(), DeskError> {
        again(|| self.decline_once(person, id, version, shown, reason)).await
    }

    async fn decline_once(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        (finding, reference): (FindingWord, Option<&str>),
        reason: &str,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let order = order_at(&mut tx, person, id, version).await?;
        let waits = second_person::proposal_open(&mut tx, id, version).await?;
        let waits = waits.ok_or(Refusal::NothingWaits)?;
        waits.may_decline(person.roles(), &person.0.id)?;
        if !waits.is_same(finding, reference) {
            // another one than the page showed
            return Err(Refusal::FindingWaits {
                by: waits.by_name,
                at: waits.at,
            }
            .into());
        }
        let reason = reason_given("reason", reason, "say why it does not count")?;
        let _one = second_person::proposal_declined(&mut tx, id, &person.0.id, now).await?;
        let happening = Happening::FindingDeclined {
            finding: waits.finding,
            reason,
        };
        let subject = Subject::Order(id.clone());
        events::event_append(&mut tx, &order.tenant, &person.actor(), subject, happening, now).await?;
        tx.commit().await?;
        Ok(())
    }
}
