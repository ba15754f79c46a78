//! The driver: what happens, when, in ways that the seed chooses; and what must hold after every step.

use super::house::{Brought, House, REQUEST_DEADLINE, SEND_BY};
use super::supplier::{Books, Request, Truth, bare, seconds};
use chrono::{DateTime, TimeDelta, Utc};
use countersign::domain::attempt::{NotSent, Reply, Tried};
use countersign::domain::case::CaseKind;
use countersign::domain::classify::{Before, Heard, Sorted, classify};
use countersign::domain::contract::{Class, ResumeBy, SupplierContract};
use countersign::domain::look_up::{Answer, Standing};
use countersign::domain::order::{Finding, Life, OrderState};
use fastrand::Rng;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Steps of one run.
const STEPS: usize = 160;

/// What went wrong, and everything that led to it.
#[derive(Debug)]
pub struct Broken {
    pub seed: u64,
    pub what: String,
    pub story: Vec<String>,
}

/// What the run came to; told so that a run in which nothing happens is noticed.
#[derive(Debug, Default, Clone, Copy)]
pub struct Told {
    pub attempts: usize,
    pub resumed: usize,
    pub in_doubt: usize,
    pub bought: usize,
    pub repeats_recognised: usize,
}

impl Told {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            attempts: self.attempts + other.attempts,
            resumed: self.resumed + other.resumed,
            in_doubt: self.in_doubt + other.in_doubt,
            bought: self.bought + other.bought,
            repeats_recognised: self.repeats_recognised + other.repeats_recognised,
        }
    }
}

/// What a run is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// Every invariant.
    Everything,
    /// Purchases alone: for a rule that is taken out.
    Purchases,
}

#[derive(Debug, Clone)]
enum Event {
    Send(usize),
    Arrive(usize),
    /// The attempt's own process brings what it knows.
    Keep(usize, Box<Brought>),
    /// What a look-up of that moment (by our clock), under that account, said.
    Answered((DateTime<Utc>, u32), Answer),
}

struct Flight {
    opened: DateTime<Utc>,
    sent: Option<DateTime<Utc>>,
    /// Something is on its way to be kept, or the process is dead.
    is_over: bool,
    dies_after_send: bool,
    account: u32,
    secret: String,
    /// What it was claimed with: its answer is sorted by that.
    contract: SupplierContract,
    before: Before,
}

struct World {
    rng: Rng,
    seed: u64,
    judge: Judge,
    now: DateTime<Utc>,
    /// Our clock less the world's. It is only ever set back: forward, time would seem to pass that has not.
    skew: TimeDelta,
    truth: Truth,
    books: Books,
    house: House,
    flights: Vec<Flight>,
    events: BTreeMap<Reverse<(DateTime<Utc>, usize)>, Event>,
    number: usize,
    /// Today's file promises more than the supplier keeps: nobody asks to send again under it.
    overpromises: bool,
    /// Which versions of the file are true.
    is_true: Vec<bool>,
    /// Requests to send once more that a person or the worker made.
    asked_for: usize,
    template: u32,
    story: Vec<String>,
    told: Told,
    /// The life that the story told last.
    told_life: Option<Life>,
}

/// One run.
pub fn run(seed: u64, judge: Judge) -> Result<Told, Box<Broken>> {
    let mut rng = Rng::with_seed(seed);
    let class = Class::ALL[rng.usize(..Class::ALL.len())];
    let truth = Truth::of(class, &mut rng);
    let now = DateTime::from_timestamp(1_800_000_000, 0).expect("in range");
    let skew = seconds(rng.i64(0..=120));
    let mut first = truth.contract.clone();
    let overpromises = rng.u8(..5) == 0 && promise_more(&mut first);
    let mut world = World {
        house: House::approved(first, now + skew),
        rng,
        seed,
        judge,
        now,
        skew,
        truth,
        books: Books::default(),
        flights: Vec::new(),
        events: BTreeMap::new(),
        number: 0,
        overpromises,
        is_true: vec![!overpromises],
        asked_for: 0,
        template: 1,
        story: Vec::new(),
        told: Told::default(),
        told_life: None,
    };
    let (class, contract) = (world.truth.class.name(), world.truth.contract.clone());
    world.note(|| format!("class {class}: {contract:?}"));
    for _ in 0..STEPS {
        world.step();
        world.check()?;
    }
    world.told.attempts = world.flights.len();
    world.told.bought = world.books.purchases();
    Ok(world.told)
}

