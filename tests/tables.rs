//! The tables restate the machine: what the domain would never write, the database refuses too. And what the domain
//! freezes comes out of the database byte for byte.

mod support;

use chrono::{DateTime, Utc};
use countersign::domain::contents::{ContentsDraft, Known, LineDraft, OrderContents, check};
use countersign::domain::ids::{IntentId, SuggestionId, TenantId};
use countersign::domain::suggestion::{Evidence, Suggestion, SuggestionState};
use countersign::store::tenants::{TenantRow, tenant_add};
use countersign::store::{Store, intents, suggestions};
use proptest::prelude::*;
use sqlx::error::ErrorKind;
use sqlx::{AnyPool, Row};
use std::collections::BTreeSet;
use support::database::{Cluster, Database, either, only_on_postgres};
use tempfile::TempDir;

/// A database of the current schema, and raw connections to it.
struct Tables {
    store: Store,
    raw: AnyPool,
    _database: Database,
    _folder: TempDir,
}

const TENANT: &str = "ten_000000000000";

async fn tables() -> Tables {
    let folder = TempDir::new().expect("a folder");
    let database = Database::empty(folder.path());
    let store = Store::open(&database.url, true).await.expect("opens");
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
    Tables {
        store,
        raw: database.pool().await,
        _database: database,
        _folder: folder,
    }
}

fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).expect("in range")
}

/// One person, one intent, one approved suggestion and its order, confirmed.
async fn with_an_order(raw: &AnyPool) {
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
        "INSERT INTO events (tenant, number, subject, body, hash) VALUES ('ten_000000000000', 1, 'po_1', '{}', 'h')",
    ] {
        sqlx::query(statement).execute(raw).await.expect(statement);
    }
}

