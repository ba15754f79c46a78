//! An order whose answer was lost, and the ways home that people have: look it up, send it once more, say what they found
//! out. Each over the plain forms of the pages, against real processes; purchases are counted at the supplier.

mod support;

use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use support::home::{assert_done, assert_owned, blind, fault, id, moment, page, until};
use support::{BUYER, House, MANAGER, PASSWORD, RESOLVER, Session};

// The demo that was interrupted.

/// An order in doubt whose worker was killed and started again; nothing moves by itself meanwhile.
async fn interrupted(house: &House, buyer: &Session<'_>, intent: &str) -> (Value, support::Process) {
    let worker = house.work().await;
    let pending = house.lose(buyer, intent, "store_then_close").await;
    assert_owned(&pending, "pending");
    assert_eq!(pending["supplier_reference"], Value::Null);
    house.assert_counts(&pending, 1, 1, "lost").await;
    drop(worker);
    let worker = house.work().await;
    (pending, worker)
}

#[tokio::test]
async fn a_lost_answer_is_found_by_look_up_after_the_worker_was_killed_and_nothing_is_sent_again() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let (pending, _worker) = interrupted(&house, &buyer, "demo-look-up").await;

    buyer.does("look_up", &pending, &[]).await;

    let order = house.see_state(&pending, "confirmed").await;
    house.assert_counts(&order, 1, 1, "looked up").await;
    let number = house.number_of(&order).await;
    assert_eq!(order["supplier_reference"], number);
    assert_eq!(order["differences"], false);
    assert_eq!(order["case"], Value::Null, "{order:#}");
    assert_eq!(order["findings"][0]["finding"], "at_supplier");
    assert_eq!(order["findings"][0]["source"], "look_up");
    let asked = house.happened(&order, "looked_up").await;
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0]["actor"]["person"]["name"], "Bea Buyer", "who wanted it asked");
    let shown = buyer.get(&page(&order)).await.text;
    assert!(shown.contains(&number), "the page names the number");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_lost_answer_is_replayed_by_resume_with_the_same_key_and_the_same_bytes() {
    let house = House::plan().no_worker().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let (pending, _worker) = interrupted(&house, &buyer, "demo-resume").await;
    assert_eq!(pending["resume"]["offered"], true, "{pending:#}");

    resolver.does("resume", &pending, &[]).await;

    let order = house.see_state(&pending, "confirmed").await;
    house.assert_counts(&order, 2, 1, "resumed").await;
    assert_eq!(order["supplier_reference"], house.number_of(&order).await);
    assert_eq!(order["case"], Value::Null, "{order:#}");
    assert_eq!(order["operation_key"], pending["operation_key"]);
    let steps = house.steps(&order).await;
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0], steps[1], "method, address and body to the byte");
    let wanted = house.happened(&order, "resume_wanted").await;
    assert_eq!(wanted.len(), 1);
    assert_eq!(wanted[0]["actor"]["person"]["name"], "Rolf Resolver");
    house.assert_log_is_whole().await;
}

/// Rule 8: neither time nor a restart moves it, and nothing goes out by itself.
#[tokio::test]
async fn without_a_person_a_lost_answer_stays_pending_through_restarts_and_wakes() {
    let mut house = House::start().await;
    let pending = {
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, "waiting", "store_then_close").await
    };
    for _ in 0..2 {
        house.restart_web().await;
        let buyer = house.sign_in(BUYER).await;
        // another order goes all the way, so the worker has woken
        let other = house
            .buy(&buyer, &format!("other-{}", house.stored().await.orders))
            .await;
        house.wait_for_state(&other, "confirmed").await;
    }
    let order = house.now(&pending).await;
    assert_eq!(order, pending, "exactly as it was");
    house.assert_counts(&order, 1, 1, "waiting").await;
}

#[tokio::test]
async fn a_second_click_on_resume_is_told_calmly_and_sends_nothing_more() {
    let house = House::plan().no_worker().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let worker = house.work().await;
    let pending = house.lose(&buyer, "double", "store_then_close").await;
    drop(worker);
    resolver.does("resume", &pending, &[]).await;

    // the same page once more, somebody else's page, and a page of after the click
    let again = resolver.act("resume", &pending, &[]).await;
    let again = resolver.refused(&again, &page(&pending)).await;
    let other = manager.act("resume", &pending, &[]).await;
    let other = manager.refused(&other, &page(&pending)).await;
    let wanted = house.now(&pending).await;
    assert_eq!(wanted["resume"]["offered"], false, "{wanted:#}");
    let fresh = manager.act("resume", &wanted, &[]).await;
    let fresh = manager.refused(&fresh, &page(&pending)).await;

    for refused in [&again, &other] {
        assert!(refused.is("already_done"), "{:?}", refused.why);
        assert!(refused.page.contains("already done by Rolf Resolver at"));
    }
    assert!(fresh.is("no_resume"), "{:?}", fresh.why);
    assert_eq!(house.now(&pending).await, wanted, "nothing changed");
    let _worker = house.work().await;
    let order = house.see_state(&pending, "confirmed").await;
    house.assert_counts(&order, 2, 1, "two clicks").await;
}

