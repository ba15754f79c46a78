//! A change is a new revision with an order of its own (rule 5): what blocks it, what a manager accepts, and what a record
//! that turns up late holds. What was bought is counted at the supplier.

mod support;

use serde_json::{Value, json};
use support::home::{assert_done, assert_owned, fault, id, page};
use support::{Answer, BUYER, House, MANAGER, RESOLVER, Session, Suggested, body};

/// 36 where 24 were asked for.
const THIRTY_SIX: [(&str, &str); 4] = [
    ("lines[0][quantity]", "36"),
    ("lines[0][unit]", "EA"),
    ("lines[0][unit_price]", "0.4375"),
    ("lines[0][description]", "Hex bolt M8×40 A2"),
];

/// The whole form with 36 of this article.
fn thirty_six(sku: &str) -> Vec<(&str, &str)> {
    THIRTY_SIX.into_iter().chain([("lines[0][sku]", sku)]).collect()
}

async fn revise(who: &Session<'_>, of: &[(&str, &str)], lines: &[(&str, &str)]) -> Answer {
    let fields: Vec<_> = of.iter().chain(lines).copied().collect();
    who.post("/act/revise", &fields).await
}

/// Changes an order to 36 pieces.
async fn change_order(who: &Session<'_>, order: &Value, sku: &str) -> Answer {
    let version = order["version"].to_string();
    revise(who, &[("order", id(order)), ("version", &version)], &thirty_six(sku)).await
}

/// The suggestion that waits now: the intent's latest.
async fn waiting(house: &House, intent: &str) -> Suggested {
    let suggestion = house.intent(intent).await["suggestion"].clone();
    assert_eq!(suggestion["state"], "in_review", "{suggestion:#}");
    let text = |name: &str| suggestion[name].as_str().expect(name).to_owned();
    Suggested {
        intent: intent.to_owned(),
        id: text("id"),
        digest: text("digest"),
    }
}

/// The change must be done: 303 to the page of what waits now.
async fn changed(house: &House, who: &Session<'_>, order: &Value, sku: &str) -> Suggested {
    changed_to(house, who, order, sku, "36").await
}

/// As `changed`, to so many pieces.
async fn changed_to(house: &House, who: &Session<'_>, order: &Value, sku: &str, quantity: &str) -> Suggested {
    let version = order["version"].to_string();
    let mut lines = thirty_six(sku);
    lines[0].1 = quantity;
    let answer = revise(who, &[("order", id(order)), ("version", &version)], &lines).await;
    let intent = order["intent_id"].as_str().expect("an intent");
    let waits = waiting(house, intent).await;
    let page = format!("/suggestions/{}", waits.id);
    assert_eq!((answer.status, answer.location()), (303, &*page), "{answer:?}");
    waits
}

async fn try_approve(who: &Session<'_>, shown: &Suggested, more: &[(&str, &str)]) -> Answer {
    let mut fields = vec![("suggestion", &*shown.id), ("digest", &*shown.digest)];
    fields.extend(more);
    who.post("/act/approve", &fields).await
}

/// The approval must be refused for this reason.
async fn not_approved(who: &Session<'_>, shown: &Suggested, more: &[(&str, &str)], why: &str) {
    let answer = try_approve(who, shown, more).await;
    let refused = who.refused(&answer, &format!("/suggestions/{}", shown.id)).await;
    assert!(refused.is(why), "{why}: {:?}", refused.why);
}

/// Approved with what the form said; the new order.
async fn approved(house: &House, who: &Session<'_>, shown: &Suggested, more: &[(&str, &str)]) -> Value {
    let order = who.approve_with(shown, more).await;
    house.order(&order).await
}

const TWICE: (&str, &str) = ("second_purchase", "yes");

