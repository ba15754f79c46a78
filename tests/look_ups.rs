//! Look-ups by the worker on its schedule: what they establish, what they do not, and when "not there" counts (rule 10,
//! cases I1 and I2). Nobody presses anything here unless the test says so.

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::home::{assert_owned, blind, fault, id, moment, page, until};
use support::{BUYER, House, Plan, RESOLVER, Session};

/// Asks early and often.
fn asking() -> Plan {
    House::plan()
        .setting("request_deadline", "1s")
        .setting("send_by", "1s")
        .setting("lease", "2500ms")
        .setting("look_up_first", "600ms")
        .setting("look_up_most", "600ms")
}

/// The same, where "no record" counts two seconds after the attempt.
fn asking_soon_settled() -> Plan {
    asking().supplier_file(|file| file.replace("settle_time = \"30s\"", "settle_time = \"1s\""))
}

fn look_ups(order: &Value) -> Vec<Value> {
    order["look_ups"].as_array().expect("look-ups").clone()
}

fn answers(order: &Value) -> Vec<String> {
    let word = |one: &Value| one["answer"].as_str().unwrap_or_default().to_owned();
    look_ups(order).iter().map(word).collect()
}

/// From when "no record" counts: the end of the attempt (of its lease, without one), the deadline, the settle time.
fn settled_at(order: &Value, settle: i64) -> chrono::DateTime<chrono::Utc> {
    moment(&order["attempts"][0]["ended_at"]) + chrono::TimeDelta::seconds(1 + settle)
}

/// An order in doubt that the worker asks about by itself; `blinded` is what look-ups meet first.
async fn lose(house: &House, buyer: &Session<'_>, intent: &str, lost: &str, blinded: &[&str]) -> Value {
    let faults = std::iter::once(fault(lost)).chain(blinded.iter().map(|name| blind(name)));
    house.faults(faults.collect()).await;
    let order = house.buy(buyer, intent).await;
    house
        .wait_for(&order, "answered", |order| {
            let state = order["state"].as_str().unwrap_or_default();
            !["approved", "submitting"].contains(&state)
        })
        .await
}

