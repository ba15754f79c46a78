//! An order in doubt: everything that bringing it home is judged by, and the judgements that follow from it. Screen, act
//! and worker judge by the same facts.
//!
//! Must not: read a clock, or change anything.

use super::attempt::{Reply, ReplyWord, Tried, first_seen};
use super::case::CaseKind;
use super::classify::{Before, Meaning};
use super::contract::SupplierContract;
use super::decision::{Judgement, Verdict};
use super::difference::Difference;
use super::look_up::{AnswerWord, Books, Established, FindingWord, Ladder, LookedUp, Source, ladder, settled_at};
use super::order::{self, Beside, Change, Life, OrderState};
use super::refusal::Refusal;
use super::resume::{Gap, Ground, InDoubt, JUST_ASKED, NoResume, may_resume, may_resume_by_itself};
use super::suggestion::StandsBefore;
use super::taken_out::{Rule, is_taken_out};
use chrono::{DateTime, TimeDelta, Utc};

/// What is known of an order at its supplier. Storing a reply needs this alone, so that no supplier's file and no secret
/// stands between an answer and its row.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Every look-up, oldest first.
    pub look_ups: Vec<LookedUp>,
    /// Every finding, oldest first.
    pub findings: Vec<Established>,
    /// Records that people judged, beside their findings; oldest first.
    pub judgements: Vec<Judgement>,
    /// A late record, or several records, wait to be judged.
    pub record_there: bool,
}

impl Known {
    /// Whether the last thing established is that it is not there.
    pub fn was_not_found(&self) -> bool {
        let last = self.findings.iter().rev().find(|one| one.settles());
        last.is_some_and(|one| one.finding == FindingWord::NotAtSupplier)
    }

    /// Whether a record of this number was judged: it never reopens the order.
    pub fn judged(&self, reference: &str) -> bool {
        self.findings.iter().any(|one| one.judged(reference)) || self.verdict(reference).is_some()
    }

    /// What a person last judged the record of this number to be.
    pub fn verdict(&self, reference: &str) -> Option<Verdict> {
        let mut all = self.judgements.iter().rev();
        let last = all.find(|one| one.judged.reference == reference);
        last.map(|one| one.judged.verdict)
    }

    /// Whether the record of this number was judged to be no purchase of this order.
    pub fn is_no_purchase(&self, reference: &str) -> bool {
        self.verdict(reference).is_some_and(|verdict| !verdict.is_kept())
    }

    /// What the look-ups say about the order, without records that were judged to be no purchase of it.
    pub fn heard(&self) -> impl DoubleEndedIterator<Item = LookedUp> + '_ {
        self.look_ups.iter().map(|one| {
            let mut heard = one.clone();
            heard.records.retain(|record| !self.is_no_purchase(&record.reference));
            if heard.records.is_empty() && heard.answer == AnswerWord::Found {
                heard.answer = AnswerWord::None;
            }
            heard
        })
    }

    /// Whether a person may say that the order is the record of this number: where several were seen, one of them (case I3).
    pub fn may_be(&self, reference: &str) -> Result<(), Refusal> {
        let Some(last) = self.heard().next_back() else {
            return Ok(());
        };
        let seen: Vec<&str> = last.records.iter().map(|record| record.reference.as_str()).collect();
        if seen.len() < 2 || seen.contains(&reference) {
            return Ok(());
        }
        Err(Refusal::Field {
            field: "reference".to_owned(),
            detail: format!("they have {}; name the one that is the order", seen.join(" and ")),
        })
    }

    /// When something was last established; from then on the ladder is climbed anew.
    pub fn last_finding(&self) -> Option<DateTime<Utc>> {
        let settling = self.findings.iter().filter(|one| one.settles());
        settling.map(|one| one.at).max()
    }
}

/// What the other attempts, and what became known meanwhile, mean for this one as it closes.
pub fn beside<'a>(
    known: &Known,
    others: &'a [Tried],
    mine: &Tried,
    was_restored: bool,
    now: DateTime<Utc>,
) -> Beside<'a> {
    let other_doubt = others.iter().any(|one| one.attempt.is_doubtful(now));
    let doubt = other_doubt || mine.in_doubt || is_there_by_now(known, others, mine);
    Beside {
        doubt: doubt && !is_taken_out(Rule::Doubt),
        was_not_found: known.was_not_found(),
        was_restored,
        late_acceptance: late_acceptance(known, others, mine),
    }
}

