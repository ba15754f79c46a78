//! Whatever goes wrong on the wire or with a worker: the state the order ends in, requests at the supplier equal to
//! attempts in the ledger, and how many purchases the supplier really holds.

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::home::until;
use support::{BUYER, House, Plan, Process, Session, body, two_lines};

/// One row of the table: a fault on submit and everything that must follow.
struct Row {
    fault: Value,
    state: &'static str,
    reply: &'static str,
    http_status: Option<u16>,
    /// Records at the supplier.
    records: i64,
    /// The kind of the case that must be open.
    case: Option<&'static str>,
}

fn fault(name: &str) -> Value {
    json!({ "on": "submit", "do": name })
}

/// Nobody knows: confirmation pending, with a case.
fn unknown(fault: Value, http_status: Option<u16>, records: i64) -> Row {
    Row {
        fault,
        state: "confirmation_pending",
        reply: "unknown",
        http_status,
        records,
        case: Some("pending"),
    }
}

fn differs(what: &str) -> Row {
    Row {
        fault: json!({ "on": "submit", "do": "store_with_differences", "what": what }),
        state: "confirmed",
        reply: "accepted",
        http_status: Some(201),
        records: 1,
        case: Some("differences"),
    }
}

/// Longer than the request deadline of these tests.
fn sleeping(name: &str) -> Value {
    json!({ "on": "submit", "do": name, "seconds": 2.5 })
}

fn table() -> Vec<Row> {
    let mut rows = vec![
        unknown(fault("store_then_close"), None, 1),
        unknown(fault("close_without_store"), None, 0),
        unknown(fault("close_half_body"), None, 0),
        unknown(fault("store_then_500"), Some(500), 1),
        unknown(fault("500_without_store"), Some(500), 0),
        unknown(fault("store_then_502"), Some(502), 1),
        unknown(fault("store_then_503"), Some(503), 1),
        unknown(fault("store_then_504"), Some(504), 1),
        unknown(fault("store_then_truncated"), Some(201), 1),
        unknown(fault("store_then_html"), Some(200), 1),
        unknown(fault("store_then_empty"), Some(201), 1),
        unknown(fault("store_then_204"), Some(204), 1),
        unknown(fault("store_then_location"), Some(201), 1),
        unknown(fault("store_then_gzip_plain"), Some(201), 1),
        unknown(fault("store_then_gzip_bomb"), Some(201), 1),
        unknown(fault("huge"), Some(201), 1),
        unknown(fault("409_in_flight"), Some(409), 0),
        unknown(fault("409_business"), Some(409), 0),
        unknown(fault("redirect_301"), Some(301), 1),
        unknown(fault("redirect_302"), Some(302), 1),
        unknown(fault("redirect_307"), Some(307), 1),
        unknown(fault("redirect_308"), Some(308), 1),
        // not listed in the practice supplier's file, so they prove nothing
        unknown(fault("401"), Some(401), 0),
        unknown(fault("403"), Some(403), 0),
        unknown(fault("503"), Some(503), 0),
        // no complete answer before the deadline
        unknown(sleeping("store_then_sleep"), None, 1),
        unknown(sleeping("sleep_then_store"), None, 1),
        unknown(fault("drip"), None, 1),
        unknown(fault("store_then_silence"), None, 1),
    ];
    rows.extend(
        [
            "quantity",
            "price",
            "substitute",
            "missing_line",
            "extra_line",
            "currency",
            "date",
        ]
        .map(differs),
    );
    rows.push(Row {
        fault: fault("refuse_422"),
        state: "refused",
        reply: "refused",
        http_status: Some(422),
        records: 0,
        case: None,
    });
    rows.push(Row {
        fault: fault("accept_202"),
        state: "acknowledged",
        reply: "acknowledged",
        http_status: Some(202),
        records: 1,
        case: None,
    });
    rows
}

async fn approve(house: &House, buyer: &Session<'_>, intent: &str) -> String {
    let suggested = house.suggest(intent, &two_lines(intent)).await;
    buyer.approve(&suggested).await
}

