//! Sending an order in doubt once more: what a second attempt may not erase, when it is judged again, and when it is not
//! offered at all (cases C9, C10, C11 and I4, rule 9).

mod support;

use serde_json::{Value, json};
use support::home::{assert_owned, blind, fault, id, moment, page, until};
use support::{BUYER, House, Plan, Process, RESOLVER, Session};

/// Another order goes all the way: the worker has woken, and did nothing about the one in doubt.
async fn a_wake(house: &House, buyer: &Session<'_>, intent: &str) {
    let other = house.buy(buyer, intent).await;
    house.wait_for_state(&other, "confirmed").await;
}

/// Waits until the attempt after these has ended, and the order is in doubt again.
async fn tried_again(house: &House, order: &Value, attempts: usize) -> Value {
    house
        .see(order, "tried again", |order| {
            let tried = order["attempts"].as_array().expect("attempts");
            let ended = |attempt: &Value| !attempt["ended_at"].is_null();
            tried.len() == attempts && tried.iter().all(ended) && order["state"] == "confirmation_pending"
        })
        .await
}

/// Case C9: the doubt of the first attempt stands, in the same case, and nothing is due by itself.
async fn assert_still_in_doubt(house: &House, before: &Value, now: &Value) {
    assert_owned(now, "pending");
    assert_eq!(now["case"]["id"], before["case"]["id"], "the same case");
    assert_eq!(now["case"]["due_at"], before["case"]["due_at"]);
    assert_eq!(now["cases"].as_array().map(Vec::len), Some(1), "{now:#}");
    assert_eq!(house.count(now).await, 1);
    house.assert_one_request_per_attempt(now, "in doubt again").await;
}

#[tokio::test]
async fn a_refused_connection_on_the_second_attempt_leaves_the_first_ones_doubt() {
    let mut house = House::plan()
        .setting("again_first", "50ms")
        .setting("again_most", "50ms")
        .start()
        .await;
    let lost = {
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, "c9-refused", "store_then_close").await
    };
    house.stop_supplier();
    house.sign_in(RESOLVER).await.does("resume", &lost, &[]).await;
    let order = tried_again(&house, &lost, 2).await;
    assert_eq!(order["attempts"][1]["reply"], "not_sent");
    assert_eq!(order["attempts"][1]["http_status"], Value::Null);

    house.restart_supplier().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    assert_still_in_doubt(&house, &lost, &order).await;
    for wake in 0..3 {
        a_wake(&house, &buyer, &format!("c9-wake-{wake}")).await;
    }
    let later = house.now(&order).await;
    assert_eq!(later, order, "not due by itself");
    assert_eq!(house.submits_of(&order).await, 1);

    resolver.does("resume", &later, &[]).await;
    let order = house.see_state(&later, "confirmed").await;
    assert_eq!(order["attempts"].as_array().map(Vec::len), Some(3));
    assert_eq!((house.submits_of(&order).await, house.count(&order).await), (2, 1));
    assert_eq!(order["case"], Value::Null);
}

#[tokio::test]
async fn a_definite_answer_to_the_second_attempt_does_not_erase_the_first_ones_doubt() {
    let house = House::plan()
        .setting("again_first", "50ms")
        .setting("again_most", "50ms")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for (answer, reply, status) in [
        (fault("refuse_422"), "refused", 422),
        (fault("429"), "not_sent", 429),
        (
            json!({ "on": "submit", "do": "429", "retry_after": "1" }),
            "not_sent",
            429,
        ),
        (fault("409_business"), "unknown", 409),
        (fault("409_in_flight"), "unknown", 409),
        (fault("503"), "unknown", 503),
    ] {
        let about = answer.to_string();
        let name = format!("c9-{}-{}", status, house.stored().await.orders);
        let lost = house.lose(&buyer, &name, "store_then_close").await;
        house.faults(json!([answer])).await;

        resolver.does("resume", &lost, &[]).await;

        let order = tried_again(&house, &lost, 2).await;
        assert_eq!(order["attempts"][1]["reply"], reply, "{about}");
        assert_eq!(order["attempts"][1]["http_status"], status, "{about}");
        assert_still_in_doubt(&house, &lost, &order).await;
        house.assert_counts(&order, 2, 1, &about).await;
        for wake in 0..2 {
            a_wake(&house, &buyer, &format!("{name}-wake-{wake}")).await;
        }
        assert_eq!(house.now(&order).await, order, "{about}: not due by itself");
        buyer.does("look_up", &order, &[]).await;
        let order = house.see_state(&order, "confirmed").await;
        house.assert_counts(&order, 2, 1, &about).await;
    }
}

