//! The main job on real processes: a suggestion comes in, a person approves it, a worker sends it, the supplier has it
//! once, and its page says so.

mod support;

use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, BUYER, House, body};

#[tokio::test]
async fn an_approved_suggestion_ends_confirmed_with_the_suppliers_number_and_one_purchase() {
    let house = House::start().await;
    let suggested = house.suggest("restock-m8", &body("M8-40-A2")).await;
    let buyer = house.sign_in(BUYER).await;

    let id = buyer.approve(&suggested).await;
    let order = house.wait_for_state(&id, "confirmed").await;

    house.assert_counts(&order, 1, 1, "confirmed").await;
    let records = house.records(&order).await;
    assert_eq!(order["supplier_reference"], records[0]["number"]);
    assert_eq!(order["differences"], false);
    assert_eq!(order["total"], json!({ "currency": "EUR", "amount": "10.50" }));
    assert_eq!(order["approved_by_name"], "Bea Buyer");
    assert_eq!(order["case"], Value::Null);
    let attempt = &order["attempts"][0];
    assert_eq!(
        (&attempt["reply"], &attempt["http_status"]),
        (&json!("accepted"), &json!(201))
    );
    let submit = &house.submits().await[0];
    assert_eq!(submit["key"], order["operation_key"]);
    assert_eq!(submit["reference"], order["operation_key"]);
}

#[tokio::test]
async fn the_assistant_sees_its_intent_go_from_review_to_confirmed() {
    let house = House::start().await;
    let reserved = house.put_intent("wish").await;
    assert_eq!(reserved.status, 201);
    assert_eq!(house.put_intent("wish").await.status, 200);
    let before = house.intent("wish").await;
    assert_eq!(before["suggestion"], Value::Null);
    assert_eq!(advice(&before), (true, false));

    let suggested = house.suggest("wish", &body("A-1")).await;
    let waiting = house.intent("wish").await;
    assert_eq!(waiting["suggestion"]["state"], "in_review");
    assert_eq!(waiting["suggestion"]["digest"], suggested.digest);
    assert_eq!(waiting["order"], Value::Null);
    assert_eq!(advice(&waiting), (true, true));

    let id = house.sign_in(BUYER).await.approve(&suggested).await;
    let order = house.wait_for_state(&id, "confirmed").await;
    let after = house.intent("wish").await;
    assert_eq!(after["suggestion"]["state"], "approved");
    let told = json!({
        "id": id, "state": "confirmed", "held": false, "differences": false,
        "supplier_reference": order["supplier_reference"],
    });
    assert_eq!(after["order"], told);
    assert_eq!(advice(&after), (true, true));
}

fn advice(intent: &Value) -> (bool, bool) {
    let said = |name: &str| intent[name].as_bool().expect(name);
    (said("may_continue"), said("do_not_resubmit"))
}

