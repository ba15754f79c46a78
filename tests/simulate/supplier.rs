//! A supplier in memory, of any class: its truth, whatever our file says of it. Time comes from outside.

use chrono::{DateTime, TimeDelta, Utc};
use countersign::domain::classify::{Heard, Said};
use countersign::domain::contract::{
    Carried, Class, Duplicate, KeyPromise, Listed, LookUp, Means, PastWindow, ResumeBy, Scope, SupplierContract,
};
use countersign::domain::difference::Recorded;
use countersign::domain::look_up::{Found, Standing};
use fastrand::Rng;

/// A span of seconds.
pub fn seconds(count: i64) -> TimeDelta {
    TimeDelta::seconds(count)
}

/// What a supplier really does.
#[derive(Debug, Clone)]
pub struct Truth {
    pub class: Class,
    pub contract: SupplierContract,
    /// The longest time it works on an order.
    pub processing: i64,
    /// A duplicate is refused by a status that the file lists as a refusal.
    pub refuses_duplicates_plainly: bool,
}

/// An order in its books.
#[derive(Debug, Clone)]
pub struct Record {
    pub number: String,
    pub made_at: DateTime<Utc>,
    pub standing: Standing,
    /// Somebody there entered it once more.
    pub by_hand: bool,
    /// Whose books it stands in; an account is shown its own.
    pub account: u32,
}

/// What it keeps under a key.
#[derive(Debug, Clone)]
struct Kept {
    scope: String,
    first_at: DateTime<Utc>,
    done_at: DateTime<Utc>,
    answer: Heard,
}

/// Its books.
#[derive(Debug, Default)]
pub struct Books {
    pub records: Vec<Record>,
    /// Bodies of every request that came, in order.
    pub bodies: Vec<u32>,
    kept: Vec<Kept>,
}

/// A request as it arrives.
#[derive(Debug, Clone)]
pub struct Request {
    pub at: DateTime<Utc>,
    pub account: u32,
    pub secret: String,
    pub body: u32,
}

impl Truth {
    /// A supplier of this class, with habits as the seed has them.
    pub fn of(class: Class, rng: &mut Rng) -> Self {
        let window = [600, 900, 1_800, 3_600, 86_400][rng.usize(..5)];
        let processing = rng.i64(0..20);
        let lag = [0, 5, 60, 360, 3_600][rng.usize(..5)];
        let key = |checks_body| {
            Some(KeyPromise {
                carried: Carried::Header {
                    name: "idempotency-key".to_owned(),
                    quoted: false,
                },
                window_seconds: window,
                past_window: PastWindow::CreatesAnew,
                replays_saved_errors: true,
                checks_body,
                replay_marker: None,
            })
        };
        let (key, duplicate, can_ask) = match class {
            Class::A => (key(true), Duplicate::Second, rng.bool()),
            Class::ARepeats => (key(false), Duplicate::Second, rng.bool()),
            Class::B => (None, Duplicate::Refused, rng.bool()),
            Class::BExisting => (None, Duplicate::Existing, rng.bool()),
            Class::E => (None, Duplicate::Existing, true),
            Class::D | Class::DList => (None, Duplicate::Second, true),
            Class::F => (None, Duplicate::Second, false),
        };
        let look_up = match (can_ask, class) {
            (false, _) => LookUp::None,
            (true, Class::DList) => LookUp::List,
            (true, _) => LookUp::Exact,
        };
        let contract = SupplierContract {
            key,
            scope: if rng.bool() { Scope::Account } else { Scope::Credential },
            duplicate,
            messages: class == Class::E,
            look_up,
            look_up_lag_seconds: lag,
            settle_seconds: processing + lag + rng.i64(0..60),
            answers: answers(),
            read_back: can_ask && rng.u8(..4) == 0,
            // a file that says so for a supplier that recognises nothing must be of no use
            resume: if rng.u8(..3) == 0 {
                ResumeBy::Automatic
            } else {
                ResumeBy::Person
            },
            ..SupplierContract::nothing()
        };
        let refuses_duplicates_plainly = rng.bool();
        Self {
            class,
            contract,
            processing,
            refuses_duplicates_plainly,
        }
    }
}

/// What the file says of its answers.
fn answers() -> Vec<Listed> {
    let listed = |status, code: Option<&str>, means| Listed {
        status,
        code: code.map(str::to_owned),
        means,
    };
    vec![
        listed(422, None, Means::Refused),
        listed(429, None, Means::TurnedAway),
        listed(503, None, Means::TurnedAway),
        listed(401, None, Means::TurnedAway),
        listed(409, Some("in_flight"), Means::InFlight),
        listed(409, Some("exists"), Means::Exists),
    ]
}