/// 401 where the file says "turned away": the supplier goes on hold, and the order stays in doubt.
#[tokio::test]
async fn being_turned_away_as_a_stranger_on_the_second_attempt_holds_the_supplier_and_keeps_the_doubt() {
    let house = House::plan()
        .supplier_file(|file| file.replace("[429]", "[429, 401]"))
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "c9-stranger", "store_then_close").await;
    house.faults(json!([fault("401")])).await;

    resolver.does("resume", &lost, &[]).await;

    let order = tried_again(&house, &lost, 2).await;
    assert_still_in_doubt(&house, &lost, &order).await;
    let held = "SELECT count(*) FROM cases WHERE kind = 'supplier_held' AND closed_at IS NULL";
    assert_eq!(house.number(held).await, 1);
}

// Asked now, sent later (case C10).

fn hold(house: &House) {
    let held = house.run(&["supplier", "hold", "practice", "--reason", "they are down"]);
    assert_eq!(held.status, 0, "{held:?}");
}

fn release(house: &House) {
    let released = house.run(&["supplier", "release", "practice"]);
    assert_eq!(released.status, 0, "{released:?}");
}

/// Why a request to resume came to nothing, once it did.
async fn not_resumed(house: &House, order: &Value) -> Value {
    let told = until("not resumed", || async {
        house.happened(order, "resume_not_sent").await.pop()
    });
    told.await["happening"]["why"].clone()
}

#[tokio::test]
async fn a_resume_pressed_while_the_supplier_is_on_hold_waits_for_its_release() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "c10-waits", "store_then_close").await;
    hold(&house);
    resolver.does("resume", &lost, &[]).await;
    let wanted = house.now(&lost).await;
    assert_eq!(wanted["resume"]["offered"], false, "{wanted:#}");
    // the worker asks about it and sends nothing
    buyer.does("look_up", &house.now(&lost).await, &[]).await;
    assert_eq!(house.submits_of(&lost).await, 1);
    let order = house.see_state(&lost, "confirmed").await;
    assert_eq!(
        order["attempts"].as_array().map(Vec::len),
        Some(1),
        "the look-up settled it first"
    );

    let lost = {
        release(&house);
        let lost = house.lose(&buyer, "c10-released", "store_then_close").await;
        hold(&house);
        lost
    };
    resolver.does("resume", &lost, &[]).await;
    house.run(&["supplier", "list"]);
    assert_eq!(house.submits_of(&lost).await, 1);
    release(&house);
    let order = house.see_state(&lost, "confirmed").await;
    house.assert_counts(&order, 2, 1, "released").await;
}

/// `until` lies eight seconds after the first send: 310 s less two of request deadline and five minutes of margin.
fn short_window() -> Plan {
    House::plan().supplier_file(|file| file.replace("window = \"24h\"", "window = \"310s\""))
}

/// When the window of an order of `short_window` is over.
fn window_over(order: &Value) -> chrono::DateTime<chrono::Utc> {
    moment(&order["attempts"][0]["started_at"]) + chrono::TimeDelta::seconds(8)
}

async fn see_window_over(house: &House, order: &Value) -> Value {
    house
        .see(order, "past its window", |order| {
            order["resume"]["reason"]
                .as_str()
                .is_some_and(|why| why.contains("forgotten the key"))
        })
        .await
}

