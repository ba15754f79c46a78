//! A process killed or frozen at every point of a submit, also of one that a person asked for (cases C1 and C2). At most
//! one record at the supplier, an honest state, an owned case, and a way home that works.

mod support;

use serde_json::{Value, json};
use support::home::{assert_done, assert_owned, fault, id, page, until};
use support::{BUYER, House, Plan, Process, RESOLVER};

/// Where a worker dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    BeforeAttempt,
    AttemptCommitted,
    /// The supplier has stored it and not answered.
    Stored,
    /// The supplier has read it and stores it after we are gone.
    Read,
    AnswerReceived,
    ReplyCommitted,
}

impl Point {
    const ALL: [Self; 6] = [
        Self::BeforeAttempt,
        Self::AttemptCommitted,
        Self::Stored,
        Self::Read,
        Self::AnswerReceived,
        Self::ReplyCommitted,
    ];

    fn setting(self) -> &'static str {
        match self {
            Self::BeforeAttempt => "before_attempt",
            Self::AttemptCommitted => "attempt_committed",
            Self::Stored | Self::Read => "",
            Self::AnswerReceived => "answer_received",
            Self::ReplyCommitted => "reply_committed",
        }
    }

    /// What the supplier does with the submit at which the worker dies.
    fn fault(self) -> Option<Value> {
        match self {
            Self::Stored => Some(json!({ "on": "submit", "do": "store_then_sleep", "seconds": 1.5 })),
            Self::Read => Some(json!({ "on": "submit", "do": "sleep_then_store", "seconds": 1.5 })),
            Self::BeforeAttempt | Self::AttemptCommitted | Self::AnswerReceived | Self::ReplyCommitted => None,
        }
    }

    fn has_left(self) -> bool {
        !matches!(self, Self::BeforeAttempt | Self::AttemptCommitted)
    }
}

/// Short leases; a worker that stops at a point stops where the plan says, and every other goes on.
fn plan() -> Plan {
    House::plan()
        .setting("request_deadline", "2s")
        .setting("send_by", "900ms")
        .setting("lease", "3s")
        .no_worker()
}

/// A worker that reaches the point with this order, and is killed there (SIGKILL).
async fn die_at(house: &House, point: Point, order: &str, sent_before: usize) {
    let worker = house.work_until(point.setting()).await;
    arrive(house, &worker, point, order, sent_before).await;
    drop(worker);
}

/// Waits until the worker stands at the point.
async fn arrive(house: &House, worker: &Process, point: Point, order: &str, sent_before: usize) {
    match point {
        Point::Stored | Point::Read => house.wait_for_submits(sent_before + 1).await,
        Point::BeforeAttempt | Point::AttemptCommitted | Point::AnswerReceived | Point::ReplyCommitted => {
            until("the worker stands still", || async { worker.is_frozen().then_some(()) }).await;
        }
    }
    let state = house.order(order).await["state"].clone();
    match point {
        Point::BeforeAttempt => assert_ne!(state, "submitting", "{point:?}"),
        Point::AttemptCommitted | Point::Stored | Point::Read | Point::AnswerReceived => {
            assert_eq!(state, "submitting", "{point:?}");
        }
        Point::ReplyCommitted => assert_eq!(state, "confirmed", "{point:?}"),
    }
    assert_eq!(
        house.submits().await.len() - sent_before,
        usize::from(point.has_left()),
        "{point:?}"
    );
}

