//! What an order's page says of the way home: which ways are open, what the supplier said and when, and who waits.
//!
//! Must not: decide; every answer here is the domain's.

use super::super::own::able_owners;
use super::super::working::last_worked_before;
use super::super::{Desk, DeskError, Person};
use crate::domain::difference;
use crate::domain::doubt::DoubtFacts;
use crate::domain::look_up::{LookedUp, last_said};
use crate::domain::order::OrderState;
use crate::domain::pages::{Asking, ProposedShown, RecordShown, WayHome};
use crate::domain::resume::Ground;
use crate::domain::second_person::is_needed;
use crate::domain::ways::ways;
use crate::store::orders::OrderRow;
use crate::store::{Conn, people, second_person};
use chrono::{DateTime, Utc};

impl Desk {
    /// Everything about an order that bringing it home is judged by, for this person.
    pub(super) async fn way_home(
        &self,
        conn: &mut Conn,
        person: &Person,
        order: &OrderRow,
        now: DateTime<Utc>,
    ) -> Result<(DoubtFacts, WayHome), DeskError> {
        let facts = self.doubt_facts(conn, order).await?;
        let contract = facts.today.contract.clone();
        let askable = contract.look_up.can_ask();
        let (about, open_doubt) = (facts.about(&order.life), facts.open_doubt(now));
        let ways = ways(&order.life, person.roles(), &contract, &about, open_doubt, now);
        let act_before = match &ways.resume {
            Ok(Ground::Key { until }) => last_worked_before(conn, &order.tenant, *until).await?,
            Ok(Ground::UniqueReference | Ground::NotFound) | Err(_) => None,
        };
        let way_home = WayHome {
            ways,
            act_before: act_before.filter(|at| *at > now),
            record: last_record(order, &facts.known.heard().collect::<Vec<_>>()),
            ladder: facts.ladder(),
            settled_at: facts.settled_at(),
            key_until: facts.key_until(),
            key_window: facts.key_window(),
            asking: if askable { asking(conn, order, now).await? } else { None },
            next_look_up: order
                .asking
                .at
                .filter(|at| askable && *at > now && order.asking.since.is_none()),
            resume_wanted_by: match &order.life.resume {
                Some(wanted) => match &wanted.by {
                    Some(by) => Some(people::person_name(conn, by).await?),
                    None => None,
                },
                None => None,
            },
            proposed: proposed(conn, person, order).await?,
            needs_second_person: is_needed(
                &second_person::amount_list(conn, &order.tenant).await?,
                order.contents.total(),
            ),
            owners: able_owners(conn, person).await?,
            look_ups: facts.known.heard().collect(),
            said_they_have_it: facts.said_they_have_it(),
            asks_other_books: facts.books() != &facts.today.books,
            findings: facts.known.findings.clone(),
            contract,
        };
        Ok((facts, way_home))
    }
}

async fn proposed(conn: &mut Conn, person: &Person, order: &OrderRow) -> Result<Option<ProposedShown>, DeskError> {
    let waits = second_person::proposal_open(conn, &order.id, order.life.version).await?;
    Ok(waits.map(|proposed| ProposedShown {
        may_confirm: proposed.may_confirm(person.roles(), &person.0.id),
        may_decline: proposed.may_decline(person.roles(), &person.0.id),
        proposed,
    }))
}

async fn asking(conn: &mut Conn, order: &OrderRow, now: DateTime<Utc>) -> Result<Option<Asking>, DeskError> {
    let asking = &order.asking;
    let is_due = asking.at.is_some_and(|at| at <= now);
    if !is_due && asking.since.is_none() {
        return Ok(None);
    }
    Ok(Some(Asking {
        by: match &asking.by {
            Some(id) => Some(people::person_name(conn, id).await?),
            None => None,
        },
        under_way: asking.since.is_some(),
    }))
}

/// The record that the last answer showed, compared; nothing after "none", and nothing when there are several.
fn last_record(order: &OrderRow, look_ups: &[LookedUp]) -> Option<RecordShown> {
    let said = last_said(look_ups)?;
    let ours = order.life.supplier_reference.as_ref();
    let settled = order.life.state == OrderState::Confirmed;
    let record = match &said.records[..] {
        [one] => one,
        several => several.iter().find(|one| settled && Some(&one.reference) == ours)?,
    };
    let differences = record
        .record
        .as_ref()
        .map(|recorded| difference::with_record(&order.contents, recorded));
    Some(RecordShown {
        at: said.at,
        reference: record.reference.clone(),
        recorded: record.record.clone(),
        differences: differences.unwrap_or_default(),
    })
}