// Who may, which version, whose order.

/// What a form carries beside order and version.
type Fields = &'static [(&'static str, &'static str)];

/// An act, the order it is done to, and what is typed into its form.
type Typing<'a> = (&'a str, &'a Value, &'a [(&'a str, &'a str)]);

/// An approved order and one in doubt, with nobody working.
async fn one_of_each(house: &House) -> (Value, Value) {
    let buyer = house.sign_in(BUYER).await;
    let worker = house.work().await;
    let pending = house.lose(&buyer, "in-doubt", "store_then_close").await;
    drop(worker);
    let approved = house.buy(&buyer, "not-sent").await;
    (house.order(&approved).await, pending)
}

const FOUND: [(&str, &str); 3] = [
    ("finding", "at_supplier"),
    ("reference", "B-77"),
    ("evidence", "Ms Berg <b>read it</b> to me"),
];
const WHY: [(&str, &str); 1] = [("reason", "the foreman <b>asked</b> me")];

/// Everything that is stored of these orders and could change.
async fn standing(house: &House, orders: [&Value; 2]) -> (support::Stored, Value, Value) {
    let [one, other] = orders;
    (house.stored().await, house.now(one).await, house.now(other).await)
}

#[tokio::test]
async fn an_act_that_a_role_does_not_have_changes_nothing_and_keeps_what_was_typed() {
    let house = House::plan().no_worker().start().await;
    let added = house.run_with_input(
        &[
            "person",
            "add",
            "Ada Admin",
            "--email",
            "ada@example.com",
            "--role",
            "admin",
            "--password-stdin",
        ],
        PASSWORD,
    );
    assert_eq!(added.status, 0, "{added:?}");
    let (approved, pending) = one_of_each(&house).await;
    let before = standing(&house, [&approved, &pending]).await;
    let forbidden: [(&str, &Value, &str, Fields); 10] = [
        (BUYER, &pending, "resume", &[]),
        (BUYER, &pending, "record_finding", &FOUND),
        (RESOLVER, &approved, "withdraw", &WHY),
        ("ada@example.com", &pending, "look_up", &[]),
        ("ada@example.com", &pending, "resume", &[]),
        ("ada@example.com", &pending, "record_finding", &FOUND),
        ("ada@example.com", &approved, "hold", &WHY),
        ("ada@example.com", &approved, "release", &WHY),
        ("ada@example.com", &approved, "withdraw", &WHY),
        (RESOLVER, &pending, "withdraw", &WHY),
    ];
    for (email, order, act, fields) in forbidden {
        let person = house.sign_in(email).await;
        let answer = person.act(act, order, fields).await;
        let refused = person.refused(&answer, &page(order)).await;
        assert!(refused.is("not_your_role"), "{email} {act}: {:?}", refused.why);
        for (_, typed) in fields {
            assert!(refused.typed.contains(typed), "{email} {act}: {}", refused.typed);
        }
        for tag in ["<b>asked", "<b>read"] {
            assert!(!refused.page.contains(tag), "typed text stays text");
        }
    }
    for email in [BUYER, "ada@example.com"] {
        let person = house.sign_in(email).await;
        let answer = give(
            &person,
            &pending,
            pending["case"]["owner"].as_str().expect("an owner"),
            "2030-01-01T09:00",
        )
        .await;
        let refused = person.refused(&answer, &page(&pending)).await;
        assert!(refused.is("not_your_role"), "{email}: {:?}", refused.why);
    }
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

/// Hands the order's open case over, from the version the page showed.
async fn give(person: &Session<'_>, order: &Value, owner: &str, due_at: &str) -> support::Answer {
    let case = &order["case"];
    let version = case["version"].to_string();
    let fields = [
        ("case", case["id"].as_str().expect("a case")),
        ("version", &*version),
        ("owner", owner),
        ("due_at", due_at),
        ("reason", "I am on leave"),
        ("order", id(order)),
    ];
    person.post("/act/assign", &fields).await
}

/// Every act with the order it may be done to, by a manager, who may do all of them.
fn acts<'a>(approved: &'a Value, pending: &'a Value) -> [(&'static str, &'a Value, Fields); 5] {
    [
        ("look_up", pending, &[]),
        ("resume", pending, &[]),
        ("record_finding", pending, &FOUND),
        ("hold", approved, &WHY),
        ("withdraw", approved, &WHY),
    ]
}

