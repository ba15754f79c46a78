//! What people do with an order or a case that is theirs: hold, release, withdraw, hand over.
//!
//! Promises: each from exactly the version the page showed, with a reason (rule 14). Must not: send anything.

use super::again::again;
use super::decide::{missing, reason_given};
use super::record::{Act, subject_of};
use super::settle::{Doing, case_at, last_doer, order_at};
use super::{Desk, DeskError, Person, clock};
use crate::domain::calendar;
use crate::domain::case::Case;
use crate::domain::event::Happening;
use crate::domain::ids::{CaseId, OrderId, PersonId};
use crate::domain::order::{self, Hold};
use crate::domain::ownership::FirstOwner;
use crate::domain::pages::Target;
use crate::domain::person::{self, may, may_own};
use crate::domain::ways::{LIFTED_BY_RELEASE, may_release_now, may_withdraw};
use crate::store::cases::{About, case_fetch, case_give};
use crate::store::{Conn, Written, attempts, events, orders, people, suppliers, tenants};
use chrono::{DateTime, TimeDelta, Utc};

/// What a person does with an order that nobody has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithOrder {
    Hold,
    Release,
    Withdraw,
}

impl WithOrder {
    /// The act's one word, in its address and in drafts.
    pub fn word(self) -> &'static str {
        match self {
            WithOrder::Hold => "hold",
            WithOrder::Release => "release",
            WithOrder::Withdraw => "withdraw",
        }
    }
    fn act(self) -> person::Act {
        match self {
            WithOrder::Hold => person::Act::HoldOrder,
            WithOrder::Release => person::Act::ReleaseOrder,
            WithOrder::Withdraw => person::Act::Withdraw,
        }
    }
}

/// To whom a case goes, until when, and why; the deadline as it was typed.
#[derive(Debug, Clone)]
pub struct Handover {
    pub owner: PersonId,
    pub due_at: String,
    pub reason: String,
}

/// No deadline is further away.
const LATEST_DUE: TimeDelta = TimeDelta::days(3_650);
/// What colleagues need to know of an act.
pub(super) const SAY_WHY: &str = "say why, so that your colleagues know";

impl Desk {
    /// Holds, releases or withdraws an order.
    pub async fn with_order(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        what: WithOrder,
        reason: &str,
    ) -> Result<(), DeskError> {
        may(person.roles(), what.act())?;
        again(|| self.with_order_once(person, id, version, what, reason)).await
    }

    async fn with_order_once(
        &self,
        person: &Person,
        id: &OrderId,
        version: u64,
        what: WithOrder,
        reason: &str,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let order = order_at(&mut tx, person, id, version).await?;
        let tried = attempts::attempt_list(&mut tx, id).await?;
        let open_doubt = tried.iter().any(|row| row.attempt.is_doubtful(now));
        let change = match what {
            WithOrder::Hold => order::hold(&order.life, Hold::Person)?,
            WithOrder::Release => {
                let facts = self.doubt_facts(&mut tx, &order).await?;
                may_release_now(&order.life, person.roles(), &facts.about(&order.life), now)?;
                order::want_release(&order.life, &LIFTED_BY_RELEASE, &person.0.id, now)?
            }
            WithOrder::Withdraw => {
                let facts = self.doubt_facts(&mut tx, &order).await?;
                may_withdraw(&order.life, &facts.about(&order.life), open_doubt)?;
                order::withdraw(&order.life, open_doubt)?
            }
        };
        let reason = reason_given("reason", reason, SAY_WHY)?;
        let lifted = Hold::ALL
            .into_iter()
            .filter(|hold| order.life.holds.has(*hold) && !change.life.holds.has(*hold));
        let happening = match what {
            WithOrder::Hold => Happening::OrderHeld {
                hold: Hold::Person,
                reason,
            },
            WithOrder::Release if change.life.resume.is_some() => Happening::ReleaseWanted {
                lifted: lifted.collect(),
                reason,
            },
            WithOrder::Release => Happening::OrderReleased {
                lifted: lifted.collect(),
                reason,
            },
            WithOrder::Withdraw => Happening::OrderWithdrawn { reason },
        };
        let actor = person.actor();
        self.record_now(&mut tx, &order, &change, Act::by(&actor, happening, now))
            .await?;
        if what == WithOrder::Release {
            let row = suppliers::supplier_fetch(&mut tx, person.tenant(), &order.contents.supplier).await?;
            let row = row.ok_or(DeskError::Absent("supplier"))?;
            orders::order_decided_under(&mut tx, id, row.version).await?;
        }
        if what == WithOrder::Release {
            self.wanted_beside(&mut tx, &order).await?;
        }
        if what == WithOrder::Release && change.life.resume.is_some() {
            self.ask_before_send(&mut tx, person, &order, now).await?;
        }
        self.commit_and_ring(tx).await
    }