/// Whether the supplier said, while this attempt was open, that it has the order: to a look-up, or in another attempt's
/// late acknowledgement. Then this attempt's "refused" or "not sent" is doubt.
fn is_there_by_now(known: &Known, others: &[Tried], mine: &Tried) -> bool {
    let since = mine.attempt.started_at;
    let seen = |one: &LookedUp| one.answer == AnswerWord::Found && one.at >= since;
    let acknowledged = |one: &Tried| {
        one.attempt.reply == Some(ReplyWord::Acknowledged) && one.attempt.ended_at.is_some_and(|at| at >= since)
    };
    known.heard().any(|one| seen(&one)) || others.iter().any(acknowledged)
}

/// An acceptance that another attempt brought, after its lease, while this one was open.
/// One that names a record judged to be no purchase confirms nothing.
pub fn late_acceptance<'a>(known: &Known, others: &'a [Tried], mine: &Tried) -> Option<(&'a str, &'a [Difference])> {
    let while_open = |one: &&Tried| one.attempt.ended_at.is_some_and(|at| at >= mine.attempt.started_at);
    let accepted = |one: &&Tried| one.lapsed && one.attempt.reply == Some(ReplyWord::Accepted);
    let counts = |one: &&Tried| {
        let reference = one.attempt.reference.as_deref();
        reference.is_some_and(|reference| !known.is_no_purchase(reference))
    };
    let late = others.iter().filter(while_open).filter(accepted).find(counts)?;
    Some((late.attempt.reference.as_deref()?, &late.differences))
}

/// What an attempt's reply says, where a person judged the record it names: one that is cancelled, or not ours, confirms
/// nothing (brief.md "a record once judged").
pub fn as_judged(reply: &Reply, known: &Known) -> Reply {
    match reply {
        Reply::Accepted { reference, .. } if known.is_no_purchase(reference) => Reply::Unknown {
            reference: Some(reference.clone()),
        },
        Reply::Accepted { .. }
        | Reply::Acknowledged { .. }
        | Reply::Refused
        | Reply::NotSent(_)
        | Reply::Unknown { .. } => reply.clone(),
    }
}

/// What a reply means that comes after its lease (rule 13). A record once judged never reopens an order.
pub fn late_change(
    life: &Life,
    known: &Known,
    others: &[Tried],
    mine: &Tried,
    reply: &Reply,
    differences: &[Difference],
    now: DateTime<Utc>,
) -> Result<Change, Refusal> {
    let other_doubt = others.iter().any(|one| one.attempt.is_doubtful(now));
    let doubt = other_doubt || mine.in_doubt || known.record_there;
    let is_settled = match life.state {
        OrderState::ConfirmationPending | OrderState::Submitting => false,
        OrderState::Approved
        | OrderState::Acknowledged
        | OrderState::Confirmed
        | OrderState::Refused
        | OrderState::Withdrawn => true,
    };
    let judged = reply.reference().is_some_and(|reference| known.judged(reference));
    if is_settled && judged {
        return Err(Refusal::OrderIs(life.state));
    }
    let change = order::late_reply(life, reply, differences, doubt, now)?;
    let late = life.supplier_reference.as_deref().filter(|_| known.record_there);
    Ok(
        match late.filter(|late| change.life.state == OrderState::Confirmed && reply.reference() != Some(late)) {
            // the record that waited to be judged is not the one that said yes: it stays somebody's
            Some(late) => change.opening(CaseKind::SupplierDuplicate, order::second_record(late)),
            None => change,
        },
    )
}

/// What a reply that came late establishes.
pub fn late_finding(reply: &Reply) -> Option<FindingWord> {
    match reply {
        Reply::Accepted { .. } => Some(FindingWord::AtSupplier),
        Reply::Acknowledged { .. } => Some(FindingWord::NotYetConfirmed),
        Reply::NotSent(_) => Some(FindingWord::NotAtSupplier),
        Reply::Refused | Reply::Unknown { .. } => None,
    }
}