/// Waits until the supplier holds so many records of it: one may be stored after we are gone.
async fn counted(house: &House, order: &Value, records: i64) {
    until("its records", || async {
        (house.count(order).await == records).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_first_submit_killed_anywhere_comes_home_by_look_up_with_one_record() {
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    for point in Point::ALL {
        let sent_before = house.submits().await.len();
        house.faults(Value::Array(point.fault().into_iter().collect())).await;
        let order = house.buy(&buyer, &format!("first-{point:?}")).await;
        die_at(&house, point, &order, sent_before).await;

        // the web process sweeps the lease, and nobody sends anything
        let doubtful = match point {
            Point::BeforeAttempt => house.order(&order).await,
            Point::ReplyCommitted => house.wait_for_state(&order, "confirmed").await,
            Point::AttemptCommitted | Point::Stored | Point::Read | Point::AnswerReceived => {
                let order = house.wait_for_state(&order, "confirmation_pending").await;
                assert_owned(&order, "pending");
                assert_eq!(order["attempts"][0]["reply"], Value::Null, "{point:?}");
                order
            }
        };
        counted(&house, &doubtful, i64::from(point.has_left())).await;
        let _worker = house.work().await;
        let home = match point {
            // no byte left, and a person has not resumed: a look-up finds nothing, and it stays in doubt
            Point::AttemptCommitted => {
                buyer.does("look_up", &doubtful, &[]).await;
                house
                    .see(&doubtful, "looked up", |order| {
                        order["look_ups"].as_array().is_some_and(|asked| !asked.is_empty())
                    })
                    .await
            }
            Point::Stored | Point::Read | Point::AnswerReceived => {
                buyer.does("look_up", &doubtful, &[]).await;
                house.see_state(&doubtful, "confirmed").await
            }
            Point::BeforeAttempt | Point::ReplyCommitted => house.see_state(&doubtful, "confirmed").await,
        };
        let about = format!("{point:?}");
        if point == Point::AttemptCommitted {
            assert_eq!(home["state"], "confirmation_pending", "{about}");
            assert_eq!(
                (house.submits_of(&home).await, house.count(&home).await),
                (0, 0),
                "{about}"
            );
        } else {
            house.assert_counts(&home, 1, 1, &about).await;
            assert_eq!(home["case"], Value::Null, "{about}");
            assert_eq!(home["supplier_reference"], house.number_of(&home).await, "{about}");
        }
    }
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_resume_killed_anywhere_is_resumed_again_and_there_is_one_record() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for point in Point::ALL {
        let about = format!("{point:?}");
        let lost = {
            let _worker = house.work().await;
            house
                .lose(&buyer, &format!("again-{point:?}"), "store_then_close")
                .await
        };
        let sent_before = house.submits().await.len();
        house.faults(Value::Array(point.fault().into_iter().collect())).await;
        resolver.does("resume", &lost, &[]).await;
        die_at(&house, point, id(&lost), sent_before).await;

        let doubtful = match point {
            Point::BeforeAttempt | Point::ReplyCommitted => house.now(&lost).await,
            Point::AttemptCommitted | Point::Stored | Point::Read | Point::AnswerReceived => {
                let order = house.see_state(&lost, "confirmation_pending").await;
                assert_owned(&order, "pending");
                assert_eq!(order["case"]["id"], lost["case"]["id"], "{about}: the same case");
                order
            }
        };
        // a worker that comes back does nothing by itself, except what a person has asked for and nobody began
        let _worker = house.work().await;
        let other = house.buy(&buyer, &format!("again-other-{point:?}")).await;
        house.wait_for_state(&other, "confirmed").await;
        let home = match point {
            Point::BeforeAttempt | Point::ReplyCommitted => house.see_state(&lost, "confirmed").await,
            Point::AttemptCommitted | Point::Stored | Point::Read | Point::AnswerReceived => {
                assert_eq!(house.now(&lost).await, doubtful, "{about}: nothing by itself");
                resolver.does("resume", &doubtful, &[]).await;
                house.see_state(&lost, "confirmed").await
            }
        };
        let (attempts, requests) = match point {
            Point::BeforeAttempt | Point::ReplyCommitted => (2, 2),
            // committed, and not a byte of it left
            Point::AttemptCommitted => (3, 2),
            Point::Stored | Point::Read | Point::AnswerReceived => (3, 3),
        };
        assert_eq!(
            home["attempts"].as_array().map(Vec::len),
            Some(attempts),
            "{about}: {home:#}"
        );
        assert_eq!(house.submits_of(&home).await, requests, "{about}");
        assert_eq!(house.count(&home).await, 1, "{about}");
        assert_eq!(home["case"], Value::Null, "{about}");
        let steps = house.steps(&home).await;
        assert!(steps.iter().all(|step| *step == steps[0]), "{about}: the same bytes");
    }
    house.assert_log_is_whole().await;
}

/// Case C2 for a resume: whoever takes over sends nothing, and the frozen one's word is kept on its own attempt.
#[tokio::test]
async fn a_worker_frozen_during_a_resume_is_overtaken_by_nobody_and_confirms_late() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = {
        let _worker = house.work().await;
        house.lose(&buyer, "frozen-resume", "store_then_close").await
    };
    resolver.does("resume", &lost, &[]).await;
    let frozen = house.work_until("answer_received").await;
    arrive(&house, &frozen, Point::AnswerReceived, id(&lost), 1).await;
    let _other = house.work().await;

    let doubtful = house.see_state(&lost, "confirmation_pending").await;
    let other = house.buy(&buyer, "frozen-other").await;
    house.wait_for_state(&other, "confirmed").await;
    house.assert_counts(&house.now(&lost).await, 2, 1, "frozen").await;
    frozen.thaw();

    let order = house.see_state(&doubtful, "confirmed").await;
    house.assert_counts(&order, 2, 1, "thawed").await;
    assert_eq!(order["attempts"][1]["reply"], "accepted");
    assert_eq!(order["case"], Value::Null);
}

/// Case C2: frozen before its first byte of a resume, woken after the order was settled by another look-up.
#[tokio::test]
async fn a_worker_frozen_before_the_first_byte_of_a_resume_sends_nothing_when_it_wakes_and_erases_no_doubt() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = {
        let _worker = house.work().await;
        house.lose(&buyer, "frozen-byte", "store_then_close").await
    };
    resolver.does("resume", &lost, &[]).await;
    let frozen = house.work_until("attempt_committed").await;
    arrive(&house, &frozen, Point::AttemptCommitted, id(&lost), 1).await;
    house.see_state(&lost, "confirmation_pending").await;

    frozen.thaw();

    let order = house
        .see(&lost, "reported", |order| order["attempts"][1]["reply"] == "not_sent")
        .await;
    assert_eq!(
        order["state"], "confirmation_pending",
        "the first attempt's doubt stands"
    );
    assert_eq!(order["case"]["id"], lost["case"]["id"]);
    assert_eq!((house.submits_of(&order).await, house.count(&order).await), (1, 1));
}

/// A house where "not at the supplier" may be said soon after a lease.
fn settling() -> Plan {
    House::soon_settled().setting("send_by", "900ms").no_worker()
}

/// Case C2: the answer was read and not written; a person settles it as not there; then the worker wakes with a yes.
#[tokio::test]
async fn a_late_yes_after_a_person_found_it_missing_is_a_late_record_and_nothing_else() {
    let house = settling().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let order = house.buy(&buyer, "late-missing").await;
    let frozen = house.work_until("answer_received").await;
    arrive(&house, &frozen, Point::AnswerReceived, &order, 0).await;
    let doubtful = house.wait_for_state(&order, "confirmation_pending").await;
    let held = house.found_missing(&resolver, &doubtful).await;
    assert_eq!(held["case"]["kind"], "not_sent", "somebody resumes or withdraws it");

    frozen.thaw();

    let order = house.see_state(&held, "confirmation_pending").await;
    assert_owned(&order, "late_record");
    let number = house.number_of(&order).await;
    assert!(
        order["case"]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains(&number))
    );
    assert_eq!(order["attempts"][0]["reply"], "accepted", "kept on its own attempt");
    assert_eq!(order["resume"]["offered"], false);
    house.assert_counts(&order, 1, 1, "late yes").await;
    let answer = resolver.finds(&order, "at_supplier", &[("reference", &*number)]).await;
    assert_done(&answer, &order);
    assert_eq!(house.now(&order).await["state"], "confirmed");
    house.assert_log_is_whole().await;
}

