//! The books as tables (case Q4): exact for machines, and for people so that no spreadsheet carries out or changes what
//! somebody wrote. Everything goes in and comes out through the product's own doors.

mod support;

use csv::{ReaderBuilder, StringRecord};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use support::{Answer, BUYER, House, MANAGER, Session, body};

const NAME: &str = "=cmd|' /C calc'!A0";

/// A house whose supplier is called like a formula.
async fn house() -> House {
    let named = |file: String| file.replace("name = \"Practice supplier\"", &format!("name = \"{NAME}\""));
    House::plan().no_worker().supplier_file(named).start().await
}

/// Lines that spreadsheets spoil, and an amount below zero.
fn spoiled() -> Value {
    let line = |sku: &str, description: &str| {
        json!({
            "sku": sku, "description": description, "quantity": "2", "unit": "EA", "unit_price": "10.25",
            "price_per": "1",
        })
    };
    let mut order = body("none");
    order["lines"] = json!([
        line("-12A", "=1+1"),
        line("@x", "\ttab first"),
        line("00123", "＝SUM(1)"),
        line("1e5", "said \"so\", twice\nand; =x"),
        line("+7", "plain words"),
    ]);
    order["charges"] = json!([{ "kind": "allowance", "reason": "-5 for all", "amount": "5.00" }]);
    order
}

/// A table as a program reads it: every row by the names of its columns.
#[track_caller]
fn read(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    let names = reader.headers().expect("names").clone();
    let row = |record: Result<StringRecord, csv::Error>| {
        let record = record.expect("a sound row");
        names
            .iter()
            .zip(record.iter())
            .map(|(name, field)| (name.to_owned(), field.to_owned()))
            .collect()
    };
    reader.records().map(row).collect()
}

fn export(house: &House, arguments: &[&str]) -> String {
    let all: Vec<&str> = ["export"].iter().chain(arguments).copied().collect();
    let ran = house.run(&all);
    assert_eq!((ran.status, &*ran.err), (0, ""), "{ran:?}");
    ran.out
}

/// The bytes of an answer: a reader of text would take the byte order mark away.
async fn bytes(who: &Session<'_>, path: &str) -> (Answer, Vec<u8>) {
    let request = who.house.http.get(format!("{}{path}", who.house.base));
    let response = request.header("Cookie", &who.cookie).send().await.expect("an answer");
    let bytes = response.bytes().await.expect("a body").to_vec();
    (who.get(path).await, bytes)
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn a_program_gets_every_value_exactly() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    let id = buyer.approve(&house.suggest("spoiled", &spoiled()).await).await;
    let kept = house.order(&id).await;

    let csv = export(&house, &["orders", "--as", "csv"]);
    assert!(
        csv.starts_with("id,intent_id,revision,"),
        "no mark before the names: {csv}"
    );
    assert!(csv.ends_with("\r\n"));
    let orders = read(&csv);
    assert_eq!(orders.len(), 1);
    let order = &orders[0];
    for name in [
        "id",
        "intent_id",
        "supplier",
        "state",
        "digest",
        "operation_key",
        "approved_at",
    ] {
        assert_eq!(order[name], text(&kept[name]), "{name}");
    }
    assert_eq!(order["supplier_name"], NAME);
    assert_eq!((&*order["currency"], &*order["amount"]), ("EUR", "97.50"));
    assert_eq!(
        (&*order["held"], &*order["held_because"], &*order["version"]),
        ("false", "", "1")
    );
    assert_eq!(order["approved_by_name"], "Bea Buyer");

    let lines = read(&export(&house, &["lines", "--as", "csv", "--for", "machines"]));
    assert_eq!(lines.len(), 6);
    for (line, stored) in lines.iter().zip(kept["contents"]["lines"].as_array().expect("lines")) {
        for name in ["sku", "description", "quantity", "unit", "unit_price", "price_per"] {
            assert_eq!(line[name], text(&stored[name]), "{name}");
        }
        assert_eq!(
            (&*line["kind"], &*line["order"], &*line["amount"]),
            ("line", &*id, "20.50")
        );
    }
    let allowance = &lines[5];
    assert_eq!((&*allowance["kind"], &*allowance["amount"]), ("allowance", "-5.00"));
    assert_eq!(allowance["description"], "-5 for all");
    let cents = |line: &BTreeMap<String, String>| line["amount"].replace('.', "").parse::<i64>().expect("an amount");
    assert_eq!(
        lines.iter().map(cents).sum::<i64>(),
        9750,
        "lines and charges add up to the order"
    );

    let events = read(&export(&house, &["events", "--as", "csv"]));
    let pool = house.database().await;
    let stored: Vec<(i64, String, String)> = sqlx::query_as("SELECT number, body, hash FROM events ORDER BY number")
        .fetch_all(&pool)
        .await
        .expect("the events");
    pool.close().await;
    assert_eq!(events.len(), stored.len());
    for (event, (number, body, hash)) in events.iter().zip(stored) {
        assert_eq!(event["number"], number.to_string());
        assert_eq!((&event["event"], &event["hash"]), (&body, &hash));
        let body: Value = serde_json::from_str(&body).expect("an event");
        assert_eq!(event["kind"], text(&body["happening"]["kind"]));
        assert_eq!(event["at"], text(&body["at"]));
    }
}