#[tokio::test]
async fn a_lost_answer_is_found_by_the_worker_without_anybody_pressing() {
    let house = asking().start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = lose(&house, &buyer, "by-itself", "store_then_close", &[]).await;
    assert_owned(&lost, "pending");

    let order = house.see_state(&lost, "confirmed").await;

    house.assert_counts(&order, 1, 1, "by itself").await;
    assert_eq!(order["supplier_reference"], house.number_of(&order).await);
    assert_eq!(answers(&order), ["found"]);
    assert_eq!(look_ups(&order)[0]["by"], Value::Null, "nobody asked for it");
    let waited = moment(&look_ups(&order)[0]["at"]) - moment(&lost["attempts"][0]["ended_at"]);
    assert!(waited >= chrono::TimeDelta::milliseconds(300), "{waited}");
    assert_eq!(order["case"], Value::Null);
    assert_eq!(order["cases"].as_array().map(Vec::len), Some(1), "one case, closed");
    let asked = house.happened(&order, "looked_up").await;
    assert_eq!(asked[0]["actor"], "worker");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_record_that_differs_is_confirmed_with_differences_and_a_case() {
    let house = House::plan().setting("look_up_first", "2s").start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = house.lose(&buyer, "differs", "store_then_close").await;
    let number = house.number_of(&lost).await;
    house.clerk(&number, json!({ "line": 0, "quantity": "20" })).await;

    let order = house.see_state(&lost, "confirmed").await;

    assert_eq!(
        (&order["differences"], &order["supplier_reference"]),
        (&json!(true), &json!(number))
    );
    assert_owned(&order, "differences");
    house.assert_counts(&order, 1, 1, "differs").await;
    let shown = buyer.get(&page(&order)).await.text;
    assert!(shown.contains("20") && shown.contains("Confirmed with differences"));
}

#[tokio::test]
async fn a_record_in_progress_is_acknowledged_and_then_follows_what_the_clerk_does() {
    for (clerk, state) in [
        ("confirmed", "confirmed"),
        ("refused", "refused"),
        ("cancelled", "refused"),
    ] {
        let house = asking().start().await;
        let buyer = house.sign_in(BUYER).await;
        // the look-up shows it in progress, whatever was stored
        house
            .faults(json!([fault("store_then_close"), blind("accept_202")]))
            .await;
        let lost = house.buy(&buyer, clerk).await;
        let order = house.wait_for_state(&lost, "acknowledged").await;
        let number = house.number_of(&order).await;
        assert_eq!(order["supplier_reference"], number);
        assert_eq!(order["resume"]["offered"], false, "{order:#}");
        house.clerk(&number, json!({ "status": clerk })).await;

        let order = house.see_state(&order, state).await;

        house.assert_counts(&order, 1, 1, clerk).await;
        assert_eq!(order["case"], Value::Null, "{clerk}: {order:#}");
        let found: Vec<_> = order["findings"].as_array().expect("findings").clone();
        assert_eq!(found[0]["finding"], "not_yet_confirmed", "{clerk}");
        house.assert_log_is_whole().await;
    }
}

/// The same when the submit itself was acknowledged (202): it is asked about, too.
#[tokio::test]
async fn an_order_acknowledged_by_the_submit_is_followed_to_its_end() {
    let house = asking().start().await;
    let buyer = house.sign_in(BUYER).await;
    for (clerk, state) in [
        ("confirmed", "confirmed"),
        ("refused", "refused"),
        ("cancelled", "refused"),
    ] {
        let order = lose(&house, &buyer, &format!("followed-{clerk}"), "accept_202", &[]).await;
        assert_eq!(order["state"], "acknowledged");
        let order = house
            .see(&order, "asked about", |order| !look_ups(order).is_empty())
            .await;
        let version = order["version"].clone();
        let order = house
            .see(&order, "asked about again", |order| look_ups(order).len() >= 3)
            .await;
        assert_eq!(
            (&order["state"], &order["version"]),
            (&json!("acknowledged"), &version),
            "nothing new"
        );
        let number = house.number_of(&order).await;
        house.clerk(&number, json!({ "status": clerk })).await;

        let order = house.see_state(&order, state).await;

        house.assert_counts(&order, 1, 1, clerk).await;
    }
}

/// Rule 10: three "none", none of which counts before the settle time, and never on the first day of doubt itself.
#[tokio::test]
async fn not_there_needs_three_answers_after_the_settle_time_and_then_holds_the_order_as_not_found() {
    let house = asking_soon_settled().start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = lose(&house, &buyer, "ladder", "close_without_store", &[]).await;
    let settles = settled_at(&lost, 1);

    let order = house.see_state(&lost, "approved").await;

    assert_eq!(order["held_because"], "not_found");
    assert_eq!(order["case"]["kind"], "not_sent", "somebody resumes or withdraws it");
    let counted: Vec<_> = look_ups(&order)
        .iter()
        .map(|one| moment(&one["at"]))
        .filter(|at| *at >= settles)
        .collect();
    assert_eq!(counted.len(), 3, "{:#}", order["look_ups"]);
    assert!(
        look_ups(&order).len() > 3,
        "it had been asked before, and that did not count"
    );
    assert!(moment(&order["findings"][0]["at"]) >= counted[2]);
    assert_eq!(order["findings"][0]["finding"], "not_at_supplier");
    assert_eq!(order["findings"][0]["source"], "look_up");
    // and now nothing is sent by itself; it is asked about, should a record turn up late, and that changes nothing
    let other = house.buy(&buyer, "ladder-other").await;
    house.wait_for_state(&other, "confirmed").await;
    let held = house.now(&order).await;
    assert_eq!(
        (&held["state"], &held["version"], &held["findings"]),
        (&order["state"], &order["version"], &order["findings"])
    );
    house.assert_counts(&order, 1, 0, "held").await;

    // the way on: a person
    let resolver = house.sign_in(RESOLVER).await;
    resolver.does("resume", &order, &[]).await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 2, 1, "resumed").await;
    house.assert_log_is_whole().await;
}