#[tokio::test]
async fn a_change_of_an_order_is_a_purchase_of_its_own_and_the_first_stays_frozen() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let bought = house.buy(&buyer, "own").await;
    let first = house.wait_for_state(&bought, "confirmed").await;

    // a resolver may change, and may not approve
    let waits = changed(&house, &resolver, &first, "own").await;

    let shown = buyer.get(&format!("/suggestions/{}", waits.id)).await.text;
    assert!(shown.contains("Changed by"), "a person's change is told apart");
    assert!(shown.contains("24") && shown.contains("36"), "the difference");
    assert!(shown.contains(id(&first)), "linked to the first");
    let on_order = buyer.get(&page(&first)).await.text;
    assert!(on_order.contains(&format!("/suggestions/{}", waits.id)), "and back");
    not_approved(&buyer, &waits, &[], "second_purchase_not_asked").await;

    let second = approved(&house, &buyer, &waits, &[TWICE]).await;

    let second = house.see_state(&second, "confirmed").await;
    let again = house.now(&first).await;
    assert_eq!(
        (&again["digest"], &again["contents"], &again["version"]),
        (&first["digest"], &first["contents"], &first["version"])
    );
    assert_ne!(second["operation_key"], first["operation_key"]);
    assert_eq!(second["contents"]["lines"][0]["quantity"], "36");
    assert_eq!((house.count(&first).await, house.count(&second).await), (1, 1));
    let on_order = buyer.get(&page(&first)).await.text;
    assert!(on_order.contains(id(&second)), "the later order is named");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_change_of_a_suggestion_takes_its_place_and_only_the_change_can_be_approved() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut with_pack = body("packed");
    with_pack["lines"][0]["pack"] = json!({ "quantity": "12", "unit": "EA" });
    with_pack["charges"] = json!([{ "kind": "charge", "reason": "freight", "amount": "4.00" }]);
    with_pack["note_to_supplier"] = json!("ring twice");
    let first = house.suggest("packed", &with_pack).await;

    let of = [("suggestion", &*first.id), ("digest", &*first.digest)];
    let answer = revise(&buyer, &of, &thirty_six("packed")).await;

    let waits = waiting(&house, "packed").await;
    assert_eq!(answer.location(), format!("/suggestions/{}", waits.id), "{answer:?}");
    assert_ne!(waits.id, first.id);
    not_approved(&buyer, &first, &[], "contents_changed").await;
    let order = approved(&house, &buyer, &waits, &[]).await;
    let bought = house.see_state(&order, "confirmed").await;
    // what the form did not carry was taken over
    let line = &bought["contents"]["lines"][0];
    assert_eq!(line["pack"], json!({ "quantity": "12", "unit": "EA" }));
    assert_eq!(bought["contents"]["note_to_supplier"], "ring twice");
    assert_eq!(bought["contents"]["charges"][0]["amount"], "4");
    assert_eq!((house.count(&bought).await, house.submits().await.len()), (1, 1));
}

/// A person may change what was sent back; the assistant's next version then comes too late.
#[tokio::test]
async fn what_was_sent_back_is_changed_by_a_person_and_the_assistant_is_told_that_its_revision_is_taken() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let first = house.suggest("sent", &body("sent")).await;
    let fields = [
        ("suggestion", &*first.id),
        ("digest", &*first.digest),
        ("reason", "36 please"),
    ];
    assert_eq!(buyer.post("/act/send_back", &fields).await.status, 303);

    let of = [("suggestion", &*first.id), ("digest", &*first.digest)];
    assert_eq!(revise(&buyer, &of, &thirty_six("sent")).await.status, 303);

    let waits = waiting(&house, "sent").await;
    let mut second = body("sent");
    second["revision"] = json!(2);
    second["lines"][0]["quantity"] = json!("48");
    assert_eq!(house.put_suggestion("sent", &second).await.status, 422);
    assert_eq!(waiting(&house, "sent").await.digest, waits.digest, "nothing changed");
}

