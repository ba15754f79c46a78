//! The API's door: everything that is refused, with status, kind and pointer, and nothing stored.

mod support;

use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, BUYER, House, body, with};

/// Where a body is changed, to what (`null`: taken out), and the pointer that must be named.
struct Bad(&'static str, Value, &'static str);

fn texts(at: &'static str, bad: &[&str], named: &'static str) -> Vec<Bad> {
    bad.iter().map(|text| Bad(at, json!(text), named)).collect()
}

/// Changes of a sound body, each with one fault.
fn one_fault_each() -> Vec<Bad> {
    let mut all = vec![
        Bad("/revision", Value::Null, "/revision"),
        Bad("/revision", json!(0), "/revision"),
        Bad("/revision", json!(-1), "/revision"),
        Bad("/revision", json!(1.5), "/revision"),
        Bad("/revision", json!("1"), "/revision"),
        Bad("/supplier", Value::Null, "/supplier"),
        Bad("/supplier", json!(7), "/supplier"),
        Bad("/currency", Value::Null, "/currency"),
        Bad("/deliver_to", Value::Null, "/deliver_to"),
        Bad("/lines", Value::Null, "/lines"),
        Bad("/lines", json!([]), "/lines"),
        Bad("/lines", json!("one"), "/lines"),
        Bad("/lines", json!([7]), "/lines/0"),
        Bad("/lines/0/quantity", Value::Null, "/lines/0/quantity"),
        Bad("/lines/0/quantity", json!(true), "/lines/0/quantity"),
        Bad("/lines/0/quantity", json!(-3), "/lines/0/quantity"),
        Bad("/lines/0/quantity", json!(0), "/lines/0/quantity"),
        Bad("/lines/0/unit", Value::Null, "/lines/0/unit"),
        Bad("/lines/0/unit_price", Value::Null, "/lines/0/unit_price"),
        Bad("/lines/0/colour", json!("red"), "/lines/0/colour"),
        Bad("/colour", json!("red"), "/colour"),
        Bad("/lines/0/pack", json!(12), "/lines/0/pack"),
        Bad("/charges", json!({}), "/charges"),
        Bad("/charges", json!([7]), "/charges/0"),
        Bad("/doubts", json!("one"), "/doubts"),
        Bad("/doubts", json!(["fine", 7]), "/doubts/1"),
        Bad("/rationale", json!(7), "/rationale"),
        Bad("/proposed_by", json!("me"), "/proposed_by"),
        Bad("/note_to_supplier", json!("a\u{0}b"), "/note_to_supplier"),
    ];
    all.extend(texts(
        "/supplier",
        &["nobody", "Practice!", "", " practice"],
        "/supplier",
    ));
    all.extend(texts("/currency", &["XXX", "eur", "EURO", "GBP", ""], "/currency"));
    all.extend(texts("/deliver_to", &["nowhere", "main warehouse", ""], "/deliver_to"));
    all.extend(texts(
        "/needed_by",
        &["tomorrow", "2026-13-01", "2026-02-30", "2026-12-4", "04.12.2026"],
        "/needed_by",
    ));
    all.extend(bad_lines());
    all.extend(bad_parts());
    all
}

fn bad_lines() -> Vec<Bad> {
    let quantities = [
        "0",
        "0.000",
        "-1",
        "",
        " 12",
        "12 ",
        "abc",
        "1,5",
        "१२",
        "１２",
        "1e400",
        "NaN",
        "0x10",
        "+1e999999999",
    ];
    let mut all = texts("/lines/0/quantity", &quantities, "/lines/0/quantity");
    all.extend(texts(
        "/lines/0/unit_price",
        &["-1", "abc", "", "٣"],
        "/lines/0/unit_price",
    ));
    all.extend(texts("/lines/0/price_per", &["0", "-1", "x"], "/lines/0/price_per"));
    all.extend(texts("/lines/0/unit", &["XYZ9", "pcs", "", "ea"], "/lines/0/unit"));
    let skus = [
        "",
        " ",
        " M8",
        "M8 ",
        "M8\u{202e}04",
        "M8\u{200b}",
        "M8\n",
        "M8\t",
        "\u{115f}",
        "M8\u{e0100}",
    ];
    all.extend(texts("/lines/0/sku", &skus, "/lines/0/sku"));
    let long = "x".repeat(300);
    all.push(Bad("/lines/0/sku", json!(long), "/lines/0/sku"));
    all
}