/// The settle time counts from the end of the lease where no reply was stored.
#[tokio::test]
async fn without_a_reply_the_settle_time_counts_from_the_end_of_the_lease() {
    let house = asking_soon_settled().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "lease").await;
    let worker = house.work_until("attempt_committed").await;
    until("the worker stands still", || async { worker.is_frozen().then_some(()) }).await;
    drop(worker);
    let lost = house.wait_for_state(&order, "confirmation_pending").await;
    let settles = moment(&lost["attempts"][0]["started_at"]) + chrono::TimeDelta::milliseconds(2_500 + 2_000);
    let _worker = house.work().await;

    let order = house.see_state(&lost, "approved").await;

    let counted: Vec<_> = look_ups(&order)
        .iter()
        .map(|one| moment(&one["at"]))
        .filter(|at| *at >= settles)
        .collect();
    assert_eq!(counted.len(), 3, "settled at {settles}: {:#}", order["look_ups"]);
    assert_eq!((house.submits_of(&order).await, house.count(&order).await), (0, 0));
}

/// Case I1.
#[tokio::test]
async fn a_record_that_is_not_visible_yet_is_not_missing_and_is_found_when_it_is() {
    let house = asking()
        .supplier_file(|file| {
            file.replace("look_up_lag = \"0s\"", "look_up_lag = \"2s\"")
                .replace("settle_time = \"30s\"", "settle_time = \"4s\"")
        })
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    house.habits(json!({ "visibility_lag_seconds": 8 })).await;
    let lost = lose(&house, &buyer, "lag", "store_then_close", &[]).await;

    let waiting = house
        .see(&lost, "asked often", |order| look_ups(order).len() >= 4)
        .await;
    assert_eq!(
        waiting["state"], "confirmation_pending",
        "no finding before the ladder is done"
    );
    assert!(
        answers(&waiting).iter().all(|answer| answer == "none"),
        "{:?}",
        answers(&waiting)
    );
    assert_eq!(waiting["findings"], json!([]));
    assert_eq!(
        waiting["version"], lost["version"],
        "look-ups that settle nothing do not touch it"
    );

    let order = house.see_state(&lost, "confirmed").await;
    house.assert_counts(&order, 1, 1, "visible").await;
    assert_eq!(answers(&order).last().map(String::as_str), Some("found"));
}

/// Case I1, the rungs: a visibility lag lies between those that count.
#[tokio::test]
async fn rungs_lie_a_visibility_lag_apart() {
    let house = asking()
        .supplier_file(|file| {
            file.replace("look_up_lag = \"0s\"", "look_up_lag = \"2s\"")
                .replace("settle_time = \"30s\"", "settle_time = \"1s\"")
        })
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    let lost = lose(&house, &buyer, "rungs", "close_without_store", &[]).await;

    let order = house.see_state(&lost, "approved").await;

    let first = settled_at(&lost, 1);
    let found = moment(&order["findings"][0]["at"]);
    assert!(found - first >= chrono::TimeDelta::seconds(4), "{}", found - first);
    house.assert_counts(&order, 1, 0, "rungs").await;
}

/// Case I2. None of these is an answer, and none is a rung.
#[tokio::test]
async fn what_is_not_an_answer_is_could_not_check_and_never_a_rung() {
    let house = asking_soon_settled().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mute = [
        "401",
        "403",
        "404",
        "429",
        "503",
        "500_without_store",
        "close_without_store",
        "store_then_html",
        "store_then_truncated",
        "store_then_empty",
        "store_then_204",
        "redirect_302",
        "store_then_gzip_plain",
        "huge",
    ];
    let lost = lose(&house, &buyer, "mute", "close_without_store", &mute).await;

    let order = house
        .see(&lost, "asked about", |order| look_ups(order).len() >= mute.len())
        .await;
    let first: Vec<_> = answers(&order).into_iter().take(mute.len()).collect();
    assert_eq!(first, vec!["could_not_check"; mute.len()], "{:#}", order["look_ups"]);
    for (one, name) in look_ups(&order).iter().zip(mute) {
        let detail = one["detail"].as_str().unwrap_or_default();
        assert!(detail.ends_with('.'), "{name}: in words: {detail}");
        assert!(!detail.contains("http://127"), "{name}: {detail}");
    }
    assert!(
        moment(&look_ups(&order)[mute.len() - 1]["at"]) > settled_at(&order, 1),
        "long after the settle time"
    );

    let order = house.see_state(&lost, "approved").await;
    let nones = answers(&order).iter().filter(|answer| *answer == "none").count();
    assert_eq!(nones, 3, "three true answers, all of them needed");
    house.assert_counts(&order, 1, 0, "mute").await;
}