#[tokio::test]
async fn a_resume_pressed_inside_the_window_and_released_after_it_is_not_sent_and_the_person_is_told() {
    let house = short_window().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "c10-late", "store_then_close").await;
    hold(&house);
    resolver.does("resume", &lost, &[]).await;
    let wanted = house.now(&lost).await;
    see_window_over(&house, &lost).await;
    assert_eq!(
        house.now(&lost).await["version"],
        wanted["version"],
        "it waits for the release"
    );

    release(&house);

    let why = not_resumed(&house, &lost).await;
    let since = moment(&why["unsafe"]["window_over"]["since"]);
    assert_eq!(since, window_over(&lost), "{why}");
    let order = house.now(&lost).await;
    assert_eq!(order["state"], "confirmation_pending");
    assert_eq!(order["case"]["id"], lost["case"]["id"]);
    house.assert_counts(&order, 1, 1, "too late").await;
    let shown = resolver.get(&page(&order)).await.text;
    assert!(shown.contains("Nothing was sent"), "the page tells the person");
    a_wake(&house, &buyer, "c10-late-other").await;
    house.assert_counts(&house.now(&lost).await, 1, 1, "too late").await;

    // the way home that is left
    buyer.does("look_up", &order, &[]).await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 1, 1, "looked up").await;
}

/// Rule 9: void after a quarter of an hour.
#[tokio::test]
async fn a_resume_that_nobody_could_follow_for_a_quarter_of_an_hour_is_dropped() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "c10-void", "store_then_close").await;
    hold(&house);
    resolver.does("resume", &lost, &[]).await;
    let pool = house.database().await;
    sqlx::query("UPDATE orders SET resume_at = resume_at - 901000000 WHERE id = $1")
        .bind(id(&lost))
        .execute(&pool)
        .await
        .expect("the request is older");
    pool.close().await;

    let why = not_resumed(&house, &lost).await;

    assert_eq!(why, "void");
    release(&house);
    a_wake(&house, &buyer, "c10-void-other").await;
    house.assert_counts(&house.now(&lost).await, 1, 1, "void").await;
}

/// Rule 9: void when the order changes otherwise.
#[tokio::test]
async fn a_resume_is_void_when_the_order_changes_meanwhile() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "c10-changed", "store_then_close").await;
    hold(&house);
    resolver.does("resume", &lost, &[]).await;
    let wanted = house.now(&lost).await;
    let answer = resolver.finds(&wanted, "could_not_tell", &[]).await;
    support::home::assert_done(&answer, &wanted);
    release(&house);
    a_wake(&house, &buyer, "c10-changed-other").await;
    let order = house.now(&lost).await;
    house.assert_counts(&order, 1, 1, "changed").await;
    assert_eq!(order["resume"]["offered"], true, "it can be asked for anew");
}

// The key outlived (case I4).

#[tokio::test]
async fn resume_is_offered_until_the_window_less_margin_and_refused_with_the_time_afterwards() {
    let mut house = short_window().start().await;
    let lost = {
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, "i4", "store_then_close").await
    };
    assert_eq!(lost["resume"]["offered"], true, "{lost:#}");
    assert_eq!(moment(&lost["resume"]["until"]), window_over(&lost));
    house.restart_web().await;
    let resolver = house.sign_in(RESOLVER).await;
    assert_eq!(
        moment(&house.now(&lost).await["resume"]["until"]),
        window_over(&lost),
        "also after a restart"
    );

    let order = see_window_over(&house, &lost).await;

    assert_eq!(order["resume"]["offered"], false);
    assert_eq!(order["version"], lost["version"], "time alone changes nothing");
    let answer = resolver.act("resume", &order, &[]).await;
    let refused = resolver.refused(&answer, &page(&order)).await;
    assert!(refused.is("no_resume"), "{:?}", refused.why);
    assert_eq!(
        moment(&refused.why["about"]["window_over"]["since"]),
        window_over(&lost)
    );
    let zone: chrono_tz::Tz = "Europe/Berlin".parse().expect("a zone");
    let since = window_over(&lost).with_timezone(&zone).format("%H:%M").to_string();
    for words in [&*since, "may have forgotten the key"] {
        assert!(refused.page.contains(words), "{words}");
    }
    assert_eq!(house.now(&lost).await["version"], lost["version"]);
    house.assert_counts(&order, 1, 1, "over").await;
}