#[tokio::test]
async fn an_act_without_its_version_or_order_is_named_and_never_a_default() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let manager = house.sign_in(MANAGER).await;
    let before = standing(&house, [&approved, &pending]).await;
    for (act, order, more) in acts(&approved, &pending) {
        for version in [None, Some(""), Some(" "), Some("x"), Some("-1"), Some("1.0")] {
            let mut fields = vec![("order", id(order))];
            fields.extend(version.map(|version| ("version", version)));
            fields.extend(more);
            let answer = manager.post(&format!("/act/{act}"), &fields).await;
            let refused = manager.refused(&answer, &page(order)).await;
            assert!(refused.is("field"), "{act} {version:?}: {:?}", refused.why);
            assert_eq!(refused.field(), "version", "{act} {version:?}");
        }
        for named in [
            None,
            Some(""),
            Some("po_"),
            Some("sug_000000000000"),
            Some("po_000000000000"),
        ] {
            let mut fields = vec![("version", "1")];
            fields.extend(named.map(|named| ("order", named)));
            fields.extend(more);
            let answer = manager.post(&format!("/act/{act}"), &fields).await;
            assert_eq!(answer.status, 303, "{act} {named:?}: {answer:?}");
            assert!(answer.location().contains("?refused="), "{act} {named:?}: {answer:?}");
            assert_eq!(manager.get(answer.location()).await.status, 200);
        }
    }
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

/// Rule 14.
#[tokio::test]
async fn a_page_that_was_overtaken_is_told_who_did_it_and_when_and_changes_nothing() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let (resolver, manager) = (house.sign_in(RESOLVER).await, house.sign_in(MANAGER).await);
    assert_done(&resolver.finds(&pending, "could_not_tell", &[]).await, &pending);
    resolver
        .does("hold", &approved, &[("reason", "wait for the price")])
        .await;
    let before = standing(&house, [&approved, &pending]).await;

    for (act, order, more) in acts(&approved, &pending) {
        let answer = manager.act(act, order, more).await;
        let refused = manager.refused(&answer, &page(order)).await;
        assert!(refused.is("already_done"), "{act}: {:?}", refused.why);
        assert!(
            refused.page.contains("already done by Rolf Resolver at"),
            "{act}: {}",
            refused.page
        );
        assert!(refused.page.contains("summary-calm"), "{act}: it is no fault");
        for (_, typed) in more {
            assert!(refused.typed.contains(typed), "{act}: {}", refused.typed);
        }
    }
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

/// Rule 18: the form comes back with what was typed into it.
#[tokio::test]
async fn what_was_typed_into_a_refused_act_stands_in_its_form_again() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let manager = house.sign_in(MANAGER).await;
    let evidence = [FOUND[0], FOUND[1], ("evidence", "Ms Berg read it to me")];
    let reason = [("reason", "the foreman asked me")];
    let acts: [Typing<'_>; 3] = [
        ("record_finding", &pending, &evidence),
        ("hold", &approved, &reason),
        ("withdraw", &approved, &reason),
    ];
    for (act, order, more) in acts {
        let mut fields = vec![("order", id(order)), ("version", "999")];
        fields.extend(more);
        let answer = manager.post(&format!("/act/{act}"), &fields).await;
        let refused = manager.refused(&answer, &page(order)).await;
        let (_, typed) = more.last().expect("a text");
        assert!(refused.page.contains(typed), "{act}: {typed} is not on the page again");
        let other = house.sign_in(RESOLVER).await.get(answer.location()).await;
        assert!(!other.text.contains(typed), "{act}: a draft is its writer's alone");
    }
}

/// Case P5: text that closes its field is text.
#[tokio::test]
async fn what_was_typed_breaks_out_of_no_field_of_the_page() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let manager = house.sign_in(MANAGER).await;
    let typed = "</textarea><script>stolen()</script>\"><img src=x>";
    let evidence = [FOUND[0], ("reference", typed), ("evidence", typed)];
    let reason = [("reason", typed)];
    let acts: [Typing<'_>; 3] = [
        ("record_finding", &pending, &evidence),
        ("hold", &approved, &reason),
        ("withdraw", &approved, &reason),
    ];
    let mut broken = Vec::new();
    for (act, order, more) in acts {
        let mut fields = vec![("order", id(order)), ("version", "999")];
        fields.extend(more);
        let answer = manager.post(&format!("/act/{act}"), &fields).await;
        let refused = manager.refused(&answer, &page(order)).await;
        if refused.page.contains("<script>stolen()") || refused.page.contains("<img src=x>") {
            broken.push(act);
        }
    }
    assert!(broken.is_empty(), "it left its field in {broken:?}");
}

#[tokio::test]
async fn another_tenants_order_and_case_do_not_exist_for_any_act() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    assert_eq!(house.run(&["tenant", "add", "Other", "--zone", "UTC"]).status, 0);
    let person = [
        "person",
        "add",
        "Otto Other",
        "--email",
        "otto@example.com",
        "--role",
        "buyer,manager",
        "--password-stdin",
        "--tenant",
        "Other",
    ];
    assert_eq!(house.run_with_input(&person, PASSWORD).status, 0);
    let otto = house.sign_in("otto@example.com").await;
    let before = standing(&house, [&approved, &pending]).await;
    for (act, order, more) in acts(&approved, &pending)
        .into_iter()
        .chain([("release", &approved, &WHY[..])])
    {
        let answer = otto.act(act, order, more).await;
        assert_eq!(answer.status, 303, "{act}: {answer:?}");
        assert!(answer.location().starts_with("/orders?refused="), "{act}: {answer:?}");
        let shown = otto.get(answer.location()).await;
        assert_eq!(shown.status, 200);
        assert!(
            !shown.text.contains("already done by"),
            "{act}: nothing of theirs is told"
        );
    }
    let owner = pending["case"]["owner"].as_str().expect("an owner");
    let answer = give(&otto, &pending, owner, "2030-01-01T09:00").await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let shown = otto.get(answer.location()).await;
    assert!(!shown.text.contains("Rolf"), "{}", shown.text);
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