/// A look-up that never ends, and one that drips, are given up and asked again.
#[tokio::test]
async fn a_look_up_that_does_not_end_is_given_up_and_asked_again() {
    let house = asking().start().await;
    let buyer = house.sign_in(BUYER).await;
    let slow = ["store_then_silence", "drip", "store_then_gzip_bomb"];
    let lost = lose(&house, &buyer, "slow", "store_then_close", &slow).await;
    let order = house.see_state(&lost, "confirmed").await;
    assert_eq!(
        answers(&order),
        ["could_not_check", "could_not_check", "could_not_check", "found"]
    );
    house.assert_counts(&order, 1, 1, "slow").await;
}

#[tokio::test]
async fn a_supplier_that_switched_its_look_up_off_answers_nothing() {
    let house = asking_soon_settled().start().await;
    let buyer = house.sign_in(BUYER).await;
    house.habits(json!({ "lookup": false })).await;
    let lost = lose(&house, &buyer, "off", "store_then_close", &[]).await;
    let order = house
        .see(&lost, "asked about", |order| {
            look_ups(order)
                .last()
                .is_some_and(|last| moment(&last["at"]) > settled_at(&lost, 3))
        })
        .await;
    assert_eq!((&order["state"], &order["version"]), (&lost["state"], &lost["version"]));
    assert!(
        answers(&order).iter().all(|answer| answer == "could_not_check"),
        "{:?}",
        answers(&order)
    );
    assert_owned(&order, "pending");
    house.habits(json!({ "lookup": true })).await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 1, 1, "on again").await;
}

/// Case I2: other books say "none", which says nothing about an order submitted under our account.
#[tokio::test]
async fn none_from_another_account_is_no_rung() {
    fn of(account: &'static str, file: &str) -> String {
        file.replace("settle_time = \"30s\"", "settle_time = \"1s\"")
            .replace("account = \"\"", &format!("account = \"{account}\""))
            .replace(
                "# secret = \"env:PRACTICE_SECRET\"",
                &format!("secret = \"file:{account}.txt\""),
            )
    }
    let plan = asking().supplier_file(|file| of("us", &file));
    let house = plan
        .file("us.txt", "us.hush")
        .file("them.txt", "them.hush")
        .no_worker()
        .start()
        .await;
    house.habits(json!({ "accounts": true })).await;
    let buyer = house.sign_in(BUYER).await;
    house.faults(json!([fault("store_then_close")])).await;
    let order = house.buy(&buyer, "account").await;
    let worker = house.work_until("reply_committed").await;
    let lost = house.wait_for_state(&order, "confirmation_pending").await;
    drop(worker);
    house.assert_counts(&lost, 1, 1, "under our account").await;
    house.add_supplier(|file| of("them", &file));
    let worker = house.work().await;

    let order = house
        .see(&lost, "asked about", |order| {
            look_ups(order)
                .last()
                .is_some_and(|last| moment(&last["at"]) > settled_at(&lost, 3))
        })
        .await;

    assert!(
        answers(&order).iter().filter(|answer| *answer == "none").count() >= 3,
        "{:?}",
        answers(&order)
    );
    assert_eq!(
        (&order["state"], &order["version"]),
        (&lost["state"], &lost["version"]),
        "no finding"
    );
    assert_eq!(order["findings"], json!([]));
    drop(worker);
    house.add_supplier(|file| of("us", &file));
    let _worker = house.work().await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 1, 1, "our own books").await;
}

