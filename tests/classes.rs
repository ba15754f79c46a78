//! Every class of docs/suppliers.md, on a practice supplier with that class's habits: what is offered for an order in
//! doubt, where it leads, and what the supplier really holds.

mod support;

use serde_json::{Value, json};
use support::home::{assert_owned, blind, fault, moment, page, without_key};
use support::{BUYER, House, Plan, RESOLVER, Session};

fn without_look_up(file: String) -> String {
    without(&file, "[look_up]", "[record]").replace("look_up = \"exact\"", "look_up = \"none\"")
}

fn without(file: &str, from: &str, to: &str) -> String {
    let (before, rest) = file.split_once(from).expect("a section");
    let (_, after) = rest.split_once(to).expect("the next section");
    format!("{before}{to}{after}")
}

/// The file with a line more in its contract.
fn promising(file: &str, line: &str) -> String {
    file.replacen("[contract]\n", &format!("[contract]\n{line}\n"), 1)
}

fn unique(file: String) -> String {
    without_key(file).replace("reference_unique = false", "reference_unique = true")
}

/// A class: its name, its file, and the supplier's habits.
struct Class {
    name: &'static str,
    file: fn(String) -> String,
    habits: fn() -> Value,
}

const RECOGNISES: [Class; 5] = [
    Class {
        name: "A",
        file: |file| file,
        habits: || json!({}),
    },
    Class {
        name: "A′",
        file: |file| file.replace("checks_body = true", "checks_body = false"),
        habits: || json!({ "checks_body": false }),
    },
    Class {
        name: "B",
        file: unique,
        habits: || json!({ "key_honoured": false, "duplicate_reference": "refused" }),
    },
    Class {
        name: "B′",
        file: |file| promising(&unique(file), "duplicate_reference = \"existing\""),
        habits: || json!({ "key_honoured": false, "duplicate_reference": "existing" }),
    },
    Class {
        name: "E",
        file: |file| {
            let said = "duplicate_reference = \"existing\"\nmessages = true";
            promising(&unique(file), said)
        },
        habits: || json!({ "key_honoured": false, "duplicate_reference": "existing" }),
    },
];

const RECOGNISES_NOT: [Class; 3] = [
    Class {
        name: "D",
        file: without_key,
        habits: || json!({ "key_honoured": false }),
    },
    Class {
        name: "D′",
        file: list_of_two,
        habits: || json!({ "key_honoured": false }),
    },
    Class {
        name: "F",
        file: |file| without_key(without_look_up(file)),
        habits: || json!({ "key_honoured": false, "lookup": false }),
    },
];

/// Only lists, in pages of two.
fn list_of_two(file: String) -> String {
    without_key(file)
        .replace("look_up = \"exact\"", "look_up = \"list\"")
        .replace(
            "/orders?reference={{ operation_key }}",
            "/orders?limit=2&after={{ after }}",
        )
        .replace("records = \"\"", "records = \"/orders\"\nnext = \"/next\"")
}

/// Short times, so that "no record" counts soon.
fn plan() -> Plan {
    House::plan()
        .setting("request_deadline", "1s")
        .setting("send_by", "1s")
        .setting("lease", "2500ms")
        .setting("again_first", "300ms")
        .setting("look_up_first", "400ms")
        .setting("look_up_most", "600ms")
}

impl Class {
    async fn house(&self) -> House {
        let house = plan().start().await;
        house.add_supplier(|file| (self.file)(file).replace("settle_time = \"30s\"", "settle_time = \"1s\""));
        house.habits((self.habits)()).await;
        house
    }
}

async fn assert_bought_once(house: &House, order: &Value, about: &str) {
    assert_eq!(house.count(order).await, 1, "{about}: {order:#}");
}

/// A lost order whose look-ups say nothing, so that only a repeat brings it home.
async fn lose_blindly(house: &House, buyer: &Session<'_>, intent: &str, lost: &str) -> Value {
    house
        .faults(json!([
            fault(lost),
            blind("503"),
            blind("503"),
            blind("503"),
            blind("503")
        ]))
        .await;
    let id = house.buy(buyer, intent).await;
    house.wait_for_state(&id, "confirmation_pending").await
}

