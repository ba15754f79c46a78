//! Acts about people, from what a form carries to the page that follows.

use super::order_acts::Typed;
use super::{broken, desk, go_to, person};
use crate::calls::CallError;
use crate::desk::away::AwayTyped;
use crate::desk::decide::missing;
use crate::desk::hand_over::{HandedOver, ManyCases, ToWhom};
use crate::desk::{Desk, DeskError, Person};
use crate::domain::ids::{CaseId, PersonId};
use crate::domain::people::{BY_THE_RULES, PEOPLE, case_field, case_ids, case_of_value, hand_over_path};
use crate::domain::refusal::Refusal;

/// So many of what came meanwhile are named in the address; the page lists all of them.
const MOST_NAMED: usize = 50;

fn somebody(typed: &Typed, field: &str) -> Result<PersonId, Refusal> {
    typed.read(field, "a person’s id, as per_…")
}

/// `/act/away`
pub async fn away(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let away = AwayTyped {
            from: typed.text("from"),
            until: typed.text("until"),
            deputy: typed.text("deputy"),
        };
        desk.say_away(&person, &somebody(&typed, "person")?, &away).await?;
        Ok(PEOPLE.to_owned())
    };
    then(&desk, &person, &typed, done.await, PEOPLE).await
}

/// `/act/back`
pub async fn back(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        desk.say_back(&person, &somebody(&typed, "person")?).await?;
        Ok(PEOPLE.to_owned())
    };
    then(&desk, &person, &typed, done.await, PEOPLE).await
}

/// `/act/hand_over`
pub async fn hand_over(typed: Typed, cases: Vec<String>) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let many = ManyCases {
            from: somebody(&typed, "from")?,
            ticked: ticked(&cases)?,
            listed: case_ids(&typed.text("listed")),
            to: to_whom(&typed)?,
            reason: typed.text("reason"),
        };
        let handed = desk.hand_over(&person, &many).await?;
        Ok(after(&many.from, &handed))
    };
    let done: Result<String, DeskError> = done.await;
    // only a person who is there has such a page
    let page = match (&done, somebody(&typed, "from")) {
        (Err(DeskError::Absent("person")), _) | (_, Err(_)) => PEOPLE.to_owned(),
        (_, Ok(from)) => hand_over_path(&from),
    };
    let cases = cases.into_iter().enumerate();
    let typed = typed.and(cases.map(|(place, value)| (case_field(place), value)));
    then(&desk, &person, &typed, done, &page).await
}

fn ticked(cases: &[String]) -> Result<Vec<(CaseId, u64)>, Refusal> {
    let read = cases.iter().map(|text| case_of_value(text));
    let read: Option<Vec<_>> = read.collect();
    read.ok_or_else(|| missing("cases", "names each case and its version, as case_…:3"))
}

fn to_whom(typed: &Typed) -> Result<ToWhom, Refusal> {
    if typed.text("owner").trim() == BY_THE_RULES {
        return Ok(ToWhom::ByTheRules);
    }
    Ok(ToWhom::Person(somebody(typed, "owner")?))
}

/// The list as it is afterwards, with what was done.
fn after(from: &PersonId, handed: &HandedOver) -> String {
    let (first, last) = handed.events;
    let mut path = format!("{}?moved={first}-{last}", hand_over_path(from));
    let came: Vec<&str> = handed.came.iter().take(MOST_NAMED).map(CaseId::as_str).collect();
    if !came.is_empty() {
        path.push_str("&came=");
        path.push_str(&came.join(","));
    }
    path
}

/// To the page that follows; refused, back to the one it came from, with what was typed kept (rule 18).
async fn then(
    desk: &Desk,
    person: &Person,
    typed: &Typed,
    done: Result<String, DeskError>,
    page: &str,
) -> Result<(), CallError> {
    let refusal = match done {
        Ok(next) => {
            go_to(&next);
            return Ok(());
        }
        Err(DeskError::Refused(refusal)) => refusal,
        Err(DeskError::Absent(what)) => missing(what, &format!("there is no such {what}")),
        Err(other) => return Err(broken(&other)),
    };
    let draft = desk.keep_draft(person, typed.fields(), &refusal).await;
    go_to(&format!("{page}?refused={}", draft.map_err(|error| broken(&error))?));
    Ok(())
}
