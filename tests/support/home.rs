//! An order in doubt and the ways home: what people press, what a clerk at the supplier does, what is kept of it.

use super::database::either;
use super::process::PATIENCE;
use super::{Answer, House, Plan, Session, body};
use countersign::domain::chain::first_break;
use serde_json::{Value, json};
use std::future::Future;
use std::time::{Duration, Instant};

/// A supplier's file without its key.
pub fn without_key(file: String) -> String {
    let (before, rest) = file.split_once("[contract.key]").expect("a key");
    let (_, after) = rest.split_once("[[contract.answers]]").expect("what follows");
    format!("{before}[[contract.answers]]{after}")
}

/// A fault on submit.
pub fn fault(name: &str) -> Value {
    json!({ "on": "submit", "do": name })
}

/// A fault on look-up.
pub fn blind(name: &str) -> Value {
    json!({ "on": "look_up", "do": name })
}

/// Every page of an order, by its id.
pub fn page(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

pub fn id(order: &Value) -> &str {
    order["id"].as_str().expect("an id")
}

/// A moment of the API.
pub fn moment(value: &Value) -> chrono::DateTime<chrono::Utc> {
    let text = value.as_str().unwrap_or_else(|| panic!("no moment: {value}"));
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Asks until it answers something; `what` names it should it never come.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, ask: impl Fn() -> F) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "it did not come: {what}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// What a refused act left: where it led, what the page says, and the draft.
#[derive(Debug)]
pub struct Refused {
    pub page: String,
    /// The refusal as it is kept, JSON.
    pub why: Value,
    /// The fields as they are kept, JSON.
    pub typed: String,
}

impl Refused {
    pub fn is(&self, refusal: &str) -> bool {
        self.why["refusal"] == refusal
    }
    pub fn field(&self) -> &str {
        self.why["about"]["field"].as_str().unwrap_or_default()
    }
}

/// Success as doors.md says: 303 to the order's page, and nothing refused.
#[track_caller]
pub fn assert_done(answer: &Answer, order: &Value) {
    assert_eq!((answer.status, answer.location()), (303, &*page(order)), "{answer:?}");
}

impl Session<'_> {
    /// An act on an order from the version that the page showed.
    pub async fn act(&self, act: &str, order: &Value, more: &[(&str, &str)]) -> Answer {
        let version = order["version"].to_string();
        let mut fields = vec![("order", id(order)), ("version", &*version)];
        fields.extend(more);
        self.post(&format!("/act/{act}"), &fields).await
    }

    /// As `act`; it must be done.
    pub async fn does(&self, act: &str, order: &Value, more: &[(&str, &str)]) {
        let answer = self.act(act, order, more).await;
        assert_done(&answer, order);
    }

    /// What a person found out.
    pub async fn finds(&self, order: &Value, finding: &str, more: &[(&str, &str)]) -> Answer {
        let mut fields = vec![("finding", finding), ("evidence", "called them, spoke to Ms Berg")];
        fields.extend(more);
        self.act("record_finding", order, &fields).await
    }

    /// Says that the order is not at the supplier, as soon as that may be said.
    pub async fn says_missing(&self, order: &Value) {
        until("settled", || async {
            let answer = self.finds(order, "not_at_supplier", &[]).await;
            if answer.location() == page(order) {
                return Some(());
            }
            let refused = self.refused(&answer, &page(order)).await;
            assert!(refused.is("not_settled_yet"), "{:?}", refused.why);
            None
        })
        .await;
    }

    /// Reads a refusal: back on this page, calmly told, with a draft.
    pub async fn refused(&self, answer: &Answer, page: &str) -> Refused {
        assert_eq!(answer.status, 303, "{answer:?}");
        let there = format!("{page}?refused=");
        let draft = answer.location().strip_prefix(&there);
        let draft = draft.unwrap_or_else(|| panic!("not back on {page}: {answer:?}"));
        let shown = self.get(answer.location()).await;
        assert_eq!(shown.status, 200, "{shown:?}");
        let pool = self.house.database().await;
        let (typed, why): (String, String) = sqlx::query_as("SELECT fields, refusal FROM drafts WHERE id = $1")
            .bind(draft)
            .fetch_one(&pool)
            .await
            .expect("the draft");
        pool.close().await;
        Refused {
            page: shown.text,
            why: serde_json::from_str(&why).expect("a refusal"),
            typed,
        }
    }
}

