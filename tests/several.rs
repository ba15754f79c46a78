//! Several processes on one database: who sends, who notices, what is left when one of them, or the wire to the database,
//! is gone. Counted at the supplier: one approval, at most one purchase (rule 1).

mod support;

use countersign::domain::ids::NodeId;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::AnyPool;
use std::time::{Duration, Instant};
use support::cut::{Lost, Wire};
use support::database::only_on_postgres;
use support::home::{assert_owned, fault, until};
use support::{Answer, BUYER, House, Plan, RESOLVER, Session, Suggested, body};

/// Within a test nothing wakes a worker by itself.
const NEVER: &str = "1h";
/// What is heard is done at once; the rest is what a busy machine takes.
const AT_ONCE: Duration = Duration::from_secs(20);
const NEEDS_SERVER: &str = "several processes share a database server";

/// `serve --no-worker`, with short leases; workers come when a test wants them.
fn plan() -> Plan {
    House::plan().no_worker().setting("again_first", "500ms")
}

async fn ready(house: &House, base: &str) -> Answer {
    Answer::of(house.http.get(format!("{base}/ready"))).await
}

/// A form post of this person at another web node.
async fn post_at(person: &Session<'_>, base: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let post = person.house.http.post(format!("{base}{path}"));
    let post = post.header("Origin", base).header("Cookie", &person.cookie);
    Answer::of(post.header("Accept", "text/html").form(fields)).await
}

async fn approve_at(person: &Session<'_>, base: &str, shown: &Suggested) -> Answer {
    let fields = [("suggestion", &*shown.id), ("digest", &*shown.digest)];
    post_at(person, base, "/act/approve", &fields).await
}

async fn count(pool: &AnyPool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.expect(sql)
}

/// One record at the supplier at most, and an honest state with an owner.
async fn assert_honest(house: &House, order: &Value, about: &str) {
    let records = house.count(order).await;
    match order["state"].as_str() {
        Some("confirmed") => assert_eq!(records, 1, "{about}: {order:#}"),
        Some("confirmation_pending") => {
            assert!(records <= 1, "{about}: {records} records of {order:#}");
            assert_owned(order, "pending");
        }
        other => panic!("{about}: {other:?} is neither confirmed nor pending: {order:#}"),
    }
}

#[tokio::test]
async fn a_worker_killed_at_any_point_leaves_one_record_or_none_while_the_others_go_on() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let other_web = house.serve(&["--no-worker"], &[]).await;
    let buyer = house.sign_in(BUYER).await;
    for point in [
        "before_attempt",
        "attempt_committed",
        "answer_received",
        "reply_committed",
    ] {
        let order = house.buy(&buyer, &format!("dies-{point}")).await;
        let dying = house.work_until(point).await;
        until("it stands still", || async { dying.is_frozen().then_some(()) }).await;
        let _going_on = (house.work().await, house.work().await);
        let mut others = Vec::new();
        for number in 0..3 {
            let intent = format!("goes-on-{point}-{number}");
            let shown = house.suggest(&intent, &body(&intent)).await;
            let answer = approve_at(&buyer, &other_web.base, &shown).await;
            let order = answer.location().strip_prefix("/orders/").expect("an order's page");
            others.push(order.to_owned());
        }
        drop(dying);
        for other in &others {
            let other = house.wait_for_state(other, "confirmed").await;
            house.assert_counts(&other, 1, 1, point).await;
        }
        let ended = |order: &Value| order["state"] == "confirmed" || order["state"] == "confirmation_pending";
        let order = house.wait_for(&order, "over", ended).await;
        assert_honest(&house, &order, point).await;
    }
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn workers_that_share_sixty_due_orders_send_each_of_them_once() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut due = Vec::new();
    for number in 0..60 {
        due.push(house.buy(&buyer, &format!("shared-{number}")).await);
    }
    let _workers = (
        house.work().await,
        house.work().await,
        house.work().await,
        house.work().await,
    );
    for order in &due {
        let order = house.wait_for_state(order, "confirmed").await;
        house.assert_counts(&order, 1, 1, "shared").await;
    }
    assert_eq!(house.submits().await.len(), due.len());
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn an_order_that_somebody_else_has_in_hand_is_passed_over() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let (held, free) = (house.buy(&buyer, "in-hand").await, house.buy(&buyer, "free").await);
    let pool = house.database().await;
    let mut hand = pool.begin().await.expect("a transaction");
    let lock = sqlx::query("SELECT id FROM orders WHERE id = $1 FOR UPDATE").bind(&held);
    lock.execute(&mut *hand).await.expect("the row");

    let _worker = house.work().await;

    house.wait_for_state(&free, "confirmed").await;
    assert_eq!(house.order(&held).await["state"], "approved");
    hand.rollback().await.expect("given back");
    house.wait_for_state(&held, "confirmed").await;
    assert_eq!(house.submits().await.len(), 2);
}

