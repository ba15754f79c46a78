//! `backup`: a copy of the database made while others write, checked, durable, and nothing overwritten for it.

mod support;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use support::{BUYER, House, Process, Ran, body};

fn failed(ran: &Ran, says: &[&str]) {
    assert_eq!((ran.status, &*ran.out), (1, ""), "{ran:?}");
    for words in says {
        assert!(ran.err.contains(words), "{words:?} in {ran:?}");
    }
}

fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

async fn opened(file: &Path) -> SqlitePool {
    let options = SqliteConnectOptions::new().filename(file);
    SqlitePool::connect_with(options).await.expect("the copy opens")
}

async fn number(pool: &SqlitePool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.expect(sql)
}

/// A house with one confirmed order, and an empty folder for copies.
async fn house() -> (House, String) {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("kept", &body("KEPT")).await;
    let id = buyer.approve(&shown).await;
    house.wait_for_state(&id, "confirmed").await;
    fs::create_dir(house.folder().join("copies")).expect("a folder");
    (house, id)
}

/// Whatever mask the shell has: the ledger and what stands beside it are their owner's alone.
#[tokio::test]
async fn what_the_program_keeps_is_its_owners_alone() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let made = support::run_in(folder.path(), &[], &["init", "--tenant", "Lab", "--zone", "UTC"]);
    assert_eq!(made.status, 0, "{made:?}");
    let (house, _) = house().await;
    for file in [folder.path().join("countersign.db"), house.node_file()] {
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn a_copy_is_whole_sound_and_its_owners_alone() {
    let (house, order) = house().await;
    let ran = house.run(&["backup", "copies/monday.db"]);
    assert_eq!((ran.status, &*ran.out), (0, "copies/monday.db\n"), "{ran:?}");
    let stored = house.stored().await;
    let said = format!("{} orders and {} events", stored.orders, stored.events);
    assert!(ran.err.contains(&said), "{said:?} in {ran:?}");

    let copies = house.folder().join("copies");
    assert_eq!(listed(&copies), ["monday.db"], "nothing beside it");
    let copy = copies.join("monday.db");
    let mode = fs::metadata(&copy).expect("the copy").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let pool = opened(&copy).await;
    assert_eq!(
        number(&pool, "SELECT count(*) FROM nodes").await,
        0,
        "no node is alive in a copy"
    );
    assert_eq!(number(&pool, "SELECT count(*) FROM events").await, stored.events);
    let id: String = sqlx::query_scalar("SELECT id FROM orders")
        .fetch_one(&pool)
        .await
        .expect("an order");
    assert_eq!(id, order);
    pool.close().await;
    assert_eq!(
        house.number("SELECT count(*) FROM nodes").await,
        1,
        "the process at work stays in the original"
    );
}

#[tokio::test]
async fn a_copy_can_be_checked_and_served_like_the_original() {
    let (house, order) = house().await;
    assert_eq!(house.run(&["backup", "copies/again.db"]).status, 0);
    let place = house.folder().join("copies");
    fs::rename(place.join("again.db"), place.join("countersign.db")).expect("put in place");
    let run = |arguments: &[&str]| support::run_in(&place, &[], arguments);
    let checked = run(&["check"]);
    assert_eq!(checked.status, 0, "{checked:?}");
    let listen = ["serve", "--no-worker", "--listen", "127.0.0.1:0"];
    let web = Process::start(&place, &[], &listen, "serving http://").await;
    let answer = house
        .http
        .get(format!("{}/api/v1/orders/{order}", web.base))
        .bearer_auth(house.reading());
    let answer = support::Answer::of(answer).await;
    assert_eq!((answer.status, &answer.json()["state"]), (200, &"confirmed".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_made_while_others_write_are_sound_each_of_them() {
    let (house, _) = house().await;
    let writing = async {
        for number in 0..40 {
            house.suggest(&format!("wish-{number}"), &body("WRITING")).await;
        }
    };
    let copying = async {
        let mut events = Vec::new();
        for number in 0..6 {
            let file = format!("copies/{number}.db");
            let ran = tokio::task::block_in_place(|| house.run(&["backup", &file]));
            assert_eq!(ran.status, 0, "{ran:?}");
            let pool = opened(&house.folder().join(&file)).await;
            events.push(self::number(&pool, "SELECT count(*) FROM events").await);
            pool.close().await;
        }
        events
    };
    let (events, ()) = tokio::join!(copying, writing);
    assert!(events.is_sorted(), "{events:?}");
    assert!(
        events.first() < events.last(),
        "nothing was written meanwhile: {events:?}"
    );
}

#[tokio::test]
async fn a_backup_overwrites_nothing_and_leaves_nothing_when_it_fails() {
    let (house, _) = house().await;
    let copies = house.folder().join("copies");
    fs::write(copies.join("there.db"), "mine").expect("a file");
    failed(
        &house.run(&["backup", "copies/there.db"]),
        &["there.db", "overwrites nothing"],
    );
    assert_eq!(fs::read_to_string(copies.join("there.db")).expect("the file"), "mine");
    failed(
        &house.run(&["backup", "nowhere/copy.db"]),
        &["nowhere/copy.db", "there is no folder"],
    );
    assert!(!house.folder().join("nowhere").exists());
    fs::write(copies.join("two.db.part"), "").expect("a file");
    failed(&house.run(&["backup", "copies/two.db"]), &["two.db.part"]);
    assert_eq!(listed(&copies), ["there.db", "two.db.part"]);
}

#[tokio::test]
async fn a_full_disk_is_named_and_leaves_nothing() {
    let (house, _) = house().await;
    // a file may not grow beyond 16 blocks of 512 bytes: the copy needs more
    let limited = "ulimit -f 16; trap '' XFSZ; exec \"$0\" backup copies/full.db";
    let ran = support::shell(house.folder(), limited, support::PROGRAM);
    failed(&ran, &["copies/full.db", "cannot be written"]);
    assert_eq!(listed(&house.folder().join("copies")), Vec::<String>::new());
}

#[tokio::test]
async fn a_copy_whose_chain_does_not_hold_is_no_backup() {
    let (house, _) = house().await;
    let raw = house.database().await;
    for statement in [
        "DROP TRIGGER events_never_change",
        "UPDATE events SET body = replace(body, 'House', 'Mouse') WHERE number = 1",
    ] {
        sqlx::query(statement).execute(&raw).await.expect(statement);
    }
    raw.close().await;
    failed(
        &house.run(&["backup", "copies/bad.db"]),
        &["the event chain does not hold at event 1"],
    );
    assert_eq!(listed(&house.folder().join("copies")), Vec::<String>::new());
}

#[tokio::test]
async fn a_copy_that_refers_to_what_is_not_there_is_no_backup() {
    let (house, _) = house().await;
    let raw = house.database().await;
    let mut raw = raw.acquire().await.expect("a connection");
    for statement in [
        "PRAGMA foreign_keys = OFF",
        "INSERT INTO sites (tenant, code, name, created_at) VALUES ('ten_nobody', 'x', 'X', 1)",
    ] {
        sqlx::query(statement).execute(&mut *raw).await.expect(statement);
    }
    failed(&house.run(&["backup", "copies/bad.db"]), &["1 rows of sites"]);
    assert_eq!(listed(&house.folder().join("copies")), Vec::<String>::new());
}

#[tokio::test]
async fn a_backup_is_made_before_the_schema_is_brought_up_to_date() {
    let (house, _) = house().await;
    let raw = house.database().await;
    for statement in ["DROP TABLE nodes", "DELETE FROM _sqlx_migrations WHERE version = 3"] {
        sqlx::query(statement).execute(&raw).await.expect(statement);
    }
    raw.close().await;
    let ran = house.run(&["backup", "copies/before.db"]);
    assert_eq!(ran.status, 0, "{ran:?}");
}

#[test]
fn a_postgresql_database_is_left_to_its_own_program_and_the_password_is_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = "postgres://desk:hunter2@db.example/desk?sslmode=require&password=hunter3";
    let ran = support::run_in(
        folder.path(),
        &[("database_url", url.to_owned())],
        &["backup", "it's.dump"],
    );
    failed(
        &ran,
        &[
            "nothing was backed up",
            "--exclude-table-data=nodes",
            r"--file='it'\''s.dump'",
        ],
    );
    assert!(
        ran.err.contains("'postgres://desk@db.example/desk?sslmode=require'"),
        "{ran:?}"
    );
    assert!(!ran.err.contains("hunter"), "{ran:?}");
    assert_eq!(listed(folder.path()), Vec::<String>::new());
}

#[test]
fn a_folder_that_may_not_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let init = support::run_in(folder.path(), &[], &["init", "--tenant", "House", "--zone", "UTC"]);
    assert_eq!(init.status, 0);
    // a file in the folder's place stops also the superuser, whom no mode stops
    fs::write(folder.path().join("copies"), "").expect("a file");
    fs::set_permissions(folder.path().join("copies"), Permissions::from_mode(0o400)).expect("a mode");
    let ran = support::run_in(folder.path(), &[], &["backup", "copies/one.db"]);
    failed(&ran, &["copies/one.db", "cannot be written"]);
}
