//! Reading for the pages of people: who is there, and what somebody has open.

use super::super::goods::{AboutWhat, about_what};
use super::super::own::able_owners;
use super::super::owners::today_in;
use super::super::{Desk, DeskError, Person};
use super::draft_of;
use crate::domain::case::Case;
use crate::domain::event::{Event, Happening};
use crate::domain::ids::{CaseId, DraftId, PersonId, TenantId};
use crate::domain::ownership::Absence;
use crate::domain::people::{AwayShown, CaseShown, Goods, HandOverPage, NewOwner, PeoplePage, PersonShown};
use crate::domain::person::{may_hand_over, may_own, may_say_away};
use crate::store::cases::{About, case_loads, case_owned};
use crate::store::events::event_page;
use crate::store::people::{PersonRow, person_list};
use crate::store::{Conn, absences};
use chrono::NaiveDate;

/// Cases on a list for handing over; the rest is counted, and is listed once these are handed over.
const MOST_CASES: usize = 500;
/// Events read to say what a hand-over did: each of its cases has one, and another where somebody is told.
const MOST_EVENTS: u32 = 1_000;

/// What a hand-over that was just done left to say.
#[derive(Debug, Clone, Default)]
pub struct JustDone {
    /// Its events in the log, the first and the last.
    pub events: Option<(u64, u64)>,
    /// What came while the list was open.
    pub came: Vec<CaseId>,
}

impl Desk {
    /// Everybody of the house, and who is there.
    pub async fn people_page(&self, person: &Person, refused: Option<&DraftId>) -> Result<PeoplePage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let (conn, tenant) = (&mut read, person.tenant());
        let viewer = self.viewer(conn, person).await?;
        let today = today_in(conn, tenant, viewer.now).await?;
        let everybody = person_list(conn, tenant).await?;
        let absences = absences::absence_list(conn, tenant).await?;
        let loads = case_loads(conn, tenant, viewer.now).await?;
        let people = everybody.iter().map(|one| {
            let load = loads.get(&one.id).copied().unwrap_or_default();
            let is_self = one.id == viewer.id;
            PersonShown {
                id: one.id.clone(),
                name: one.name.clone(),
                roles: one.roles.clone(),
                disabled: one.disabled,
                away: away(absences.get(&one.id), &everybody, today),
                open_cases: load.open,
                late: load.late,
                may_say_away: may_say_away(person.roles(), is_self),
                may_hand_over: may_hand_over(person.roles(), is_self),
            }
        });
        let mut people: Vec<PersonShown> = people.collect();
        people.sort_by_key(|one| one.disabled);
        Ok(PeoplePage {
            draft: draft_of(conn, person, refused).await?,
            deputies: able_owners(conn, person).await?,
            viewer,
            people,
        })
    }

    /// What a person has open, to be handed over.
    pub async fn hand_over_page(
        &self,
        person: &Person,
        id: &PersonId,
        refused: Option<&DraftId>,
        done: &JustDone,
    ) -> Result<HandOverPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let (conn, tenant) = (&mut read, person.tenant());
        let viewer = self.viewer(conn, person).await?;
        let today = today_in(conn, tenant, viewer.now).await?;
        let everybody = person_list(conn, tenant).await?;
        let found = everybody.iter().find(|one| one.id == *id);
        let found = found.ok_or(DeskError::Absent("person"))?;
        let absences = absences::absence_list(conn, tenant).await?;
        let mut open = case_owned(conn, tenant, id).await?;
        let count = open.len();
        open.truncate(MOST_CASES);
        let goods = goods_of(conn, tenant, &open).await?;
        let cases = open.into_iter().zip(goods).map(|((case, _), goods)| CaseShown {
            came_meanwhile: done.came.contains(&case.id),
            case,
            goods,
        });
        let owners = able_owners(conn, person)
            .await?
            .into_iter()
            .filter(|(one, _)| one != id);
        let owners = owners.map(|(id, name)| NewOwner {
            is_away: absences.get(&id).is_some_and(|absence| absence.covers(today)),
            id,
            name,
        });
        Ok(HandOverPage {
            may: may_hand_over(person.roles(), viewer.id == *id),
            away: away(absences.get(id), &everybody, today),
            owners: owners.collect(),
            draft: draft_of(conn, person, refused).await?,
            name: found.name.clone(),
            disabled: found.disabled,
            id: id.clone(),
            cases: cases.collect(),
            moved: moved_by(conn, person, id, done.events).await?,
            viewer,
            count,
        })
    }
}

/// How many cases the person took from somebody by these events; nothing where it was none, whatever an address says (rule
/// 21).
async fn moved_by(
    conn: &mut Conn,
    person: &Person,
    from: &PersonId,
    events: Option<(u64, u64)>,
) -> Result<Option<usize>, DeskError> {
    let Some((first, last)) = events.filter(|(first, last)| first <= last) else {
        return Ok(None);
    };
    let most = u32::try_from((last - first).saturating_add(1))
        .unwrap_or(u32::MAX)
        .min(MOST_EVENTS);
    let page = event_page(conn, person.tenant(), first.saturating_sub(1), most).await?;
    let actor = person.actor();
    let mut moved = 0;
    for (_, bytes, _) in page {
        let event: Event = serde_json::from_str(&bytes).map_err(|error| DeskError::Broken(error.to_string()))?;
        let is_moved = matches!(event.happening, Happening::CaseMoved { from: Some(whose), .. } if whose == *from);
        moved += usize::from(is_moved && event.actor == actor);
    }
    Ok(Some(moved).filter(|moved| *moved > 0))
}

/// An absence that is not over.
fn away(absence: Option<&Absence>, everybody: &[PersonRow], today: NaiveDate) -> Option<AwayShown> {
    let absence = absence.filter(|absence| absence.until >= today)?;
    let is_deputy = |one: &&PersonRow| absence.deputy.as_ref() == Some(&one.id) && !one.disabled && may_own(&one.roles);
    let deputy = everybody.iter().find(is_deputy);
    Some(AwayShown {
        now: absence.covers(today),
        from: absence.from,
        until: absence.until,
        deputy: deputy.map(|one| (one.id.clone(), one.name.clone())),
    })
}

/// What each of these is about, in their order.
pub async fn goods_of(conn: &mut Conn, tenant: &TenantId, cases: &[(Case, About)]) -> Result<Vec<Goods>, DeskError> {
    let abouts: Vec<&About> = cases.iter().map(|(_, about)| about).collect();
    let all = about_what(conn, tenant, &abouts).await?;
    Ok(all.into_iter().map(shown).collect())
}

fn shown(what: AboutWhat) -> Goods {
    match what.goods {
        Some(goods) => Goods {
            target: Some(goods.target),
            stands: Some(goods.stands),
            headline: goods.headline,
            supplier_name: what.supplier,
        },
        None => Goods {
            target: None,
            stands: None,
            headline: what.supplier.clone(),
            supplier_name: what.supplier,
        },
    }
}
