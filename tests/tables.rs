//! The tables restate the machine: what the domain would never write, the database refuses too. And what the domain
//! freezes comes out of the database byte for byte.

#![allow(
    clippy::disallowed_types,
    reason = "a plan is asked for with statements made here, not with input"
)]

use chrono::{DateTime, Utc};
use countersign::domain::contents::{ContentsDraft, Known, LineDraft, OrderContents, check};
use countersign::domain::ids::{IntentId, SuggestionId, TenantId};
use countersign::domain::suggestion::{Evidence, Suggestion, SuggestionState};
use countersign::store::tenants::{TenantRow, tenant_add};
use countersign::store::{Store, intents, suggestions};
use proptest::prelude::*;
use sqlx::{Connection, SqliteConnection};

/// A database of the current schema, and a raw connection to it.
struct Tables {
    _folder: tempfile::TempDir,
    store: Store,
    raw: SqliteConnection,
}

const TENANT: &str = "ten_000000000000";

async fn tables() -> Tables {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("tables.db").display());
    let store = Store::open(&url, true).await.expect("opens");
    store.migrate().await.expect("migrates");
    let tenant = TenantRow {
        id: TENANT.parse().expect("an id"),
        name: "Lab".into(),
        zone: "Europe/Berlin".into(),
        salt: "salt".into(),
    };
    let mut tx = store.begin_write().await.expect("begins");
    tenant_add(&mut tx, &tenant, moment()).await.expect("adds");
    tx.commit().await.expect("commits");
    let raw = SqliteConnection::connect(&url).await.expect("connects");
    Tables {
        _folder: folder,
        store,
        raw,
    }
}

fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).expect("in range")
}

/// One person, one intent, one approved suggestion and its order, confirmed.
async fn with_an_order(raw: &mut SqliteConnection) {
    for statement in [
        "INSERT INTO people (id, tenant, name, email, created_at) VALUES ('per_1', 'ten_000000000000', 'B', 'b@x', 1)",
        "INSERT INTO intents VALUES ('ten_000000000000', 'wish', 'restock', 'tok_1', 1)",
        "INSERT INTO suggestions (id, tenant, intent, revision, state, supplier, contents, digest, look_alike_key,
                                  evidence, created_at, decided_at)
         VALUES ('sug_1', 'ten_000000000000', 'wish', 1, 'approved', 'acme', '{}', 'd', 'k', '{}', 1, 2)",
        "INSERT INTO orders (id, tenant, intent, revision, suggestion, supplier, operation_key, contents, digest,
                             look_alike_key, second_purchase, approved_by, approved_at, state, version,
                             supplier_reference, sendable_since, changed_at)
         VALUES ('po_1', 'ten_000000000000', 'wish', 1, 'sug_1', 'acme', 'key', '{}', 'd', 'k', 0, 'per_1', 2,
                 'confirmed', 3, 'A-1', 2, 2)",
        "INSERT INTO attempts (id, tenant, order_id, number, supplier_version, base_url, account, secret_mac,
                               started_at, send_by, lease_until)
         VALUES ('try_1', 'ten_000000000000', 'po_1', 1, 1, 'http://x', '', '', 1, 2, 3)",
        "INSERT INTO look_ups (tenant, order_id, at, answer, base_url, account, detail, records)
         VALUES ('ten_000000000000', 'po_1', 3, 'none', 'http://x', '', 'no record', '[]')",
        "INSERT INTO findings (tenant, order_id, at, finding, source)
         VALUES ('ten_000000000000', 'po_1', 3, 'not_at_supplier', 'look_up')",
        "INSERT INTO events VALUES ('ten_000000000000', 1, 'po_1', '{}', 'h')",
    ] {
        sqlx::query(statement).execute(&mut *raw).await.expect(statement);
    }
}

