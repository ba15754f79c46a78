//! Above the tenant's amount a second person confirms what a person found out. Until then nothing about the order changes.

mod support;

use serde_json::{Value, json};
use support::home::{assert_done, page};
use support::{Answer, BUYER, House, MANAGER, PASSWORD, RESOLVER, Session};

const SECOND: &str = "second@example.com";

/// The finding that a page showed.
const THIS: (&str, &str) = ("finding", "refused_there");

/// A house where findings above 10 euro need a second person; every order of these tests costs 10.50.
async fn house() -> House {
    let house = House::soon_settled().start().await;
    let set = house.run(&["tenant", "second-person", "--currency", "EUR", "--above", "10"]);
    assert_eq!((set.status, set.last_line().as_str()), (0, "EUR 10.00"), "{}", set.err);
    house
}

/// A second manager.
async fn another_manager(house: &House) -> Session<'_> {
    let add = [
        "person",
        "add",
        "Sam Second",
        "--email",
        SECOND,
        "--role",
        "manager",
        "--password-stdin",
    ];
    let added = house.run_with_input(&add, PASSWORD);
    assert_eq!(added.status, 0, "{}", added.err);
    house.sign_in(SECOND).await
}

async fn must_be_refused(who: &Session<'_>, answer: Answer, order: &Value, why: &str) {
    let refused = who.refused(&answer, &page(order)).await;
    assert!(refused.is(why), "{why}: {:?}", refused.why);
}

#[tokio::test]
async fn a_finding_above_the_amount_counts_once_a_manager_who_did_not_make_it_has_confirmed_it() {
    let house = house().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "second", "store_then_close").await;
    let number = ("reference", "A-1001");

    assert_done(&resolver.finds(&lost, "at_supplier", &[number]).await, &lost);

    let waits = house.now(&lost).await;
    assert_eq!(
        (&waits["state"], &waits["version"], &waits["case"]["kind"]),
        (&json!("confirmation_pending"), &lost["version"], &json!("pending")),
        "nothing has changed"
    );
    assert_eq!(waits["proposed_finding"]["by"], "Rolf Resolver");
    assert_eq!(waits["findings"], json!([]));
    let shown = manager.get(&page(&lost)).await.text;
    assert!(shown.contains("A second person has to confirm this") && shown.contains("Ms Berg"));
    const IN_THE_QUEUE: &str = "Rolf Resolver recorded: the supplier has the order. A second person confirms it.";
    let queue = manager.get("/").await.text;
    assert!(queue.contains(IN_THE_QUEUE), "{queue}");
    let table = house.run(&["export", "queue", "--as", "csv"]).out;
    let mut lines = table.lines();
    let columns = lines.next().unwrap_or_default();
    assert!(
        columns.ends_with(",due_at,why,written,next_try_at,other_cases,proposed_finding,proposed_by_name"),
        "new ones stand behind those that were there: {columns}"
    );
    assert!(
        lines.any(|row| row.ends_with(",0,at_supplier,Rolf Resolver")),
        "{table}"
    );
    // neither whoever made it, nor a resolver, nor with another number
    let own = resolver.finds(&lost, "at_supplier", &[number]).await;
    must_be_refused(&resolver, own, &lost, "own_finding").await;
    let other = manager.finds(&lost, "at_supplier", &[("reference", "A-9")]).await;
    must_be_refused(&manager, other, &lost, "finding_waits").await;
    let opposite = manager.finds(&lost, "refused_there", &[]).await;
    must_be_refused(&manager, opposite, &lost, "finding_waits").await;
    let silent = [("finding", "at_supplier"), ("evidence", " "), number];
    let silent = manager.act("record_finding", &lost, &silent).await;
    must_be_refused(&manager, silent, &lost, "field").await;

    assert_done(&manager.finds(&lost, "at_supplier", &[number]).await, &lost);

    let home = house.see_state(&lost, "confirmed").await;
    assert_eq!(home["supplier_reference"], "A-1001");
    assert!(
        !manager.get("/").await.text.contains(IN_THE_QUEUE),
        "nothing waits any more"
    );
    let finding = &home["findings"][0];
    assert_eq!(
        (&finding["by"], &finding["confirmed_by"], &finding["source"]),
        (&json!("Rolf Resolver"), &json!("Mara Manager"), &json!("person")),
        "both are named"
    );
    assert_eq!(home["proposed_finding"], Value::Null);
    assert_eq!(house.happened(&home, "finding_proposed").await.len(), 1);
    assert_eq!(house.count(&home).await, 1);
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_manager_who_found_it_out_needs_another_one_and_a_declined_finding_does_not_count() {
    let house = house().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let second = another_manager(&house).await;
    let lost = house.lose(&buyer, "declined", "close_without_store").await;
    assert_done(&manager.finds(&lost, "refused_there", &[]).await, &lost);
    let own = manager.finds(&lost, "refused_there", &[]).await;
    must_be_refused(&manager, own, &lost, "own_finding").await;
    let not_yours = resolver.act("decline_finding", &lost, &[THIS, ("reason", "no")]).await;
    must_be_refused(&resolver, not_yours, &lost, "not_your_role").await;
    // another one than she was shown is not hers to decline
    let other = second
        .act(
            "decline_finding",
            &lost,
            &[("finding", "not_at_supplier"), ("reason", "no")],
        )
        .await;
    must_be_refused(&second, other, &lost, "finding_waits").await;
    let silent = second
        .act("decline_finding", &lost, &[THIS, ("reason", "\u{200b} \u{2800}")])
        .await;
    must_be_refused(&second, silent, &lost, "field").await;

    second
        .does(
            "decline_finding",
            &lost,
            &[THIS, ("reason", "they meant another order")],
        )
        .await;

    let still = house.now(&lost).await;
    assert_eq!(still["state"], "confirmation_pending");
    assert_eq!(
        (&still["proposed_finding"], &still["findings"]),
        (&Value::Null, &json!([]))
    );
    let nothing = second.act("decline_finding", &lost, &[THIS, ("reason", "again")]).await;
    must_be_refused(&second, nothing, &lost, "nothing_waits").await;
    // found out anew, by the other one
    assert_done(&second.finds(&lost, "refused_there", &[]).await, &lost);
    assert_done(&manager.finds(&lost, "refused_there", &[]).await, &lost);
    let settled = house.see_state(&lost, "refused").await;
    assert_eq!(settled["findings"][0]["by"], "Sam Second");
}