/// The same when a person had resumed it meanwhile and the second attempt bought it: one record, and nothing reopens.
#[tokio::test]
async fn a_late_yes_with_the_same_number_after_the_order_was_confirmed_changes_nothing() {
    let house = settling().start().await;
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "late-same").await;
    let frozen = house.work_until("answer_received").await;
    arrive(&house, &frozen, Point::AnswerReceived, &order, 0).await;
    let doubtful = house.wait_for_state(&order, "confirmation_pending").await;
    let _worker = house.work().await;
    buyer.does("look_up", &doubtful, &[]).await;
    let confirmed = house.see_state(&doubtful, "confirmed").await;

    frozen.thaw();

    let order = house
        .see(&confirmed, "reported", |order| {
            order["attempts"][0]["reply"] == "accepted"
        })
        .await;
    assert_eq!(order["state"], "confirmed");
    assert_eq!(order["supplier_reference"], confirmed["supplier_reference"]);
    assert_eq!(order["version"], confirmed["version"]);
    assert_eq!(order["case"], Value::Null, "{order:#}");
    house.assert_counts(&order, 1, 1, "the same number").await;
    assert_eq!(house.happened(&order, "late_reply").await.len(), 1, "it is told");
}

/// A late yes to an order that a person has withdrawn after it was found missing: a late record, with an owner.
#[tokio::test]
async fn a_late_yes_after_the_order_was_withdrawn_is_a_late_record() {
    let house = settling().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let order = house.buy(&buyer, "late-withdrawn").await;
    let frozen = house.work_until("answer_received").await;
    arrive(&house, &frozen, Point::AnswerReceived, &order, 0).await;
    let doubtful = house.wait_for_state(&order, "confirmation_pending").await;
    let held = house.found_missing(&resolver, &doubtful).await;
    buyer.does("withdraw", &held, &[("reason", "bought elsewhere")]).await;

    frozen.thaw();

    let order = house.see_state(&held, "confirmation_pending").await;
    assert_owned(&order, "late_record");
    house.assert_counts(&order, 1, 1, "withdrawn").await;
}

