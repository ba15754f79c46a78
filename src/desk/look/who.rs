//! Reading for the pages of people: who is there, and what somebody has open.

use super::super::own::able_owners;
use super::super::owners::today_in;
use super::super::{Desk, DeskError, Person};
use super::draft_of;
use crate::domain::case::Case;
use crate::domain::ids::{CaseId, DraftId, OrderId, PersonId, SuggestionId, TenantId};
use crate::domain::ownership::Absence;
use crate::domain::pages::{Stands, Target};
use crate::domain::people::{AwayShown, CaseShown, Goods, HandOverPage, NewOwner, PeoplePage, PersonShown};
use crate::domain::person::{may_hand_over, may_own, may_say_away};
use crate::store::cases::{About, case_loads, case_owned};
use crate::store::people::{PersonRow, person_list};
use crate::store::queue::{shown_orders, shown_suggestions};
use crate::store::{Conn, absences, suppliers};
use chrono::NaiveDate;
use std::collections::HashMap;

/// Cases on a list for handing over; the rest is counted, and is listed once these are handed over.
const MOST_CASES: usize = 500;

/// What a hand-over that was just done left to say.
#[derive(Debug, Clone, Default)]
pub struct JustDone {
    pub moved: Option<usize>,
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
            moved: done.moved,
            viewer,
            count,
        })
    }
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
    let orders: Vec<&OrderId> = cases.iter().filter_map(|(_, about)| order_of(about)).collect();
    let suggestions: Vec<&SuggestionId> = cases.iter().filter_map(|(_, about)| suggestion_of(about)).collect();
    let mut goods: HashMap<String, Goods> = HashMap::new();
    for order in shown_orders(conn, tenant, &orders).await? {
        let stands = Stands::Order {
            state: order.state,
            held: order.holds.gravest(),
            differences: order.differences,
        };
        goods.insert(
            order.id.to_string(),
            Goods {
                headline: order.contents.headline(),
                supplier_name: order.supplier_name,
                target: Some(Target::Order(order.id)),
                stands: Some(stands),
            },
        );
    }
    for suggestion in shown_suggestions(conn, tenant, &suggestions).await? {
        goods.insert(
            suggestion.id.to_string(),
            Goods {
                headline: suggestion.contents.headline(),
                supplier_name: suggestion.supplier_name,
                stands: Some(Stands::Suggestion(suggestion.state)),
                target: Some(Target::Suggestion(suggestion.id)),
            },
        );
    }
    let names = supplier_names(conn, tenant, cases).await?;
    let about = |(_, about): &(Case, About)| match about {
        About::Order(id) => goods.get(id.as_str()).cloned(),
        About::Suggestion(id) => goods.get(id.as_str()).cloned(),
        About::Supplier(id) => names.get(id).map(|name| Goods {
            target: None,
            stands: None,
            headline: name.clone(),
            supplier_name: name.clone(),
        }),
    };
    let about = cases.iter().map(|case| about(case).ok_or(DeskError::Absent("case")));
    about.collect()
}

async fn supplier_names(
    conn: &mut Conn,
    tenant: &TenantId,
    cases: &[(Case, About)],
) -> Result<HashMap<String, String>, DeskError> {
    if !cases.iter().any(|(_, about)| matches!(about, About::Supplier(_))) {
        return Ok(HashMap::new());
    }
    let rows = suppliers::supplier_list(conn, tenant).await?;
    Ok(rows.into_iter().map(|row| (row.id.to_string(), row.name)).collect())
}

fn order_of(about: &About) -> Option<&OrderId> {
    match about {
        About::Order(id) => Some(id),
        About::Suggestion(_) | About::Supplier(_) => None,
    }
}

fn suggestion_of(about: &About) -> Option<&SuggestionId> {
    match about {
        About::Suggestion(id) => Some(id),
        About::Order(_) | About::Supplier(_) => None,
    }
}
