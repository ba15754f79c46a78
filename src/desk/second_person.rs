//! What a person found out about an order above the tenant's amount waits for a second person.
//!
//! Promises: it changes nothing about the order until somebody else confirmed it, from the version it was found out about.
//! Must not: establish anything; `desk::settle` does.

use super::again::again;
use super::decide::reason_given;
use super::settle::order_at;
use super::{Desk, DeskError, Person, clock};
use crate::domain::event::{Happening, Subject};
use crate::domain::ids::OrderId;
use crate::domain::look_up::FindingWord;
use crate::domain::refusal::Refusal;
use crate::domain::second_person::{Proposed, is_needed};
use crate::store::orders::OrderRow;
use crate::store::{Conn, events, second_person};

/// Where a finding stands with the second person.
pub(super) enum Second {
    NotNeeded,
    /// This is the first: somebody else has to confirm it.
    Wanted,
    /// This is the second, and says the same.
    Confirms(Proposed),
}

impl Desk {
    /// Whether a finding of this person needs a second one, or is the second one's word.
    pub(super) async fn second_person(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: &OrderRow,
        (finding, reference): (FindingWord, Option<&str>),
    ) -> Result<Second, DeskError> {
        let above = second_person::amount_list(conn, &order.tenant).await?;
        if finding == FindingWord::CouldNotTell || !is_needed(&above, order.contents.total()) {
            return Ok(Second::NotNeeded);
        }
        let Some(waits) = second_person::proposal_open(conn, &order.id, order.life.version).await? else {
            return Ok(Second::Wanted);
        };
        match waits.may_confirm(person.roles(), &person.0.id) {
            Ok(()) if waits.is_same(finding, reference) => Ok(Second::Confirms(waits)),
            // whoever found it out may correct it
            Err(Refusal::OwnFinding) if !waits.is_same(finding, reference) => Ok(Second::Wanted),
            Err(Refusal::OwnFinding) => Err(Refusal::OwnFinding.into()),
            Ok(()) | Err(_) => Err(Refusal::FindingWaits {
                by: waits.by_name,
                at: waits.at,
            }
            .into()),
        }
    }

    /// Keeps what a person found out, for the second one.
    pub(super) async fn propose(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: &OrderRow,
        proposed: Proposed,
    ) -> Result<(), DeskError> {
        let version = (&order.id, order.life.version);
        second_person::proposal_add(conn, &order.tenant, version, &proposed).await?;
        let happening = Happening::FindingProposed {
            finding: proposed.finding,
            reference: proposed.reference,
            evidence: proposed.evidence,
        };
        let subject = Subject::Order(order.id.clone());
        events::event_append(conn, &order.tenant, &person.actor(), subject, happening, proposed.at).await?;
        Ok(())
    }

    /// What waits for a second person does not count; a manager says so, or whoever found it out.
    pub async fn decline_finding(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        reason: &str,
    ) -> Result<(), DeskError> {
        again(|| self.decline_once(person, id, version, reason)).await
    }

    async fn decline_once(&self, person: &Person, id: &OrderId, version: u64, reason: &str) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let order = order_at(&mut tx, person, id, version).await?;
        let waits = second_person::proposal_open(&mut tx, id, version).await?;
        let waits = waits.ok_or(Refusal::NothingWaits)?;
        waits.may_decline(person.roles(), &person.0.id)?;
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
