//! Every fault on submit, under every kind of contract: the state it ends in, whether doubt is open, what is offered and
//! why not, where it goes from there, and what the supplier really holds.

mod support;

use serde_json::{Value, json};
use std::fmt::Write as _;
use support::home::{fault, moment, page, until};
use support::{BUYER, House, MANAGER, Session, two_lines};

/// Whether the supplier honours a key, and whether it can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Contract {
    key: bool,
    look_up: bool,
}

const CONTRACTS: [Contract; 4] = [
    Contract {
        key: true,
        look_up: true,
    },
    Contract {
        key: true,
        look_up: false,
    },
    Contract {
        key: false,
        look_up: true,
    },
    Contract {
        key: false,
        look_up: false,
    },
];

impl Contract {
    fn file(self) -> fn(String) -> String {
        match (self.key, self.look_up) {
            (true, true) => |file| file,
            (true, false) => without_look_up,
            (false, true) => without_key,
            (false, false) => |file| without_key(without_look_up(file)),
        }
    }

    async fn house(self) -> House {
        let house = House::plan()
            .setting("request_deadline", "1s")
            .setting("send_by", "8s")
            .setting("lease", "10s")
            .setting("again_first", "100ms")
            .supplier_file(self.file())
            .start()
            .await;
        house
            .habits(json!({ "key_honoured": self.key, "lookup": self.look_up }))
            .await;
        house
    }
}

fn without_key(file: String) -> String {
    without(&file, "[contract.key]", "[http]")
}

fn without_look_up(file: String) -> String {
    let file = without(&file, "[look_up]", "[record]");
    file.replace("look_up = \"exact\"", "look_up = \"none\"")
}

fn without(file: &str, from: &str, to: &str) -> String {
    let (before, rest) = file.split_once(from).expect("a section");
    let (_, after) = rest.split_once(to).expect("the next section");
    format!("{before}{to}{after}")
}