    /// The page of what a case is about; nothing for no case.
    pub async fn case_target(&self, person: &Person, id: &CaseId) -> Result<Option<Target>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let found = case_fetch(&mut read, person.tenant(), id).await?;
        Ok(found.map(|(_, about)| target_of(about, id)))
    }

    /// Hands a case over: to whom, until when, and why. Answers the page of what the case is about.
    pub async fn assign(&self, person: &Person, id: &CaseId, version: u64, to: &Handover) -> Result<Target, DeskError> {
        may(person.roles(), person::Act::Assign)?;
        again(|| self.assign_once(person, id, version, to)).await
    }

    async fn assign_once(
        &self,
        person: &Person,
        id: &CaseId,
        version: u64,
        to: &Handover,
    ) -> Result<Target, DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let (case, about) = case_at(&mut tx, person, id, version).await?;
        let subject = subject_of(&about);
        let due_at = due_given(&mut tx, person, &to.due_at, now).await?;
        let owner = able_owners(&mut tx, person)
            .await?
            .into_iter()
            .find(|(id, _)| *id == to.owner);
        let (owner, owner_name) = owner.ok_or_else(|| missing("owner", "a resolver or manager who is not disabled"))?;
        let reason = reason_given("reason", &to.reason, SAY_WHY)?;
        let remind_at = self.reminder_at(&mut tx, person.tenant(), due_at, now).await?;
        let to = FirstOwner {
            person: owner.clone(),
            fell_to_manager: false,
        };
        if case_give(&mut tx, &case, &to, due_at, remind_at).await? == Written::NotInThatState {
            return Err(last_doer(&mut tx, person, &subject.id(), Doing::OfCase).await?.into());
        }
        let is_new = owner != case.owner;
        let from = Some(case.owner.clone());
        let given = Case {
            owner: owner.clone(),
            owner_name: owner_name.clone(),
            due_at,
            ..case
        };
        // whose it stays need not be told that it is theirs
        if is_new {
            self.tell_owner(&mut tx, person.tenant(), (&given, &about), &person.actor(), now)
                .await?;
        }
        let target = target_of(about, &given.id);
        let moved = Happening::CaseMoved {
            case: given.id,
            from,
            owner,
            owner_name,
            due_at: Some(due_at),
            reason,
        };
        events::event_append(&mut tx, person.tenant(), &person.actor(), subject, moved, now).await?;
        tx.commit().await?;
        Ok(target)
    }
}

/// The page of what a case is about; its sheet where that has none.
pub(super) fn target_of(about: About, case: &CaseId) -> Target {
    match about {
        About::Order(id) => Target::Order(id),
        About::Suggestion(id) => Target::Suggestion(id),
        About::Supplier(_) => Target::Case(case.clone()),
    }
}

/// Who may own a case: resolvers and managers who are not disabled, by name.
pub(super) async fn able_owners(conn: &mut Conn, person: &Person) -> Result<Vec<(PersonId, String)>, DeskError> {
    let everybody = people::person_list(conn, person.tenant()).await?;
    let able = everybody.into_iter().filter(|one| !one.disabled && may_own(&one.roles));
    Ok(able.map(|one| (one.id, one.name)).collect())
}

/// A deadline as it was typed: RFC 3339, or a local date and time of the tenant.
async fn due_given(
    conn: &mut Conn,
    person: &Person,
    text: &str,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, DeskError> {
    let tenant = tenants::tenant_fetch(conn, person.tenant())
        .await?
        .ok_or(DeskError::Absent("tenant"))?;
    let zone = calendar::zone(&tenant.zone).unwrap_or(chrono_tz::Tz::UTC);
    let due_at = calendar::moment_of(text.trim(), zone).map_err(|why| missing("due_at", &why.to_string()))?;
    if due_at <= now {
        return Err(missing("due_at", "is in the past").into());
    }
    if due_at - now > LATEST_DUE {
        return Err(missing("due_at", "is more than ten years away: nobody would look again before").into());
    }
    Ok(due_at)
}
