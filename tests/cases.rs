//! Cases closed by decisions: each kind has its way out, each record is judged by its own number, and nothing that was
//! judged comes back. What was bought is counted at the supplier.

mod support;

use countersign::domain::case::CaseKind;
use countersign::domain::decision::{Decision, decisions};
use serde_json::{Value, json};
use support::home::{assert_done, assert_owned, blind, fault, id, page, until};
use support::{Answer, BUYER, House, MANAGER, RESOLVER, Session, body};

/// Closes the order's case that is due first, by this decision.
async fn decides(who: &Session<'_>, order: &Value, decision: &str, more: &[(&str, &str)]) -> Answer {
    let case = &order["case"];
    let (case_id, version) = (id(case), case["version"].to_string());
    let mut fields = vec![
        ("case", case_id),
        ("version", &*version),
        ("decision", decision),
        ("reason", "called them, spoke to Ms Berg"),
    ];
    fields.extend(more);
    who.post("/act/close_case", &fields).await
}

fn plan() -> support::Plan {
    House::soon_settled()
        .setting("look_up_first", "200ms")
        .setting("look_up_most", "400ms")
}

/// Found missing, and then somebody there types it in.
async fn late_record(house: &House, buyer: &Session<'_>, resolver: &Session<'_>, intent: &str) -> Value {
    let lost = house.lose(buyer, intent, "close_without_store").await;
    let missing = house.found_missing(resolver, &lost).await;
    house.enter_there(&missing).await;
    let late = house.see_state(&missing, "confirmation_pending").await;
    assert_owned(&late, "late_record");
    late
}

/// Waits until the supplier was asked about it twice more.
async fn asked_again(house: &House, order: &Value) {
    let before = house.asked_about(order).await.len();
    until("asked twice more", || async {
        (house.asked_about(order).await.len() >= before + 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_late_record_is_kept_or_cancelled_or_not_ours_and_once_judged_it_never_comes_back() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for (decision, state) in [
        ("kept_first", "confirmed"),
        ("cancelled_at_supplier", "withdrawn"),
        ("not_our_order", "withdrawn"),
    ] {
        let late = late_record(&house, &buyer, &resolver, decision).await;

        assert_done(&decides(&resolver, &late, decision, &[]).await, &late);

        let settled = house.see_state(&late, state).await;
        assert_eq!(settled["case"], Value::Null, "{settled:#}");
        if state == "withdrawn" {
            asked_again(&house, &settled).await;
        }
        let after = house.now(&settled).await;
        assert_eq!(
            (&after["state"], &after["case"]),
            (&json!(state), &Value::Null),
            "{after:#}"
        );
        assert_eq!(
            (house.count(&after).await, house.submits_of(&after).await),
            (1, 1),
            "{decision}"
        );
        let told = house.happened(&after, "case_decided").await;
        assert_eq!(told.len(), 1, "{told:?}");
        let shown = buyer.get(&page(&after)).await.text;
        assert!(shown.contains("spoke to Ms Berg"), "the evidence stays with the order");
    }
}

/// Rule 12: a record that a person keeps is compared like any other.
#[tokio::test]
async fn a_late_record_that_is_kept_is_compared_with_what_was_approved() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let late = late_record(&house, &buyer, &resolver, "kept-and-other").await;
    let number = late["supplier_reference"].as_str().expect("a number");
    house.clerk(number, json!({ "line": 0, "quantity": "7" })).await;

    assert_done(&decides(&resolver, &late, "kept_first", &[]).await, &late);

    let differs = house
        .see(&late, "with differences", |order| order["differences"] == true)
        .await;
    assert_eq!(differs["state"], "confirmed");
    assert_owned(&differs, "differences");
}

#[tokio::test]
async fn differences_are_taken_as_they_are_or_the_order_was_cancelled_there() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for (decision, state) in [
        ("differences_accepted", "confirmed"),
        ("cancelled_at_supplier", "withdrawn"),
    ] {
        house.faults(json!([fault("store_with_differences")])).await;
        let order = house.buy(&buyer, decision).await;
        let differs = house.wait_for_state(&order, "confirmed").await;
        assert_owned(&differs, "differences");

        assert_done(&decides(&resolver, &differs, decision, &[]).await, &differs);

        let after = house.see_state(&differs, state).await;
        assert_eq!(after["case"], Value::Null);
        assert_eq!(after["differences"], true, "what differed stays on the record");
        assert_eq!(house.count(&after).await, 1);
    }
}

/// Case I7: somebody there typed it in a second time.
#[tokio::test]
async fn a_second_record_is_named_and_judged_and_the_first_one_confirms_the_order() {
    let house = plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for decision in ["duplicate_cancelled", "kept_both", "not_our_order"] {
        let lost = house.lose(&buyer, decision, "store_then_close").await;
        let second = house.enter_there(&lost).await;
        resolver.does("look_up", &lost, &[]).await;
        let two = house
            .see(&lost, "two records", |order| {
                order["cases"].as_array().is_some_and(|cases| {
                    let open = |case: &&Value| case["kind"] == "supplier_duplicate";
                    cases.iter().any(|case| open(&case))
                })
            })
            .await;
        let cases = two["cases"].as_array().expect("cases");
        let duplicate = cases.iter().find(|case| case["kind"] == "supplier_duplicate");
        let mut about = two.clone();
        about["case"] = duplicate.expect("a case").clone();

        if decision == "kept_both" {
            // which of them is the order has to be said first
            let early = decides(&resolver, &about, decision, &[("reference", &second)]).await;
            assert!(resolver.refused(&early, &page(&two)).await.is("order_is"));
            let first = first_of(&two, &second);
            assert_done(
                &resolver.finds(&two, "at_supplier", &[("reference", &first)]).await,
                &two,
            );
        }
        // no number, and one that nobody has seen
        for named in [&[][..], &[("reference", "A-4711")]] {
            let refused = decides(&resolver, &about, decision, named).await;
            let refused = resolver.refused(&refused, &page(&two)).await;
            assert_eq!(refused.field(), "reference", "{:?}", refused.why);
        }
        let named = [("reference", &*second)];
        assert_done(&decides(&resolver, &about, decision, &named).await, &two);

        // the other one is asked for at once
        let home = house.see_state(&two, "confirmed").await;
        assert_ne!(home["supplier_reference"], json!(second), "by the first record");
        assert_eq!(home["case"], Value::Null, "{home:#}");
        assert_eq!((house.count(&home).await, house.submits_of(&home).await), (2, 1));
    }
}

/// The number of the record beside this one, as the last look-up named them.
fn first_of(order: &Value, second: &str) -> String {
    let last = order["look_ups"]
        .as_array()
        .and_then(|all| all.last())
        .expect("a look-up");
    let text = last.to_string();
    let numbers = text.split('"').filter(|word| word.starts_with("A-") && *word != second);
    numbers
        .min_by_key(|word| word.len())
        .expect("another record")
        .to_owned()
}

#[tokio::test]
async fn a_doubt_is_given_up_by_a_manager_alone_and_a_record_that_turns_up_brings_it_back() {
    let house = plan()
        .setting("look_up_first", "2s")
        .setting("look_up_most", "2s")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "given-up", "store_then_close").await;
    let not_yours = decides(&resolver, &lost, "written_off", &[]).await;
    let not_yours = resolver.refused(&not_yours, &page(&lost)).await;
    assert!(not_yours.is("not_your_role"), "{:?}", not_yours.why);

    assert_done(&decides(&manager, &lost, "written_off", &[]).await, &lost);

    let given_up = house.see_state(&lost, "withdrawn").await;
    assert_eq!(given_up["case"], Value::Null);
    let late = house.see_state(&given_up, "confirmation_pending").await;
    assert_owned(&late, "late_record");
    assert_eq!((house.count(&late).await, house.submits_of(&late).await), (1, 1));
}