/// What no write may do, with the words of the refusal.
const ILLEGAL: &[(&str, &str)] = &[
    ("UPDATE orders SET state = 'lost'", "CHECK"),
    ("UPDATE orders SET holds = 'person'", "CHECK"),
    ("UPDATE orders SET due_at = 1", "CHECK"),
    ("UPDATE orders SET state = 'approved'", "CHECK"),
    ("UPDATE orders SET supplier_reference = NULL", "CHECK"),
    ("UPDATE orders SET state = 'refused', differences = 1", "CHECK"),
    ("UPDATE orders SET version = 0", "CHECK"),
    ("UPDATE orders SET contents = '{\"lines\":[]}'", "approval freezes"),
    ("UPDATE orders SET digest = 'other'", "approval freezes"),
    ("UPDATE orders SET operation_key = 'other'", "approval freezes"),
    ("UPDATE orders SET supplier = 'other'", "approval freezes"),
    ("UPDATE orders SET approved_by = 'per_1'", "approval freezes"),
    ("DELETE FROM orders", "never deleted"),
    ("UPDATE events SET body = 'other'", "append-only"),
    ("DELETE FROM events", "append-only"),
    ("UPDATE suggestions SET state = 'in_review'", "CHECK"),
    ("UPDATE suggestions SET state = 'gone'", "CHECK"),
    ("UPDATE attempts SET reply = 'unknown'", "CHECK"),
    ("UPDATE attempts SET reply = 'accepted', ended_at = 4", "CHECK"),
    ("UPDATE attempts SET reply = 'maybe', ended_at = 4", "CHECK"),
    ("UPDATE attempts SET lease_until = 1", "CHECK"),
    (
        "INSERT INTO attempts (id, tenant, order_id, number, supplier_version, base_url, account, secret_mac,
                               started_at, send_by, lease_until)
         VALUES ('try_2', 'ten_000000000000', 'po_1', 2, 1, 'http://x', '', '', 1, 2, 3)",
        "UNIQUE",
    ),
    (
        "INSERT INTO orders SELECT 'po_2', tenant, intent, revision, 'sug_2', supplier, 'key2', contents, digest,
            look_alike_key, second_purchase, approved_by, approved_at, state, holds, differences, version,
            supplier_reference, due_at, sendable_since, not_sent, changed_at, look_up_at, look_up_by, look_up_since,
            looked_up, resume_at, resume_by, supplier_version FROM orders",
        "UNIQUE",
    ),
    (
        "UPDATE orders SET resume_at = 1, resume_by = 'per_1'",
        "only an order in doubt",
    ),
    (
        "UPDATE orders SET state = 'confirmation_pending', resume_at = 1",
        "only an order in doubt",
    ),
    (
        "UPDATE orders SET state = 'approved', due_at = 1, resume_at = 1, resume_by = 'per_1'",
        "only an order in doubt",
    ),
    ("UPDATE orders SET looked_up = -1", "CHECK"),
    ("UPDATE look_ups SET answer = 'found'", "append-only"),
    ("DELETE FROM look_ups", "append-only"),
    ("UPDATE findings SET finding = 'at_supplier'", "append-only"),
    ("DELETE FROM findings", "append-only"),
    (
        "INSERT INTO look_ups (tenant, order_id, at, answer, base_url, account, detail, records)
         VALUES ('ten_000000000000', 'po_1', 1, 'perhaps', 'http://x', '', '', '[]')",
        "CHECK",
    ),
    (
        "INSERT INTO findings (tenant, order_id, at, finding, source, found_by)
         VALUES ('ten_000000000000', 'po_1', 1, 'not_at_supplier', 'person', 'per_1')",
        "CHECK",
    ),
    (
        "INSERT INTO findings (tenant, order_id, at, finding, source, evidence)
         VALUES ('ten_000000000000', 'po_1', 1, 'not_at_supplier', 'person', 'asked them')",
        "CHECK",
    ),
    (
        "INSERT INTO cases (id, tenant, version, kind, order_id, owner, due_at, reason, opened_at)
         VALUES ('case_1', 'ten_000000000000', 1, 'pending', 'po_1', 'per_nobody', 1, 'r', 1)",
        "FOREIGN KEY",
    ),
    (
        "INSERT INTO cases (id, tenant, version, kind, owner, due_at, reason, opened_at)
         VALUES ('case_1', 'ten_000000000000', 1, 'pending', 'per_1', 1, 'r', 1)",
        "CHECK",
    ),
];

#[tokio::test]
async fn the_tables_refuse_what_the_machine_does_not_know() {
    let mut tables = tables().await;
    sqlx::query("PRAGMA foreign_keys = ON")
        .execute(&mut tables.raw)
        .await
        .expect("pragma");
    with_an_order(&mut tables.raw).await;
    for (statement, words) in ILLEGAL {
        let refused = sqlx::query(*statement).execute(&mut tables.raw).await;
        let error = refused.expect_err(statement).to_string();
        assert!(error.contains(words), "{statement}: {error}");
    }
}

