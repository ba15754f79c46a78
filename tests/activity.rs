//! The log: looked through on a page, exported whole, and verified. What is shown is held against the database's own
//! rows, and tampering is done past the program, by SQL (case Q5).

mod support;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::collections::BTreeSet;
use support::home::until;
use support::{Answer, BUYER, House, MANAGER, RESOLVER, Ran, Session, body};

/// An event as the database has it.
#[derive(Debug, Clone)]
struct Row {
    number: u64,
    subject: String,
    hash: String,
    body: Value,
}

impl Row {
    fn kind(&self) -> &str {
        self.body["happening"]["kind"].as_str().expect("a kind")
    }
    fn at(&self) -> DateTime<Utc> {
        support::home::moment(&self.body["at"])
    }
}

/// Every event of the first tenant, newest first.
async fn rows(house: &House) -> Vec<Row> {
    let pool = house.database().await;
    let rows: Vec<(i64, String, String, String)> = sqlx::query_as(
        "SELECT number, subject, hash, body FROM events
         WHERE tenant = (SELECT id FROM tenants WHERE name = 'House') ORDER BY number",
    )
    .fetch_all(&pool)
    .await
    .expect("the events");
    pool.close().await;
    let row = |(number, subject, hash, body): (i64, String, String, String)| Row {
        number: number.unsigned_abs(),
        subject,
        hash,
        body: serde_json::from_str(&body).expect("an event"),
    };
    let mut rows: Vec<Row> = rows.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.at(), row.number)));
    rows
}

/// The numbers of the events on a page, in its order, and the way to the next.
fn shown(page: &str) -> (Vec<u64>, Option<String>) {
    let lines = page.split("activity-about").skip(1);
    let numbers = lines.map(|line| {
        let (_, after) = line.split_once("Event ").expect("an event's number");
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a number")
    });
    let next = page.split("href=\"").skip(1).find_map(|link| {
        let (link, _) = link.split_once('"')?;
        link.contains("older=").then(|| link.replace("&amp;", "&"))
    });
    (numbers.collect(), next)
}

/// Everything that this filter finds, page after page.
async fn found(who: &Session<'_>, query: &str) -> Vec<u64> {
    let (mut all, mut next) = (Vec::new(), Some(format!("/activity?{query}")));
    while let Some(path) = next {
        let page = who.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        let (numbers, older) = shown(&page.text);
        assert!(numbers.len() <= 50, "a page has at most fifty");
        assert!(older.is_none() || numbers.len() == 50, "only a full page leads on");
        all.extend(numbers);
        next = older;
    }
    all
}

/// Orders of several fates, so that there is something of most kinds, and more than two pages; nothing goes on by itself.
async fn a_days_work(house: &House) {
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for number in 0..12 {
        let id = house.buy(&buyer, &format!("bought-{number}")).await;
        house.wait_for_state(&id, "confirmed").await;
    }
    let lost = house.lose(&buyer, "lost", "store_then_close").await;
    resolver.does("look_up", &lost, &[]).await;
    house.see_state(&lost, "confirmed").await;
    let waiting = house.suggest("rejected", &body("rejected")).await;
    let reject = [
        ("suggestion", &*waiting.id),
        ("digest", &*waiting.digest),
        ("reason", "not needed"),
    ];
    assert_eq!(buyer.post("/act/reject", &reject).await.status, 303);
    let held = ["supplier", "hold", "practice", "--reason", "prices change"];
    assert_eq!(house.run(&held).status, 0);
    let kept = house.buy(&buyer, "kept").await;
    let order = house.order(&kept).await;
    buyer.does("withdraw", &order, &[("reason", "no longer needed")]).await;
}

