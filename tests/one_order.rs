//! One approval, one order: wanted twins, stale screens, double clicks, races and repeats (cases I8, I9, I10, P1, P11, C4).

mod support;

use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, BUYER, House, MANAGER, Session, Suggested, body, with};
use tokio::task::JoinSet;

/// Sends every request at once; answers in the order in which they came.
async fn all_at_once(requests: Vec<reqwest::RequestBuilder>) -> Vec<Answer> {
    let mut running = JoinSet::new();
    for request in requests {
        running.spawn(Answer::of(request));
    }
    running.join_all().await
}

fn approval(session: &Session<'_>, shown: &Suggested) -> reqwest::RequestBuilder {
    let fields = [("suggestion", &*shown.id), ("digest", &*shown.digest)];
    session.form("/act/approve", &fields)
}

/// Back on the suggestion's page, with the draft that keeps what was typed.
fn assert_refused(answer: &Answer, suggestion: &str) {
    assert_eq!(answer.status, 303, "{answer:?}");
    let page = format!("/suggestions/{suggestion}?refused=");
    assert!(answer.location().starts_with(&page), "{answer:?}");
}

/// Case I10.
#[tokio::test]
async fn two_intents_with_identical_lines_are_two_purchases_once_a_person_says_so() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let first = house.suggest("twin-1", &body("TWIN")).await;
    let first = buyer.approve(&first).await;
    house.wait_for_state(&first, "confirmed").await;
    let second = house.suggest("twin-2", &body("TWIN")).await;
    let before = house.stored().await;

    let refused = Answer::of(approval(&buyer, &second)).await;
    assert_refused(&refused, &second.id);
    assert_eq!(house.stored().await, before, "nothing stored without a yes");
    assert_eq!(house.intent("twin-2").await["order"], Value::Null);

    let said = [("second_purchase", "yes")];
    let second = buyer.approve_with(&second, &said).await;
    let orders = [
        house.wait_for_state(&first, "confirmed").await,
        house.wait_for_state(&second, "confirmed").await,
    ];
    for order in &orders {
        house.assert_counts(order, 1, 1, "a twin").await;
    }
    assert_ne!(orders[0]["operation_key"], orders[1]["operation_key"]);
    assert_eq!(orders[0]["digest"], orders[1]["digest"]);
    assert_eq!(orders[1]["second_purchase"], true);
}

/// Case P1.
#[tokio::test]
async fn a_screen_that_was_overtaken_by_revision_two_approves_nothing() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let stale = house.suggest("stale", &body("STALE")).await;
    let sent_back = [
        ("suggestion", &*stale.id),
        ("digest", &*stale.digest),
        ("reason", "too few"),
    ];
    let answer = buyer.post("/act/send_back", &sent_back).await;
    let page = format!("/suggestions/{}", stale.id);
    assert_eq!((answer.status, answer.location()), (303, &*page));
    let intent = house.intent("stale").await;
    assert_eq!(intent["may_continue"], false);
    assert_eq!(intent["do_not_resubmit"], false);
    assert_eq!(intent["suggestion"]["reason"], "too few", "the assistant can read why");
    let more = with(body("STALE"), "/revision", json!(2));
    let more = with(more, "/lines/0/quantity", json!("100"));
    let fresh = house.suggest("stale", &more).await;
    assert_ne!(fresh.digest, stale.digest);

    let old_page = Answer::of(approval(&buyer, &stale)).await;
    assert_refused(&old_page, &stale.id);
    let old_digest = Suggested {
        digest: stale.digest.clone(),
        ..fresh.clone()
    };
    let old_digest = Answer::of(approval(&buyer, &old_digest)).await;
    assert_refused(&old_digest, &fresh.id);
    for refused in [&old_page, &old_digest] {
        let page = buyer.get(refused.location()).await.text;
        assert!(
            page.contains("What you saw, and what stands here now"),
            "rule 4: the difference is shown"
        );
    }
    assert_eq!(house.stored().await.orders, 0);
    assert_eq!(house.submits().await.len(), 0);

    let id = buyer.approve(&fresh).await;
    let order = house.wait_for_state(&id, "confirmed").await;
    assert_eq!(order["contents"]["lines"][0]["quantity"], "100");
    house.assert_counts(&order, 1, 1, "revision 2").await;
}

/// Rule 14: whoever comes too late reads who decided what, not that their own decision was carried out.
#[tokio::test]
async fn a_decision_that_comes_too_late_says_what_was_decided() {
    let house = House::start().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let shown = house.suggest("late", &body("LATE")).await;
    let no = [
        ("suggestion", &*shown.id),
        ("digest", &*shown.digest),
        ("reason", "not needed"),
    ];
    manager.post("/act/reject", &no).await;

    let answer = Answer::of(approval(&buyer, &shown)).await;

    assert_refused(&answer, &shown.id);
    let page = buyer.get(answer.location()).await.text;
    assert!(page.contains("rejected this at"), "{page}");
    assert!(!page.contains("approved this at"));
    assert_eq!(house.stored().await.orders, 0);
}