#[tokio::test]
async fn what_is_approved_on_one_node_is_sent_by_the_worker_of_another_at_once() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().setting("wake", NEVER).start().await;
    let buyer = house.sign_in(BUYER).await;
    let wire = Wire::to(house.database_url()).await;
    let worker = house.work_over(&wire).await;
    let sent_at_once = async |intent: &str| {
        let shown = house.suggest(intent, &body(intent)).await;
        let before = Instant::now();
        let order = buyer.approve(&shown).await;
        house.wait_for_state(&order, "confirmed").await;
        assert!(before.elapsed() < AT_ONCE, "{intent}: {:?}", before.elapsed());
    };
    sent_at_once("heard").await;

    // the connection on which it listens is cut: it listens again, and finds what it missed
    wire.down();
    let missed = house.buy(&buyer, "missed").await;
    until("said", || async {
        worker.log().contains("are not heard").then_some(())
    })
    .await;
    wire.up();
    house.wait_for_state(&missed, "confirmed").await;
    sent_at_once("heard-again").await;
    assert_eq!(worker.log().matches("are not heard").count(), 1, "said once");
}

#[tokio::test]
async fn a_node_told_to_stop_during_a_slow_call_finishes_it_or_leaves_it_pending_and_is_listed_no_more() {
    for (grace, state) in [("5s", "confirmed"), ("200ms", "confirmation_pending")] {
        let house = plan().start().await;
        let buyer = house.sign_in(BUYER).await;
        for (number, serves) in [true, false].into_iter().enumerate() {
            let sent_before = house.submits().await.len();
            let mut node = match serves {
                true => house.serve(&[], &[("grace", grace)]).await,
                false => house.work_with(&[("grace", grace)]).await,
            };
            house
                .faults(json!([{ "on": "submit", "do": "store_then_sleep", "seconds": 1.2 }]))
                .await;
            let order = house.buy(&buyer, &format!("stops-{number}")).await;
            house.wait_for_submits(sent_before + 1).await;
            let listed = "SELECT count(*) FROM nodes WHERE works = 1";
            assert_eq!(house.number(listed).await, 1);

            node.terminate();

            assert_eq!(node.ended().await, Some(0), "{grace}");
            assert_eq!(house.number(listed).await, 0, "{grace}");
            let order = house.wait_for_state(&order, state).await;
            house.assert_counts(&order, 1, 1, grace).await;
            assert_honest(&house, &order, grace).await;
        }
    }
}

#[tokio::test]
async fn a_second_call_to_stop_ends_a_node_that_waits() {
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut node = house.work_with(&[("grace", "60s")]).await;
    house
        .faults(json!([{ "on": "submit", "do": "store_then_sleep", "seconds": 1.8 }]))
        .await;
    let order = house.buy(&buyer, "impatient").await;
    house.wait_for_submits(1).await;
    node.terminate();
    until("it waits", || async {
        node.log().contains("waiting for 1 calls").then_some(())
    })
    .await;

    node.terminate();

    assert_eq!(
        node.ended().await,
        Some(1),
        "what was under way is abandoned, and it says so"
    );
    let order = house.wait_for_state(&order, "confirmation_pending").await;
    assert_honest(&house, &order, "abandoned").await;
}

