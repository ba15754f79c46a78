//! Whose new cases are first and by when they are due: the rules, set from the command line, and who is there to be given
//! one.
//!
//! Promises: a case is never nobody's (rule 15); a rule whose owner cannot own cases is passed over, and its listing says so.

use super::house::{faulty, named};
use super::record::{must_be_done, subject_of};
use super::working::zone_of;
use super::{Desk, DeskError, clock};
use crate::domain::calendar::date_there;
use crate::domain::case::Case;
use crate::domain::contents::SupplierId;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{PersonId, TenantId};
use crate::domain::ownership::{Absence, Applied, Candidate, FirstOwner, OwnerRule, first_owner, rule_for};
use crate::domain::person::may_own;
use crate::domain::reminding::reminder_at;
use crate::domain::working::{TimeLimit, Walls};
use crate::store::cases::{self, About};
use crate::store::people::PersonRow;
use crate::store::{Conn, absences, events, owner_rules, people, suppliers};
use chrono::{DateTime, NaiveDate, Utc};

/// What is to become of a rule.
#[derive(Debug, Clone)]
pub enum RuleChange {
    /// What is not named stays as it is.
    Set {
        owner: Option<String>,
        within: Option<String>,
    },
    Off,
}

/// A rule, for its listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleShown {
    /// Nothing: all other suppliers.
    pub supplier: Option<String>,
    /// E-mail address.
    pub owner: Option<String>,
    pub within: Option<String>,
    /// Why it does not go to its owner now.
    pub remark: Option<String>,
}

impl Desk {
    /// Sets a rule or takes it away; without a supplier the one for all others.
    pub async fn owner_rule(
        &self,
        tenant: &TenantId,
        supplier: Option<&str>,
        change: &RuleChange,
    ) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(tenant).await?;
        let supplier = supplier_given(&mut tx, tenant, supplier).await?;
        let known = owner_rules::rule_list(&mut tx, tenant).await?;
        let known = known.into_iter().find(|rule| rule.supplier == supplier);
        let everybody = people::person_list(&mut tx, tenant).await?;
        let (owner, within) = match change {
            RuleChange::Off => {
                known.ok_or(DeskError::Absent("rule"))?;
                let removed = owner_rules::rule_remove(&mut tx, tenant, supplier.as_deref()).await?;
                must_be_done(removed)?;
                (None, None)
            }
            RuleChange::Set { owner, within } => {
                let owner = owner.as_deref().map(|who| owner_given("--owner", &everybody, who));
                let owner = owner.transpose()?.map(|one| one.id.clone());
                let within = within.as_deref().map(TimeLimit::of).transpose();
                let within = within.map_err(|fault| faulty("--within", fault))?;
                if owner.is_none() && within.is_none() {
                    return Err(faulty("--owner", "say whose they are, or --within, or --off"));
                }
                let rule = OwnerRule {
                    owner: owner.or(known.as_ref().and_then(|known| known.owner.clone())),
                    within: within.or(known.and_then(|known| known.within)),
                    supplier: supplier.clone(),
                };
                owner_rules::rule_put(&mut tx, tenant, &rule).await?;
                (rule.owner, rule.within)
            }
        };
        let name = |id: &PersonId| everybody.iter().find(|one| one.id == *id).map(|one| one.name.clone());
        let set = Happening::OwnerRuleSet {
            owner_name: owner.as_ref().and_then(name),
            owner,
            within: within.map(|within| within.to_string()),
        };
        let subject = supplier.map_or(Subject::Tenant, Subject::Supplier);
        self.note(&mut tx, tenant, subject, set, clock::now()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The tenant's rules; the one for all other suppliers comes first.
    pub async fn owner_rules(&self, tenant: &TenantId) -> Result<Vec<RuleShown>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let everybody = people::person_list(&mut read, tenant).await?;
        let absences = absences::absence_list(&mut read, tenant).await?;
        let today = today_in(&mut read, tenant, clock::now()).await?;
        let rules = owner_rules::rule_list(&mut read, tenant).await?;
        let shown = rules.into_iter().map(|rule| {
            let owner = everybody.iter().find(|one| rule.owner.as_ref() == Some(&one.id));
            let absence = owner.and_then(|owner| absences.get(&owner.id));
            let absence = absence.filter(|absence| absence.covers(today));
            RuleShown {
                remark: owner.and_then(|owner| remark(owner, absence, &everybody)),
                owner: owner.map(|owner| owner.email.clone()),
                supplier: rule.supplier,
                within: rule.within.map(|within| within.to_string()),
            }
        });
        Ok(shown.collect())
    }
}

/// Why new cases do not go to the rule's owner now.
fn remark(owner: &PersonRow, absence: Option<&Absence>, everybody: &[PersonRow]) -> Option<String> {
    if owner.disabled {
        return Some("disabled: new cases go on as if nobody were named".to_owned());
    }
    if !may_own(&owner.roles) {
        return Some("no resolver or manager: new cases go on as if nobody were named".to_owned());
    }
    let absence = absence?;
    let deputy = everybody.iter().find(|one| absence.deputy.as_ref() == Some(&one.id));
    let until = absence.until;
    Some(match deputy {
        Some(deputy) if deputy.disabled || !may_own(&deputy.roles) => {
            format!("away until {until}; {} cannot stand in any more", deputy.email)
        }
        Some(deputy) => format!("away until {until}; {} stands in", deputy.email),
        None => format!("away until {until}; nobody stands in"),
    })
}