/// Case C4.
#[tokio::test]
async fn twenty_parallel_approvals_by_two_people_are_one_order() {
    let house = House::start().await;
    let people = [house.sign_in(BUYER).await, house.sign_in(MANAGER).await];
    let shown = house.suggest("crowd", &body("CROWD")).await;
    let requests = (0..20).map(|click| approval(&people[click % 2], &shown));

    let answers = all_at_once(requests.collect()).await;

    let orders = house.orders().await;
    assert_eq!(orders.len(), 1, "{orders:#?}");
    let page = format!("/orders/{}", orders[0]["id"].as_str().expect("an id"));
    for answer in &answers {
        assert_eq!((answer.status, answer.location()), (303, &*page));
    }
    let id = page.trim_start_matches("/orders/");
    let order = house.wait_for_state(id, "confirmed").await;
    house.assert_counts(&order, 1, 1, "twenty approvals").await;
    let approvals = house
        .number("SELECT count(*) FROM events WHERE body LIKE '%order_approved%'")
        .await;
    assert_eq!(approvals, 1);
}

/// Case C4.
#[tokio::test]
async fn approve_against_reject_has_one_winner_and_a_calm_loser() {
    let house = House::start().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    for round in 0..12 {
        let intent = format!("race-{round}");
        let shown = house.suggest(&intent, &body(&intent)).await;
        let fields = [
            ("suggestion", &*shown.id),
            ("digest", &*shown.digest),
            ("reason", "not now"),
        ];
        let mut requests = vec![approval(&buyer, &shown), manager.form("/act/reject", &fields)];
        if round % 2 == 1 {
            requests.reverse();
        }

        let answers = all_at_once(requests).await;

        let stands = house.intent(&intent).await;
        let refused = answers.iter().filter(|answer| answer.location().contains("?refused="));
        assert_eq!(refused.count(), 1, "{answers:?}");
        assert!(answers.iter().all(|answer| answer.status == 303));
        match stands["suggestion"]["state"].as_str() {
            Some("approved") => assert!(stands["order"].is_object(), "{stands:#}"),
            Some("rejected") => assert_eq!(stands["order"], Value::Null),
            other => panic!("{other:?} after approve against reject"),
        }
    }
    let approved = house.stored().await.orders;
    for order in house.orders().await {
        let order = house
            .wait_for_state(order["id"].as_str().expect("an id"), "confirmed")
            .await;
        house.assert_counts(&order, 1, 1, "approved in a race").await;
    }
    assert_eq!(house.submits().await.len() as i64, approved);
}

/// Cases C4 and P11: the second click sees the first one's result, during the purchase and after it.
#[tokio::test]
async fn a_double_click_without_javascript_leads_to_the_same_order_both_times() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("double", &body("DOUBLE")).await;

    let first = buyer.approve(&shown).await;
    let second = buyer.approve(&shown).await;
    assert_eq!(first, second);
    let order = house.wait_for_state(&first, "confirmed").await;
    assert_eq!(buyer.approve(&shown).await, first, "pressed again later");

    house.assert_counts(&order, 1, 1, "a double click").await;
    assert_eq!(house.stored().await.orders, 1);
}

/// Case I9.
#[tokio::test]
async fn fifty_parallel_reservations_make_one_intent() {
    let house = House::start().await;
    let purpose = json!({ "purpose": "restock" });
    let requests = (0..50).map(|_| put(&house, "/api/v1/intents/fifty", &purpose));

    let answers = all_at_once(requests.collect()).await;

    assert_eq!(statuses(&answers), (1, 49, 0), "{answers:?}");
    assert!(answers.iter().all(|answer| answer.text == answers[0].text));
    assert_eq!(house.stored().await.intents, 1);
}

/// Case I9.
#[tokio::test]
async fn fifty_parallel_identical_suggestions_are_one_row_and_one_answer() {
    let house = House::start().await;
    house.put_intent("same").await;
    let body = body("SAME");
    let requests = (0..50).map(|_| put(&house, "/api/v1/intents/same/suggestion", &body));

    let answers = all_at_once(requests.collect()).await;

    assert_eq!(statuses(&answers), (1, 49, 0), "{answers:?}");
    for answer in &answers {
        assert_eq!(answer.text, answers[0].text, "the first answer again");
        let replayed = answer.header("idempotency-replayed") == "true";
        assert_eq!(replayed, answer.status == 200, "{answer:?}");
    }
    let stored = house.stored().await;
    assert_eq!((stored.suggestions, stored.cases), (1, 0));
}

