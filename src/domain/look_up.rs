//! Asking a supplier: answers, and what may be concluded from them. Only here do answers become findings (rule 10).
//!
//! Promises: "not there" needs the whole ladder; "could not check" concludes nothing. Must not: read a clock or the wire.

use super::contract::SupplierContract;
use super::difference::Recorded;
use super::order::{Finding, Life, may_find};
use super::refusal::Refusal;
use super::taken_out::{Rule, is_taken_out};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// What a record at the supplier says of itself, by the predicates of the supplier's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Confirmed,
    NotYet,
    /// Refused or cancelled there.
    Refused,
    /// A status that the file does not name.
    Unnamed,
}

/// A record that a look-up found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The supplier's own number; text, compared exactly (case I3).
    pub reference: String,
    pub standing: Standing,
    /// Nothing when its lines cannot be read: then it cannot be compared.
    pub record: Option<Recorded>,
}

/// What came of a look-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Found(Vec<Found>),
    None,
    /// Not allowed to see it, no answer, an unreadable one: says nothing about the order (case I2).
    CouldNotCheck,
}

/// A look-up's one word, as kept and on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerWord {
    Found,
    None,
    CouldNotCheck,
}

impl AnswerWord {
    /// Every answer.
    pub const ALL: [Self; 3] = [Self::Found, Self::None, Self::CouldNotCheck];
    /// The word on the wire and in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::None => "none",
            Self::CouldNotCheck => "could_not_check",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|answer| answer.word() == word)
    }
}

impl Answer {
    /// The answer's word.
    pub fn word(&self) -> AnswerWord {
        match self {
            Answer::Found(_) => AnswerWord::Found,
            Answer::None => AnswerWord::None,
            Answer::CouldNotCheck => AnswerWord::CouldNotCheck,
        }
    }
}

/// A supplier's books: the address and the account they are kept under. "None" in other books says nothing (case I2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    pub base_url: String,
    pub account: String,
}

/// A look-up as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedUp {
    pub at: DateTime<Utc>,
    pub answer: AnswerWord,
    /// Whose books were asked.
    pub books: Books,
    pub detail: String,
    /// What was found.
    pub records: Vec<Found>,
    /// Who asked; nobody when the worker did, on its schedule.
    pub by: Option<String>,
}

/// A finding's one word, as kept, in a form and on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingWord {
    AtSupplier,
    NotYetConfirmed,
    RefusedThere,
    NotAtSupplier,
    /// A person looked and could not tell: kept, settles nothing.
    CouldNotTell,
}

impl FindingWord {
    /// Every finding.
    pub const ALL: [Self; 5] = [
        Self::AtSupplier,
        Self::NotYetConfirmed,
        Self::RefusedThere,
        Self::NotAtSupplier,
        Self::CouldNotTell,
    ];
    /// The word in the table, in forms and on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::AtSupplier => "at_supplier",
            Self::NotYetConfirmed => "not_yet_confirmed",
            Self::RefusedThere => "refused_there",
            Self::NotAtSupplier => "not_at_supplier",
            Self::CouldNotTell => "could_not_tell",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|finding| finding.word() == word)
    }
    /// The word of what was established.
    pub fn of_finding(finding: &Finding) -> Self {
        match finding {
            Finding::AtSupplier { .. } => Self::AtSupplier,
            Finding::NotYetConfirmed { .. } => Self::NotYetConfirmed,
            Finding::RefusedThere { .. } => Self::RefusedThere,
            Finding::NotAtSupplier => Self::NotAtSupplier,
            Finding::CouldNotTell => Self::CouldNotTell,
        }
    }
}

/// Where a finding comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    LookUp,
    /// A reply that came after its lease.
    Reply,
    Person,
}

impl Source {
    /// The word in the table and on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::LookUp => "look_up",
            Self::Reply => "reply",
            Self::Person => "person",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        [Self::LookUp, Self::Reply, Self::Person]
            .into_iter()
            .find(|source| source.word() == word)
    }
}

/// A finding as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Established {
    pub at: DateTime<Utc>,
    pub finding: FindingWord,
    pub source: Source,
    pub by: Option<String>,
    /// The second person, where one was needed.
    #[serde(default)]
    pub confirmed_by: Option<String>,
    pub reference: Option<String>,
    pub evidence: Option<String>,
}