/// Whether an order that came into this state answers every doubt: they said yes, or "we have it".
pub fn answers_doubt(to: OrderState) -> bool {
    match to {
        OrderState::Confirmed | OrderState::Acknowledged => true,
        OrderState::Approved
        | OrderState::Submitting
        | OrderState::ConfirmationPending
        | OrderState::Refused
        | OrderState::Withdrawn => false,
    }
}

/// What an answer to the next attempt has to be sorted by.
pub fn before(tried: &[Tried], in_doubt: bool) -> Before {
    let last = tried.last().filter(|one| one.attempt.reply == Some(ReplyWord::Unknown));
    Before {
        doubt: in_doubt,
        last: last.and_then(|one| Some((one.attempt.http_status?, one.attempt.excerpt.clone()))),
    }
}

/// Where we stand with the supplier today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Today {
    pub contract: SupplierContract,
    pub books: Books,
    /// Fingerprint of the secret; nothing when it cannot be read.
    pub secret_mac: Option<String>,
    pub held: bool,
}

/// The facts of one order.
#[derive(Debug, Clone)]
pub struct DoubtFacts {
    pub today: Today,
    /// The contract of the first send; today's as long as there was none.
    pub then: SupplierContract,
    pub tried: Vec<Tried>,
    pub known: Known,
    pub approved_at: DateTime<Utc>,
    /// It may have been sent already in a gap that began then (rule 20).
    pub gap_at: Option<DateTime<Utc>>,
    /// When the restore that left the gap was noticed.
    pub restored_at: Option<DateTime<Utc>>,
    pub later_order_live: bool,
    /// What stands before it of its predecessors (rule 5).
    pub before: StandsBefore,
    /// The house is paused after a restore: nothing is sent without a person.
    pub is_paused: bool,
    pub request_deadline: TimeDelta,
}

/// So many attempts are made before what is left is a person's.
const MOST_BY_ITSELF: usize = 5;

/// What becomes of a request to send an order once more, as the attempt is to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It may go.
    Send,
    /// It goes once the supplier has just said that it is not there (rule 9).
    AskFirst,
    /// It is not safe any more; whoever asked is told (case C10).
    Drop(NoResume),
}