/// How a database refuses a write.
#[derive(Debug, Clone, Copy)]
enum By {
    Check,
    Unique,
    ForeignKey,
    /// A trigger that says so.
    Trigger(&'static str),
}
use By::{Check, ForeignKey, Trigger, Unique};

/// What no write may do, and what refuses it.
const ILLEGAL: &[(&str, By)] = &[
    ("UPDATE orders SET state = 'lost'", Check),
    ("UPDATE orders SET holds = 'person'", Check),
    ("UPDATE orders SET due_at = 1", Check),
    ("UPDATE orders SET state = 'approved'", Check),
    ("UPDATE orders SET supplier_reference = NULL", Check),
    ("UPDATE orders SET state = 'refused', differences = 1", Check),
    ("UPDATE orders SET version = 0", Check),
    (
        "UPDATE orders SET contents = '{\"lines\":[]}'",
        Trigger("approval freezes"),
    ),
    ("UPDATE orders SET digest = 'other'", Trigger("approval freezes")),
    ("UPDATE orders SET operation_key = 'other'", Trigger("approval freezes")),
    ("UPDATE orders SET supplier = 'other'", Trigger("approval freezes")),
    ("UPDATE orders SET approved_by = 'per_1'", Trigger("approval freezes")),
    ("DELETE FROM orders", Trigger("never deleted")),
    ("UPDATE events SET body = 'other'", Trigger("append-only")),
    ("DELETE FROM events", Trigger("append-only")),
    ("UPDATE suggestions SET state = 'in_review'", Check),
    ("UPDATE suggestions SET state = 'gone'", Check),
    ("UPDATE attempts SET reply = 'unknown'", Check),
    ("UPDATE attempts SET reply = 'accepted', ended_at = 4", Check),
    ("UPDATE attempts SET reply = 'maybe', ended_at = 4", Check),
    ("UPDATE attempts SET lease_until = 1", Check),
    (
        "INSERT INTO attempts (id, tenant, order_id, number, supplier_version, base_url, account, secret_mac,
                               started_at, send_by, lease_until)
         VALUES ('try_2', 'ten_000000000000', 'po_1', 2, 1, 'http://x', '', '', 1, 2, 3)",
        Unique,
    ),
    (
        "INSERT INTO orders SELECT 'po_2', tenant, intent, revision, 'sug_2', supplier, 'key2', contents, digest,
            look_alike_key, second_purchase, approved_by, approved_at, state, holds, differences, version,
            supplier_reference, due_at, sendable_since, not_sent, changed_at, look_up_at, look_up_by, look_up_since,
            looked_up, resume_at, resume_by, supplier_version, gap_at, acknowledged_at, currency, total, beside FROM orders",
        Unique,
    ),
    (
        "UPDATE orders SET currency = 'EUR', total = '1.00'",
        Trigger("approval freezes"),
    ),
    ("UPDATE suggestions SET total = '1.00'", Check),
    (
        "UPDATE orders SET resume_at = 1, resume_by = 'per_1'",
        Trigger("only an order in doubt"),
    ),
    (
        "UPDATE orders SET state = 'confirmation_pending', resume_by = 'per_1'",
        Trigger("only an order in doubt"),
    ),
    (
        "UPDATE orders SET state = 'approved', due_at = 1, holds = 'not_found', resume_at = 1",
        Trigger("only an order in doubt"),
    ),
    (
        "UPDATE orders SET state = 'acknowledged'",
        Trigger("acknowledged since a moment"),
    ),
    (
        "UPDATE orders SET state = 'confirmation_pending', acknowledged_at = 1",
        Trigger("acknowledged since a moment"),
    ),
    (
        "UPDATE orders SET state = 'approved', due_at = 1, resume_at = 1, resume_by = 'per_1'",
        Trigger("only an order in doubt"),
    ),
    (
        "UPDATE orders SET state = 'approved', due_at = 1, holds = 'person', resume_at = 1, resume_by = 'per_1'",
        Trigger("only an order in doubt"),
    ),
    (
        "INSERT INTO pauses (tenant, since, because, gap_at)
         VALUES ('ten_000000000000', 1, 'copied', 1), ('ten_000000000000', 2, 'copied', 1)",
        Unique,
    ),
    (
        "INSERT INTO pauses (tenant, since, because, gap_at, ended_at) VALUES ('ten_000000000000', 1, 'copied', 1, 2)",
        Check,
    ),
    (
        "INSERT INTO instances (number, id, since, because) VALUES (0, 'ins_1', 1, 'created')",
        Check,
    ),
    (
        "INSERT INTO instances (number, id, since, because, moved_to) VALUES (1, 'ins_1', 1, 'created', 'elsewhere')",
        Check,
    ),
    (
        "INSERT INTO nodes (id, host, serves, works, version, started_at, beat_at) VALUES ('node_1', 'h', 2, 1, '1', 1, 1)",
        Check,
    ),
    ("UPDATE orders SET looked_up = -1", Check),
    ("UPDATE look_ups SET answer = 'found'", Trigger("append-only")),
    ("DELETE FROM look_ups", Trigger("append-only")),
    ("UPDATE findings SET finding = 'at_supplier'", Trigger("append-only")),
    ("DELETE FROM findings", Trigger("append-only")),
    (
        "INSERT INTO look_ups (tenant, order_id, at, answer, base_url, account, detail, records)
         VALUES ('ten_000000000000', 'po_1', 1, 'perhaps', 'http://x', '', '', '[]')",
        Check,
    ),
    (
        "INSERT INTO findings (tenant, order_id, at, finding, source, found_by)
         VALUES ('ten_000000000000', 'po_1', 1, 'not_at_supplier', 'person', 'per_1')",
        Check,
    ),
    (
        "INSERT INTO findings (tenant, order_id, at, finding, source, evidence)
         VALUES ('ten_000000000000', 'po_1', 1, 'not_at_supplier', 'person', 'asked them')",
        Check,
    ),
    // nobody confirms what they found out themselves
    (
        "INSERT INTO proposed_findings (tenant, order_id, order_version, at, finding, proposed_by, evidence, answer,
                                        answered_by, answered_at)
         VALUES ('ten_000000000000', 'po_1', 1, 1, 'at_supplier', 'per_1', 'asked them', 'confirmed', 'per_1', 2)",
        Check,
    ),
    (
        "INSERT INTO cases (id, tenant, version, kind, order_id, owner, due_at, reason, opened_at)
         VALUES ('case_1', 'ten_000000000000', 1, 'pending', 'po_1', 'per_nobody', 1, 'r', 1)",
        ForeignKey,
    ),
    // a subject of two lines; sent and waiting; given up without a reason; a digest about one case
    (
        "INSERT INTO outbox (id, tenant, person, kind, subject, body, created_at, due_at)
         VALUES ('msg_1', 'ten_000000000000', 'per_1', 'digest', 'one\nBcc: two', 'b', 1, 1)",
        Check,
    ),
    (
        "INSERT INTO outbox (id, tenant, person, kind, subject, body, created_at, due_at, sent_at)
         VALUES ('msg_1', 'ten_000000000000', 'per_1', 'digest', 's', 'b', 1, 1, 1)",
        Check,
    ),
    (
        "INSERT INTO outbox (id, tenant, person, kind, subject, body, created_at, given_up_at)
         VALUES ('msg_1', 'ten_000000000000', 'per_1', 'digest', 's', 'b', 1, 1)",
        Check,
    ),
    (
        "INSERT INTO outbox (id, tenant, person, kind, subject, body, created_at, due_at)
         VALUES ('msg_1', 'ten_000000000000', 'per_1', 'given', 's', 'b', 1, 1)",
        Check,
    ),
    (
        "INSERT INTO cases (id, tenant, version, kind, owner, due_at, reason, opened_at)
         VALUES ('case_1', 'ten_000000000000', 1, 'pending', 'per_1', 1, 'r', 1)",
        Check,
    ),
];

