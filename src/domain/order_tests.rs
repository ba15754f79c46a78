//! The machine's edges, against the table in brief.md, for every state, hold set and act.

use super::*;
use proptest::prelude::*;

fn pace() -> Pace {
    Pace {
        again_first: TimeDelta::seconds(30),
        again_most: TimeDelta::minutes(30),
        case_after: 5,
    }
}

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + second, 0).expect("in range")
}

fn any_life() -> impl Strategy<Value = Life> {
    (
        0..OrderState::ALL.len(),
        0_u8..64,
        any::<bool>(),
        1_u64..50,
        0_u32..8,
        any::<bool>(),
    )
        .prop_map(|(state, holds, reference, version, not_sent, wanted)| {
            let state = OrderState::ALL[state];
            let approved = state == OrderState::Approved;
            Life {
                state,
                holds: if approved { Holds(holds) } else { Holds::NONE },
                differences: false,
                version,
                supplier_reference: (reference || state == OrderState::Confirmed).then(|| "A-1".to_owned()),
                due_at: approved.then(|| at(0)),
                sendable_since: at(0),
                not_sent,
                resume: (wanted && (approved || state == OrderState::ConfirmationPending)).then(|| ResumeWanted {
                    by: Some(PersonId::from_random(1)),
                    at: at(0),
                }),
            }
        })
}

fn accepted() -> Reply {
    Reply::Accepted {
        reference: "A-1".into(),
        record: Default::default(),
    }
}

fn any_reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        Just(accepted()),
        Just(Reply::Acknowledged { reference: None }),
        Just(Reply::Refused),
        Just(Reply::NotSent(NotSent::default())),
        Just(Reply::NotSent(NotSent {
            retry_after: Some(TimeDelta::hours(2)),
            hold_supplier: true
        })),
        Just(Reply::Unknown { reference: None }),
    ]
}

fn beside(doubt: bool) -> Beside<'static> {
    Beside {
        doubt,
        ..Beside::default()
    }
}

/// Every act there is, applied to a life.
fn every_act(life: &Life, reply: &Reply, before: BeforeAttempt) -> Vec<(&'static str, Result<Change, Refusal>)> {
    let found = |finding: Finding| establish(life, &finding, at(10));
    vec![
        ("open", open_attempt(life, before, at(10))),
        (
            "close",
            close_attempt(life, reply, &[], beside(before.open_doubt), &pace(), at(10)),
        ),
        ("lapse", lapse(life, None)),
        ("late reply", late_reply(life, reply, &[], before.open_doubt, at(10))),
        (
            "at supplier",
            found(Finding::AtSupplier {
                reference: "A-1".into(),
                differences: vec![],
            }),
        ),
        ("not yet", found(Finding::NotYetConfirmed { reference: None })),
        ("refused there", found(Finding::RefusedThere { reference: None })),
        ("not there", found(Finding::NotAtSupplier)),
        ("withdraw", withdraw(life, before.open_doubt)),
        ("write off", write_off(life)),
        ("cancelled", cancelled_at_supplier(life)),
        ("hold", hold(life, Hold::Person)),
        (
            "release",
            release(life, &[Hold::Person, Hold::TooOld, Hold::NotFound], at(10)),
        ),
        ("late record", late_record(life, Some("A-9"))),
        ("could not tell", found(Finding::CouldNotTell)),
        (
            "want resume",
            want_resume(life, Some(&PersonId::from_random(2)), at(10)),
        ),
        ("drop resume", drop_resume(life)),
        (
            "compared",
            compared(life, "A-2", &[]).and_then(|change| change.ok_or(Refusal::NotDue)),
        ),
    ]
}

