//! Everyone at once on one order in doubt (case C3): people with several pages, the worker's own look-ups, and the send.
//! One winner for each version, calm losers, one record, and a log without a gap.

mod support;

use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;
use support::home::{fault, id, page};
use support::{Answer, BUYER, House, MANAGER, PASSWORD, RESOLVER, Session, body};
use tokio::task::JoinSet;

/// Rounds in all.
const ROUNDS: usize = 200;
/// Within this long of each other.
const TOGETHER: std::time::Duration = std::time::Duration::from_millis(200);

/// One press in a race.
struct Press {
    act: &'static str,
    answer: Answer,
}

/// Four presses on the same page, from several sessions, spread over the moment in an order of their own.
fn presses(people: &[Session<'_>; 3], order: &Value, round: usize) -> Vec<(&'static str, reqwest::RequestBuilder)> {
    let version = order["version"].to_string();
    let reference = format!("B-{round}");
    let page = [("order", id(order)), ("version", &*version)];
    let finding = |finding| {
        [
            &page[..],
            &[
                ("finding", finding),
                ("evidence", "read out to me"),
                ("reference", &*reference),
            ],
        ]
        .concat()
    };
    let [buyer, resolver, manager] = people;
    let mut all = vec![
        ("resume", resolver.form("/act/resume", &page)),
        (
            "record_finding",
            manager.form("/act/record_finding", &finding("could_not_tell")),
        ),
        ("look_up", buyer.form("/act/look_up", &page)),
        ("resume", manager.form("/act/resume", &page)),
    ];
    if round.is_multiple_of(3) {
        all.push((
            "record_finding",
            resolver.form("/act/record_finding", &finding("could_not_tell")),
        ));
    }
    let by = round % all.len();
    all.rotate_left(by);
    all
}

async fn all_at_once(requests: Vec<(&'static str, reqwest::RequestBuilder)>, round: usize) -> Vec<Press> {
    let mut running = JoinSet::new();
    let count = requests.len() as u32;
    for (place, (act, request)) in requests.into_iter().enumerate() {
        // every other round all in the same moment
        let wait = if round.is_multiple_of(2) {
            TOGETHER / count * place as u32 / 2
        } else {
            std::time::Duration::ZERO
        };
        running.spawn(async move {
            tokio::time::sleep(wait).await;
            let answer = Answer::of(request).await;
            Press { act, answer }
        });
    }
    running.join_all().await
}

/// What each press of a round may come to.
fn assert_calm(presses: &[Press], order: &Value) {
    for press in presses {
        assert_eq!(press.answer.status, 303, "{}: {:?}", press.act, press.answer);
        let location = press.answer.location();
        let refused = format!("{}?refused=", page(order));
        assert!(
            location == page(order) || location.starts_with(&refused),
            "{}: {location}",
            press.act
        );
    }
}

/// What came of the races of one lane.
#[derive(Default)]
struct Raced {
    orders: Vec<Value>,
    losers: usize,
    winners: HashMap<&'static str, usize>,
}

/// Orders one after the other, each in a race of its own as soon as it is in doubt.
async fn lane(house: &House, people: &[Session<'_>; 3], rounds: Range<usize>) -> Raced {
    let mut raced = Raced::default();
    for round in rounds {
        let id = house.buy(&people[0], &format!("race-{round}")).await;
        let order = house
            .wait_for(&id, "answered", |order| {
                order["state"] != "approved" && order["state"] != "submitting"
            })
            .await;
        assert_eq!(order["state"], "confirmation_pending", "{order:#}");

        let presses = all_at_once(presses(people, &order, round), round).await;

        assert_calm(&presses, &order);
        let (losers, winners): (Vec<_>, Vec<_>) = presses
            .iter()
            .partition(|press| press.answer.location().contains("?refused="));
        for winner in winners {
            *raced.winners.entry(winner.act).or_default() += 1;
        }
        if let Some(loser) = losers.first().filter(|_| round.is_multiple_of(8)) {
            reads_calmly(people, loser).await;
        }
        raced.losers += losers.len();
        raced.orders.push(order);
    }
    raced
}

/// Whoever typed it reads that somebody was faster, who and when, and no fault.
async fn reads_calmly(people: &[Session<'_>; 3], loser: &Press) {
    let mut calm = false;
    for person in people {
        let shown = person.get(loser.answer.location()).await;
        assert_eq!(shown.status, 200, "{shown:?}");
        // a draft is shown to the person alone who typed it
        calm |= shown.text.contains("summary-calm") && shown.text.contains("already done by");
    }
    assert!(calm, "{}: {}", loser.act, loser.answer.location());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_races_of_resume_finding_and_look_up_have_one_winner_each_and_one_record() {
    let house = House::plan()
        .setting("look_up_first", "700ms")
        .setting("look_up_most", "700ms")
        .start()
        .await;
    let people = [
        house.sign_in(BUYER).await,
        house.sign_in(RESOLVER).await,
        house.sign_in(MANAGER).await,
    ];
    // every answer is lost, also of what a person has sent once more: only look-ups bring it home
    house.faults(vec![fault("store_then_close"); 4 * ROUNDS].into()).await;
    let each = ROUNDS / 4;
    let (one, two, three, four) = tokio::join!(
        lane(&house, &people, 0..each),
        lane(&house, &people, each..2 * each),
        lane(&house, &people, 2 * each..3 * each),
        lane(&house, &people, 3 * each..ROUNDS),
    );
    let raced = [one, two, three, four];

    let mut attempts = HashMap::new();
    for pending in raced.iter().flat_map(|lane| &lane.orders) {
        let order = house.see_state(pending, "confirmed").await;
        let tried = order["attempts"].as_array().map_or(0, Vec::len);
        assert!((1..=2).contains(&tried), "{order:#}");
        assert_eq!(house.count(&order).await, 1, "{order:#}");
        assert_one_winner_per_version(&house, pending, &order).await;
        attempts.insert(order["operation_key"].to_string(), tried);
    }
    let mut requests = HashMap::new();
    for submit in house.submits().await {
        *requests.entry(submit["key"].to_string()).or_insert(0) += 1;
    }
    assert_eq!(requests, attempts, "requests == attempts, for each order");
    house.assert_log_is_whole().await;
    let losers: usize = raced.iter().map(|lane| lane.losers).sum();
    assert!(losers > ROUNDS, "it was a race: {losers} losers");
    for act in ["resume", "record_finding", "look_up"] {
        let won: usize = raced.iter().filter_map(|lane| lane.winners.get(act)).sum();
        assert!(won > ROUNDS / 20, "{act} won {won} times");
    }
}

/// From the version that all of them pressed on, one changed it; each change after it is in the log, and no two are from
/// the same version.
async fn assert_one_winner_per_version(house: &House, raced: &Value, order: &Value) {
    let history = house.history(order).await;
    let changes = |kind: &str| {
        matches!(
            kind,
            "resume_wanted"
                | "resume_not_sent"
                | "finding_established"
                | "attempt_opened"
                | "attempt_closed"
                | "lease_lapsed"
                | "late_reply"
                | "late_record"
        )
    };
    let told = history
        .iter()
        .filter(|event| event["happening"]["kind"].as_str().is_some_and(changes))
        .count() as u64;
    let version = order["version"].as_u64().expect("a version");
    assert_eq!(told + 1, version, "one event for each change: {history:#?}");
    let wanted = history
        .iter()
        .filter(|event| event["happening"]["kind"] == "resume_wanted")
        .count();
    let by_people = history
        .iter()
        .filter(|event| event["happening"]["kind"] == "finding_established" && event["happening"]["source"] == "person")
        .count();
    assert!(
        wanted + by_people <= 1,
        "two won from version {}: {history:#?}",
        raced["version"]
    );
}

/// A finding that settles it against a resume and the worker's own look-up: whoever wins, one record and nothing sent
/// beside it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_settling_finding_against_a_resume_ends_in_one_record_and_one_state() {
    let house = House::plan()
        .setting("look_up_first", "400ms")
        .setting("look_up_most", "400ms")
        .start()
        .await;
    let people = [
        house.sign_in(BUYER).await,
        house.sign_in(RESOLVER).await,
        house.sign_in(MANAGER).await,
    ];
    for round in 0..16 {
        let pending = house
            .lose(&people[0], &format!("settle-{round}"), "store_then_close")
            .await;
        let version = pending["version"].to_string();
        let shown = [("order", id(&pending)), ("version", &*version)];
        let number = match house.records(&pending).await.first() {
            Some(record) => record["number"].as_str().expect("a number").to_owned(),
            None => panic!("no record of {pending:#}"),
        };
        let finding = [
            &shown[..],
            &[
                ("finding", "at_supplier"),
                ("reference", &*number),
                ("evidence", "read out to me"),
            ],
        ]
        .concat();
        let mut requests = vec![
            ("resume", people[1].form("/act/resume", &shown)),
            ("record_finding", people[2].form("/act/record_finding", &finding)),
            ("look_up", people[0].form("/act/look_up", &shown)),
        ];
        requests.rotate_left(round % 3);

        let presses = all_at_once(requests, round).await;

        assert_calm(&presses, &pending);
        let order = house.see_state(&pending, "confirmed").await;
        assert_eq!(order["supplier_reference"], number);
        assert_eq!(order["case"], Value::Null, "{order:#}");
        let attempts = order["attempts"].as_array().map_or(0, Vec::len);
        house.assert_counts(&order, attempts, 1, "settled").await;
    }
    house.assert_log_is_whole().await;
}

/// Two workers and a person who presses resume twenty times over: one attempt for each press that was accepted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_clicks_on_resume_with_two_workers_are_one_attempt() {
    let house = House::start().await;
    let _second = house.work().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    for round in 0..5 {
        let pending = house.lose(&buyer, &format!("clicks-{round}"), "store_then_close").await;
        let version = pending["version"].to_string();
        let shown = [("order", id(&pending)), ("version", &*version)];
        let people = [&resolver, &manager];
        let clicks = (0..20).map(|click| ("resume", people[click % 2].form("/act/resume", &shown)));

        let presses = all_at_once(clicks.collect(), 1).await;

        assert_calm(&presses, &pending);
        let done = presses
            .iter()
            .filter(|press| press.answer.location() == page(&pending))
            .count();
        assert_eq!(done, 1, "one winner");
        let order = house.see_state(&pending, "confirmed").await;
        house.assert_counts(&order, 2, 1, "clicks").await;
        assert_eq!(house.happened(&order, "resume_wanted").await.len(), 1);
    }
    house.assert_log_is_whole().await;
}

/// How many people approve at once in case C5, and how many assistants suggest meanwhile; so many wishes each.
const AT_ONCE: usize = 20;
const EACH: usize = 4;

/// A line in which a process says that it did not get the database.
fn says_locked(log: &str) -> Option<&str> {
    let given_up = [
        "is locked",
        "lock timeout",
        "did not come to it",
        "timed out while waiting",
    ];
    log.lines()
        .find(|line| given_up.iter().any(|words| line.contains(words)))
}

/// Whoever presses or asks: one request after the other, every one answered as on a quiet day.
async fn one_by_one(requests: Vec<reqwest::RequestBuilder>) -> Vec<Answer> {
    let mut answers = Vec::new();
    for request in requests {
        let answer = Answer::of(request).await;
        assert!(matches!(answer.status, 200 | 201 | 303), "{answer:?}");
        answers.push(answer);
    }
    answers
}

/// What an assistant asks for: wishes of its own, each reserved and suggested.
fn suggesting(house: &House, number: usize) -> Vec<reqwest::RequestBuilder> {
    let put = |path: &str, body: &Value| {
        let request = house.http.put(format!("{}{path}", house.base));
        request.bearer_auth(house.intake()).json(body)
    };
    let wish = |wish| {
        let path = format!("/api/v1/intents/meanwhile-{number}-{wish}");
        let suggestion = format!("{path}/suggestion");
        [
            put(&path, &json!({ "purpose": "restock" })),
            put(&suggestion, &body(&format!("MEANWHILE-{number}-{wish}"))),
        ]
    };
    (0..EACH).flat_map(wish).collect()
}

/// Case C5: twenty approvers, twenty assistants, the worker of the web process and two of their own, on one database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_approvers_workers_and_intake_at_once_are_all_answered_and_each_order_is_bought_once() {
    let mut house = House::plan().setting("sweep", "100ms").start().await;
    let workers = [house.work().await, house.work().await];
    let mut lists = Vec::new();
    for number in 0..AT_ONCE {
        let (name, email) = (format!("Approver {number}"), format!("approver-{number}@example.com"));
        let add = [
            "person",
            "add",
            &name,
            "--email",
            &email,
            "--role",
            "buyer",
            "--password-stdin",
        ];
        let added = house.run_with_input(&add, PASSWORD);
        assert_eq!(added.status, 0, "{}", added.err);
        let person = house.sign_in(&email).await;
        let mut approving = Vec::new();
        for wish in 0..EACH {
            let intent = format!("busy-{number}-{wish}");
            let shown = house.suggest(&intent, &body(&intent)).await;
            let fields = [("suggestion", &*shown.id), ("digest", &*shown.digest)];
            approving.push(person.form("/act/approve", &fields));
        }
        lists.extend([approving, suggesting(&house, number)]);
    }

    let mut running = JoinSet::new();
    for list in lists {
        running.spawn(one_by_one(list));
    }
    running.join_all().await;

    let orders = house.orders().await;
    assert_eq!(orders.len(), AT_ONCE * EACH);
    for order in &orders {
        let order = house.see_state(order, "confirmed").await;
        house.assert_counts(&order, 1, 1, "busy").await;
    }
    assert_eq!(house.stored().await.suggestions, 2 * (AT_ONCE * EACH) as i64);
    for log in [house.web().log(), workers[0].log(), workers[1].log()] {
        assert_eq!(says_locked(&log), None, "{log}");
    }
    house.assert_log_is_whole().await;
}