#[tokio::test]
async fn every_fault_on_submit_ends_as_the_table_says_after_one_request() {
    let house = House::plan()
        .setting("request_deadline", "1s")
        .setting("send_by", "8s")
        .setting("lease", "10s")
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    let mut sent = Vec::new();
    for (number, row) in table().into_iter().enumerate() {
        house.faults(json!([row.fault])).await;
        let id = approve(&house, &buyer, &format!("fault-{number}")).await;
        // the fault is taken on arrival, so the next may be set while this one still sleeps
        house.wait_for_submits(number + 1).await;
        sent.push((row, id));
    }

    for (row, id) in &sent {
        ends_as_the_row_says(&house, row, id).await;
    }

    assert_eq!(house.submits().await.len(), sent.len(), "no request beyond");
    assert_eq!(house.stored().await.attempts, sent.len() as i64);
}

async fn ends_as_the_row_says(house: &House, row: &Row, id: &str) {
    let about = row.fault.to_string();
    let order = house
        .wait_for(id, &about, |order| {
            let attempt = &order["attempts"][0];
            order["state"] == row.state && !attempt["ended_at"].is_null()
        })
        .await;
    let attempt = &order["attempts"][0];
    assert_eq!(attempt["reply"], row.reply, "{about}");
    assert_eq!(attempt["http_status"], json!(row.http_status), "{about}");
    let detail = attempt["detail"].as_str().unwrap_or_default();
    assert!(detail.ends_with('.'), "{about}: how it ended, in words");
    assert_eq!(order["case"]["kind"], json!(row.case), "{about}");
    if row.case.is_some() {
        has_owner_and_deadline(&order["case"], &about);
    }
    let differences = row.case == Some("differences");
    assert_eq!(order["differences"], differences, "{about}");
    let named = attempt["differences"].as_array().map_or(0, Vec::len);
    assert_eq!(named > 0, differences, "{about}: {attempt}");
    eventually_counts(house, &order, row.records, &about).await;
}

/// `sleep_then_store` stores after we have given up; everything else is there at once.
async fn eventually_counts(house: &House, order: &Value, records: i64, about: &str) {
    let patience = std::time::Instant::now();
    while house.count(order).await < records && patience.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    house.assert_counts(order, 1, records, about).await;
}