/// A file that says of the window what the supplier does not keep. Whether it says anything of one.
fn promise_more(contract: &mut SupplierContract) -> bool {
    contract.resume = ResumeBy::Person;
    match &mut contract.key {
        Some(key) => {
            key.window_seconds *= 6;
            true
        }
        None => false,
    }
}

impl World {
    /// Our clock.
    fn ours(&self) -> DateTime<Utc> {
        self.now + self.skew
    }

    fn note(&mut self, what: impl FnOnce() -> String) {
        let line = format!("{} {}", self.now.format("%H:%M:%S"), what());
        self.story.push(line);
    }

    fn plan(&mut self, after: TimeDelta, event: Event) {
        self.number += 1;
        self.events.insert(Reverse((self.now + after, self.number)), event);
    }

    fn chance(&mut self, of_hundred: u8) -> bool {
        self.rng.u8(..100) < of_hundred
    }

    fn step(&mut self) {
        let now = self.ours();
        match self.rng.u8(..100) {
            0..36 => self.next_event(),
            36..54 => self.claim(),
            54..61 => {
                self.house.sweep(now);
                self.note(|| "swept".to_owned());
            }
            61..68 => self.look_up(),
            68..78 => self.resume(),
            78..81 => self.find_by_hand(),
            81..84 => self.books.clerk(self.now, &mut self.rng),
            84..90 => self.time_passes(),
            90..92 => {
                self.skew -= seconds(self.rng.i64(0..=60));
                self.skew = self.skew.max(seconds(-120));
                self.note(|| "our clock was set back".to_owned());
            }
            92..94 => self.change_contract(),
            94 if self.chance(60) => {
                self.house.account = self.rng.u32(..2);
                let account = self.house.account;
                self.note(|| format!("the file names account {account}"));
            }
            94 => {
                self.house.secret.push('*');
                self.note(|| "the secret was changed".to_owned());
            }
            95 => {
                self.house.hold(now);
                self.note(|| "a person put it on hold".to_owned());
            }
            96 => {
                self.house.release(now);
                self.note(|| "a person released it".to_owned());
            }
            97 => match self.house.supplier_held {
                true => self.house.release_supplier(now),
                false => self.house.hold_supplier(now),
            },
            98 => self.house.release_supplier(now),
            _ if self.chance(20) => self.house.withdraw(now),
            _ => {}
        }
    }

    fn time_passes(&mut self) {
        // whatever was to happen by then happens by then
        let length = [10, 45, 120, 600, 1_500, 3_000, 90_000][self.rng.usize(..7)];
        let mut until = self.now + seconds(self.rng.i64(1..=length));
        // what is dangerous happens at the edge of a key's window
        if let Some(end) = self.house.facts().key_until().filter(|_| self.chance(40)) {
            let near = end - self.skew - seconds(self.rng.i64(0..420));
            until = if near > self.now { near } else { until };
        }
        while self
            .events
            .last_key_value()
            .is_some_and(|(Reverse((at, _)), _)| *at <= until)
        {
            self.next_event();
        }
        self.now = self.now.max(until);
        self.note(|| "time passed".to_owned());
    }