/// Rule 14, and a decision that its case does not have.
#[tokio::test]
async fn whoever_decides_second_is_told_and_a_decision_of_another_kind_is_named() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    house.faults(json!([fault("store_with_differences")])).await;
    let order = house.buy(&buyer, "twice").await;
    let differs = house.wait_for_state(&order, "confirmed").await;
    assert_owned(&differs, "differences");
    for (decision, field) in [("kept_both", "decision"), ("", "decision"), ("sure", "decision")] {
        let refused = decides(&resolver, &differs, decision, &[]).await;
        let refused = resolver.refused(&refused, &page(&differs)).await;
        assert_eq!(refused.field(), field, "{decision:?}: {:?}", refused.why);
    }
    let silent = resolver
        .post(
            "/act/close_case",
            &[
                ("case", id(&differs["case"])),
                ("version", "1"),
                ("decision", "differences_accepted"),
                ("reason", " "),
            ],
        )
        .await;
    let silent = resolver.refused(&silent, &page(&differs)).await;
    assert_eq!(silent.field(), "reason");
    assert_eq!(
        house.now(&differs).await["case"]["kind"],
        "differences",
        "nothing was closed"
    );

    assert_done(
        &decides(&resolver, &differs, "differences_accepted", &[]).await,
        &differs,
    );

    let late = decides(&manager, &differs, "cancelled_at_supplier", &[]).await;
    let late = manager.refused(&late, &page(&differs)).await;
    assert!(late.is("already_done"), "{:?}", late.why);
    assert_eq!(house.now(&differs).await["state"], "confirmed");
}