/// The order's own page says it before anybody presses.
#[tokio::test]
async fn the_page_offers_resume_where_the_api_does_and_says_why_not_where_it_does_not() {
    let house = short_window().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "i4-page", "store_then_close").await;
    let offered = resolver.get(&page(&lost)).await.text;
    assert!(offered.contains("action=\"/act/resume\""), "the form is there");
    let not_mine = buyer.get(&page(&lost)).await.text;
    assert!(
        not_mine.contains("Your roles do not let you"),
        "disabled with its reason"
    );

    see_window_over(&house, &lost).await;

    let shown = resolver.get(&page(&lost)).await.text;
    assert!(shown.contains("may have forgotten the key"), "the reason");
    let pressable = shown.contains("action=\"/act/resume\"") && !shown.contains("disabled");
    assert!(!pressable, "nothing to press");
}

#[tokio::test]
async fn an_unpublished_window_is_no_window_and_a_supplier_without_key_must_be_looked_up_first() {
    for (edit, why) in [
        (unpublished as fn(String) -> String, "window_over"),
        (without_key, "find_first"),
    ] {
        let house = House::plan().supplier_file(edit).start().await;
        let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
        let lost = house.lose(&buyer, why, "store_then_close").await;
        assert_eq!(lost["resume"]["offered"], false, "{why}: {lost:#}");
        let answer = resolver.act("resume", &lost, &[]).await;
        let refused = resolver.refused(&answer, &page(&lost)).await;
        assert!(refused.why["about"].to_string().contains(why), "{:?}", refused.why);
        a_wake(&house, &buyer, "other").await;
        house.assert_counts(&house.now(&lost).await, 1, 1, why).await;
    }
}

fn unpublished(file: String) -> String {
    file.replace("window = \"24h\"\n", "")
}

fn without_key(file: String) -> String {
    let (before, key) = file.split_once("[contract.key]").expect("a key");
    let (_, after) = key.split_once("[http]").expect("what follows");
    format!("{before}[http]{after}")
}

// A contract that was corrected meanwhile (case C11).

/// An order in doubt that nobody works on.
async fn idle(plan: Plan, intent: &str) -> (House, Value) {
    let house = plan.no_worker().start().await;
    let lost = {
        let _worker: Process = house.work().await;
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, intent, "store_then_close").await
    };
    (house, lost)
}

async fn assert_not_offered(house: &House, lost: &Value, why: &str) {
    let resolver = house.sign_in(RESOLVER).await;
    let order = house.now(lost).await;
    assert_eq!(order["resume"]["offered"], false, "{why}: {order:#}");
    let answer = resolver.act("resume", &order, &[]).await;
    let refused = resolver.refused(&answer, &page(&order)).await;
    assert!(refused.why["about"].to_string().contains(why), "{:?}", refused.why);
    let _worker = house.work().await;
    let buyer = house.sign_in(BUYER).await;
    let about = format!("other-{}", house.stored().await.orders);
    a_wake(house, &buyer, &about).await;
    house.assert_counts(&house.now(lost).await, 1, 1, why).await;
}

#[tokio::test]
async fn a_window_counts_as_the_shorter_of_the_two_versions() {
    let (house, lost) = idle(House::plan(), "c11-shorter").await;
    let day = moment(&lost["resume"]["until"]);
    house.add_supplier(|file| file.replace("window = \"24h\"", "window = \"1h\""));
    let order = house.now(&lost).await;
    assert_eq!(day - moment(&order["resume"]["until"]), chrono::TimeDelta::hours(23));
    house.add_supplier(|file| file.replace("window = \"24h\"", "window = \"90d\""));
    let order = house.now(&lost).await;
    assert_eq!(
        moment(&order["resume"]["until"]),
        day,
        "no longer than what it was sent under"
    );
    house.add_supplier(|file| file.replace("window = \"24h\"", "window = \"302s\""));
    assert_not_offered(&house, &lost, "window_over").await;
}

