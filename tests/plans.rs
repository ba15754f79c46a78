//! What is asked often finds its rows through an index, however long the history is, on either database.
//!
//! The statements are those that running processes send, read from their logs, and none is copied here: SQLite is asked
//! how it would carry out each; PostgreSQL tells with every statement how it did (`auto_explain`, as a notice to the
//! process that sent it). Rows of a big table may be read through an index that is searched for more than tenant and
//! supplier, since one of them may have everything; or out of an index that holds only open things.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "SQLite is asked about statements that were read from a log"
)]

mod support;

use serde_json::{Value, json};
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet};
use support::database::{either, on_postgres};
use support::fill::{Filling, Original, copied_order};
use support::home::{fault, id, page, until};
use support::{BUYER, House, MANAGER, Process, RESOLVER, Suggested, body};

/// What grows with every order.
const BIG: [&str; 12] = [
    "orders",
    "suggestions",
    "intents",
    "attempts",
    "attempt_steps",
    "events",
    "cases",
    "look_ups",
    "findings",
    "search_words",
    "outbox",
    "outbox_attempts",
];

/// Orders that are settled, and of each kind of thing that is open.
const SETTLED: i64 = 6_000;
const OPEN: i64 = 20;

/// Statements that must have been heard, each by words that no other has.
const HOT: [(&str, &str); 46] = [
    ("order_due", "d.due_at <= $1"),
    ("order_resume_due", "o.resume_at IS NOT NULL"),
    ("order_resume_void", "resume_at < $1"),
    ("order_ask_due", "look_up_at <= $1"),
    ("attempt_overdue", "lease_until <= $1"),
    ("order_waiting_since", "sendable_since <= $3"),
    ("open_cases", "c.closed_at IS NULL AND c.supplier IS NULL"),
    (
        "open_orders",
        "AND o.state || '' IN ('confirmed', 'refused', 'withdrawn')",
    ),
    (
        "open_suggestions",
        "AND g.state || '' NOT IN ('in_review', 'sent_back')",
    ),
    ("shown_orders", "o.supplier_reference, a.name AS approved_by_name"),
    ("shown_suggestions", "AS supplier_name, g.created_at, g.decision"),
    ("shown_cases", "SELECT c.id, p.name, c.reason"),
    ("cases_of", "ORDER BY c.order_id, c.id"),
    ("attempts_of", "ORDER BY attempts.order_id, number"),
    ("ever_in_doubt", "OR EXISTS (SELECT 1 FROM findings f"),
    ("names_of", "SELECT id, name FROM people WHERE id"),
    ("in_review_after", "(created_at, id) > ($2, $3)"),
    (
        "order_page, all",
        "$2 IS NULL AND (approved_at, id) < ($3, $4) AND $5 IS NULL",
    ),
    (
        "order_page, a state",
        "state = $2 AND (approved_at, id) < ($3, $4) AND $5 IS NULL",
    ),
    (
        "order_page, a supplier",
        "$2 IS NULL AND (approved_at, id) < ($3, $4) AND supplier = $5",
    ),
    (
        "order_page, both",
        "state = $2 AND (approved_at, id) < ($3, $4) AND supplier = $5",
    ),
    ("order_page, an owner", "owned CROSS JOIN orders"),
    ("order_fetch", "FROM orders WHERE tenant = $1 AND id = $2"),
    ("order_record", "UPDATE orders SET state = $1"),
    ("order_look_alikes", "approved_at >= $4 OR state IN"),
    ("suggestion_look_alikes", "look_alike_key = $2 AND state = 'in_review'"),
    (
        "event_list",
        "SELECT body FROM events WHERE tenant = $1 AND subject = $2 ORDER BY number",
    ),
    (
        "event_head",
        "SELECT event_number, event_hash FROM tenants WHERE id = $1",
    ),
    ("attempt_list", "FROM attempts WHERE order_id = $1 ORDER BY number"),
    ("case_list, an order's", "WHERE c.order_id = $1"),
    ("case_list, a suggestion's", "WHERE c.suggestion = $1"),
    ("case_results", "c.closed_at >= $2"),
    ("look_up_list", "FROM look_ups l LEFT JOIN people"),
    ("event_search, all", "$3 IS NULL AND $4 IS NULL AND at >= $5"),
    ("event_search, who", "actor = $3 AND $4 IS NULL AND at >= $5"),
    ("event_search, a kind", "$3 IS NULL AND kind = $4 AND at >= $5"),
    ("event_search, who and a kind", "actor = $3 AND kind = $4 AND at >= $5"),
    ("event_search, a subject", "AND +at >= $5"),
    ("event_place", "SELECT at FROM events"),
    ("attempt_ids", "SELECT order_id, id FROM attempts"),
    ("settled_since, the last word", "changed_at AS since, currency"),
    ("settled_since, the last case", "WITH last AS"),
    ("words_exact", "w.folded = $2 AND w.word = $3"),
    ("words_begin", "w.folded < $3"),
    ("ids_exact", "'operation_key' AS what"),
    ("case_to_remind", "remind_at IS NULL AND due_at <= $1"),
];