/// The table in brief.md: (from, act, to). An act that is not here with its "from" must be refused.
const TABLE: &[(&str, &str, &str)] = &[
    ("approved", "open", "submitting"),
    ("confirmation_pending", "open", "submitting"),
    ("submitting", "close", "confirmed"),
    ("submitting", "close", "acknowledged"),
    ("submitting", "close", "refused"),
    ("submitting", "close", "approved"),
    ("submitting", "close", "confirmation_pending"),
    ("submitting", "lapse", "confirmation_pending"),
    ("confirmation_pending", "late reply", "confirmed"),
    ("confirmation_pending", "late reply", "acknowledged"),
    ("confirmation_pending", "late reply", "approved"),
    ("confirmation_pending", "at supplier", "confirmed"),
    ("acknowledged", "at supplier", "confirmed"),
    ("confirmation_pending", "not yet", "acknowledged"),
    ("confirmation_pending", "refused there", "refused"),
    ("acknowledged", "refused there", "refused"),
    ("confirmation_pending", "not there", "approved"),
    ("acknowledged", "not there", "confirmation_pending"),
    ("approved", "withdraw", "withdrawn"),
    ("confirmation_pending", "write off", "withdrawn"),
    ("confirmed", "cancelled", "withdrawn"),
    ("approved", "hold", "approved"),
    ("approved", "release", "approved"),
    ("approved", "late record", "confirmation_pending"),
    ("withdrawn", "late record", "confirmation_pending"),
    ("refused", "late record", "confirmation_pending"),
    // a late acceptance is a finding in any state
    ("acknowledged", "late reply", "confirmed"),
    ("approved", "late reply", "confirmation_pending"),
    ("withdrawn", "late reply", "confirmation_pending"),
    ("refused", "late reply", "confirmation_pending"),
    ("confirmed", "late reply", "confirmed"),
    // held because it was not found: the finding is renewed, or turns out wrong
    ("approved", "not there", "approved"),
    ("approved", "at supplier", "confirmation_pending"),
    ("approved", "not yet", "confirmation_pending"),
    // what settles nothing moves the version alone
    ("approved", "could not tell", "approved"),
    ("acknowledged", "could not tell", "acknowledged"),
    ("confirmation_pending", "could not tell", "confirmation_pending"),
    ("approved", "want resume", "approved"),
    ("confirmation_pending", "want resume", "confirmation_pending"),
    ("approved", "drop resume", "approved"),
    ("confirmation_pending", "drop resume", "confirmation_pending"),
    ("confirmed", "compared", "confirmed"),
];

proptest! {
    #[test]
    fn no_edge_outside_the_table(
        life in any_life(), reply in any_reply(),
        open_doubt: bool, later_order_live: bool, resume_granted: bool,
    ) {
        let before = BeforeAttempt { open_doubt, later_order_live, resume_granted };
        for (act, outcome) in every_act(&life, &reply, before) {
            let Ok(change) = outcome else { continue };
            let edge = (life.state.word(), act, change.life.state.word());
            prop_assert!(TABLE.contains(&edge), "{:?}", edge);
            prop_assert_eq!(change.life.version, life.version + 1, "every change counts");
            prop_assert!(change.life.holds.is_empty() || change.life.state == OrderState::Approved);
            prop_assert_eq!(change.life.due_at.is_some() , change.life.state == OrderState::Approved && change.life.due_at.is_some());
            let confirmed = change.life.state == OrderState::Confirmed;
            prop_assert!(!confirmed || change.life.supplier_reference.is_some());
            let pending = change.life.state == OrderState::ConfirmationPending;
            let opened = change.cases.iter().any(|step| matches!(step, CaseStep::Open { .. }));
            let was_pending = life.state == OrderState::ConfirmationPending;
            prop_assert!(!pending || opened || was_pending, "doubt never opens without a case: {:?}", edge);
            let closed = change.cases.contains(&CaseStep::Close(CaseKind::Pending));
            prop_assert!(!(pending && closed), "an order in doubt keeps its case: {:?}", edge);
            prop_assert!(change.life.resume.is_none() || act == "want resume", "a change voids the request: {:?}", edge);
        }
    }

    #[test]
    fn doubt_is_never_erased_by_a_refusal_or_a_failed_send(life in any_life(), reply in any_reply()) {
        // case C9
        let life = Life { state: OrderState::Submitting, holds: Holds::NONE, due_at: None, ..life };
        let change = close_attempt(&life, &reply, &[], beside(true), &pace(), at(0)).expect("an attempt is open");
        match reply {
            Reply::Accepted { .. } => prop_assert_eq!(change.life.state, OrderState::Confirmed),
            Reply::Acknowledged { .. } => prop_assert_eq!(change.life.state, OrderState::Acknowledged),
            Reply::Refused | Reply::NotSent(_) | Reply::Unknown { .. } => {
                prop_assert_eq!(change.life.state, OrderState::ConfirmationPending);
                prop_assert!(!change.cases.iter().any(|step| matches!(step, CaseStep::Close(CaseKind::Pending))));
            }
        }
    }

    #[test]
    fn nothing_is_sent_by_itself_while_held_in_doubt_or_overtaken(
        life in any_life(), open_doubt: bool, later_order_live: bool,
    ) {
        let before = BeforeAttempt { open_doubt, later_order_live, resume_granted: false };
        let opened = open_attempt(&life, before, at(10)).is_ok();
        let free = life.state == OrderState::Approved && life.holds.is_empty();
        prop_assert_eq!(opened, free && !open_doubt && !later_order_live);
    }

    #[test]
    fn holds_survive_text(bits in 0_u8..64) {
        prop_assert_eq!(Holds::of(&Holds(bits).to_text()), Some(Holds(bits)));
    }
}

