//! What the page says about an order in doubt, for every class of supplier, state and time, in one file that a person can
//! read: `tests/snapshots/sentences__*.snap`. Changed words show as a difference, and are reviewed like code
//! (`INSTA_UPDATE=always cargo test --features ssr --test sentences` writes them).

use chrono::{DateTime, TimeDelta, Utc};
use countersign::domain::case::CaseKind;
use countersign::domain::classify::Meaning;
use countersign::domain::contract::{
    Carried, Class, Duplicate, KeyPromise, LookUp, PastWindow, ResumeBy, Scope, SupplierContract,
};
use countersign::domain::decision::decisions;
use countersign::domain::order::{Hold, Holds, Life, OrderState};
use countersign::domain::person::Role;
use countersign::domain::resume::{Gap, Ground, InDoubt, NoResume, NotResumed};
use countersign::domain::suggestion::StandsBefore;
use countersign::domain::ways::ways;
use countersign::ui::moment::Here;
use countersign::ui::words::decisions::{decision, does};
use countersign::ui::words::sheet::closes_with;
use countersign::ui::words::{case_kind, case_left_alone, home, refusals};
use std::fmt::Write as _;

const SUPPLIER: &str = "Acme";

fn sent_at() -> DateTime<Utc> {
    "2026-11-30T09:00:00Z".parse().expect("a moment")
}

fn contract(class: Class, look_up: LookUp) -> SupplierContract {
    let key = |checks_body| {
        Some(KeyPromise {
            carried: Carried::Header {
                name: "Idempotency-Key".to_owned(),
                quoted: false,
            },
            window_seconds: 86_400,
            past_window: PastWindow::CreatesAnew,
            replays_saved_errors: true,
            checks_body,
            replay_marker: None,
        })
    };
    let (key, duplicate) = match class {
        Class::A => (key(true), Duplicate::Second),
        Class::ARepeats => (key(false), Duplicate::Second),
        Class::B => (None, Duplicate::Refused),
        Class::BExisting | Class::E => (None, Duplicate::Existing),
        Class::D | Class::DList | Class::F => (None, Duplicate::Second),
    };
    let contract = SupplierContract {
        key,
        scope: Scope::Account,
        duplicate,
        messages: class == Class::E,
        look_up,
        look_up_lag_seconds: if class == Class::DList { 600 } else { 0 },
        settle_seconds: 900,
        ..SupplierContract::nothing()
    };
    assert_eq!(contract.class(), class);
    contract
}

fn look_ups(class: Class) -> Vec<LookUp> {
    match class {
        Class::A | Class::ARepeats | Class::B | Class::BExisting => vec![LookUp::Exact, LookUp::None],
        Class::E | Class::D => vec![LookUp::Exact],
        Class::DList => vec![LookUp::List],
        Class::F => vec![LookUp::None],
    }
}