#[tokio::test]
async fn every_process_is_listed_as_what_it_is_and_a_silent_one_is_forgotten_after_an_hour() {
    let house = plan().start().await;
    let _worker = house.work().await;
    let pool = house.database().await;
    let nodes: Vec<(String, String, i64, i64, String)> =
        sqlx::query_as("SELECT id, host, serves, works, version FROM nodes ORDER BY started_at")
            .fetch_all(&pool)
            .await
            .expect("the nodes");
    let roles: Vec<_> = nodes.iter().map(|node| (node.2, node.3)).collect();
    assert_eq!(roles, [(1, 0), (0, 1)], "{nodes:?}");
    for (id, host, _, _, version) in &nodes {
        assert!(id.parse::<NodeId>().is_ok() && !host.is_empty(), "{nodes:?}");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }
    let beats = "SELECT min(beat_at) FROM nodes";
    let first = count(&pool, beats).await;
    until("another beat of both", || async {
        (count(&pool, beats).await > first).then_some(())
    })
    .await;

    // one that was killed long ago, and one that was heard of lately
    let old = "INSERT INTO nodes (id, host, serves, works, version, started_at, beat_at)
               SELECT 'node_000000000000', 'gone', 0, 1, '0', 0, max(beat_at) - 3660000000 FROM nodes";
    let late = "INSERT INTO nodes (id, host, serves, works, version, started_at, beat_at)
                SELECT 'node_000000000001', 'late', 0, 1, '0', 0, max(beat_at) - 3000000000 FROM nodes";
    for sql in [late, old] {
        sqlx::query(sql).execute(&pool).await.expect(sql);
    }
    let known = "SELECT count(*) FROM nodes WHERE id = 'node_000000000000'";
    until("forgotten", || async { (count(&pool, known).await == 0).then_some(()) }).await;
    assert_eq!(count(&pool, "SELECT count(*) FROM nodes").await, 3);
}

#[tokio::test]
async fn ready_names_a_missing_worker_and_check_remarks_on_it() {
    let house = plan().start().await;
    let waiting = ready(&house, &house.base).await;
    assert_eq!(waiting.status, 503, "{waiting:?}");
    assert!(waiting.text.contains("worker: there is none"), "{waiting:?}");
    let check = house.run(&["check"]);
    assert_eq!(check.status, 0, "{}", check.err);
    assert!(check.err.contains("no worker was heard of"), "{}", check.err);
    let mut worker = house.work().await;
    let now = ready(&house, &house.base).await;
    assert_eq!((now.status, &*now.text), (200, "ready\n"));
    assert!(!house.run(&["check"]).err.contains("no worker"));
    worker.terminate();
    worker.ended().await;
    assert_eq!(ready(&house, &house.base).await.status, 503);
    // killed: its row stays, and is not counted on after half a minute
    drop(house.work().await);
    assert_eq!(ready(&house, &house.base).await.status, 200);
    let pool = house.database().await;
    let past = "UPDATE nodes SET beat_at = beat_at - 31000000 WHERE works = 1";
    sqlx::query(past).execute(&pool).await.expect(past);
    let silent = ready(&house, &house.base).await;
    assert_eq!(silent.status, 503);
    assert!(silent.text.contains("worker: none was heard of for 3"), "{silent:?}");
}

#[tokio::test]
async fn while_the_database_is_away_every_door_says_so_and_nothing_is_lost() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let wire = Wire::to(house.database_url()).await;
    let mut web = house.serve(&[], &[("database_url", &wire.url)]).await;
    assert_eq!(ready(&house, &web.base).await.status, 200);
    house.put_intent("away").await;
    wire.down();
    let said = ready(&house, &web.base).await;
    assert_eq!(said.status, 503);
    assert!(said.text.contains("database: "), "{said:?}");
    let health = Answer::of(house.http.get(format!("{}/health", web.base))).await;
    assert_eq!(health.status, 200);
    let intent = house.http.put(format!("{}/api/v1/intents/away/suggestion", web.base));
    let refused = Answer::of(intent.bearer_auth(house.intake()).json(&body("away"))).await;
    assert_eq!((refused.status, &*refused.problem()), (503, "unavailable"));
    let page = house.http.get(format!("{}/", web.base)).header("Cookie", &buyer.cookie);
    let page = Answer::of(page).await;
    assert_eq!(page.status, 503, "{page:?}");
    assert!(
        !page.text.contains("sqlx") && page.text.contains("database"),
        "{page:?}"
    );

    wire.up();

    until("ready again", || async {
        (ready(&house, &web.base).await.status == 200).then_some(())
    })
    .await;
    let order = house.buy(&buyer, "away").await;
    house.wait_for_state(&order, "confirmed").await;
    web.terminate();
    assert_eq!(web.ended().await, Some(0));
}

