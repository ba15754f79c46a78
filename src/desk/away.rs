//! Who is away, from which day to which, and who stands in: said on the page of people, or from the command line.
//!
//! Promises: what is open stays where it is; new cases go by it. Must not: keep why somebody is away, or write into the log
//! for how long (rule 17).

use super::again::again;
use super::decide::missing;
use super::house::{faulty, named};
use super::owners::{owner_given, today_in};
use super::{Desk, DeskError, Person, clock};
use crate::domain::calendar::date_of;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{PersonId, TenantId};
use crate::domain::ownership::Absence;
use crate::domain::person::{may_own, may_say_away};
use crate::domain::refusal::Refusal;
use crate::store::people::PersonRow;
use crate::store::{Conn, Written, absences, events, people};
use chrono::{Days, NaiveDate};

/// An absence as it was typed. Without a first day it begins today.
#[derive(Debug, Clone, Default)]
pub struct AwayTyped {
    pub from: String,
    pub until: String,
    /// An e-mail address or id; may be nobody's.
    pub deputy: String,
}

/// Nobody is away for longer; a year that was mistyped is.
const LONGEST: Days = Days::new(731);
const NO_DATE: &str = "not a date; write YYYY-MM-DD";

impl Desk {
    /// Says that a person is away; who was to be away otherwise is away like this now.
    pub async fn say_away(&self, person: &Person, who: &PersonId, typed: &AwayTyped) -> Result<(), DeskError> {
        may_say_away(person.roles(), person.0.id == *who)?;
        again(|| self.say_away_once(person, who, typed)).await
    }

    async fn say_away_once(&self, person: &Person, who: &PersonId, typed: &AwayTyped) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let everybody = people::person_list(&mut tx, person.tenant()).await?;
        let found = somebody(&everybody, who)?;
        if found.disabled {
            return Err(missing("person", "is disabled").into());
        }
        let today = today_in(&mut tx, person.tenant(), clock::now()).await?;
        let (absence, deputy_name) = read(typed, found, &everybody, today)?;
        let known = absences::absence_list(&mut tx, person.tenant()).await?;
        let absence = in_its_place(known.get(&found.id), absence, today)?;
        put(&mut tx, found, &absence, deputy_name, &person.actor()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Says that a person is there; who is there already stays so.
    pub async fn say_back(&self, person: &Person, who: &PersonId) -> Result<(), DeskError> {
        may_say_away(person.roles(), person.0.id == *who)?;
        again(|| self.say_back_once(person, who)).await
    }

    async fn say_back_once(&self, person: &Person, who: &PersonId) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let everybody = people::person_list(&mut tx, person.tenant()).await?;
        let found = somebody(&everybody, who)?;
        if remove(&mut tx, found, &person.actor()).await? == Written::Done {
            tx.commit().await?;
        }
        Ok(())
    }

    /// `person away`
    pub async fn person_away(&self, tenant: &TenantId, who: &str, typed: &AwayTyped) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(tenant).await?;
        let everybody = people::person_list(&mut tx, tenant).await?;
        let found = named(&everybody, who).ok_or(DeskError::Absent("person"))?;
        if found.disabled {
            return Err(DeskError::Stands("this person is disabled"));
        }
        if !typed.deputy.trim().is_empty() {
            owner_given("--deputy", &everybody, &typed.deputy)?;
        }
        let today = today_in(&mut tx, tenant, clock::now()).await?;
        let (absence, deputy_name) = read(typed, found, &everybody, today).map_err(as_argument)?;
        let known = absences::absence_list(&mut tx, tenant).await?;
        let absence = in_its_place(known.get(&found.id), absence, today).map_err(as_argument)?;
        put(&mut tx, found, &absence, deputy_name, &Actor::CommandLine).await?;
        tx.commit().await?;
        Ok(())
    }

    /// `person back`
    pub async fn person_back(&self, tenant: &TenantId, who: &str) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(tenant).await?;
        let everybody = people::person_list(&mut tx, tenant).await?;
        let found = named(&everybody, who).ok_or(DeskError::Absent("person"))?;
        match remove(&mut tx, found, &Actor::CommandLine).await? {
            Written::Done => Ok(tx.commit().await?),
            Written::NotInThatState => Err(DeskError::Stands("this person is not away")),
        }
    }
}

