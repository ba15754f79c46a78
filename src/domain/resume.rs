//! Whether an order in doubt may be sent once more, and on what ground (rule 9).
//!
//! Promises: what `may_resume` allows buys nothing twice, as far as the supplier's contract is true. Must not: read a clock.

use super::classify::Meaning;
use super::contract::{ResumeBy, SupplierContract};
use super::order::{Hold, Holds, OrderState};
use super::suggestion::StandsBefore;
use super::taken_out::{Rule, is_taken_out};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// Why sending an order in doubt once more is safe (rule 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// (a) The key is honoured, and its window lasts long enough.
    Key { until: DateTime<Utc> },
    /// (b) A second order with our reference is refused.
    UniqueReference,
    /// (c) It was found not to be there, and is looked up once more right before the send.
    NotFound,
}

/// Why resuming is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoResume {
    /// The order is not in doubt.
    NotInDoubt,
    /// An attempt may still be under way.
    StillSending,
    /// Somebody asked for it a moment ago.
    AlreadyWanted {
        at: DateTime<Utc>,
    },
    /// The supplier has a record that nobody has judged.
    RecordThere,
    /// Something holds the order that this does not lift.
    Held(Hold),
    /// The database was restored a moment ago, and what may have been sent just before does not show yet.
    TooSoonAfterRestore {
        at: DateTime<Utc>,
    },
    SupplierHeld,
    /// A later order of the intent is live (rule 5).
    LaterOrderLive,
    /// An earlier order of the intent was bought after all, and nobody has said that this one is wanted beside it.
    BoughtBefore,
    /// Address, account or secret are not those of the first send: the key may mean nothing there (rule 17).
    ScopeChanged,
    /// The key's window, less margin, is over since this moment.
    WindowOver {
        since: DateTime<Utc>,
        /// The supplier can be looked up; else somebody must ask it.
        askable: bool,
    },
    /// The supplier gave its saved answer so many times in a row: a repeat makes no new attempt there (case W5).
    SavedAnswer {
        times: u32,
        /// As above.
        askable: bool,
    },
    /// The supplier said that it works on an earlier request of this order; a repeat only hears so again until then.
    InFlight {
        until: DateTime<Utc>,
    },
    /// The supplier says that the key was used with another body: what stands there is not what was approved.
    KeyUsedOtherwise {
        /// As above.
        askable: bool,
    },
    /// The supplier says that it has our reference: a repeat only says so again.
    SaysItExists {
        /// As above.
        askable: bool,
    },
    /// The supplier neither honours a key nor keeps our reference unique: it must be found not to be there first.
    FindFirst {
        /// As above.
        askable: bool,
    },
    /// The worker asked for it, and the supplier's file, or what the supplier said meanwhile, leaves it to a person by now.
    LeftToPerson,
    /// Found not to be there; but the supplier cannot be asked once more by us, and nobody has asked it by hand in the last quarter of an hour.
    AskByHand,
}

/// Why a request to resume was dropped without sending anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotResumed {
    /// It was judged again when the attempt was to open, and was not safe any more (case C10).
    Unsafe(NoResume),
    /// The look-up right before the send did not say whether the supplier has it (rule 9).
    CouldNotCheck,
    /// Nothing could be sent for a quarter of an hour.
    Void,
}