/// Rule 18: no act is a GET.
#[tokio::test]
async fn acts_on_an_order_are_posts_of_our_own_pages_only() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let manager = house.sign_in(MANAGER).await;
    let before = standing(&house, [&approved, &pending]).await;
    let paths = [
        "look_up",
        "resume",
        "record_finding",
        "hold",
        "release",
        "withdraw",
        "assign",
    ];
    for path in paths {
        let (order, version) = (id(&pending), pending["version"].to_string());
        let url = format!("{}/act/{path}?order={order}&version={version}&reason=x", house.base);
        for method in [Method::GET, Method::HEAD, Method::PUT] {
            let request = house
                .http
                .request(method.clone(), &url)
                .header("Cookie", &manager.cookie);
            let answer = support::Answer::of(request.header("Origin", &house.base)).await;
            assert!(matches!(answer.status, 404 | 405 | 415), "{method} {path}: {answer:?}");
        }
        let post = house.http.post(&url).header("Cookie", &manager.cookie);
        let post = post.form(&[("order", order), ("version", &*version), ("reason", "x")]);
        let answer = support::Answer::of(post.header("Origin", "https://evil.example")).await;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

// Holding, releasing, withdrawing, handing over.

#[tokio::test]
async fn an_order_is_held_released_and_withdrawn_by_hand_and_never_sent_meanwhile() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let fresh = house.buy(&buyer, "by-hand").await;
    let fresh = house.order(&fresh).await;

    buyer.does("hold", &fresh, &[("reason", "wait for the price")]).await;
    let held = house.now(&fresh).await;
    assert_eq!(
        (&held["state"], &held["held_because"]),
        (&json!("approved"), &json!("person"))
    );
    let worker = house.work().await;
    let other = house.buy(&buyer, "by-hand-other").await;
    house.wait_for_state(&other, "confirmed").await;
    assert_eq!(house.submits_of(&held).await, 0, "nothing of a held order leaves");
    drop(worker);

    let twice = buyer.act("hold", &held, &[("reason", "again")]).await;
    assert!(buyer.refused(&twice, &page(&held)).await.is("held"));
    buyer.does("release", &held, &[("reason", "the price is fine")]).await;
    let released = house.now(&fresh).await;
    assert_eq!(
        (&released["state"], &released["held"]),
        (&json!("approved"), &json!(false))
    );
    let nothing = buyer.act("release", &released, &[("reason", "again")]).await;
    assert!(buyer.refused(&nothing, &page(&held)).await.is("held"));
    let silent = buyer.act("withdraw", &released, &[("reason", "  ")]).await;
    assert_eq!(buyer.refused(&silent, &page(&held)).await.field(), "reason");
    buyer
        .does("withdraw", &released, &[("reason", "not needed any more")])
        .await;
    let withdrawn = house.now(&fresh).await;
    assert_eq!(withdrawn["state"], "withdrawn");

    let _worker = house.work().await;
    let last = house.buy(&buyer, "by-hand-last").await;
    house.wait_for_state(&last, "confirmed").await;
    assert_eq!(house.submits_of(&withdrawn).await, 0);
    for (kind, reason) in [
        ("order_held", "wait for the price"),
        ("order_released", "the price is fine"),
        ("order_withdrawn", "not needed any more"),
    ] {
        let events = house.happened(&withdrawn, kind).await;
        assert_eq!(events.len(), 1, "{kind}: {events:?}");
        assert_eq!(events[0]["actor"]["person"]["name"], "Bea Buyer");
        assert_eq!(events[0]["happening"]["reason"], reason);
    }
    house.assert_log_is_whole().await;
}

/// The order table: only what nobody sent can be held or withdrawn.
#[tokio::test]
async fn an_order_in_doubt_can_be_neither_held_nor_released_nor_withdrawn() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let manager = house.sign_in(MANAGER).await;
    let before = standing(&house, [&approved, &pending]).await;
    for act in ["hold", "release", "withdraw"] {
        let answer = manager.act(act, &pending, &WHY).await;
        let refused = manager.refused(&answer, &page(&pending)).await;
        assert!(refused.is("order_is"), "{act}: {:?}", refused.why);
    }
    for act in ["look_up", "resume"] {
        let answer = manager.act(act, &approved, &[]).await;
        let refused = manager.refused(&answer, &page(&approved)).await;
        assert!(
            refused.is("order_is") || refused.is("no_resume"),
            "{act}: {:?}",
            refused.why
        );
    }
    let answer = manager.act("record_finding", &approved, &FOUND).await;
    assert!(manager.refused(&answer, &page(&approved)).await.is("order_is"));
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