fn has_owner_and_deadline(case: &Value, about: &str) {
    assert_eq!(case["owner_name"], "Rolf Resolver", "{about}");
    let moment = |name: &str| -> chrono::DateTime<chrono::Utc> {
        let text = case[name].as_str().unwrap_or_default();
        text.parse().expect(name)
    };
    assert_eq!(
        moment("due_at") - moment("opened_at"),
        chrono::TimeDelta::hours(4),
        "{about}"
    );
    let reason = case["reason"].as_str().unwrap_or_default();
    assert!(!reason.is_empty(), "{about}: {case}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_location_of_a_201_is_kept() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    house
        .faults(json!([
            { "on": "submit", "do": "redirect_307", "location": "/orders" },
            { "on": "submit", "do": "store_then_location" },
        ]))
        .await;

    let redirected = approve(&house, &buyer, "redirect").await;
    let redirected = house.wait_for_state(&redirected, "confirmation_pending").await;
    house.assert_counts(&redirected, 1, 1, "redirected").await;
    let detail = redirected["attempts"][0]["detail"].as_str();
    assert!(detail.is_some_and(|words| words.contains("/orders")));

    let located = approve(&house, &buyer, "located").await;
    let located = house.wait_for_state(&located, "confirmation_pending").await;
    house.assert_counts(&located, 1, 1, "located").await;
    let number = &house.records(&located).await[0]["number"];
    let reference = located["attempts"][0]["reference"].as_str();
    let number = number.as_str().expect("a number");
    assert!(reference.is_some_and(|kept| kept.ends_with(number)));
}

#[tokio::test]
async fn turned_away_with_429_is_tried_again_no_sooner_than_asked_and_then_confirmed() {
    let house = House::plan().setting("again_first", "100ms").start().await;
    let buyer = house.sign_in(BUYER).await;
    house
        .faults(json!([{ "on": "submit", "do": "429", "retry_after": "1" }]))
        .await;

    let id = approve(&house, &buyer, "busy").await;
    let order = house.wait_for_state(&id, "confirmed").await;

    house.assert_counts(&order, 2, 1, "429").await;
    let attempts = &order["attempts"];
    assert_eq!(attempts[0]["reply"], "not_sent");
    assert_eq!(attempts[0]["http_status"], 429);
    assert_eq!(attempts[1]["reply"], "accepted");
    let moment = |value: &Value| -> chrono::DateTime<chrono::Utc> {
        value.as_str().and_then(|text| text.parse().ok()).expect("a moment")
    };
    let waited = moment(&attempts[1]["started_at"]) - moment(&attempts[0]["ended_at"]);
    assert!(waited >= chrono::TimeDelta::seconds(1), "{waited}");
    let keys: Vec<_> = house
        .submits()
        .await
        .iter()
        .map(|submit| submit["key"].clone())
        .collect();
    assert_eq!(keys[0], keys[1], "the same key");
}

#[tokio::test]
async fn a_supplier_that_does_not_listen_gets_nothing_a_case_opens_and_later_one_order_arrives() {
    let mut house = House::plan()
        .setting("again_first", "100ms")
        .setting("again_most", "400ms")
        .setting("not_sent_case_after", "3")
        .start()
        .await;
    house.stop_supplier();
    let id = {
        let buyer = house.sign_in(BUYER).await;
        approve(&house, &buyer, "down").await
    };

    let order = house
        .wait_for(&id, "with a case", |order| !order["case"].is_null())
        .await;
    assert_eq!(order["case"]["kind"], "not_sent");
    has_owner_and_deadline(&order["case"], "not sent");
    let attempts = order["attempts"].as_array().expect("attempts");
    let ended: Vec<_> = attempts
        .iter()
        .filter(|attempt| !attempt["ended_at"].is_null())
        .collect();
    assert!(ended.len() >= 3, "{order:#}");
    for attempt in ended {
        assert_eq!(attempt["reply"], "not_sent");
        assert_eq!(attempt["http_status"], Value::Null);
    }

    house.restart_supplier().await;
    let order = house.wait_for_state(&id, "confirmed").await;
    assert_eq!(house.submits_of(&order).await, 1, "one request in all");
    assert_eq!(house.count(&order).await, 1);
    assert_eq!(order["case"], Value::Null, "the case is closed");
}

/// 401 in the file's `turned_away`: certainly not placed, and every further order would fare the same.
#[tokio::test]
async fn a_supplier_that_does_not_know_us_goes_on_hold_until_it_is_released() {
    let house = House::plan()
        .setting("again_first", "100ms")
        .supplier_file(|file| file.replace("[429]", "[429, 401, 503]"))
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    house.faults(json!([fault("401")])).await;

    let id = approve(&house, &buyer, "stranger").await;
    let order = house.wait_for(&id, "held", |order| order["held"] == true).await;
    assert_eq!(order["state"], "approved");
    assert_eq!(order["held_because"], "supplier");
    house.assert_counts(&order, 1, 0, "401").await;
    let open = "SELECT count(*) FROM cases WHERE kind = 'supplier_held' AND closed_at IS NULL";
    assert_eq!(house.number(open).await, 1);

    let released = house.run(&["supplier", "release", "practice"]);
    assert_eq!(released.status, 0, "{}", released.err);
    let order = house.wait_for_state(&id, "confirmed").await;
    house.assert_counts(&order, 2, 1, "released").await;
    assert_eq!(house.number(open).await, 0);
}

/// A web without worker, a worker of its own, and an order the supplier stores and then sleeps over.
async fn asleep(plan: Plan, seconds: f64) -> (House, Process, String) {
    let house = plan.no_worker().start().await;
    let worker = house.work().await;
    let sleep = json!([{ "on": "submit", "do": "store_then_sleep", "seconds": seconds }]);
    house.faults(sleep).await;
    let id = {
        let buyer = house.sign_in(BUYER).await;
        approve(&house, &buyer, "asleep").await
    };
    house.wait_for_submits(1).await;
    (house, worker, id)
}

/// A new worker sends another order, and nothing of the one in doubt.
async fn new_worker_leaves_it_alone(house: &House, doubtful: &str) {
    let _worker = house.work().await;
    let buyer = house.sign_in(BUYER).await;
    let other = approve(house, &buyer, "another").await;
    house.wait_for_state(&other, "confirmed").await;
    let order = house.order(doubtful).await;
    assert_eq!(order["state"], "confirmation_pending");
    house.assert_counts(&order, 1, 1, "in doubt").await;
}

/// Case C1.
#[tokio::test]
async fn a_worker_killed_during_the_call_leaves_its_order_pending_and_nobody_sends_it_again() {
    let (house, worker, id) = asleep(House::plan(), 1.5).await;
    assert_eq!(house.order(&id).await["state"], "submitting");

    drop(worker);

    let order = house.wait_for_state(&id, "confirmation_pending").await;
    assert_eq!(order["attempts"][0]["reply"], Value::Null);
    assert_eq!(order["case"]["kind"], "pending");
    has_owner_and_deadline(&order["case"], "killed");
    new_worker_leaves_it_alone(&house, &id).await;
}

/// Case C1: SIGTERM waits for the answer that is on its way.
#[tokio::test]
async fn a_worker_told_to_stop_stores_the_answer_that_is_under_way() {
    let (house, mut worker, id) = asleep(House::plan(), 1.0).await;

    worker.terminate();

    assert_eq!(worker.ended().await, Some(0));
    let order = house.order(&id).await;
    assert_eq!(order["state"], "confirmed", "{order:#}");
    house.assert_counts(&order, 1, 1, "stopped").await;
}

/// Case C1: past its grace a stopping worker leaves, and the sweep says what is true.
#[tokio::test]
async fn a_worker_that_stops_before_the_answer_leaves_its_order_pending() {
    let plan = House::plan().setting("grace", "200ms");
    let (house, mut worker, id) = asleep(plan, 1.8).await;

    worker.terminate();

    assert_eq!(worker.ended().await, Some(0));
    house.wait_for_state(&id, "confirmation_pending").await;
    new_worker_leaves_it_alone(&house, &id).await;
}

/// Case C2: frozen during the call and woken after its lease. Nothing is sent again, its reply stays its own.
#[tokio::test]
async fn a_worker_frozen_past_its_lease_sends_nothing_again_and_reports_on_its_own_attempt() {
    let (house, worker, id) = asleep(House::plan(), 0.5).await;

    worker.freeze();
    house.wait_for_state(&id, "confirmation_pending").await;
    new_worker_leaves_it_alone(&house, &id).await;
    worker.thaw();

    let order = house
        .wait_for(&id, "answered", |order| !order["attempts"][0]["ended_at"].is_null())
        .await;
    house.assert_counts(&order, 1, 1, "thawed").await;
    // its deadline passed while it was frozen: an answer that lay in the socket may be read or not
    let stands = (order["attempts"][0]["reply"].as_str(), order["state"].as_str());
    let honest = [
        (Some("unknown"), Some("confirmation_pending")),
        (Some("accepted"), Some("confirmed")),
    ];
    assert!(honest.contains(&stands), "{stands:?}");
}

/// Case C2 and rule 13: the answer was there, the worker froze before it could store it, the sweep had to doubt.
#[tokio::test]
async fn a_late_acceptance_is_kept_on_its_attempt_and_confirms_the_order() {
    let (house, worker, id) = asleep(House::plan(), 0.5).await;
    let lock = house.lock().await;
    answered(&house).await;
    // the worker has its answer by now, and waits for the lock
    tokio::time::sleep(Duration::from_millis(500)).await;
    worker.freeze();
    // on PostgreSQL the frozen worker has the lock from here on, until the server takes it away
    lock.rollback().await.expect("the lock given back");
    let doubtful = house.wait_for_state(&id, "confirmation_pending").await;
    assert_eq!(doubtful["attempts"][0]["reply"], Value::Null);

    worker.thaw();

    let order = house.wait_for_state(&id, "confirmed").await;
    assert_eq!(order["attempts"][0]["reply"], "accepted");
    assert_eq!(order["case"], Value::Null, "the doubt is answered");
    assert_eq!(order["supplier_reference"], house.records(&order).await[0]["number"]);
    house.assert_counts(&order, 1, 1, "late").await;
    let late = "SELECT count(*) FROM events WHERE body LIKE '%late_reply%'";
    assert_eq!(house.number(late).await, 1);
}

/// Case C2: frozen while it wrote what its node knows of the database, which every process of the machine does.
#[tokio::test]
async fn a_node_file_that_stays_locked_keeps_no_lease_from_being_swept_and_lets_nothing_out() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let worker = house.work_until("attempt_committed").await;
    let id = approve(&house, &buyer, "locked").await;
    until("the worker stands still", || async { worker.is_frozen().then_some(()) }).await;
    let healthy = house.work().await;
    let mut name = house.node_file().into_os_string();
    name.push(".lock");
    let lock = std::fs::File::create(name).expect("the lock");
    lock.lock().expect("locked");

    house.wait_for_state(&id, "confirmation_pending").await;
    let other = approve(&house, &buyer, "locked-other").await;
    until("the healthy one says why it sends nothing", || async {
        healthy.log().contains("no order could be claimed").then_some(())
    })
    .await;
    let order = house.order(&other).await;
    assert_eq!((&order["state"], house.count(&order).await), (&json!("approved"), 0));

    lock.unlock().expect("unlocked");

    house.wait_for_state(&other, "confirmed").await;
}

