//! `move`: the books go on in PostgreSQL, whole; the file is closed behind them; and when anything fails, nothing moved.

#![allow(clippy::disallowed_methods, reason = "a test says when a node was last heard of")]

mod support;

use countersign::store::Store;
use countersign::store::moving::{CARRIED, LEFT_BEHIND, schema};
use serde_json::{Value, json};
use sqlx::{AnyPool, Connection, PgConnection};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use support::database::Cluster;
use support::{Answer, BUYER, House, Process, Ran, body};

/// One server for the tests that run at the same time; it stops with the last of them.
fn server() -> Arc<Cluster> {
    static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let cluster = Arc::new(Cluster::start(&[]));
        *shared = Arc::downgrade(&cluster);
        cluster
    })
}

/// A house that nobody works in, and an empty database on PostgreSQL.
struct Removal {
    house: House,
    orders: Vec<Value>,
    new: String,
    _server: Arc<Cluster>,
}

impl Removal {
    /// With a confirmed order, one in doubt, and a suggestion that waits. `create` makes the empty database.
    async fn begin(name: &str, create: &'static str) -> Self {
        let server = server();
        let mut admin = PgConnection::connect(&format!("{}postgres", server.address))
            .await
            .expect("connects");
        sqlx::query(create).execute(&mut admin).await.expect(create);
        let mut house = House::start().await;
        let buyer = house.sign_in(BUYER).await;
        let placed = buyer.approve(&house.suggest("placed", &body("PLACED")).await).await;
        house.wait_for_state(&placed, "confirmed").await;
        house
            .faults(json!([{ "on": "submit", "do": "store_then_close" }]))
            .await;
        let lost = buyer.approve(&house.suggest("lost", &body("LOST")).await).await;
        house.wait_for_state(&lost, "confirmation_pending").await;
        house.suggest("waiting", &body("WAITING")).await;
        let orders = house.orders().await;
        house.stop_web().await;
        let new = format!("{}{name}", server.address);
        Self {
            house,
            orders,
            new,
            _server: server,
        }
    }

    fn run(&self) -> Ran {
        self.house.run(&["move", "--to", &self.new])
    }

    /// A verb on the new database.
    fn there(&self, arguments: &[&str]) -> Ran {
        support::run_in(self.house.folder(), &self.settings(), arguments)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        // as the house has them, but that it asks at once about what is in doubt
        let quick = [
            ("request_deadline", "2s"),
            ("send_by", "1500ms"),
            ("lease", "4s"),
            ("look_up_first", "200ms"),
            ("look_up_most", "400ms"),
            ("wake", "100ms"),
        ];
        let mut settings: Vec<_> = quick.map(|(name, value)| (name, value.to_owned())).into();
        settings.push(("database_url", self.new.clone()));
        settings
    }

    async fn new_pool(&self) -> AnyPool {
        sqlx::any::install_default_drivers();
        AnyPool::connect(&self.new).await.expect("the new database")
    }

    async fn new_number(&self, sql: &'static str) -> i64 {
        let pool = self.new_pool().await;
        let number = sqlx::query_scalar(sql).fetch_one(&pool).await.expect(sql);
        pool.close().await;
        number
    }

    async fn new_do(&self, sql: &'static str) {
        let pool = self.new_pool().await;
        sqlx::query(sql).execute(&pool).await.expect(sql);
        pool.close().await;
    }

    async fn old_do(&self, sql: &'static str) {
        let pool = self.house.database().await;
        sqlx::query(sql).execute(&pool).await.expect(sql);
        pool.close().await;
    }

    /// A move that has read nothing yet and waits for a lock in the new database.
    fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(support::PROGRAM);
        command.args(arguments).current_dir(self.house.folder()).env_clear();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// Nothing moved: the file takes writes as before, and nothing is in the new database.
    async fn assert_nothing_moved(&self) {
        let added = self.house.run(&["site", "add", "after", "--name", "After"]);
        assert_eq!(added.status, 0, "the old database is usable: {added:?}");
        assert_eq!(self.house.run(&["check"]).status, 0);
        assert_eq!(self.new_number("SELECT count(*) FROM tenants").await, 0);
        assert_eq!(self.new_number("SELECT count(*) FROM instances").await, 0);
    }