#[tokio::test]
async fn a_repeat_that_is_recognised_is_offered_and_buys_once_whether_it_was_stored_or_not() {
    for class in &RECOGNISES {
        let house = class.house().await;
        let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
        for lost in ["store_then_close", "close_without_store"] {
            let about = format!("{}, {lost}", class.name);
            let pending = lose_blindly(&house, &buyer, lost, lost).await;
            assert_eq!(pending["resume"]["offered"], true, "{about}: {pending:#}");
            assert_owned(&pending, "pending");
            let key = pending["operation_key"].clone();
            resolver.does("resume", &house.now(&pending).await, &[]).await;
            let home = house.see_state(&pending, "confirmed").await;
            assert_bought_once(&house, &home, &about).await;
            assert_eq!(home["operation_key"], key, "{about}: never a new key");
            assert_eq!(house.submits_of(&home).await, 2, "{about}: one request an attempt");
            assert_eq!(home["attempts"].as_array().map(Vec::len), Some(2), "{about}");
        }
    }
}

#[tokio::test]
async fn a_repeat_that_nothing_recognises_waits_until_it_was_found_missing() {
    for class in &RECOGNISES_NOT {
        let house = class.house().await;
        let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
        // others' orders fill the first page of a list
        for other in ["other-1", "other-2", "other-3"] {
            house.buy(&buyer, other).await;
        }
        house.wait_for_submits(3).await;
        let stored = lose_blindly(&house, &buyer, "stored", "store_then_close").await;
        let missing = lose_blindly(&house, &buyer, "missing", "close_without_store").await;
        for order in [&stored, &missing] {
            assert_eq!(order["resume"]["offered"], false, "{}: {order:#}", class.name);
            let refused = resolver.act("resume", order, &[]).await;
            assert!(
                resolver.refused(&refused, &page(order)).await.is("no_resume"),
                "{}",
                class.name
            );
        }
        house.faults(json!([])).await;
        if class.name == "F" {
            resolver.finds(&stored, "at_supplier", &[("reference", "A-7")]).await;
            resolver.says_missing(&house.now(&missing).await).await;
        }
        let home = house.see_state(&stored, "confirmed").await;
        assert_bought_once(&house, &home, class.name).await;
        assert_eq!(house.submits_of(&home).await, 1, "{}: nothing was repeated", class.name);
        let held = house
            .see(&missing, "found missing", |order| order["held_because"] == "not_found")
            .await;
        assert_eq!(held["state"], "approved");
        assert_eq!(house.submits_of(&held).await, 1, "{}: never by itself", class.name);
        resolver.does("resume", &held, &[]).await;
        let home = house.see_state(&missing, "confirmed").await;
        assert_bought_once(&house, &home, class.name).await;
    }
}

#[tokio::test]
async fn a_list_that_is_not_read_to_its_end_says_nothing() {
    let house = plan().start().await;
    house.add_supplier(|file| {
        let file = list_of_two(file).replace("next = \"/next\"", "next = \"/next\"\npages = 1");
        file.replace("settle_time = \"30s\"", "settle_time = \"1s\"")
    });
    house.habits(json!({ "key_honoured": false })).await;
    let buyer = house.sign_in(BUYER).await;
    for other in ["other-1", "other-2", "other-3"] {
        house.buy(&buyer, other).await;
    }
    house.wait_for_submits(3).await;
    let stored = house.lose(&buyer, "stored", "store_then_close").await;
    let asked = house
        .see(&stored, "asked three times", |order| {
            order["look_ups"].as_array().is_some_and(|asked| asked.len() >= 3)
        })
        .await;
    for one in asked["look_ups"].as_array().expect("look-ups") {
        assert_eq!(one["answer"], "could_not_check", "{one}");
    }
    assert_eq!(asked["state"], "confirmation_pending");
}

/// Case W5: the error that was saved for the key comes again, and a repeat makes no new attempt there.
#[tokio::test]
async fn a_saved_answer_is_named_and_after_a_few_of_them_a_repeat_is_not_offered() {
    let house = plan()
        .setting("look_up_most", "1h")
        .setting("look_up_first", "1h")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let mut order = house.lose(&buyer, "saved", "500_without_store").await;
    for repeat in 2..=3 {
        assert_eq!(order["resume"]["offered"], true, "{order:#}");
        resolver.does("resume", &order, &[]).await;
        order = house
            .see(&order, "repeated", |order| {
                let tried = order["attempts"].as_array().expect("attempts");
                tried.len() == repeat && tried.iter().all(|one| !one["ended_at"].is_null())
            })
            .await;
        let detail = order["attempts"][repeat - 1]["detail"].as_str().unwrap_or_default();
        assert!(detail.contains("saved answer"), "{detail}");
    }
    assert_eq!(order["state"], "confirmation_pending");
    assert_eq!(order["resume"]["offered"], false, "{order:#}");
    let refused = resolver.act("resume", &order, &[]).await;
    let refused = resolver.refused(&refused, &page(&order)).await;
    assert!(refused.page.contains("no new attempt"), "the page says why");
    assert_eq!(house.count(&order).await, 0);
    assert_eq!(house.submits_of(&order).await, 3);
}