async fn put(
    conn: &mut Conn,
    who: &PersonRow,
    absence: &Absence,
    deputy_name: Option<String>,
    actor: &Actor,
) -> Result<(), DeskError> {
    absences::absence_put(conn, &who.tenant, &who.id, absence).await?;
    let away = Happening::PersonAway {
        name: who.name.clone(),
        deputy_name,
    };
    let subject = Subject::Person(who.id.clone());
    events::event_append(conn, &who.tenant, actor, subject, away, clock::now()).await?;
    Ok(())
}

async fn remove(conn: &mut Conn, who: &PersonRow, actor: &Actor) -> Result<Written, DeskError> {
    let written = absences::absence_remove(conn, &who.id).await?;
    if written == Written::Done {
        let back = Happening::PersonBack { name: who.name.clone() };
        let subject = Subject::Person(who.id.clone());
        events::event_append(conn, &who.tenant, actor, subject, back, clock::now()).await?;
    }
    Ok(written)
}

fn somebody<'a>(everybody: &'a [PersonRow], who: &PersonId) -> Result<&'a PersonRow, DeskError> {
    let found = everybody.iter().find(|one| one.id == *who);
    found.ok_or(DeskError::Absent("person"))
}

/// The absence, and the deputy's name.
fn read(
    typed: &AwayTyped,
    who: &PersonRow,
    everybody: &[PersonRow],
    today: NaiveDate,
) -> Result<(Absence, Option<String>), Refusal> {
    let from = match typed.from.trim() {
        "" => today,
        text => date_of(text).ok_or_else(|| missing("from", NO_DATE))?,
    };
    let until = match typed.until.trim() {
        "" => return Err(missing("until", "say the last day")),
        text => date_of(text).ok_or_else(|| missing("until", NO_DATE))?,
    };
    if until < from {
        return Err(missing("until", "is before the first day"));
    }
    if until < today {
        return Err(missing("until", "is in the past"));
    }
    if today.checked_add_days(LONGEST).is_none_or(|last| until > last) {
        return Err(missing("until", "is more than two years away"));
    }
    let deputy = match typed.deputy.trim() {
        "" => None,
        text => Some(deputy(text, who, everybody)?),
    };
    let absence = Absence {
        from,
        until,
        deputy: deputy.map(|one| one.id.clone()),
    };
    Ok((absence, deputy.map(|one| one.name.clone())))
}

/// The absence that takes the place of the other. Only where the two meet, and days of one that has begun stay days of it:
/// else somebody would be taken for there without a word.
fn in_its_place(known: Option<&Absence>, absence: Absence, today: NaiveDate) -> Result<Absence, Refusal> {
    let known = known.filter(|known| known.until >= today);
    let Some(known) = known else { return Ok(absence) };
    let meet = absence.from <= known.until + Days::new(1) && known.from <= absence.until + Days::new(1);
    if meet {
        let has_begun = known.from <= today;
        let from = if has_begun {
            known.from.min(absence.from)
        } else {
            absence.from
        };
        return Ok(Absence { from, ..absence });
    }
    let why = format!(
        "there is an absence from {} to {} already, and one at a time is kept: say that they are back first, or name days that \
         join it",
        known.from, known.until
    );
    Err(missing("from", &why))
}

fn deputy<'a>(text: &str, who: &PersonRow, everybody: &'a [PersonRow]) -> Result<&'a PersonRow, Refusal> {
    let found = named(everybody, text).filter(|one| !one.disabled && may_own(&one.roles));
    let found = found.ok_or_else(|| missing("deputy", "choose a resolver or manager who is not disabled"))?;
    if found.id == who.id {
        return Err(missing("deputy", "nobody stands in for themselves"));
    }
    Ok(found)
}

/// A field of the form, as the command line names it.
fn as_argument(refusal: Refusal) -> DeskError {
    match refusal {
        Refusal::Field { field, detail } => faulty(&format!("--{field}"), detail),
        other => DeskError::Refused(other),
    }
}