impl DoubtFacts {
    /// As `may_resume` wants them.
    pub fn about(&self, life: &Life) -> InDoubt<'_> {
        let mut settling = self.known.findings.iter().rev().filter(|one| one.settles());
        let by_hand = settling
            .next()
            .filter(|one| (one.source, one.finding) == (Source::Person, FindingWord::NotAtSupplier))
            // what was found before the gap says nothing of what happened in it
            .filter(|one| self.restored_at.is_none_or(|at| one.at >= at));
        InDoubt {
            state: life.state,
            holds: life.holds,
            then: &self.then,
            today: &self.today.contract,
            first_send: self.first_send(),
            same_scope: self.is_same_scope(),
            same_account: self.books() == &self.today.books,
            supplier_held: self.today.held,
            later_order_live: self.later_order_live,
            before: self.before,
            record_there: self.known.record_there,
            said: self.last_seen().and_then(|one| one.meaning),
            in_flight_until: self.in_flight_until(),
            saved_answers: self.saved_answers(),
            found_by_hand_at: by_hand.map(|one| one.at),
            request_deadline: self.request_deadline,
            gap: self.gap(),
        }
    }

    /// Judges a request to send it once more, in the transaction that opens the attempt (rule 9).
    pub fn opening(&self, life: &Life, now: DateTime<Utc>) -> Opening {
        let about = self.about(life);
        let is_by_itself = life.resume.as_ref().is_some_and(|wanted| wanted.by.is_none());
        match may_resume(&about, now) {
            Ok(_) if is_by_itself && !may_resume_by_itself(&about, now) => Opening::Drop(NoResume::LeftToPerson),
            Err(_) if is_taken_out(Rule::SecondJudgement) => Opening::Send,
            Err(why) => Opening::Drop(why),
            Ok(Ground::NotFound) if self.today.contract.look_up.can_ask() && !self.is_just_asked(life, now) => {
                Opening::AskFirst
            }
            Ok(Ground::Key { .. } | Ground::UniqueReference | Ground::NotFound) => Opening::Send,
        }
    }

    /// Whether the supplier was asked a moment ago, after it had been found not to have the order, and said "none".
    fn is_just_asked(&self, life: &Life, now: DateTime<Utc>) -> bool {
        let after_gap = self.about(life).after_gap(now);
        self.known.heard().next_back().is_some_and(|last| {
            last.answer == AnswerWord::None
                && last.books == *self.books()
                && after_gap.is_none_or(|at| last.at >= at)
                && last.at <= now
                && now - last.at <= JUST_ASKED
                && self.known.last_finding().is_none_or(|found| last.at > found)
        })
    }

    /// Every window counts from the first send, also from one that was turned away (rule 9).
    fn first_send(&self) -> DateTime<Utc> {
        let first = first_seen(&self.tried).map_or(self.approved_at, |first| first.attempt.started_at);
        first.min(self.gap_at.unwrap_or(first))
    }

    /// The longer of both versions' words counts, from the answer that said so.
    fn in_flight_until(&self) -> Option<DateTime<Utc>> {
        let last = self.last_seen().filter(|one| one.meaning == Some(Meaning::InFlight))?;
        let said_at = last.attempt.ended_at?;
        let until = |contract: &SupplierContract| contract.in_flight_until(said_at);
        Some(until(&self.then).max(until(&self.today.contract)))
    }

    fn last_seen(&self) -> Option<&Tried> {
        self.tried.iter().rev().find(|one| one.may_have_been_seen())
    }

    /// The books the order was submitted to; today's, as long as it was not.
    pub fn books(&self) -> &Books {
        let mut placed = self.tried.iter().rev().filter(|one| one.may_have_been_placed());
        placed.next().map_or(&self.today.books, |one| &one.books)
    }

    /// Whether what a repeat is recognised by is what every send had. What either version asks for has to stay.
    fn is_same_scope(&self) -> bool {
        let needs_secret = [&self.then, &self.today.contract]
            .iter()
            .any(|contract| contract.scope.needs_same_secret());
        let same_secret = |one: &Tried| Some(&one.secret_mac) == self.today.secret_mac.as_ref();
        let mut placed = self.tried.iter().filter(|one| one.may_have_been_placed());
        placed.all(|one| one.books == self.today.books && (!needs_secret || same_secret(one)))
    }

    /// So many attempts at the end were given the saved answer again; the one that it was saved from is not counted.
    fn saved_answers(&self) -> u32 {
        let mut seen = self
            .tried
            .iter()
            .rev()
            .filter(|one| one.may_have_been_seen())
            .peekable();
        let mut times = 0;
        while seen.next_if(|one| one.meaning == Some(Meaning::SavedAnswer)).is_some() {
            times += 1;
        }
        times
    }

    /// Both versions' settle time and lag: a correction makes nobody say sooner that it is not there (case C11).
    fn cautious(&self) -> SupplierContract {
        if is_taken_out(Rule::Slower) {
            return self.today.contract.clone();
        }
        self.today.contract.as_slow_as(&self.then)
    }

    /// From when "no record" counts.
    pub fn settled_at(&self) -> DateTime<Utc> {
        let seen = self.tried.iter().filter(|one| one.may_have_been_seen());
        // its lease's end, where it never said that it ended
        let ends = seen.map(|one| one.attempt.ended_at.unwrap_or(one.attempt.lease_until));
        let last = ends.max().unwrap_or(self.approved_at);
        let last = self.restored_at.map_or(last, |at| at.max(last));
        let settled = settled_at(&self.cautious(), last, self.request_deadline);
        // while they work on an earlier request, "no record" says nothing
        self.in_flight_until().map_or(settled, |until| until.max(settled))
    }

    /// After a restore: when a look-up shows what may have been sent just before.
    fn gap(&self) -> Option<Gap> {
        let cautious = self.cautious();
        let lag = TimeDelta::seconds(cautious.look_up_lag_seconds);
        self.restored_at.map(|at| Gap {
            shows_at: at + lag,
            settles_at: settled_at(&cautious, at, self.request_deadline),
        })
    }

    /// Whether the supplier said that it has the order: that our reference exists, of the last attempt; or "we have it", to
    /// any of them. Then "no record" is about what we may see, and a person has to find out (case I2).
    pub fn said_they_have_it(&self) -> bool {
        self.last_seen().is_some_and(|one| one.meaning == Some(Meaning::Exists))
            || self.tried.iter().any(Tried::was_acknowledged)
    }

    /// When a repeat without a person may be made: at once after the first attempt, then a minute after the last one ended,
    /// doubling; nothing once enough were made.
    pub fn repeats_by_itself_at(&self) -> Option<DateTime<Utc>> {
        let tries = self.tried.len();
        let last = self.tried.last().filter(|_| tries < MOST_BY_ITSELF)?;
        let ended = last.attempt.ended_at.unwrap_or(last.attempt.lease_until);
        let minutes = if tries < 2 { 0 } else { 1 << (tries - 2) };
        Some(ended + TimeDelta::minutes(minutes))
    }

    /// How long the key is kept, under both versions, in seconds; nothing without a key.
    pub fn key_window(&self) -> Option<i64> {
        let window = |contract: &SupplierContract| contract.key.as_ref().map(|key| key.window_seconds);
        Some(window(&self.then)?.min(window(&self.today.contract)?))
    }

    /// Whether an attempt leaves open doubt.
    pub fn open_doubt(&self, now: DateTime<Utc>) -> bool {
        self.tried.iter().any(|one| one.attempt.is_doubtful(now))
    }

    /// How far "not at the supplier" is from being established.
    pub fn ladder(&self) -> Ladder {
        let settled = self.settled_at();
        let from = self.known.last_finding().map_or(settled, |at| at.max(settled));
        ladder(
            &self.cautious(),
            from,
            self.books(),
            &self.known.heard().collect::<Vec<_>>(),
        )
    }

    /// Whether the last look-up asked the books that the order was submitted to.
    pub fn asked_the_right_books(&self) -> bool {
        self.known
            .look_ups
            .last()
            .is_some_and(|last| last.books == *self.books() || is_taken_out(Rule::OwnBooks))
    }

    /// When the key's window ends, under both versions; nothing without a key.
    pub fn key_until(&self) -> Option<DateTime<Utc>> {
        let end = |contract: &SupplierContract| contract.key_until(self.first_send());
        let (then, today) = end(&self.then).zip(end(&self.today.contract))?;
        Some(then.min(today))
    }
}