/// Case C2: woken before its first byte, after a person has settled the order: it sends nothing, and nothing moves.
#[tokio::test]
async fn a_worker_that_wakes_before_its_first_byte_after_a_person_settled_the_order_sends_nothing() {
    let house = settling().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for (intent, state) in [
        ("wake-missing", "approved"),
        ("wake-refused", "refused"),
        ("wake-kept", "confirmed"),
    ] {
        let order = house.buy(&buyer, intent).await;
        let frozen = house.work_until("attempt_committed").await;
        until("the worker stands still", || async { frozen.is_frozen().then_some(()) }).await;
        let doubtful = house.wait_for_state(&order, "confirmation_pending").await;
        match state {
            "approved" => {
                house.found_missing(&resolver, &doubtful).await;
            }
            "refused" => assert_done(&resolver.finds(&doubtful, "refused_there", &[]).await, &doubtful),
            _ => {
                let number = [("reference", "B-1")];
                assert_done(&resolver.finds(&doubtful, "at_supplier", &number).await, &doubtful);
            }
        }
        let settled = house.order(&order).await;
        assert_eq!(settled["state"], state);

        frozen.thaw();

        let order = house
            .wait_for(&order, "reported", |order| order["attempts"][0]["reply"] == "not_sent")
            .await;
        assert_eq!(
            (&order["state"], &order["version"]),
            (&settled["state"], &settled["version"]),
            "{intent}"
        );
        assert_eq!(order["held_because"], settled["held_because"], "{intent}");
        assert_eq!(house.submits_of(&order).await, 0, "{intent}: not a byte left");
        drop(frozen);
    }
}

