//! Handing several cases of a person over at once: exactly those that the list showed and somebody ticked, or none.
//!
//! Promises: one transaction; a case that was closed, moved or changed since it was listed stops all of them and is named
//! (rule 14); one that came meanwhile is left where it is and named afterwards. Deadlines stay. Must not: send anything.

use super::again::again;
use super::decide::{missing, reason_given};
use super::look::who::goods_of;
use super::own::{SAY_WHY, able_owners};
use super::owners::{Moving, Owners};
use super::working::walls_of;
use super::{Desk, DeskError, Person, clock};
use crate::domain::case::Case;
use crate::domain::ids::{CaseId, PersonId};
use crate::domain::ownership::FirstOwner;
use crate::domain::people::CaseChanged;
use crate::domain::person::may_hand_over;
use crate::domain::refusal::Refusal;
use crate::store::cases::{self, About};
use crate::store::{Conn, events, people};
use std::collections::HashSet;

/// To whom they go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToWhom {
    Person(PersonId),
    /// Each to whom its rule names first, with whoever hands over left out.
    ByTheRules,
}

/// What is to be handed over.
#[derive(Debug, Clone)]
pub struct ManyCases {
    pub from: PersonId,
    /// Each with the version that the list showed.
    pub ticked: Vec<(CaseId, u64)>,
    /// Everything that the list showed; empty where the form did not say.
    pub listed: Vec<CaseId>,
    pub to: ToWhom,
    pub reason: String,
}

/// What was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedOver {
    /// The numbers of its events, the first and the last: what was moved stands in the log.
    pub events: (u64, u64),
    /// What came meanwhile, and stays.
    pub came: Vec<CaseId>,
}

impl Desk {
    /// Hands these cases over, all of them or none.
    pub async fn hand_over(&self, person: &Person, many: &ManyCases) -> Result<HandedOver, DeskError> {
        may_hand_over(person.roles(), person.0.id == many.from)?;
        again(|| self.hand_over_once(person, many)).await
    }

    async fn hand_over_once(&self, person: &Person, many: &ManyCases) -> Result<HandedOver, DeskError> {
        let (now, tenant) = (clock::now(), person.tenant());
        let mut tx = self.store.begin_write_in(tenant).await?;
        if !people::person_list(&mut tx, tenant)
            .await?
            .iter()
            .any(|one| one.id == many.from)
        {
            return Err(DeskError::Absent("person"));
        }
        let cases = as_listed(&mut tx, person, many).await?;
        let reason = reason_given("reason", &many.reason, SAY_WHY)?;
        let mut chosen = Chosen::of(&mut tx, person, many).await?;
        let walls = walls_of(&mut tx, tenant).await?;
        let (before, _) = events::event_head(&mut tx, tenant).await?;
        for (case, about) in cases {
            let to = chosen.next(&mut tx, &about).await?;
            let to_name = people::person_name(&mut tx, &to.person).await?;
            if to.person == many.from {
                return Err(Refusal::NobodyElse { name: to_name }.into());
            }
            let moving = Moving {
                case,
                about: &about,
                to,
                to_name,
                reason: reason.clone(),
            };
            self.move_case(&mut tx, tenant, moving, &person.actor(), &walls, now)
                .await?;
        }
        let came = came_meanwhile(&mut tx, person, many).await?;
        let (last, _) = events::event_head(&mut tx, tenant).await?;
        tx.commit().await?;
        Ok(HandedOver {
            events: (before + 1, last),
            came,
        })
    }
}

/// The cases that were ticked, if each is as the list showed it.
async fn as_listed(conn: &mut Conn, person: &Person, many: &ManyCases) -> Result<Vec<(Case, About)>, DeskError> {
    if many.ticked.is_empty() {
        return Err(missing("cases", "tick at least one").into());
    }
    let different: HashSet<&CaseId> = many.ticked.iter().map(|(id, _)| id).collect();
    if different.len() < many.ticked.len() {
        return Err(missing("cases", "one of them is named twice").into());
    }
    let (mut cases, mut changed) = (Vec::new(), Vec::new());
    for (id, version) in &many.ticked {
        let found = cases::case_fetch(conn, person.tenant(), id).await?;
        let (case, about) = found.ok_or(DeskError::Absent("case"))?;
        let is_listed = case.closed_at.is_none() && case.version == *version && case.owner == many.from;
        match is_listed {
            true => cases.push((case, about)),
            false => changed.push((case, about)),
        }
    }
    if changed.is_empty() {
        return Ok(cases);
    }
    let mut named = Vec::new();
    for ((case, _), goods) in changed.iter().zip(goods_of(conn, person.tenant(), &changed).await?) {
        named.push(CaseChanged {
            case: case.id.clone(),
            headline: goods.headline,
            owner_name: case.owner_name.clone(),
            closed: case.closed_at.is_some(),
        });
    }
    Err(Refusal::CasesChanged(named).into())
}

/// Who gets them.
enum Chosen {
    One(PersonId),
    ByTheRules(Owners),
}

impl Chosen {
    async fn of(conn: &mut Conn, person: &Person, many: &ManyCases) -> Result<Self, DeskError> {
        match &many.to {
            ToWhom::ByTheRules => {
                let mut owners = Owners::load(conn, person.tenant(), clock::now()).await?;
                owners.leave_out(&many.from);
                Ok(Self::ByTheRules(owners))
            }
            ToWhom::Person(id) => {
                let able = able_owners(conn, person).await?;
                let is_able = *id != many.from && able.iter().any(|(one, _)| one == id);
                let able = is_able.then(|| Self::One(id.clone()));
                able.ok_or_else(|| missing("owner", "another resolver or manager who is not disabled").into())
            }
        }
    }

    async fn next(&mut self, conn: &mut Conn, about: &About) -> Result<FirstOwner, DeskError> {
        match self {
            Self::One(person) => Ok(FirstOwner {
                person: person.clone(),
                fell_to_manager: false,
            }),
            Self::ByTheRules(owners) => owners.next(conn, about).await,
        }
    }
}

/// What is theirs now and was not on the list.
async fn came_meanwhile(conn: &mut Conn, person: &Person, many: &ManyCases) -> Result<Vec<CaseId>, DeskError> {
    if many.listed.is_empty() {
        return Ok(Vec::new());
    }
    let left = cases::case_owned(conn, person.tenant(), &many.from).await?;
    let came = left.into_iter().map(|(case, _)| case.id);
    Ok(came.filter(|id| !many.listed.contains(id)).collect())
}
