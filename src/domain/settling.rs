//! What a supplier's answer to a look-up means for the order as it stands (rules 8, 10 and 12).
//!
//! Promises: an answer never decides by itself what a person has to; time alone never decides. Must not: write; the desk
//! carries out what is concluded here, in the transaction that keeps the answer.

use super::case::CaseKind;
use super::difference::{Difference, Recorded};
use super::doubt::DoubtFacts;
use super::look_up::{Answer, Found, Standing, finding};
use super::order::{self, Change, Finding, Life, OrderState};
use super::resume::{NotResumed, may_resume_by_itself};
use chrono::{DateTime, Utc};

/// How often a confirmed order that was not compared is asked about, before that is left to people.
pub const MOST_FOR_CONFIRMED: u32 = 5;

/// One thing that follows from an answer. At most one of those that follow changes the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// Something is established, and answers every doubt about the order.
    Establish { finding: Finding, change: Change },
    /// A record that nobody has judged.
    LateRecord { reference: String, change: Change },
    /// A request to send it once more comes to nothing.
    DropResume { why: NotResumed, change: Change },
    /// Nobody could tell, and the supplier's file lets the worker send it once more by itself.
    ResumeByItself { change: Change },
    /// What they recorded was compared with what was approved; no change where it agrees.
    Compared {
        reference: String,
        differences: usize,
        change: Option<Change>,
    },
    /// A person has to look.
    OpenCase { kind: CaseKind, reason: String },
    /// What they have was seen; asking again would say the same once more.
    StopAsking,
}

/// The order whose look-up was answered.
#[derive(Debug, Clone, Copy)]
pub struct AskedAbout<'a> {
    pub life: &'a Life,
    /// With this look-up as the last of those known.
    pub facts: &'a DoubtFacts,
    /// How often it was asked about in this state before.
    pub asked: u32,
}

/// Everything that follows from an answer. `compare` says how a record differs from what was approved.
pub fn conclude(
    about: AskedAbout<'_>,
    answer: &Answer,
    compare: impl Fn(&Recorded) -> Vec<Difference>,
    now: DateTime<Utc>,
) -> Vec<Conclusion> {
    let answer = &without_judged(about, answer);
    match about.life.state {
        OrderState::ConfirmationPending | OrderState::Acknowledged => in_doubt(about, answer, compare, now),
        OrderState::Approved => not_found(about.life, answer),
        OrderState::Confirmed => confirmed(about, answer, compare),
        OrderState::Refused | OrderState::Withdrawn => settled(about, answer),
        // a record is doubt when the open attempt closes: `domain::doubt::beside` looks for it
        OrderState::Submitting => Vec::new(),
    }
}

/// The answer without records that a person judged to be no purchase of this order; beside a confirmed order also without
/// those that are wanted.
fn without_judged(about: AskedAbout<'_>, answer: &Answer) -> Answer {
    let Answer::Found(records) = answer else {
        return answer.clone();
    };
    let known = &about.facts.known;
    let is_confirmed = about.life.state == OrderState::Confirmed;
    let own = about.life.supplier_reference.as_deref().filter(|_| is_confirmed);
    let counts = |one: &&Found| match known.verdict(&one.reference) {
        None => true,
        Some(verdict) => own == Some(one.reference.as_str()) || verdict.is_kept() && !is_confirmed,
    };
    let records: Vec<Found> = records.iter().filter(counts).cloned().collect();
    match records.is_empty() {
        true => Answer::None,
        false => Answer::Found(records),
    }
}

fn in_doubt(
    about: AskedAbout<'_>,
    answer: &Answer,
    compare: impl Fn(&Recorded) -> Vec<Difference>,
    now: DateTime<Utc>,
) -> Vec<Conclusion> {
    let AskedAbout { life, facts, .. } = about;
    if let Answer::Found(records) = answer
        && let Some(several) = duplicate(records)
    {
        return vec![several];
    }
    if facts.known.record_there {
        // nobody has judged the record that turned up; that is a person's
        return Vec::new();
    }
    let says_nothing = *answer == Answer::None && !facts.asked_the_right_books();
    // they said that they have it: then "no record" is about what we may see, and a person has to find out (case I2)
    let in_doubt = life.state == OrderState::ConfirmationPending;
    let contradicts = |finding: &Finding| in_doubt && *finding == Finding::NotAtSupplier && facts.said_they_have_it();
    let established = finding(answer, facts.ladder(), compare);
    let established = established.filter(|finding| !says_nothing && !contradicts(finding));
    let Some(finding) = established else {
        return by_itself(about, answer, now).into_iter().collect();
    };
    // an order they have and have not confirmed may be asked about many times
    match order::establish(life, &finding, now) {
        Ok(change) => vec![Conclusion::Establish { finding, change }],
        Err(_) => Vec::new(),
    }
}