/// Case I9 and rule 3.
#[tokio::test]
async fn of_two_bodies_for_one_revision_one_wins_and_the_other_opens_one_case() {
    let house = House::start().await;
    house.put_intent("two").await;
    let bodies = [body("TWO"), with(body("TWO"), "/lines/0/quantity", json!("25"))];
    let path = "/api/v1/intents/two/suggestion";
    let requests = (0..50).map(|number| put(&house, path, &bodies[number % 2]));

    let answers = all_at_once(requests.collect()).await;

    assert_eq!(statuses(&answers), (1, 24, 25), "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status == 422) {
        assert_eq!(refused.problem(), "intent-reused");
    }
    let taken = answers.iter().find(|answer| answer.status == 201);
    let won = taken.expect("a winner").json()["suggestion"]["digest"].clone();
    assert_eq!(house.intent("two").await["suggestion"]["digest"], won);
    let stored = house.stored().await;
    assert_eq!((stored.suggestions, stored.cases), (1, 1));
    assert_case_is_owned(&house).await;
    let queue = house.sign_in(BUYER).await.get("/").await;
    let suggestion = taken.expect("a winner").json()["suggestion"]["id"].clone();
    let link = format!("href=\"/suggestions/{}\"", suggestion.as_str().expect("an id"));
    let times = queue.text.matches(&link).count();
    assert_eq!(times, 1, "in exactly one place of the queue");
}

async fn assert_case_is_owned(house: &House) {
    let pool = house.database().await;
    let (kind, owner, due, opened): (String, String, i64, i64) = sqlx::query_as(
        "SELECT kind, people.name, due_at, opened_at FROM cases JOIN people ON people.id = owner
         WHERE suggestion IS NOT NULL AND closed_at IS NULL",
    )
    .fetch_one(&pool)
    .await
    .expect("exactly one open case");
    assert_eq!((&*kind, &*owner), ("intent_reused", "Rolf Resolver"));
    assert!(due > opened);
}

/// Rule 3: the stored suggestion stays as it was and can be approved as what it was.
#[tokio::test]
async fn a_reused_revision_changes_nothing_of_what_a_person_approves() {
    let house = House::start().await;
    let shown = house.suggest("reuse", &body("REUSE")).await;
    let other = with(body("REUSE"), "/lines/0/quantity", json!("2400"));
    let refused = house.put_suggestion("reuse", &other).await;
    assert_eq!((refused.status, &*refused.problem()), (422, "intent-reused"));

    let id = house.sign_in(BUYER).await.approve(&shown).await;
    let order = house.wait_for_state(&id, "confirmed").await;

    assert_eq!(order["contents"]["lines"][0]["quantity"], "24");
    let record = &house.records(&order).await[0];
    assert_eq!(record["lines"][0]["quantity"], "24");
    house.assert_counts(&order, 1, 1, "reused").await;
    // known contents are replayed in whatever state they are by now
    let again = house.put_suggestion("reuse", &body("REUSE")).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.header("idempotency-replayed"), "true");
}

/// Case I8.
#[tokio::test]
async fn a_reworded_rationale_after_a_restart_is_the_same_suggestion_again() {
    let mut house = House::start().await;
    house.put_intent("reword").await;
    let first = house.put_suggestion("reword", &body("REWORD")).await;
    house.restart_web().await;
    let reworded = with(body("REWORD"), "/rationale", json!("another session, other words"));
    let reworded = with(reworded, "/doubts", json!(["price from March"]));
    let reworded = with(reworded, "/lines/0/quantity", json!("24.0"));

    let again = house.put_suggestion("reword", &reworded).await;

    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.text, first.text);
    let stored = house.stored().await;
    assert_eq!((stored.suggestions, stored.cases), (1, 0));
    let repeated = house.number("SELECT repeated FROM suggestions").await;
    assert_eq!(repeated, 1, "the reviewer is told");
}

/// Case I6: an outgoing key is per tenant and wish, and made once for the order's whole life.
#[tokio::test]
async fn keys_differ_per_intent_and_a_revision_gets_its_own() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut keys = Vec::new();
    for intent in ["key-1", "key-2", "KEY-1"] {
        let shown = house.suggest(intent, &body(intent)).await;
        let id = buyer.approve(&shown).await;
        let key = house.order(&id).await["operation_key"].clone();
        assert_eq!(key.as_str().map(str::len), Some(36), "{key}");
        keys.push(key.to_string());
    }
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 3);
}

fn put(house: &House, path: &str, body: &Value) -> reqwest::RequestBuilder {
    let url = format!("{}{path}", house.base);
    let request = house.http.request(Method::PUT, url);
    request.bearer_auth(house.intake()).json(body)
}

/// How many answered 201, 200 and 422; there must be no others.
fn statuses(answers: &[Answer]) -> (usize, usize, usize) {
    let count = |status| answers.iter().filter(|one| one.status == status).count();
    let counted = (count(201), count(200), count(422));
    assert_eq!(counted.0 + counted.1 + counted.2, answers.len());
    counted
}