async fn person(house: &House, name: &str) -> String {
    let pool = house.database().await;
    let id = sqlx::query_scalar("SELECT id FROM people WHERE name = $1");
    let id = id.bind(name).fetch_one(&pool).await.expect("a person");
    pool.close().await;
    id
}

#[tokio::test]
async fn a_case_is_handed_over_with_a_deadline_in_either_spelling() {
    let house = House::plan().no_worker().start().await;
    let (_, pending) = one_of_each(&house).await;
    let resolver = house.sign_in(RESOLVER).await;
    let mara = person(&house, "Mara Manager").await;

    assert_done(
        &give(&resolver, &pending, &mara, "2030-01-07T09:30:00+02:00").await,
        &pending,
    );
    let moved = house.now(&pending).await;
    assert_eq!(moved["case"]["owner_name"], "Mara Manager");
    assert_eq!(
        moment(&moved["case"]["due_at"]).to_rfc3339(),
        "2030-01-07T07:30:00+00:00"
    );
    assert_eq!(moved["case"]["version"], 2);
    assert_eq!(moved["version"], pending["version"], "a case has a version of its own");

    let manager = house.sign_in(MANAGER).await;
    let rolf = person(&house, "Rolf Resolver").await;
    // the tenant's own time: Berlin in July is two hours ahead
    assert_done(&give(&manager, &moved, &rolf, "2030-07-01T17:00").await, &pending);
    let back = house.now(&pending).await;
    assert_eq!(back["case"]["owner_name"], "Rolf Resolver");
    assert_eq!(
        moment(&back["case"]["due_at"]).to_rfc3339(),
        "2030-07-01T15:00:00+00:00"
    );

    let events = house.happened(&pending, "case_moved").await;
    let by: Vec<_> = events
        .iter()
        .map(|event| event["actor"]["person"]["name"].as_str())
        .collect();
    assert_eq!(by, [Some("Rolf Resolver"), Some("Mara Manager")]);
    assert_eq!(events[0]["happening"]["reason"], "I am on leave");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_case_is_not_handed_to_nobody_to_a_buyer_or_into_the_past() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let resolver = house.sign_in(RESOLVER).await;
    let (bea, mara) = (person(&house, "Bea Buyer").await, person(&house, "Mara Manager").await);
    let before = standing(&house, [&approved, &pending]).await;
    for (owner, due_at, field) in [
        (&*bea, "2030-01-01T09:00", "owner"),
        ("per_000000000000", "2030-01-01T09:00", "owner"),
        ("", "2030-01-01T09:00", "owner"),
        (&*mara, "2020-01-01T09:00", "due_at"),
        (&*mara, "2020-01-01T09:00:00Z", "due_at"),
        (&*mara, "tomorrow", "due_at"),
        (&*mara, "", "due_at"),
        (&*mara, "2030-03-31T02:30", "due_at"),
    ] {
        let answer = give(&resolver, &pending, owner, due_at).await;
        let refused = resolver.refused(&answer, &page(&pending)).await;
        assert!(refused.is("field"), "{owner} {due_at}: {:?}", refused.why);
        assert_eq!(refused.field(), field, "{owner} {due_at}");
        assert!(refused.typed.contains("I am on leave"));
    }
    assert_eq!(standing(&house, [&approved, &pending]).await, before);

    // a page that somebody else's hand-over has overtaken
    assert_done(&give(&resolver, &pending, &mara, "2030-01-01T09:00").await, &pending);
    let moved = house.now(&pending).await;
    let answer = give(&resolver, &pending, &mara, "2031-01-01T09:00").await;
    let refused = resolver.refused(&answer, &page(&pending)).await;
    assert!(refused.is("already_done"), "{:?}", refused.why);
    assert!(refused.page.contains("already done by Rolf Resolver at"));
    assert_eq!(house.now(&pending).await, moved);
}

// What people found out.

#[tokio::test]
async fn a_finding_without_evidence_reference_or_kind_is_named_and_changes_nothing() {
    let house = House::plan().no_worker().start().await;
    let (approved, pending) = one_of_each(&house).await;
    let resolver = house.sign_in(RESOLVER).await;
    let before = standing(&house, [&approved, &pending]).await;
    let bad: [(&[(&str, &str)], &str); 8] = [
        (&[("finding", "at_supplier"), ("reference", "B-1")], "evidence"),
        (
            &[("finding", "at_supplier"), ("reference", "B-1"), ("evidence", "  ")],
            "evidence",
        ),
        (&[("finding", "could_not_tell")], "evidence"),
        (&[("finding", "at_supplier"), ("evidence", "they said so")], "reference"),
        (
            &[
                ("finding", "at_supplier"),
                ("reference", " "),
                ("evidence", "they said so"),
            ],
            "reference",
        ),
        (&[("evidence", "they said so")], "finding"),
        (&[("finding", "maybe"), ("evidence", "they said so")], "finding"),
        (
            &[("finding", "not_yet_confirmed"), ("evidence", "they said so")],
            "finding",
        ),
    ];
    for (fields, field) in bad {
        let answer = resolver.act("record_finding", &pending, fields).await;
        let refused = resolver.refused(&answer, &page(&pending)).await;
        assert!(refused.is("field"), "{fields:?}: {:?}", refused.why);
        assert_eq!(refused.field(), field, "{fields:?}");
    }
    assert_eq!(standing(&house, [&approved, &pending]).await, before);
}

