//! What whoever watches the machine reads: `/metrics`, and logs as objects.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a plan is asked for with the program's own statements, not with input"
)]

mod support;

use countersign::store::Store;
use countersign::store::figures::STATEMENTS;
use serde_json::{Value, json};
use sqlx::{Connection, Row, SqliteConnection};
use std::collections::BTreeMap;
use std::time::Duration;
use support::{Answer, BUYER, House, Plan, Process, RESOLVER, body};

/// Samples by name with labels, as they are written.
async fn metrics(house: &House) -> BTreeMap<String, f64> {
    metrics_at(house, &house.base).await
}

async fn metrics_at(house: &House, base: &str) -> BTreeMap<String, f64> {
    let answer = Answer::of(house.http.get(format!("{base}/metrics"))).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/plain; version=0.0.4; charset=utf-8")
    );
    for line in answer.text.lines().filter(|line| line.starts_with("# TYPE")) {
        assert!(line.starts_with("# TYPE countersign_"), "{line}");
    }
    let samples = answer.text.lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a sample");
        (name.to_owned(), value.parse().expect("a number"))
    };
    samples.map(sample).collect()
}

fn read(metrics: &BTreeMap<String, f64>, name: &str) -> f64 {
    *metrics.get(name).unwrap_or_else(|| panic!("{name} in {metrics:#?}"))
}

/// A house that asks suppliers once in a long while.
fn plan() -> Plan {
    House::plan().setting("look_up_first", "1h")
}

#[tokio::test]
async fn metrics_tell_what_is_open_and_what_this_process_did() {
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let before = metrics(&house).await;
    assert_eq!(read(&before, "countersign_database_up"), 1.0);
    assert_eq!(read(&before, "countersign_attempts_total{reply=\"accepted\"}"), 0.0);
    assert_eq!(read(&before, "countersign_oldest_doubt_seconds"), 0.0);
    assert_eq!(read(&before, "countersign_workers"), 1.0);
    assert_eq!(read(&before, "countersign_tenants_paused"), 0.0);

    let placed = buyer.approve(&house.suggest("placed", &body("PLACED")).await).await;
    house.wait_for_state(&placed, "confirmed").await;
    house
        .faults(json!([{ "on": "submit", "do": "store_then_close" }]))
        .await;
    let lost = buyer.approve(&house.suggest("lost", &body("LOST")).await).await;
    house.wait_for_state(&lost, "confirmation_pending").await;
    assert_eq!(house.run(&["supplier", "hold", "practice"]).status, 0);
    buyer.approve(&house.suggest("held", &body("HELD")).await).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;

    let now = metrics(&house).await;
    for (name, value) in [
        ("countersign_orders_open{state=\"confirmation_pending\"}", 1.0),
        ("countersign_orders_open{state=\"approved\"}", 1.0),
        ("countersign_orders_due", 0.0),
        // of the order in doubt, and of the supplier on hold
        ("countersign_cases_open", 2.0),
        ("countersign_cases_overdue", 0.0),
        ("countersign_cases_unowned", 0.0),
        ("countersign_mails_in_vain", 0.0),
        ("countersign_attempts_total{reply=\"accepted\"}", 1.0),
        ("countersign_attempts_total{reply=\"unknown\"}", 1.0),
        ("countersign_attempts_total{reply=\"refused\"}", 0.0),
        ("countersign_look_ups_total{answer=\"found\"}", 0.0),
    ] {
        assert_eq!(read(&now, name), value, "{name}");
    }
    let age = read(&now, "countersign_oldest_doubt_seconds");
    assert!((1.0..60.0).contains(&age), "{age}");

    // what should not be, is told
    let raw = house.database().await;
    for statement in [
        "UPDATE people SET disabled_at = 1 WHERE id IN (SELECT owner FROM cases)",
        "UPDATE cases SET due_at = 1 WHERE kind = 'pending'",
        "INSERT INTO pauses (tenant, since, because, gap_at) SELECT id, 1, 'a copy', 1 FROM tenants",
    ] {
        sqlx::query(statement).execute(&raw).await.expect(statement);
    }
    raw.close().await;
    let wrong = metrics(&house).await;
    assert_eq!(read(&wrong, "countersign_cases_unowned"), 2.0);
    assert_eq!(read(&wrong, "countersign_cases_overdue"), 1.0);
    assert_eq!(read(&wrong, "countersign_tenants_paused"), 1.0);
}

#[tokio::test]
async fn due_orders_are_counted_while_nobody_works() {
    let house = plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    buyer.approve(&house.suggest("waits", &body("WAITS")).await).await;
    let now = metrics(&house).await;
    assert_eq!(read(&now, "countersign_orders_due"), 1.0);
    assert_eq!(read(&now, "countersign_workers"), 0.0, "only the pages are served");
    assert_eq!(read(&now, "countersign_orders_open{state=\"approved\"}"), 1.0);
}

#[tokio::test]
async fn a_worker_without_pages_is_watched_at_an_address_of_its_own() {
    let house = House::plan()
        .setting("look_up_first", "100ms")
        .no_worker()
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    house
        .faults(json!([{ "on": "submit", "do": "store_then_close" }]))
        .await;
    let lost = buyer.approve(&house.suggest("lost", &body("LOST")).await).await;
    let worker = house
        .start_verb(&["work", "--listen", "127.0.0.1:0"], "watched at http://")
        .await;
    house.wait_for_state(&lost, "confirmed").await;
    let done = metrics_at(&house, &worker.base).await;
    assert_eq!(read(&done, "countersign_attempts_total{reply=\"unknown\"}"), 1.0);
    assert_eq!(read(&done, "countersign_look_ups_total{answer=\"found\"}"), 1.0);
    let page = Answer::of(house.http.get(format!("{}/sign-in", worker.base))).await;
    assert_eq!(page.status, 404, "no pages there");
}