/// Asked once when a process starts, and content with the first row there is.
const FIRST_ROW: &str = "SELECT CAST(1 AS BIGINT) FROM orders LIMIT 1";

#[tokio::test]
async fn whatever_is_asked_often_uses_an_index() {
    let mut house = House::plan().no_worker().start().await;
    let old = a_history(&mut house).await;
    listen(&mut house).await;
    let worker = house.work().await;

    let heard = everybody_at_work(&mut house, &worker, &old).await;

    let plans = plans(&house, &heard).await;
    let silent: Vec<_> = HOT
        .iter()
        .filter(|(_, words)| !plans.keys().any(|sql| sql.contains(words)))
        .collect();
    assert!(silent.is_empty(), "not heard: {silent:?}");
    let slow: Vec<String> = plans
        .iter()
        .flat_map(|(sql, plan)| plan.iter().map(move |step| format!("{step}\n    in {sql}")))
        .collect();
    assert!(slow.is_empty(), "{} read too much:\n{}", slow.len(), slow.join("\n"));
}

/// What the people find in the house.
struct Old {
    pending: Value,
    sent_back: Suggested,
    waiting: Suggested,
}

/// Years of orders, most of them settled, a few of each kind open.
async fn a_history(house: &mut House) -> Old {
    house.set("look_up_first", "12h");
    house.set("look_up_most", "12h");
    let address = house.base.clone();
    house.restart_web().await;
    assert_eq!(house.base, address);
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let worker = house.work().await;
    let confirmed = house.buy(&buyer, "settled").await;
    house.wait_for_state(&confirmed, "confirmed").await;
    let home = house.lose(&buyer, "came-home", "store_then_close").await;
    resolver.does("look_up", &home, &[]).await;
    house.see_state(&home, "confirmed").await;
    let pending = house.lose(&buyer, "lost", "store_then_close").await;
    drop(worker);
    let held = house.buy(&buyer, "held").await;
    let order = house.order(&held).await;
    buyer.does("hold", &order, &[("reason", "waits for the budget")]).await;
    let due = house.buy(&buyer, "due").await;
    let waiting = house.suggest("waits", &body("waits")).await;
    let sent_back = house.suggest("back", &body("back")).await;
    drop((buyer, resolver));
    house.kill_web();

    let mut filling = Filling::of(house.database_url()).await;
    let mut from = 1;
    for (original, many) in [
        (Original::Order(&confirmed), SETTLED / 2),
        (Original::Order(id(&home)), SETTLED / 2),
        (Original::Order(id(&pending)), OPEN),
        (Original::Order(&held), OPEN),
        (Original::Order(&due), OPEN),
        (Original::Suggestion(&waiting.id), OPEN),
    ] {
        filling.copy(original, from..from + many).await;
        from += many;
    }
    filling.tell_of_cases().await;
    filling.done().await;
    Old {
        pending,
        sent_back,
        waiting,
    }
}