/// What a cell of people's file may begin with: a number of ours is one.
#[track_caller]
fn harmless(field: &str) {
    let seen = field.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    let dangerous =
        seen.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) || field.starts_with(['\t', '\r', '\n']);
    assert!(!dangerous || field.parse::<f64>().is_ok(), "{field:?}");
}

#[tokio::test]
async fn a_person_gets_what_their_spreadsheet_leaves_alone_and_is_told() {
    let house = house().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    buyer.approve(&house.suggest("spoiled", &spoiled()).await).await;
    house.suggest("waits", &spoiled()).await;
    assert_eq!(
        house
            .run(&["supplier", "hold", "practice", "--reason", "=prices"])
            .status,
        0
    );

    for (table, shown) in [
        (
            "orders",
            vec![format!("'{NAME}"), "97.50".to_owned(), "On hold".to_owned()],
        ),
        (
            "lines",
            [
                "'-12A",
                "'@x",
                "'00123",
                "'1e5",
                "'+7",
                "'=1+1",
                "'\ttab first",
                "'＝SUM(1)",
                "'-5 for all",
                "-5.00",
            ]
            .map(str::to_owned)
            .into(),
        ),
        ("events", vec!["Bea Buyer".to_owned(), "'=prices".to_owned()]),
        (
            "queue",
            vec![
                format!("'{NAME}"),
                "Waiting for review".to_owned(),
                "'=prices".to_owned(),
            ],
        ),
    ] {
        let (answer, bytes) = bytes(&manager, &format!("/export/{table}.csv?for=people")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
        let named = answer.header("content-disposition");
        assert!(
            named.starts_with(&format!("attachment; filename=\"countersign-{table}-house-"))
                && named.ends_with("-for-people.csv\""),
            "{named}"
        );
        assert!(bytes.starts_with("\u{feff}".as_bytes()), "{table}: a byte order mark");
        let csv = String::from_utf8(bytes).expect("UTF-8");
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
        let rows: Vec<StringRecord> = reader.records().map(|row| row.expect("a sound row")).collect();
        let fields: BTreeSet<&str> = rows.iter().flat_map(StringRecord::iter).collect();
        fields.iter().for_each(|field| harmless(field));
        for wanted in shown {
            assert!(fields.contains(&*wanted), "{wanted:?} in {table}: {fields:?}");
        }
        let last = rows.last().expect("rows")[0].to_owned();
        let count = format!("End of the table: {} row", rows.len() - 2);
        assert!(last.starts_with(&count) && last.contains("An apostrophe"), "{last}");
    }
    // what a spreadsheet with semicolons would cut out is guarded where it stands
    let lines = export(&house, &["lines", "--as", "csv", "--for", "people"]);
    assert!(lines.contains("and;' =x"), "{lines}");
    assert!(lines.starts_with("\u{feff}Order,"), "{lines}");
}

#[tokio::test]
async fn the_queue_is_taken_along_as_it_is() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "bought").await;
    let waiting = house.suggest("waiting", &body("waiting")).await;
    let queue = read(&buyer.get("/export/queue.csv").await.text);
    let named =
        |row: &BTreeMap<String, String>| ["section", "kind", "id", "state", "why"].map(|name| row[name].clone());
    assert_eq!(
        queue.iter().map(named).collect::<Vec<_>>(),
        [
            ["not_sent", "order", &*order, "approved", "due"].map(str::to_owned),
            ["review", "suggestion", &*waiting.id, "in_review", "review"].map(str::to_owned),
        ]
    );
    let by_command = read(&export(&house, &["queue", "--as", "csv"]));
    assert_eq!(by_command, queue, "the same by the command");
}