/// Rule 23, 18 and 14: every fault by its field, what was typed kept, nothing stored.
#[tokio::test]
async fn a_change_that_cannot_be_read_names_every_field_and_keeps_what_was_typed() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let bought = house.buy(&buyer, "typed").await;
    let order = house.wait_for_state(&bought, "confirmed").await;
    let (form, version) = (format!("{}/change", page(&order)), order["version"].to_string());
    let of = [("order", id(&order)), ("version", &*version)];
    let before = house.stored().await;

    let wrong = [
        ("lines[0][sku]", "typed"),
        ("lines[0][quantity]", "many"),
        ("lines[0][unit]", "pieces"),
        ("lines[0][unit_price]", "0.4375"),
        ("needed_by", "tomorrow"),
    ];
    let refused = buyer.refused(&revise(&buyer, &of, &wrong).await, &form).await;
    assert!(refused.is("fields"), "{:?}", refused.why);
    let named = refused.why["about"].to_string();
    for field in ["lines[0][quantity]", "lines[0][unit]", "needed_by"] {
        assert!(named.contains(field), "{field}: {named}");
    }
    for typed in ["many", "pieces", "tomorrow"] {
        assert!(refused.page.contains(&format!("value=\"{typed}\"")), "{typed} is kept");
    }
    // no lines at all, and what nobody may leave out
    for lines in [&[][..], &[("lines[0][sku]", "typed")]] {
        let refused = buyer.refused(&revise(&buyer, &of, lines).await, &form).await;
        assert!(refused.is("fields"), "{lines:?}: {:?}", refused.why);
    }
    // what no page of ours sends is theirs to put right, and no fault of ours
    for odd in [
        "lines[-1][quantity]",
        "lines[0][quantity][x]",
        "lines[99999999999999999999][quantity]",
    ] {
        let answer = revise(
            &buyer,
            &of,
            &[(odd, "1"), ("lines[0][quantity]", "2"), ("lines[0][quantity]", "3")],
        )
        .await;
        assert_eq!(answer.status, 400, "{odd}: {answer:?}");
    }
    let nothing = buyer.post("/act/revise", &thirty_six("typed")).await;
    assert_eq!(buyer.refused(&nothing, "/orders").await.field(), "order");
    let stale = [("order", id(&order)), ("version", "1")];
    let stale = revise(&buyer, &stale, &thirty_six("typed")).await;
    assert!(buyer.refused(&stale, &form).await.is("already_done"));
    assert_eq!(house.stored().await, before, "nothing was stored");
}

/// Case P11, and one change at a time.
#[tokio::test]
async fn a_change_that_is_sent_twice_is_one_and_another_has_to_wait_for_it() {
    let house = House::start().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let bought = house.buy(&buyer, "once").await;
    let order = house.wait_for_state(&bought, "confirmed").await;
    let waits = changed(&house, &buyer, &order, "once").await;

    let again = change_order(&buyer, &order, "once").await;
    assert_eq!(again.location(), format!("/suggestions/{}", waits.id));
    let form = format!("{}/change", page(&order));
    let other = change_order(&manager, &order, "once").await;
    assert!(manager.refused(&other, &form).await.is("change_waits"));
    assert_eq!(waiting(&house, "once").await.id, waits.id, "one change");

    let second = approved(&house, &buyer, &waits, &[TWICE]).await;
    let twice = try_approve(&buyer, &waits, &[TWICE]).await;
    assert_eq!(twice.location(), page(&second), "the earlier result");
    let later = change_order(&manager, &order, "once").await;
    assert!(manager.refused(&later, &form).await.is("later_order"));
    house.see_state(&second, "confirmed").await;
    assert_eq!(house.submits().await.len(), 2);
}