/// Case C2: frozen before its attempt is written, and woken after others have acted: it looks again, and sends nothing.
#[tokio::test]
async fn a_worker_that_wakes_before_its_attempt_sends_nothing_that_others_sent_or_took_back() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    // another worker has sent it
    let order = house.buy(&buyer, "overtaken").await;
    let frozen = house.work_until("before_attempt").await;
    arrive(&house, &frozen, Point::BeforeAttempt, &order, 0).await;
    let other = house.work().await;
    house.wait_for_state(&order, "confirmed").await;
    frozen.thaw();
    // a person has taken the wish to resume back
    let lost = house.lose(&buyer, "taken-back", "store_then_close").await;
    drop(other);
    drop(frozen);
    resolver.does("resume", &lost, &[]).await;
    let frozen = house.work_until("before_attempt").await;
    arrive(&house, &frozen, Point::BeforeAttempt, id(&lost), 2).await;
    let wanted = house.now(&lost).await;
    assert_done(&resolver.finds(&wanted, "could_not_tell", &[]).await, &wanted);
    frozen.thaw();

    // it is done with that one as soon as it stands still before another
    let last = house.buy(&buyer, "taken-back-other").await;
    until("the worker stands still", || async { frozen.is_frozen().then_some(()) }).await;
    // and again before the same one, whenever a new connection made it look at the database first (rule 20)
    let confirmed = |order: &Value| {
        frozen.thaw();
        order["state"] == "confirmed"
    };
    house.wait_for(&last, "confirmed", confirmed).await;
    house.assert_counts(&house.order(&order).await, 1, 1, "overtaken").await;
    house.assert_counts(&house.now(&lost).await, 1, 1, "taken back").await;
}

/// Case C2: the record that a person's resume is about was bought by the frozen worker's request, which arrives late.
#[tokio::test]
async fn a_request_that_the_supplier_works_on_past_the_lease_is_answered_by_one_record_also_after_a_resume() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    // longer than the lease: takeover, look-up and resume all come while the supplier is still at it
    house
        .faults(json!([{ "on": "submit", "do": "sleep_then_store", "seconds": 6 }]))
        .await;
    let order = house.buy(&buyer, "slow").await;
    let worker = house.work().await;
    house.wait_for_submits(1).await;
    worker.freeze();
    let doubtful = house.wait_for_state(&order, "confirmation_pending").await;
    let _other = house.work().await;
    buyer.does("look_up", &doubtful, &[]).await;
    house
        .see(&doubtful, "looked up", |order| {
            order["look_ups"].as_array().is_some_and(|asked| !asked.is_empty())
        })
        .await;
    assert_eq!(house.now(&doubtful).await["state"], "confirmation_pending");
    assert_eq!(house.count(&doubtful).await, 0);

    resolver.does("resume", &doubtful, &[]).await;

    // 409 in flight: unknown, and no repeat by itself
    let order = house
        .see(&doubtful, "told that it is in flight", |order| {
            order["attempts"][1]["http_status"] == 409
        })
        .await;
    assert_eq!(order["attempts"][1]["reply"], "unknown");
    assert_owned(&order, "pending");
    counted(&house, &order, 1).await;
    worker.thaw();
    house
        .see(&order, "reported", |order| !order["attempts"][0]["ended_at"].is_null())
        .await;
    let order = house.now(&order).await;
    if order["state"] == "confirmation_pending" {
        buyer.does("look_up", &order, &[]).await;
    }
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 2, 1, "slow").await;
}

/// Case C1: SIGTERM during a submit that a person asked for.
#[tokio::test]
async fn a_worker_told_to_stop_during_a_resume_stores_the_answer_or_leaves_it_pending() {
    for (grace, state) in [("5s", "confirmed"), ("200ms", "confirmation_pending")] {
        let house = plan().setting("grace", grace).start().await;
        let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
        let mut worker = house.work().await;
        let lost = house.lose(&buyer, "term", "store_then_close").await;
        house
            .faults(json!([{ "on": "submit", "do": "store_then_sleep", "seconds": 1 }]))
            .await;
        resolver.does("resume", &lost, &[]).await;
        house.wait_for_submits(2).await;

        worker.terminate();

        assert_eq!(worker.ended().await, Some(0));
        let order = house.see_state(&lost, state).await;
        house.assert_counts(&order, 2, 1, grace).await;
        if state == "confirmation_pending" {
            assert_owned(&order, "pending");
            assert_eq!(order["case"]["id"], lost["case"]["id"]);
            let _worker = house.work().await;
            resolver.does("resume", &order, &[]).await;
            let order = house.see_state(&order, "confirmed").await;
            house.assert_counts(&order, 3, 1, grace).await;
        }
    }
}