#[tokio::test]
async fn every_filter_finds_exactly_its_events_on_as_many_pages_as_it_takes() {
    let house = House::start().await;
    a_days_work(&house).await;
    let rows = rows(&house).await;
    assert!(rows.len() > 100, "{} events are no three pages", rows.len());
    let manager = house.sign_in(MANAGER).await;
    let order = rows
        .iter()
        .find(|row| row.kind() == "order_approved")
        .expect("an order");
    let bea = rows.iter().find(|row| row.body["happening"]["name"] == "Bea Buyer");
    let bea = bea.expect("Bea was added").subject.clone();
    let by = |row: &Row, id: &str| row.body["actor"]["person"]["id"] == id;
    type Test<'a> = Box<dyn Fn(&Row) -> bool + 'a>;
    let filters: Vec<(String, Test)> = vec![
        (String::new(), Box::new(|_| true)),
        ("about=&by=&kind=&from=&to=".to_owned(), Box::new(|_| true)),
        (
            format!("about={}", order.subject),
            Box::new(|row| row.subject == order.subject),
        ),
        ("about=bought-3".to_owned(), Box::new(|row| row.subject == "bought-3")),
        ("about=practice".to_owned(), Box::new(|row| row.subject == "practice")),
        (format!("about={bea}"), Box::new(|row| row.subject == bea)),
        ("about=po_000000000000".to_owned(), Box::new(|_| false)),
        (format!("by={bea}"), Box::new(|row| by(row, &bea))),
        ("by=worker".to_owned(), Box::new(|row| row.body["actor"] == "worker")),
        (
            "by=command_line".to_owned(),
            Box::new(|row| row.body["actor"] == "command_line"),
        ),
        (
            "by=program".to_owned(),
            Box::new(|row| row.body["actor"]["program"].is_object()),
        ),
        (
            "kind=approvals".to_owned(),
            Box::new(|row| ["suggestion_moved", "order_approved"].contains(&row.kind())),
        ),
        (
            "kind=findings".to_owned(),
            Box::new(|row| ["look_up_wanted", "looked_up", "finding_established"].contains(&row.kind())),
        ),
        (
            "kind=house&by=command_line".to_owned(),
            Box::new(|row| {
                let house = [
                    "tenant_created",
                    "site_added",
                    "supplier_added",
                    "person_added",
                    "token_created",
                ];
                row.body["actor"] == "command_line" && house.contains(&row.kind())
            }),
        ),
        (
            format!("about={}&by=worker&kind=sending", order.subject),
            Box::new(|row| row.subject == order.subject && row.kind().starts_with("attempt")),
        ),
        (format!("by={bea}&kind=house"), Box::new(|_| false)),
    ];
    for (query, test) in &filters {
        let expected: Vec<u64> = rows.iter().filter(|row| test(row)).map(|row| row.number).collect();
        assert_eq!(found(&manager, query).await, expected, "{query}");
    }
    // every event is of exactly one kind
    let mut of_all_kinds = Vec::new();
    for kind in [
        "suggestions",
        "approvals",
        "sending",
        "findings",
        "cases",
        "holds",
        "house",
    ] {
        of_all_kinds.extend(found(&manager, &format!("kind={kind}")).await);
    }
    of_all_kinds.sort_unstable();
    assert_eq!(of_all_kinds, (1..=rows.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn days_are_those_of_the_tenants_zone() {
    let house = House::plan().no_worker().start().await;
    for number in 0..6 {
        house.suggest(&format!("wish-{number}"), &body("BOLT")).await;
    }
    // Berlin, winter: the first of December begins at 23:00 of the day before
    let begins: DateTime<Utc> = "2026-11-30T23:00:00Z".parse().expect("a moment");
    let second = TimeDelta::seconds(1);
    let moments = [
        begins - second,
        begins,
        begins + TimeDelta::days(1) - second,
        begins + TimeDelta::days(1),
    ];
    let rows = rows(&house).await;
    let newest: Vec<u64> = rows[..4].iter().rev().map(|row| row.number).collect();
    house.drop_trigger("events_never_change", "events").await;
    let pool = house.database().await;
    let long_ago = "UPDATE events SET at = 0";
    sqlx::query(long_ago).execute(&pool).await.expect(long_ago);
    for (number, at) in newest.iter().zip(moments) {
        sqlx::query("UPDATE events SET at = $1 WHERE number = $2")
            .bind(at.timestamp_micros())
            .bind(i64::try_from(*number).expect("small"))
            .execute(&pool)
            .await
            .expect("moved in time");
    }
    pool.close().await;
    let buyer = house.sign_in(BUYER).await;
    let [before, first, last, after] = newest[..] else {
        panic!("four")
    };
    for (query, expected) in [
        ("from=2026-12-01&to=2026-12-01", vec![last, first]),
        ("from=2026-12-01", vec![after, last, first]),
        ("from=2026-11-30&to=2026-11-30", vec![before]),
        ("from=2026-12-02&to=2027-01-01", vec![after]),
        ("from=2026-12-03", vec![]),
    ] {
        assert_eq!(found(&buyer, query).await, expected, "{query}");
    }
    let all = found(&buyer, "to=2026-11-30").await;
    assert_eq!((all.len(), all[0]), (rows.len() - 3, before));
}

#[tokio::test]
async fn what_cannot_be_looked_for_is_said_calmly_and_another_tenants_log_is_not_shown() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let nobody = Answer::of(house.http.get(format!("{}/activity", house.base))).await;
    assert_eq!((nobody.status, nobody.location()), (303, "/sign-in?next=%2Factivity"));
    for (query, says) in [
        ("about=two+words", "this is no id"),
        ("by=Bea", "nobody goes by this name"),
        ("kind=gossip", "there is no such kind"),
        ("from=1.12.2026", "From: this is no date"),
        ("to=2026-02-30", "To: this is no date"),
        ("from=2026-12-02&to=2026-12-01", "The first day is after the last one"),
    ] {
        let page = buyer.get(&format!("/activity?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        assert!(page.text.contains(says), "{query}");
        assert_eq!(shown(&page.text), (Vec::new(), None), "{query}: nothing is shown");
    }
    let none = buyer.get("/activity?kind=cases").await;
    assert!(none.text.contains("Nothing like this happened."));
    let hidden = buyer.get("/activity?older=99999999999999999999").await;
    assert_eq!(shown(&hidden.text).0, found(&buyer, "").await, "no number: the newest");

    let other = house.run(&["tenant", "add", "Elsewhere", "--zone", "UTC"]);
    assert_eq!(other.status, 0, "{other:?}");
    let page = buyer.get("/activity").await.text;
    assert!(!page.contains("Elsewhere"), "only ours");
    assert_eq!(found(&buyer, "").await.len(), rows(&house).await.len());
}

#[tokio::test]
async fn the_page_tells_what_happened_and_leads_to_it() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let id = house.buy(&buyer, "told").await;
    house.wait_for_state(&id, "confirmed").await;
    let page = buyer.get("/activity").await.text;
    for words in [
        "Bea Buyer approved version 1.",
        "Attempt 1 started.",
        "Rolf Resolver",
        "Practice supplier",
        "Anchor of the log",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains(&format!("href=\"/orders/{id}\"")), "a way to the order");
    assert!(page.contains("href=\"/activity?about=told\""), "a way to the wish");
    let rows = rows(&house).await;
    let last = rows.iter().max_by_key(|row| row.number).expect("an event");
    assert!(page.contains(&format!("{}:{}", last.number, last.hash)), "the anchor");
    assert!(page.contains("aria-current=\"page\""), "a place of the navigation");
}

/// Reads an exported log as somebody does who has nothing but the file and its description; answers its events, and
/// number and hash of its anchor.
fn recomputed(log: &str) -> (Vec<Value>, (u64, String)) {
    let mut lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let anchor = lines.pop().expect("a last line")["anchor"].clone();
    let mut predecessor = String::new();
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(line["number"], at as u64 + 1);
        let bytes = format!("{predecessor}\n{}", line["event"].as_str().expect("bytes"));
        let hash = Sha256::digest(bytes.as_bytes());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        predecessor = format!("sha256:{hash}");
        assert_eq!(line["hash"], json!(predecessor), "event {}", at + 1);
    }
    assert!(
        anchor["tenant"]
            .as_str()
            .is_some_and(|tenant| tenant.starts_with("ten_"))
    );
    let number = anchor["number"].as_u64().expect("a number");
    assert_eq!((number, &anchor["hash"]), (lines.len() as u64, &json!(predecessor)));
    (lines, (number, predecessor))
}

#[tokio::test]
async fn the_exported_log_can_be_computed_anew_and_ends_at_its_anchor_whatever_goes_on() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let id = house.buy(&buyer, "exported").await;
    house.wait_for_state(&id, "confirmed").await;
    // more than a page
    for number in 0..520 {
        assert_eq!(house.put_intent(&format!("wish-{number}")).await.status, 201);
    }
    let is_read = Cell::new(false);
    let writing = async {
        for number in 1000.. {
            if is_read.get() {
                return;
            }
            assert_eq!(house.put_intent(&format!("wish-{number}")).await.status, 201);
        }
    };
    let reading = async {
        let answer = buyer.get("/activity/export").await;
        is_read.set(true);
        answer
    };
    let ((), answer) = tokio::join!(writing, reading);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let name = answer.header("content-disposition");
    assert!(
        name.starts_with("attachment; filename=\"countersign-events-house-2"),
        "{name}"
    );
    let (lines, _) = recomputed(&answer.text);
    assert!(lines.len() > 500, "{}", lines.len());

    house.put_intent("the-last-one").await;
    let page = buyer.get("/activity/export").await.text;
    let ran = house.run(&["export", "events", "--as", "jsonl"]);
    assert_eq!((ran.status, &*ran.err), (0, ""), "{}", ran.err);
    assert_eq!(ran.out, page, "one log, by either door");
    let (lines, _) = recomputed(&ran.out);
    let last: Value = serde_json::from_str(lines.last().expect("one")["event"].as_str().expect("bytes")).expect("JSON");
    assert_eq!(last["subject"]["intent"], "the-last-one");
    assert_eq!(lines.len(), rows(&house).await.len());
}

#[tokio::test]
async fn an_export_needs_a_session_a_form_and_a_tenant() {
    let house = House::plan().no_worker().start().await;
    let nobody = Answer::of(house.http.get(format!("{}/activity/export", house.base))).await;
    assert_eq!(nobody.status, 303, "to the sign-in");
    for (arguments, says) in [
        (&["export", "events", "--as", "xml"][..], "jsonl and csv"),
        (&["export", "events"], "--as"),
    ] {
        failed(&house.run(arguments), 2, &[says]);
    }
    assert_eq!(house.run(&["tenant", "add", "Elsewhere", "--zone", "UTC"]).status, 0);
    failed(&house.run(&["export", "events", "--as", "jsonl"]), 2, &["--tenant"]);
    let theirs = house.run(&["export", "events", "--as", "jsonl", "--tenant", "Elsewhere"]);
    assert_eq!(recomputed(&theirs.out).0.len(), 1, "{theirs:?}");
}

#[tokio::test]
async fn orders_are_exported_as_the_api_shows_them() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    for intent in ["one", "two", "three"] {
        let id = house.buy(&buyer, intent).await;
        house.wait_for_state(&id, "confirmed").await;
    }
    let ran = house.run(&["export", "orders", "--as", "jsonl"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let lines: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(lines, house.orders().await);
}

/// Failed with this status, said on standard error, nothing on standard output.
#[track_caller]
fn failed(ran: &Ran, status: i32, says: &[&str]) {
    assert_eq!((ran.status, &*ran.out), (status, ""), "{ran:?}");
    for words in says {
        assert!(ran.err.contains(words), "{words:?} in {ran:?}");
    }
}

/// Whole; answers the anchor that was printed.
#[track_caller]
fn whole(ran: &Ran) -> String {
    assert_eq!((ran.status, ran.out.lines().count()), (0, 1), "{ran:?}");
    let words: Vec<&str> = ran.out.trim_end().split('\t').collect();
    assert_eq!(words[..2], ["House", "whole"], "{ran:?}");
    words[2].to_owned()
}

/// The faults, each without the names before it.
#[track_caller]
fn faults(ran: &Ran) -> BTreeSet<String> {
    assert_eq!((ran.status, &*ran.out), (1, ""), "{ran:?}");
    let said = ran.err.trim_end().trim_start_matches("countersign: ");
    said.lines().map(|line| line.replace("House: ", "")).collect()
}

/// Does this past the program.
async fn tamper(house: &House, statements: &[&'static str]) {
    house.drop_trigger("events_never_change", "events").await;
    house.drop_trigger("events_stay", "events").await;
    let pool = house.database().await;
    for statement in statements {
        let done = sqlx::query(*statement).execute(&pool).await.expect(statement);
        assert!(done.rows_affected() > 0, "{statement} touches nothing");
    }
    pool.close().await;
}

/// The tenant's row as if what is there now were everything.
const HEAD_WRITTEN_ANEW: &str = "UPDATE tenants SET
     event_number = (SELECT max(number) FROM events WHERE tenant = tenants.id),
     event_hash = (SELECT hash FROM events WHERE tenant = tenants.id ORDER BY number DESC LIMIT 1)";

fn set(faults: &[&str]) -> BTreeSet<String> {
    faults.iter().map(|fault| (*fault).to_owned()).collect()
}

/// Case Q5.
#[tokio::test]
async fn verify_says_which_event_was_edited_swapped_dropped_or_cut_off() {
    let mut house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    for intent in ["one", "two", "three"] {
        let id = house.buy(&buyer, intent).await;
        house.wait_for_state(&id, "confirmed").await;
    }
    drop(buyer);
    house.stop_web().await;
    let sound = house.back_up();
    let last = rows(&house).await.len() as u64;
    let log = house.folder().join("log.jsonl").display().to_string();
    std::fs::write(&log, house.run(&["export", "events", "--as", "jsonl"]).out).expect("a file");
    let anchor = whole(&house.run(&["verify"]));
    assert!(anchor.starts_with(&format!("{last}:sha256:")), "{anchor}");
    let by_anchor = ["verify", "--anchor", &*anchor];
    let by_export = ["verify", "--export", &*log];
    assert_eq!(whole(&house.run(&by_anchor)), anchor);
    assert_eq!(whole(&house.run(&by_export)), anchor);

    // a time is edited
    tamper(
        &house,
        &["UPDATE events SET body = replace(body, '\"at\":\"2', '\"at\":\"3') WHERE number = 5"],
    )
    .await;
    assert_eq!(
        faults(&house.run(&["verify"])),
        set(&[
            "event 5 does not fit its hash: it was changed, or the one before it was, together with its hash",
            "event 5 is filed by other words than it says: filters do not find it as they should",
        ])
    );
    house.put_back(&sound);

    // the last two are deleted, and then the tenant's row agrees
    let cut = format!(
        "events {} to {last} are missing at the end: event {last} is known to be the last",
        last - 1
    );
    let two = "DELETE FROM events WHERE number > (SELECT max(number) - 2 FROM events)";
    tamper(&house, &[two]).await;
    assert_eq!(faults(&house.run(&["verify"])), set(&[&cut]));
    house.put_back(&sound);
    tamper(&house, &[two, HEAD_WRITTEN_ANEW]).await;
    whole(&house.run(&["verify"]));
    let missing = format!("event {last}, which the anchor names, is missing");
    assert_eq!(faults(&house.run(&by_anchor)), set(&[&missing]));
    assert_eq!(faults(&house.run(&by_export)), set(&[&missing]));
    house.put_back(&sound);

    // two change places
    let aside = "UPDATE events SET number = 1000000 WHERE number = 6";
    let there = "UPDATE events SET number = 6 WHERE number = 8";
    let back = "UPDATE events SET number = 8 WHERE number = 1000000";
    tamper(&house, &[aside, there, back]).await;
    assert_eq!(
        faults(&house.run(&["verify"])),
        set(&[
            "event 6 stands in the wrong place: it was written as event 8",
            "event 8 stands in the wrong place: it was written as event 6",
        ])
    );
    house.put_back(&sound);

    all_of_one_order(&house, &by_export).await;
    house.put_back(&sound);

    // a column by which it is found
    tamper(&house, &["UPDATE events SET actor = 'worker' WHERE number = 2"]).await;
    let misfiled = "event 2 is filed by other words than it says: filters do not find it as they should";
    assert_eq!(faults(&house.run(&["verify"])), set(&[misfiled]));
    house.put_back(&sound);
    assert_eq!(whole(&house.run(&by_export)), anchor);
}

/// Every event of one order is dropped: the gaps are named, and the order.
async fn all_of_one_order(house: &House, by_export: &[&str]) {
    let all = rows(house).await;
    let dropped: Vec<u64> = {
        let first = all
            .iter()
            .filter(|row| row.subject.starts_with("po_"))
            .min_by_key(|row| row.number);
        let order = &first.expect("an order").subject;
        all.iter()
            .filter(|row| row.subject == *order)
            .map(|row| row.number)
            .collect()
    };
    tamper(
        house,
        &[
            "DELETE FROM events WHERE subject = (SELECT subject FROM events WHERE subject LIKE 'po\\_%' ESCAPE '\\'
           ORDER BY number LIMIT 1)",
        ],
    )
    .await;
    let ran = house.run(by_export);
    let named = faults(&ran);
    let mut gaps = BTreeSet::new();
    for fault in &named {
        let numbers: Vec<u64> = fault.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [one] if fault.ends_with("is missing") => gaps.extend(one..=one),
            [from, to] if fault.ends_with("are missing") => gaps.extend(from..=to),
            _ => assert!(
                fault.starts_with("order po_") && fault.contains("no event tells of its approval"),
                "{fault}"
            ),
        }
    }
    assert_eq!(gaps, dropped.into_iter().collect(), "{ran:?}");
    assert_eq!(
        named.iter().filter(|fault| fault.starts_with("order po_")).count(),
        1,
        "{ran:?}"
    );
}

/// Whoever writes to the database and computes every hash anew leaves nothing to see in it; the anchor knows.
#[tokio::test]
async fn a_log_that_was_written_anew_shows_by_its_anchor() {
    let mut house = House::plan().no_worker().start().await;
    house.suggest("wish", &body("BOLT")).await;
    house.stop_web().await;
    let log = house.folder().join("log.jsonl").display().to_string();
    std::fs::write(&log, house.run(&["export", "events", "--as", "jsonl"]).out).expect("a file");
    let anchor = whole(&house.run(&["verify"]));

    tamper(
        &house,
        &["UPDATE events SET body = replace(body, 'Mara Manager', 'Eve Elsewhere') WHERE number = 6"],
    )
    .await;
    let pool = house.database().await;
    let all: Vec<(i64, String)> = sqlx::query_as("SELECT number, body FROM events ORDER BY number")
        .fetch_all(&pool)
        .await
        .expect("the events");
    let mut hash = String::new();
    for (number, body) in &all {
        hash = countersign::domain::chain::chained(&hash, body).to_string();
        sqlx::query("UPDATE events SET hash = $1 WHERE number = $2")
            .bind(&hash)
            .bind(number)
            .execute(&pool)
            .await
            .expect("written anew");
    }
    sqlx::query(HEAD_WRITTEN_ANEW)
        .execute(&pool)
        .await
        .expect(HEAD_WRITTEN_ANEW);
    pool.close().await;

    whole(&house.run(&["verify"]));
    let differs = format!(
        "event {} has another hash than the anchor: what happened up to it was written anew",
        all.len()
    );
    assert_eq!(faults(&house.run(&["verify", "--anchor", &anchor])), set(&[&differs]));
    assert_eq!(faults(&house.run(&["verify", "--export", &log])), set(&[&differs]));
    // the log has gone on since, and the anchor stays behind
    assert_eq!(house.run(&["site", "add", "new", "--name", "New"]).status, 0);
    assert_eq!(faults(&house.run(&["verify", "--anchor", &anchor])), set(&[&differs]));
}

#[tokio::test]
async fn an_exported_log_is_verified_itself() {
    let mut house = House::plan().no_worker().start().await;
    house.stop_web().await;
    let log = house.run(&["export", "events", "--as", "jsonl"]).out;
    let verify = |text: String| {
        std::fs::write(house.folder().join("log.jsonl"), text).expect("a file");
        house.run(&["verify", "--export", "log.jsonl"])
    };
    whole(&verify(log.clone()));
    assert_eq!(
        faults(&verify(log.replacen("Annex", "Anney", 1))),
        set(&[
            "log.jsonl: event 3 does not fit its hash: it was changed, or the one before it was, together with its hash"
        ])
    );
    let lines: Vec<&str> = log.lines().collect();
    let without_its_end = lines[..lines.len() - 1].join("\n");
    assert_eq!(
        faults(&verify(without_its_end)),
        set(&["log.jsonl: it has no anchor as its last line: it broke off"])
    );
    let mut without_one = lines.clone();
    without_one.remove(3);
    assert_eq!(
        faults(&verify(without_one.join("\n"))),
        set(&["log.jsonl: event 4 is missing"])
    );
    failed(&verify(String::new()), 1, &["it broke off"]);
    failed(&verify("{}\n".to_owned()), 1, &["line 1 is no line of an exported log"]);
    for (arguments, says) in [
        (&["verify", "--export", "nowhere.jsonl"][..], "nowhere.jsonl"),
        (&["verify", "--anchor", "twelve"], "--anchor"),
        (
            &["verify", "--anchor", "1:sha256:00", "--export", "log.jsonl"],
            "--export",
        ),
    ] {
        failed(&house.run(arguments), 2, &[says]);
    }
    whole(&verify(log.clone()));
    assert_eq!(house.run(&["tenant", "add", "Elsewhere", "--zone", "UTC"]).status, 0);
    assert_eq!(house.run(&["verify"]).out.lines().count(), 2, "each tenant's");
    whole(&verify(log));
    let foreign = ["verify", "--export", "log.jsonl", "--tenant", "Elsewhere"];
    failed(&house.run(&foreign), 2, &["not of Elsewhere"]);
    let anchor = format!("1:sha256:{}", "0".repeat(64));
    failed(&house.run(&["verify", "--anchor", &anchor]), 2, &["--tenant"]);
}

/// Case Q5: two writers do not fork the chain.
#[tokio::test]
async fn two_processes_that_write_at_once_leave_one_whole_log() {
    let house = House::plan().no_worker().start().await;
    let other = house.serve(&["--no-worker"], &[]).await;
    let write = async |base: &str, name: &str| {
        for number in 0..40 {
            let put = house.http.put(format!("{base}/api/v1/intents/{name}-{number}"));
            let put = put.bearer_auth(house.intake()).json(&json!({ "purpose": "restock" }));
            assert_eq!(Answer::of(put).await.status, 201);
        }
    };
    tokio::join!(
        write(&house.base, "a"),
        write(&other.base, "b"),
        write(&house.base, "c"),
        write(&other.base, "d"),
    );
    whole(&house.run(&["verify"]));
    until("every wish, in one log", || async {
        let reserved = rows(&house).await;
        let reserved = reserved.iter().filter(|row| row.kind() == "intent_reserved").count();
        (reserved == 160).then_some(())
    })
    .await;
}

/// The columns by which events are found.
async fn filed(house: &House) -> Vec<(i64, Option<i64>, Option<String>, Option<String>)> {
    let pool = house.database().await;
    let filed = sqlx::query_as("SELECT number, at, actor, kind FROM events ORDER BY number")
        .fetch_all(&pool)
        .await
        .expect("the events");
    pool.close().await;
    filed
}

#[tokio::test]
async fn what_happened_before_the_log_was_looked_through_is_filed_like_what_comes_after() {
    let mut house = House::start().await;
    a_days_work(&house).await;
    house.stop_web().await;
    let before = filed(&house).await;
    assert!(
        before
            .iter()
            .all(|(_, at, actor, kind)| at.is_some() && actor.is_some() && kind.is_some())
    );
    let pool = house.database().await;
    for statement in [
        "DROP INDEX events_by_time",
        "DROP INDEX events_by_actor",
        "DROP INDEX events_by_kind",
        "DROP INDEX events_by_actor_and_kind",
        "ALTER TABLE events DROP COLUMN at",
        "ALTER TABLE events DROP COLUMN actor",
        "ALTER TABLE events DROP COLUMN kind",
        "DELETE FROM _sqlx_migrations WHERE version = 8",
    ] {
        sqlx::query(statement).execute(&pool).await.expect(statement);
    }
    pool.close().await;

    let migrated = house.run(&["migrate"]);

    assert_eq!(migrated.status, 0, "{migrated:?}");
    assert_eq!(filed(&house).await, before);
    whole(&house.run(&["verify"]));
    let pool = house.database().await;
    let refused = sqlx::query("UPDATE events SET kind = 'house'").execute(&pool).await;
    let refused = refused.expect_err("append-only again").to_string();
    assert!(refused.contains("append-only"), "{refused}");
}