impl Established {
    /// Whether it settled anything.
    pub fn settles(&self) -> bool {
        self.finding != FindingWord::CouldNotTell
    }
    /// Whether it judged the supplier's record of this number: such a record never reopens the order (brief.md).
    pub fn judged(&self, reference: &str) -> bool {
        let is_verdict = matches!(self.finding, FindingWord::AtSupplier | FindingWord::RefusedThere);
        is_verdict && self.reference.as_deref() == Some(reference)
    }
}

/// How far the ladder to "not at the supplier" has been climbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ladder {
    /// Three look-ups answered "none", the first after the settle time, a visibility lag apart.
    NotFound,
    /// So many of the three count; the next counts from this moment.
    Climbing { rungs: u32, next_at: DateTime<Utc> },
    /// This supplier cannot be asked.
    CannotAsk,
}

/// "None" so often, before the order counts as not there (rule 10).
pub const RUNGS: u32 = 3;

/// From when a "none" counts: the end of the last attempt, plus what its bytes may still linger in the kernel, plus the
/// supplier's settle time (brief.md "settle time").
pub fn settled_at(contract: &SupplierContract, last_end: DateTime<Utc>, linger: TimeDelta) -> DateTime<Utc> {
    last_end + linger + TimeDelta::seconds(contract.settle_seconds)
}

/// Climbs the ladder over look-ups in the order of time, from the settle time or the last finding on, whichever is later.
/// Only answers out of the books that the order was submitted to count; a record found in between begins anew.
pub fn ladder(contract: &SupplierContract, from: DateTime<Utc>, books: &Books, asked: &[LookedUp]) -> Ladder {
    if !contract.look_up.can_ask() {
        return Ladder::CannotAsk;
    }
    let lag = TimeDelta::seconds(contract.look_up_lag_seconds).max(TimeDelta::microseconds(1));
    let mut rungs = 0;
    let mut next_at = from;
    let is_ours = |one: &&LookedUp| one.books == *books || is_taken_out(Rule::OwnBooks);
    for one in asked.iter().filter(is_ours) {
        match one.answer {
            AnswerWord::Found => rungs = 0,
            AnswerWord::None if one.at >= next_at => {
                rungs += 1;
                next_at = one.at + lag;
            }
            AnswerWord::None | AnswerWord::CouldNotCheck => {}
        }
    }
    if rungs >= RUNGS {
        Ladder::NotFound
    } else {
        Ladder::Climbing { rungs, next_at }
    }
}

/// The last look-up that said anything.
pub fn last_said(asked: &[LookedUp]) -> Option<&LookedUp> {
    asked.iter().rev().find(|one| one.answer != AnswerWord::CouldNotCheck)
}

/// Whether the supplier can be asked about this order now.
pub fn may_look_up(life: &Life, contract: &SupplierContract) -> Result<(), Refusal> {
    may_find(life)?;
    if contract.look_up.can_ask() {
        Ok(())
    } else {
        Err(Refusal::CannotAsk)
    }
}

/// What a look-up's answer establishes about an order in doubt; nothing when a person has to look.
///
/// Two records, a record that cannot be compared, or one whose status the file does not name, establish nothing.
pub fn finding(
    answer: &Answer,
    ladder: Ladder,
    compare: impl Fn(&Recorded) -> Vec<super::difference::Difference>,
) -> Option<Finding> {
    match (answer, ladder) {
        (Answer::Found(records), _) => match &records[..] {
            [one] => finding_of(one, compare),
            [] | [_, _, ..] => None,
        },
        (Answer::None, Ladder::NotFound) => Some(Finding::NotAtSupplier),
        (Answer::None, Ladder::Climbing { .. } | Ladder::CannotAsk) | (Answer::CouldNotCheck, _) => None,
    }
}