    fn assert_moved(&self, ran: &Ran) {
        assert_eq!((ran.status, ran.out.trim()), (0, &*self.new), "{ran:?}");
        let refused = self.house.run(&["site", "add", "after", "--name", "After"]);
        assert_closed(&refused, &self.new);
    }
}

/// Refused because the books are elsewhere, named.
fn assert_closed(ran: &Ran, address: &str) {
    assert_eq!((ran.status, &*ran.out), (1, ""), "{ran:?}");
    let said = format!("was moved to {address} on 2");
    assert!(ran.err.contains(&said), "{said:?} in {ran:?}");
}

fn failed(ran: &Ran, says: &[&str]) {
    assert_eq!((ran.status, &*ran.out), (1, ""), "{ran:?}");
    for words in says {
        assert!(ran.err.contains(words), "{words:?} in {ran:?}");
    }
}

#[tokio::test]
async fn everything_arrives_and_goes_on_there_under_the_same_ids() {
    let removal = Removal::begin("whole", "CREATE DATABASE whole").await;
    removal
        .old_do("INSERT INTO nodes VALUES ('node_0000000000ne', 'here', 1, 1, '1', 1, 1)")
        .await;
    let events = removal.house.stored().await.events;
    let ran = removal.run();
    removal.assert_moved(&ran);
    for said in ["orders: 2 rows", "checked: rows, event chains, frozen contents"] {
        assert!(ran.err.contains(said), "{said:?} in {ran:?}");
    }
    assert_eq!(removal.there(&["check"]).status, 0);
    assert_eq!(removal.new_number("SELECT count(*) FROM events").await, events);
    assert_eq!(
        removal.new_number("SELECT count(*) FROM nodes").await,
        0,
        "no node came along"
    );
    assert_eq!(
        removal.new_number("SELECT count(*) FROM sessions").await,
        0,
        "people sign in again"
    );
    let (old, new): (String, String) = {
        let (old, new) = (removal.house.database().await, removal.new_pool().await);
        let id = "SELECT id FROM instances";
        (
            sqlx::query_scalar(id).fetch_one(&old).await.expect("an id"),
            sqlx::query_scalar(id).fetch_one(&new).await.expect("an id"),
        )
    };
    assert_eq!(old, new, "the same history");

    let listen = ["serve", "--listen", "127.0.0.1:0", "--no-worker"];
    let web = Process::start(removal.house.folder(), &removal.settings(), &listen, "serving http://").await;
    let fetch = async |path: &str| {
        let request = removal.house.http.get(format!("{}{path}", web.base));
        Answer::of(request.bearer_auth(removal.house.reading())).await.json()
    };
    assert_eq!(fetch("/api/v1/orders?limit=200").await["orders"], json!(removal.orders));
    removal
        .new_do("UPDATE orders SET look_up_at = 1 WHERE look_up_at IS NOT NULL")
        .await;
    // what numbers itself goes on after what came along
    let looked_up = removal.new_number("SELECT count(*) FROM look_ups").await;
    let _worker = Process::start(removal.house.folder(), &removal.settings(), &["work"], "working").await;
    let lost = removal
        .orders
        .iter()
        .find(|order| order["state"] == "confirmation_pending");
    let path = format!(
        "/api/v1/orders/{}",
        lost.expect("an order in doubt")["id"].as_str().expect("an id")
    );
    for round in 0.. {
        let order = fetch(&path).await;
        if order["state"] == "confirmed" {
            break;
        }
        assert!(round < 300, "the doubt does not end: {order:#}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(removal.new_number("SELECT count(*) FROM look_ups").await > looked_up);
}

#[tokio::test]
async fn numbers_given_before_the_move_are_not_given_again() {
    let removal = Removal::begin("numbers", "CREATE DATABASE numbers").await;
    removal
        .old_do(
            "INSERT INTO look_ups (id, tenant, order_id, at, answer, base_url, account, detail, records)
             SELECT 7000, tenant, id, 1, 'none', 'http://x', '', 'no record', '[]' FROM orders LIMIT 1",
        )
        .await;
    removal.assert_moved(&removal.run());
    removal
        .new_do(
            "INSERT INTO look_ups (tenant, order_id, at, answer, base_url, account, detail, records)
             SELECT tenant, id, 2, 'none', 'http://x', '', 'no record', '[]' FROM orders LIMIT 1",
        )
        .await;
    assert_eq!(removal.new_number("SELECT id FROM look_ups WHERE at = 2").await, 7001);
}

#[tokio::test]
async fn the_file_is_closed_for_every_writer_and_open_for_readers() {
    let removal = Removal::begin("closed", "CREATE DATABASE closed").await;
    removal.assert_moved(&removal.run());
    let file = removal.house.folder().join("countersign.db");
    let mode = fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o444);
    for verb in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["serve", "--no-worker", "--listen", "127.0.0.1:0"],
        &["work"],
        &["migrate"],
        &["init", "--tenant", "Other", "--zone", "UTC"],
        &["tenant", "add", "Other", "--zone", "UTC"],
        &["supplier", "hold", "practice"],
        &["person", "add", "New", "--email", "new@example.com", "--role", "buyer"],
        &["token", "create", "x", "--scope", "read"],
        // whoever forgot to name the new database must not be told that all is well
        &["check"],
    ] {
        assert_closed(&removal.house.run(verb), &removal.new);
    }
    for verb in [&["site", "list"][..], &["person", "list"], &["backup", "kept.db"]] {
        let ran = removal.house.run(verb);
        assert_eq!(ran.status, 0, "{verb:?}: {ran:?}");
    }
    let elsewhere = removal
        .house
        .run(&["move", "--to", "postgres://countersign@127.0.0.1:1/x"]);
    assert_eq!(elsewhere.status, 1, "{elsewhere:?}");
}

