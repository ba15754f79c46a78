//! What the pages of people show: who is there, who stands in, and what each has open.

use super::case::Case;
use super::ids::{CaseId, PersonId};
use super::pages::{Draft, Stands, Target, Viewer};
use super::person::Role;
use super::refusal::Refusal;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// Everybody of the house.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeoplePage {
    pub viewer: Viewer,
    pub draft: Option<Draft>,
    /// By name; who is disabled comes last.
    pub people: Vec<PersonShown>,
    /// Who may stand in for somebody, by name.
    pub deputies: Vec<(PersonId, String)>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonShown {
    pub id: PersonId,
    pub name: String,
    pub roles: Vec<Role>,
    pub disabled: bool,
    /// Now, or later on.
    pub away: Option<AwayShown>,
    pub open_cases: u64,
    /// Of these, past their deadline.
    pub late: u64,
    /// Whether the viewer may say that they are away, or there again.
    pub may_say_away: Result<(), Refusal>,
    /// Whether the viewer may hand their cases over.
    pub may_hand_over: Result<(), Refusal>,
}

/// When somebody is away, and who stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwayShown {
    /// Today is one of the days.
    pub now: bool,
    pub from: NaiveDate,
    pub until: NaiveDate,
    pub deputy: Option<(PersonId, String)>,
}

/// The open cases of a person, to be handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandOverPage {
    pub viewer: Viewer,
    pub draft: Option<Draft>,
    pub id: PersonId,
    pub name: String,
    pub disabled: bool,
    pub away: Option<AwayShown>,
    pub may: Result<(), Refusal>,
    /// How many there are in all; `cases` may be the first of them.
    pub count: usize,
    /// What is due first comes first.
    pub cases: Vec<CaseShown>,
    /// Who may be given them, by name.
    pub owners: Vec<NewOwner>,
    /// So many the viewer handed over just now.
    pub moved: Option<usize>,
}

/// An open case, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseShown {
    pub case: Case,
    pub goods: Goods,
    /// It came while the list of the others was open, and was not moved with them.
    pub came_meanwhile: bool,
}

/// What a case is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goods {
    /// Its page; a supplier has none.
    pub target: Option<Target>,
    pub stands: Option<Stands>,
    /// What it buys, or the supplier's name.
    pub headline: String,
    pub supplier_name: String,
}

/// Somebody who may be given a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewOwner {
    pub id: PersonId,
    pub name: String,
    pub is_away: bool,
}

/// A case that is not as the list of a hand-over showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseChanged {
    pub case: CaseId,
    /// What it buys, or the supplier's name.
    pub headline: String,
    pub owner_name: String,
    pub closed: bool,
}

/// The path of the page with everybody.
pub const PEOPLE: &str = "/people";

/// The path of the page that hands a person's cases over.
pub fn hand_over_path(person: &PersonId) -> String {
    format!("{PEOPLE}/{person}/hand-over")
}

/// What stands for the rules in a hand-over's form, where else a person's id is.
pub const BY_THE_RULES: &str = "rules";

/// The name of a case's field in the form that hands several over: `cases[0]`.
pub fn case_field(place: usize) -> String {
    format!("cases[{place}]")
}

/// A case and its version, as the form carries them: `case_…:3`.
pub fn case_value(case: &CaseId, version: u64) -> String {
    format!("{case}:{version}")
}

/// Reads them back.
pub fn case_of_value(text: &str) -> Option<(CaseId, u64)> {
    let (case, version) = text.trim().split_once(':')?;
    Some((case.parse().ok()?, version.parse().ok()?))
}

/// The numbers of the events of a hand-over, the first and the last, as an address has them: `12-17`.
pub fn event_numbers(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once('-')?;
    let number = |text: &str| text.parse::<u32>().ok().map(u64::from);
    Some((number(first)?, number(last)?))
}

/// Several cases in one field.
pub fn case_ids(text: &str) -> Vec<CaseId> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == ',');
    words.filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_and_its_version_are_read_back() {
        let case = CaseId::from_random(7);
        assert_eq!(case_of_value(&case_value(&case, 3)), Some((case.clone(), 3)));
        for text in [
            "",
            ":",
            "case_:1",
            "po_0123456789ab:1",
            &format!("{case}:"),
            case.as_str(),
        ] {
            assert_eq!(case_of_value(text), None, "{text:?}");
        }
        let other = CaseId::from_random(8);
        assert_eq!(case_ids(&format!("{case},{other}")), [case.clone(), other.clone()]);
        assert_eq!(case_ids(&format!(" {case} nonsense {other}")), [case, other]);
        assert_eq!(case_ids(""), []);
    }
}