#[cfg(test)]
mod tests {
    use super::super::attempt::Attempt;
    use super::super::case::CaseStep;
    use super::super::contract::{LookUp, ResumeBy};
    use super::super::difference::Recorded;
    use super::super::ids::{AttemptId, OrderId, PersonId};
    use super::super::order::Holds;
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).expect("in range")
    }

    fn facts(contract: &SupplierContract) -> DoubtFacts {
        DoubtFacts {
            today: Today {
                contract: contract.clone(),
                books: Books::default(),
                secret_mac: Some(String::new()),
                held: false,
            },
            then: contract.clone(),
            tried: Vec::new(),
            known: Known::default(),
            approved_at: at(0),
            gap_at: Some(at(90)),
            restored_at: Some(at(100)),
            later_order_live: false,
            before: StandsBefore::Nothing,
            is_paused: false,
            request_deadline: TimeDelta::seconds(30),
        }
    }

    fn asked_with_settle_time() -> SupplierContract {
        SupplierContract {
            look_up: LookUp::Exact,
            look_up_lag_seconds: 5,
            settle_seconds: 3_600,
            ..SupplierContract::nothing()
        }
    }

    /// A record waits to be judged, and an attempt reports late that it was accepted under another number.
    #[test]
    fn a_late_yes_under_another_number_leaves_the_unjudged_record_to_somebody() {
        let life = Life {
            state: OrderState::ConfirmationPending,
            due_at: None,
            supplier_reference: Some("A-1".to_owned()),
            ..Life::approved(Holds::NONE, at(0))
        };
        let known = Known {
            record_there: true,
            ..Known::default()
        };
        let mine = attempt_that_lapsed();
        for (reference, is_somebodys) in [("A-1", false), ("A-2", true)] {
            let accepted = Reply::Accepted {
                reference: reference.to_owned(),
                record: Recorded::default(),
            };
            let change = late_change(&life, &known, &[], &mine, &accepted, &[], at(60)).expect("it confirms");
            assert_eq!(change.life.state, OrderState::Confirmed);
            let opened = change.cases.iter().any(|step| match step {
                CaseStep::Open { kind, reason } => *kind == CaseKind::SupplierDuplicate && reason.contains("A-1"),
                CaseStep::Close(_) => false,
            });
            assert_eq!(opened, is_somebodys, "{reference}: {:?}", change.cases);
        }
    }

    fn attempt_that_lapsed() -> Tried {
        Tried {
            attempt: Attempt {
                id: AttemptId::from_random(1),
                started_at: at(0),
                send_by: at(5),
                lease_until: at(45),
                ended_at: None,
                reply: None,
                http_status: None,
                reference: None,
                detail: None,
                excerpt: None,
                answered: false,
            },
            order: OrderId::from_random(1),
            supplier_version: 1,
            books: Books::default(),
            secret_mac: String::new(),
            lapsed: true,
            in_doubt: false,
            meaning: None,
            recorded: None,
            differences: Vec::new(),
        }
    }

    /// Rule 9: what the worker asked for by itself goes out only while the file still lets it.
    #[test]
    fn a_repeat_that_nobody_asked_for_is_dropped_once_the_file_leaves_it_to_a_person() {
        let unique = |resume| SupplierContract {
            duplicate: super::super::contract::Duplicate::Refused,
            resume,
            ..asked_with_settle_time()
        };
        let (automatic, person) = (unique(ResumeBy::Automatic), unique(ResumeBy::Person));
        let wanted = |by| Life {
            state: OrderState::ConfirmationPending,
            due_at: None,
            resume: Some(order::ResumeWanted { by, at: at(100) }),
            ..Life::approved(Holds::NONE, at(0))
        };
        let by_itself = wanted(None);
        let by_a_person = wanted(Some("per_000000000001".parse::<PersonId>().expect("an id")));
        let mut facts = facts(&automatic);
        facts.gap_at = None;
        facts.restored_at = None;
        assert_eq!(facts.opening(&by_itself, at(101)), Opening::Send);
        facts.today.contract = person;
        assert_eq!(
            facts.opening(&by_itself, at(101)),
            Opening::Drop(NoResume::LeftToPerson)
        );
        assert_eq!(facts.opening(&by_a_person, at(101)), Opening::Send);
    }

    #[test]
    fn after_a_restore_no_record_counts_once_what_was_sent_just_before_shows() {
        let life = Life::approved(Holds::NONE, at(0));
        let nothing = facts(&asked_with_settle_time());
        assert_eq!(
            nothing.about(&life).after_gap(at(200)),
            Some(at(100 + 30 + 3_600)),
            "they may still be working on it"
        );
        let unique = SupplierContract {
            duplicate: super::super::contract::Duplicate::Refused,
            ..asked_with_settle_time()
        };
        assert_eq!(
            facts(&unique).about(&life).after_gap(at(200)),
            Some(at(105)),
            "a repeat is recognised, whatever they are working on"
        );
    }

    #[test]
    fn what_a_person_found_before_the_gap_says_nothing_of_what_happened_in_it() {
        let life = Life::approved(Holds::NONE, at(0));
        for (found_at, counts) in [(99, false), (100, true)] {
            let mut facts = facts(&SupplierContract::nothing());
            facts.known.findings.push(Established {
                at: at(found_at),
                finding: FindingWord::NotAtSupplier,
                source: Source::Person,
                by: None,
                confirmed_by: None,
                reference: None,
                evidence: None,
            });
            assert_eq!(facts.about(&life).found_by_hand_at.is_some(), counts, "{found_at}");
        }
    }
}