/// Case I7.
#[tokio::test]
async fn two_records_of_it_open_a_case_and_settle_nothing() {
    let house = asking().start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = lose(&house, &buyer, "twice", "store_then_close", &["twice"; 30]).await;
    let order = house
        .see(&lost, "told of both", |order| {
            order["cases"].as_array().map(Vec::len) == Some(2)
        })
        .await;
    assert_eq!(order["state"], "confirmation_pending");
    let cases = order["cases"].as_array().expect("cases");
    let kinds: Vec<_> = cases
        .iter()
        .map(|case| case["kind"].as_str().unwrap_or_default())
        .collect();
    assert!(
        kinds.contains(&"supplier_duplicate") && kinds.contains(&"pending"),
        "{kinds:?}"
    );
    let duplicate = cases
        .iter()
        .find(|case| case["kind"] == "supplier_duplicate")
        .expect("it")
        .clone();
    assert_eq!(duplicate["owner_name"], "Rolf Resolver");
    house.assert_counts(&order, 1, 1, "twice").await;
    let order = house
        .see(&order, "asked again", |order| look_ups(order).len() >= 3)
        .await;
    assert_eq!(order["cases"].as_array().map(Vec::len), Some(2), "told once");
    let reason = duplicate["reason"].as_str().unwrap_or_default().to_owned();
    house.faults(json!([])).await;
    let number = house.number_of(&order).await;
    assert!(
        reason.contains(&number) && reason.contains(&format!("{number}-2")),
        "{reason}"
    );
    assert_eq!(order["version"], lost["version"], "nothing was established");
}

/// They said they had it, and now they have not: doubt, not absence.
#[tokio::test]
async fn an_acknowledged_order_that_is_no_longer_there_comes_into_doubt() {
    let house = asking_soon_settled().start().await;
    let buyer = house.sign_in(BUYER).await;
    let none = ["none"; 30];
    let said = lose(&house, &buyer, "gone", "accept_202", &none).await;
    assert_eq!(said["state"], "acknowledged");

    let order = house.see_state(&said, "confirmation_pending").await;

    assert_owned(&order, "pending");
    let counted = look_ups(&order)
        .iter()
        .filter(|one| moment(&one["at"]) >= settled_at(&said, 1))
        .count();
    assert_eq!(counted, 3, "{:#}", order["look_ups"]);
    house.assert_counts(&order, 1, 1, "gone").await;
    // it turns up again: there, and in progress
    house.faults(json!([])).await;
    let order = house.see_state(&order, "acknowledged").await;
    assert_eq!(order["case"], Value::Null, "{order:#}");
}

/// They said they had it: "no record" is about what we may see, however often (case I2). A person may say that it is not
/// there; a record that turns up after the withdrawal is found and owned.
#[tokio::test]
async fn what_they_said_they_have_is_never_found_missing_by_look_ups_alone_and_is_watched() {
    let house = asking_soon_settled().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let said = lose(&house, &buyer, "said-yes", "accept_202", &["none"; 200]).await;
    let doubt = house.see_state(&said, "confirmation_pending").await;
    let before = look_ups(&doubt).len();
    let order = house
        .see(&doubt, "asked five times more", |order| {
            order["look_ups"]
                .as_array()
                .is_some_and(|asked| asked.len() >= before + 5)
        })
        .await;
    assert_eq!(order["state"], "confirmation_pending", "{order:#}");
    let shown = resolver.get(&page(&order)).await.text;
    assert!(shown.contains("They said that they have it"), "{shown}");
    let held = house.found_missing(&resolver, &order).await;
    buyer.does("withdraw", &held, &[("reason", "bought elsewhere")]).await;

    house.faults(json!([])).await;

    let late = house.see_state(&held, "confirmation_pending").await;
    assert_owned(&late, "late_record");
    house.assert_counts(&late, 1, 1, "said-yes").await;
}