#[test]
fn every_edge_of_the_table_can_be_walked() {
    let replies = [
        accepted(),
        Reply::Acknowledged { reference: None },
        Reply::Refused,
        Reply::NotSent(NotSent::default()),
        Reply::Unknown { reference: None },
    ];
    let mut walked = std::collections::BTreeSet::new();
    for state in OrderState::ALL {
        for holds in [
            Holds::NONE,
            Holds::NONE.with(Hold::Person),
            Holds::NONE.with(Hold::NotFound),
        ] {
            let mut life = Life::approved(Holds::NONE, at(0)).moved(state);
            if state == OrderState::Approved {
                life.holds = holds;
            }
            for reply in &replies {
                for resume_granted in [false, true] {
                    let asked =
                        resume_granted && matches!(state, OrderState::Approved | OrderState::ConfirmationPending);
                    life.resume = asked.then(|| ResumeWanted {
                        by: Some(PersonId::from_random(1)),
                        at: at(0),
                    });
                    let before = BeforeAttempt {
                        open_doubt: false,
                        later_order_live: false,
                        resume_granted,
                    };
                    for (act, outcome) in every_act(&life, reply, before) {
                        walked.extend(outcome.ok().map(|change| (state.word(), act, change.life.state.word())));
                    }
                }
            }
        }
    }
    let table: std::collections::BTreeSet<_> = TABLE.iter().copied().collect();
    assert_eq!(walked, table);
}

#[test]
fn an_acceptance_that_came_late_applies_when_the_open_attempt_closes() {
    let life = Life::approved(Holds::NONE, at(0)).moved(OrderState::Submitting);
    let late = Beside {
        doubt: true,
        was_not_found: false,
        was_restored: false,
        late_acceptance: Some(("A-7", &[])),
    };
    let close = |reply: &Reply| close_attempt(&life, reply, &[], late, &pace(), at(1)).expect("an attempt is open");
    for reply in [
        Reply::Refused,
        Reply::NotSent(NotSent::default()),
        Reply::Unknown { reference: None },
    ] {
        let change = close(&reply);
        assert_eq!(change.life.state, OrderState::Confirmed, "{reply:?}");
        assert_eq!(change.life.supplier_reference.as_deref(), Some("A-7"));
    }
    let lapsed = lapse(&life, late.late_acceptance).expect("an attempt is open");
    assert_eq!(lapsed.life.state, OrderState::Confirmed);
    let two = close(&accepted());
    let kinds = two.cases.iter().filter_map(|step| match step {
        CaseStep::Open { kind, .. } => Some(*kind),
        CaseStep::Close(_) => None,
    });
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [CaseKind::SupplierDuplicate],
        "two records, and somebody owns it"
    );
}

#[test]
fn what_was_found_missing_and_could_not_be_sent_waits_for_a_person_again() {
    let life = Life::approved(Holds::NONE, at(0)).moved(OrderState::Submitting);
    let beside = Beside {
        was_not_found: true,
        was_restored: false,
        ..Beside::default()
    };
    let change = close_attempt(&life, &Reply::NotSent(NotSent::default()), &[], beside, &pace(), at(1));
    let change = change.expect("an attempt is open");
    assert!(change.life.is_not_found());
    assert!(matches!(
        change.cases[..],
        [CaseStep::Open {
            kind: CaseKind::NotSent,
            ..
        }]
    ));
}

#[test]
fn a_request_to_resume_is_void_after_a_quarter_of_an_hour_and_after_every_change() {
    let pending = Life::approved(Holds::NONE, at(0)).moved(OrderState::ConfirmationPending);
    let wanted = want_resume(&pending, Some(&PersonId::from_random(1)), at(0))
        .expect("in doubt")
        .life;
    let before = BeforeAttempt {
        open_doubt: true,
        later_order_live: false,
        resume_granted: true,
    };
    assert!(open_attempt(&wanted, before, at(900)).is_ok());
    assert!(open_attempt(&wanted, before, at(901)).is_err());
    assert!(open_attempt(&pending, before, at(1)).is_err(), "nobody asked");
    let twice = want_resume(&wanted, Some(&PersonId::from_random(2)), at(1));
    assert_eq!(twice, Err(Refusal::NoResume(NoResume::AlreadyWanted { at: at(0) })));
    let told = establish(&wanted, &Finding::CouldNotTell, at(1)).expect("kept");
    assert_eq!(told.life.resume, None);
}