/// "They have it" is known to somebody: until it is confirmed or declined the order is not sent again, taken back or given up.
#[tokio::test]
async fn while_they_have_it_waits_nothing_is_done_as_if_they_had_not() {
    let house = house().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "has-it", "store_then_close").await;
    let number = ("reference", "A-1001");
    assert_done(&resolver.finds(&lost, "at_supplier", &[number]).await, &lost);

    let resumed = resolver.act("resume", &lost, &[]).await;
    let refused = resolver.refused(&resumed, &page(&lost)).await;
    assert!(refused.why.to_string().contains("record_there"), "{:?}", refused.why);
    let version = lost["case"]["version"].to_string();
    let given_up = [
        ("case", lost["case"]["id"].as_str().expect("a case")),
        ("version", &*version),
        ("decision", "written_off"),
        ("reason", "nobody knows"),
    ];
    let given_up = manager.post("/act/close_case", &given_up).await;
    must_be_refused(&manager, given_up, &lost, "record_there").await;
    // nor does "I could not find out" take it away
    let blurred = manager.finds(&lost, "could_not_tell", &[]).await;
    must_be_refused(&manager, blurred, &lost, "finding_waits").await;
    assert_eq!(house.now(&lost).await["proposed_finding"]["finding"], "at_supplier");
    assert_eq!((house.count(&lost).await, house.submits_of(&lost).await), (1, 1));
}