/// Case C2, before the first byte: the worker is frozen between its committed attempt and the send, and woken after the
/// order was given up for lost. Past its time to send it sends nothing, and its word settles the doubt.
#[tokio::test]
async fn a_worker_frozen_before_its_first_byte_sends_nothing_when_it_wakes() {
    let plan = House::plan().no_worker().setting("send_by", "300ms");
    let house = plan.setting("stop_at", "attempt_committed").start().await;
    let buyer = house.sign_in(BUYER).await;
    let id = approve(&house, &buyer, "frozen").await;
    let worker = house.work().await;
    let doubtful = house.wait_for_state(&id, "confirmation_pending").await;
    assert_eq!(doubtful["case"]["kind"], "pending");

    worker.thaw();

    let order = house.wait_for_state(&id, "approved").await;
    assert_eq!(
        order["held_because"], "not_found",
        "a person resumes or withdraws it: {order:#}"
    );
    assert_eq!(
        order["case"]["kind"], "not_sent",
        "the doubt is answered, and somebody owns the rest"
    );
    let attempt = &order["attempts"][0];
    assert_eq!(attempt["reply"], "not_sent");
    assert!(
        attempt["detail"].as_str().unwrap_or_default().contains("time to send"),
        "{attempt}"
    );
    assert_eq!(house.submits_of(&order).await, 0, "not a byte left");
    assert_eq!(house.count(&order).await, 0);
}

