//! One approval's rows, in memory, and the acts on them. Every judgement is the domain's; here is only what the desk's
//! tables keep, and the order in which it asks.

use super::supplier::seconds;
use chrono::{DateTime, TimeDelta, Utc};
use countersign::domain::attempt::{Attempt, Reply, ReplyWord, Tried, first_seen};
use countersign::domain::case::{CaseKind, CaseStep};
use countersign::domain::classify::{Before, Sorted};
use countersign::domain::contract::SupplierContract;
use countersign::domain::doubt::{
    DoubtFacts, Known, Opening, Today, answers_doubt, before, beside, late_change, late_finding,
};
use countersign::domain::ids::{AttemptId, OrderId, PersonId};
use countersign::domain::look_up::{Answer, Books, Established, FindingWord, LookedUp, Source, may_look_up};
use countersign::domain::order::{self, BeforeAttempt, Change, Finding, Hold, Holds, Life, OrderState, Pace};
use countersign::domain::person::Role;
use countersign::domain::resume::NotResumed;
use countersign::domain::settling::{AskedAbout, Conclusion, conclude, resume_by_itself};
use countersign::domain::suggestion::StandsBefore;
use countersign::domain::ways::{LIFTED_BY_RELEASE, may_resume_now};
use std::collections::HashSet;

/// As in the configuration's defaults (doors.md).
pub const REQUEST_DEADLINE: i64 = 30;
pub const SEND_BY: i64 = 5;
const LEASE: i64 = 45;
const PACE: Pace = Pace {
    again_first: TimeDelta::seconds(30),
    again_most: TimeDelta::minutes(30),
    case_after: 5,
};

/// The desk's rows about one approval.
#[derive(Debug)]
pub struct House {
    pub life: Life,
    pub tried: Vec<Tried>,
    pub known: Known,
    pub open_cases: HashSet<CaseKind>,
    /// Every version of the supplier's file; the last is today's.
    pub versions: Vec<SupplierContract>,
    /// The account that today's file names.
    pub account: u32,
    pub secret: String,
    pub supplier_held: bool,
    /// The body that each attempt carries.
    pub bodies: Vec<u32>,
    pub ask_at: Option<DateTime<Utc>>,
    asked: u32,
    approved_at: DateTime<Utc>,
    me: PersonId,
}

/// The books of this account there.
fn books_of(account: u32) -> Books {
    Books {
        base_url: "https://supplier.example".to_owned(),
        account: account.to_string(),
    }
}

/// What the wire brought an attempt, on its own process.
#[derive(Debug, Clone)]
pub struct Brought {
    pub sorted: Sorted,
    /// The contract it was sent under has a yes read back.
    pub read_back: bool,
    pub http_status: Option<u16>,
    pub excerpt: Option<String>,
}

impl House {
    pub fn approved(contract: SupplierContract, now: DateTime<Utc>) -> Self {
        Self {
            life: Life::approved(Holds::NONE, now),
            tried: Vec::new(),
            known: Known::default(),
            open_cases: HashSet::new(),
            versions: vec![contract],
            account: 0,
            secret: "first".to_owned(),
            supplier_held: false,
            bodies: Vec::new(),
            ask_at: None,
            asked: 0,
            approved_at: now,
            me: PersonId::from_random(7),
        }
    }

    pub fn today(&self) -> &SupplierContract {
        self.versions.last().expect("there is a first version")
    }

    fn books(&self) -> Books {
        books_of(self.account)
    }

    /// As `desk::doubt` gathers them.
    pub fn facts(&self) -> DoubtFacts {
        let then = first_seen(&self.tried).map_or(self.versions.len(), |first| first.supplier_version as usize);
        DoubtFacts {
            today: Today {
                contract: self.today().clone(),
                books: self.books(),
                secret_mac: Some(self.secret.clone()),
                held: self.supplier_held,
            },
            then: self.versions[then - 1].clone(),
            tried: self.tried.clone(),
            known: self.known.clone(),
            approved_at: self.approved_at,
            gap_at: None,
            restored_at: None,
            later_order_live: false,
            before: StandsBefore::Nothing,
            is_paused: false,
            request_deadline: seconds(REQUEST_DEADLINE),
        }
    }