    fn next_event(&mut self) {
        let Some((Reverse((at, _)), event)) = self.events.pop_last() else {
            self.now += seconds(self.rng.i64(1..20));
            return;
        };
        self.now = self.now.max(at);
        match event {
            Event::Send(flight) => self.send(flight),
            Event::Arrive(flight) => self.arrive(flight),
            Event::Keep(flight, brought) => {
                self.note(|| format!("attempt {flight} ends: {}", brought.sorted.detail));
                let now = self.ours();
                self.house.close(flight, &brought, now);
            }
            Event::Answered((at, account), answer) => {
                self.note(|| format!("look-up of {} by account {account}: {answer:?}", at.format("%H:%M:%S")));
                let now = self.ours();
                self.house.answered((at, account), &answer, now);
            }
        }
    }

    fn claim(&mut self) {
        let now = self.ours();
        let Some(flight) = self.house.claim(self.template, now) else {
            return;
        };
        self.note(|| format!("attempt {flight} opened"));
        let dies = self.chance(5);
        let waits = if self.chance(10) {
            self.rng.i64(3_000..20_000)
        } else {
            self.rng.i64(0..800)
        };
        let dies_after_send = self.chance(8);
        self.flights.push(Flight {
            opened: self.now,
            sent: None,
            is_over: dies,
            dies_after_send,
            account: self.house.account,
            secret: self.house.secret.clone(),
            contract: self.house.today().clone(),
            before: self.house.before(flight),
        });
        if !dies {
            self.plan(TimeDelta::milliseconds(waits), Event::Send(flight));
        }
    }

    /// The process is about to send its first byte.
    fn send(&mut self, flight: usize) {
        let too_late = self.now - self.flights[flight].opened >= seconds(SEND_BY);
        if too_late || self.chance(12) {
            return self.keep_after(flight, TimeDelta::zero(), not_sent());
        }
        self.flights[flight].sent = Some(self.now);
        // bytes may linger in the kernel for as long as the deadline (rule 11), or never arrive
        let way = match self.rng.u8(..10) {
            0 => None,
            1 => Some(self.rng.i64(1_000..REQUEST_DEADLINE * 1_000)),
            _ => Some(self.rng.i64(0..900)),
        };
        if let Some(way) = way {
            self.plan(TimeDelta::milliseconds(way), Event::Arrive(flight));
        }
        if self.flights[flight].dies_after_send {
            self.flights[flight].is_over = true;
        } else if way.is_none_or(|way| way > 10_000) {
            // nothing comes back in time
            self.keep_after(flight, seconds(REQUEST_DEADLINE), lost());
        }
    }

    fn arrive(&mut self, flight: usize) {
        let request = Request {
            at: self.now,
            account: self.flights[flight].account,
            secret: self.flights[flight].secret.clone(),
            body: self.house.bodies[flight],
        };
        let before = self.books.purchases();
        let (at, mut heard) = self.books.receive(&self.truth, &request, &mut self.rng);
        if before == 1 && self.books.purchases() == 1 {
            self.told.repeats_recognised += 1;
        }
        let story = format!("attempt {flight} arrived: {} {:?}", heard.status, heard.code);
        self.note(|| story);
        let sent = self.flights[flight].sent.expect("it was sent");
        let took = at - self.now;
        let brought = match self.rng.u8(..100) {
            // the way back: nothing, a gateway's page, an answer that cannot be read
            0..40 => None,
            40..47 => Some(bare(502, None)),
            47..54 => {
                heard.said = None;
                Some(heard)
            }
            54..57 => Some(bare(409, Some("stocktaking"))),
            _ => Some(heard),
        };
        let in_time = at - sent < seconds(REQUEST_DEADLINE);
        match brought.filter(|_| in_time) {
            Some(heard) => {
                let brought = self.sorted(flight, &heard);
                self.keep_after(flight, took, brought);
            }
            None => self.keep_after(flight, sent + seconds(REQUEST_DEADLINE) - self.now, lost()),
        }
    }

