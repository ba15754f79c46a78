//! The command line: exit status, the result alone on standard output, remarks on standard error.

mod support;

use serde_json::json;
use std::path::Path;
use std::process::Command;
use support::database::{Database, on_postgres};
use support::{BUYER, House, MANAGER, PASSWORD, PROGRAM, RESOLVER, Ran, body};
use tempfile::TempDir;

/// An empty folder to run verbs in, with an empty database.
struct Folder {
    database: Database,
    folder: TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let database = Database::empty(folder.path());
        Self { database, folder }
    }

    /// Where the program finds the database that its settings name.
    fn without_database() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let database = Database::file(folder.path());
        Self { database, folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.path());
        command.env_clear().env("NO_COLOR", "1");
        command.envs(self.database.setting().map(|(_, url)| ("DATABASE_URL", url)));
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in(arguments, &[])
    }

    fn run_in(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        command.envs(environment.iter().copied());
        let output = command.output().expect("the program runs");
        Ran {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn init(&self) {
        let ran = self.run(&["init", "--tenant", "House", "--zone", "Europe/Berlin"]);
        done(&ran);
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }
}

fn done(ran: &Ran) {
    assert_eq!(ran.status, 0, "{ran:?}");
}

/// Failed with this status, said on standard error, nothing on standard output.
fn failed(ran: &Ran, status: i32, says: &[&str]) {
    assert_eq!(ran.status, status, "{ran:?}");
    assert_eq!(ran.out, "", "standard output carries results alone");
    for words in says {
        assert!(ran.err.contains(words), "{words:?} in {ran:?}");
    }
}

#[test]
fn version_and_help_are_results() {
    let folder = Folder::new();
    let version = folder.run(&["--version"]);
    done(&version);
    assert_eq!(version.out, format!("countersign {}\n", env!("CARGO_PKG_VERSION")));
    let help = folder.run(&["--help"]);
    done(&help);
    for verb in ["serve", "work", "practice-supplier", "init", "migrate", "check"] {
        assert!(help.out.contains(verb), "{verb}");
    }
    let files = std::fs::read_dir(folder.path()).expect("the folder");
    assert_eq!(files.count(), 0, "nothing was made");
}

#[test]
fn unusable_arguments_are_status_2() {
    let folder = Folder::new();
    for arguments in [
        &[][..],
        &["dance"],
        &["serve", "--fast"],
        &["init"],
        &["init", "--tenant", "House"],
        &["token", "create", "x", "--scope", "all"],
        &["supplier", "example", "practice"],
        &["supplier", "example", "other", "--url", "http://x"],
        &["init", "--tenant", "House", "--zone", "Mars/Base"],
        &["init", "--tenant", "", "--zone", "UTC"],
        &["--config", "nowhere.toml", "check"],
        &["serve", "--listen", "here"],
    ] {
        failed(&folder.run(arguments), 2, &[]);
    }
}

#[test]
fn init_makes_schema_and_first_tenant_and_refuses_a_second_time() {
    let folder = Folder::new();
    let first = folder.run(&["init", "--tenant", "House", "--zone", "Europe/Berlin"]);
    done(&first);
    assert!(
        first.out.starts_with("ten_") && first.out.lines().count() == 1,
        "{first:?}"
    );
    assert!(on_postgres() || folder.path().join("countersign.db").is_file());
    let second = folder.run(&["init", "--tenant", "Other", "--zone", "UTC"]);
    failed(&second, 1, &["tenant"]);
    failed(&folder.run(&["tenant", "add", "House", "--zone", "UTC"]), 1, &["taken"]);
}

#[test]
fn a_database_that_is_not_there_or_not_current_fails_with_status_1_and_is_not_made() {
    let folder = Folder::new();
    let nowhere = format!("{}-nowhere", folder.database.url);
    for arguments in [&["check"][..], &["site", "list"], &["work"], &["check"]] {
        let ran = folder.run_in(arguments, &[("DATABASE_URL", &nowhere)]);
        failed(&ran, 1, &[]);
        assert!(!ran.err.contains("countersign migrate"), "it is there now: {ran:?}");
    }
    if !on_postgres() {
        folder.write("countersign.db", "");
    }
    failed(&folder.run(&["check"]), 1, &["countersign migrate"]);
    let migrated = folder.run(&["migrate"]);
    done(&migrated);
    assert_eq!(migrated.out, "");
    done(&folder.run(&["check"]));
    folder.write("broken.db", "this is no database, whatever its name says");
    let broken = [("DATABASE_URL", "sqlite:broken.db")];
    failed(&folder.run_in(&["check"], &broken), 1, &[]);
    let foreign = [("DATABASE_URL", "mysql://x")];
    failed(&folder.run_in(&["check"], &foreign), 2, &["mysql"]);
}

#[test]
fn the_tenant_must_be_named_once_there_are_two() {
    let folder = Folder::new();
    failed(&folder.run(&["site", "list"]), 1, &[]);
    folder.init();
    done(&folder.run(&["site", "add", "one", "--name", "One"]));
    done(&folder.run(&["tenant", "add", "Second", "--zone", "UTC"]));
    for arguments in [
        &["site", "list"][..],
        &["site", "add", "two", "--name", "Two"],
        &["supplier", "list"],
        &["person", "list"],
        &["token", "list"],
        &["token", "create", "x", "--scope", "read"],
    ] {
        failed(&folder.run(arguments), 2, &["--tenant"]);
    }
    let ours = folder.run(&["site", "list", "--tenant", "House"]);
    assert_eq!((ours.status, &*ours.out), (0, "one\tOne\n"));
    let theirs = folder.run(&["site", "list", "--tenant", "Second"]);
    assert_eq!((theirs.status, &*theirs.out), (0, ""));
    failed(&folder.run(&["site", "list", "--tenant", "Third"]), 1, &["tenant"]);
}

#[test]
fn sites_are_added_renamed_and_listed() {
    let folder = Folder::new();
    folder.init();
    let added = folder.run(&["site", "add", "main", "--name", "Main"]);
    done(&added);
    done(&folder.run(&["site", "add", "main", "--name", "Main warehouse"]));
    assert_eq!(folder.run(&["site", "list"]).out, "main\tMain warehouse\n");
    failed(&folder.run(&["site", "add", "no good", "--name", "x"]), 2, &["CODE"]);
    failed(
        &folder.run(&["site", "add", "ok", "--name", "a\u{202e}b"]),
        2,
        &["--name"],
    );
}

#[test]
fn people_are_added_listed_and_refused_with_reasons() {
    let folder = Folder::new();
    folder.init();
    let add = |email: &str, role: &str| folder.run(&["person", "add", "Ann", "--email", email, "--role", role]);
    let added = add("ann@example.com", "buyer,manager");
    done(&added);
    assert!(added.out.starts_with("per_") && added.out.lines().count() == 1);
    let listed = folder.run(&["person", "list"]).out;
    let id = added.out.trim();
    assert_eq!(listed, format!("{id}\tAnn\tann@example.com\tbuyer,manager\t\n"));
    failed(&add("ann@example.com", "buyer"), 1, &["taken"]);
    failed(&add("ann", "buyer"), 2, &["--email"]);
    failed(&add("other@example.com", "boss"), 2, &["boss"]);
    failed(
        &folder.run(&["person", "disable", "nobody@example.com"]),
        1,
        &["person"],
    );
}

#[test]
fn a_password_comes_by_standard_input_and_must_be_long_enough() {
    let folder = Folder::new();
    folder.init();
    let mut command = folder.command(&["person", "add", "Ann", "--email", "ann@example.com", "--role", "buyer"]);
    let short = folder.write("short", "seven77\n");
    let short = std::fs::File::open(short).expect("the file");
    let output = command.arg("--password-stdin").stdin(short).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("password"));
    assert_eq!(folder.run(&["person", "list"]).out, "");
}

