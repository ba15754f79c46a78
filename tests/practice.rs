//! The practice supplier over real sockets: every fault, every habit, counted in its own store.
//!
//! Each test starts its own supplier on a free port with its own file. What a client saw is never taken for what happened:
//! that is asked at `GET /count` and `GET /requests`.

use std::time::{Duration, Instant};

use countersign::practice;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running supplier.
struct Supplier {
    base: String,
    folder: TempDir,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), practice::PracticeError>>,
    http: reqwest::Client,
}

/// What a client saw of one request.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    /// The connection ended before an answer began.
    Nothing,
    /// An answer began and broke off.
    Cut(u16),
    /// An answer began and was not over after a second, or a megabyte.
    Unfinished(u16),
    Answer {
        status: u16,
        headers: reqwest::header::HeaderMap,
        text: String,
    },
}

impl Seen {
    fn status(&self) -> Option<u16> {
        match self {
            Self::Nothing => None,
            Self::Cut(status) | Self::Unfinished(status) | Self::Answer { status, .. } => Some(*status),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Answer { text, .. } => text,
            other => panic!("no whole answer: {other:?}"),
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn headers(&self, name: &str) -> Vec<String> {
        match self {
            Self::Answer { headers, .. } => headers
                .get_all(name)
                .iter()
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
                .collect(),
            other => panic!("no whole answer: {other:?}"),
        }
    }

    fn replayed(&self) -> bool {
        self.headers("idempotent-replayed") == ["true"]
    }
}

impl Supplier {
    async fn start() -> Self {
        Self::start_in(TempDir::new().unwrap()).await
    }

    /// Starts on the file an earlier supplier has left in the folder, or on a new one.
    async fn start_in(folder: TempDir) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let url = format!("sqlite:{}", folder.path().join("practice.db").display());
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            practice::serve(listener, &url, shutdown).await
        });
        // No pool: a connection the supplier breaks on purpose must never be met by another request.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .build()
            .unwrap();
        Self {
            base,
            folder,
            stop,
            serving,
            http,
        }
    }

    async fn stop(self) -> TempDir {
        let _ = self.stop.send(());
        self.serving.await.unwrap().unwrap();
        self.folder
    }

    async fn restart(self) -> Self {
        Self::start_in(self.stop().await).await
    }

    fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn submit(&self, key: &str, order: &Value) -> Seen {
        see(self
            .http
            .post(self.url("/orders"))
            .header("Idempotency-Key", key)
            .json(order))
        .await
    }

    async fn submit_as(&self, credential: &str, key: &str, order: &Value) -> Seen {
        let request = self.http.post(self.url("/orders")).header("Idempotency-Key", key);
        see(request
            .header("Authorization", format!("Bearer {credential}"))
            .json(order))
        .await
    }

    async fn get(&self, path: &str) -> Seen {
        see(self.http.get(self.url(path))).await
    }

    async fn get_as(&self, credential: &str, path: &str) -> Seen {
        see(self
            .http
            .get(self.url(path))
            .header("Authorization", format!("Bearer {credential}")))
        .await
    }

    async fn put(&self, path: &str, document: Value) -> Seen {
        see(self.http.put(self.url(path)).json(&document)).await
    }

    async fn faults(&self, next: Value) {
        let seen = self.put("/faults", json!({ "next": next })).await;
        assert_eq!(seen.status(), Some(200), "{seen:?}");
    }

    async fn contract(&self, switches: Value) {
        let seen = self.put("/contract", switches).await;
        assert_eq!(seen.status(), Some(200), "{seen:?}");
    }

    async fn count(&self, reference: &str) -> i64 {
        let seen = self.get(&format!("/count?reference={reference}")).await;
        seen.json()["count"].as_i64().unwrap()
    }

    async fn requests(&self) -> Vec<Value> {
        self.get("/requests").await.json().as_array().unwrap().clone()
    }

    /// Waits until the supplier holds so many records for the reference.
    async fn wait_for_count(&self, reference: &str, wanted: i64) {
        let patience = Instant::now();
        while self.count(reference).await != wanted {
            assert!(
                patience.elapsed() < Duration::from_secs(5),
                "{reference} never came to {wanted}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn see(request: reqwest::RequestBuilder) -> Seen {
    let Ok(mut response) = request.send().await else {
        return Seen::Nothing;
    };
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let mut bytes = Vec::new();
    let read = async {
        while let Some(chunk) = response.chunk().await.map_err(|_| Seen::Cut(status))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > 1_000_000 {
                return Err(Seen::Unfinished(status));
            }
        }
        Ok(())
    };
    match tokio::time::timeout(Duration::from_secs(1), read).await {
        Err(_) => Seen::Unfinished(status),
        Ok(Err(seen)) => seen,
        Ok(Ok(())) => Seen::Answer {
            status,
            headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        },
    }
}

fn order(reference: &str) -> Value {
    json!({
        "reference": reference,
        "currency": "EUR",
        "lines": [
            { "sku": "M8-40-A2", "description": "Hex bolt", "quantity": "24", "unit": "EA", "unit_price": "0.4375", "price_per": "1" },
            { "description": "Cutting to length", "quantity": "1.5", "unit": "HUR", "unit_price": "40", "price_per": "1" },
        ],
        "charges": [{ "kind": "allowance", "reason": "framework discount", "amount": "10.00" }],
        "deliver_to": "main-warehouse",
        "needed_by": "2026-12-04",
    })
}

// Faults.

/// One row of the table: a fault, what the client sees, how many records there are then; what a repeat of the same key gets
/// without a fault (status, replayed), and how many records there are after that.
struct Row(Value, Option<u16>, i64, (u16, bool), i64);

fn submit_table() -> Vec<Row> {
    let fault = |name: &str| json!({ "on": "submit", "do": name });
    let brief = |name: &str| json!({ "on": "submit", "do": name, "seconds": 0.2 });
    vec![
        Row(fault("store_then_close"), None, 1, (201, true), 1),
        Row(fault("close_without_store"), None, 0, (201, false), 1),
        Row(fault("close_half_body"), None, 0, (201, false), 1),
        Row(brief("store_then_sleep"), Some(201), 1, (201, true), 1),
        Row(brief("sleep_then_store"), Some(201), 1, (201, true), 1),
        Row(fault("store_then_500"), Some(500), 1, (500, true), 1),
        Row(fault("500_without_store"), Some(500), 0, (500, true), 0),
        Row(fault("store_then_502"), Some(502), 1, (201, true), 1),
        Row(fault("store_then_503"), Some(503), 1, (201, true), 1),
        Row(fault("store_then_504"), Some(504), 1, (201, true), 1),
        Row(fault("store_then_truncated"), Some(201), 1, (201, true), 1),
        Row(fault("store_then_html"), Some(200), 1, (201, true), 1),
        Row(fault("store_then_empty"), Some(201), 1, (201, true), 1),
        Row(fault("store_with_differences"), Some(201), 1, (201, true), 1),
        Row(fault("accept_202"), Some(202), 1, (202, true), 1),
        Row(fault("201_without_store"), Some(201), 0, (201, false), 1),
        Row(fault("refuse_422"), Some(422), 0, (422, true), 0),
        Row(fault("409_in_flight"), Some(409), 0, (201, false), 1),
        Row(fault("409_business"), Some(409), 0, (409, true), 0),
        Row(fault("redirect_301"), Some(301), 1, (201, true), 1),
        Row(fault("redirect_302"), Some(302), 1, (201, true), 1),
        Row(fault("redirect_307"), Some(307), 1, (201, true), 1),
        Row(fault("redirect_308"), Some(308), 1, (201, true), 1),
        Row(fault("drip"), Some(201), 1, (201, true), 1),
        Row(fault("huge"), Some(201), 1, (201, true), 1),
        Row(fault("429"), Some(429), 0, (201, false), 1),
        Row(fault("401"), Some(401), 0, (201, false), 1),
        Row(fault("403"), Some(403), 0, (201, false), 1),
        Row(fault("503"), Some(503), 0, (201, false), 1),
        Row(fault("store_then_204"), Some(204), 1, (201, true), 1),
        Row(fault("store_then_location"), Some(201), 1, (201, true), 1),
        Row(fault("store_then_gzip_plain"), Some(201), 1, (201, true), 1),
        Row(fault("store_then_gzip_bomb"), Some(201), 1, (201, true), 1),
        Row(fault("store_then_silence"), Some(201), 1, (201, true), 1),
    ]
}

#[tokio::test]
async fn every_fault_on_submit_shows_stores_logs_and_replays_as_its_name_says() {
    let supplier = Supplier::start().await;
    for Row(fault, status, stored, (again, replayed), stored_then) in submit_table() {
        let name = fault["do"].as_str().unwrap().to_owned();
        let reference = format!("ref-{name}");
        supplier.faults(json!([fault])).await;

        let seen = supplier.submit(&reference, &order(&reference)).await;
        assert_eq!(seen.status(), status, "{name}: {seen:?}");
        assert_eq!(supplier.count(&reference).await, stored, "{name}: records");
        looks_as_named(&name, &seen);

        let logged = supplier.requests().await.pop().unwrap();
        assert_eq!(logged["method"], "POST", "{name}");
        assert_eq!(logged["path"], "/orders", "{name}");
        assert_eq!(logged["key"], json!(reference), "{name}");
        // Half a body names nothing.
        let named = if name == "close_half_body" {
            Value::Null
        } else {
            json!(reference)
        };
        assert_eq!(logged["reference"], named, "{name}");
        assert_eq!(logged["fault"], json!(name));
        assert_eq!(logged["status"], json!(status), "{name}");

        let repeat = supplier.submit(&reference, &order(&reference)).await;
        assert_eq!(
            (repeat.status(), repeat.replayed()),
            (Some(again), replayed),
            "{name}: {repeat:?}"
        );
        assert_eq!(
            supplier.count(&reference).await,
            stored_then,
            "{name}: records after the repeat"
        );
    }
    let logged = supplier.requests().await;
    assert_eq!(
        logged.len(),
        2 * submit_table().len(),
        "one row per request, none of them an instrument's"
    );
}

/// What tells the faults with the same status apart.
fn looks_as_named(name: &str, seen: &Seen) {
    match name {
        "store_then_truncated" => assert_eq!(*seen, Seen::Cut(201)),
        "drip" | "huge" | "store_then_silence" | "store_then_gzip_bomb" => {
            assert_eq!(*seen, Seen::Unfinished(201))
        }
        "store_then_html" => {
            assert!(seen.text().starts_with("<!doctype html>"));
            assert_eq!(seen.headers("content-type"), ["text/html; charset=utf-8"]);
        }
        "store_then_empty" => assert_eq!(seen.text(), ""),
        "store_then_location" => {
            assert_eq!(seen.text(), "");
            assert!(seen.headers("location")[0].starts_with("/orders/A-"));
        }
        "store_then_gzip_plain" => {
            assert_eq!(seen.headers("content-encoding"), ["gzip"]);
            assert_eq!(seen.json()["status"], "confirmed");
        }
        "accept_202" => assert_eq!(seen.json()["status"], "in_progress"),
        "store_with_differences" => assert_eq!(seen.json()["lines"][0]["quantity"], "23"),
        "409_in_flight" => assert_eq!(seen.json(), json!({ "code": "in_flight" })),
        "409_business" => assert_eq!(seen.json(), json!({ "code": "business_conflict" })),
        name if name.starts_with("redirect_") => assert_eq!(seen.headers("location"), ["/login"]),
        _ => {}
    }
}

#[tokio::test]
async fn every_fault_on_look_up_spoils_one_answer_and_stores_nothing() {
    let supplier = Supplier::start().await;
    supplier.submit("k", &order("ref")).await;
    let mut names: Vec<String> = submit_table()
        .iter()
        .map(|Row(fault, ..)| fault["do"].as_str().unwrap().to_owned())
        .collect();
    names.extend(["404", "none", "twice"].map(str::to_owned));
    for name in names {
        supplier
            .faults(json!([{ "on": "look_up", "do": name, "seconds": 0.2 }]))
            .await;
        let seen = supplier.get("/orders?reference=ref").await;
        let expected = match name.as_str() {
            "store_then_close" | "close_without_store" | "close_half_body" => None,
            "store_then_500" | "500_without_store" => Some(500),
            "store_then_502" => Some(502),
            "store_then_503" | "503" => Some(503),
            "store_then_504" => Some(504),
            "store_then_204" => Some(204),
            "refuse_422" => Some(422),
            "409_in_flight" | "409_business" => Some(409),
            "redirect_301" => Some(301),
            "redirect_302" => Some(302),
            "redirect_307" => Some(307),
            "redirect_308" => Some(308),
            "429" => Some(429),
            "401" => Some(401),
            "403" => Some(403),
            "404" => Some(404),
            _ => Some(200),
        };
        assert_eq!(seen.status(), expected, "{name}: {seen:?}");
        match name.as_str() {
            "none" => assert_eq!(seen.json(), json!([])),
            "accept_202" => assert_eq!(seen.json()[0]["status"], "in_progress"),
            "store_with_differences" => assert_eq!(seen.json()[0]["lines"][0]["quantity"], "23"),
            "store_then_truncated" => assert_eq!(seen, Seen::Cut(200)),
            "twice" => {
                let records = seen.json();
                assert_eq!(
                    (&records[0]["number"], &records[1]["number"]),
                    (&json!("A-1001"), &json!("A-1001-2"))
                );
                assert_eq!(records.as_array().unwrap().len(), 2);
            }
            _ => {}
        }
        let logged = supplier.requests().await.pop().unwrap();
        assert_eq!((&logged["fault"], &logged["status"]), (&json!(name), &json!(expected)));
        assert_eq!(logged["reference"], "ref");
        let honest = supplier.get("/orders?reference=ref").await.json();
        assert_eq!(honest.as_array().unwrap().len(), 1, "{name}");
        assert_eq!(
            (&honest[0]["status"], &honest[0]["lines"][0]["quantity"]),
            (&json!("confirmed"), &json!("24"))
        );
    }
    assert_eq!(supplier.count("ref").await, 1);
}

#[tokio::test]
async fn faults_are_taken_one_per_request_in_order_and_each_kind_has_its_own_queue() {
    let supplier = Supplier::start().await;
    supplier
        .faults(
            json!([{ "on": "submit", "do": "503" }, { "on": "look_up", "do": "429" }, { "on": "submit", "do": "401" }]),
        )
        .await;
    assert_eq!(supplier.submit("a", &order("a")).await.status(), Some(503));
    assert_eq!(supplier.submit("a", &order("a")).await.status(), Some(401));
    assert_eq!(supplier.submit("a", &order("a")).await.status(), Some(201));
    assert_eq!(supplier.get("/orders/A-1001").await.status(), Some(429));
    assert_eq!(supplier.get("/orders/A-1001").await.status(), Some(200));

    supplier.faults(json!([{ "on": "submit", "do": "503" }])).await;
    supplier.faults(json!([{ "on": "look_up", "do": "429" }])).await;
    assert_eq!(
        supplier.get("/faults").await.json()["next"].as_array().unwrap().len(),
        2,
        "the other kind's queue stays"
    );
    supplier.faults(json!([{ "on": "submit", "do": "403" }])).await;
    assert_eq!(
        supplier.submit("b", &order("b")).await.status(),
        Some(403),
        "the kind's queue is replaced"
    );
    supplier.faults(json!([])).await;
    assert_eq!(supplier.get("/faults").await.json(), json!({ "next": [] }));
    assert_eq!(supplier.submit("b", &order("b")).await.status(), Some(201));
}

#[tokio::test]
async fn faults_act_before_the_key_is_looked_at() {
    let supplier = Supplier::start().await;
    supplier.faults(json!([{ "on": "submit", "do": "store_then_close" }, { "on": "submit", "do": "refuse_422" }, { "on": "submit", "do": "429" }])).await;
    assert_eq!(supplier.submit("k", &order("k")).await, Seen::Nothing);
    assert_eq!(supplier.submit("k", &order("k")).await.status(), Some(422));
    assert_eq!(supplier.submit("k", &order("k")).await.status(), Some(429));
    let honest = supplier.submit("k", &order("k")).await;
    assert_eq!(
        (honest.status(), honest.replayed()),
        (Some(201), true),
        "what the key answered first is not replaced"
    );
    assert_eq!(supplier.count("k").await, 1);
}

#[tokio::test]
async fn bad_faults_are_refused_by_field_and_change_nothing() {
    let supplier = Supplier::start().await;
    supplier.faults(json!([{ "on": "submit", "do": "503" }])).await;
    let table = [
        (json!({ "next": [{ "on": "submit", "do": "explode" }] }), "/next/0/do"),
        (json!({ "next": [{ "on": "submit", "do": 429 }] }), "/next/0/do"),
        (json!({ "next": [{ "on": "submit" }] }), "/next/0/do"),
        (json!({ "next": [{ "do": "429" }] }), "/next/0/on"),
        (json!({ "next": [{ "on": "cancel", "do": "429" }] }), "/next/0/on"),
        (json!({ "next": [{ "on": "submit", "do": "twice" }] }), "/next/0/do"),
        (
            json!({ "next": [{ "on": "submit", "do": "drip", "secs": 1 }] }),
            "/next/0/secs",
        ),
        (
            json!({ "next": [{ "on": "submit", "do": "drip", "seconds": -1 }] }),
            "/next/0/seconds",
        ),
        (
            json!({ "next": [{ "on": "submit", "do": "store_with_differences", "what": "colour" }] }),
            "/next/0/what",
        ),
        (
            json!({ "next": [{ "on": "submit", "do": "429", "retry_after": "a\nb" }] }),
            "/next/0/retry_after",
        ),
        (json!({ "next": [{ "on": "look_up", "do": "429" }, "429"] }), "/next/1"),
        (json!({ "next": [{ "on": null, "do": "429" }] }), "/next/0"),
        (json!({ "next": [], "then": [] }), "/then"),
        (json!({}), "/next"),
        (json!([]), ""),
    ];
    for (document, pointer) in table {
        let seen = supplier.put("/faults", document.clone()).await;
        assert_eq!(seen.status(), Some(400), "{document}");
        assert_eq!(seen.headers("content-type"), ["application/problem+json"]);
        assert_eq!(seen.json()["errors"][0]["pointer"], pointer, "{document}: {seen:?}");
    }
    assert_eq!(
        supplier.get("/faults").await.json(),
        json!({ "next": [{ "on": "submit", "do": "503" }] })
    );
}

#[tokio::test]
async fn retry_after_is_sent_as_given_whatever_it_says() {
    let supplier = Supplier::start().await;
    let texts = [
        "120",
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "-5",
        "99999999999",
        "soon",
        "",
        "1.5",
    ];
    for text in texts {
        supplier
            .faults(json!([{ "on": "submit", "do": "429", "retry_after": text }]))
            .await;
        let seen = supplier.submit("k", &order("k")).await;
        assert_eq!(
            (seen.status(), seen.headers("retry-after")),
            (Some(429), vec![text.to_owned()])
        );
    }
    supplier
        .faults(json!([{ "on": "look_up", "do": "503", "retry_after": ["1", "9"] }, { "on": "submit", "do": "429" }]))
        .await;
    assert_eq!(
        supplier.get("/orders?reference=k").await.headers("retry-after"),
        ["1", "9"]
    );
    assert!(
        supplier
            .submit("k", &order("k"))
            .await
            .headers("retry-after")
            .is_empty()
    );
}

#[tokio::test]
async fn differences_are_recorded_as_named() {
    let supplier = Supplier::start().await;
    let table = [
        ("quantity", "/lines/0/quantity", json!("23")),
        ("price", "/lines/0/unit_price", json!("0.4575")),
        ("substitute", "/lines/0/sku", json!("M8-40-A2-SUB")),
        ("missing_line", "/lines/1", Value::Null),
        ("extra_line", "/lines/2/sku", json!("FREIGHT")),
        ("currency", "/currency", json!("USD")),
        ("date", "/needed_by", json!("2027-01-15")),
    ];
    for (what, pointer, expected) in table {
        supplier
            .faults(json!([{ "on": "submit", "do": "store_with_differences", "what": what }]))
            .await;
        let answered = supplier.submit(what, &order(what)).await.json();
        assert_eq!(*answered.pointer(pointer).unwrap_or(&Value::Null), expected, "{what}");
        let recorded = supplier.get(&format!("/orders?reference={what}")).await.json();
        assert_eq!(recorded[0], answered, "{what}: recorded is what was confirmed");
        let untouched = answered
            .as_object()
            .unwrap()
            .iter()
            .filter(|(field, _)| !pointer[1..].starts_with(*field));
        for (field, value) in untouched.filter(|(field, _)| order(what).get(*field).is_some()) {
            assert_eq!(order(what)[field], *value, "{what}: only what was named differs");
        }
    }
}

// The wire.

#[tokio::test]
async fn half_a_body_is_enough_to_be_hung_up_on() {
    let supplier = Supplier::start().await;
    supplier
        .faults(json!([{ "on": "submit", "do": "close_half_body" }]))
        .await;
    let mut stream = TcpStream::connect(supplier.address()).await.unwrap();
    let head = "POST /orders HTTP/1.1\r\nHost: practice\r\nIdempotency-Key: k\r\nContent-Length: 1000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&[b' '; 600]).await.unwrap();
    // The other 400 bytes are never sent: only a supplier that stops at half of it closes.
    let mut answer = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(2), stream.read_to_end(&mut answer)).await;
    closed.expect("it hangs up").ok();
    assert_eq!(answer, b"");
    assert_eq!(supplier.requests().await[0]["status"], Value::Null);
}

