//! Whose a case is: the rule of its supplier or of the tenant, who is away and who stands in, and who has least to do.
//!
//! Promises: a case is never nobody's while there is a manager (rule 15); two machines choose alike. Must not: read a clock.

use super::ids::PersonId;
use super::person::Role;
use super::working::TimeLimit;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// Whose new cases are first, and by when they are due. What a rule leaves open is the next rule's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerRule {
    /// The supplier it is about; nothing: all others of the tenant.
    pub supplier: Option<String>,
    pub owner: Option<PersonId>,
    pub within: Option<TimeLimit>,
}

/// Days on which a person is away, the last one whole, and who stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    pub from: NaiveDate,
    pub until: NaiveDate,
    pub deputy: Option<PersonId>,
}

impl Absence {
    /// Whether this day is one of them.
    pub fn covers(&self, day: NaiveDate) -> bool {
        self.from <= day && day <= self.until
    }
}

/// Somebody who could own a case: a resolver or manager who is not disabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub person: PersonId,
    pub roles: Vec<Role>,
    /// Cases open with this person now.
    pub open_cases: u64,
    pub absence: Option<Absence>,
}

impl Candidate {
    /// Whether they are away on this day.
    pub fn is_away(&self, day: NaiveDate) -> bool {
        self.absence.as_ref().is_some_and(|absence| absence.covers(day))
    }
}

/// What the rules say of a supplier's cases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    pub owner: Option<PersonId>,
    pub within: Option<TimeLimit>,
}

/// The rule of the supplier, and where it says nothing that of all others. An owner who cannot own a case, because they are
/// disabled or have another role now, is as good as none.
pub fn rule_for(rules: &[OwnerRule], supplier: &str, candidates: &[Candidate]) -> Applied {
    let able = |id: &&PersonId| candidates.iter().any(|one| one.person == **id);
    let of_supplier = rules.iter().filter(|rule| rule.supplier.as_deref() == Some(supplier));
    let of_all = rules.iter().filter(|rule| rule.supplier.is_none());
    let in_order: Vec<&OwnerRule> = of_supplier.chain(of_all).collect();
    let mut owners = in_order.iter().filter_map(|rule| rule.owner.as_ref());
    Applied {
        owner: owners.find(able).cloned(),
        within: in_order.iter().find_map(|rule| rule.within),
    }
}

/// Whose a case is first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstOwner {
    pub person: PersonId,
    /// Nobody else could be found: a manager should give it to somebody.
    pub fell_to_manager: bool,
}

/// The rule's owner, or who stands in for them; else the least loaded resolver who is there; else the least loaded manager
/// who is there, to whom it fell; else, with everybody away, the least loaded manager anyway. Among equals the lower id.
/// `None` only for a tenant without anybody who could own a case.
pub fn first_owner(rule: Option<&PersonId>, candidates: &[Candidate], today: NaiveDate) -> Option<FirstOwner> {
    let there = |one: &Candidate| !one.is_away(today);
    let anyway = |_: &Candidate| true;
    let named = rule.and_then(|owner| stands_in(owner, candidates, today));
    if let Some(one) = named.or_else(|| least_loaded(candidates, Role::Resolver, there)) {
        return Some(FirstOwner {
            person: one.person.clone(),
            fell_to_manager: false,
        });
    }
    let manager =
        least_loaded(candidates, Role::Manager, there).or_else(|| least_loaded(candidates, Role::Manager, anyway));
    let fallen = manager.map(|one| (one, true));
    // a house without a manager takes no suggestions; what is open in it is still somebody's
    let anybody = || least_loaded(candidates, Role::Resolver, anyway).map(|one| (one, false));
    fallen.or_else(anybody).map(|(one, fell_to_manager)| FirstOwner {
        person: one.person.clone(),
        fell_to_manager,
    })
}

fn least_loaded(candidates: &[Candidate], role: Role, fits: impl Fn(&Candidate) -> bool) -> Option<&Candidate> {
    let able = candidates.iter().filter(|one| one.roles.contains(&role) && fits(one));
    able.min_by(|a, b| (a.open_cases, &a.person).cmp(&(b.open_cases, &b.person)))
}

/// Who is there of this person, their deputy, the deputy's deputy and so on. Nobody where the deputies go in a circle, or one
/// of them cannot own a case.
pub(super) fn stands_in<'a>(first: &PersonId, candidates: &'a [Candidate], today: NaiveDate) -> Option<&'a Candidate> {
    let mut next = first;
    // a chain longer than there are people is a circle
    for _ in 0..candidates.len() {
        let one = candidates.iter().find(|one| one.person == *next)?;
        match one.absence.as_ref().filter(|absence| absence.covers(today)) {
            None => return Some(one),
            Some(absence) => next = absence.deputy.as_ref()?,
        }
    }
    None
}

#[cfg(test)]
#[path = "ownership_tests.rs"]
mod tests;