#[test]
fn a_tokens_secret_is_shown_once_alone_on_the_last_line() {
    let folder = Folder::new();
    folder.init();
    let made = folder.run(&["token", "create", "assistant", "--scope", "intake"]);
    done(&made);
    let secret = made.out.trim_end();
    assert!(secret.starts_with("cst_") && !secret.contains(char::is_whitespace));
    assert!(!made.err.contains(secret));
    let listed = folder.run(&["token", "list"]);
    assert!(listed.out.contains("assistant\tintake") && !listed.out.contains(secret));
    let id = listed.out.split('\t').next().expect("an id");
    done(&folder.run(&["token", "revoke", id]));
    assert!(folder.run(&["token", "list"]).out.contains("revoked"));
    failed(&folder.run(&["token", "revoke", id]), 1, &[]);
    failed(&folder.run(&["token", "revoke", "x"]), 2, &["ID"]);
    let files = std::fs::read_dir(folder.path()).expect("the folder");
    for file in files {
        let bytes = std::fs::read(file.expect("an entry").path()).expect("a file");
        let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!found, "the secret is nowhere on the disk");
    }
}

#[test]
fn every_unusable_setting_is_named_at_once() {
    let folder = Folder::new();
    let environment = [
        ("COUNTERSIGN_LEASE", "soon"),
        ("COUNTERSIGN_PARALLEL", "0"),
        ("COUNTERSIGN_LISTEN", "here"),
        ("COUNTERSIGN_SWEEP", "0s"),
        ("COUNTERSIGN_PUBLIC_URL", "buy.example.com/shop"),
    ];
    let named = ["lease", "parallel", "listen", "sweep", "public_url"];
    failed(&folder.run_in(&["check"], &environment), 2, &named);
}