    fn apply(&mut self, change: Change, now: DateTime<Utc>) {
        let left = self.life.state;
        let change = match self.supplier_held && left != OrderState::Approved {
            true => order::with_hold(change, Hold::Supplier),
            false => change,
        };
        assert_eq!(change.life.version, self.life.version + 1, "a change is one version");
        self.life = change.life;
        if self.life.state != left {
            let asks = match self.life.state {
                OrderState::ConfirmationPending | OrderState::Acknowledged => true,
                OrderState::Approved => self.life.waits_for_look_up(),
                OrderState::Refused | OrderState::Withdrawn => self.tried.iter().any(Tried::may_turn_up),
                OrderState::Confirmed => self.tried.len() > 1 && self.tried.iter().any(Tried::may_turn_up),
                OrderState::Submitting => false,
            };
            self.asked = 0;
            self.ask_at = asks.then(|| now + seconds(60));
        }
        for step in change.cases {
            self.step(step);
        }
        if change.hold_supplier {
            self.hold_supplier(now);
        }
    }

    fn step(&mut self, step: CaseStep) {
        match step {
            CaseStep::Open { kind, .. } => self.open_cases.insert(kind),
            CaseStep::Close(kind) => self.open_cases.remove(&kind),
        };
        let unjudged = [CaseKind::LateRecord, CaseKind::SupplierDuplicate];
        self.known.record_there = unjudged.iter().any(|kind| self.open_cases.contains(kind));
    }

    pub fn hold_supplier(&mut self, now: DateTime<Utc>) {
        self.supplier_held = true;
        if let Ok(change) = order::hold(&self.life, Hold::Supplier) {
            self.apply(change, now);
        }
    }

    pub fn release_supplier(&mut self, now: DateTime<Utc>) {
        self.supplier_held = false;
        if let Ok(change) = order::release(&self.life, &[Hold::Supplier], now) {
            self.apply(change, now);
        }
    }

    /// The worker claims it: the attempt that is open now, or nothing. As `desk::claim`.
    pub fn claim(&mut self, template: u32, now: DateTime<Utc>) -> Option<usize> {
        if self.supplier_held {
            return None;
        }
        let resumed = self.life.resume.is_some();
        if resumed {
            match self.facts().opening(&self.life, now) {
                Opening::Send => {}
                Opening::AskFirst => {
                    self.ask_at = Some(now);
                    return None;
                }
                Opening::Drop(why) => {
                    self.drop_resume(NotResumed::Unsafe(why), now);
                    return None;
                }
            }
        }
        let in_doubt = self.life.state == OrderState::ConfirmationPending;
        let before = BeforeAttempt {
            open_doubt: self.tried.iter().any(|one| one.attempt.is_doubtful(now)),
            later_order_live: false,
            resume_granted: resumed,
        };
        let change = order::open_attempt(&self.life, before, now).ok()?;
        let seen = self.tried.iter().position(Tried::may_have_been_seen);
        let body = seen.map_or(template, |seen| self.bodies[seen]);
        self.apply(change, now);
        self.bodies.push(body);
        self.tried.push(self.opened(in_doubt, now));
        Some(self.tried.len() - 1)
    }

    fn opened(&self, in_doubt: bool, now: DateTime<Utc>) -> Tried {
        Tried {
            attempt: Attempt {
                id: AttemptId::from_random(self.tried.len() as u128 + 1),
                started_at: now,
                send_by: now + seconds(SEND_BY),
                lease_until: now + seconds(LEASE),
                ended_at: None,
                reply: None,
                http_status: None,
                reference: None,
                detail: None,
                excerpt: None,
                answered: false,
            },
            order: OrderId::from_random(1),
            supplier_version: u32::try_from(self.versions.len()).expect("few versions"),
            books: self.books(),
            secret_mac: self.secret.clone(),
            lapsed: false,
            in_doubt,
            meaning: None,
            recorded: None,
            differences: Vec::new(),
        }
    }

    /// What the answer to the newest attempt is sorted by.
    pub fn before(&self, attempt: usize) -> Before {
        before(&self.tried[..attempt], self.tried[attempt].in_doubt)
    }