/// Rule 3: the case about a suggestion has its way out on the suggestion's page.
#[tokio::test]
async fn a_reused_identity_is_decided_on_the_suggestions_page() {
    let house = House::plan().no_worker().start().await;
    let manager = house.sign_in(MANAGER).await;
    let suggested = house.suggest("reused", &body("reused")).await;
    let other = house.put_suggestion("reused", &body("something-else")).await;
    assert_eq!(other.status, 422, "{other:?}");
    let path = format!("/suggestions/{}", suggested.id);
    let shown = manager.get(&path).await.text;
    let case = shown
        .split("name=\"case\" value=\"")
        .nth(1)
        .expect("a form about the case");
    let case = case.split('"').next().expect("its id");

    let decided = manager
        .post(
            "/act/close_case",
            &[
                ("case", case),
                ("version", "1"),
                ("decision", "kept_first"),
                ("reason", "the agent mixed two wishes up"),
            ],
        )
        .await;

    assert_eq!((decided.status, decided.location()), (303, &*path), "{decided:?}");
    let shown = manager.get(&path).await.text;
    assert!(!shown.contains("name=\"case\""), "nothing is open");
    assert_eq!(house.intent("reused").await["suggestion"]["state"], "in_review");
}

/// A case as its forms name it, whatever it is about.
#[derive(Debug)]
struct Found {
    id: String,
    version: i64,
    owner: String,
}

/// The only open case of this kind.
async fn open_case(house: &House, kind: CaseKind) -> Option<Found> {
    let pool = house.database().await;
    let rows: Vec<(String, i64, String)> =
        sqlx::query_as("SELECT id, version, owner FROM cases WHERE kind = $1 AND closed_at IS NULL")
            .bind(kind.word())
            .fetch_all(&pool)
            .await
            .expect("the cases");
    pool.close().await;
    assert!(rows.len() <= 1, "{kind:?}: {rows:?}");
    let mut rows = rows.into_iter();
    rows.next().map(|(id, version, owner)| Found { id, version, owner })
}

async fn opened(house: &House, kind: CaseKind) -> Found {
    until("a case is open", || open_case(house, kind)).await
}

/// Brings a case of this kind about; the order it is about, where it is about one.
async fn bring_about(house: &mut House, kind: CaseKind) -> Option<Value> {
    let name = kind.word();
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    match kind {
        CaseKind::Pending => Some(house.lose(&buyer, name, "close_without_store").await),
        CaseKind::AcknowledgedLate => {
            house.faults(json!([fault("accept_202")])).await;
            let order = house.buy(&buyer, name).await;
            Some(house.wait_for_state(&order, "acknowledged").await)
        }
        CaseKind::Differences => {
            house.faults(json!([fault("store_with_differences")])).await;
            let order = house.buy(&buyer, name).await;
            Some(house.wait_for_state(&order, "confirmed").await)
        }
        CaseKind::SupplierDuplicate => {
            let lost = house.lose(&buyer, name, "store_then_close").await;
            house.enter_there(&lost).await;
            resolver.does("look_up", &lost, &[]).await;
            Some(lost)
        }
        CaseKind::LateRecord => {
            let lost = house.lose(&buyer, name, "close_without_store").await;
            let missing = house.found_missing(&resolver, &lost).await;
            house.enter_there(&missing).await;
            resolver.does("look_up", &missing, &[]).await;
            Some(house.see_state(&missing, "confirmation_pending").await)
        }
        CaseKind::IntentReused => {
            house.suggest(name, &body(name)).await;
            assert_eq!(house.put_suggestion(name, &body("something-else")).await.status, 422);
            None
        }
        CaseKind::NotSent => {
            let lost = house.lose(&buyer, name, "close_without_store").await;
            Some(house.found_missing(&resolver, &lost).await)
        }
        CaseKind::TooOld => {
            house.faults(json!([fault("429")])).await;
            let order = house.buy(&buyer, name).await;
            Some(
                house
                    .wait_for(&order, "too old", |order| order["held_because"] == "too_old")
                    .await,
            )
        }
        CaseKind::Restore => {
            drop((buyer, resolver));
            Some(restored(house, name).await)
        }
        CaseKind::SupplierHeld => {
            assert_eq!(house.run(&["supplier", "hold", "practice"]).status, 0);
            None
        }
    }
}

/// An order that was approved before a backup and is held since the backup was restored.
async fn restored(house: &mut House, name: &str) -> Value {
    assert_eq!(house.run(&["supplier", "hold", "practice"]).status, 0);
    let order = {
        let buyer = house.sign_in(BUYER).await;
        house.buy(&buyer, name).await
    };
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    house.wait_for_state(&order, "confirmed").await;
    house.kill_web();
    house.put_back(&backup);
    // what a look-up would find is another kind's case
    house.faults(json!(vec![blind("503"); 20])).await;
    house.restart_web().await;
    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    house
        .wait_for(&order, "held", |order| order["case"]["kind"] == "restore")
        .await
}