#[tokio::test]
async fn the_tables_refuse_what_the_machine_does_not_know() {
    let tables = tables().await;
    with_an_order(&tables.raw).await;
    for (statement, by) in ILLEGAL {
        let refused = sqlx::query(*statement).execute(&tables.raw).await;
        let error = refused.expect_err(statement);
        let told = error.as_database_error().expect(statement);
        let as_expected = match by {
            Check => matches!(told.kind(), ErrorKind::CheckViolation),
            Unique => matches!(told.kind(), ErrorKind::UniqueViolation),
            ForeignKey => matches!(told.kind(), ErrorKind::ForeignKeyViolation),
            Trigger(words) => told.message().contains(words),
        };
        assert!(as_expected, "{statement}: {by:?}, not {told}");
    }
}

#[tokio::test]
async fn a_database_without_its_tables_is_named() {
    let tables = tables().await;
    assert_eq!(tables.store.faults().await.expect("answers"), Vec::<String>::new());
    let folder = TempDir::new().expect("a folder");
    let empty = Database::empty(folder.path());
    let unmigrated = Store::open(&empty.url, true).await.expect("opens");
    let faults = unmigrated.faults().await.expect("answers");
    assert!(
        faults.iter().any(|fault| fault.contains("migrations are missing")),
        "{faults:?}"
    );
}

/// Rule 6.
#[tokio::test]
async fn a_server_that_can_lose_a_commit_is_named() {
    if !only_on_postgres("SQLite is opened durably or not at all") {
        return;
    }
    let careless = Cluster::start(&["fsync=off", "synchronous_commit=off"]);
    let store = Store::open(&format!("{}postgres", careless.address), true).await;
    let faults = store.expect("opens").faults().await.expect("answers").join("; ");
    for setting in ["fsync", "synchronous_commit"] {
        assert!(faults.contains(&format!("{setting} is off; it must be on")), "{faults}");
    }
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
    let tables = tables().await;
    // PostgreSQL would rather read a table whole that is as small as this one
    let mut raw = tables.raw.acquire().await.expect("connects");
    let willing = either("SELECT 1", "SET enable_seqscan = off");
    sqlx::query(willing).execute(&mut *raw).await.expect(willing);
    for (sqlite, postgres, index) in [
        (
            "EXPLAIN QUERY PLAN SELECT id FROM orders WHERE tenant = 't' AND state = 'confirmed'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "EXPLAIN SELECT id FROM orders WHERE tenant = 't' AND state = 'confirmed'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "orders_by_state",
        ),
        (
            "EXPLAIN QUERY PLAN SELECT id FROM orders WHERE tenant = 't' AND supplier = 'acme'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "EXPLAIN SELECT id FROM orders WHERE tenant = 't' AND supplier = 'acme'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "orders_by_supplier",
        ),
        (
            "EXPLAIN QUERY PLAN SELECT id FROM orders WHERE tenant = 't'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "EXPLAIN SELECT id FROM orders WHERE tenant = 't'
             AND (approved_at, id) < (5, 'po') ORDER BY approved_at DESC, id DESC LIMIT 10",
            "orders_by_time",
        ),
    ] {
        let rows = sqlx::query(either(sqlite, postgres)).fetch_all(&mut *raw).await;
        let step = |row: &sqlx::any::AnyRow| row.get::<String, _>(either("detail", "QUERY PLAN"));
        let plan: Vec<String> = rows.expect("a plan").iter().map(step).collect();
        let searches = |step: &String| step.contains(either("SEARCH", "Index")) && step.contains(index);
        assert!(plan.iter().any(searches), "{plan:?}");
        let costly = |step: &String| {
            either(["TEMP B-TREE", "SCAN"], ["Sort", "Seq Scan"])
                .iter()
                .any(|word| step.contains(word))
        };
        assert!(!plan.iter().any(costly), "{plan:?}");
    }
}