#[tokio::test]
async fn a_second_time_finds_everything_there() {
    let removal = Removal::begin("twice", "CREATE DATABASE twice").await;
    removal.assert_moved(&removal.run());
    let again = removal.run();
    removal.assert_moved(&again);
    assert!(again.err.contains("everything had arrived already"), "{again:?}");
    assert_eq!(removal.new_number("SELECT count(*) FROM orders").await, 2);
}

#[tokio::test]
async fn what_broke_off_after_the_file_was_closed_is_finished_by_the_same_command() {
    let removal = Removal::begin("broken_off", "CREATE DATABASE broken_off").await;
    // as a process leaves it that dies between closing the file and the other's commit
    removal
        .old_do(
            "INSERT INTO instances (number, id, since, because) VALUES (1, 'ins_000000000001', 1, 'first')
                 ON CONFLICT DO NOTHING",
        )
        .await;
    let pool = removal.house.database().await;
    sqlx::query("UPDATE instances SET moved_to = $1, moved_at = 1800000000000000")
        .bind(&removal.new)
        .execute(&pool)
        .await
        .expect("the mark");
    pool.close().await;
    assert_closed(&removal.house.run(&["work"]), &removal.new);
    let other = removal.new.replace("broken_off", "postgres");
    failed(&removal.house.run(&["move", "--to", &other]), &["was moved to"]);
    removal.assert_moved(&removal.run());
    assert_eq!(removal.new_number("SELECT count(*) FROM orders").await, 2);
    assert_eq!(
        removal
            .new_number("SELECT count(*) FROM instances WHERE moved_to IS NOT NULL")
            .await,
        0,
        "the new one is not marked"
    );
}

#[tokio::test]
async fn nothing_moves_while_a_node_is_alive() {
    let removal = Removal::begin("alive", "CREATE DATABASE alive").await;
    let pool = removal.house.database().await;
    let beat = async |seconds_ago: i64| {
        let beat = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).timestamp_micros();
        sqlx::query(
            "INSERT INTO nodes VALUES ('node_0123456789ab', 'warehouse', 1, 1, '1', 1, $1)
                     ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at",
        )
        .bind(beat - seconds_ago * 1_000_000)
        .execute(&pool)
        .await
        .expect("a beat");
    };
    beat(50).await;
    failed(&removal.run(), &["still works", "node_0123456789ab on warehouse"]);
    removal.there(&["migrate"]);
    removal.assert_nothing_moved().await;
    beat(61).await;
    removal.assert_moved(&removal.run());
}