#[tokio::test]
async fn a_change_that_changes_nothing_is_none_while_the_order_is_open() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let same = [
        ("lines[0][sku]", "same"),
        ("lines[0][quantity]", "24.0"),
        ("lines[0][unit]", "EA"),
        ("lines[0][unit_price]", "0.4375"),
    ];
    let lost = house.lose(&buyer, "same", "close_without_store").await;
    let version = lost["version"].to_string();
    let of = [("order", id(&lost)), ("version", &*version)];
    let answer = revise(&buyer, &of, &same).await;
    let form = format!("{}/change", page(&lost));
    assert!(buyer.refused(&answer, &form).await.is("nothing_changed"));

    // once it is over, the same may be wanted again
    let missing = house.found_missing(&resolver, &lost).await;
    buyer.does("withdraw", &missing, &[("reason", "not today")]).await;
    let over = house.now(&missing).await;
    let version = over["version"].to_string();
    let of = [("order", id(&over)), ("version", &*version)];
    assert_eq!(revise(&buyer, &of, &same).await.status, 303);
    let waits = waiting(&house, "same").await;
    let order = approved(&house, &buyer, &waits, &[]).await;
    let order = house.see_state(&order, "confirmed").await;
    assert_eq!((house.count(&over).await, house.count(&order).await), (0, 1));
}

/// Case C12, first half: the first is pending, a change waits, and the first turns out confirmed.
#[tokio::test]
async fn a_change_waits_for_a_pending_order_and_once_that_was_bought_somebody_has_to_say_twice() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "c12", "store_then_close").await;
    let waits = changed(&house, &buyer, &lost, "c12").await;
    for more in [&[][..], &[TWICE]] {
        not_approved(&buyer, &waits, more, "predecessor_unsettled").await;
    }
    let shown = buyer.get(&format!("/suggestions/{}", waits.id)).await.text;
    assert!(!shown.contains("name=\"accept_unsettled\""), "a manager's alone");

    resolver.does("look_up", &lost, &[]).await;
    let first = house.see_state(&lost, "confirmed").await;
    not_approved(&buyer, &waits, &[], "second_purchase_not_asked").await;

    assert_eq!((house.count(&first).await, house.submits().await.len()), (1, 1));
    let second = approved(&house, &buyer, &waits, &[TWICE]).await;
    let second = house.see_state(&second, "confirmed").await;
    assert_eq!((house.count(&first).await, house.count(&second).await), (1, 1));
}

/// Case C12, second half: an unsettled first is accepted by a manager, by name and version and in writing; from then on it
/// is frozen.
#[tokio::test]
async fn a_manager_accepts_an_unsettled_order_in_writing_and_it_is_frozen_while_the_later_one_lives() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "accepted", "close_without_store").await;
    let waits = changed(&house, &buyer, &lost, "accepted").await;
    let named = format!("{}:{}", id(&lost), lost["version"]);
    let older = format!("{}:1", id(&lost));
    let reason = ("reason", "the line stands still; two are better than none");
    let accepts = ("accept_unsettled", &*named);

    not_approved(&buyer, &waits, &[TWICE, accepts, reason], "not_your_role").await;
    not_approved(&manager, &waits, &[TWICE, accepts], "field").await;
    not_approved(
        &manager,
        &waits,
        &[TWICE, ("accept_unsettled", &older), reason],
        "predecessor_unsettled",
    )
    .await;
    not_approved(&manager, &waits, &[accepts, reason], "second_purchase_not_asked").await;
    let shown = manager.get(&format!("/suggestions/{}", waits.id)).await.text;
    assert!(shown.contains(&format!("value=\"{named}\"")), "the box names it");

    let second = approved(&house, &manager, &waits, &[TWICE, accepts, reason]).await;

    let second = house.see_state(&second, "confirmed").await;
    let told = house.happened(&second, "order_approved").await;
    assert!(told[0].to_string().contains("two are better than none"), "{told:?}");
    // the first is found missing, and stays where it is
    let first = house.found_missing(&resolver, &lost).await;
    for (who, act, more) in [(&resolver, "resume", &[][..]), (&buyer, "hold", &[("reason", "wait")])] {
        let answer = who.act(act, &house.now(&first).await, more).await;
        if act == "hold" {
            assert_done(&answer, &first);
            continue;
        }
        let refused = who.refused(&answer, &page(&first)).await;
        assert!(
            refused.why.to_string().contains("later_order_live"),
            "{act}: {:?}",
            refused.why
        );
    }
    let held = house.now(&first).await;
    let released = buyer.act("release", &held, &[("reason", "go")]).await;
    assert!(buyer.refused(&released, &page(&first)).await.is("later_order_live"));
    assert_eq!((house.count(&first).await, house.count(&second).await), (0, 1));
    assert_eq!(
        (house.submits_of(&first).await, house.submits_of(&second).await),
        (1, 1)
    );
}