#[test]
fn unknown_settings_and_values_of_the_wrong_kind_are_named_with_all_the_others() {
    let folder = Folder::new();
    let file = folder.write("settings.toml", "colour = \"red\"\nlease = 45\nparallel = \"many\"\n");
    let environment = [("COUNTERSIGN_SPEED", "9"), ("COUNTERSIGN_SWEEP", "0s")];
    let ran = folder.run_in(&["--config", &file, "check"], &environment);
    failed(&ran, 2, &["colour", "lease", "parallel", "speed", "sweep"]);
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_may_be_named_by_it() {
    let folder = Folder::without_database();
    let file = folder.write("settings.toml", "database_url = \"sqlite:filed.db\"\n");
    let by_argument = ["--config", &*file, "init", "--tenant", "House", "--zone", "UTC"];
    done(&folder.run(&by_argument));
    assert!(folder.path().join("filed.db").is_file());
    let by_environment = [("COUNTERSIGN_CONFIG", &*file)];
    done(&folder.run_in(&["site", "list"], &by_environment));
    let both = [("COUNTERSIGN_CONFIG", &*file), ("DATABASE_URL", "sqlite:other.db")];
    failed(&folder.run_in(&["site", "list"], &both), 1, &[]);
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let folder = Folder::new();
    let environment = [
        ("COUNTERSIGN_REQUEST_DEADLINE", "45s"),
        ("COUNTERSIGN_SEND_BY", "1m"),
        ("COUNTERSIGN_AGAIN_FIRST", "1h"),
    ];
    let named = ["request_deadline", "send_by", "again_first"];
    failed(&folder.run_in(&["check"], &environment), 2, &named);
}

#[test]
fn a_suppliers_file_is_printed_added_and_added_again_as_version_2() {
    let folder = Folder::new();
    folder.init();
    let example = ["supplier", "example", "practice", "--url", "http://127.0.0.1:9/"];
    let example = folder.run(&example);
    done(&example);
    assert!(example.out.starts_with("id = \"practice\"\n"), "{}", example.out);
    assert!(example.out.contains("\"http://127.0.0.1:9\""));
    let file = folder.write("practice.toml", &example.out);
    let first = folder.run(&["supplier", "add", &file]);
    assert_eq!((first.status, &*first.out), (0, "practice\n"));
    assert!(first.err.contains("version 1"), "{first:?}");
    let second = folder.run(&["supplier", "add", &file]);
    done(&second);
    assert!(second.err.contains("version 2"), "{second:?}");
    let listed = folder.run(&["supplier", "list"]).out;
    assert_eq!(listed, "practice\tPractice supplier\tversion 2\t\n");
}

#[test]
fn every_fault_of_a_suppliers_file_is_named_at_once() {
    let folder = Folder::new();
    folder.init();
    let example = ["supplier", "example", "practice", "--url", "http://127.0.0.1:9"];
    let broken = folder.run(&example).out;
    let broken = broken
        .replace("id = \"practice\"", "id = \"Practice!\"")
        .replace("settle_time = \"30s\"", "settle_time = \"soon\"")
        .replace("refusals = [422]", "refusals = [409]")
        .replace("http://127.0.0.1:9", "ftp://x")
        .replace("# secret = \"env:PRACTICE_SECRET\"", "secret = \"hunter2\"")
        .replace("\"SEK\"", "\"XXX\"");
    let file = folder.write("broken.toml", &broken);
    let ran = folder.run(&["supplier", "add", &file]);
    let named = ["id", "settle_time", "409", "http.base_url", "http.secret", "currencies"];
    failed(&ran, 2, &named);
    assert!(!ran.err.contains("hunter2"), "a secret is never repeated");
    assert_eq!(folder.run(&["supplier", "list"]).out, "");
    let text = folder.write("text.toml", "this is no TOML");
    failed(&folder.run(&["supplier", "add", &text]), 2, &[]);
    failed(&folder.run(&["supplier", "add", "nowhere.toml"]), 2, &["nowhere.toml"]);
    failed(&folder.run(&["supplier", "hold", "nobody"]), 1, &["supplier"]);
}

#[test]
fn check_names_a_missing_manager_and_an_unreadable_secret_at_once() {
    let folder = Folder::new();
    folder.init();
    let example = ["supplier", "example", "practice", "--url", "http://127.0.0.1:9"];
    let example = folder.run(&example).out;
    let secret = example.replace("# secret = \"env:PRACTICE_SECRET\"", "secret = \"env:NOT_SET\"");
    let file = folder.write("practice.toml", &secret);
    done(&folder.run(&["supplier", "add", &file]));
    failed(&folder.run(&["check"]), 1, &["no manager", "NOT_SET"]);
}

#[tokio::test]
async fn orders_of_a_held_supplier_wait_and_go_out_once_it_is_released() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let held = house.run(&["supplier", "hold", "practice", "--reason", "prices change"]);
    assert_eq!((held.status, &*held.out), (0, ""), "{held:?}");
    let listed = house.run(&["supplier", "list"]).out;
    assert!(listed.contains("on hold: prices change"), "{listed}");
    let shown = house.suggest("held", &body("HELD")).await;
    let id = buyer.approve(&shown).await;

    let order = house.order(&id).await;
    assert_eq!(order["state"], "approved");
    assert_eq!(
        (&order["held"], &order["held_because"]),
        (&json!(true), &json!("supplier"))
    );
    // two sweeps and many wakes later nothing was sent
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert_eq!(house.order(&id).await, order);
    assert_eq!(house.submits().await.len(), 0);
    assert_ne!(house.run(&["supplier", "hold", "practice"]).status, 0, "held already");

    let released = house.run(&["supplier", "release", "practice"]);
    assert_eq!((released.status, &*released.out), (0, ""));
    let order = house.wait_for_state(&id, "confirmed").await;
    assert_eq!(order["held"], false);
    house.assert_counts(&order, 1, 1, "released").await;
    assert_ne!(house.run(&["supplier", "release", "practice"]).status, 0, "not on hold");
}