#[tokio::test]
async fn a_window_that_was_corrected_after_the_click_is_judged_again_before_the_send() {
    let (house, lost) = idle(House::plan(), "c11-click").await;
    let resolver = house.sign_in(RESOLVER).await;
    resolver.does("resume", &lost, &[]).await;
    house.add_supplier(|file| file.replace("window = \"24h\"", "window = \"302s\""));

    let _worker = house.work().await;

    let why = not_resumed(&house, &lost).await;
    assert!(why.to_string().contains("window_over"), "{why}");
    house.assert_counts(&house.now(&lost).await, 1, 1, "corrected").await;
}

#[tokio::test]
async fn another_address_account_or_secret_ends_resending() {
    let plan = House::plan().supplier_file(|file| {
        file.replace("# secret = \"env:PRACTICE_SECRET\"", "secret = \"file:secret.txt\"")
            .replace("account = \"\"", "account = \"us\"")
    });
    let plan = plan.file("secret.txt", "first");
    let (house, lost) = idle(plan, "c11-scope").await;
    assert_eq!(lost["resume"]["offered"], true, "{lost:#}");
    let ours = |file: String| {
        file.replace("# secret = \"env:PRACTICE_SECRET\"", "secret = \"file:secret.txt\"")
            .replace("account = \"\"", "account = \"us\"")
    };

    house.add_supplier(|file| ours(file).replace("127.0.0.1", "localhost"));
    assert_not_offered(&house, &lost, "scope_changed").await;
    house.add_supplier(|file| ours(file).replace("account = \"us\"", "account = \"them\""));
    assert_not_offered(&house, &lost, "scope_changed").await;
    house.add_supplier(ours);
    assert_eq!(house.now(&lost).await["resume"]["offered"], true, "back to what it was");
    // rotated under the same reference
    std::fs::write(house.folder().join("secret.txt"), "second").expect("a new secret");
    assert_not_offered(&house, &lost, "scope_changed").await;
}

/// The bytes of the first send go out again, whatever the file makes of the contents by now.
#[tokio::test]
async fn a_template_that_was_corrected_meanwhile_does_not_change_the_bytes_of_a_resume() {
    let (house, lost) = idle(House::plan(), "c11-template").await;
    house.add_supplier(|file| file.replace("{\"reference\":", "{\"corrected\": true, \"reference\":"));
    house.sign_in(RESOLVER).await.does("resume", &lost, &[]).await;
    let _worker = house.work().await;
    let order = house.see_state(&lost, "confirmed").await;
    house.assert_counts(&order, 2, 1, "corrected").await;
    let steps = house.steps(&order).await;
    assert_eq!(steps[0], steps[1]);
}

/// Case C11: a repeat that carries the key in another header than the first send did is no repeat to the supplier.
#[tokio::test]
async fn a_key_whose_header_changed_meanwhile_is_not_resent_as_something_new() {
    let (house, lost) = idle(House::plan(), "c11-header").await;
    house.add_supplier(|file| file.replace("header = \"Idempotency-Key\"", "header = \"X-Request-Key\""));
    assert_never_a_second_record(&house, &lost).await;
}

/// Case C11: what the first send did not carry cannot be recognised, whatever the file promises by now.
#[tokio::test]
async fn a_key_that_the_first_send_did_not_carry_makes_no_repeat_safe() {
    let unique = |file: String| without_key(file).replace("reference_unique = false", "reference_unique = true");
    let (house, lost) = idle(House::plan().supplier_file(unique), "c11-carried").await;
    assert_eq!(
        lost["resume"]["offered"], true,
        "the reference was promised to be unique"
    );
    // it was not, they say now; but they honour a key
    house.add_supplier(|file| file);
    assert_never_a_second_record(&house, &lost).await;
}