/// From now on the processes tell of every statement.
async fn listen(house: &mut House) {
    house.set(
        "RUST_LOG",
        either(
            "warn,countersign=info,sqlx::query=debug",
            "warn,countersign=info,sqlx::postgres::notice=info",
        ),
    );
    if on_postgres() {
        let pool = house.database().await;
        sqlx::raw_sql(
            "DO $$ BEGIN
                 EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = auto_explain', current_database());
                 EXECUTE format('ALTER DATABASE %I SET auto_explain.log_min_duration = 0', current_database());
                 EXECUTE format('ALTER DATABASE %I SET auto_explain.log_format = json', current_database());
                 EXECUTE format('ALTER DATABASE %I SET auto_explain.log_level = notice', current_database());
             END $$",
        )
        .execute(&pool)
        .await
        .expect("PostgreSQL tells its plans");
        pool.close().await;
    }
    house.restart_web().await;
}

/// People and programs do what they do all day, and the worker what it does. Answers what the processes logged.
async fn everybody_at_work(house: &mut House, worker: &Process, old: &Old) -> String {
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let owner = old.pending["case"]["owner"].as_str().expect("an owner");
    let settled = copied_order(SETTLED / 3);
    let came_home = copied_order(SETTLED - 10);
    // PostgreSQL may plan a statement anew once it has seen it five times
    for _ in 0..either(1, 6) {
        for path in [
            "/",
            "/?section=pending",
            "/?q=M8",
            "/?q=settled&mine=yes",
            "/queue-sheet",
            "/suggestions",
            "/orders",
            "/orders?state=confirmed",
        ] {
            assert_eq!(buyer.get(path).await.status, 200, "{path}");
        }
        for order in [&*settled, &*came_home, id(&old.pending)] {
            assert_eq!(resolver.get(&format!("/orders/{order}")).await.status, 200, "{order}");
        }
        for query in [
            "".to_owned(),
            "older=1000".to_owned(),
            "by=worker".to_owned(),
            "kind=findings".to_owned(),
            // what the worker never does
            "by=worker&kind=house".to_owned(),
            "from=2026-01-01&to=2026-01-02".to_owned(),
            format!("about={settled}"),
            format!("about={settled}&by=worker&kind=cases"),
        ] {
            let path = format!("/activity?{query}");
            assert_eq!(buyer.get(&path).await.status, 200, "{path}");
        }
        for one in [&old.waiting, &old.sent_back] {
            assert_eq!(
                buyer.get(&format!("/suggestions/{}", one.id)).await.status,
                200,
                "{}",
                one.id
            );
        }
        for query in [
            "".to_owned(),
            "&state=confirmed".to_owned(),
            "&supplier=practice".to_owned(),
            "&state=confirmed&supplier=practice".to_owned(),
            format!("&owner={owner}"),
            format!("&state=confirmation_pending&owner={owner}"),
            format!("&supplier=practice&owner={owner}"),
        ] {
            let path = format!("/api/v1/orders?limit=20{query}");
            assert_eq!(house.read(&path).await.status, 200, "{path}");
        }
    }
    for number in 0..either(2, 6) {
        let intent = format!("new-{number}");
        house.buy(&buyer, &intent).await;
        house.intent(&intent).await;
    }
    buyer
        .post(
            "/act/send_back",
            &[("suggestion", &*old.sent_back.id), ("reason", "too many")],
        )
        .await;
    // a fault is for the next submit, whosever it is; an attempt that is open may not have left yet
    until("every due order, sent and answered", || async {
        let on_its_way = house
            .number("SELECT count(*) FROM orders WHERE state = 'submitting' OR state = 'approved' AND holds = ''")
            .await;
        (on_its_way == 0).then_some(())
    })
    .await;
    house.faults(json!([fault("store_then_close")])).await;
    let lost = house.buy(&buyer, "new-lost").await;
    let lost = house.wait_for_state(&lost, "confirmation_pending").await;
    manager.does("resume", &lost, &[]).await;
    house.see_state(&lost, "confirmed").await;
    resolver.does("look_up", &old.pending, &[]).await;
    house.see_state(&old.pending, "confirmed").await;
    assert_eq!(buyer.get(&page(&lost)).await.status, 200);
    let mut heard = worker.log();
    heard.push_str(&house.web().log());
    heard
}

