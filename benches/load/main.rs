//! How fast, beside how fast this machine could be at most: `make bench`, or some of it: `make bench ARGS="sqlite pages"`.
//!
//! Promises: real processes of the release build, on databases in a folder on a disk, with the settings that are shipped;
//! every rate stands beside the floor that was measured in the same run. Must not: judge. What the figures mean stands in
//! docs/performance.md.

#[path = "../../tests/support/mod.rs"]
mod support;

mod claims;
mod clients;
mod floor;
mod memory;
mod pages;
mod report;
mod suppliers;
mod throughput;
mod years;

use std::process::Command;
use support::Plan;
use support::database::{Cluster, either, on_postgres};

/// What can be asked for by name; nothing named is everything.
const DATABASES: [&str; 2] = ["sqlite", "postgres"];
const PARTS: [&str; 4] = ["throughput", "claims", "pages", "memory"];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let Some(unknown) = asked
        .iter()
        .find(|word| !DATABASES.contains(&&***word) && !PARTS.contains(&&***word))
    {
        eprintln!("{unknown}? There are {DATABASES:?} and {PARTS:?}");
        std::process::exit(2);
    }
    let wants = |words: &[&str], word: &str| {
        asked.contains(&word.to_owned()) || !words.iter().any(|one| asked.contains(&(*one).to_owned()))
    };
    if on_postgres() {
        return run(|part| wants(&PARTS, part));
    }
    report::machine();
    if wants(&DATABASES, "sqlite") {
        run(|part| wants(&PARTS, part));
    }
    if wants(&DATABASES, "postgres") {
        on_a_server_of_our_own(&asked);
    }
}

/// This program again, told where the server is as the tests are.
fn on_a_server_of_our_own(asked: &[String]) {
    let folder = tempfile::TempDir::new().expect("a folder where BENCH_FOLDER says");
    let server = Cluster::start_in(folder, &["max_wal_size=1GB"]);
    let me = std::env::current_exe().expect("this program");
    let mut again = Command::new(me);
    again.args(asked).env("COUNTERSIGN_TEST_POSTGRES", &server.address);
    let ended = again.status().expect("it runs");
    drop(server);
    if !ended.success() {
        std::process::exit(1);
    }
}

#[tokio::main]
async fn run(wants: impl Fn(&str) -> bool) {
    println!("\n## {}", either("SQLite", "PostgreSQL"));
    if wants("throughput") {
        throughput::measure().await;
    }
    if wants("claims") {
        claims::measure().await;
    }
    if wants("pages") {
        pages::measure().await;
    }
    if wants("memory") {
        memory::measure().await;
    }
}

/// The tests are impatient; here it waits as long as it is shipped to.
fn as_shipped(plan: Plan) -> Plan {
    plan.setting("request_deadline", "30s")
        .setting("send_by", "5s")
        .setting("lease", "45s")
        .setting("sweep", "5s")
        .setting("wake", "500ms")
        // what is in doubt stays so while it is looked at
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
}