/// An answer without a readable order in it.
pub fn bare(status: u16, code: Option<&str>) -> Heard {
    Heard {
        status,
        code: code.map(str::to_owned),
        said: None,
        location: None,
        retry_after: None,
        is_replay: false,
        excerpt: Some(format!("{status} {}", code.unwrap_or_default())),
    }
}

fn telling(status: u16, standing: Standing, number: &str) -> Heard {
    Heard {
        said: Some(Said {
            standing,
            number: Some(number.to_owned()),
            record: Some(Recorded::default()),
        }),
        excerpt: Some(number.to_owned()),
        ..bare(status, None)
    }
}

impl Books {
    /// Takes a request: what it answers, and when. Whatever it records is in the books from that moment on.
    pub fn receive(&mut self, truth: &Truth, request: &Request, rng: &mut Rng) -> (DateTime<Utc>, Heard) {
        self.bodies.push(request.body);
        let scope = match truth.contract.scope {
            Scope::Credential => format!("{}/{}", request.account, request.secret),
            Scope::Account | Scope::Endpoint | Scope::Region => request.account.to_string(),
        };
        let window = truth.contract.key.as_ref().map(|key| seconds(key.window_seconds));
        if let Some(window) = window
            && let Some(kept) = self.kept.iter().rev().find(|kept| kept.scope == scope)
            && request.at < kept.first_at + window
        {
            return match kept.done_at <= request.at {
                true => (request.at, kept.answer.clone()),
                false => (request.at, bare(409, Some("in_flight"))),
            };
        }
        if truth.contract.is_reference_unique()
            && let Some(there) = self
                .records
                .iter()
                .find(|record| !record.by_hand && record.account == request.account)
        {
            let heard = match truth.contract.duplicate {
                Duplicate::Existing => telling(200, there.standing, &there.number),
                Duplicate::Refused | Duplicate::Second | Duplicate::Updates if truth.refuses_duplicates_plainly => {
                    bare(422, Some("taken"))
                }
                Duplicate::Refused | Duplicate::Second | Duplicate::Updates => bare(409, Some("exists")),
            };
            return (request.at, heard);
        }
        let done_at = request.at + seconds(rng.i64(0..=truth.processing));
        let (heard, saves) = self.work(truth, request.account, done_at, rng);
        if window.is_some() && saves {
            self.kept.push(Kept {
                scope,
                first_at: request.at,
                done_at,
                answer: heard.clone(),
            });
        }
        (done_at, heard)
    }

    /// Records it, or not; and whether the answer is saved for the key.
    fn work(&mut self, truth: &Truth, account: u32, done_at: DateTime<Utc>, rng: &mut Rng) -> (Heard, bool) {
        match rng.u8(..100) {
            0..8 => (bare(422, Some("no_stock")), true),
            8..13 => (bare(429, None), false),
            13..17 => (bare(503, None), false),
            17..19 => (bare(401, None), false),
            19..24 => (bare(500, None), true),
            chance => {
                let standing = if truth.contract.messages || chance < 32 {
                    Standing::NotYet
                } else {
                    Standing::Confirmed
                };
                let number = format!("A-{}", self.records.len() + 1);
                let heard = telling(201, standing, &number);
                self.records.push(Record {
                    number,
                    made_at: done_at,
                    standing,
                    by_hand: false,
                    account,
                });
                (heard, true)
            }
        }
    }

    /// What a look-up under this account shows.
    pub fn shows(&self, truth: &Truth, account: u32, at: DateTime<Utc>) -> Vec<Found> {
        let lag = seconds(truth.contract.look_up_lag_seconds);
        let is_shown = |record: &&Record| record.account == account && record.made_at + lag <= at;
        let shown = self.records.iter().filter(is_shown);
        let found = |record: &Record| Found {
            reference: record.number.clone(),
            standing: record.standing,
            record: Some(Recorded::default()),
        };
        shown.map(found).collect()
    }

    /// What a clerk there says on the phone.
    pub fn told(&self, at: DateTime<Utc>) -> Vec<&Record> {
        self.records.iter().filter(|record| record.made_at <= at).collect()
    }

    /// Purchases that our requests made.
    pub fn purchases(&self) -> usize {
        self.records.iter().filter(|record| !record.by_hand).count()
    }

    /// A clerk decides about what is not decided, or enters the order once more (case I7).
    pub fn clerk(&mut self, at: DateTime<Utc>, rng: &mut Rng) {
        if let Some(open) = self
            .records
            .iter_mut()
            .find(|record| record.standing == Standing::NotYet)
        {
            if open.made_at <= at {
                open.standing = if rng.u8(..4) == 0 {
                    Standing::Refused
                } else {
                    Standing::Confirmed
                };
            }
        } else if !self.told(at).is_empty() && rng.u8(..10) == 0 {
            let number = format!("H-{}", self.records.len() + 1);
            self.records.push(Record {
                number,
                made_at: at,
                standing: Standing::Confirmed,
                by_hand: true,
                account: 0,
            });
        }
    }
}