/// Withdrawn after it was found missing, and stored all the same: the record is found, named and owned.
#[tokio::test]
async fn a_record_that_turns_up_after_the_withdrawal_is_found_and_owned() {
    let house = House::soon_settled().setting("look_up_first", "700ms").start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "late-after-all", "store_then_close").await;
    house.faults(Value::Array(vec![blind("none"); 60])).await;
    let held = house.found_missing(&resolver, &lost).await;
    let withdrawn = buyer.act("withdraw", &held, &[("reason", "bought elsewhere")]).await;
    assert_done(&withdrawn, &held);
    assert_eq!(house.now(&held).await["state"], "withdrawn");
    house.faults(json!([])).await;
    let order = house.see_state(&held, "confirmation_pending").await;
    assert_eq!(order["case"]["kind"], "late_record");
    let number = house.number_of(&order).await;
    assert!(order["case"]["reason"].to_string().contains(&number), "{order:#}");
    house.assert_counts(&order, 1, 1, "late").await;
}

/// A person who found it missing, and then hears that they have it after all: confirmed at once, in one act.
#[tokio::test]
async fn what_was_found_missing_and_turns_up_is_kept_by_the_same_act() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "turns-up", "store_then_close").await;
    let held = house.found_missing(&resolver, &lost).await;
    assert_eq!(held["held_because"], "not_found");
    let number = house.number_of(&held).await;
    let found = resolver.finds(&held, "at_supplier", &[("reference", &number)]).await;
    assert_done(&found, &held);
    let order = house.see_state(&held, "confirmed").await;
    assert_eq!(order["supplier_reference"], json!(number));
    assert_eq!(order["case"], Value::Null, "{order:#}");
    house.assert_counts(&order, 1, 1, "turned up").await;
}

#[tokio::test]
async fn what_a_person_found_out_settles_a_pending_order_at_once() {
    let house = House::soon_settled().no_worker().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let worker = house.work().await;
    let lost = [
        house.lose(&buyer, "hand-at", "close_without_store").await,
        house.lose(&buyer, "hand-refused", "close_without_store").await,
        house.lose(&buyer, "hand-unsure", "close_without_store").await,
        house.lose(&buyer, "hand-not", "close_without_store").await,
    ];
    drop(worker);
    let [at, refused, unsure, not] = &lost;

    assert_done(&resolver.finds(at, "at_supplier", &[("reference", "B-77")]).await, at);
    let order = house.now(at).await;
    assert_eq!(
        (&order["state"], &order["supplier_reference"]),
        (&json!("confirmed"), &json!("B-77"))
    );
    assert_eq!(order["case"], Value::Null);

    assert_done(&resolver.finds(refused, "refused_there", &[]).await, refused);
    let order = house.now(refused).await;
    assert_eq!((&order["state"], &order["case"]), (&json!("refused"), &Value::Null));

    assert_done(&resolver.finds(unsure, "could_not_tell", &[]).await, unsure);
    let order = house.now(unsure).await;
    assert_eq!(order["state"], "confirmation_pending", "it settles nothing");
    assert_eq!(order["case"]["id"], unsure["case"]["id"]);
    assert_eq!(order["findings"][0]["finding"], "could_not_tell");

    let order = house.found_missing(&resolver, not).await;
    assert_eq!(order["case"]["kind"], "not_sent", "somebody resumes or withdraws it");
    for (pending, finding) in lost
        .iter()
        .zip(["at_supplier", "refused_there", "could_not_tell", "not_at_supplier"])
    {
        let order = house.now(pending).await;
        let kept = &order["findings"][0];
        assert_eq!((&kept["finding"], &kept["source"]), (&json!(finding), &json!("person")));
        assert_eq!(kept["evidence"], "called them, spoke to Ms Berg");
        let events = house.happened(&order, "finding_established").await;
        assert_eq!(events.len(), 1, "{finding}: {events:?}");
        assert_eq!(events[0]["actor"]["person"]["name"], "Rolf Resolver");
        assert_eq!(events[0]["happening"]["from"], "confirmation_pending");
        house.assert_counts(&order, 1, 0, finding).await;
    }
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn what_a_person_found_out_settles_an_acknowledged_order_and_absence_there_is_doubt() {
    let house = House::soon_settled().no_worker().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let worker = house.work().await;
    let mut said = Vec::new();
    for intent in ["ack-at", "ack-refused", "ack-unsure", "ack-not"] {
        house.faults(json!([fault("accept_202")])).await;
        let id = house.buy(&buyer, intent).await;
        said.push(house.wait_for_state(&id, "acknowledged").await);
    }
    drop(worker);

    assert_done(
        &resolver.finds(&said[0], "at_supplier", &[("reference", "B-1")]).await,
        &said[0],
    );
    assert_done(&resolver.finds(&said[1], "refused_there", &[]).await, &said[1]);
    assert_done(&resolver.finds(&said[2], "could_not_tell", &[]).await, &said[2]);
    resolver.says_missing(&said[3]).await;

    let states = ["confirmed", "refused", "acknowledged", "confirmation_pending"];
    for (order, state) in said.iter().zip(states) {
        assert_eq!(house.now(order).await["state"], state);
        house.assert_counts(&house.now(order).await, 1, 1, state).await;
    }
    assert_owned(&house.now(&said[3]).await, "pending");
}

/// Rule 10.
#[tokio::test]
async fn not_at_the_supplier_is_refused_with_the_time_until_it_may_be_said() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = house.lose(&buyer, "early", "close_without_store").await;

    let answer = resolver.finds(&pending, "not_at_supplier", &[]).await;

    let refused = resolver.refused(&answer, &page(&pending)).await;
    assert!(refused.is("not_settled_yet"), "{:?}", refused.why);
    // 30 s of settle time and 2 s in which bytes of ours may linger, from the end of the attempt
    let settled = moment(&pending["attempts"][0]["ended_at"]) + chrono::TimeDelta::seconds(32);
    assert_eq!(moment(&refused.why["about"]["at"]), settled);
    let zone: chrono_tz::Tz = "Europe/Berlin".parse().expect("a zone");
    let shown = settled.with_timezone(&zone).format("%H:%M:%S").to_string();
    assert!(refused.page.contains(&shown), "the page names {shown}");
    assert!(refused.typed.contains("Ms Berg"));
    assert_eq!(house.now(&pending).await, pending);
}