/// Closes it by what doors.md names: a decision where it has one, else a finding or an act on the order.
async fn brought_to_its_end(house: &House, kind: CaseKind, case: &Found, order: Option<&Value>) {
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    if let Some(first) = decisions(kind).first() {
        let mut named = Vec::new();
        let mut number = String::new();
        if kind == CaseKind::SupplierDuplicate {
            let order = house.now(order.expect("an order")).await;
            number = first_of(&order, "");
            named.push(("reference", &*number));
        }
        let answer = decide(&manager, case, first.word(), &named).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        assert!(!answer.location().contains("refused"), "{kind:?} {number}: {answer:?}");
        return;
    }
    let now = match order {
        Some(order) => house.now(order).await,
        None => Value::Null,
    };
    match kind {
        CaseKind::AcknowledgedLate => {
            let number = house.number_of(&now).await;
            let found = manager.finds(&now, "at_supplier", &[("reference", &number)]).await;
            assert_done(&found, &now);
        }
        CaseKind::NotSent => buyer.does("withdraw", &now, &[("reason", "not wanted")]).await,
        CaseKind::TooOld => buyer.does("release", &now, &[("reason", "still wanted")]).await,
        CaseKind::Restore => buyer.does("withdraw", &now, &[("reason", "looked at")]).await,
        CaseKind::SupplierHeld => {
            assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
        }
        CaseKind::Pending
        | CaseKind::Differences
        | CaseKind::SupplierDuplicate
        | CaseKind::LateRecord
        | CaseKind::IntentReused => panic!("{kind:?} has decisions"),
    }
}

async fn decide(who: &Session<'_>, case: &Found, decision: &str, more: &[(&str, &str)]) -> Answer {
    let version = case.version.to_string();
    let mut fields = vec![
        ("case", &*case.id),
        ("version", &*version),
        ("decision", decision),
        ("reason", "called them, spoke to Ms Berg"),
    ];
    fields.extend(more);
    who.post("/act/close_case", &fields).await
}

/// Every kind has an owner, can be handed over, is closed by exactly its own decisions, and has a way out.
#[tokio::test]
async fn every_kind_of_case_is_opened_handed_over_and_closed_and_none_is_without_an_exit() {
    for kind in CaseKind::ALL {
        let mut house = plan()
            .setting("look_up_first", "12h")
            .setting("look_up_most", "12h")
            .setting("again_first", "12h")
            .setting("again_most", "12h")
            .setting("sweep", "200ms")
            .start()
            .await;
        if kind == CaseKind::AcknowledgedLate {
            house.add_supplier(|file| file.replace("[contract]", "[contract]\nacknowledged_within = \"1s\""));
        }
        if kind == CaseKind::TooOld {
            house.add_supplier(|file| file.replace("send_within = \"24h\"", "send_within = \"1s\""));
        }
        let order = bring_about(&mut house, kind).await;
        let case = opened(&house, kind).await;

        // owned from the start, and handed over
        let manager = house.sign_in(MANAGER).await;
        let version = case.version.to_string();
        let to = house.person(MANAGER).await;
        assert_ne!(case.owner, to, "{kind:?}: the resolver's first");
        let handed = [
            ("case", &*case.id),
            ("version", &*version),
            ("owner", &*to),
            ("due_at", "2030-01-07T09:00"),
            ("reason", "on holiday"),
        ];
        let answer = manager.post("/act/assign", &handed).await;
        assert!(
            answer.status == 303 && !answer.location().contains("refused"),
            "{kind:?}: {answer:?}"
        );
        let case = opened(&house, kind).await;
        assert_eq!(case.owner, to, "{kind:?}");

        // what is no decision of its kind closes nothing
        for decision in Decision::ALL.into_iter().filter(|one| !decisions(kind).contains(one)) {
            let answer = decide(&manager, &case, decision.word(), &[("reference", "A-1001")]).await;
            assert!(
                answer.location().contains("refused="),
                "{kind:?} {decision:?}: {answer:?}"
            );
            let still = open_case(&house, kind).await.expect("still open");
            assert_eq!(still.version, case.version, "{kind:?} {decision:?}");
        }

        brought_to_its_end(&house, kind, &case, order.as_ref()).await;

        until("closed", || async {
            open_case(&house, kind).await.is_none().then_some(())
        })
        .await;
        if let Some(order) = &order {
            assert!(
                house.count(order).await <= if kind == CaseKind::SupplierDuplicate { 2 } else { 1 },
                "{kind:?}"
            );
        }
        house.assert_log_is_whole().await;
    }
}
