//! Looking through the log: which kinds of thing happened, who did them, and what somebody asks for.
//!
//! Promises: every happening has its kind, in a total match; what is asked for is read whole or named as unreadable, field
//! by field. Must not: ask the database.

use super::calendar;
use super::event::{Actor, Happening};
use super::ids::{IntentId, PersonId};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What people look for: several words of the log are one kind. Its word stands in the address and in the log's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Wishes reserved, suggestions taken in.
    Suggestions,
    /// What became of suggestions: approved, sent back, rejected, replaced.
    Approvals,
    /// Attempts, what they came to, and who asked for another.
    Sending,
    /// What the supplier was asked and what was found out.
    Findings,
    Cases,
    /// What was kept from being sent, and let go again.
    Holds,
    /// People, tokens, sites, suppliers' files.
    House,
}

impl Kind {
    /// Every kind, in the order of an order's life.
    pub const ALL: [Self; 7] = [
        Self::Suggestions,
        Self::Approvals,
        Self::Sending,
        Self::Findings,
        Self::Cases,
        Self::Holds,
        Self::House,
    ];

    /// The kind's one word, in the address and in the log's index.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Suggestions => "suggestions",
            Kind::Approvals => "approvals",
            Kind::Sending => "sending",
            Kind::Findings => "findings",
            Kind::Cases => "cases",
            Kind::Holds => "holds",
            Kind::House => "house",
        }
    }

    /// Reads the word back.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Which kind this is. Migration 0008 says the same of what happened before there were kinds.
    pub fn of(happening: &Happening) -> Self {
        match happening {
            Happening::IntentReserved
            | Happening::SuggestionTaken { .. }
            | Happening::SuggestionReused { .. }
            | Happening::SuggestionRevised { .. }
            | Happening::ChangeSuggested { .. } => Kind::Suggestions,
            Happening::SuggestionMoved { .. } | Happening::OrderApproved { .. } => Kind::Approvals,
            Happening::AttemptOpened { .. }
            | Happening::AttemptClosed { .. }
            | Happening::LateReply { .. }
            | Happening::LeaseLapsed { .. }
            | Happening::ResumeWanted
            | Happening::ResumeNotSent { .. } => Kind::Sending,
            Happening::LookUpWanted
            | Happening::LookedUp { .. }
            | Happening::FindingEstablished { .. }
            | Happening::FindingProposed { .. }
            | Happening::FindingDeclined { .. }
            | Happening::LateRecord { .. }
            | Happening::Compared { .. } => Kind::Findings,
            Happening::CaseOpened { .. }
            | Happening::CaseClosed { .. }
            | Happening::CaseDecided { .. }
            | Happening::CaseMoved { .. }
            | Happening::CaseReminded { .. }
            | Happening::CaseEscalated { .. }
            | Happening::CaseAcknowledged { .. } => Kind::Cases,
            Happening::OrderHeld { .. }
            | Happening::OrderReleased { .. }
            | Happening::ReleaseWanted { .. }
            | Happening::OrderWithdrawn { .. }
            | Happening::SupplierHeld { .. }
            | Happening::SupplierReleased
            | Happening::Paused { .. }
            | Happening::PauseEnded { .. } => Kind::Holds,
            Happening::TenantCreated { .. }
            | Happening::SiteAdded { .. }
            | Happening::SupplierAdded { .. }
            | Happening::SecondPersonAbove { .. }
            | Happening::WorkingHoursSet { .. }
            | Happening::HolidaySet { .. }
            | Happening::OwnerRuleSet { .. }
            | Happening::PersonAway { .. }
            | Happening::PersonBack { .. }
            | Happening::SendAgainWanted { .. }
            | Happening::PersonAdded { .. }
            | Happening::PersonDisabled
            | Happening::TokenCreated { .. }
            | Happening::TokenRevoked => Kind::House,
        }
    }
}

/// Who acted, as somebody looks for it: programs are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Person(PersonId),
    Program,
    Worker,
    CommandLine,
    System,
}

/// A text that names nobody who could have acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a person's id, or one of program, worker, command_line, system")]
pub struct NotAnActor;

impl By {
    /// Who that is.
    pub fn of(actor: &Actor) -> Self {
        match actor {
            Actor::Person { id, .. } => By::Person(id.clone()),
            Actor::Program { .. } => By::Program,
            Actor::Worker => By::Worker,
            Actor::CommandLine => By::CommandLine,
            Actor::System => By::System,
        }
    }

    /// As it stands in the address and in the log's index.
    pub fn word(&self) -> &str {
        match self {
            By::Person(id) => id.as_str(),
            By::Program => "program",
            By::Worker => "worker",
            By::CommandLine => "command_line",
            By::System => "system",
        }
    }
}

impl FromStr for By {
    type Err = NotAnActor;
    fn from_str(text: &str) -> Result<Self, NotAnActor> {
        let machines = [By::Program, By::Worker, By::CommandLine, By::System];
        let machine = machines.into_iter().find(|one| one.word() == text);
        let person = || text.parse().ok().map(By::Person);
        machine.or_else(person).ok_or(NotAnActor)
    }
}

/// What somebody asks the log for, as it stands in the address. An empty field asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The id of what it is about.
    pub about: Option<String>,
    pub by: Option<String>,
    pub kind: Option<String>,
    /// The first day.
    pub from: Option<String>,
    /// The last day.
    pub to: Option<String>,
    /// The number of the last event of the page before.
    pub older: Option<String>,
}

/// A field of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    About,
    By,
    Kind,
    From,
    To,
}