// After "not at the supplier".

#[tokio::test]
async fn what_was_found_missing_is_looked_up_once_more_and_then_sent() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = house.lose(&buyer, "missing", "close_without_store").await;
    let held = house.found_missing(&resolver, &pending).await;
    assert_eq!(held["resume"]["offered"], true, "{held:#}");

    resolver.does("resume", &held, &[]).await;

    let order = house.see_state(&held, "confirmed").await;
    house.assert_counts(&order, 2, 1, "sent at last").await;
    assert_eq!(order["held"], false);
    let look_ups = order["look_ups"].as_array().expect("look-ups");
    let last = look_ups.last().expect("one right before the send");
    assert_eq!(last["answer"], "none");
    let waited = moment(&order["attempts"][1]["started_at"]) - moment(&last["at"]);
    assert!(
        waited >= chrono::TimeDelta::zero() && waited <= chrono::TimeDelta::seconds(10),
        "{waited}"
    );
    assert!(moment(&last["at"]) >= moment(&held["findings"][0]["at"]));
    let steps = house.steps(&order).await;
    assert_eq!(steps[0], steps[1], "the same bytes");
}

/// A `not_found` hold is lifted by resume alone (doors.md).
#[tokio::test]
async fn what_was_found_missing_is_neither_released_nor_sent_by_itself_but_can_be_withdrawn() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = house.lose(&buyer, "no-release", "close_without_store").await;
    let held = house.found_missing(&resolver, &pending).await;

    let answer = resolver.act("release", &held, &WHY).await;
    assert!(resolver.refused(&answer, &page(&held)).await.is("held"));
    let other = house.buy(&buyer, "no-release-other").await;
    house.wait_for_state(&other, "confirmed").await;
    house.assert_counts(&house.now(&held).await, 1, 0, "held").await;

    buyer.does("withdraw", &held, &[("reason", "bought elsewhere")]).await;
    assert_eq!(house.now(&held).await["state"], "withdrawn");
}

/// Case C10: held after not found, the supplier stores late, then resume.
#[tokio::test]
async fn a_record_that_turns_up_right_before_the_send_is_a_late_record_and_nothing_is_sent() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = house.lose(&buyer, "late", "close_without_store").await;
    let held = house.found_missing(&resolver, &pending).await;
    let number = house.enter_there(&held).await;

    resolver.does("resume", &held, &[]).await;

    let order = house.see_state(&held, "confirmation_pending").await;
    assert_owned(&order, "late_record");
    assert!(
        order["case"]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains(&number))
    );
    assert_eq!(order["resume"]["offered"], false, "{order:#}");
    house.assert_counts(&order, 1, 1, "late record").await;
    let shown = resolver.get(&page(&order)).await.text;
    assert!(shown.contains(&number), "the page names the record");
    let answer = resolver.act("resume", &order, &[]).await;
    assert!(resolver.refused(&answer, &page(&order)).await.is("no_resume"));
    // nobody's look-up judges it
    resolver.does("look_up", &order, &[]).await;
    house
        .see(&order, "looked up", |now| {
            now["look_ups"].as_array().map(Vec::len) > order["look_ups"].as_array().map(Vec::len)
        })
        .await;
    assert_eq!(house.now(&order).await["state"], "confirmation_pending");

    // a person keeps it
    let order = house.now(&order).await;
    assert_done(
        &resolver.finds(&order, "at_supplier", &[("reference", &*number)]).await,
        &order,
    );
    let order = house.see_state(&order, "confirmed").await;
    assert_eq!(
        (&order["supplier_reference"], &order["case"]),
        (&json!(number), &Value::Null)
    );
    house.assert_counts(&order, 1, 1, "kept").await;
}