/// What `may_resume` is judged by.
#[derive(Debug, Clone, Copy)]
pub struct InDoubt<'a> {
    pub state: OrderState,
    pub holds: Holds,
    /// The contract of the first send, and the one of today: both must allow it.
    pub then: &'a SupplierContract,
    pub today: &'a SupplierContract,
    /// Start of the first attempt, or of the gap in which it may have been sent before: every window counts from it.
    pub first_send: DateTime<Utc>,
    /// Address, account and secret are still those of the first send.
    pub same_scope: bool,
    /// Address and account are: what a look-up says is about the same books.
    pub same_account: bool,
    pub supplier_held: bool,
    pub later_order_live: bool,
    /// What stands before it of its predecessors (rule 5).
    pub before: StandsBefore,
    /// A late record, or several records, wait to be judged.
    pub record_there: bool,
    /// What the supplier said of the last attempt, where the contract names that answer.
    pub said: Option<Meaning>,
    /// Until when it works on an earlier request at most, where it said that it does and the contract says how long.
    pub in_flight_until: Option<DateTime<Utc>>,
    /// So many of the last attempts in a row got the same saved answer.
    pub saved_answers: u32,
    /// When a person last found, with evidence, that it is not at the supplier.
    pub found_by_hand_at: Option<DateTime<Utc>>,
    /// How long one submit may take.
    pub request_deadline: TimeDelta,
    /// After a restore: when a look-up shows what may have been sent just before.
    pub gap: Option<Gap>,
}

/// When the supplier's records tell what may have been sent just before a restore was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// What was recorded by then shows: enough where a repeat is recognised.
    pub shows_at: DateTime<Utc>,
    /// What was still being worked on shows too.
    pub settles_at: DateTime<Utc>,
}

impl InDoubt<'_> {
    /// From when "no record" counts after a restore; nothing without one.
    pub fn after_gap(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let gap = self.gap?;
        Some(match recognised_there(self, now) {
            Ok(_) => gap.shows_at,
            Err(_) => gap.settles_at,
        })
    }
}

/// The least distance kept to the end of a key's window (rule 9).
const LEAST_MARGIN: TimeDelta = TimeDelta::minutes(5);
/// A saved answer given again this often in a row, and a repeat is not offered any more (case W5).
pub const SAME_ANSWERS: u32 = 2;
/// How long a person's finding may stand before a send, where the supplier cannot be asked (rule 9).
const FRESH: TimeDelta = TimeDelta::minutes(15);
/// How old the look-up right before a send may be when the attempt opens (rule 9).
pub const JUST_ASKED: TimeDelta = TimeDelta::seconds(10);