impl Field {
    /// Every field, in the order of the form.
    pub const ALL: [Self; 5] = [Self::About, Self::By, Self::Kind, Self::From, Self::To];

    /// Its name in the address.
    pub fn name(self) -> &'static str {
        match self {
            Field::About => "about",
            Field::By => "by",
            Field::Kind => "kind",
            Field::From => "from",
            Field::To => "to",
        }
    }
}

/// Why the log cannot be looked through like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreadable {
    /// What was typed there means nothing.
    Field(Field),
    /// The first day is after the last.
    Backwards,
}

/// What is looked for; what is absent is not asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub about: Option<String>,
    pub by: Option<By>,
    pub kind: Option<Kind>,
    /// From this moment on.
    pub since: Option<DateTime<Utc>>,
    /// Up to this moment, and not at it.
    pub before: Option<DateTime<Utc>>,
}

impl Asked {
    /// What was typed into this field; nothing where only blanks were.
    pub fn field(&self, field: Field) -> Option<&str> {
        let text = match field {
            Field::About => &self.about,
            Field::By => &self.by,
            Field::Kind => &self.kind,
            Field::From => &self.from,
            Field::To => &self.to,
        };
        text.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Whether it asks for everything.
    pub fn is_empty(&self) -> bool {
        Field::ALL.into_iter().all(|field| self.field(field).is_none())
    }

    /// The page after the event of this number.
    pub fn place(&self) -> Option<u64> {
        self.older.as_deref()?.parse().ok()
    }

    /// The fields that ask for something, by name: what an address repeats.
    pub fn query(&self) -> String {
        let pair = |field: Field| Some(format!("{}={}", field.name(), self.field(field)?));
        Field::ALL.into_iter().filter_map(pair).collect::<Vec<_>>().join("&")
    }

    /// What is looked for, days being those of this zone; or all that cannot be read.
    pub fn filter(&self, zone: Tz) -> Result<Filter, Vec<Unreadable>> {
        let mut faults = Vec::new();
        // any id is one of these texts, an intent's being the widest
        let about: Option<IntentId> = self.read(Field::About, &mut faults, |text| text.parse().ok());
        let by = self.read(Field::By, &mut faults, |text| text.parse().ok());
        let kind = self.read(Field::Kind, &mut faults, Kind::named);
        let from: Option<NaiveDate> = self.read(Field::From, &mut faults, calendar::date_of);
        let to: Option<NaiveDate> = self.read(Field::To, &mut faults, calendar::date_of);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            faults.push(Unreadable::Backwards);
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Filter {
            about: about.map(String::from),
            by,
            kind,
            since: from.and_then(|date| calendar::day_begins(date, zone)),
            before: to.and_then(|date| calendar::day_ends(date, zone)),
        })
    }

    fn read<T>(&self, field: Field, faults: &mut Vec<Unreadable>, of: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.field(field)?;
        let value = of(text);
        if value.is_none() {
            faults.push(Unreadable::Field(field));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(Field, &str)]) -> Asked {
        let text = |wanted: Field| {
            let found = pairs.iter().find(|(field, _)| *field == wanted);
            found.map(|(_, text)| (*text).to_owned())
        };
        Asked {
            about: text(Field::About),
            by: text(Field::By),
            kind: text(Field::Kind),
            from: text(Field::From),
            to: text(Field::To),
            older: None,
        }
    }

    #[test]
    fn words_are_read_back() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.word()), Some(kind));
        }
        let person: PersonId = "per_0123456789ab".parse().expect("an id");
        for by in [By::Person(person), By::Program, By::Worker, By::CommandLine, By::System] {
            assert_eq!(by.word().parse(), Ok(by.clone()));
        }
        assert_eq!("somebody".parse::<By>(), Err(NotAnActor));
    }

    #[test]
    fn days_are_the_tenants_and_the_last_one_is_whole() {
        let berlin = calendar::zone("Europe/Berlin").expect("a zone");
        let filter = asked(&[(Field::From, "2026-03-29"), (Field::To, "2026-03-29")]).filter(berlin);
        let filter = filter.expect("a filter");
        let moment = |text: &str| text.parse::<DateTime<Utc>>().ok();
        assert_eq!(filter.since, moment("2026-03-28T23:00:00Z"));
        assert_eq!(
            filter.before,
            moment("2026-03-29T22:00:00Z"),
            "23 hours: the clocks go forward"
        );
    }

    #[test]
    fn empty_fields_ask_for_nothing() {
        let all = asked(&[(Field::About, ""), (Field::By, "  "), (Field::From, "")]);
        assert!(all.is_empty());
        assert_eq!(all.filter(Tz::UTC), Ok(Filter::default()));
        assert_eq!(all.query(), "");
    }

    #[test]
    fn everything_that_cannot_be_read_is_named_at_once() {
        let wrong = asked(&[
            (Field::About, "two words"),
            (Field::By, "nobody"),
            (Field::Kind, "gossip"),
            (Field::From, "29.3.2026"),
            (Field::To, "2026-02-30"),
        ]);
        assert_eq!(wrong.filter(Tz::UTC), Err(Field::ALL.map(Unreadable::Field).to_vec()));
        let backwards = asked(&[(Field::From, "2026-03-30"), (Field::To, "2026-03-29")]);
        assert_eq!(backwards.filter(Tz::UTC), Err(vec![Unreadable::Backwards]));
    }

    #[test]
    fn what_was_asked_is_repeated_in_an_address() {
        let asked = asked(&[(Field::About, " po_0123456789ab "), (Field::Kind, "cases")]);
        assert_eq!(asked.query(), "about=po_0123456789ab&kind=cases");
    }
}