impl House {
    /// "Not at the supplier" counts two seconds after an attempt: one of request deadline, one of settle time.
    pub fn soon_settled() -> Plan {
        House::plan()
            .setting("request_deadline", "1s")
            .setting("send_by", "1s")
            .setting("lease", "2500ms")
            .supplier_file(|file| file.replace("settle_time = \"30s\"", "settle_time = \"1s\""))
    }

    /// An order in doubt of which a person has found out that it is not at the supplier.
    pub async fn found_missing(&self, resolver: &Session<'_>, pending: &Value) -> Value {
        resolver.says_missing(pending).await;
        let order = self.see_state(pending, "approved").await;
        assert_eq!(order["held_because"], "not_found", "{order:#}");
        order
    }

    /// Suggests, approves; answers the order's id.
    pub async fn buy(&self, buyer: &Session<'_>, intent: &str) -> String {
        let suggested = self.suggest(intent, &body(intent)).await;
        buyer.approve(&suggested).await
    }

    /// An order whose answer was lost this way; the worker must be running.
    pub async fn lose(&self, buyer: &Session<'_>, intent: &str, lost: &str) -> Value {
        self.faults(json!([fault(lost)])).await;
        let id = self.buy(buyer, intent).await;
        self.wait_for_state(&id, "confirmation_pending").await
    }

    /// The order as it is now.
    pub async fn now(&self, order: &Value) -> Value {
        self.order(id(order)).await
    }

    /// Waits until this order fulfils something.
    pub async fn see(&self, order: &Value, what: &str, fulfils: impl Fn(&Value) -> bool) -> Value {
        self.wait_for(id(order), what, fulfils).await
    }

    pub async fn see_state(&self, order: &Value, state: &str) -> Value {
        self.wait_for_state(id(order), state).await
    }