#[test]
fn a_record_compared_late_opens_a_case_where_it_differs_or_is_another() {
    let confirmed = Life {
        supplier_reference: Some("A-1".to_owned()),
        ..Life::approved(Holds::NONE, at(0)).moved(OrderState::Confirmed)
    };
    assert_eq!(compared(&confirmed, "A-1", &[]), Ok(None));
    let other = Difference {
        place: crate::domain::difference::Place::Currency,
        approved: "EUR".to_owned(),
        other: "SEK".to_owned(),
    };
    let differs = compared(&confirmed, "A-1", &[other])
        .expect("confirmed")
        .expect("a change");
    assert!(differs.life.differences && !differs.cases.is_empty());
    let second = compared(&confirmed, "A-2", &[]).expect("confirmed").expect("a change");
    assert!(!second.life.differences && !second.cases.is_empty());
}

#[test]
fn waiting_doubles_up_to_the_most_and_obeys_the_supplier() {
    let mut life = Life::approved(Holds::NONE, at(0));
    let mut waits = Vec::new();
    for _ in 0..8 {
        life = life.moved(OrderState::Submitting);
        let change = close_attempt(
            &life,
            &Reply::NotSent(NotSent::default()),
            &[],
            beside(false),
            &pace(),
            at(0),
        )
        .expect("open");
        waits.push((change.life.due_at.expect("due again") - at(0)).num_seconds());
        assert_eq!(!change.cases.is_empty(), change.life.not_sent >= 5, "a case after five");
        life = change.life;
    }
    assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1800, 1800]);
    let asked = NotSent {
        retry_after: Some(TimeDelta::hours(2)),
        hold_supplier: false,
    };
    let life = Life::approved(Holds::NONE, at(0)).moved(OrderState::Submitting);
    let change = close_attempt(&life, &Reply::NotSent(asked), &[], beside(false), &pace(), at(0)).expect("open");
    assert_eq!(change.life.due_at, Some(at(7200)));
}

#[test]
fn release_never_lifts_not_found() {
    let life = Life {
        holds: Holds::NONE.with(Hold::NotFound).with(Hold::Person),
        ..Life::approved(Holds::NONE, at(0))
    };
    let change = release(&life, &Hold::ALL, at(5)).expect("the person's hold is lifted");
    assert_eq!(change.life.holds.to_text(), "not_found");
    assert_eq!(release(&change.life, &Hold::ALL, at(6)), Err(Refusal::Held));
}

#[test]
fn the_case_of_an_order_that_cannot_be_sent_stays_open_from_attempt_to_attempt() {
    let mut life = Life::approved(Holds::NONE, at(0));
    life.not_sent = 5;
    let before = BeforeAttempt {
        open_doubt: false,
        later_order_live: false,
        resume_granted: false,
    };
    let opened = open_attempt(&life, before, at(1)).expect("due");
    assert!(!opened.cases.contains(&CaseStep::Close(CaseKind::NotSent)));
    let closes = |reply: &Reply| {
        let change = close_attempt(&opened.life, reply, &[], beside(false), &pace(), at(2)).expect("open");
        change.cases.contains(&CaseStep::Close(CaseKind::NotSent))
    };
    assert!(!closes(&Reply::NotSent(NotSent::default())));
    assert!(closes(&accepted()) && closes(&Reply::Refused) && closes(&Reply::Unknown { reference: None }));
}

#[test]
fn what_becomes_sendable_again_waits_for_a_held_supplier() {
    let life = Life::approved(Holds::NONE, at(0)).moved(OrderState::Submitting);
    let again = close_attempt(
        &life,
        &Reply::NotSent(NotSent::default()),
        &[],
        beside(false),
        &pace(),
        at(0),
    )
    .expect("open");
    assert!(with_hold(again, Hold::Supplier).life.holds.has(Hold::Supplier));
    let confirmed = close_attempt(&life, &accepted(), &[], beside(false), &pace(), at(0)).expect("open");
    assert!(with_hold(confirmed, Hold::Supplier).life.holds.is_empty());
}

#[test]
fn releasing_a_persons_hold_keeps_the_case_of_what_was_found_missing() {
    let missing = Life::approved(Holds::NONE.with(Hold::NotFound).with(Hold::Person), at(0));
    let released = release(&missing, &[Hold::Person], at(10)).expect("a person's hold is lifted");
    assert!(released.life.is_not_found());
    assert!(
        released.cases.is_empty(),
        "it is still somebody's: {:?}",
        released.cases
    );
    let held = Life::approved(Holds::NONE.with(Hold::Person), at(0));
    let released = release(&held, &[Hold::Person], at(10)).expect("a person's hold is lifted");
    assert_eq!(released.cases, [CaseStep::Close(CaseKind::NotSent)]);
}