/// A situation: its name, and how the facts differ from those of an order that was sent once and not answered.
struct Situation {
    name: &'static str,
    /// After the send.
    minutes: i64,
    change: fn(&mut InDoubt<'_>),
}

const SITUATIONS: &[Situation] = &[
    Situation {
        name: "confirmation pending, a minute after the send",
        minutes: 1,
        change: |_| {},
    },
    Situation {
        name: "confirmation pending, six minutes before a day is over",
        minutes: 24 * 60 - 6,
        change: |_| {},
    },
    Situation {
        name: "confirmation pending, five minutes before a day is over",
        minutes: 24 * 60 - 5,
        change: |_| {},
    },
    Situation {
        name: "confirmation pending, two days after the send",
        minutes: 2 * 24 * 60,
        change: |_| {},
    },
    Situation {
        name: "confirmation pending, the secret or the address was changed",
        minutes: 10,
        change: |about| about.same_scope = false,
    },
    Situation {
        name: "confirmation pending, the last answer was: in flight",
        minutes: 10,
        change: |about| about.said = Some(Meaning::InFlight),
    },
    Situation {
        name: "confirmation pending, the last answer was: in flight, and that is over in five minutes at most",
        minutes: 10,
        change: |about| {
            about.said = Some(Meaning::InFlight);
            about.in_flight_until = Some(sent_at() + TimeDelta::minutes(15));
        },
    },
    Situation {
        name: "confirmation pending, the last answer was: used with other contents",
        minutes: 10,
        change: |about| about.said = Some(Meaning::OtherBody),
    },
    Situation {
        name: "confirmation pending, the last answer was: exists",
        minutes: 10,
        change: |about| about.said = Some(Meaning::Exists),
    },
    Situation {
        name: "confirmation pending, the saved answer came twice more",
        minutes: 10,
        change: |about| about.saved_answers = 2,
    },
    Situation {
        name: "confirmation pending, a late record waits to be judged",
        minutes: 10,
        change: |about| about.record_there = true,
    },
    Situation {
        name: "confirmation pending, the supplier is on hold",
        minutes: 10,
        change: |about| about.supplier_held = true,
    },
    Situation {
        name: "confirmation pending, a later order of the wish is live",
        minutes: 10,
        change: |about| about.later_order_live = true,
    },
    Situation {
        name: "on hold, found not to be there by look-ups an hour ago",
        minutes: 90,
        change: not_found,
    },
    Situation {
        name: "on hold, found not to be there by a person five minutes ago",
        minutes: 90,
        change: |about| {
            not_found(about);
            about.found_by_hand_at = Some(sent_at() + TimeDelta::minutes(85));
        },
    },
    Situation {
        name: "on hold, found not to be there, and put on hold by a person",
        minutes: 90,
        change: |about| {
            not_found(about);
            about.holds = about.holds.with(Hold::Person);
        },
    },
    Situation {
        name: "confirmation pending, and the database was restored five minutes ago",
        minutes: 90,
        change: |about| about.gap = Some(restored()),
    },
    Situation {
        name: "on hold after the restore, before what was sent meanwhile shows",
        minutes: 90,
        change: |about| {
            about.state = OrderState::Approved;
            about.holds = Holds::NONE.with(Hold::Restore);
            about.gap = Some(restored());
        },
    },
    Situation {
        name: "on hold, found not to be there before the database was restored",
        minutes: 90,
        change: |about| {
            not_found(about);
            about.gap = Some(restored());
        },
    },
    Situation {
        name: "withdrawn",
        minutes: 90,
        change: |about| about.state = OrderState::Withdrawn,
    },
    Situation {
        name: "sending",
        minutes: 0,
        change: |about| about.state = OrderState::Submitting,
    },
    Situation {
        name: "acknowledged, not confirmed",
        minutes: 10,
        change: |about| about.state = OrderState::Acknowledged,
    },
    Situation {
        name: "confirmed",
        minutes: 10,
        change: |about| about.state = OrderState::Confirmed,
    },
    Situation {
        name: "refused by the supplier",
        minutes: 10,
        change: |about| about.state = OrderState::Refused,
    },
];

/// When the supplier shows what may have been sent just before a restore: at once, or once it is worked through.
fn restored() -> Gap {
    let noticed_at = sent_at() + TimeDelta::minutes(85);
    Gap {
        shows_at: noticed_at + TimeDelta::minutes(1),
        settles_at: noticed_at + TimeDelta::minutes(15),
    }
}

fn not_found(about: &mut InDoubt<'_>) {
    about.state = OrderState::Approved;
    about.holds = Holds::NONE.with(Hold::NotFound);
}

/// Why a request to send it once more came to nothing, where it is not what stands above.
const DROPPED: [NotResumed; 3] = [
    NotResumed::Unsafe(NoResume::LeftToPerson),
    NotResumed::CouldNotCheck,
    NotResumed::Void,
];

/// What stands on the page of a resolver.
fn said(contract: &SupplierContract, situation: &Situation) -> String {
    let now = sent_at() + TimeDelta::minutes(situation.minutes);
    let here = Here {
        now,
        zone: chrono_tz::Tz::UTC,
    };
    let mut about = InDoubt {
        state: OrderState::ConfirmationPending,
        holds: Holds::NONE,
        then: contract,
        today: contract,
        first_send: sent_at(),
        same_scope: true,
        same_account: true,
        supplier_held: false,
        later_order_live: false,
        before: StandsBefore::Nothing,
        record_there: false,
        said: None,
        in_flight_until: None,
        saved_answers: 0,
        found_by_hand_at: None,
        request_deadline: TimeDelta::seconds(30),
        gap: None,
    };
    (situation.change)(&mut about);
    let life = Life {
        state: about.state,
        ..Life::approved(about.holds, sent_at())
    };
    let ways = ways(&life, &[Role::Resolver], contract, &about, false, now);
    let resume = match ways.resume {
        Ok(ground) => {
            let leads_to = home::resume_leads_to(ground, SUPPLIER, contract);
            let until = match ground {
                Ground::Key { until } => {
                    let because = home::safe_because(Some(86_400), contract.key_until(sent_at()), until, SUPPLIER);
                    format!(" Safe until {}: {because}", here.short(until))
                }
                Ground::UniqueReference | Ground::NotFound => String::new(),
            };
            format!("OFFERED. {leads_to}{until}")
        }
        Err(why) => format!("not offered: {}", refusals::sentence(&why, here)),
    };
    let look_up = match ways.look_up {
        Ok(()) => "offered".to_owned(),
        Err(why) => format!("not offered: {}", refusals::sentence(&why, here)),
    };
    format!("  {}\n    resume   {resume}\n    look-up  {look_up}\n", situation.name)
}

#[test]
fn every_class_in_every_state_and_time_has_its_sentence() {
    let mut text = String::new();
    for class in Class::ALL {
        for look_up in look_ups(class) {
            let contract = contract(class, look_up);
            let _ = writeln!(
                text,
                "CLASS {}, look-up {look_up:?}\n  {}",
                class.name(),
                home::class(class)
            );
            for promise in home::promises(&contract) {
                let _ = writeln!(text, "  - {promise}");
            }
            for situation in SITUATIONS {
                text.push_str(&said(&contract, situation));
            }
            text.push('\n');
        }
    }
    let automatic = SupplierContract {
        resume: ResumeBy::Automatic,
        ..contract(Class::B, LookUp::Exact)
    };
    let _ = writeln!(text, "CLASS B, resume = \"automatic\"");
    for promise in home::promises(&automatic) {
        let _ = writeln!(text, "  - {promise}");
    }
    for why in DROPPED {
        let here = Here {
            now: sent_at(),
            zone: chrono_tz::Tz::UTC,
        };
        let _ = writeln!(
            text,
            "  a request that was dropped: {}",
            refusals::not_resumed(why, here)
        );
    }
    insta::assert_snapshot!("resume", text);
}

/// What stands on the card and on the sheet of a case of each kind.
#[test]
fn every_kind_of_case_says_what_time_does_and_what_closes_it() {
    let mut text = String::new();
    for kind in CaseKind::ALL {
        let _ = writeln!(text, "{}: {}", kind.word(), case_kind(kind));
        let _ = writeln!(text, "  {}", case_left_alone(kind));
        let _ = writeln!(text, "  Closes with: {}", closes_with(kind));
        for one in decisions(kind) {
            let _ = writeln!(text, "  - {}: {}", decision(kind, *one), does(kind, *one));
        }
        text.push('\n');
    }
    insta::assert_snapshot!("cases", text);
}