/// What there is in SQLite's tables, a line each.
const SQLITE: [&str; 6] = [
    "SELECT t.name || '.' || c.name || CASE c.type WHEN 'INTEGER' THEN ' bigint' ELSE lower(' ' || c.type) END
        || CASE WHEN c.\"notnull\" OR c.pk > 0 THEN ' not null' ELSE '' END
        || coalesce(' default ' || c.dflt_value, '')
     FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'",
    "SELECT t.name || ' primary key ' || (SELECT group_concat(c.name, ' ')
        FROM (SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk) c)
     FROM sqlite_master t WHERE t.type = 'table'",
    "SELECT t.name || CASE i.\"unique\" WHEN 1 THEN ' unique ' ELSE ' index ' END
        || CASE i.origin WHEN 'c' THEN i.name || ' ' ELSE '' END
        || (SELECT group_concat(c.name, ' ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) c)
        || CASE i.partial WHEN 1 THEN ' partial' ELSE '' END
     FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table' AND i.origin <> 'pk'",
    "SELECT name || ' FOREIGN KEY (' || group_concat(\"from\", ', ') || ') REFERENCES ' || other || '('
        || group_concat(\"to\", ', ') || ')'
     FROM (SELECT t.name, f.id, f.\"table\" AS other, f.\"from\", f.\"to\"
           FROM sqlite_master t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table' ORDER BY t.name, f.id, f.seq)
     GROUP BY name, id, other",
    "SELECT tbl_name || ' trigger ' || name FROM sqlite_master WHERE type = 'trigger'",
    "SELECT name || ' checks ' || ((length(sql) - length(replace(sql, 'CHECK (', ''))) / length('CHECK ('))
     FROM sqlite_master WHERE type = 'table'",
];

/// The same of PostgreSQL's, in the same words.
const POSTGRES: [&str; 6] = [
    "SELECT table_name || '.' || column_name || ' ' || data_type
        || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
        || coalesce(' default ' || replace(column_default, '::text', ''), '')
     FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT conrelid::regclass || ' primary key ' || (SELECT string_agg(attname, ' ' ORDER BY place)
        FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
        JOIN pg_attribute ON attrelid = conrelid AND attnum = number)
     FROM pg_constraint WHERE contype = 'p' AND connamespace = 'public'::regnamespace",
    "SELECT indrelid::regclass || CASE WHEN indisunique THEN ' unique ' ELSE ' index ' END
        || CASE WHEN conname IS NULL THEN indexrelid::regclass || ' ' ELSE '' END
        || (SELECT string_agg(attname, ' ' ORDER BY place)
            FROM unnest(indkey) WITH ORDINALITY AS key (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number)
        || CASE WHEN indpred IS NULL THEN '' ELSE ' partial' END
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid LEFT JOIN pg_constraint ON conindid = indexrelid
        AND contype IN ('p', 'u')
     WHERE relnamespace = 'public'::regnamespace AND NOT indisprimary",
    "SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid)
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace",
    "SELECT tgrelid::regclass || ' trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT relname || ' checks ' || (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c')
     FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
];

/// What a database's tables are, a line for each thing; the list of migrations is sqlx's own.
async fn description(pool: &AnyPool, questions: [&'static str; 6]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for question in questions {
        let lines: Vec<String> = sqlx::query_scalar(question).fetch_all(pool).await.expect(question);
        assert!(!lines.is_empty(), "{question}");
        all.extend(lines.into_iter().filter(|line| !line.starts_with("_sqlx_migrations")));
    }
    all
}

/// Two sets of migrations, one house: tables, columns, types, what may be null, defaults, keys, indexes, triggers, and
/// how many CHECKs; what those refuse, each database is asked above.
#[tokio::test]
async fn both_sets_of_migrations_make_the_same_tables() {
    if !only_on_postgres("there is only one set here") {
        return;
    }
    let ours = tables().await;
    let folder = TempDir::new().expect("a folder");
    let file = Database::file(folder.path());
    let store = Store::open(&file.url, true).await.expect("opens");
    store.migrate().await.expect("migrates");

    let postgres = description(&ours.raw, POSTGRES).await;
    let sqlite = description(&file.pool().await, SQLITE).await;

    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect::<Vec<_>>();
    let (missing, extra) = (only(&sqlite, &postgres), only(&postgres, &sqlite));
    assert!(
        missing.is_empty() && extra.is_empty(),
        "SQLite alone: {missing:#?}\nPostgreSQL alone: {extra:#?}"
    );
}