#[tokio::test]
async fn the_orders_page_and_the_list_show_the_number_to_a_signed_in_person() {
    let house = House::start().await;
    let suggested = house.suggest("page", &body("PAGE-1")).await;
    let buyer = house.sign_in(BUYER).await;
    let review = buyer.get(&format!("/suggestions/{}", suggested.id)).await;
    assert_eq!(review.status, 200, "{review:?}");
    let id = buyer.approve(&suggested).await;
    let order = house.wait_for_state(&id, "confirmed").await;
    let number = order["supplier_reference"].as_str().expect("a number");

    let page = buyer.get(&format!("/orders/{id}")).await;

    assert_eq!(page.status, 200);
    assert!(page.text.contains(number), "{number} is not on the page");
    let list = buyer.get("/orders").await;
    assert_eq!(list.status, 200);
    assert!(list.text.contains(&format!("/orders/{id}")));
    for nothing in ["/orders/po_000000000000", "/suggestions/sug_0", "/nowhere"] {
        assert_eq!(buyer.get(nothing).await.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn the_digest_is_the_same_in_the_api_the_database_and_on_the_pages() {
    let house = House::start().await;
    let suggested = house.suggest("digest", &body("DIGEST-1")).await;
    let buyer = house.sign_in(BUYER).await;
    let review = buyer.get(&format!("/suggestions/{}", suggested.id)).await;
    assert!(review.text.contains(&suggested.digest), "review page");

    let id = buyer.approve(&suggested).await;
    let order = house.wait_for_state(&id, "confirmed").await;

    assert_eq!(order["digest"], suggested.digest);
    let pool = house.database().await;
    let (contents, digest): (String, String) = sqlx::query_as("SELECT contents, digest FROM orders WHERE id = $1")
        .bind(&id)
        .fetch_one(&pool)
        .await
        .expect("the order's row");
    assert_eq!(digest, suggested.digest);
    let of_bytes = countersign::domain::contents::Digest::of(contents.as_bytes());
    assert_eq!(of_bytes.as_str(), digest, "the digest is that of the bytes");
    let page = buyer.get(&format!("/orders/{id}")).await;
    assert!(page.text.contains(&digest), "the order's page");
}

#[tokio::test]
async fn two_workers_on_one_file_send_thirty_orders_once_each() {
    let house = House::plan().no_worker().start().await;
    let (one, two) = (house.work().await, house.work().await);
    let buyer = house.sign_in(BUYER).await;
    let mut ids = Vec::new();
    for number in 0..30 {
        let intent = format!("many-{number}");
        let suggested = house.suggest(&intent, &body(&format!("MANY-{number}"))).await;
        ids.push(buyer.approve(&suggested).await);
    }

    for id in &ids {
        let order = house.wait_for_state(id, "confirmed").await;
        house.assert_counts(&order, 1, 1, id).await;
    }

    assert_eq!(house.submits().await.len(), 30);
    assert_eq!(house.stored().await.attempts, 30);
    for worker in [one, two] {
        assert!(!worker.log().contains("ERROR"), "{}", worker.log());
    }
}

#[tokio::test]
async fn an_order_survives_the_restart_of_web_and_supplier() {
    let mut house = House::start().await;
    let suggested = house.suggest("restart", &body("RESTART-1")).await;
    let buyer = house.sign_in(BUYER).await;
    let id = buyer.approve(&suggested).await;
    let cookie = buyer.cookie.clone();
    let before = house.wait_for_state(&id, "confirmed").await;

    house.restart_web().await;
    house.restart_supplier().await;

    assert_eq!(house.order(&id).await, before);
    house.assert_counts(&before, 1, 1, "after the restart").await;
    let page = house.http.get(format!("{}/orders/{id}", house.base));
    let page = Answer::of(page.header("Cookie", cookie)).await;
    assert_eq!(page.status, 200, "the session lives on, and the page with it");
}

/// Case P12: a scanner follows links with GET and HEAD, runs nothing and presses nothing.
#[tokio::test]
async fn a_link_scanner_changes_nothing() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let waiting = house.suggest("scan-1", &body("SCAN-1")).await;
    let approved = house.suggest("scan-2", &body("SCAN-2")).await;
    let order = buyer.approve(&approved).await;
    let before = (house.stored().await, house.order(&order).await);

    for path in addresses(&waiting.id, &waiting.digest, &order) {
        for method in [Method::GET, Method::HEAD] {
            let request = house.http.request(method.clone(), format!("{}{path}", house.base));
            let answer = Answer::of(request.header("Cookie", &buyer.cookie)).await;
            // without a worker the house is not ready, and says so
            assert!(answer.status < 500 || path == "/ready", "{method} {path}: {answer:?}");
        }
    }

    assert_eq!((house.stored().await, house.order(&order).await), before);
    assert_eq!(house.intent("scan-1").await["suggestion"]["state"], "in_review");
    assert!(buyer.get("/").await.status == 200, "still signed in");
}

/// Every address of the house, acts with all they need included.
fn addresses(suggestion: &str, digest: &str, order: &str) -> Vec<String> {
    let acts = ["approve", "send_back", "reject"]
        .map(|act| format!("/act/{act}?suggestion={suggestion}&digest={digest}&reason=scanned"));
    let pages = [
        "/",
        "/suggestions",
        "/orders",
        "/sign-in",
        "/sign-out",
        "/health",
        "/ready",
        "/act/approve",
        "/api/v1/orders",
    ];
    let mut all: Vec<String> = pages.map(str::to_owned).into();
    all.extend(acts);
    all.push(format!("/suggestions/{suggestion}"));
    all.push(format!("/orders/{order}"));
    all.push("/sign-in?email=bea@example.com&password=x".to_owned());
    all
}

#[tokio::test]
async fn check_finds_a_sound_house_in_order_and_names_a_tampered_event() {
    let house = House::start().await;
    let suggested = house.suggest("chain", &body("CHAIN-1")).await;
    let id = house.sign_in(BUYER).await.approve(&suggested).await;
    house.wait_for_state(&id, "confirmed").await;
    let sound = house.run(&["check"]);
    assert_eq!(sound.status, 0, "{}", sound.err);
    assert_eq!(sound.out, "", "standard output carries a result alone");

    house.drop_trigger("events_never_change", "events").await;
    let pool = house.database().await;
    let tampering = "UPDATE events SET body = replace(body, 'Bea', 'Eve')
                     WHERE number = (SELECT min(number) FROM events WHERE body LIKE '%order_approved%')";
    sqlx::query(tampering).execute(&pool).await.expect(tampering);
    let number: i64 = sqlx::query_scalar("SELECT number FROM events WHERE body LIKE '%Eve Buyer%'")
        .fetch_one(&pool)
        .await
        .expect("the tampered event");

    let broken = house.run(&["check"]);

    assert_eq!(broken.status, 1);
    assert!(broken.err.contains(&format!("event {number}")), "{}", broken.err);
}