/// SIGTERM during a look-up: the question is asked again by whoever comes next.
#[tokio::test]
async fn a_look_up_lost_with_its_process_is_asked_again() {
    for kill in [true, false] {
        let house = plan().start().await;
        let buyer = house.sign_in(BUYER).await;
        let mut worker = house.work().await;
        let lost = house.lose(&buyer, "question", "store_then_close").await;
        house
            .faults(json!([{ "on": "look_up", "do": "store_then_sleep", "seconds": 1.5 }]))
            .await;
        buyer.does("look_up", &lost, &[]).await;
        until("asked", || async {
            (!house.asked_about(&lost).await.is_empty()).then_some(())
        })
        .await;
        if !kill {
            worker.terminate();
            worker.ended().await;
        }
        drop(worker);
        assert_eq!(house.now(&lost).await["look_ups"], json!([]));

        let _worker = house.work().await;

        let order = house.see_state(&lost, "confirmed").await;
        house.assert_counts(&order, 1, 1, "asked again").await;
        let asked = house.happened(&order, "looked_up").await;
        assert_eq!(
            asked[0]["actor"]["person"]["name"], "Bea Buyer",
            "still for whom it was wanted"
        );
    }
}

/// Cases C1 and C5: no reply fits into the database. With room in time it is stored; if the process dies, it is doubt.
#[tokio::test]
async fn a_reply_that_does_not_fit_into_the_database_is_kept_and_tried_again_or_ends_in_doubt() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for dies in [false, true] {
        let sent_before = house.submits().await.len();
        let order = house.buy(&buyer, &format!("full-{dies}")).await;
        let worker = house.work_until("answer_received").await;
        arrive(&house, &worker, Point::AnswerReceived, &order, sent_before).await;
        house.disk_is_full().await;
        worker.thaw();
        let said = || async { worker.log().contains("reply not stored yet").then_some(()) };
        until("the worker says so", said).await;
        assert_eq!(house.order(&order).await["state"], "submitting");
        if dies {
            drop(worker);
            house.disk_has_room().await;
            let doubtful = house.wait_for_state(&order, "confirmation_pending").await;
            assert_owned(&doubtful, "pending");
            let _worker = house.work().await;
            resolver.does("resume", &doubtful, &[]).await;
            let order = house.see_state(&doubtful, "confirmed").await;
            house.assert_counts(&order, 2, 1, "full, and dead").await;
        } else {
            house.disk_has_room().await;
            let order = house.wait_for_state(&order, "confirmed").await;
            house.assert_counts(&order, 1, 1, "full for a moment").await;
            assert_eq!(order["cases"], json!([]));
        }
    }
    house.assert_log_is_whole().await;
}

/// The page of an order whose worker is frozen answers as ever, and acts on it are told calmly that it is being sent.
#[tokio::test]
async fn acts_on_an_order_that_is_being_sent_are_refused_calmly() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house.faults(json!([fault("store_then_close")])).await;
    let order = house.buy(&buyer, "being-sent").await;
    let frozen = house.work_until("attempt_committed").await;
    until("the worker stands still", || async { frozen.is_frozen().then_some(()) }).await;
    let sending = house.order(&order).await;
    assert_eq!(sending["state"], "submitting");
    for (act, more) in [
        ("look_up", &[][..]),
        ("resume", &[]),
        (
            "record_finding",
            &[("finding", "at_supplier"), ("reference", "B-1"), ("evidence", "saw it")],
        ),
        ("hold", &[("reason", "wait")]),
        ("withdraw", &[("reason", "stop")]),
    ] {
        let person = if act == "withdraw" { &buyer } else { &resolver };
        let answer = person.act(act, &sending, more).await;
        let refused = person.refused(&answer, &page(&sending)).await;
        assert!(
            refused.is("order_is") || refused.is("no_resume"),
            "{act}: {:?}",
            refused.why
        );
        assert!(refused.page.contains("summary-calm"), "{act}");
    }
    assert_eq!(house.order(&order).await["version"], sending["version"]);
}