/// What the manager had typed to say something else is no evidence for what waits.
#[tokio::test]
async fn evidence_for_the_opposite_is_not_put_into_the_form_that_confirms() {
    let house = house().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "opposite", "store_then_close").await;
    assert_done(
        &resolver.finds(&lost, "at_supplier", &[("reference", "A-1001")]).await,
        &lost,
    );
    let typed = [
        ("finding", "refused_there"),
        ("evidence", "they told me they never got it"),
    ];
    let refused = manager.act("record_finding", &lost, &typed).await;
    let refused = manager.refused(&refused, &page(&lost)).await;
    assert!(refused.is("finding_waits"), "{:?}", refused.why);
    let (_, form) = refused
        .page
        .split_once("how you know it too")
        .expect("the form that confirms");
    let (form, _) = form.split_once("</form>").expect("its end");
    assert!(!form.contains("never got it"), "{form}");
    assert!(refused.page.contains("never got it"), "and it is not lost");
}

/// What was found out before the order moved on says nothing of it after.
#[tokio::test]
async fn a_finding_that_waits_is_void_once_the_order_has_moved_on() {
    let house = house().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "moved-on", "store_then_close").await;
    assert_done(&resolver.finds(&lost, "refused_there", &[]).await, &lost);

    resolver.does("look_up", &lost, &[]).await;
    let home = house.see_state(&lost, "confirmed").await;

    let late = manager.finds(&lost, "refused_there", &[]).await;
    must_be_refused(&manager, late, &lost, "already_done").await;
    let told = house.happened(&home, "finding_declined").await;
    assert!(
        format!("{told:?}").contains("moved on"),
        "whoever looks is told: {told:?}"
    );
    assert_eq!(home["proposed_finding"], Value::Null);
    assert_eq!(house.now(&home).await["state"], "confirmed");
}

#[tokio::test]
async fn below_the_amount_or_without_one_nobody_else_is_asked_and_could_not_tell_never_waits() {
    let house = house().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "alone", "close_without_store").await;
    assert_done(&resolver.finds(&lost, "could_not_tell", &[]).await, &lost);
    let told = house.now(&lost).await;
    assert_eq!(told["findings"][0]["finding"], "could_not_tell");
    let set = house.run(&["tenant", "second-person", "--currency", "EUR", "--above", "10.50"]);
    assert_eq!(set.last_line(), "EUR 10.50", "{}", set.err);

    assert_done(&resolver.finds(&told, "refused_there", &[]).await, &told);

    house.see_state(&told, "refused").await;
    let off = house.run(&["tenant", "second-person", "--currency", "EUR", "--off"]);
    assert_eq!((off.status, off.out.trim()), (0, ""), "{}", off.err);
}

/// Rule 22 and 23: amounts in two currencies are never compared, and an amount that cannot be kept is refused.
#[tokio::test]
async fn a_currency_without_an_amount_always_asks_once_there_is_any_and_bad_amounts_are_named() {
    let house = House::soon_settled().start().await;
    let set = house.run(&["tenant", "second-person", "--currency", "JPY", "--above", "1000000"]);
    assert_eq!(set.last_line(), "JPY 1000000", "{}", set.err);
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "euro", "close_without_store").await;
    assert_done(&resolver.finds(&lost, "refused_there", &[]).await, &lost);
    assert_eq!(house.now(&lost).await["proposed_finding"]["finding"], "refused_there");

    for (currency, above, named) in [
        ("JPY", "0.5", "--above"),
        ("EUR", "-1", "--above"),
        ("EUR", "much", "--above"),
        ("Euro", "1", "--currency"),
    ] {
        let above = format!("--above={above}");
        let refused = house.run(&["tenant", "second-person", "--currency", currency, &above]);
        assert_eq!(refused.status, 2, "{currency} {above}: {}", refused.err);
        assert!(refused.err.contains(named), "{currency} {above}: {}", refused.err);
    }
    let half = house.run(&["tenant", "second-person", "--above", "1"]);
    assert_eq!(half.status, 2, "{}", half.err);
}