#[tokio::test]
async fn a_database_with_tenants_takes_nobody_elses_books() {
    let removal = Removal::begin("inhabited", "CREATE DATABASE inhabited").await;
    let init = removal.there(&["init", "--tenant", "Others", "--zone", "UTC"]);
    assert_eq!(init.status, 0, "{init:?}");
    failed(&removal.run(), &["is not empty", "tenants"]);
    assert_eq!(removal.new_number("SELECT count(*) FROM tenants").await, 1);
    assert_eq!(
        removal.house.run(&["site", "add", "after", "--name", "After"]).status,
        0
    );
}

#[tokio::test]
async fn what_the_new_database_cannot_hold_is_named_and_nothing_moved() {
    let removal = Removal::begin("cannot_hold", "CREATE DATABASE cannot_hold").await;
    removal
        .old_do("UPDATE sites SET name = 'a' || char(0) || 'b' WHERE code = 'site-2'")
        .await;
    failed(&removal.run(), &["sites could not be copied"]);
    removal.assert_nothing_moved().await;
}

#[tokio::test]
async fn a_broken_chain_moves_nothing() {
    let removal = Removal::begin("chain", "CREATE DATABASE chain").await;
    removal.house.drop_trigger("events_never_change", "events").await;
    removal
        .old_do("UPDATE events SET body = replace(body, 'House', 'Mouse') WHERE number = 1")
        .await;
    failed(&removal.run(), &["the event chain does not hold at event 1"]);
    assert_eq!(
        removal.house.run(&["site", "add", "after", "--name", "After"]).status,
        0
    );
    assert_eq!(removal.new_number("SELECT count(*) FROM tenants").await, 0);
}

#[tokio::test]
async fn contents_that_do_not_fit_their_digest_move_nothing() {
    let removal = Removal::begin("digest", "CREATE DATABASE digest").await;
    removal.house.drop_trigger("orders_are_frozen", "orders").await;
    removal
        .old_do("UPDATE orders SET contents = replace(contents, 'PLACED', 'PLACEB')")
        .await;
    failed(&removal.run(), &["do not fit their digest"]);
    assert_eq!(
        removal.house.run(&["site", "add", "after", "--name", "After"]).status,
        0
    );
    assert_eq!(removal.new_number("SELECT count(*) FROM tenants").await, 0);
}

#[tokio::test]
async fn rows_that_vanish_on_the_way_are_noticed() {
    let removal = Removal::begin("vanish", "CREATE DATABASE vanish").await;
    assert_eq!(removal.there(&["migrate"]).status, 0);
    removal
        .new_do("CREATE RULE lost AS ON INSERT TO sites WHERE new.code = 'site-2' DO INSTEAD NOTHING")
        .await;
    failed(&removal.run(), &["sites: 2 rows were sent and 1 arrived"]);
    removal.assert_nothing_moved().await;
}

#[tokio::test]
async fn a_commit_that_is_refused_opens_the_file_again() {
    let removal = Removal::begin("refused", "CREATE DATABASE refused").await;
    assert_eq!(removal.there(&["migrate"]).status, 0);
    for statement in [
        "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$",
        "CREATE CONSTRAINT TRIGGER no AFTER INSERT ON tenants DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION no()",
    ] {
        removal.new_do(statement).await;
    }
    failed(&removal.run(), &["not today", "nothing was moved"]);
    removal.assert_nothing_moved().await;
}

#[tokio::test]
async fn a_column_that_only_one_of_them_has_is_not_forgotten_on_the_way() {
    let removal = Removal::begin("column", "CREATE DATABASE \"column\"").await;
    removal.old_do("ALTER TABLE orders ADD COLUMN remark TEXT").await;
    failed(&removal.run(), &["orders.remark"]);
    removal.assert_nothing_moved().await;
}