#[tokio::test]
async fn a_database_that_can_lose_a_commit_is_named() {
    let tables = tables().await;
    assert_eq!(tables.store.faults().await.expect("answers"), Vec::<String>::new());
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("new.db").display());
    let unmigrated = Store::open(&url, true).await.expect("opens");
    let faults = unmigrated.faults().await.expect("answers");
    assert!(
        faults.iter().any(|fault| fault.contains("migrations are missing")),
        "{faults:?}"
    );
}

fn contents(lines: Vec<LineDraft>, note: String) -> OrderContents {
    let draft = ContentsDraft {
        supplier: Some("acme".into()),
        currency: Some("EUR".into()),
        deliver_to: Some("main".into()),
        note_to_supplier: Some(note),
        lines: Some(lines),
        ..ContentsDraft::default()
    };
    let known = Known {
        suppliers: vec![("acme".parse().expect("id"), vec!["EUR".parse().expect("EUR")])],
        sites: vec!["main".parse().expect("site")],
    };
    check(&draft, &known).expect("sound contents")
}

fn any_line() -> impl Strategy<Value = LineDraft> {
    ("[0-9A-Za-z=+@-]{1,12}", ".{0,30}", 1_u32..1_000_000, 0_u32..1_000_000).prop_map(
        |(sku, words, quantity, price)| LineDraft {
            sku: Some(sku),
            description: Some(words.replace('\0', "")),
            quantity: Some(format!("{quantity}e-3")),
            unit: Some("EA".into()),
            unit_price: Some(format!("{price}e-4")),
            ..LineDraft::default()
        },
    )
}

/// Writes a suggestion and reads it back.
async fn there_and_back(store: &Store, number: u32, contents: &OrderContents) -> Suggestion {
    let tenant: TenantId = TENANT.parse().expect("an id");
    let intent: IntentId = format!("wish-{number}").parse().expect("an intent id");
    let suggestion = Suggestion {
        id: SuggestionId::from_random(u128::from(number)),
        intent: intent.clone(),
        revision: 1,
        state: SuggestionState::InReview,
        digest: contents.digest(),
        contents: contents.clone(),
        evidence: Evidence::default(),
        created_at: moment(),
    };
    let mut tx = store.begin_write().await.expect("begins");
    intents::intent_reserve(&mut tx, &tenant, &intent, "wish", "tok", moment())
        .await
        .expect("reserves");
    suggestions::suggestion_add(&mut tx, &tenant, &suggestion)
        .await
        .expect("adds");
    tx.commit().await.expect("commits");
    let mut read = store.begin_read().await.expect("begins");
    let row = suggestions::suggestion_fetch(&mut read, &tenant, &suggestion.id)
        .await
        .expect("reads");
    row.expect("is there").suggestion
}

#[test]
fn the_digest_survives_the_database() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let tables = runtime.block_on(tables());
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    let number = std::cell::Cell::new(0);
    let orders = (proptest::collection::vec(any_line(), 1..5), ".{0,40}");
    let outcome = runner.run(&orders, |(lines, note)| {
        number.set(number.get() + 1);
        let before = contents(lines, note.replace('\0', ""));
        let after = runtime.block_on(there_and_back(&tables.store, number.get(), &before));
        prop_assert_eq!(&after.contents, &before);
        prop_assert_eq!(after.contents.digest(), after.digest);
        Ok(())
    });
    outcome.expect("every digest survives");
}

/// Each shape of the order list has an index that gives the order by itself: no scan, no sort, no cost of history.
#[tokio::test]
async fn the_order_list_reads_an_index_and_sorts_nothing() {
    let mut tables = tables().await;
    for (plan, index) in [
        (
            "EXPLAIN QUERY PLAN SELECT id FROM orders WHERE tenant = 't' AND state = 'confirmed'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "orders_by_state",
        ),
        (
            "EXPLAIN QUERY PLAN SELECT id FROM orders WHERE tenant = 't' AND supplier = 'acme'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "orders_by_supplier",
        ),
        (
            "EXPLAIN QUERY PLAN SELECT id FROM orders WHERE tenant = 't'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "orders_by_time",
        ),
    ] {
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(plan).fetch_all(&mut tables.raw).await.expect("a plan");
        let words: Vec<&str> = plan.iter().map(|row| row.3.as_str()).collect();
        let searches = |word: &&str| word.starts_with("SEARCH") && word.contains(index);
        assert!(words.iter().any(searches), "{words:?}");
        let costly = |word: &&str| word.contains("TEMP B-TREE") || word.starts_with("SCAN");
        assert!(!words.iter().any(costly), "{words:?}");
    }
}