#[tokio::test]
async fn a_request_whose_client_goes_mid_body_is_logged_and_stores_nothing() {
    let supplier = Supplier::start().await;
    let mut stream = TcpStream::connect(supplier.address()).await.unwrap();
    let head = "POST /orders HTTP/1.1\r\nHost: practice\r\nIdempotency-Key: k\r\nContent-Length: 1000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(br#"{"reference":"half"#).await.unwrap();
    drop(stream);
    let patience = Instant::now();
    while supplier.requests().await.is_empty() {
        assert!(patience.elapsed() < Duration::from_secs(5), "the request is logged");
    }
    let logged = &supplier.requests().await[0];
    assert_eq!(
        (&logged["key"], &logged["reference"], &logged["status"]),
        (&json!("k"), &Value::Null, &Value::Null)
    );
    assert_eq!(supplier.get("/orders").await.json(), json!([]));
}

#[tokio::test]
async fn a_client_that_has_gone_does_not_stop_its_order() {
    let supplier = Supplier::start().await;
    supplier.contract(json!({ "processing_seconds": 1.5 })).await;
    let impatient = supplier
        .http
        .post(supplier.url("/orders"))
        .header("Idempotency-Key", "k")
        .json(&order("k"));
    impatient.timeout(Duration::from_millis(500)).send().await.unwrap_err();
    assert_eq!(
        supplier.count("k").await,
        0,
        "not stored is not the same as not going to be"
    );
    supplier.wait_for_count("k", 1).await;
    let repeat = supplier.submit("k", &order("k")).await;
    assert_eq!((repeat.status(), repeat.replayed()), (Some(201), true));
    assert_eq!(
        supplier.requests().await[0]["status"],
        201,
        "the log knows the answer nobody heard"
    );
}

#[tokio::test]
async fn a_connection_is_kept_for_further_requests() {
    let supplier = Supplier::start().await;
    let mut stream = TcpStream::connect(supplier.address()).await.unwrap();
    for _ in 0..20 {
        stream
            .write_all(b"GET /orders?reference=x HTTP/1.1\r\nHost: practice\r\n\r\n")
            .await
            .unwrap();
        let mut buffer = [0; 2048];
        let length = stream.read(&mut buffer).await.unwrap();
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        assert!(
            text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\n[]"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn closing_without_an_answer_sends_not_one_byte() {
    let supplier = Supplier::start().await;
    for fault in ["store_then_close", "close_without_store"] {
        supplier.faults(json!([{ "on": "submit", "do": fault }])).await;
        let body = order(fault).to_string();
        let mut stream = TcpStream::connect(supplier.address()).await.unwrap();
        let head = format!(
            "POST /orders HTTP/1.1\r\nHost: practice\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream
            .read_to_end(&mut answer)
            .await
            .expect("an orderly end, not a reset");
        assert_eq!(answer, b"", "{fault}");
    }
}

#[tokio::test]
async fn a_followed_redirect_shows_in_the_log() {
    let supplier = Supplier::start().await;
    supplier.faults(json!([{ "on": "submit", "do": "redirect_307" }, { "on": "submit", "do": "redirect_302", "location": "http://elsewhere.example/x" }])).await;
    let following = reqwest::Client::new();
    let page = see(following.post(supplier.url("/orders")).json(&order("r"))).await;
    assert_eq!(page.status(), Some(200));
    assert!(page.text().contains("Please sign in"));
    let logged = supplier.requests().await;
    assert_eq!(
        (&logged[1]["method"], &logged[1]["path"]),
        (&json!("POST"), &json!("/login"))
    );
    let seen = supplier.submit("s", &order("s")).await;
    assert_eq!(seen.headers("location"), ["http://elsewhere.example/x"]);
    assert_eq!(supplier.get("/nowhere").await.status(), Some(404));
    assert_eq!(supplier.requests().await.last().unwrap()["path"], "/nowhere");
}

// Orders.

#[tokio::test]
async fn an_order_is_confirmed_recorded_as_given_and_found() {
    let supplier = Supplier::start().await;
    let seen = supplier.submit("k", &order("ref")).await;
    assert_eq!(seen.status(), Some(201));
    let answered = seen.json();
    assert_eq!(
        (&answered["number"], &answered["status"]),
        (&json!("A-1001"), &json!("confirmed"))
    );
    for (field, value) in order("ref").as_object().unwrap() {
        assert_eq!(answered[field], *value, "{field}");
    }
    assert_eq!(supplier.get("/orders?reference=ref").await.json(), json!([answered]));
    assert_eq!(supplier.get("/orders/A-1001").await.json(), answered);
    for number in ["A-1002", "A-01001", "a-1001", "A-", "1001", "A-99999999999999999999"] {
        assert_eq!(
            supplier.get(&format!("/orders/{number}")).await.status(),
            Some(404),
            "{number}"
        );
    }
    assert_eq!(
        supplier.submit("l", &json!({ "reference": "bare" })).await.json()["number"],
        "A-1002"
    );
}

#[tokio::test]
async fn references_match_as_text_and_nothing_else() {
    let supplier = Supplier::start().await;
    for reference in ["PO-1", "PO-10", "po-1", "0042", "42", "1e5", "PO-1 "] {
        supplier.submit(reference, &order(reference)).await;
    }
    for (asked, found) in [
        ("PO-1", 1),
        ("PO-10", 1),
        ("po-1", 1),
        ("PO-", 0),
        ("0042", 1),
        ("100000", 0),
        ("", 0),
        ("PO%2D1", 1),
        ("PO-%25", 0),
    ] {
        let records = supplier.get(&format!("/orders?reference={asked}")).await.json();
        assert_eq!(records.as_array().unwrap().len(), found, "{asked}");
    }
    assert_eq!(
        supplier.get("/orders?refrence=PO-1").await.status(),
        Some(400),
        "a misspelt question is not a list of all"
    );
}

#[tokio::test]
async fn unreadable_orders_are_refused_and_not_stored() {
    let supplier = Supplier::start().await;
    for (body, pointer) in [
        ("", ""),
        ("{", ""),
        ("[]", ""),
        ("{}", "/reference"),
        (r#"{"reference":7}"#, "/reference"),
        (r#"{"reference":""}"#, "/reference"),
        (r#"{"reference":null}"#, "/reference"),
    ] {
        let seen = see(supplier
            .http
            .post(supplier.url("/orders"))
            .header("Idempotency-Key", "k")
            .body(body))
        .await;
        assert_eq!(seen.status(), Some(400), "{body}");
        assert_eq!(seen.json()["errors"][0]["pointer"], pointer, "{body}");
    }
    let long = json!({ "reference": "long", "note": "x".repeat(1024 * 1024) });
    let seen = supplier.submit("k", &long).await;
    assert!(
        matches!(seen.status(), Some(413) | None),
        "a client still writing may see the close only: {seen:?}"
    );
    assert_eq!(supplier.get("/orders").await.json(), json!([]));
    assert_eq!(
        supplier.submit("k", &order("k")).await.status(),
        Some(201),
        "the key is not used up"
    );
}

#[tokio::test]
async fn the_clerk_confirms_refuses_cancels_and_changes_quantities() {
    let supplier = Supplier::start().await;
    supplier.faults(json!([{ "on": "submit", "do": "accept_202" }])).await;
    supplier.submit("k", &order("k")).await;
    for status in ["confirmed", "in_progress", "refused", "cancelled"] {
        let seen = supplier.put("/orders/A-1001", json!({ "status": status })).await;
        assert_eq!((seen.status(), &seen.json()["status"]), (Some(200), &json!(status)));
        assert_eq!(supplier.get("/orders/A-1001").await.json()["status"], status);
    }
    supplier
        .put("/orders/A-1001", json!({ "line": 1, "quantity": "7" }))
        .await;
    assert_eq!(supplier.get("/orders/A-1001").await.json()["lines"][1]["quantity"], "7");
    supplier
        .put("/orders/A-1001", json!({ "quantity": "3", "status": "confirmed" }))
        .await;
    let changed = supplier.get("/orders/A-1001").await.json();
    assert_eq!(
        (&changed["lines"][0]["quantity"], &changed["status"]),
        (&json!("3"), &json!("confirmed"))
    );
    supplier
        .put("/orders/A-1001", json!({ "lines": [{ "sku": "X" }] }))
        .await;
    assert_eq!(
        supplier.get("/orders/A-1001").await.json()["lines"],
        json!([{ "sku": "X" }])
    );

    for (document, pointer) in [
        (json!({ "status": "maybe" }), "/status"),
        (json!({ "status": "refused", "colour": "red" }), "/colour"),
        (json!({ "status": "refused", "line": 9, "quantity": "1" }), "/line"),
        (json!({ "line": 0 }), "/quantity"),
        (json!({}), ""),
    ] {
        let seen = supplier.put("/orders/A-1001", document.clone()).await;
        assert_eq!(
            (seen.status(), &seen.json()["errors"][0]["pointer"]),
            (Some(400), &json!(pointer)),
            "{document}"
        );
    }
    assert_eq!(
        supplier.get("/orders/A-1001").await.json()["status"],
        "confirmed",
        "a refused change changes nothing"
    );
    assert_eq!(
        supplier
            .put("/orders/A-1999", json!({ "status": "refused" }))
            .await
            .status(),
        Some(404)
    );
    assert_eq!(supplier.count("k").await, 1);
}

// The contract.

#[tokio::test]
async fn the_contract_begins_as_the_doors_say_and_changes_switch_by_switch() {
    let supplier = Supplier::start().await;
    let fresh = json!({
        "key_honoured": true, "retention_seconds": 86400, "replays_saved_errors": true, "checks_body": true,
        "key_scope": "account", "duplicate_reference": "second", "in_flight": "409", "processing_seconds": 0,
        "lookup": true, "visibility_lag_seconds": 0, "accounts": false,
    });
    assert_eq!(supplier.get("/contract").await.json(), fresh);
    assert_eq!(supplier.put("/contract", fresh.clone()).await.json(), fresh);
    let changed = supplier
        .put("/contract", json!({ "in_flight": "wait", "processing_seconds": 0.25 }))
        .await
        .json();
    let mut expected = fresh;
    expected["in_flight"] = json!("wait");
    expected["processing_seconds"] = json!(0.25);
    assert_eq!(changed, expected);
    for (change, pointer) in [
        (json!({ "lookup": false, "colour": true }), "/colour"),
        (json!({ "lookup": "no" }), "/lookup"),
        (
            json!({ "lookup": false, "retention_seconds": -1 }),
            "/retention_seconds",
        ),
        (json!({ "key_scope": "planet" }), "/key_scope"),
        (json!({ "in_flight": "410" }), "/in_flight"),
        (json!({ "duplicate_reference": null }), "/duplicate_reference"),
        (json!("x"), ""),
    ] {
        let seen = supplier.put("/contract", change.clone()).await;
        assert_eq!(
            (seen.status(), &seen.json()["errors"][0]["pointer"]),
            (Some(400), &json!(pointer)),
            "{change}"
        );
    }
    assert_eq!(supplier.get("/contract").await.json(), expected);
}

#[tokio::test]
async fn a_repeated_key_gets_the_same_bytes_and_another_body_is_refused() {
    let supplier = Supplier::start().await;
    let first = supplier.submit("k", &order("k")).await;
    supplier.put("/orders/A-1001", json!({ "status": "cancelled" })).await;
    let repeat = supplier.submit("k", &order("k")).await;
    assert_eq!(
        (first.status(), first.text(), first.replayed()),
        (Some(201), repeat.text(), false)
    );
    assert_eq!((repeat.status(), repeat.replayed()), (Some(201), true));

    let other = supplier.submit("k", &order("other")).await;
    assert_eq!(
        (other.status(), other.json()),
        (Some(409), json!({ "code": "key_reused" }))
    );
    supplier.contract(json!({ "checks_body": false })).await;
    let silent = supplier.submit("k", &order("other")).await;
    assert_eq!((silent.text(), silent.replayed()), (first.text(), true));
    assert_eq!((supplier.count("k").await, supplier.count("other").await), (1, 0));
}

#[tokio::test]
async fn a_key_not_honoured_makes_a_second_order() {
    let supplier = Supplier::start().await;
    supplier.contract(json!({ "key_honoured": false })).await;
    for number in ["A-1001", "A-1002"] {
        assert_eq!(supplier.submit("k", &order("k")).await.json()["number"], number);
    }
    assert_eq!(supplier.count("k").await, 2);
}

#[tokio::test]
async fn past_its_retention_a_key_creates_anew_counted_from_its_first_use() {
    let supplier = Supplier::start().await;
    supplier.contract(json!({ "retention_seconds": 2 })).await;
    supplier.submit("k", &order("k")).await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert!(supplier.submit("k", &order("k")).await.replayed());
    tokio::time::sleep(Duration::from_millis(1400)).await;
    let anew = supplier.submit("k", &order("k")).await;
    assert_eq!(
        (anew.replayed(), &anew.json()["number"]),
        (false, &json!("A-1002")),
        "the repeat did not renew the key"
    );
    assert!(
        supplier.submit("k", &order("k")).await.replayed(),
        "and the new record has its own retention"
    );
    assert_eq!(supplier.count("k").await, 2);
}

#[tokio::test]
async fn a_key_can_expire_while_its_repeat_sleeps() {
    let supplier = Supplier::start().await;
    supplier.contract(json!({ "retention_seconds": 0.5 })).await;
    supplier.submit("k", &order("k")).await;
    supplier
        .faults(json!([{ "on": "submit", "do": "sleep_then_store", "seconds": 0.7 }]))
        .await;
    assert_eq!(supplier.submit("k", &order("k")).await.json()["number"], "A-1002");
}

#[tokio::test]
async fn a_duplicate_reference_makes_a_second_is_refused_or_gets_the_existing_record() {
    let supplier = Supplier::start().await;
    supplier.submit("k1", &order("k")).await;
    supplier.contract(json!({ "duplicate_reference": "refused" })).await;
    let refused = supplier.submit("k2", &order("k")).await;
    assert_eq!(
        (refused.status(), refused.json()),
        (Some(409), json!({ "code": "reference_exists" }))
    );
    supplier.contract(json!({ "duplicate_reference": "existing" })).await;
    let existing = supplier.submit("k3", &order("k")).await;
    assert_eq!(
        (existing.status(), &existing.json()["number"]),
        (Some(200), &json!("A-1001"))
    );
    assert_eq!(supplier.count("k").await, 1);
    supplier.contract(json!({ "duplicate_reference": "second" })).await;
    assert_eq!(supplier.submit("k4", &order("k")).await.json()["number"], "A-1002");
    assert_eq!(supplier.count("k").await, 2);
}

#[tokio::test]
async fn saved_errors_follow_the_three_contracts() {
    let supplier = Supplier::start().await;
    for (fault, records) in [("store_then_500", 1), ("500_without_store", 0)] {
        supplier.faults(json!([{ "on": "submit", "do": fault }])).await;
        let first = supplier.submit(fault, &order(fault)).await;
        for _ in 0..2 {
            let repeat = supplier.submit(fault, &order(fault)).await;
            let saved = (Some(500), first.text(), true);
            assert_eq!((repeat.status(), repeat.text(), repeat.replayed()), saved, "{fault}");
        }
        assert_eq!(supplier.count(fault).await, records, "{fault}");
    }
    supplier.contract(json!({ "replays_saved_errors": false })).await;
    for fault in ["store_then_500", "500_without_store"] {
        let reference = format!("again-{fault}");
        supplier.faults(json!([{ "on": "submit", "do": fault }])).await;
        assert_eq!(
            supplier.submit(&reference, &order(&reference)).await.status(),
            Some(500)
        );
        let repeat = supplier.submit(&reference, &order(&reference)).await;
        assert_eq!(
            (repeat.status(), repeat.replayed()),
            (Some(201), false),
            "{fault} runs again"
        );
        assert!(
            supplier.submit(&reference, &order(&reference)).await.replayed(),
            "{fault} is answered now"
        );
        assert_eq!(
            supplier.count(&reference).await,
            1,
            "{fault}: one order per honoured key"
        );
    }
    let reference = "500_without_store";
    let unsaid = supplier.submit(reference, &order(reference)).await;
    assert_eq!(
        (unsaid.status(), unsaid.replayed()),
        (Some(201), false),
        "a saved error is not replayed any more"
    );
}

#[tokio::test]
async fn a_key_in_use_is_a_409_or_a_wait() {
    let supplier = Supplier::start().await;
    supplier
        .faults(json!([{ "on": "submit", "do": "store_then_sleep", "seconds": 1.2 }]))
        .await;
    let body = order("k");
    let (slow, early) = tokio::join!(supplier.submit("k", &body), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        supplier.submit("k", &body).await
    });
    assert_eq!(slow.status(), Some(201));
    assert_eq!(
        (early.status(), early.json()),
        (Some(409), json!({ "code": "in_flight" }))
    );

    supplier.contract(json!({ "in_flight": "wait" })).await;
    supplier
        .faults(json!([{ "on": "submit", "do": "sleep_then_store", "seconds": 1.2 }]))
        .await;
    let body = order("l");
    let (slow, early) = tokio::join!(supplier.submit("l", &body), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        supplier.submit("l", &body).await
    });
    assert_eq!(
        (slow.status(), early.status(), early.replayed()),
        (Some(201), Some(201), true)
    );
    assert_eq!(slow.text(), early.text());
    assert_eq!((supplier.count("k").await, supplier.count("l").await), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_with_one_key_make_one_order() {
    let supplier = Supplier::start().await;
    for (reference, in_flight) in [("k409", "409"), ("kwait", "wait")] {
        supplier
            .contract(json!({ "in_flight": in_flight, "processing_seconds": 0.05 }))
            .await;
        let mut posts = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let post = supplier
                .http
                .post(supplier.url("/orders"))
                .header("Idempotency-Key", reference);
            posts.spawn(see(post.json(&order(reference))));
        }
        let seen = posts.join_all().await;
        assert_eq!(supplier.count(reference).await, 1);
        let created = seen
            .iter()
            .filter(|seen| seen.status() == Some(201) && !seen.replayed())
            .count();
        assert_eq!(created, 1);
        let allowed = if in_flight == "409" {
            vec![Some(201), Some(409)]
        } else {
            vec![Some(201)]
        };
        assert!(seen.iter().all(|seen| allowed.contains(&seen.status())), "{seen:?}");
    }
    assert_eq!(supplier.requests().await.len(), 100);
}

#[tokio::test]
async fn keys_end_at_the_account_or_at_the_credential() {
    let supplier = Supplier::start().await;
    let number =
        async |credential: &str| supplier.submit_as(credential, "k", &order("k")).await.json()["number"].clone();
    assert_eq!(number("desk.one").await, "A-1001");
    assert_eq!(
        number("desk.two").await,
        "A-1001",
        "a rotated secret is the same account"
    );
    assert_eq!(number("other.one").await, "A-1002");
    supplier.contract(json!({ "key_scope": "credential" })).await;
    assert_eq!(number("desk.one").await, "A-1003", "another scope, another key");
    assert_eq!(number("desk.two").await, "A-1004", "a rotated secret is a stranger");
    assert_eq!(number("desk.two").await, "A-1004");
}

#[tokio::test]
async fn accounts_are_asked_for_and_see_their_own_orders() {
    let supplier = Supplier::start().await;
    supplier.contract(json!({ "accounts": true })).await;
    assert_eq!(supplier.submit("k", &order("k")).await.status(), Some(401));
    for bad in ["desk", ".secret", "desk.", ""] {
        assert_eq!(
            supplier.submit_as(bad, "k", &order("k")).await.status(),
            Some(401),
            "{bad}"
        );
    }
    assert_eq!(supplier.get("/orders?reference=k").await.status(), Some(401));
    assert_eq!(supplier.submit_as("desk.s", "k", &order("k")).await.status(), Some(201));
    assert_eq!(
        supplier
            .get_as("desk.t", "/orders?reference=k")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        supplier.get_as("other.s", "/orders?reference=k").await.json(),
        json!([])
    );
    assert_eq!(supplier.get_as("desk.s", "/orders/A-1001").await.status(), Some(200));
    let hidden = supplier.get_as("other.s", "/orders/A-1001").await;
    assert_eq!(
        (hidden.status(), hidden.json()),
        (Some(404), json!({ "code": "not_found" }))
    );
    supplier.contract(json!({ "duplicate_reference": "refused" })).await;
    assert_eq!(
        supplier.submit_as("other.s", "k", &order("k")).await.status(),
        Some(201),
        "a reference is an account's own"
    );
    assert_eq!(supplier.count("k").await, 2, "the count knows no accounts");
}

#[tokio::test]
async fn look_up_can_be_switched_off() {
    let supplier = Supplier::start().await;
    supplier.submit("k", &order("k")).await;
    supplier.contract(json!({ "lookup": false })).await;
    for path in ["/orders?reference=k", "/orders/A-1001"] {
        let seen = supplier.get(path).await;
        assert_eq!(
            (seen.status(), seen.json()),
            (Some(404), json!({ "code": "no_lookup" })),
            "{path}"
        );
    }
    assert_eq!(supplier.count("k").await, 1);
}

#[tokio::test]
async fn a_record_is_not_visible_before_its_lag_and_counted_at_once() {
    let supplier = Supplier::start().await;
    supplier.contract(json!({ "visibility_lag_seconds": 1.5 })).await;
    assert_eq!(supplier.submit("k", &order("k")).await.status(), Some(201));
    assert_eq!(supplier.get("/orders?reference=k").await.json(), json!([]));
    assert_eq!(supplier.get("/orders/A-1001").await.status(), Some(404));
    assert_eq!(supplier.count("k").await, 1);
    tokio::time::sleep(Duration::from_millis(1700)).await;
    assert_eq!(supplier.get("/orders?reference=k").await.json()[0]["number"], "A-1001");
    assert_eq!(supplier.get("/orders/A-1001").await.status(), Some(200));
}

// Restart.

#[tokio::test]
async fn a_restart_forgets_nothing() {
    let supplier = Supplier::start().await;
    let first = supplier.submit("k", &order("k")).await;
    supplier
        .contract(json!({ "visibility_lag_seconds": 0.001, "in_flight": "wait" }))
        .await;
    supplier
        .faults(json!([{ "on": "submit", "do": "429", "retry_after": "7" }, { "on": "look_up", "do": "none" }]))
        .await;
    let (contract, faults) = (supplier.get("/contract").await, supplier.get("/faults").await);
    let requests = supplier.requests().await;

    let supplier = supplier.restart().await;
    assert_eq!(supplier.get("/contract").await.json(), contract.json());
    assert_eq!(supplier.get("/faults").await.json(), faults.json());
    assert_eq!(supplier.requests().await, requests);
    assert_eq!(
        supplier.get("/orders?reference=k").await.json(),
        json!([]),
        "the fault waited"
    );
    assert_eq!(supplier.get("/orders?reference=k").await.json(), json!([first.json()]));
    assert_eq!(supplier.submit("k", &order("k")).await.headers("retry-after"), ["7"]);
    let repeat = supplier.submit("k", &order("k")).await;
    assert_eq!((repeat.text(), repeat.replayed()), (first.text(), true));
    assert_eq!(supplier.submit("l", &order("l")).await.json()["number"], "A-1002");
}

#[tokio::test]
async fn a_stopped_supplier_loses_what_it_had_not_stored_and_locks_no_key() {
    let supplier = Supplier::start().await;
    supplier.faults(json!([{ "on": "submit", "do": "sleep_then_store", "seconds": 60 }, { "on": "submit", "do": "store_then_sleep", "seconds": 60 }])).await;
    let hasty = |key: &str| {
        let request = supplier
            .http
            .post(supplier.url("/orders"))
            .header("Idempotency-Key", key)
            .json(&order(key));
        request.timeout(Duration::from_millis(700)).send()
    };
    hasty("asleep").await.unwrap_err();
    hasty("stored").await.unwrap_err();
    let stopping = Instant::now();
    let supplier = supplier.restart().await;
    assert!(
        stopping.elapsed() < Duration::from_secs(6),
        "sleepers get their grace, not their minute"
    );
    assert_eq!((supplier.count("asleep").await, supplier.count("stored").await), (0, 1));
    assert_eq!(supplier.requests().await[0]["status"], Value::Null);
    let asleep = supplier.submit("asleep", &order("asleep")).await;
    assert_eq!((asleep.status(), asleep.replayed()), (Some(201), false));
    let stored = supplier.submit("stored", &order("stored")).await;
    assert_eq!((stored.status(), stored.replayed()), (Some(201), true));
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_is_said_by_name() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refused = practice::serve(listener, "sqlite:/nowhere/at/all/practice.db", std::future::pending()).await;
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("/nowhere/at/all/practice.db"), "{told}");
}