/// The statements that were heard, each with the steps of its plan that read too much.
async fn plans(house: &House, heard: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut plans = match on_postgres() {
        true => plans_of_postgres(house, heard).await,
        false => plans_of_sqlite(house, heard).await,
    };
    plans.retain(|sql, _| !sql.contains(FIRST_ROW));
    plans
}

/// One line, so that it can be compared and shown.
fn in_one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Indexes that hold only some rows of their table.
async fn partial_indexes(house: &House) -> BTreeSet<String> {
    let pool = house.database().await;
    let named = either(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'",
        "SELECT CAST(indexrelid::regclass AS TEXT) FROM pg_index WHERE indpred IS NOT NULL",
    );
    let names: Vec<String> = sqlx::query_scalar(named).fetch_all(&pool).await.expect("the indexes");
    pool.close().await;
    names.into_iter().collect()
}

// SQLite

async fn plans_of_sqlite(house: &House, heard: &str) -> BTreeMap<String, BTreeSet<String>> {
    let partial = partial_indexes(house).await;
    let pool = house.database().await;
    let mut plans = BTreeMap::new();
    for sql in statements(heard) {
        let explain = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")));
        let steps = explain
            .fetch_all(&pool)
            .await
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
        let steps = steps.iter().map(|step| step.get::<String, _>("detail"));
        let too_much = steps.filter(|step| reads_all_in_sqlite(step, &sql, &partial)).collect();
        plans.insert(sql, too_much);
    }
    pool.close().await;
    plans
}

/// The statements in a log of `sqlx::query`.
fn statements(heard: &str) -> BTreeSet<String> {
    let quoted = heard.split("db.statement=").skip(1).filter_map(|rest| {
        let mut texts = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        texts.next()?.ok()
    });
    let verbs = ["SELECT ", "WITH ", "UPDATE ", "INSERT ", "DELETE "];
    quoted
        .map(|sql| in_one_line(&sql))
        .filter(|sql| verbs.iter().any(|verb| sql.starts_with(verb)))
        .collect()
}

/// Whether this step goes through a big table from one end to the other, or through all that a tenant has of it:
/// "SCAN o", "SCAN o USING INDEX …", "SEARCH o USING INDEX … (tenant=?)".
fn reads_all_in_sqlite(step: &str, sql: &str, partial: &BTreeSet<String>) -> bool {
    let (verb, rest) = step.split_once(' ').unwrap_or_default();
    let mut words = rest.split(' ');
    let table = table_of(words.next().unwrap_or_default(), sql);
    let condition = rest.split_once('(').map_or("", |(_, condition)| condition);
    let everything = verb == "SCAN" || verb == "SEARCH" && names_only_whose(condition);
    // words come in the order of their index: to sort them all that match would have to be read
    let sorts_words = step.contains("TEMP B-TREE FOR") && sql.contains("FROM search_words w");
    sorts_words || everything && BIG.contains(&table) && !words.any(|word| partial.contains(word))
}

/// Whether an index is searched for nothing but whose rows they are: "tenant=? AND supplier=?)", "(tenant = $1)".
fn names_only_whose(condition: &str) -> bool {
    let mut columns = condition.split(" AND ").map(|term| {
        let column = term.trim_start_matches('(').split(['=', ' ', '>', '<']).next();
        column.unwrap_or_default()
    });
    columns.all(|column| column == "tenant" || column == "supplier")
}

/// The table that goes by this name in a statement.
fn table_of<'a>(name: &'a str, sql: &'a str) -> &'a str {
    let words: Vec<&str> = sql.split([' ', ',', '(', ')']).collect();
    let named = words.windows(2).find(|pair| pair[1] == name && BIG.contains(&pair[0]));
    named.map_or(name, |pair| pair[0])
}

// PostgreSQL