/// The attempt may be kept or not: nothing was sent, and it says so instead of leaving doubt.
#[tokio::test]
async fn a_claim_whose_commit_was_not_answered_is_not_sent_and_the_order_is_due_again() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let wire = Wire::to(house.database_url()).await;
    let worker = house.work_over(&wire).await;
    for lost in Lost::BOTH {
        let intent = format!("claim-{lost:?}");
        let shown = house.suggest(&intent, &body(&intent)).await;
        wire.lose_commit("INSERT INTO attempts", lost);
        let order = buyer.approve(&shown).await;
        let order = house.wait_for_state(&order, "confirmed").await;
        assert!(wire.was_cut(), "{lost:?}");
        let attempts = order["attempts"].as_array().expect("attempts");
        match lost {
            Lost::OnItsWay => assert_eq!(attempts.len(), 1, "{order:#}"),
            Lost::Answer => {
                assert_eq!(attempts.len(), 2, "{order:#}");
                assert_eq!(attempts[0]["reply"], "not_sent");
                let said = attempts[0]["detail"].as_str().expect("a detail");
                assert!(said.contains("did not say whether the attempt was kept"), "{said}");
            }
        }
        assert_eq!(
            (house.submits_of(&order).await, house.count(&order).await),
            (1, 1),
            "{lost:?}"
        );
        assert_eq!(order["cases"], json!([]), "nobody was in doubt");
    }
    assert!(worker.log().contains("whether this attempt is kept is not known"));
    house.assert_log_is_whole().await;
}

/// It cannot find out in time: the lease lapses, which is honest too, and later it tells that nothing was sent.
#[tokio::test]
async fn a_claim_that_was_not_answered_while_the_database_stays_away_is_pending_until_its_process_tells() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let wire = Wire::to(house.database_url()).await;
    let _worker = house.work_over(&wire).await;
    let shown = house.suggest("claim-away", &body("CLAIM-AWAY")).await;
    wire.lose_commit_and_go_down("INSERT INTO attempts", Lost::Answer);
    let order = buyer.approve(&shown).await;
    let order = house.wait_for_state(&order, "confirmation_pending").await;
    assert_owned(&order, "pending");

    wire.up();

    let order = house.see_state(&order, "approved").await;
    assert_eq!(
        order["held_because"], "not_found",
        "a person sends it once more: {order:#}"
    );
    assert_eq!(house.submits_of(&order).await, 0);
}

#[tokio::test]
async fn a_reply_whose_commit_was_not_answered_is_stored_once() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let wire = Wire::to(house.database_url()).await;
    let _worker = house.work_over(&wire).await;
    for lost in Lost::BOTH {
        let intent = format!("reply-{lost:?}");
        let shown = house.suggest(&intent, &body(&intent)).await;
        wire.lose_commit("UPDATE attempts SET ended_at", lost);
        let order = buyer.approve(&shown).await;
        let order = house.wait_for_state(&order, "confirmed").await;
        until("cut", || async { wire.was_cut().then_some(()) }).await;
        house.assert_counts(&order, 1, 1, "reply").await;
        assert_eq!(house.happened(&order, "attempt_closed").await.len(), 1, "{lost:?}");
    }
    // away for longer than the lease, and than a handful of tries: told late, and true all the same
    let shown = house.suggest("reply-away", &body("REPLY-AWAY")).await;
    wire.lose_commit_and_go_down("UPDATE attempts SET ended_at", Lost::OnItsWay);
    let order = buyer.approve(&shown).await;
    let order = house.wait_for_state(&order, "confirmation_pending").await;
    assert_owned(&order, "pending");
    tokio::time::sleep(Duration::from_secs(5)).await;
    wire.up();
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 1, 1, "told late").await;
    assert_eq!(house.happened(&order, "late_reply").await.len(), 1);
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn an_answer_to_a_look_up_whose_commit_was_not_answered_is_kept_once() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let wire = Wire::to(house.database_url()).await;
    let _worker = house.work_over(&wire).await;
    for lost in Lost::BOTH {
        house.faults(json!([fault("close_without_store")])).await;
        let order = house.buy(&buyer, &format!("asked-{lost:?}")).await;
        let order = house.wait_for_state(&order, "confirmation_pending").await;
        wire.lose_commit("INSERT INTO look_ups", lost);
        resolver.does("look_up", &order, &[]).await;
        let asked = |order: &Value| order["look_ups"].as_array().is_some_and(|asked| !asked.is_empty());
        house.see(&order, "asked", asked).await;
        until("cut", || async { wire.was_cut().then_some(()) }).await;
        // the next answer comes after the one before has been tried again
        resolver.does("look_up", &house.now(&order).await, &[]).await;
        let twice = |order: &Value| order["look_ups"].as_array().is_some_and(|asked| asked.len() >= 2);
        let order = house.see(&order, "asked twice", twice).await;
        let kept = order["look_ups"].as_array().expect("look-ups").len();
        let told = house.happened(&order, "looked_up").await.len();
        let questions = house.asked_about(&order).await.len();
        assert_eq!((kept, told), (questions, questions), "{lost:?}: {order:#}");
    }
}