    /// Its own process brings the reply. As `desk::submit::close`.
    pub fn close(&mut self, attempt: usize, brought: &Brought, now: DateTime<Utc>) {
        let reply = &brought.sorted.reply;
        let row = &mut self.tried[attempt];
        assert!(row.attempt.ended_at.is_none(), "an attempt ends once");
        row.attempt.ended_at = Some(now.max(row.attempt.started_at));
        row.attempt.reply = Some(reply.word());
        row.attempt.http_status = brought.http_status;
        row.attempt.reference = reply.reference().map(str::to_owned);
        row.attempt.excerpt.clone_from(&brought.excerpt);
        row.meaning = brought.sorted.meaning;
        let mine = row.clone();
        let mut others = self.tried.clone();
        others.remove(attempt);
        if mine.lapsed {
            if let Ok(change) = late_change(&self.life, &self.known, &others, &mine, reply, &[], now) {
                let to = change.life.state;
                self.apply(change, now);
                if let Some(finding) = late_finding(reply) {
                    self.find(finding, Source::Reply, reply.reference().map(str::to_owned), now);
                }
                self.answer_if(to);
            }
            return;
        }
        let known = self.known.clone();
        let beside = beside(&known, &others, &mine, false, now);
        let change = order::close_attempt(&self.life, reply, &[], beside, &PACE, now).expect("its own attempt is open");
        let to = change.life.state;
        self.apply(change, now);
        if let (Some((reference, _)), OrderState::Confirmed) = (beside.late_acceptance, to) {
            self.find(FindingWord::AtSupplier, Source::Reply, Some(reference.to_owned()), now);
        }
        self.answer_if(to);
        let asks = brought.read_back && matches!(reply, Reply::Acknowledged { .. });
        if asks || brought.sorted.meaning == Some(countersign::domain::classify::Meaning::Exists) {
            self.ask_at = Some(now);
        }
    }

    fn answer_if(&mut self, to: OrderState) {
        if answers_doubt(to) {
            self.answer();
        }
    }

    fn answer(&mut self) {
        for one in self.tried.iter_mut().filter(|one| one.was_lost()) {
            one.attempt.answered = true;
        }
    }

    fn find(&mut self, finding: FindingWord, source: Source, reference: Option<String>, now: DateTime<Utc>) {
        self.known.findings.push(Established {
            at: now,
            finding,
            source,
            by: None,
            confirmed_by: None,
            reference,
            evidence: None,
        });
    }

    /// As `desk::sweep`.
    pub fn sweep(&mut self, now: DateTime<Utc>) {
        let lapsed = |one: &Tried| one.attempt.ended_at.is_none() && !one.lapsed && one.attempt.lease_until <= now;
        if let Some(place) = self.tried.iter().position(lapsed) {
            self.tried[place].lapsed = true;
            let mine = self.tried[place].clone();
            let mut others = self.tried.clone();
            others.remove(place);
            let late = countersign::domain::doubt::late_acceptance(&self.known, &others, &mine);
            let change = order::lapse(&self.life, late).expect("an order whose lease lapses is being sent");
            let to = change.life.state;
            self.apply(change, now);
            self.answer_if(to);
        }
        if self.life.resume.as_ref().is_some_and(|wanted| wanted.is_void(now)) {
            self.drop_resume(NotResumed::Void, now);
        }
        let too_old =
            self.life.state == OrderState::Approved && self.today().too_old_at(self.life.sendable_since) <= now;
        if too_old && let Ok(change) = order::hold(&self.life, Hold::TooOld) {
            self.apply(change, now);
        }
    }

    fn drop_resume(&mut self, _why: NotResumed, now: DateTime<Utc>) {
        if let Ok(change) = order::drop_resume(&self.life) {
            self.apply(change, now);
        }
    }

    /// Whether a person may have it looked up.
    pub fn may_be_asked(&self) -> bool {
        may_look_up(&self.life, self.today()).is_ok()
    }

    /// Whether the worker asks by itself: the order's next question is due.
    pub fn is_to_be_asked(&self, now: DateTime<Utc>) -> bool {
        self.ask_at.is_some_and(|at| at <= now)
    }

    /// The answer to a question of that moment is kept, with what follows from it. As `desk::ask`.
    pub fn answered(&mut self, (asked_at, account): (DateTime<Utc>, u32), answer: &Answer, now: DateTime<Utc>) {
        let records = match answer {
            Answer::Found(records) => records.clone(),
            Answer::None | Answer::CouldNotCheck => Vec::new(),
        };
        self.known.look_ups.push(LookedUp {
            at: asked_at,
            answer: answer.word(),
            books: books_of(account),
            detail: String::new(),
            records,
            by: None,
        });
        let asked = self.asked;
        self.asked += 1;
        self.ask_at = self.ask_at.map(|_| now + seconds(60 << self.asked.min(6)));
        let (life, facts) = (self.life.clone(), self.facts());
        let about = AskedAbout {
            life: &life,
            facts: &facts,
            asked,
        };
        for conclusion in conclude(about, answer, |_| Vec::new(), now) {
            self.carry_out(conclusion, now);
        }
    }