    /// Changes the practice supplier's habits.
    pub async fn habits(&self, change: Value) {
        let put = self.http.put(format!("{}/contract", self.supplier_base));
        let answer = Answer::of(put.json(&change)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// What a clerk at the supplier does with an order there.
    pub async fn clerk(&self, number: &str, change: Value) {
        let put = self.http.put(format!("{}/orders/{number}", self.supplier_base));
        let answer = Answer::of(put.json(&change)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// The supplier's number of the only record of this order. It asks as anybody would: a fault on look-up is taken.
    pub async fn number_of(&self, order: &Value) -> String {
        let records = self.records(order).await;
        assert_eq!(records.len(), 1, "{records:?}");
        records[0]["number"].as_str().expect("a number").to_owned()
    }

    /// Places an order at the supplier as somebody there would who types ours in later.
    pub async fn enter_there(&self, order: &Value) -> String {
        let post = self.http.post(format!("{}/orders", self.supplier_base));
        let lines = &order["contents"]["lines"];
        let entered = json!({
            "reference": order["operation_key"], "currency": order["contents"]["currency"],
            "deliver_to": order["contents"]["deliver_to"], "charges": [], "lines": lines,
        });
        let post = post.header("Idempotency-Key", format!("typed in by hand for {}", id(order)));
        let answer = Answer::of(post.json(&entered)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["number"].as_str().expect("a number").to_owned()
    }

    /// Uses this order's key at the supplier for something else.
    pub async fn use_key_otherwise(&self, order: &Value) {
        let post = self.http.post(format!("{}/orders", self.supplier_base));
        let key = order["operation_key"].as_str().expect("a key");
        let other = json!({
            "reference": "somebody-else", "currency": "EUR", "deliver_to": "elsewhere", "charges": [],
            "lines": order["contents"]["lines"],
        });
        let answer = Answer::of(post.header("Idempotency-Key", key).json(&other)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    /// The statuses with which look-ups of this order were answered, oldest first.
    pub async fn asked_about(&self, order: &Value) -> Vec<Value> {
        let all = self.ask_supplier("/requests").await;
        let all = all.as_array().expect("requests").clone();
        all.into_iter()
            .filter(|request| request["method"] == "GET" && request["reference"] == order["operation_key"])
            .collect()
    }

    /// What each attempt of an order sends, oldest first.
    pub async fn steps(&self, order: &Value) -> Vec<(String, String, String)> {
        let pool = self.database().await;
        let steps = sqlx::query_as(
            "SELECT method, url, body FROM attempt_steps JOIN attempts ON attempts.id = attempt
             WHERE order_id = $1 ORDER BY attempts.number",
        )
        .bind(id(order))
        .fetch_all(&pool)
        .await
        .expect("the steps");
        pool.close().await;
        steps
    }

    /// What happened to an order, oldest first: the kind, with everything else of it.
    pub async fn history(&self, order: &Value) -> Vec<Value> {
        let pool = self.database().await;
        let bodies: Vec<(String,)> = sqlx::query_as("SELECT body FROM events WHERE subject = $1 ORDER BY number")
            .bind(id(order))
            .fetch_all(&pool)
            .await
            .expect("the events");
        pool.close().await;
        let read = |(body,): &(String,)| serde_json::from_str(body).expect("an event");
        bodies.iter().map(read).collect()
    }

    /// The events of this kind.
    pub async fn happened(&self, order: &Value, kind: &str) -> Vec<Value> {
        let history = self.history(order).await;
        history
            .into_iter()
            .filter(|event| event["happening"]["kind"] == kind)
            .collect()
    }

    /// Nothing is missing from the log, and nothing in it was changed (rule 16).
    pub async fn assert_log_is_whole(&self) {
        assert_eq!(self.first_break_of_log().await, None, "the log is broken");
    }

    /// Where the log is broken, if it is.
    pub async fn first_break_of_log(&self) -> Option<String> {
        let pool = self.database().await;
        let tenants: Vec<(String,)> = sqlx::query_as("SELECT DISTINCT tenant FROM events")
            .fetch_all(&pool)
            .await
            .expect("the tenants");
        let mut broken = None;
        for (tenant,) in tenants {
            let chain: Vec<(i64, String, String)> =
                sqlx::query_as("SELECT number, body, hash FROM events WHERE tenant = $1 ORDER BY number")
                    .bind(&tenant)
                    .fetch_all(&pool)
                    .await
                    .expect("the chain");
            let stored = chain
                .iter()
                .map(|(number, bytes, hash)| (number.unsigned_abs(), bytes.as_str(), hash.as_str()));
            let at = first_break(stored);
            broken = broken.or(at.map(|at| format!("the log of {tenant} is broken: {at:?}")));
        }
        pool.close().await;
        broken
    }

    /// From now on nothing can be written about attempts, as on a disk that is full.
    pub async fn disk_is_full(&self) {
        self.execute(either(
            "CREATE TRIGGER full_disk BEFORE UPDATE ON attempts
             BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
             AS $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END; $$;
             CREATE TRIGGER full_disk BEFORE UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION full_disk()",
        ))
        .await;
    }

    /// There is room again.
    pub async fn disk_has_room(&self) {
        self.execute(either("DROP TRIGGER full_disk", "DROP FUNCTION full_disk CASCADE"))
            .await;
    }

    async fn execute(&self, sql: &'static str) {
        let pool = self.database().await;
        sqlx::raw_sql(sql).execute(&pool).await.expect(sql);
        pool.close().await;
    }

    /// Lets nobody write until the transaction is given back.
    pub async fn lock(&self) -> sqlx::Transaction<'static, sqlx::Any> {
        let pool = self.database().await;
        let begin = either("BEGIN IMMEDIATE", "BEGIN");
        let mut lock = pool.begin_with(begin).await.expect("a transaction");
        let take = either("SELECT id FROM tenants", "SELECT id FROM tenants FOR UPDATE");
        sqlx::query(take).execute(&mut *lock).await.expect("the lock");
        lock
    }

    /// Requests at the supplier belong to attempts one to one: each attempt of which a byte may have left has exactly one,
    /// and each of the others has none.
    pub async fn assert_one_request_per_attempt(&self, order: &Value, about: &str) {
        let left = |attempt: &&Value| attempt["reply"] != "not_sent" || !attempt["http_status"].is_null();
        let sent = order["attempts"].as_array().expect("attempts").iter().filter(left);
        let sent = sent.count();
        assert_eq!(self.submits_of(order).await, sent, "{about}: requests of {order:#}");
    }
}

/// Every case of an order that is open has an owner who can act and a deadline ahead of its opening (rule 15).
#[track_caller]
pub fn assert_owned(order: &Value, kind: &str) {
    let case = &order["case"];
    assert_eq!(case["kind"], kind, "{order:#}");
    assert_eq!(case["owner_name"], "Rolf Resolver", "{case}");
    assert!(moment(&case["due_at"]) > moment(&case["opened_at"]), "{case}");
    assert!(
        case["reason"].as_str().is_some_and(|reason| !reason.is_empty()),
        "{case}"
    );
}