#[tokio::test]
async fn requests_are_measured_by_route_and_carry_no_ids_or_names() {
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let order = buyer
        .approve(&house.suggest("secret-wish", &body("M8-SECRET")).await)
        .await;
    house.wait_for_state(&order, "confirmed").await;
    house.read("/api/v1/orders?supplier=practice&limit=7").await;
    Answer::of(house.http.get(format!("{}/no/such/page", house.base))).await;
    let answer = Answer::of(house.http.get(format!("{}/metrics", house.base))).await.text;
    for said in [
        "route=\"/api/v1/orders/{order_id}\",status=\"2xx\"",
        "method=\"PUT\",route=\"/api/v1/intents/{intent_id}/suggestion\"",
        "route=\"/act/approve\",status=\"3xx\"",
        "method=\"GET\",route=\"none\",status=\"3xx\"",
        "le=\"0.05\"",
    ] {
        assert!(answer.contains(said), "{said} in {answer}");
    }
    for unsaid in [&*order, "secret", "SECRET", "House", "Bea", "practice", "limit", "cst_"] {
        assert!(!answer.contains(unsaid), "{unsaid} in {answer}");
    }
}

#[tokio::test]
async fn counting_costs_no_more_when_there_is_more_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("plans.db").display());
    let store = Store::open(&url, true).await.expect("opens");
    store.migrate().await.expect("migrates");
    let mut raw = SqliteConnection::connect(&url).await.expect("connects");
    for statement in STATEMENTS {
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let steps = sqlx::query(explain).bind(1_i64).fetch_all(&mut raw).await;
        let steps = steps.or(
            sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}")))
                .fetch_all(&mut raw)
                .await,
        );
        for step in steps.expect(statement) {
            let step: String = step.get("detail");
            let by = [
                "pauses_open",
                "orders_open",
                "orders_due",
                "cases_open",
                "cases_to_remind",
                "nodes_by_beat",
                "outbox_in_vain",
                "sqlite_autoindex_people",
            ];
            let uses_one = by.iter().any(|index| step.contains(index)) || step.contains("TEMP B-TREE");
            assert!(uses_one, "{statement}: {step}");
        }
    }
}

/// Every line that this process has logged is an object; those that a test looks for.
fn objects(process: &Process) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    process.log().lines().map(parse).collect()
}

fn spans_of<'a>(lines: &'a [Value], message: &str) -> Vec<&'a Value> {
    let with = |line: &&Value| line["message"].as_str().is_some_and(|said| said.contains(message));
    lines.iter().filter(with).collect()
}

#[tokio::test]
async fn logs_are_objects_and_name_order_attempt_supplier_and_tenant() {
    let house = plan()
        .setting("log", "json")
        .setting("look_up_first", "100ms")
        .no_worker()
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    house
        .faults(json!([{ "on": "submit", "do": "store_then_close" }]))
        .await;
    let lost = buyer.approve(&house.suggest("lost", &body("LOST")).await).await;
    let worker = house.start_verb(&["work"], "working").await;
    let order = house.wait_for_state(&lost, "confirmed").await;

    let lines = objects(&worker);
    for line in &lines {
        for member in ["timestamp", "level", "target", "message"] {
            assert!(line[member].is_string(), "{member} in {line}");
        }
    }
    let ended = spans_of(&lines, "the attempt ended");
    let [ended] = &ended[..] else { panic!("{lines:#?}") };
    assert_eq!(ended["reply"], "unknown");
    let span = &ended["span"];
    assert_eq!(
        (&span["order"], &span["attempt"]),
        (&order["id"], &order["attempts"][0]["id"])
    );
    assert_eq!(
        (&span["supplier"], &span["name"]),
        (&json!("practice"), &json!("submit"))
    );
    assert!(span["tenant"].as_str().is_some_and(|tenant| tenant.starts_with("ten_")));
    let asked = spans_of(&lines, "the supplier was asked");
    let found = asked.iter().find(|line| line["answer"] == "found").expect("an answer");
    assert_eq!(
        (&found["span"]["order"], &found["span"]["name"]),
        (&order["id"], &json!("look_up"))
    );
}

#[tokio::test]
async fn a_request_is_named_by_method_and_route_and_nothing_else_of_it_is_logged() {
    let house = plan()
        .setting("log", "json")
        .setting("RUST_LOG", "countersign=debug")
        .start()
        .await;
    let resolver = house.sign_in(RESOLVER).await;
    resolver.get("/orders?state=approved&token=hunter2").await;
    house.read("/api/v1/orders?limit=3").await;
    let log = house.web_log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    let answered = spans_of(&lines, "answered");
    let page = answered
        .iter()
        .find(|line| line["span"]["route"] == "/orders")
        .expect("the page");
    assert_eq!((&page["span"]["method"], &page["status"]), (&json!("GET"), &json!(200)));
    for unsaid in ["hunter2", "limit=3", house.reading(), support::PASSWORD] {
        assert!(!log.contains(unsaid), "{unsaid} in {log}");
    }
}

#[test]
fn a_failure_is_an_object_too_where_logs_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = support::run_in(folder.path(), &[("log", "json".to_owned())], &["work"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    for line in ran.err.lines() {
        let line: Value = serde_json::from_str(line).expect("an object");
        assert!(line["message"].is_string(), "{line}");
    }
}