#[tokio::test]
async fn an_approval_whose_commit_was_not_answered_is_one_order_when_it_is_pressed_again() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let wire = Wire::to(house.database_url()).await;
    let web = house.serve(&["--no-worker"], &[("database_url", &wire.url)]).await;
    let _worker = house.work().await;
    for lost in Lost::BOTH {
        let intent = format!("approval-{lost:?}");
        let shown = house.suggest(&intent, &body(&intent)).await;
        wire.lose_commit("INSERT INTO orders", lost);
        let first = approve_at(&buyer, &web.base, &shown).await;
        assert!(wire.was_cut(), "{lost:?}");
        assert_eq!((first.status, first.location()), (503, ""), "{lost:?}: {first:?}");
        assert!(first.text.contains("look first whether it was done"), "{first:?}");
        let again = approve_at(&buyer, &web.base, &shown).await;
        let order = again.location().strip_prefix("/orders/").expect("an order's page");
        let order = house.wait_for_state(order, "confirmed").await;
        house.assert_counts(&order, 1, 1, "approval").await;
    }
    assert_eq!(house.orders().await.len(), 2);
}

/// Case C8.
#[tokio::test]
async fn an_intake_whose_commit_was_not_answered_gets_the_first_answer_when_it_repeats() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let house = plan().start().await;
    let wire = Wire::to(house.database_url()).await;
    let web = house.serve(&["--no-worker"], &[("database_url", &wire.url)]).await;
    let put = async |path: String, body: &Value| {
        let request = house.http.request(Method::PUT, format!("{}{path}", web.base));
        Answer::of(request.bearer_auth(house.intake()).json(body)).await
    };
    for lost in Lost::BOTH {
        let intent = format!("/api/v1/intents/intake-{lost:?}");
        let purpose = json!({ "purpose": "restock" });
        wire.lose_commit("INSERT INTO intents", lost);
        let first = put(intent.clone(), &purpose).await;
        assert_eq!((first.status, &*first.problem()), (503, "unavailable"), "{lost:?}");
        let (reserved, taken) = match lost {
            Lost::OnItsWay => (201, 201),
            Lost::Answer => (200, 200),
        };
        assert_eq!(put(intent.clone(), &purpose).await.status, reserved, "{lost:?}");

        let (path, body) = (format!("{intent}/suggestion"), body(&format!("INTAKE-{lost:?}")));
        wire.lose_commit("INSERT INTO suggestions", lost);
        let first = put(path.clone(), &body).await;
        assert_eq!((first.status, &*first.problem()), (503, "unavailable"), "{lost:?}");
        let again = put(path.clone(), &body).await;
        assert_eq!(again.status, taken, "{lost:?}: {again:?}");
        let replayed = if taken == 200 { "true" } else { "" };
        assert_eq!(again.header("idempotency-replayed"), replayed);
        let kept = put(path, &body).await;
        assert_eq!(kept.json()["suggestion"]["id"], again.json()["suggestion"]["id"]);
    }
}