#[tokio::test]
async fn a_write_that_waited_for_the_move_is_refused_and_a_killed_move_changes_nothing() {
    let removal = Removal::begin("waiting", "CREATE DATABASE waiting").await;
    assert_eq!(removal.there(&["migrate"]).status, 0);
    let mut holder = PgConnection::connect(&removal.new).await.expect("connects");
    let mut lock = holder.begin().await.expect("begins");
    let held = "LOCK TABLE tenants IN ACCESS SHARE MODE";
    sqlx::query(held).execute(&mut *lock).await.expect(held);

    let mut killed = removal.spawn(&["move", "--to", &removal.new]);
    removal.wait_for_the_lock(&mut holder_of(&removal).await).await;
    killed.kill().expect("it is killed");
    killed.wait().expect("it ends");
    removal.notice_that_it_is_gone(&mut holder_of(&removal).await).await;
    assert_eq!(
        removal.house.run(&["site", "add", "meanwhile", "--name", "M"]).status,
        0
    );

    let moving = removal.spawn(&["move", "--to", &removal.new]);
    removal.wait_for_the_lock(&mut holder_of(&removal).await).await;
    let writing = removal.spawn(&["site", "add", "late", "--name", "Late"]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    lock.rollback().await.expect("lets go");
    let moved = support::process_ran(moving);
    assert_eq!(moved.status, 0, "{moved:?}");
    assert_closed(&support::process_ran(writing), &removal.new);
    assert_eq!(
        removal
            .new_number("SELECT count(*) FROM sites WHERE code = 'meanwhile'")
            .await,
        1
    );
    assert_eq!(
        removal
            .new_number("SELECT count(*) FROM sites WHERE code = 'late'")
            .await,
        0
    );
}

/// How many wait for the table that the holder keeps.
async fn waiting(look: &mut PgConnection) -> i64 {
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted
                   AND relation = 'tenants'::regclass AND database = (SELECT oid FROM pg_database
                                                                     WHERE datname = current_database())";
    sqlx::query_scalar(waiting).fetch_one(look).await.expect(waiting)
}

async fn holder_of(removal: &Removal) -> PgConnection {
    PgConnection::connect(&removal.new).await.expect("connects")
}

impl Removal {
    /// Until somebody waits for a lock over there.
    async fn wait_for_the_lock(&self, look: &mut PgConnection) {
        for _ in 0..300 {
            if waiting(look).await > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nobody waits");
    }

    /// A server notices that its client is gone when it next speaks to it; one that waits for a lock does not. Here it
    /// does, so that whoever waits afterwards is the next one.
    async fn notice_that_it_is_gone(&self, look: &mut PgConnection) {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_locks
                   WHERE NOT granted AND relation = 'tenants'::regclass
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        sqlx::query(end).execute(&mut *look).await.expect(end);
        for _ in 0..300 {
            if waiting(look).await == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("somebody still waits");
    }
}

#[tokio::test]
async fn every_table_is_either_carried_over_or_left_behind_on_purpose() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("tables.db").display());
    let store = Store::open(&url, true).await.expect("opens");
    store.migrate().await.expect("migrates");
    let mut read = store.begin_read().await.expect("reads");
    let columns = schema(&mut read).await.expect("the schema");
    let there: BTreeSet<_> = columns.iter().filter_map(|one| one.split('.').next()).collect();
    let carried: BTreeSet<_> = CARRIED.iter().map(|table| table.name).collect();
    let known: BTreeSet<_> = carried.iter().copied().chain(LEFT_BEHIND.iter().copied()).collect();
    assert_eq!(there, known);
    assert_eq!(known.len(), CARRIED.len() + LEFT_BEHIND.len(), "none is named twice");
}

#[test]
fn only_a_file_moves_and_only_to_postgresql() {
    let folder = tempfile::tempdir().expect("a folder");
    let run =
        |arguments: &[&str], url: &str| support::run_in(folder.path(), &[("database_url", url.to_owned())], arguments);
    let to_file = run(&["move", "--to", "sqlite:other.db"], "sqlite:countersign.db");
    assert_eq!(to_file.status, 2, "{to_file:?}");
    let from_server = run(&["move", "--to", "postgres://a/b"], "postgres://c/d");
    assert_eq!(from_server.status, 2, "{from_server:?}");
}