/// Pressed if it is offered: however the file has changed, the supplier holds one record.
async fn assert_never_a_second_record(house: &House, lost: &Value) {
    let resolver = house.sign_in(RESOLVER).await;
    let order = house.now(lost).await;
    let answer = resolver.act("resume", &order, &[]).await;
    if answer.location() == page(&order) {
        let _worker = house.work().await;
        house
            .see(lost, "sent or dropped", |now| {
                let tried = now["attempts"].as_array().expect("attempts");
                let dropped = now["version"].as_u64() > order["version"].as_u64().map(|version| version + 1);
                tried.iter().all(|attempt| !attempt["ended_at"].is_null()) && dropped
            })
            .await;
    }
    assert_eq!(house.count(lost).await, 1, "records at the supplier: {order:#}");
}

/// A look-up mapping that was repaired is used for the order that is in doubt.
#[tokio::test]
async fn look_ups_use_the_repaired_file() {
    let plan = House::plan().supplier_file(|file| file.replace("reference = \"/reference\"", "reference = \"/ref\""));
    let (house, lost) = idle(plan, "c11-mapping").await;
    let _worker = house.work().await;
    let buyer = house.sign_in(BUYER).await;
    buyer.does("look_up", &lost, &[]).await;
    let order = house
        .see(&lost, "looked up", |order| {
            order["look_ups"].as_array().map(Vec::len) == Some(1)
        })
        .await;
    assert_eq!(
        order["state"], "confirmation_pending",
        "a record that is not read as ours settles nothing"
    );
    assert_eq!(
        order["look_ups"][0]["answer"], "could_not_check",
        "a mapping that finds no reference must not make \"none\" of a record: three of them would buy it twice"
    );
    house.add_supplier(|file| file);
    buyer.does("look_up", &order, &[]).await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 1, 1, "repaired").await;
}

/// Case C11: the address changed between approval and first send; a person has to look.
#[tokio::test]
async fn an_address_that_changed_before_the_first_send_needs_a_persons_look() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let approved = house.buy(&buyer, "c11-moved").await;
    house.add_supplier(|file| file.replace("127.0.0.1", "localhost"));
    let _worker = house.work().await;
    a_wake(&house, &buyer, "c11-moved-other").await;
    let order = house.order(&approved).await;
    assert_eq!(
        house.submits_of(&order).await,
        0,
        "it was approved for another address: {order:#}"
    );
    assert_eq!(order["held"], true, "{order:#}");
}

/// The same after attempts of which not a byte left: nobody listened at the old address.
#[tokio::test]
async fn an_address_corrected_after_it_could_not_be_reached_needs_a_persons_look_too() {
    let plan = House::plan()
        .no_worker()
        .nobody_listens()
        .setting("again_first", "100ms");
    let house = plan.start().await;
    let buyer = house.sign_in(BUYER).await;
    let approved = house.buy(&buyer, "c11-corrected").await;
    let _worker = house.work().await;
    house
        .wait_for(&approved, "tried in vain", |order| {
            order["attempts"][0]["reply"] == "not_sent"
        })
        .await;
    house.add_supplier(|file| file.replace("127.0.0.1:1", "localhost:1"));
    let order = house.wait_for(&approved, "held", |order| order["held"] == true).await;
    assert_eq!(order["held_because"], "person");
    assert_eq!(order["case"]["kind"], "not_sent", "somebody owns it: {order:#}");
}

/// Rule 9 (c) after a look-up in other books: their "none" lets nothing be sent.
#[tokio::test]
async fn an_order_found_missing_is_not_sent_to_another_address() {
    let house = House::soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = house.lose(&buyer, "c11-missing", "close_without_store").await;
    let held = house.found_missing(&resolver, &pending).await;
    house.add_supplier(|file| file.replace("127.0.0.1", "localhost"));
    let order = house.now(&held).await;
    assert_eq!(order["resume"]["offered"], false, "{order:#}");
    let answer = resolver.act("resume", &order, &[]).await;
    let refused = resolver.refused(&answer, &page(&order)).await;
    assert!(
        refused.why["about"].to_string().contains("scope_changed"),
        "{:?}",
        refused.why
    );
    house.faults(json!([blind("none")])).await;
    a_wake(&house, &buyer, "c11-missing-other").await;
    house.assert_counts(&house.now(&held).await, 1, 0, "moved").await;
}