/// A second connection that takes locks in the order opposite to ours, so that PostgreSQL must undo one of the two: ours.
struct Crossing(sqlx::Transaction<'static, sqlx::Any>);

impl Crossing {
    /// Whoever of the house waits is undone after two seconds, and this one never. To be called before the processes
    /// under test connect.
    async fn prepare(house: &House) {
        let pool = house.database().await;
        let loses = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''2s''',
                     current_database()); END $$";
        sqlx::raw_sql(loses).execute(&pool).await.expect(loses);
        pool.close().await;
    }

    /// Lets nobody write into this table.
    async fn lock(house: &House, table: &'static str) -> Self {
        let pool = house.database().await;
        let mut crossing = pool.begin().await.expect("a transaction");
        let lock = match table {
            "attempts" => "SET LOCAL deadlock_timeout = '1h'; LOCK TABLE attempts IN SHARE MODE",
            "orders" => "SET LOCAL deadlock_timeout = '1h'; LOCK TABLE orders IN SHARE MODE",
            other => panic!("{other}"),
        };
        sqlx::raw_sql(lock).execute(&mut *crossing).await.expect(lock);
        Self(crossing)
    }

    /// Waits until somebody who holds the tenant waits for the table, and then wants the tenant.
    async fn cross(mut self, house: &House) {
        let pool = house.database().await;
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'RowExclusiveLock'";
        until("somebody waits", || async {
            (count(&pool, waits).await > 0).then_some(())
        })
        .await;
        let tenant = sqlx::query("SELECT id FROM tenants FOR UPDATE");
        tenant.fetch_all(&mut *self.0).await.expect("the other one is undone");
        self.0.rollback().await.expect("given back");
    }
}

#[tokio::test]
async fn what_the_database_undid_for_a_deadlock_is_done_again_and_the_supplier_has_one_purchase() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let mut house = plan()
        .setting("lease", "20s")
        .setting("request_deadline", "8s")
        .start()
        .await;
    Crossing::prepare(&house).await;
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("crossed", &body("CROSSED")).await;

    // the approval
    let crossing = Crossing::lock(&house, "orders").await;
    let (order, ()) = tokio::join!(buyer.approve(&shown), crossing.cross(&house));

    // the claim
    let crossing = Crossing::lock(&house, "attempts").await;
    house
        .faults(json!([{ "on": "submit", "do": "store_then_sleep", "seconds": 3 }]))
        .await;
    let worker = house.work().await;
    crossing.cross(&house).await;
    house.wait_for_submits(1).await;

    // the reply
    let crossing = Crossing::lock(&house, "attempts").await;
    crossing.cross(&house).await;

    let order = house.wait_for_state(&order, "confirmed").await;
    house.assert_counts(&order, 1, 1, "crossed").await;
    assert_eq!(order["attempts"].as_array().map(Vec::len), Some(1), "{}", worker.log());
    house.assert_log_is_whole().await;
}

/// The clocks of the database and of the machine are an hour apart. Which of the two is wrong does not matter: leases are
/// given and judged by one of them.
#[tokio::test]
async fn leases_go_by_the_databases_clock_and_a_machine_whose_clock_is_off_is_not_ready() {
    if !only_on_postgres(NEEDS_SERVER) {
        return;
    }
    let mut house = plan().start().await;
    let pool = house.database().await;
    let ahead = "CREATE SCHEMA ahead;
        CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql
            AS 'SELECT pg_catalog.clock_timestamp() + interval ''1 hour''';
        DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, ahead, pg_catalog',
            current_database()); END $$";
    sqlx::raw_sql(ahead).execute(&pool).await.expect(ahead);
    pool.close().await;
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "by-one-clock").await;
    let worker = house.work_until("attempt_committed").await;
    until("it stands still", || async { worker.is_frozen().then_some(()) }).await;
    let pool = house.database().await;
    let since_its_start =
        "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) - started_at FROM attempts";
    let ago = count(&pool, since_its_start).await;
    assert!((0..20_000_000).contains(&ago), "by the database it began {ago} µs ago");
    let began = Instant::now();

    let order = house.wait_for_state(&order, "confirmation_pending").await;

    assert_owned(&order, "pending");
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    let ready = ready(&house, &house.base).await;
    assert_eq!(ready.status, 503);
    assert!(
        ready.text.contains("clock: this machine is 3600.0 s behind"),
        "{ready:?}"
    );
    let check = house.run(&["check"]);
    assert_eq!(check.status, 1, "{}", check.err);
    assert!(check.err.contains("clock: this machine"), "{}", check.err);
}