/// Rule 8, and rule 9 where the supplier cannot be asked.
#[tokio::test]
async fn a_supplier_that_cannot_be_asked_is_not_asked_and_time_settles_nothing() {
    let house = asking()
        .supplier_file(|file| {
            let (before, rest) = file.split_once("[look_up]").expect("a section");
            let (_, after) = rest.split_once("[record]").expect("the next");
            format!("{before}[record]{after}")
                .replace("look_up = \"exact\"", "look_up = \"none\"")
                .replace("settle_time = \"30s\"", "settle_time = \"1s\"")
        })
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = lose(&house, &buyer, "silent", "close_without_store", &[]).await;
    let answer = resolver.act("look_up", &lost, &[]).await;
    assert!(resolver.refused(&answer, &page(&lost)).await.is("cannot_ask"));
    let held = house.found_missing(&resolver, &lost).await;
    assert!(house.asked_about(&held).await.is_empty(), "nobody asked");
    assert_eq!(held["look_ups"], json!([]));
    // a person's fresh finding lets it be sent; one that is a quarter of an hour old does not (rule 9)
    assert_eq!(held["resume"]["offered"], true, "{held:#}");
    house.drop_trigger("findings_never_change", "findings").await;
    let pool = house.database().await;
    sqlx::query("UPDATE findings SET at = at - 901000000 WHERE order_id = $1")
        .bind(id(&held))
        .execute(&pool)
        .await
        .expect("an older finding");
    pool.close().await;
    let old = house.now(&held).await;
    assert_eq!(old["resume"]["offered"], false, "{old:#}");
    let answer = resolver.act("resume", &old, &[]).await;
    let refused = resolver.refused(&answer, &page(&old)).await;
    assert!(refused.why.to_string().contains("ask_by_hand"), "{:?}", refused.why);
    // it may be renewed while held
    resolver.says_missing(&old).await;
    let fresh = house.now(&old).await;
    assert_eq!(fresh["held_because"], "not_found");
    assert_eq!(fresh["resume"]["offered"], true, "{fresh:#}");
    resolver.does("resume", &fresh, &[]).await;
    let order = house.see_state(&fresh, "confirmed").await;
    house.assert_counts(&order, 2, 1, "sent by a person's word").await;
}

/// Wakes of two workers, and of a person: each due question is asked once.
#[tokio::test]
async fn two_workers_ask_one_question_once() {
    let house = House::plan()
        .setting("look_up_first", "1s")
        .setting("look_up_most", "60s")
        .start()
        .await;
    let _second = house.work().await;
    let buyer = house.sign_in(BUYER).await;
    let mut lost = Vec::new();
    for number in 0..6 {
        lost.push(house.lose(&buyer, &format!("once-{number}"), "store_then_close").await);
    }
    for order in &lost {
        let order = house.see_state(order, "confirmed").await;
        assert_eq!(look_ups(&order).len(), 1, "{:#}", order["look_ups"]);
        assert_eq!(house.asked_about(&order).await.len(), 1, "questions at the supplier");
        house.assert_counts(&order, 1, 1, "once").await;
    }
}

/// doors.md: "look up by a person is limited by rate only".
#[tokio::test]
async fn a_person_who_presses_look_up_twenty_times_does_not_make_twenty_questions() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = house.lose(&buyer, "pressed", "close_without_store").await;
    let pressing = std::time::Instant::now();
    for _ in 0..20 {
        let asked = house.asked_about(&lost).await.len();
        let answer = buyer.act("look_up", &lost, &[]).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        // a press is followed within a moment, or held back
        let since = std::time::Instant::now();
        while house.asked_about(&lost).await.len() == asked && since.elapsed() < Duration::from_millis(300) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let asked = house.asked_about(&lost).await.len();
    // one a second, whatever the machine took for the presses
    let most = usize::try_from(pressing.elapsed().as_secs()).expect("a small number") + 2;
    assert!((1..=most).contains(&asked), "{asked} questions for 20 presses");
}