/// Rule 9: "could not check" sends nothing and tells the person.
#[tokio::test]
async fn a_supplier_that_cannot_be_checked_right_before_the_send_gets_nothing_and_the_history_says_so() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = house.lose(&buyer, "unchecked", "close_without_store").await;
    let held = house.found_missing(&resolver, &pending).await;
    house.faults(json!([blind("503")])).await;

    resolver.does("resume", &held, &[]).await;

    let dropped = house.see(&held, "dropped", |order| {
        order["resume"]["offered"] == true && order["look_ups"].as_array().is_some_and(|all| !all.is_empty())
    });
    let order = dropped.await;
    assert_eq!(
        (&order["state"], &order["held_because"]),
        (&json!("approved"), &json!("not_found"))
    );
    let told = house.happened(&order, "resume_not_sent").await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["happening"]["why"], "could_not_check");
    let shown = resolver.get(&page(&order)).await.text;
    assert!(shown.contains("Nothing was sent"), "the page tells the person");
    house.assert_counts(&order, 1, 0, "unchecked").await;

    // asked again, and now it can be checked
    resolver.does("resume", &order, &[]).await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 2, 1, "checked").await;
}

// A person's word, and the record.

#[tokio::test]
async fn a_persons_word_confirms_at_once_and_the_record_is_compared_afterwards() {
    let house = House::plan().no_worker().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let worker = house.work().await;
    let same = house.lose(&buyer, "word-same", "store_then_close").await;
    let changed = house.lose(&buyer, "word-changed", "store_then_close").await;
    drop(worker);
    let (same_number, number) = (house.number_of(&same).await, house.number_of(&changed).await);
    house.clerk(&number, json!({ "line": 0, "quantity": "20" })).await;

    for (order, number) in [(&same, &same_number), (&changed, &number)] {
        assert_done(
            &resolver.finds(order, "at_supplier", &[("reference", number)]).await,
            order,
        );
        let order = house.now(order).await;
        assert_eq!(order["state"], "confirmed", "nobody works, so no look-up was needed");
        assert_eq!(&order["supplier_reference"], number);
    }

    let _worker = house.work().await;
    let order = house
        .see(&changed, "compared", |order| order["differences"] == true)
        .await;
    assert_eq!(order["state"], "confirmed");
    assert_owned(&order, "differences");
    house.assert_counts(&order, 1, 1, "changed there").await;
    let compared = until("compared", || async { house.happened(&same, "compared").await.pop() }).await;
    assert_eq!(compared["happening"]["differences"], 0);
    let order = house.now(&same).await;
    assert_eq!((&order["differences"], &order["case"]), (&json!(false), &Value::Null));
}

/// The number a person gave is not the one the supplier has for our reference: one case, told once.
#[tokio::test]
async fn a_number_that_is_not_the_suppliers_own_opens_one_case_and_is_told_once() {
    let house = House::plan()
        .setting("look_up_first", "100ms")
        .setting("look_up_most", "200ms")
        .no_worker()
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house
        .faults(json!([
            fault("store_then_close"),
            blind("none"),
            blind("none"),
            blind("none")
        ]))
        .await;
    let worker = house.work().await;
    let pending = house.buy(&buyer, "wrong-number").await;
    let pending = house.wait_for_state(&pending, "confirmation_pending").await;
    drop(worker);
    assert_done(
        &resolver.finds(&pending, "at_supplier", &[("reference", "B-77")]).await,
        &pending,
    );
    house.faults(json!([])).await;

    let _worker = house.work().await;
    let order = house
        .see(&pending, "with a case", |order| !order["case"].is_null())
        .await;
    assert_owned(&order, "supplier_duplicate");
    // it is asked a few times more; what is known is not told again
    let asked = |order: &Value| order["look_ups"].as_array().map_or(0, Vec::len);
    let last = order["look_ups"].as_array().map_or(0, Vec::len);
    let other = house.buy(&buyer, "wrong-number-other").await;
    house.wait_for_state(&other, "confirmed").await;
    until("a quiet second", || async {
        let now = house.now(&order).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        (asked(&house.now(&order).await) == asked(&now)).then_some(())
    })
    .await;
    let later = house.now(&order).await;
    assert!(asked(&later) >= last);
    let told = house.happened(&order, "late_record").await;
    assert_eq!(
        told.len(),
        1,
        "told {} times, version {} to {}",
        told.len(),
        order["version"],
        later["version"]
    );
    assert_eq!(later["version"], order["version"], "nothing was established anew");
}