#[tokio::test]
async fn disabling_a_person_moves_their_cases_and_the_last_manager_stays() {
    let house = House::start().await;
    house.suggest("moved", &body("MOVED")).await;
    let other = support::with(body("MOVED"), "/lines/0/quantity", json!("25"));
    assert_eq!(house.put_suggestion("moved", &other).await.status, 422);
    assert_eq!(owner(&house).await, "Rolf Resolver");

    done(&house.run(&["person", "disable", RESOLVER]));

    assert_eq!(owner(&house).await, "Mara Manager");
    failed(&house.run(&["person", "disable", RESOLVER]), 1, &["disabled already"]);
    let last = house.run(&["person", "disable", MANAGER]);
    failed(&last, 1, &["last manager"]);
    assert!(
        house
            .run(&["person", "list"])
            .out
            .contains("rolf@example.com\tresolver\tdisabled")
    );
    let add = [
        "person",
        "add",
        "Max",
        "--email",
        "max@example.com",
        "--role",
        "manager",
        "--password-stdin",
    ];
    done(&house.run_with_input(&add, PASSWORD));
    done(&house.run(&["person", "disable", MANAGER]));
    assert_eq!(owner(&house).await, "Max");
    done(&house.run(&["check"]));
}

/// Who owns the one open case.
async fn owner(house: &House) -> String {
    let pool = house.database().await;
    sqlx::query_scalar("SELECT people.name FROM cases JOIN people ON people.id = owner WHERE closed_at IS NULL")
        .fetch_one(&pool)
        .await
        .expect("one open case")
}

#[tokio::test]
async fn serving_where_somebody_else_listens_is_said_and_is_status_1() {
    let house = House::start().await;
    let address = house.base.trim_start_matches("http://").to_owned();
    failed(&house.run(&["serve", "--listen", &address]), 1, &[&address]);
    let practice = ["practice-supplier", "--listen", &address];
    failed(&house.run(&practice), 1, &[&address]);
}