    fn sorted(&self, flight: usize, heard: &Heard) -> Brought {
        let Flight { contract, before, .. } = &self.flights[flight];
        Brought {
            sorted: classify(heard, contract, before),
            read_back: contract.read_back,
            http_status: Some(heard.status),
            excerpt: heard.excerpt.clone(),
        }
    }

    /// The process brings it after this long; a frozen one much later. Once an attempt.
    fn keep_after(&mut self, flight: usize, after: TimeDelta, brought: Brought) {
        if self.flights[flight].is_over {
            return;
        }
        self.flights[flight].is_over = true;
        let frozen = if self.chance(12) { self.rng.i64(5..600) } else { 0 };
        self.plan(
            after.max(TimeDelta::zero()) + seconds(frozen),
            Event::Keep(flight, Box::new(brought)),
        );
    }

    fn look_up(&mut self) {
        let now = self.ours();
        if !self.house.today().look_up.can_ask() {
            if self.house.is_to_be_asked(now) && !self.overpromises {
                self.house.settle_unasked(now);
                self.note_resume();
            }
            return;
        }
        let by_person = self.chance(50) && self.house.may_be_asked();
        if !by_person && !self.house.is_to_be_asked(now) {
            return;
        }
        let answer = if self.chance(12) {
            Answer::CouldNotCheck
        } else {
            match self.books.shows(&self.truth, self.house.account, self.now) {
                shown if shown.is_empty() => Answer::None,
                shown => Answer::Found(shown),
            }
        };
        let wait = self.rng.i64(0..4_000);
        self.plan(
            TimeDelta::milliseconds(wait),
            Event::Answered((now, self.house.account), answer),
        );
    }

    fn note_resume(&mut self) {
        if self.house.life.resume.is_some() {
            self.asked_for += 1;
            self.told.resumed += 1;
            self.note(|| "asked to send once more".to_owned());
        }
    }

    fn resume(&mut self) {
        let now = self.ours();
        if !self.overpromises && self.house.resume(now) {
            self.note_resume();
        }
    }

    /// A person asks them, and says what they were told: the truth of that moment.
    fn find_by_hand(&mut self) {
        let now = self.ours();
        let nobody_knew = self.chance(15);
        let told = self.books.told(self.now);
        let finding = match told.first() {
            // whom they reached did not know
            _ if nobody_knew => Finding::CouldNotTell,
            Some(record) if record.standing == Standing::Refused => Finding::RefusedThere {
                reference: Some(record.number.clone()),
            },
            Some(record) => Finding::AtSupplier {
                reference: record.number.clone(),
                differences: Vec::new(),
            },
            None => Finding::NotAtSupplier,
        };
        if self.house.found_by_hand(&finding, now) {
            self.note(|| format!("a person found: {finding:?}"));
        }
    }

    /// The file is corrected; what it then says is true, or it was true when the order was first sent.
    fn change_contract(&mut self) {
        // one that may still turn out not to have been sent does not count as the first send
        let was_seen = |one: &&Tried| one.attempt.ended_at.is_some() && one.may_have_been_seen();
        let first = self.house.tried.iter().find(was_seen);
        let was_sent = first.is_some_and(|first| self.is_true[first.supplier_version as usize - 1]);
        let mut next = self.truth.contract.clone();
        let may_be_wrong = was_sent && !self.overpromises;
        let is_hasty = may_be_wrong && self.chance(50);
        if is_hasty {
            // as if nothing took them any time
            next.settle_seconds = 0;
            next.look_up_lag_seconds = 0;
        }
        let more = is_hasty || may_be_wrong && self.chance(50) && promise_more(&mut next);
        self.house.versions.push(next);
        self.is_true.push(!more);
        self.template += 1;
        // under a file that was true at the first send, the shorter of both windows counts
        self.overpromises = false;
        self.note(|| format!("the contract changed; promises more: {more}"));
    }