/// Case W6: four kinds of 409, told apart by the contract and the supplier's code.
#[tokio::test]
async fn four_kinds_of_409_are_told_apart() {
    let house = plan()
        .setting("look_up_most", "1h")
        .setting("look_up_first", "1h")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for (kind, words) in [
        ("409_in_flight", "still working on an earlier request"),
        ("409_business", "does not say whether the order is placed"),
    ] {
        let order = house.lose(&buyer, kind, kind).await;
        let detail = order["attempts"][0]["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(words), "{kind}: {detail}");
        assert_eq!(
            house.submits_of(&order).await,
            1,
            "{kind}: nothing is repeated by itself"
        );
    }
    // the key was used before, with other contents
    let held = house.run(&["supplier", "hold", "practice", "--reason", "to be first"]);
    assert_eq!(held.status, 0, "{}", held.err);
    let order = house.order(&house.buy(&buyer, "other-body").await).await;
    house.use_key_otherwise(&order).await;
    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    let order = house.see_state(&order, "confirmation_pending").await;
    let detail = order["attempts"][0]["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("used with other contents"), "{detail}");
    assert_eq!(order["resume"]["offered"], false, "{order:#}");
    let refused = resolver.act("resume", &order, &[]).await;
    assert!(resolver.refused(&refused, &page(&order)).await.is("no_resume"));
}

/// "Waiting on 409 needs a deadline and then a person": how long an earlier request may be worked on stands in the file.
#[tokio::test]
async fn while_they_work_on_an_earlier_request_a_repeat_waits_and_then_a_person_decides() {
    let house = plan()
        .setting("look_up_first", "1h")
        .setting("look_up_most", "1h")
        .start()
        .await;
    house.add_supplier(|file| promising(&file, "in_flight = \"4s\""));
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let order = house.lose(&buyer, "at-it", "409_in_flight").await;
    assert_eq!(order["resume"]["offered"], false, "{order:#}");
    let refused = resolver.act("resume", &order, &[]).await;
    let refused = resolver.refused(&refused, &page(&order)).await;
    assert!(
        refused.page.contains("still working on an earlier request"),
        "{}",
        refused.page
    );
    let offered = house
        .see(&order, "offered", |order| order["resume"]["offered"] == true)
        .await;
    assert_owned(&offered, "pending");
    assert_eq!(house.submits_of(&offered).await, 1, "nothing went out by itself");
    resolver.does("resume", &offered, &[]).await;
    let home = house.see_state(&offered, "confirmed").await;
    assert_bought_once(&house, &home, "in flight").await;
}

/// Case W6: "already exists" is looked up and compared; the same lines confirm, other lines have a case.
#[tokio::test]
async fn what_exists_already_is_looked_up_at_once_and_compared() {
    for (there, differs) in [("24", false), ("20", true)] {
        let house = RECOGNISES[2].house().await;
        let buyer = house.sign_in(BUYER).await;
        assert_eq!(
            house.run(&["supplier", "hold", "practice", "--reason", "first"]).status,
            0
        );
        let order = house.order(&house.buy(&buyer, "exists").await).await;
        let mut typed = order.clone();
        typed["contents"]["lines"][0]["quantity"] = json!(there);
        assert_eq!(order["contents"]["lines"][0]["quantity"], "24", "{order:#}");
        house.enter_there(&typed).await;
        assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
        let home = house.see_state(&order, "confirmed").await;
        assert_eq!(home["differences"], differs, "{home:#}");
        if differs {
            assert_owned(&home, "differences");
        }
        assert_bought_once(&house, &home, there).await;
        assert_eq!(house.submits_of(&home).await, 1);
    }
}

/// Case W7: what they have without a yes has a deadline of its own; after it, somebody owns the question.
#[tokio::test]
async fn an_order_without_a_yes_in_time_gets_a_case_and_loses_it_with_the_yes() {
    let house = plan()
        .setting("look_up_most", "2s")
        .setting("look_up_first", "2s")
        .setting("sweep", "200ms")
        .start()
        .await;
    house.add_supplier(|file| promising(&file, "acknowledged_within = \"1s\""));
    let buyer = house.sign_in(BUYER).await;
    house.faults(json!([fault("accept_202")])).await;
    let order = house.buy(&buyer, "waiting").await;
    let order = house.wait_for_state(&order, "acknowledged").await;
    let late = house
        .see(&order, "late", |order| order["case"]["kind"] == "acknowledged_late")
        .await;
    assert_owned(&late, "acknowledged_late");
    assert_eq!(late["state"], "acknowledged", "time decides nothing");
    assert_eq!(late["version"], order["version"], "a case is no change of the order");
    let number = house.number_of(&order).await;
    house.clerk(&number, json!({ "status": "confirmed" })).await;
    let home = house.see_state(&order, "confirmed").await;
    assert_eq!(home["case"], Value::Null);
    assert_bought_once(&house, &home, "acknowledged").await;
}

/// A success can name a record that does not exist afterwards: where the contract allows it, it is read back.
#[tokio::test]
async fn a_yes_that_is_read_back_counts_once_the_record_is_seen() {
    let house = plan().start().await;
    house.add_supplier(|file| {
        promising(&file, "read_back = true").replace("settle_time = \"30s\"", "settle_time = \"1s\"")
    });
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let order = house.buy(&buyer, "seen").await;
    let home = house.wait_for_state(&order, "confirmed").await;
    assert_eq!(home["attempts"][0]["reply"], "acknowledged", "{home:#}");
    assert_eq!(home["findings"][0]["finding"], "at_supplier");
    assert_bought_once(&house, &home, "read back").await;

    house.faults(json!([fault("201_without_store")])).await;
    let order = house.buy(&buyer, "unseen").await;
    let doubt = house.wait_for_state(&order, "confirmation_pending").await;
    assert_owned(&doubt, "pending");
    assert_eq!(house.count(&doubt).await, 0, "it said yes and has nothing");
    assert_eq!(house.submits_of(&doubt).await, 1, "nothing goes out again by itself");
    let missing = house.found_missing(&resolver, &doubt).await;
    resolver.does("resume", &missing, &[]).await;
    let home = house.see_state(&missing, "confirmed").await;
    assert_eq!((house.count(&home).await, house.submits_of(&home).await), (1, 2));
}

/// The contract's rate: however many orders are in doubt, the supplier is asked in its own rhythm.
#[tokio::test]
async fn look_ups_keep_to_the_rate_of_the_contract() {
    let house = plan().setting("look_up_first", "100ms").start().await;
    house.add_supplier(|file| promising(&file, "between_look_ups = \"500ms\""));
    let buyer = house.sign_in(BUYER).await;
    let faults: Vec<Value> = (0..5).map(|_| fault("store_then_close")).collect();
    house.faults(json!(faults)).await;
    let mut orders = Vec::new();
    for number in 0..5 {
        orders.push(house.buy(&buyer, &format!("paced-{number}")).await);
    }
    for order in &orders {
        house.wait_for_state(order, "confirmed").await;
    }
    let all = house.ask_supplier("/requests").await;
    let asked: Vec<_> = all
        .as_array()
        .expect("requests")
        .iter()
        .filter(|request| request["method"] == "GET" && request["path"] == "/orders" && !request["reference"].is_null())
        .map(|request| moment(&request["at"]))
        .collect();
    assert!(asked.len() >= 5, "{asked:?}");
    // a request may be late on its way, and the next one not; but five take two seconds at least
    let whole = asked[4] - asked[0];
    assert!(
        whole >= chrono::TimeDelta::milliseconds(1_700),
        "{whole} for five: {asked:?}"
    );
}

/// `resume = "automatic"`, where a repeat is recognised: the worker asks for it as a person would, and it is in the log.
#[tokio::test]
async fn a_file_that_says_automatic_has_a_recognised_repeat_sent_by_itself_and_no_other() {
    let house = plan().start().await;
    house.add_supplier(|file| file.replace("resume = \"person\"", "resume = \"automatic\""));
    let buyer = house.sign_in(BUYER).await;
    house.faults(json!([fault("store_then_close"), blind("503")])).await;
    let order = house.buy(&buyer, "by-itself").await;
    let home = house.wait_for_state(&order, "confirmed").await;
    assert_bought_once(&house, &home, "automatic").await;
    assert_eq!(house.submits_of(&home).await, 2, "{home:#}");
    let wanted = house.happened(&home, "resume_wanted").await;
    assert_eq!(wanted.len(), 1, "{wanted:?}");
    assert_eq!(wanted[0]["actor"], "worker", "{wanted:?}");

    let in_flight = json!([
        fault("409_in_flight"),
        blind("503"),
        blind("503"),
        blind("503"),
        blind("503")
    ]);
    house.faults(in_flight).await;
    let order = house.buy(&buyer, "in-flight").await;
    let order = house
        .wait_for(&order, "asked three times", |order| {
            order["look_ups"].as_array().is_some_and(|asked| asked.len() >= 3)
        })
        .await;
    assert_eq!(
        house.submits_of(&order).await,
        1,
        "in flight: no automatic repeat (rule 9)"
    );

    let file = house.supplier_file(|file| without_key(file).replace("resume = \"person\"", "resume = \"automatic\""));
    let refused = house.run(&["supplier", "add", &file]);
    assert_eq!(refused.status, 2, "{}", refused.err);
    assert!(refused.err.contains("contract.resume"), "{}", refused.err);
}

/// A supplier that cannot be asked, and lets its repeats be sent: the worker does that in the rhythm of its questions.
#[tokio::test]
async fn a_supplier_that_cannot_be_asked_gets_its_automatic_repeat_too() {
    let house = plan().start().await;
    house.add_supplier(|file| without_look_up(file).replace("resume = \"person\"", "resume = \"automatic\""));
    house.habits(json!({ "lookup": false })).await;
    let buyer = house.sign_in(BUYER).await;
    house.faults(json!([fault("store_then_close")])).await;
    let order = house.buy(&buyer, "unasked").await;
    let home = house.wait_for_state(&order, "confirmed").await;
    assert_bought_once(&house, &home, "automatic").await;
    assert_eq!(house.submits_of(&home).await, 2);
}

/// The watch after a verdict is as long as the contract says; a record within it reopens the order and is named.
#[tokio::test]
async fn a_verdict_is_watched_for_as_long_as_the_contract_says() {
    for (watch, reopens) in [("1h", true), ("0s", false)] {
        let house = plan().start().await;
        house.add_supplier(|file| {
            let file = promising(&file, &format!("watch = \"{watch}\""));
            file.replace("settle_time = \"30s\"", "settle_time = \"1s\"")
        });
        let buyer = house.sign_in(BUYER).await;
        let pending = house.lose(&buyer, "watched", "close_without_store").await;
        let held = house
            .see(&pending, "found missing", |order| order["held_because"] == "not_found")
            .await;
        let withdrawn = buyer.act("withdraw", &held, &[("reason", "bought elsewhere")]).await;
        assert_eq!(withdrawn.location(), page(&held), "{withdrawn:?}");
        let after = house
            .see(&held, "asked once more", |order| {
                let asked = order["look_ups"].as_array().map_or(0, Vec::len);
                order["state"] == "withdrawn" && asked > held["look_ups"].as_array().map_or(0, Vec::len)
            })
            .await;
        let number = house.enter_there(&after).await;
        if reopens {
            let late = house.see_state(&held, "confirmation_pending").await;
            assert_owned(&late, "late_record");
            assert_eq!(late["supplier_reference"], json!(number));
        } else {
            tokio::time::sleep(std::time::Duration::from_secs(3)).await;
            assert_eq!(house.now(&held).await["state"], "withdrawn");
        }
    }
}

/// Case C11: a repeat goes where the key was seen, whatever the file says by now.
#[tokio::test]
async fn a_repeat_goes_to_where_the_first_one_went_also_when_the_path_was_changed() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let pending = lose_blindly(&house, &buyer, "moved-path", "store_then_close").await;
    house.add_supplier(|file| file.replace("path = \"/orders\"\n", "path = \"/v2/orders\"\n"));
    resolver.does("resume", &house.now(&pending).await, &[]).await;
    let home = house.see_state(&pending, "confirmed").await;
    assert_bought_once(&house, &home, "moved path").await;
    let steps = house.steps(&home).await;
    assert_eq!(steps[0], steps[1], "method, address and bytes");
}

/// Case I2: they said that it exists; that we are shown no record is then about what we may see, and no finding.
#[tokio::test]
async fn what_they_said_exists_is_not_found_missing_by_look_ups() {
    let house = RECOGNISES[2].house().await;
    let buyer = house.sign_in(BUYER).await;
    assert_eq!(
        house.run(&["supplier", "hold", "practice", "--reason", "first"]).status,
        0
    );
    let order = house.order(&house.buy(&buyer, "unseen").await).await;
    house.enter_there(&order).await;
    let unseen: Vec<Value> = (0..40).map(|_| blind("none")).collect();
    house.faults(json!(unseen)).await;
    assert_eq!(house.run(&["supplier", "release", "practice"]).status, 0);
    let asked = house
        .see(&order, "asked often", |order| {
            order["look_ups"].as_array().is_some_and(|asked| asked.len() >= 6)
        })
        .await;
    assert_eq!(asked["state"], "confirmation_pending", "{asked:#}");
    assert_owned(&asked, "pending");
    assert_bought_once(&house, &asked, "exists").await;
}