/// Rule 5: what nobody has sent is withdrawn first; not even a manager accepts it beside another.
#[tokio::test]
async fn an_order_that_may_still_go_out_is_withdrawn_before_its_change_is_approved() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "unsent", "close_without_store").await;
    let first = house.found_missing(&resolver, &lost).await;
    let waits = changed(&house, &buyer, &first, "unsent").await;
    let named = format!("{}:{}", id(&first), first["version"]);
    let all = [TWICE, ("accept_unsettled", &*named), ("reason", "in a hurry")];
    not_approved(&manager, &waits, &all, "predecessor_unsettled").await;

    buyer
        .does("withdraw", &first, &[("reason", "36 are bought instead")])
        .await;

    let second = approved(&house, &buyer, &waits, &[]).await;
    let second = house.see_state(&second, "confirmed").await;
    assert_eq!((house.count(&first).await, house.count(&second).await), (0, 1));
}

/// A first order withdrawn, its change approved and unsent: the supplier is on hold.
async fn unsent_successor(house: &House, buyer: &Session<'_>, resolver: &Session<'_>, sku: &str) -> (Value, Value) {
    let lost = house.lose(buyer, sku, "close_without_store").await;
    let missing = house.found_missing(resolver, &lost).await;
    buyer.does("withdraw", &missing, &[("reason", "36 instead")]).await;
    let first = house.now(&missing).await;
    let held = house.run(&["supplier", "hold", "practice"]);
    assert_eq!(held.status, 0, "{}", held.err);
    let waits = changed(house, buyer, &first, sku).await;
    let successor = approved(house, buyer, &waits, &[]).await;
    assert_eq!(successor["state"], "approved");
    (first, successor)
}

/// Closes the late record's case by this decision.
async fn decides(who: &Session<'_>, late: &Value, decision: &str) {
    let version = late["case"]["version"].to_string();
    let fields = [
        ("case", id(&late["case"])),
        ("version", &*version),
        ("decision", decision),
        ("reason", "called them"),
    ];
    assert_done(&who.post("/act/close_case", &fields).await, late);
}

/// Rule 5: a late record on a predecessor holds every unsent successor, until somebody has judged it.
#[tokio::test]
async fn a_record_of_an_earlier_order_that_turns_up_holds_what_nobody_has_sent() {
    let house = House::soon_settled()
        .setting("look_up_first", "200ms")
        .setting("look_up_most", "400ms")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for (decision, bought_first) in [("not_our_order", false), ("kept_first", true)] {
        let (first, successor) = unsent_successor(&house, &buyer, &resolver, decision).await;
        house.enter_there(&first).await;
        let late = house.see_state(&first, "confirmation_pending").await;
        assert_owned(&late, "late_record");
        let held = house.now(&successor).await;
        assert_eq!(held["held_because"], "predecessor", "{held:#}");

        // neither the supplier's release nor a person's lifts it
        assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
        let still = house.now(&successor).await;
        assert_eq!(still["held_because"], "predecessor", "{still:#}");
        let released = buyer.act("release", &still, &[("reason", "go")]).await;
        assert!(buyer.refused(&released, &page(&still)).await.is("held"));
        let shown = buyer.get(&page(&still)).await.text;
        assert!(shown.contains(id(&first)), "the page names the earlier order");
        assert_eq!(house.submits_of(&successor).await, 0);

        decides(&resolver, &late, decision).await;

        if bought_first {
            // nobody had said twice: a person says so by releasing it
            let waits = house
                .see(&successor, "held by hand", |order| order["held_because"] == "person")
                .await;
            assert_eq!(house.submits_of(&waits).await, 0);
            buyer.does("release", &waits, &[("reason", "both are wanted")]).await;
        }
        let sent = house.see_state(&successor, "confirmed").await;
        assert_eq!(
            (house.count(&first).await, house.count(&sent).await),
            (1, 1),
            "{decision}"
        );
        assert_eq!(house.submits_of(&sent).await, 1);
    }
}