/// Several records of one order: which is ours, and what becomes of the others, is a person's to say (case I7).
fn duplicate(records: &[Found]) -> Option<Conclusion> {
    if records.len() < 2 {
        return None;
    }
    let numbers: Vec<_> = records.iter().map(|one| one.reference.as_str()).collect();
    let reason = format!("the supplier has several records of it: {}", numbers.join(", "));
    let kind = CaseKind::SupplierDuplicate;
    Some(Conclusion::OpenCase { kind, reason })
}

fn by_itself(about: AskedAbout<'_>, answer: &Answer, now: DateTime<Utc>) -> Option<Conclusion> {
    match answer {
        Answer::Found(_) => None,
        Answer::None | Answer::CouldNotCheck => resume_by_itself(about.life, about.facts, now),
    }
}

/// Sends it once more without a person, where the supplier's file says so and a repeat is recognised (rule 9); less and
/// less often, a few times, and never in a paused house.
pub fn resume_by_itself(life: &Life, facts: &DoubtFacts, now: DateTime<Utc>) -> Option<Conclusion> {
    let is_due = facts.repeats_by_itself_at().is_some_and(|at| at <= now);
    let may = life.state == OrderState::ConfirmationPending
        && !facts.is_paused
        && is_due
        && may_resume_by_itself(&facts.about(life), now);
    let change = order::want_resume(life, None, now).ok().filter(|_| may)?;
    Some(Conclusion::ResumeByItself { change })
}

/// Asked about an order that was found not to be there: a record brings the doubt back, and a person judges it. A request
/// to send it once more goes on after "none", and is dropped when nobody can tell (rule 9).
fn not_found(life: &Life, answer: &Answer) -> Vec<Conclusion> {
    match answer {
        Answer::Found(records) => {
            let first = records.first().and_then(|first| late_record(life, first));
            first.into_iter().chain(duplicate(records)).collect()
        }
        Answer::None => Vec::new(),
        Answer::CouldNotCheck => {
            let why = NotResumed::CouldNotCheck;
            let dropped = order::drop_resume(life).ok();
            dropped
                .map(|change| Conclusion::DropResume { why, change })
                .into_iter()
                .collect()
        }
    }
}

fn late_record(life: &Life, found: &Found) -> Option<Conclusion> {
    let reference = found.reference.clone();
    let change = order::late_record(life, Some(&reference)).ok()?;
    Some(Conclusion::LateRecord { reference, change })
}

/// A record of an order that was thought settled, and that nobody has judged.
fn settled(about: AskedAbout<'_>, answer: &Answer) -> Vec<Conclusion> {
    let Answer::Found(records) = answer else {
        return Vec::new();
    };
    let unjudged = |one: &&Found| one.standing != Standing::Refused && !about.facts.known.judged(&one.reference);
    let late = records.iter().find(unjudged);
    late.and_then(|late| late_record(about.life, late))
        .into_iter()
        .collect()
}

/// It was confirmed: now their record is compared with what was approved (rule 12).
fn confirmed(
    about: AskedAbout<'_>,
    answer: &Answer,
    compare: impl Fn(&Recorded) -> Vec<Difference>,
) -> Vec<Conclusion> {
    let life = about.life;
    let Answer::Found(records) = answer else {
        return confirmed_unseen(about, answer).into_iter().collect();
    };
    let mut follows = vec![Conclusion::StopAsking];
    let ours = life.supplier_reference.as_deref();
    if let Some(other) = records.iter().find(|one| Some(one.reference.as_str()) != ours) {
        let change = order::compared(life, &other.reference, &[]).ok().flatten();
        let reference = other.reference.clone();
        follows.extend(change.map(|change| Conclusion::LateRecord { reference, change }));
        return follows;
    }
    let Some(one) = records.first() else { return follows };
    if one.standing == Standing::Refused {
        let reason = format!("the supplier’s record {} says refused or cancelled", one.reference);
        let kind = CaseKind::Differences;
        follows.push(Conclusion::OpenCase { kind, reason });
    }
    // what differs was told before, by the answer that confirmed it
    if let Some(record) = one.record.as_ref().filter(|_| !life.differences) {
        let differences = compare(record);
        if let Ok(change) = order::compared(life, &one.reference, &differences) {
            follows.push(Conclusion::Compared {
                reference: one.reference.clone(),
                differences: differences.len(),
                change,
            });
        }
    }
    follows
}

/// Asked often enough, and they show no record of what was confirmed: a person looks again.
fn confirmed_unseen(about: AskedAbout<'_>, answer: &Answer) -> Option<Conclusion> {
    let often = about.asked.saturating_add(1) >= MOST_FOR_CONFIRMED;
    let reason = "the supplier shows no record of what was confirmed".to_owned();
    let kind = CaseKind::Differences;
    (*answer == Answer::None && often).then_some(Conclusion::OpenCase { kind, reason })
}