/// A supplier of the tenant.
async fn supplier_given(
    conn: &mut Conn,
    tenant: &TenantId,
    supplier: Option<&str>,
) -> Result<Option<String>, DeskError> {
    let Some(text) = supplier else { return Ok(None) };
    let id: SupplierId = text.parse().map_err(|fault| faulty("--supplier", fault))?;
    let known = suppliers::supplier_fetch(conn, tenant, &id).await?;
    known.ok_or_else(|| faulty("--supplier", format!("there is no supplier \"{text}\"")))?;
    Ok(Some(id.to_string()))
}

/// Somebody who can own cases, by e-mail address or id.
pub(super) fn owner_given<'a>(field: &str, everybody: &'a [PersonRow], who: &str) -> Result<&'a PersonRow, DeskError> {
    let found = named(everybody, who);
    let found = found.ok_or_else(|| faulty(field, format!("nobody here has the e-mail address or id \"{who}\"")))?;
    if found.disabled {
        return Err(faulty(field, format!("{} is disabled", found.name)));
    }
    if !may_own(&found.roles) {
        return Err(faulty(
            field,
            format!("{} is no resolver or manager, so cannot own cases", found.name),
        ));
    }
    Ok(found)
}

/// Which day it is where the tenant is.
pub(super) async fn today_in(conn: &mut Conn, tenant: &TenantId, now: DateTime<Utc>) -> Result<NaiveDate, DeskError> {
    Ok(date_there(now, zone_of(conn, tenant).await?))
}

/// The rules, and everybody who could be given a case, as this transaction sees them.
pub(super) struct Owners {
    rules: Vec<OwnerRule>,
    candidates: Vec<Candidate>,
    today: NaiveDate,
}

impl Owners {
    pub async fn load(conn: &mut Conn, tenant: &TenantId, now: DateTime<Utc>) -> Result<Self, DeskError> {
        Ok(Self {
            rules: owner_rules::rule_list(conn, tenant).await?,
            candidates: people::owner_candidates(conn, tenant).await?,
            today: today_in(conn, tenant, now).await?,
        })
    }

    /// From here on this person is as good as away: who stands in for them today still does.
    pub fn leave_out(&mut self, person: &PersonId) {
        let today = self.today;
        for one in self.candidates.iter_mut().filter(|one| one.person == *person) {
            let absence = one.absence.take().filter(|absence| absence.covers(today));
            one.absence = Some(Absence {
                from: today,
                until: today,
                deputy: absence.and_then(|absence| absence.deputy),
            });
        }
    }

    /// What the rules say of this supplier's cases.
    pub fn rule(&self, supplier: &str) -> Applied {
        rule_for(&self.rules, supplier, &self.candidates)
    }

    /// Whoever has a case of the same thing keeps what follows from it, while they are there: nobody loses it in the middle of
    /// their work.
    pub fn keeper(&self, has_one: Option<PersonId>) -> Option<FirstOwner> {
        let keeper = has_one?;
        let there = |one: &&Candidate| one.person == keeper && !one.is_away(self.today);
        self.candidates.iter().find(there).map(|one| FirstOwner {
            person: one.person.clone(),
            fell_to_manager: false,
        })
    }

    /// Whose a case is by this rule.
    pub fn first(&self, rule: &Applied) -> Result<FirstOwner, DeskError> {
        first_owner(rule.owner.as_ref(), &self.candidates, self.today).ok_or(DeskError::NoManager)
    }

    /// Who is given one more case about this: the next one goes to whoever has least to do then.
    pub async fn next(&mut self, conn: &mut Conn, about: &About) -> Result<FirstOwner, DeskError> {
        let rule = self.rule(&owner_rules::supplier_of(conn, about).await?);
        let first = self.first(&rule)?;
        let given = self.candidates.iter_mut().filter(|one| one.person == first.person);
        given.for_each(|one| one.open_cases += 1);
        Ok(first)
    }
}

/// An open case that goes to somebody else; its deadline stays.
pub(super) struct Moving<'a> {
    pub case: Case,
    pub about: &'a About,
    pub to: FirstOwner,
    pub to_name: String,
    pub reason: String,
}

impl Desk {
    /// Gives a case to whom it falls, tells them, and says so in the log.
    pub(super) async fn move_case(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        moving: Moving<'_>,
        actor: &Actor,
        walls: &Walls,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let Moving {
            case,
            about,
            to,
            to_name,
            reason,
        } = moving;
        let remind_at = reminder_at(case.due_at, self.lengths.remind_before, walls, now);
        must_be_done(cases::case_give(conn, &case, &to, case.due_at, remind_at).await?)?;
        let from = Some(case.owner.clone());
        let given = Case {
            owner: to.person.clone(),
            owner_name: to_name.clone(),
            ..case
        };
        self.tell_owner(conn, tenant, (&given, about), actor, now).await?;
        let moved = Happening::CaseMoved {
            case: given.id,
            from,
            owner: to.person,
            owner_name: to_name,
            due_at: None,
            reason,
        };
        events::event_append(conn, tenant, actor, subject_of(about), moved, now).await?;
        Ok(())
    }
}