    /// What must hold, whatever happened (brief.md, rules 1, 5, 8, 9, 15).
    fn check(&mut self) -> Result<(), Box<Broken>> {
        let now = self.ours();
        let (life, cases) = (self.house.life.clone(), self.house.open_cases.clone());
        if self.told_life.as_ref() != Some(&life) {
            self.note(|| format!("  → {:?}, {:?}, cases {cases:?}", life.state, life.holds.to_text()));
            self.told_life = Some(life);
        }
        let purchases = self.books.purchases();
        if purchases > 1 {
            return self.broken(format!("{purchases} purchases for one approval"));
        }
        if self.judge == Judge::Purchases {
            return Ok(());
        }
        let (life, house) = (&self.house.life, &self.house);
        let has = |kinds: &[CaseKind]| kinds.iter().any(|kind| house.open_cases.contains(kind));
        self.told.in_doubt += usize::from(life.state == OrderState::ConfirmationPending);
        let unowned = match life.state {
            OrderState::ConfirmationPending => !has(&[CaseKind::Pending, CaseKind::LateRecord]),
            OrderState::Approved => life.is_not_found() && !has(&[CaseKind::NotSent]),
            OrderState::Submitting
            | OrderState::Acknowledged
            | OrderState::Confirmed
            | OrderState::Refused
            | OrderState::Withdrawn => false,
        };
        if unowned {
            return self.broken("a doubt without an owner".to_owned());
        }
        let erased = match life.state {
            OrderState::Approved | OrderState::Refused | OrderState::Withdrawn => house.open_doubt(now),
            OrderState::Submitting
            | OrderState::Acknowledged
            | OrderState::Confirmed
            | OrderState::ConfirmationPending => false,
        };
        if erased {
            let doubtful = house.unanswered().count();
            return self.broken(format!(
                "{doubtful} unanswered attempts, and the order says {:?}",
                self.house.life.state
            ));
        }
        if self.books.bodies.windows(2).any(|two| two[0] != two[1]) {
            return self.broken("the frozen bytes changed on the way".to_owned());
        }
        if self.books.bodies.len() > self.flights.len() {
            return self.broken("more requests than attempts".to_owned());
        }
        // rule 10: what is found missing is missing (people say what they were told, and the file is true)
        if self.house.life.is_not_found() && self.books.told(self.now).iter().any(|record| !record.by_hand) {
            return self.broken("it was found missing, and it is there".to_owned());
        }
        let is_settled = matches!(self.house.life.state, OrderState::Refused | OrderState::Withdrawn);
        let nobody_looks = self.house.ask_at.is_none() && self.truth.contract.look_up.can_ask();
        let is_known = |number: &str| self.house.known.judged(number);
        let unknown = self
            .books
            .records
            .iter()
            .any(|record| !record.by_hand && !is_known(&record.number));
        if is_settled && nobody_looks && unknown {
            return self.broken("a purchase that nobody knows of, and nobody looks for".to_owned());
        }
        let machine_resends = matches!(self.truth.class, Class::D | Class::DList | Class::F);
        if machine_resends
            && self
                .house
                .life
                .resume
                .as_ref()
                .is_some_and(|wanted| wanted.by.is_none())
        {
            return self.broken("the worker asked to send again what it must not".to_owned());
        }
        Ok(())
    }

    fn broken(&mut self, what: String) -> Result<(), Box<Broken>> {
        Err(Box::new(Broken {
            seed: self.seed,
            what,
            story: std::mem::take(&mut self.story),
        }))
    }
}

fn brought(reply: Reply, detail: &str) -> Brought {
    Brought {
        sorted: Sorted {
            reply,
            meaning: None,
            detail: detail.to_owned(),
        },
        read_back: false,
        http_status: None,
        excerpt: None,
    }
}

fn not_sent() -> Brought {
    brought(Reply::NotSent(NotSent::default()), "nothing was sent")
}

fn lost() -> Brought {
    brought(Reply::Unknown { reference: None }, "no answer came")
}