/// An order that was under way when its supplier went on hold, and comes back unsent, waits like the others.
#[tokio::test]
async fn an_order_turned_away_by_a_supplier_that_went_on_hold_meanwhile_is_held_too() {
    let plan = House::plan().no_worker().setting("again_first", "100ms");
    let house = plan.setting("stop_at", "attempt_committed").start().await;
    house.faults(json!([fault("429")])).await;
    let buyer = house.sign_in(BUYER).await;
    let id = approve(&house, &buyer, "meanwhile").await;
    let worker = house.work().await;
    house.wait_for_state(&id, "submitting").await;
    let held = house.run(&["supplier", "hold", "practice", "--reason", "they are down"]);
    assert_eq!(held.status, 0, "{held:?}");

    worker.thaw();

    let order = house.wait_for_state(&id, "approved").await;
    assert_eq!(order["held_because"], "supplier", "{order:#}");
    assert_eq!(order["attempts"][0]["reply"], "not_sent");
    assert_eq!(
        house.submits_of(&order).await,
        1,
        "nothing more goes to a supplier on hold"
    );
}

/// Waits until the supplier has answered its first submit.
async fn answered(house: &House) {
    let patience = std::time::Instant::now();
    while house.submits().await[0]["status"].is_null() {
        assert!(patience.elapsed() < Duration::from_secs(10), "no answer");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Case C6: thirty orders hang at the supplier, and pages and API answer as ever: before any of those calls is answered.
#[tokio::test]
async fn a_supplier_that_hangs_does_not_slow_the_screens() {
    const DUE: usize = 30;
    // a place for each order: a supplier gets half of them
    let plan = House::plan().setting("parallel", "60");
    let plan = plan.setting("request_deadline", "50s").setting("lease", "60s");
    let house = plan.start().await;
    let buyer = house.sign_in(BUYER).await;
    let sleep = json!({ "on": "submit", "do": "store_then_sleep", "seconds": 40 });
    house.faults(Value::Array(vec![sleep; DUE])).await;
    let mut ids = Vec::new();
    for number in 0..DUE {
        ids.push(approve(&house, &buyer, &format!("slow-{number}")).await);
    }
    house.wait_for_submits(DUE).await;

    for path in ["/", "/orders", "/suggestions", &format!("/orders/{}", ids[0])] {
        assert_eq!(buyer.get(path).await.status, 200, "{path}");
    }
    let one_more = house.suggest("while-it-hangs", &body("ONE-MORE")).await;
    buyer.approve(&one_more).await;

    let submits = house.submits().await;
    assert_eq!(submits.len(), DUE, "the thirty have every place of this supplier");
    let hangs = |submit: &&Value| submit["status"].is_null();
    assert_eq!(
        submits.iter().filter(hangs).count(),
        DUE,
        "and every one of them still hangs"
    );
    for id in ids {
        assert_eq!(house.count(&house.order(&id).await).await, 1, "stored there once");
    }
}