/// A fault and what must follow.
struct Row {
    fault: Value,
    state: &'static str,
    reply: &'static str,
    http_status: Option<u16>,
    records: i64,
    case: Option<&'static str>,
    /// Attempts until it rests.
    attempts: usize,
    /// State and records after a resume, where the key is honoured.
    resumed: (&'static str, i64),
}

/// Nobody knows; a repeat under the key gets the first result, or is the first to be stored.
fn unknown(fault: Value, http_status: Option<u16>, records: i64) -> Row {
    Row {
        fault,
        state: "confirmation_pending",
        reply: "unknown",
        http_status,
        records,
        case: Some("pending"),
        attempts: 1,
        resumed: ("confirmed", 1),
    }
}

/// The error is saved under the key, so a repeat gets it again and tells nothing new.
fn saved(row: Row) -> Row {
    Row {
        resumed: ("confirmation_pending", row.records),
        ..row
    }
}

fn settled(fault: Value, state: &'static str, reply: &'static str, http_status: u16, records: i64) -> Row {
    Row {
        fault,
        state,
        reply,
        http_status: Some(http_status),
        records,
        case: None,
        attempts: 1,
        resumed: (state, records),
    }
}

fn sleeping(name: &str) -> Value {
    json!({ "on": "submit", "do": name, "seconds": 1.5 })
}

fn table() -> Vec<Row> {
    let differs = |what: &str| Row {
        case: Some("differences"),
        ..settled(
            json!({ "on": "submit", "do": "store_with_differences", "what": what }),
            "confirmed",
            "accepted",
            201,
            1,
        )
    };
    let later = Row {
        attempts: 2,
        ..settled(fault("429"), "confirmed", "accepted", 201, 1)
    };
    let mut rows = vec![
        // the slow ones first: they end while the others go on
        unknown(sleeping("store_then_sleep"), None, 1),
        unknown(sleeping("sleep_then_store"), None, 1),
        unknown(fault("drip"), None, 1),
        unknown(fault("store_then_silence"), None, 1),
        unknown(fault("store_then_close"), None, 1),
        unknown(fault("close_without_store"), None, 0),
        unknown(fault("close_half_body"), None, 0),
        saved(unknown(fault("store_then_500"), Some(500), 1)),
        saved(unknown(fault("500_without_store"), Some(500), 0)),
        unknown(fault("store_then_502"), Some(502), 1),
        unknown(fault("store_then_503"), Some(503), 1),
        unknown(fault("store_then_504"), Some(504), 1),
        unknown(fault("store_then_truncated"), Some(201), 1),
        unknown(fault("store_then_html"), Some(200), 1),
        unknown(fault("store_then_empty"), Some(201), 1),
        unknown(fault("store_then_204"), Some(204), 1),
        unknown(fault("store_then_location"), Some(201), 1),
        unknown(fault("store_then_gzip_plain"), Some(201), 1),
        unknown(fault("store_then_gzip_bomb"), Some(201), 1),
        unknown(fault("huge"), Some(201), 1),
        unknown(fault("409_in_flight"), Some(409), 0),
        saved(unknown(fault("409_business"), Some(409), 0)),
        unknown(fault("redirect_301"), Some(301), 1),
        unknown(fault("redirect_302"), Some(302), 1),
        unknown(fault("redirect_307"), Some(307), 1),
        unknown(fault("redirect_308"), Some(308), 1),
        unknown(fault("401"), Some(401), 0),
        unknown(fault("403"), Some(403), 0),
        unknown(fault("503"), Some(503), 0),
        settled(fault("refuse_422"), "refused", "refused", 422, 0),
        settled(fault("accept_202"), "acknowledged", "acknowledged", 202, 1),
        later,
    ];
    let whats = [
        "quantity",
        "price",
        "substitute",
        "missing_line",
        "extra_line",
        "currency",
        "date",
    ];
    rows.extend(whats.map(differs));
    rows
}

/// What was wrong, and a line for every row to read it in.
#[derive(Default)]
struct Report {
    lines: String,
    wrong: Vec<String>,
}

impl Report {
    fn check<T: PartialEq + std::fmt::Debug>(&mut self, about: &str, what: &str, seen: &T, wanted: &T) {
        if seen != wanted {
            self.wrong.push(format!("{about}: {what} is {seen:?}, not {wanted:?}"));
        }
    }
}

/// How an order stands, in the words of a row.
async fn stand(house: &House, order: &Value) -> (String, i64, usize, usize) {
    let attempts = order["attempts"].as_array().map_or(0, Vec::len);
    let state = order["state"].as_str().unwrap_or_default().to_owned();
    (state, house.count(order).await, attempts, house.submits_of(order).await)
}

/// Whether an attempt's doubt is open: the state, the reply and the case must say the same.
fn is_open(order: &Value) -> Option<bool> {
    let said = [
        order["state"] == "confirmation_pending",
        order["attempts"]
            .as_array()
            .and_then(|tried| tried.last())
            .is_some_and(|last| last["reply"] == "unknown"),
        order["case"]["kind"] == "pending",
    ];
    said.iter().all(|one| *one == said[0]).then_some(said[0])
}

#[tokio::test]
async fn every_fault_under_every_contract_ends_as_the_table_says_and_goes_home_from_there() {
    let (one, two, three, four) = tokio::join!(
        under(CONTRACTS[0]),
        under(CONTRACTS[1]),
        under(CONTRACTS[2]),
        under(CONTRACTS[3])
    );
    let reports = [one, two, three, four];
    let wrong: Vec<_> = reports
        .iter()
        .flat_map(|report| report.wrong.iter().map(String::as_str))
        .collect();
    let lines: String = reports.iter().map(|report| report.lines.as_str()).collect();
    assert!(
        wrong.is_empty(),
        "\n{:<26} {:<44} {:<22} {:>4} {:>5} {:>5} offered\n{lines}\n{} wrong:\n{}\n",
        "contract",
        "fault",
        "state",
        "recs",
        "tries",
        "posts",
        wrong.len(),
        wrong.join("\n")
    );
}

async fn under(contract: Contract) -> Report {
    let house = contract.house().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let mut sent = Vec::new();
    let mut submits = 0;
    for (number, row) in table().into_iter().enumerate() {
        house.faults(json!([row.fault])).await;
        let suggested = house
            .suggest(&format!("fault-{number}"), &two_lines(&format!("F-{number}")))
            .await;
        let id = buyer.approve(&suggested).await;
        submits += 1;
        house.wait_for_submits(submits).await;
        if row.attempts == 2 {
            // its second attempt must not meet the next row's fault
            house.wait_for_state(&id, row.state).await;
            submits += 1;
        }
        sent.push((row, id));
    }
    let mut report = Report::default();
    let mut rested = Vec::new();
    for (row, id) in sent {
        let about = about(contract, &row);
        let order = house
            .wait_for(&id, &about, |order| {
                order["state"] == row.state
                    && order["attempts"]
                        .as_array()
                        .is_some_and(|tried| tried.iter().all(|one| !one["ended_at"].is_null()))
            })
            .await;
        // `sleep_then_store` stores after we have given up
        until("its records", || async {
            (house.count(&order).await >= row.records).then_some(())
        })
        .await;
        rests_as_the_row_says(&house, contract, &row, &order, &mut report).await;
        rested.push((row, order));
    }
    report.check(
        &format!("{contract:?}"),
        "all requests",
        &house.submits().await.len(),
        &submits,
    );
    for (row, order) in &rested {
        goes_home(&house, contract, row, order, &manager, &mut report).await;
    }
    report
}

fn about(contract: Contract, row: &Row) -> String {
    let has = |yes: bool, what: &str| format!("{} {what}", if yes { "with" } else { "no" });
    let (key, look_up) = (has(contract.key, "key"), has(contract.look_up, "look-up"));
    let what = row.fault["what"].as_str().unwrap_or_default();
    format!(
        "{:<26} {:<44}",
        format!("{key}, {look_up}"),
        format!("{} {what}", row.fault["do"].as_str().unwrap_or_default())
    )
}

async fn rests_as_the_row_says(house: &House, contract: Contract, row: &Row, order: &Value, report: &mut Report) {
    let about = about(contract, row);
    let (state, records, attempts, requests) = stand(house, order).await;
    let resume = &order["resume"];
    let _ = writeln!(
        report.lines,
        "{about} {state:<22} {records:>4} {attempts:>5} {requests:>5} {}: {}",
        resume["offered"],
        resume["reason"].as_str().unwrap_or_default()
    );
    let last = order["attempts"]
        .as_array()
        .and_then(|tried| tried.last().cloned())
        .unwrap_or_default();
    report.check(&about, "reply", &last["reply"], &json!(row.reply));
    report.check(&about, "status", &last["http_status"], &json!(row.http_status));
    report.check(&about, "records", &records, &row.records);
    report.check(&about, "attempts", &attempts, &row.attempts);
    report.check(&about, "requests", &requests, &(row.attempts - unnamed(contract, row)));
    report.check(&about, "case", &order["case"]["kind"], &json!(row.case));
    report.check(
        &about,
        "open doubt",
        &is_open(order),
        &Some(row.state == "confirmation_pending"),
    );
    report.check(
        &about,
        "owner",
        &order["case"]["owner_name"].is_string(),
        &row.case.is_some(),
    );
    let offered = row.state == "confirmation_pending" && contract.key;
    report.check(&about, "resume.offered", &resume["offered"], &json!(offered));
    let reason = resume["reason"].as_str().unwrap_or_default();
    let words = match (row.state, contract.key, contract.look_up) {
        ("confirmation_pending", true, _) => "same key",
        ("confirmation_pending", false, true) => "look the order up first",
        // brief.md: "no key and no look-up; someone must ask them"
        ("confirmation_pending", false, false) => "ask",
        _ => "not in doubt",
    };
    report.check(
        &about,
        &format!("“{words}” in resume.reason “{reason}”"),
        &reason.contains(words),
        &true,
    );
    if offered {
        // 24 h from the first send, less one second of deadline and five minutes of margin
        let until = moment(&order["attempts"][0]["started_at"]) + chrono::TimeDelta::seconds(86_400 - 1 - 300);
        report.check(&about, "resume.until", &moment(&resume["until"]), &until);
    } else {
        report.check(&about, "resume.until", &resume["until"], &Value::Null);
    }
}

/// Requests that name no order: without a key, half a body says nothing. The sum of all requests counts them.
fn unnamed(contract: Contract, row: &Row) -> usize {
    usize::from(!contract.key && row.fault["do"] == "close_half_body")
}

/// The ways that are open lead home, and those that are not change nothing.
async fn goes_home(
    house: &House,
    contract: Contract,
    row: &Row,
    order: &Value,
    manager: &Session<'_>,
    report: &mut Report,
) {
    let about = about(contract, row);
    if row.state != "confirmation_pending" {
        let answer = manager.act("resume", order, &[]).await;
        report.check(
            &about,
            "resume is refused",
            &answer.location().contains("?refused="),
            &true,
        );
        return;
    }
    if !contract.key {
        let answer = manager.act("resume", order, &[]).await;
        let refused = manager.refused(&answer, &page(order)).await;
        report.check(&about, "resume is refused", &refused.is("no_resume"), &true);
    }
    let (state, records, attempts) = match (contract.key, contract.look_up) {
        (true, _) => {
            manager.does("resume", order, &[]).await;
            (row.resumed.0, row.resumed.1, 2)
        }
        (false, true) => {
            manager.does("look_up", order, &[]).await;
            let state = if row.records == 1 {
                "confirmed"
            } else {
                "confirmation_pending"
            };
            (state, row.records, 1)
        }
        (false, false) => {
            let answer = manager.act("look_up", order, &[]).await;
            let refused = manager.refused(&answer, &page(order)).await;
            report.check(&about, "look-up is refused", &refused.is("cannot_ask"), &true);
            manager.finds(order, "at_supplier", &[("reference", "B-1")]).await;
            ("confirmed", row.records, 1)
        }
    };
    let moved = house.see(order, &about, |now| {
        let tried = now["attempts"].as_array().expect("attempts");
        let asked = now["look_ups"].as_array().map_or(0, Vec::len);
        let rests = tried.len() == attempts && tried.iter().all(|one| !one["ended_at"].is_null());
        rests && now["state"] != "submitting" && (contract.key || !contract.look_up || asked > 0)
    });
    let moved = moved.await;
    let seen = stand(house, &moved).await;
    report.check(
        &about,
        "afterwards",
        &seen,
        &(state.to_owned(), records, attempts, attempts - unnamed(contract, row)),
    );
    if state == "confirmation_pending" {
        report.check(&about, "the case", &moved["case"]["id"], &order["case"]["id"]);
    }
}

/// The page offers what the API does, in the words of brief.md.
#[tokio::test]
async fn the_page_of_a_pending_order_offers_what_the_contract_allows_and_says_why_not() {
    for contract in CONTRACTS {
        let house = contract.house().await;
        let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
        let pending = house.lose(&buyer, "page", "store_then_close").await;
        let shown = manager.get(&page(&pending)).await.text;
        let form = |act: &str| {
            let at = shown.find(&format!("action=\"/act/{act}\""));
            at.is_some_and(|at| {
                let form = &shown[at..];
                let form = &form[..form.find("</form>").unwrap_or(form.len())];
                !form.contains("disabled")
            })
        };
        assert_eq!(form("resume"), contract.key, "{contract:?}: resume");
        assert_eq!(form("look_up"), contract.look_up, "{contract:?}: look-up");
        assert!(form("record_finding"), "{contract:?}: record a finding");
        if !contract.key {
            let reason = if contract.look_up {
                "does not recognise a repeat"
            } else {
                "someone must ask them"
            };
            assert!(shown.contains("Not offered") && shown.contains(reason), "{contract:?}");
        }
    }
}