/// Two earlier orders: what is right about the one does not release what the other, bought after all, still stands before.
#[tokio::test]
async fn of_two_earlier_orders_the_one_that_was_bought_after_all_still_stands_before_the_last() {
    let house = House::soon_settled()
        .setting("look_up_first", "200ms")
        .setting("look_up_most", "400ms")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let first = withdrawn_unsent(&house, &buyer, "chain", None).await;
    let second = withdrawn_unsent(&house, &buyer, "chain", Some(&first)).await;
    assert_eq!(house.run(&["supplier", "hold", "practice"]).status, 0);
    let waits = changed_to(&house, &buyer, &second, "chain", "48").await;
    let last = approved(&house, &buyer, &waits, &[]).await;
    house.enter_there(&first).await;
    house.enter_there(&second).await;
    let late_first = house.see_state(&first, "confirmation_pending").await;
    let late_second = house.see_state(&second, "confirmation_pending").await;

    decides(&resolver, &late_first, "kept_first").await;
    let held = house.now(&last).await;
    assert_eq!(held["held_because"], "predecessor", "one is still unjudged: {held:#}");
    decides(&resolver, &late_second, "not_our_order").await;

    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    let held = house
        .see(&last, "held by hand", |order| order["held_because"] == "person")
        .await;
    assert_owned(&held, "not_sent");
    assert_eq!(house.submits_of(&held).await, 0);
    assert_eq!(house.count(&first).await, 1);
}

/// An order of this intent whose answer was lost and that was not stored: found missing, and withdrawn. `before` is changed
/// into it.
async fn withdrawn_unsent(house: &House, buyer: &Session<'_>, sku: &str, before: Option<&Value>) -> Value {
    let lost = match before {
        None => house.lose(buyer, sku, "close_without_store").await,
        Some(before) => {
            let waits = changed(house, buyer, before, sku).await;
            house.faults(json!([fault("close_without_store")])).await;
            let order = buyer.approve(&waits).await;
            house.wait_for_state(&order, "confirmation_pending").await
        }
    };
    let missing = house.see_state(&lost, "approved").await;
    buyer.does("withdraw", &missing, &[("reason", "another instead")]).await;
    house.now(&missing).await
}

/// "Yes, a second purchase" said about a look-alike is no word about an earlier order of the same wish; and a hold by hand
/// does not swallow what turned up.
#[tokio::test]
async fn what_was_said_about_a_look_alike_or_held_by_hand_releases_nothing_that_was_bought_before() {
    let house = House::soon_settled()
        .setting("look_up_first", "200ms")
        .setting("look_up_most", "400ms")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let first = withdrawn_unsent(&house, &buyer, "consent", None).await;
    let mut alike = body("consent");
    alike["lines"][0]["quantity"] = json!("36");
    house.suggest("look-alike", &alike).await;
    assert_eq!(house.run(&["supplier", "hold", "practice"]).status, 0);
    let waits = changed(&house, &buyer, &first, "consent").await;
    let successor = approved(&house, &buyer, &waits, &[TWICE]).await;
    buyer
        .does("hold", &successor, &[("reason", "wait for the budget")])
        .await;
    house.enter_there(&first).await;
    let late = house.see_state(&first, "confirmation_pending").await;

    decides(&resolver, &late, "kept_first").await;

    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    let held = house
        .see(&successor, "held by hand", |order| order["held_because"] == "person")
        .await;
    assert_owned(&held, "not_sent");
    let told = house.happened(&held, "order_held").await;
    assert!(format!("{told:?}").contains("was bought after all"), "{told:?}");
    // saying that both are wanted is as much as approving
    let released = resolver.act("release", &held, &[("reason", "go")]).await;
    assert!(resolver.refused(&released, &page(&held)).await.is("not_your_role"));
    assert_eq!(house.submits_of(&held).await, 0);
    buyer
        .does("release", &house.now(&held).await, &[("reason", "both are wanted")])
        .await;
    let sent = house.see_state(&held, "confirmed").await;
    assert_eq!((house.count(&first).await, house.count(&sent).await), (1, 1));
    assert_eq!(sent["case"], Value::Null);
}