fn bad_parts() -> Vec<Bad> {
    let pack = |quantity: &str, unit: &str| json!({ "quantity": quantity, "unit": unit });
    let charge = |kind: &str, amount: &str| json!([{ "kind": kind, "amount": amount }]);
    vec![
        Bad("/lines/0/pack", pack("0", "EA"), "/lines/0/pack/quantity"),
        Bad("/lines/0/pack", pack("12", "nope"), "/lines/0/pack/unit"),
        Bad("/lines/0/pack", json!({ "unit": "EA" }), "/lines/0/pack/quantity"),
        Bad(
            "/lines/0/pack",
            json!({ "quantity": "1", "unit": "EA", "of": 1 }),
            "/lines/0/pack/of",
        ),
        Bad("/charges", charge("fee", "1"), "/charges/0/kind"),
        Bad("/charges", charge("charge", "-1"), "/charges/0/amount"),
        Bad("/charges", charge("charge", "0.001"), "/charges/0/amount"),
        Bad("/charges", json!([{ "kind": "charge" }]), "/charges/0/amount"),
        Bad("/charges", json!([{ "amount": "1" }]), "/charges/0/kind"),
        // more than the whole order is worth
        Bad("/charges", charge("allowance", "10.51"), "/charges"),
        Bad("/lines/0/unit_price", json!("99999999999999999"), "/lines/0/unit_price"),
        // each factor can be kept, their product cannot
        Bad("/lines/0/unit_price", json!("99999999999999"), "/lines/0"),
        Bad("/proposed_by", json!({ "agent": "a\u{200b}" }), "/proposed_by/agent"),
        Bad(
            "/proposed_by",
            json!({ "agent": "a", "model": "b" }),
            "/proposed_by/model",
        ),
    ]
}