async fn plans_of_postgres(house: &House, heard: &str) -> BTreeMap<String, BTreeSet<String>> {
    let partial = partial_indexes(house).await;
    let mut plans: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for told in heard.split(" plan:\n").skip(1) {
        let told = serde_json::Deserializer::from_str(told).into_iter::<Value>().next();
        let told = told.expect("a plan").expect("a plan that can be read");
        let sql = in_one_line(told["Query Text"].as_str().expect("its statement"));
        let too_much = plans.entry(sql).or_default();
        walk(&told["Plan"], &mut |step| {
            if reads_all_in_postgres(step, &partial) {
                let name = |what: &str| step[what].as_str().unwrap_or_default().to_owned();
                too_much.insert(format!(
                    "{} {} {}",
                    name("Node Type"),
                    name("Relation Name"),
                    name("Index Name")
                ));
            }
        });
    }
    plans
}

fn walk(step: &Value, see: &mut impl FnMut(&Value)) {
    see(step);
    for below in step["Plans"].as_array().into_iter().flatten() {
        walk(below, see);
    }
}

/// Whether a big table is one that this history fills. PostgreSQL reads a table of few rows whole, index or not; SQLite
/// does not go by numbers, so there the others are judged too.
fn is_full(table: &str) -> bool {
    BIG.contains(&table) && !["cases", "findings"].contains(&table)
}

/// As `reads_all_in_sqlite`, of a step as PostgreSQL tells it. What is read through a bitmap is told by the step below.
fn reads_all_in_postgres(step: &Value, partial: &BTreeSet<String>) -> bool {
    let text = |name: &str| step[name].as_str().unwrap_or_default();
    let everything = || {
        let condition = &step["Index Cond"];
        let whole = condition.as_str().is_none_or(names_only_whose);
        whole && !partial.contains(text("Index Name"))
    };
    match text("Node Type") {
        "Seq Scan" => is_full(text("Relation Name")),
        "Index Scan" | "Index Only Scan" => is_full(text("Relation Name")) && everything(),
        "Bitmap Index Scan" => everything(),
        _ => false,
    }
}

#[test]
fn a_step_that_reads_everything_is_told_from_one_that_searches() {
    let partial = BTreeSet::from(["orders_due".to_owned()]);
    let sql = "SELECT o.id FROM orders o JOIN people p ON p.id = o.approved_by";
    let too_much = |step| reads_all_in_sqlite(step, sql, &partial);
    assert!(too_much("SCAN o"));
    assert!(too_much("SCAN o USING INDEX orders_by_time"));
    assert!(!too_much("SCAN o USING INDEX orders_due"));
    assert!(!too_much("SCAN p"), "there are few people");
    assert!(too_much("SEARCH o USING INDEX orders_by_time (tenant=?)"));
    assert!(too_much(
        "SEARCH o USING COVERING INDEX orders_by_supplier (tenant=? AND supplier=?)"
    ));
    assert!(!too_much(
        "SEARCH o USING INDEX orders_by_time (tenant=? AND (approved_at,id)<(?,?))"
    ));
    assert!(!too_much("SEARCH o USING INDEX sqlite_autoindex_orders_1 (id=?)"));
    let sorted = "USE TEMP B-TREE FOR ORDER BY";
    assert!(!too_much(sorted), "there are few of them");
    assert!(reads_all_in_sqlite(
        sorted,
        "SELECT w.what FROM search_words w",
        &partial
    ));

    let too_much = |step: Value| reads_all_in_postgres(&step, &partial);
    let scan = |index: &str, condition: &str| json!({ "Node Type": "Index Scan", "Relation Name": "orders", "Index Name": index, "Index Cond": condition });
    assert!(too_much(json!({ "Node Type": "Seq Scan", "Relation Name": "orders" })));
    assert!(!too_much(json!({ "Node Type": "Seq Scan", "Relation Name": "people" })));
    assert!(too_much(scan("orders_by_time", "(tenant = $1)")));
    assert!(too_much(scan(
        "orders_by_supplier",
        "((tenant = $1) AND (supplier = $2))"
    )));
    assert!(!too_much(scan("orders_due", "(tenant = s.tenant)")));
    assert!(!too_much(scan(
        "orders_by_state",
        "((tenant = $1) AND (state = 'approved'::text))"
    )));
}