/// The same for one that was in doubt when the record turned up, and was found missing after.
#[tokio::test]
async fn an_order_that_comes_back_unsent_is_held_for_what_turned_up_meanwhile() {
    let house = House::soon_settled()
        .setting("look_up_first", "200ms")
        .setting("look_up_most", "400ms")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let (first, successor) = unsent_successor(&house, &buyer, &resolver, "back").await;
    house.faults(json!([fault("close_without_store")])).await;
    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    let lost = house.see_state(&successor, "confirmation_pending").await;
    house.enter_there(&first).await;
    let late = house.see_state(&first, "confirmation_pending").await;

    let missing = house.see_state(&lost, "approved").await;

    let resumed = resolver.act("resume", &missing, &[]).await;
    let refused = resolver.refused(&resumed, &page(&missing)).await;
    assert!(refused.why.to_string().contains("predecessor"), "{:?}", refused.why);
    decides(&resolver, &late, "not_our_order").await;
    resolver.does("resume", &house.now(&missing).await, &[]).await;
    let home = house.see_state(&missing, "confirmed").await;
    assert_eq!((house.count(&first).await, house.count(&home).await), (1, 1));
    assert_eq!(house.submits_of(&home).await, 2);
}

/// Cases I10 and I8, and what the assistant is told (rule 2).
#[tokio::test]
async fn two_wanted_twins_are_two_purchases_and_each_is_pointed_out_to_the_other() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let (one, two) = (
        house.suggest("twin-1", &body("twin")).await,
        house.suggest("twin-2", &body("twin")).await,
    );
    not_approved(&buyer, &one, &[], "second_purchase_not_asked").await;
    let first = approved(&house, &buyer, &one, &[TWICE]).await;
    let told = house.intent("twin-2").await;
    assert_eq!(told["looks_like"][0]["order"], first["id"], "{told:#}");
    let shown = buyer.get(&format!("/suggestions/{}", two.id)).await.text;
    assert!(shown.contains(&page(&first)), "linked at review");
    not_approved(&buyer, &two, &[], "second_purchase_not_asked").await;

    let second = approved(&house, &buyer, &two, &[TWICE]).await;

    let (first, second) = (
        house.see_state(&first, "confirmed").await,
        house.see_state(&second, "confirmed").await,
    );
    assert_eq!(
        (&first["second_purchase"], &second["second_purchase"]),
        (&json!(true), &json!(true))
    );
    assert_eq!((house.count(&first).await, house.count(&second).await), (1, 1));
    assert_eq!(house.submits().await.len(), 2);
}

/// Rule 2: the money that may still be spent on this wish and on its look-alikes, for the assistant.
#[tokio::test]
async fn the_assistant_is_told_what_is_pending() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = house.lose(&buyer, "exposed", "store_then_close").await;
    house.suggest("alike", &body("exposed")).await;
    for intent in ["exposed", "alike"] {
        let told = house.intent(intent).await;
        assert_eq!(told["pending_exposure"], json!([lost["total"]]), "{intent}: {told:#}");
        assert_eq!(told["do_not_resubmit"], true);
    }
    let told = house.intent("alike").await;
    assert_eq!(told["looks_like"][0]["state"], "confirmation_pending");
}