    fn carry_out(&mut self, conclusion: Conclusion, now: DateTime<Utc>) {
        match conclusion {
            Conclusion::Establish { finding, change } => {
                self.apply(change, now);
                self.answer();
                let reference = match &finding {
                    Finding::AtSupplier { reference, .. } => Some(reference.clone()),
                    Finding::NotYetConfirmed { reference } | Finding::RefusedThere { reference } => reference.clone(),
                    Finding::NotAtSupplier | Finding::CouldNotTell => None,
                };
                self.find(FindingWord::of_finding(&finding), Source::LookUp, reference, now);
            }
            Conclusion::LateRecord { change, .. }
            | Conclusion::DropResume { change, .. }
            | Conclusion::ResumeByItself { change } => self.apply(change, now),
            Conclusion::Compared { change, .. } => {
                if let Some(change) = change {
                    self.apply(change, now);
                }
            }
            Conclusion::OpenCase { kind, reason } => self.step(CaseStep::Open { kind, reason }),
            Conclusion::StopAsking => self.ask_at = None,
        }
    }

    /// A supplier that cannot be asked: what the worker may do by itself, in the rhythm of its questions.
    pub fn settle_unasked(&mut self, now: DateTime<Utc>) {
        self.ask_at = self.ask_at.map(|_| now + seconds(3_600));
        if let Some(conclusion) = resume_by_itself(&self.life, &self.facts(), now) {
            self.carry_out(conclusion, now);
        }
    }

    /// A person presses Resume, where the page offers it.
    pub fn resume(&mut self, now: DateTime<Utc>) -> bool {
        let facts = self.facts();
        if may_resume_now(&self.life, &[Role::Resolver], &facts.about(&self.life), now).is_err() {
            return false;
        }
        let me = self.me.clone();
        let Ok(change) = order::want_resume(&self.life, Some(&me), now) else {
            return false;
        };
        self.apply(change, now);
        true
    }

    /// A person records what they found out, where the page takes it. As `desk::settle`.
    pub fn found_by_hand(&mut self, finding: &Finding, now: DateTime<Utc>) -> bool {
        if *finding == Finding::NotAtSupplier {
            let facts = self.facts();
            if facts.known.record_there || now < facts.settled_at() {
                return false;
            }
        }
        if let (true, Finding::AtSupplier { reference, .. }) = (self.life.waits_for_look_up(), finding) {
            let change = order::late_record(&self.life, Some(reference)).expect("it is held as not found");
            self.apply(change, now);
        }
        let Ok(change) = order::establish(&self.life, finding, now) else {
            return false;
        };
        self.apply(change, now);
        self.answer();
        let reference = match finding {
            Finding::AtSupplier { reference, .. } => Some(reference.clone()),
            Finding::NotYetConfirmed { reference } | Finding::RefusedThere { reference } => reference.clone(),
            Finding::NotAtSupplier | Finding::CouldNotTell => None,
        };
        self.find(FindingWord::of_finding(finding), Source::Person, reference, now);
        true
    }

    pub fn hold(&mut self, now: DateTime<Utc>) {
        if let Ok(change) = order::hold(&self.life, Hold::Person) {
            self.apply(change, now);
        }
    }

    pub fn release(&mut self, now: DateTime<Utc>) {
        if let Ok(change) = order::release(&self.life, &LIFTED_BY_RELEASE, now) {
            self.apply(change, now);
        }
    }

    pub fn withdraw(&mut self, now: DateTime<Utc>) {
        let doubt = self.tried.iter().any(|one| one.attempt.is_doubtful(now));
        if let Ok(change) = order::withdraw(&self.life, doubt) {
            self.apply(change, now);
        }
    }

    /// Whether an attempt leaves open doubt at this moment.
    pub fn open_doubt(&self, now: DateTime<Utc>) -> bool {
        self.tried.iter().any(|one| one.attempt.is_doubtful(now))
    }

    /// Attempts that the supplier may have.
    pub fn unanswered(&self) -> impl Iterator<Item = &Tried> {
        let unknown = |one: &&Tried| one.attempt.reply == Some(ReplyWord::Unknown) && !one.attempt.answered;
        self.tried.iter().filter(unknown)
    }
}