fn finding_of(one: &Found, compare: impl Fn(&Recorded) -> Vec<super::difference::Difference>) -> Option<Finding> {
    match one.standing {
        Standing::Confirmed => one.record.as_ref().map(|record| Finding::AtSupplier {
            reference: one.reference.clone(),
            differences: compare(record),
        }),
        Standing::NotYet => Some(Finding::NotYetConfirmed {
            reference: Some(one.reference.clone()),
        }),
        Standing::Refused => Some(Finding::RefusedThere {
            reference: Some(one.reference.clone()),
        }),
        Standing::Unnamed => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::LookUp;
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).expect("in range")
    }

    fn contract(lag: i64, look_up: LookUp) -> SupplierContract {
        SupplierContract {
            look_up,
            look_up_lag_seconds: lag,
            settle_seconds: 30,
            ..SupplierContract::nothing()
        }
    }

    fn books(account: &str) -> Books {
        Books {
            base_url: "http://acme.example".to_owned(),
            account: account.to_owned(),
        }
    }

    fn asked(answers: &[(i64, AnswerWord, &str)]) -> Vec<LookedUp> {
        let one = |(second, answer, account): &(i64, AnswerWord, &str)| LookedUp {
            at: at(*second),
            answer: *answer,
            books: books(account),
            detail: String::new(),
            records: vec![],
            by: None,
        };
        answers.iter().map(one).collect()
    }

    #[test]
    fn the_ladder_needs_three_after_the_settle_time_a_lag_apart_under_the_same_account() {
        use AnswerWord::{CouldNotCheck, Found, None};
        // case I1: visible after 6 minutes
        let slow = contract(360, LookUp::Exact);
        let settled = settled_at(&slow, at(0), TimeDelta::seconds(30));
        assert_eq!(settled, at(60));
        let climb = |answers: &[(i64, AnswerWord, &str)]| ladder(&slow, settled, &books("us"), &asked(answers));
        assert_eq!(
            climb(&[(5, None, "us"), (59, None, "us")]),
            Ladder::Climbing {
                rungs: 0,
                next_at: at(60)
            }
        );
        let early = [(60, None, "us"), (61, None, "us"), (419, None, "us"), (420, None, "us")];
        assert_eq!(
            climb(&early),
            Ladder::Climbing {
                rungs: 2,
                next_at: at(780)
            }
        );
        let whole = [(60, None, "us"), (420, None, "us"), (780, None, "us")];
        assert_eq!(climb(&whole), Ladder::NotFound);
        let seen_once = [(60, None, "us"), (420, Found, "us"), (780, None, "us")];
        assert_eq!(
            climb(&seen_once),
            Ladder::Climbing {
                rungs: 1,
                next_at: at(1140)
            }
        );
        let other = [(60, None, "us"), (420, None, "them"), (780, CouldNotCheck, "us")];
        assert_eq!(
            climb(&other),
            Ladder::Climbing {
                rungs: 1,
                next_at: at(420)
            }
        );
        assert_eq!(
            ladder(&contract(0, LookUp::None), settled, &books("us"), &asked(&whole)),
            Ladder::CannotAsk
        );
    }

    #[test]
    fn only_one_readable_record_or_a_whole_ladder_establishes_anything() {
        let found = |standing, record: Option<Recorded>| Found {
            reference: "A-1".into(),
            standing,
            record,
        };
        let lines = || Some(Recorded::default());
        let climbing = Ladder::Climbing {
            rungs: 1,
            next_at: at(0),
        };
        let of = |records| finding(&Answer::Found(records), climbing, |_| vec![]);
        let confirmed = Finding::AtSupplier {
            reference: "A-1".into(),
            differences: vec![],
        };
        assert_eq!(of(vec![found(Standing::Confirmed, lines())]), Some(confirmed));
        let refused = Finding::RefusedThere {
            reference: Some("A-1".into()),
        };
        assert_eq!(of(vec![found(Standing::Refused, None)]), Some(refused));
        assert_eq!(
            of(vec![found(Standing::Confirmed, None)]),
            None,
            "it cannot be compared"
        );
        assert_eq!(of(vec![found(Standing::Unnamed, lines())]), None);
        let twice = vec![found(Standing::Confirmed, lines()), found(Standing::Confirmed, lines())];
        assert_eq!(of(twice), None, "a person chooses (case I3)");
        assert_eq!(finding(&Answer::None, climbing, |_| vec![]), None);
        assert_eq!(
            finding(&Answer::None, Ladder::NotFound, |_| vec![]),
            Some(Finding::NotAtSupplier)
        );
        assert_eq!(finding(&Answer::CouldNotCheck, Ladder::NotFound, |_| vec![]), None);
    }
}