/// Whether an order in doubt may be sent once more, and until when. The screen asks it, the act asks it, and the
/// transaction that opens the attempt asks it again (rule 9, cases C10 and C11).
pub fn may_resume(about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<Ground, NoResume> {
    let not_found = was_not_found(about.state, about.holds)?;
    if about.supplier_held || about.holds.has(Hold::Supplier) {
        return Err(NoResume::SupplierHeld);
    }
    if let Some(hold) = about.holds.without(Hold::NotFound).without(Hold::Restore).gravest() {
        return Err(NoResume::Held(hold));
    }
    if about.record_there {
        return Err(NoResume::RecordThere);
    }
    if about.later_order_live {
        return Err(NoResume::LaterOrderLive);
    }
    match about.before {
        StandsBefore::Nothing => {}
        StandsBefore::Unjudged => return Err(NoResume::Held(Hold::Predecessor)),
        StandsBefore::Bought => return Err(NoResume::BoughtBefore),
    }
    if not_found {
        return match about.after_gap(now).filter(|at| now < *at) {
            Some(at) => Err(NoResume::TooSoonAfterRestore { at }),
            None => found_missing(about, now),
        };
    }
    recognised_there(about, now)
}

/// Whether an order in this state can be resumed at all: it is in doubt (false), or held until it was looked up (true):
/// because it was not found, or after a restore.
pub fn was_not_found(state: OrderState, holds: Holds) -> Result<bool, NoResume> {
    match state {
        OrderState::ConfirmationPending => Ok(false),
        OrderState::Approved if holds.has(Hold::NotFound) || holds.has(Hold::Restore) => Ok(true),
        OrderState::Submitting => Err(NoResume::StillSending),
        OrderState::Approved
        | OrderState::Acknowledged
        | OrderState::Confirmed
        | OrderState::Refused
        | OrderState::Withdrawn => Err(NoResume::NotInDoubt),
    }
}

/// Whether a person may ask for it now. While the supplier is on hold the request waits for the release, and is judged
/// again then (case C10).
pub fn may_ask_to_resume(about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<Ground, NoResume> {
    let released = InDoubt {
        supplier_held: false,
        ..*about
    };
    may_resume(&released, now)
}

/// (c): the finding stands; a look-up right before the send is the caller's part, or a person's finding is fresh.
fn found_missing(about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<Ground, NoResume> {
    let fresh = about.found_by_hand_at.is_some_and(|at| at <= now && now - at <= FRESH);
    if !about.same_account {
        return Err(NoResume::ScopeChanged);
    }
    if about.today.look_up.can_ask() || fresh {
        Ok(Ground::NotFound)
    } else {
        Err(NoResume::AskByHand)
    }
}

/// (a) and (b): the supplier recognises a repeat, on the same ground under both versions of the contract. What the first
/// send did not carry makes no repeat safe, whatever the file says by now (case C11).
fn recognised_there(about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<Ground, NoResume> {
    let askable = about.today.look_up.can_ask();
    let unique = about.then.is_reference_unique() && about.today.is_reference_unique();
    let keys = about.then.key.as_ref().zip(about.today.key.as_ref());
    if !unique && keys.is_none() {
        return Err(NoResume::FindFirst { askable });
    }
    if !about.same_scope {
        return Err(NoResume::ScopeChanged);
    }
    tells_nothing_new(about, now)?;
    let (then, today) = match keys {
        Some(keys) if !unique => keys,
        Some(_) | None => return Ok(Ground::UniqueReference),
    };
    if !then.carried.is_same_place(&today.carried) {
        return Err(NoResume::ScopeChanged);
    }
    let window = TimeDelta::seconds(then.window_seconds.min(today.window_seconds));
    let until = about.first_send + window - margin(about.request_deadline);
    if now < until {
        Ok(Ground::Key { until })
    } else {
        Err(NoResume::WindowOver { since: until, askable })
    }
}

/// What is kept of a key's window: the time a request may take, and a margin of at least as much (rule 9).
fn margin(request_deadline: TimeDelta) -> TimeDelta {
    if is_taken_out(Rule::Margin) {
        return TimeDelta::zero();
    }
    request_deadline + LEAST_MARGIN.max(request_deadline)
}

/// A repeat that would only get the answer that is known already is not offered.
fn tells_nothing_new(about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<(), NoResume> {
    let askable = about.today.look_up.can_ask();
    if let Some(until) = about.in_flight_until.filter(|until| now < *until) {
        return Err(NoResume::InFlight { until });
    }
    match about.said {
        Some(Meaning::OtherBody) => Err(NoResume::KeyUsedOtherwise { askable }),
        Some(Meaning::Exists) => Err(NoResume::SaysItExists { askable }),
        Some(Meaning::SavedAnswer | Meaning::InFlight) | None if about.saved_answers >= SAME_ANSWERS => {
            let times = about.saved_answers;
            Err(NoResume::SavedAnswer { times, askable })
        }
        Some(Meaning::SavedAnswer | Meaning::InFlight) | None => Ok(()),
    }
}

/// Whether the worker may ask to send it once more by itself: the supplier's file says so, in both versions, and a repeat
/// is recognised there. Never where it was only found missing, and never while an earlier request may be worked on (rule 9).
pub fn may_resume_by_itself(about: &InDoubt<'_>, now: DateTime<Utc>) -> bool {
    let automatic = [about.then, about.today]
        .iter()
        .all(|contract| contract.resume == ResumeBy::Automatic);
    automatic
        && about.said != Some(Meaning::InFlight)
        && matches!(may_resume(about, now), Ok(Ground::Key { .. } | Ground::UniqueReference))
}

#[cfg(test)]
mod tests {
    use super::super::contract::{Carried, Duplicate, KeyPromise, LookUp, PastWindow};
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).expect("in range")
    }

    fn contract(window: Option<i64>, unique: bool, look_up: LookUp) -> SupplierContract {
        SupplierContract {
            key: window.map(|window_seconds| KeyPromise {
                carried: Carried::Header {
                    name: "idempotency-key".into(),
                    quoted: false,
                },
                window_seconds,
                past_window: PastWindow::CreatesAnew,
                replays_saved_errors: true,
                checks_body: true,
                replay_marker: None,
            }),
            duplicate: if unique { Duplicate::Refused } else { Duplicate::Second },
            look_up,
            settle_seconds: 30,
            ..SupplierContract::nothing()
        }
    }

    fn about<'a>(then: &'a SupplierContract, today: &'a SupplierContract) -> InDoubt<'a> {
        InDoubt {
            state: OrderState::ConfirmationPending,
            holds: Holds::NONE,
            then,
            today,
            first_send: at(0),
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
            request_deadline: TimeDelta::seconds(15),
            gap: None,
        }
    }

    #[test]
    fn a_key_is_safe_until_its_window_less_margin_counted_from_the_first_send() {
        // case I4: retention 30 minutes, a request that takes 15 s
        let half_hour = contract(Some(1800), false, LookUp::Exact);
        let asked = about(&half_hour, &half_hour);
        let until = at(1800 - 15 - 300);
        assert_eq!(may_resume(&asked, at(60)), Ok(Ground::Key { until }));
        assert_eq!(may_resume(&asked, at(1484)), Ok(Ground::Key { until }));
        assert_eq!(
            may_resume(&asked, at(1485)),
            Err(NoResume::WindowOver {
                since: until,
                askable: true
            })
        );
        assert_eq!(
            may_resume(&asked, at(1790)),
            Err(NoResume::WindowOver {
                since: until,
                askable: true
            })
        );
        let slow = InDoubt {
            request_deadline: TimeDelta::minutes(10),
            ..asked
        };
        assert_eq!(
            may_resume(&slow, at(599)),
            Ok(Ground::Key { until: at(600) }),
            "the margin is the deadline"
        );
    }

    #[test]
    fn while_they_work_on_an_earlier_request_a_repeat_is_not_offered_and_afterwards_a_person_decides() {
        let day = contract(Some(86_400), false, LookUp::Exact);
        let in_flight = InDoubt {
            said: Some(Meaning::InFlight),
            in_flight_until: Some(at(600)),
            ..about(&day, &day)
        };
        assert_eq!(
            may_resume(&in_flight, at(599)),
            Err(NoResume::InFlight { until: at(600) })
        );
        assert!(may_resume(&in_flight, at(600)).is_ok());
        let automatic = SupplierContract {
            resume: ResumeBy::Automatic,
            ..day.clone()
        };
        let by_itself = InDoubt {
            then: &automatic,
            today: &automatic,
            ..in_flight
        };
        assert!(!may_resume_by_itself(&by_itself, at(600)), "never by itself (rule 9)");
    }

    #[test]
    fn an_unpublished_window_is_zero_and_without_key_it_must_be_found_first() {
        let unpublished = contract(Some(0), false, LookUp::Exact);
        assert!(matches!(
            may_resume(&about(&unpublished, &unpublished), at(1)),
            Err(NoResume::WindowOver { .. })
        ));
        let none = contract(None, false, LookUp::Exact);
        assert_eq!(
            may_resume(&about(&none, &none), at(1)),
            Err(NoResume::FindFirst { askable: true })
        );
        let nothing = contract(None, false, LookUp::None);
        assert_eq!(
            may_resume(&about(&nothing, &nothing), at(1)),
            Err(NoResume::FindFirst { askable: false }),
            "someone must ask them"
        );
    }

    #[test]
    fn a_contract_corrected_meanwhile_must_allow_it_under_both_versions() {
        // case C11
        let day = contract(Some(86_400), false, LookUp::Exact);
        let hour = contract(Some(3_600), false, LookUp::Exact);
        let hour_end = at(3_600 - 15 - 300);
        for (then, today) in [(&day, &hour), (&hour, &day)] {
            assert_eq!(
                may_resume(&about(then, today), at(60)),
                Ok(Ground::Key { until: hour_end })
            );
            assert!(may_resume(&about(then, today), at(3_500)).is_err());
        }
        let moved = InDoubt {
            same_scope: false,
            ..about(&day, &day)
        };
        assert_eq!(may_resume(&moved, at(60)), Err(NoResume::ScopeChanged));
        let unique = contract(None, true, LookUp::Exact);
        assert_eq!(
            may_resume(&about(&unique, &unique), at(1_000_000)),
            Ok(Ground::UniqueReference)
        );
    }

    #[test]
    fn the_ground_must_be_the_same_under_both_versions() {
        // case C11: a repeat is recognised only by what the first send carried
        let key = contract(Some(86_400), false, LookUp::Exact);
        let unique = contract(None, true, LookUp::Exact);
        for (then, today) in [(&key, &unique), (&unique, &key)] {
            assert_eq!(
                may_resume(&about(then, today), at(60)),
                Err(NoResume::FindFirst { askable: true })
            );
        }
        let mut other_header = key.clone();
        if let Some(key) = &mut other_header.key {
            key.carried = Carried::Header {
                name: "x-request-id".into(),
                quoted: false,
            };
        }
        assert_eq!(
            may_resume(&about(&key, &other_header), at(60)),
            Err(NoResume::ScopeChanged)
        );
    }

    #[test]
    fn what_was_found_missing_is_asked_once_more_or_freshly_found_by_hand() {
        let asked = contract(Some(86_400), false, LookUp::Exact);
        let held = |contract| InDoubt {
            state: OrderState::Approved,
            holds: Holds::NONE.with(Hold::NotFound),
            ..about(contract, contract)
        };
        assert_eq!(may_resume(&held(&asked), at(60)), Ok(Ground::NotFound));
        let silent = contract(None, false, LookUp::None);
        assert_eq!(may_resume(&held(&silent), at(60)), Err(NoResume::AskByHand));
        let fresh = InDoubt {
            found_by_hand_at: Some(at(0)),
            ..held(&silent)
        };
        assert_eq!(may_resume(&fresh, at(15 * 60)), Ok(Ground::NotFound));
        assert_eq!(may_resume(&fresh, at(15 * 60 + 1)), Err(NoResume::AskByHand));
        let also = InDoubt {
            holds: Holds::NONE.with(Hold::NotFound).with(Hold::Person),
            ..held(&asked)
        };
        assert_eq!(
            may_resume(&also, at(60)),
            Err(NoResume::Held(Hold::Person)),
            "every other hold must be lifted first"
        );
    }

    #[test]
    fn nothing_else_may_be_resumed() {
        let day = contract(Some(86_400), false, LookUp::Exact);
        for state in OrderState::ALL
            .into_iter()
            .filter(|state| *state != OrderState::ConfirmationPending)
        {
            assert!(
                may_resume(
                    &InDoubt {
                        state,
                        ..about(&day, &day)
                    },
                    at(60)
                )
                .is_err(),
                "{state:?}"
            );
        }
        let held = InDoubt {
            supplier_held: true,
            ..about(&day, &day)
        };
        assert_eq!(may_resume(&held, at(60)), Err(NoResume::SupplierHeld));
        assert!(
            may_ask_to_resume(&held, at(60)).is_ok(),
            "the request waits for the release"
        );
        let record = InDoubt {
            record_there: true,
            ..about(&day, &day)
        };
        assert_eq!(may_resume(&record, at(60)), Err(NoResume::RecordThere));
        let later = InDoubt {
            later_order_live: true,
            ..about(&day, &day)
        };
        assert_eq!(may_resume(&later, at(60)), Err(NoResume::LaterOrderLive));
        for (before, why) in [
            (StandsBefore::Unjudged, NoResume::Held(Hold::Predecessor)),
            (StandsBefore::Bought, NoResume::BoughtBefore),
        ] {
            let about = InDoubt {
                later_order_live: false,
                before,
                ..later
            };
            assert_eq!(may_resume(&about, at(60)), Err(why));
        }
    }
}