#[tokio::test]
async fn a_suggestion_with_a_fault_is_refused_at_its_pointer_and_nothing_is_stored() {
    let house = House::start().await;
    house.put_intent("bad").await;
    let before = house.stored().await;
    let mut wrong = Vec::new();
    for Bad(at, value, named) in one_fault_each() {
        let answer = house.put_suggestion("bad", &with(body("BAD"), at, value.clone())).await;
        if answer.status != 400 || answer.pointers() != [named] {
            wrong.push(format!("{at} = {value}: {} {}", answer.status, answer.text));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert_eq!(house.stored().await, before);
}

async fn put_text(house: &House, intent: &str, kind: &str, text: impl Into<reqwest::Body>) -> Answer {
    let url = format!("{}/api/v1/intents/{intent}/suggestion", house.base);
    let request = house.http.put(url).bearer_auth(house.intake());
    Answer::of(request.header("Content-Type", kind).body(text)).await
}

/// What a JSON library would never write: duplicate keys, numbers no float keeps, broken bytes.
#[tokio::test]
async fn bodies_that_are_not_exact_json_are_refused_at_their_pointer() {
    let house = House::start().await;
    house.put_intent("raw").await;
    let before = house.stored().await;
    let sound = body("RAW").to_string();
    let change = |from: &str, to: &str| {
        assert!(sound.contains(from), "{from} in {sound}");
        sound.replacen(from, to, 1)
    };
    let quantity = r#""quantity":"24""#;
    let raw = [
        (String::new(), ""),
        ("{".to_owned(), ""),
        ("[]".to_owned(), ""),
        ("null".to_owned(), ""),
        (format!("{sound} x"), ""),
        (change(quantity, r#""quantity":9007199254740993"#), "/lines/0/quantity"),
        (
            change(quantity, r#""quantity":0.10000000000000000001"#),
            "/lines/0/quantity",
        ),
        (change(quantity, r#""quantity":1e400"#), "/lines/0/quantity"),
        (
            change(quantity, r#""quantity":"24","quantity":"25""#),
            "/lines/0/quantity",
        ),
        (
            change(quantity, r#""quantity":"24","quantity":"24""#),
            "/lines/0/quantity",
        ),
        (change(r#""revision":1"#, r#""revision":1,"revision":1"#), "/revision"),
        (
            change(r#""supplier":"#, r#""supplier":"practice","supplier":"#),
            "/supplier",
        ),
    ];
    for (text, named) in raw {
        let answer = put_text(&house, "raw", "application/json", text.clone()).await;
        assert_eq!(answer.pointers(), [named], "{text}");
    }
    let not_utf8 = put_text(&house, "raw", "application/json", b"{\"\xff\":1}".to_vec()).await;
    assert_eq!(not_utf8.pointers(), [""]);
    assert_eq!(house.stored().await, before);
}

#[tokio::test]
async fn every_fault_of_a_body_is_named_at_once() {
    let house = House::start().await;
    house.put_intent("all").await;
    let answer = house.put_suggestion("all", &json!({})).await;
    let mut named = answer.pointers();
    named.sort();
    // what cannot be read hides nothing of what can
    assert!(named.contains(&"/revision".to_owned()), "{named:?}");
    let bad = with(body("ALL"), "/currency", json!("XXX"));
    let bad = with(bad, "/deliver_to", json!("nowhere"));
    let bad = with(bad, "/lines/0/quantity", json!("0"));
    let mut named = house.put_suggestion("all", &bad).await.pointers();
    named.sort();
    assert_eq!(named, ["/currency", "/deliver_to", "/lines/0/quantity"]);
}

#[tokio::test]
async fn sound_bodies_in_other_spellings_are_taken_as_the_same_contents() {
    let house = House::start().await;
    let first = house.suggest("spelling", &body("SPELL")).await;
    for (at, value) in [
        ("/lines/0/quantity", json!("24.0")),
        ("/lines/0/quantity", json!("2.4e1")),
        ("/lines/0/quantity", json!(24)),
        ("/lines/0/price_per", Value::Null),
        ("/charges", json!([])),
        ("/note_to_supplier", json!("")),
        ("/rationale", Value::Null),
    ] {
        let answer = house
            .put_suggestion("spelling", &with(body("SPELL"), at, value.clone()))
            .await;
        assert_eq!(answer.status, 200, "{at} = {value}: {answer:?}");
        assert_eq!(answer.json()["suggestion"]["digest"], first.digest);
    }
    // a past date is pointed out, not refused; a service without an article number has its description
    let past = with(body("PAST"), "/needed_by", json!("2013-07-16"));
    let service = with(past, "/lines/0/sku", Value::Null);
    house.suggest("past", &service).await;
}

/// Case P7: no digit that the currency does not have.
#[tokio::test]
async fn charges_must_fit_the_currency() {
    let house = House::start().await;
    house.put_intent("yen").await;
    let yen = with(body("YEN"), "/currency", json!("JPY"));
    let yen = with(yen, "/lines/0/unit_price", json!("100"));
    let half = json!([{ "kind": "charge", "amount": "1234.5" }]);
    let answer = house.put_suggestion("yen", &with(yen.clone(), "/charges", half)).await;
    assert_eq!(answer.pointers(), ["/charges/0/amount"]);
    let whole = json!([{ "kind": "charge", "amount": "1234" }]);
    let answer = house.put_suggestion("yen", &with(yen, "/charges", whole)).await;
    assert_eq!(answer.status, 201);
    let total = json!({ "currency": "JPY", "amount": "3634" });
    assert_eq!(answer.json()["total"], total);
}

/// Case I9.
#[tokio::test]
async fn an_identity_that_is_none_is_400_and_tells_how() {
    let house = House::start().await;
    let before = house.stored().await;
    let long = "x".repeat(129);
    let ids = ["%20", "a%20b", "%C3%A4", "a%2Fb", "a%00b", "%E2%80%AEx", &long];
    for id in ids {
        let reserved = house.put_intent(id).await;
        assert_eq!(reserved.pointers(), ["/intent_id"], "{id}");
        let taken = house.put_suggestion(id, &body("ID")).await;
        assert_eq!(taken.pointers(), ["/intent_id"], "{id}");
    }
    assert_eq!(house.put_suggestion("", &body("ID")).await.pointers(), ["/intent_id"]);
    assert_eq!(house.put_intent("").await.pointers(), ["/intent_id"]);
    assert_eq!(house.stored().await, before);
    let longest = "Az09._:-".repeat(16);
    assert_eq!(house.put_intent(&longest).await.status, 201);
}

#[tokio::test]
async fn a_reservation_needs_a_purpose_and_keeps_its_first() {
    let house = House::start().await;
    let path = "/api/v1/intents/why";
    let bad = [
        (json!({}), "/purpose"),
        (json!({ "purpose": null }), "/purpose"),
        (json!({ "purpose": "" }), "/purpose"),
        (json!({ "purpose": "  " }), "/purpose"),
        (json!({ "purpose": 7 }), "/purpose"),
        (json!({ "purpose": "x".repeat(3_000) }), "/purpose"),
        (json!({ "purpose": "restock", "by": "me" }), "/by"),
        (json!([]), ""),
    ];
    for (body, named) in bad {
        let answer = house.api(Method::PUT, path, house.intake(), Some(&body)).await;
        assert_eq!(answer.pointers(), [named], "{body}");
    }
    assert_eq!(house.stored().await.intents, 0);
    let first = house.put_intent("why").await;
    let other = json!({ "purpose": "something else" });
    let second = house.api(Method::PUT, path, house.intake(), Some(&other)).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.text, second.text, "the first purpose stands");
}

#[tokio::test]
async fn a_body_is_checked_before_its_intent_is_looked_up() {
    let house = House::start().await;
    let bad = with(body("X"), "/currency", json!("XXX"));
    assert_eq!(house.put_suggestion("never", &bad).await.pointers(), ["/currency"]);
    let sound = house.put_suggestion("never", &body("X")).await;
    assert_eq!((sound.status, &*sound.problem()), (404, "intent-unknown"));
    let asked = house.read("/api/v1/intents/never").await;
    assert_eq!((asked.status, &*asked.problem()), (404, "intent-unknown"));
    assert_eq!(house.stored().await.suggestions, 0);
}

#[tokio::test]
async fn a_revision_that_was_not_asked_for_is_409_intent_closed() {
    let house = House::plan().no_worker().start().await;
    house.put_intent("closed").await;
    let revision = |number: u32| with(body("CLOSED"), "/revision", json!(number));
    let is_closed = |answer: &Answer| {
        assert_eq!((answer.status, &*answer.problem()), (409, "intent-closed"));
    };
    is_closed(&house.put_suggestion("closed", &revision(2)).await);
    let shown = house.suggest("closed", &revision(1)).await;
    is_closed(&house.put_suggestion("closed", &revision(2)).await);
    let buyer = house.sign_in(BUYER).await;
    buyer.approve(&shown).await;
    let before = house.stored().await;
    is_closed(&house.put_suggestion("closed", &revision(2)).await);
    is_closed(&house.put_suggestion("closed", &revision(3)).await);
    assert_eq!(house.stored().await, before);
}

#[tokio::test]
async fn only_json_of_a_sane_size_is_read() {
    let house = House::start().await;
    house.put_intent("media").await;
    let before = house.stored().await;
    let sound = body("MEDIA").to_string();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
    ] {
        let answer = put_text(&house, "media", kind, sound.clone()).await;
        assert_eq!((answer.status, &*answer.problem()), (415, "media-type"), "{kind}");
    }
    let large = sound.replace("Hex bolt", &"x".repeat(1 << 20));
    let answer = put_text(&house, "media", "application/json", large).await;
    assert_eq!((answer.status, &*answer.problem()), (413, "too-large"));
    assert_eq!(house.stored().await, before);
    let kind = "Application/JSON; charset=utf-8";
    assert_eq!(put_text(&house, "media", kind, sound).await.status, 201);
}

#[tokio::test]
async fn a_token_is_needed_known_not_revoked_and_of_the_right_scope() {
    let house = House::start().await;
    let made = house.run(&["token", "create", "old", "--scope", "read"]);
    let (secret, id) = (made.last_line(), made.err.clone());
    let id = id.split_whitespace().find(|word| word.starts_with("tok_"));
    let id = id.expect("the token's id").trim_end_matches(';').to_owned();
    let orders = |token: String| {
        let house = &house;
        async move { house.api(Method::GET, "/api/v1/orders", &token, None).await }
    };
    assert_eq!(orders(secret.clone()).await.status, 200);
    assert_eq!(house.run(&["token", "revoke", &id]).status, 0);

    for bad in [secret, "cst_wrong".to_owned(), String::new()] {
        let answer = orders(bad).await;
        assert_eq!((answer.status, &*answer.problem()), (401, "token"));
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
    }
    let url = format!("{}/api/v1/orders", house.base);
    let bare = Answer::of(house.http.get(&url)).await;
    assert_eq!((bare.status, &*bare.problem()), (401, "token"));
    let basic = house.http.get(&url).basic_auth("a", Some("b"));
    assert_eq!(Answer::of(basic).await.status, 401);

    let wrong_scope = [
        (Method::GET, "/api/v1/orders", house.intake()),
        (Method::GET, "/api/v1/orders/po_000000000000", house.intake()),
        (Method::PUT, "/api/v1/intents/scope", house.reading()),
        (Method::PUT, "/api/v1/intents/scope/suggestion", house.reading()),
    ];
    for (method, path, token) in wrong_scope {
        let answer = house.api(method, path, token, Some(&body("SCOPE"))).await;
        assert_eq!((answer.status, &*answer.problem()), (403, "scope"), "{path}");
    }
    assert_eq!(house.stored().await.intents, 0);
    house.put_intent("both").await;
    for token in [house.intake(), house.reading()] {
        let asked = house.api(Method::GET, "/api/v1/intents/both", token, None).await;
        assert_eq!(asked.status, 200, "both scopes may ask how an intent stands");
    }
}

/// Rule 15: nobody could own a case, so nothing is taken in.
#[tokio::test]
async fn a_tenant_without_a_manager_takes_no_suggestions() {
    let house = House::start().await;
    let tenant = ["--tenant", "Bare"];
    let run = |arguments: &[&str]| {
        let ran = house.run(&[arguments, &tenant].concat());
        assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.err);
        ran.last_line()
    };
    let added = house.run(&["tenant", "add", "Bare", "--zone", "UTC"]);
    assert_eq!(added.status, 0, "{}", added.err);
    run(&["site", "add", "main-warehouse", "--name", "Main"]);
    run(&["supplier", "add", &house.supplier_file(|file| file)]);
    let token = run(&["token", "create", "bare", "--scope", "intake"]);
    let path = "/api/v1/intents/bare";
    let purpose = json!({ "purpose": "anything" });
    house.api(Method::PUT, path, &token, Some(&purpose)).await;
    let before = house.stored().await;

    let path = "/api/v1/intents/bare/suggestion";
    let answer = house.api(Method::PUT, path, &token, Some(&body("BARE"))).await;

    assert_eq!((answer.status, &*answer.problem()), (503, "no-manager"));
    assert_eq!(house.stored().await, before);
    let checked = house.run(&["check"]);
    assert_eq!(checked.status, 1);
    assert!(checked.err.contains("Bare"), "{}", checked.err);
}

#[tokio::test]
async fn other_methods_and_addresses_are_problems_too() {
    let house = House::start().await;
    house.put_intent("method").await;
    for (method, path) in [
        (Method::POST, "/api/v1/intents/method"),
        (Method::DELETE, "/api/v1/intents/method"),
        (Method::GET, "/api/v1/intents/method/suggestion"),
        (Method::POST, "/api/v1/intents/method/suggestion"),
        (Method::POST, "/api/v1/orders"),
        (Method::PATCH, "/api/v1/orders/po_000000000000"),
    ] {
        let answer = house.api(method.clone(), path, house.intake(), None).await;
        assert_eq!((answer.status, &*answer.problem()), (405, "method"), "{method} {path}");
    }
    for path in [
        "/api/v1/nothing",
        "/api/v1/orders/po_000000000000",
        "/api/v1/orders/sug_000000000000",
        "/api/v1/orders/%00",
    ] {
        let answer = house.read(path).await;
        assert_eq!((answer.status, &*answer.problem()), (404, "not-found"), "{path}");
    }
}

#[tokio::test]
async fn orders_come_in_pages_without_gaps_or_repeats() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut ids = Vec::new();
    for number in 0..7 {
        let intent = format!("page-{number}");
        let shown = house.suggest(&intent, &body(&intent)).await;
        ids.push(buyer.approve(&shown).await);
    }

    let (mut seen, mut sizes, mut next) = (Vec::new(), Vec::new(), String::new());
    loop {
        let path = format!("/api/v1/orders?state=approved&supplier=practice&limit=3&after={next}");
        let page = house.read(&path).await.json();
        let orders = page["orders"].as_array().expect("orders");
        sizes.push(orders.len());
        seen.extend(
            orders
                .iter()
                .map(|order| order["id"].as_str().expect("an id").to_owned()),
        );
        match page["next"].as_str() {
            Some(cursor) => next = cursor.to_owned(),
            None => break,
        }
        assert!(sizes.len() < 5, "it never ends");
    }

    assert_eq!(sizes, [3, 3, 1]);
    seen.sort();
    ids.sort();
    assert_eq!(seen, ids);
    let none = house.read("/api/v1/orders?state=confirmed").await.json();
    assert_eq!(none, json!({ "orders": [], "next": null }));
    let exactly = house.read("/api/v1/orders?limit=7").await.json();
    assert_eq!(exactly["next"], Value::Null, "a full last page ends it");
}

#[tokio::test]
async fn bad_parameters_of_the_list_are_named() {
    let house = House::start().await;
    for (query, named) in [
        ("limit=0", "/limit"),
        ("limit=-1", "/limit"),
        ("limit=many", "/limit"),
        ("limit=99999999999", "/limit"),
        ("state=done", "/state"),
        ("owner=bea", "/owner"),
        ("supplier=Not%20one", "/supplier"),
        ("after=x", "/after"),
        ("after=99999999999999999999~po_000000000000", "/after"),
        ("page=2", "/page"),
    ] {
        let answer = house.read(&format!("/api/v1/orders?{query}")).await;
        assert_eq!(answer.pointers(), [named], "{query}");
    }
    let two = house.read("/api/v1/orders?limit=0&state=done").await;
    assert_eq!(two.pointers(), ["/limit", "/state"]);
}

#[tokio::test]
async fn health_and_ready_ask_for_no_token() {
    let house = House::start().await;
    for path in ["/health", "/ready"] {
        let answer = Answer::of(house.http.get(format!("{}{path}", house.base))).await;
        assert_eq!(answer.status, 200, "{path}");
    }
}