/// More than a page of orders, which are withdrawn and joined by others while they are exported again and again.
#[tokio::test]
async fn orders_that_are_settled_meanwhile_are_neither_left_out_nor_told_twice() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    let mut there = BTreeSet::new();
    for number in 0..110 {
        there.insert(house.buy(&buyer, &format!("bought-{number}")).await);
    }
    let acts = async {
        for (number, id) in there.iter().take(10).enumerate() {
            let order = house.order(id).await;
            buyer.does("withdraw", &order, &[("reason", "no longer")]).await;
            house.buy(&buyer, &format!("joins-{number}")).await;
        }
    };
    let exports = async {
        let mut all = Vec::new();
        for _ in 0..6 {
            all.push(buyer.get("/export/orders.csv?for=machines").await.text);
        }
        all
    };
    let ((), exports) = tokio::join!(acts, exports);
    for csv in exports {
        let ids: Vec<String> = read(&csv).into_iter().map(|row| row["id"].clone()).collect();
        let once: BTreeSet<String> = ids.iter().cloned().collect();
        assert_eq!(ids.len(), once.len(), "none twice");
        assert!(once.is_superset(&there), "none left out");
    }
    let last = read(&buyer.get("/export/orders.csv").await.text);
    assert_eq!(last.len(), 120);
    assert_eq!(last.iter().filter(|row| row["state"] == "withdrawn").count(), 10);
}

#[tokio::test]
async fn a_table_needs_a_session_a_reader_and_is_the_tenants_own() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    house.buy(&buyer, "bought").await;
    for table in ["orders", "lines", "events", "queue"] {
        let nobody = Answer::of(house.http.get(format!("{}/export/{table}.csv", house.base))).await;
        assert_eq!(nobody.status, 303, "to the sign-in");
        let unknown = buyer.get(&format!("/export/{table}.csv?for=spreadsheets")).await;
        assert_eq!(unknown.status, 400, "{unknown:?}");
    }
    assert_eq!(buyer.get("/export/people.csv").await.status, 404);
    let before = house.stored().await;
    for page in ["/", "/orders", "/activity"] {
        let page = buyer.get(page).await.text;
        let links = page.split("href=\"/export/").skip(1);
        for link in links {
            let path = link.split('"').next().expect("its end");
            assert_eq!(buyer.get(&format!("/export/{path}")).await.status, 200, "{path}");
        }
        assert!(page.contains("href=\"/export/"), "{page}");
    }
    assert_eq!(house.stored().await, before, "nothing is changed by it");

    assert_eq!(house.run(&["tenant", "add", "Elsewhere", "--zone", "UTC"]).status, 0);
    let theirs = export(&house, &["orders", "--as", "csv", "--tenant", "Elsewhere"]);
    assert_eq!(read(&theirs).len(), 0, "{theirs}");
    for (arguments, says) in [
        (
            &["export", "orders", "--as", "jsonl", "--for", "people"][..],
            "--as csv",
        ),
        (&["export", "lines", "--as", "jsonl", "--tenant", "House"], "--as csv"),
        (&["export", "queue", "--as", "jsonl", "--tenant", "House"], "--as csv"),
        (
            &[
                "export", "orders", "--as", "csv", "--for", "nobody", "--tenant", "House",
            ],
            "machines or people",
        ),
        (&["export", "orders", "--as", "csv"], "--tenant"),
    ] {
        let ran = house.run(arguments);
        assert_eq!((ran.status, &*ran.out), (2, ""), "{ran:?}");
        assert!(ran.err.contains(says), "{ran:?}");
    }
}
