//! The wire, with resumes and look-ups: whatever a supplier does to a connection, each request at the supplier is one
//! attempt, and what nobody knows comes home by a way that asks (cases W1 to W4 and W8 to W10).

mod support;

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::home::{assert_owned, blind, fault, moment, until};
use support::{BUYER, House, RESOLVER, two_lines};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Case W2: closed without a byte, twenty times in a row.
#[tokio::test]
async fn twenty_lost_answers_in_a_row_are_as_many_requests_as_attempts_and_one_record() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house.faults(vec![fault("store_then_close"); 20].into()).await;
    let order = house.buy(&buyer, "twenty").await;
    let mut order = house.wait_for_state(&order, "confirmation_pending").await;
    let case = order["case"]["id"].clone();
    for tried in 1..20 {
        house.assert_counts(&order, tried, 1, "so far").await;
        resolver.does("resume", &order, &[]).await;
        order = house
            .see(&order, "lost again", |order| {
                let attempts = order["attempts"].as_array().expect("attempts");
                attempts.len() == tried + 1 && order["state"] == "confirmation_pending"
            })
            .await;
        assert_eq!(order["case"]["id"], case, "the same case");
    }
    resolver.does("resume", &order, &[]).await;
    let order = house.see_state(&order, "confirmed").await;
    house.assert_counts(&order, 21, 1, "at last").await;
    let steps = house.steps(&order).await;
    assert!(steps.iter().all(|step| *step == steps[0]), "the same bytes each time");
}

/// A supplier of our own on a bare socket: what it does with a connection, and how many there were.
struct Stub {
    base: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

/// What a stub does with a connection.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// Closes it without reading.
    Hang,
    /// Closes it hard (RST) without reading.
    Reset,
    /// Reads the whole request and closes.
    ReadAndClose,
    /// Answers, keeps the connection open, and closes it a little later, as keep-alive does.
    KeepAWhile,
    /// Announces more than it sends.
    Short,
    /// Answers in the wrong protocol.
    Gibberish,
    /// Confirms under a number that no database can keep.
    Nul,
}

impl Stub {
    async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let stub = Self {
            base,
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (connections, requests) = (stub.connections.clone(), stub.requests.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, manner, requests.clone()));
            }
        });
        stub
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, manner: Manner, requests: Arc<AtomicUsize>) {
    match manner {
        Manner::Hang => return,
        Manner::Reset => {
            #[expect(deprecated, reason = "zero does not block")]
            let _ = stream.set_linger(Some(Duration::ZERO));
            return;
        }
        Manner::ReadAndClose | Manner::KeepAWhile | Manner::Short | Manner::Gibberish | Manner::Nul => {}
    }
    while let Some(body) = read_request(&mut stream).await {
        let number = requests.fetch_add(1, Ordering::SeqCst);
        let mut order: Value = serde_json::from_slice(&body).unwrap_or_else(|_| json!({}));
        order["number"] = match manner {
            Manner::Nul => json!(format!("S\0{number}")),
            _ => json!(format!("S-{number}")),
        };
        order["status"] = json!("confirmed");
        let text = order.to_string();
        let head = |length: usize| {
            format!("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
        };
        let said = match manner {
            Manner::KeepAWhile | Manner::Nul => format!("{}{text}", head(text.len())),
            Manner::Short => format!("{}{text}", head(text.len() + 100)),
            Manner::Gibberish => "220 mail.example ESMTP ready\r\n".to_owned(),
            Manner::Hang | Manner::Reset | Manner::ReadAndClose => return,
        };
        if stream.write_all(said.as_bytes()).await.is_err() || !matches!(manner, Manner::KeepAWhile) {
            return;
        }
        // about as long as the next request takes to come
        let idle = tokio::time::timeout(Duration::from_millis(30), stream.readable());
        if idle.await.is_err() {
            return;
        }
    }
}

/// The body of the next request; nothing when there is none.
async fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}

/// A number with U+0000 is none: PostgreSQL could not keep it, and what cannot be kept must not be lost with all the rest
/// of the answer.
#[tokio::test]
async fn a_number_that_cannot_be_kept_is_no_confirmation_and_the_answer_is_kept() {
    let house = House::start().await;
    let stub = Stub::start(Manner::Nul).await;
    house.add_supplier(|file| file.replace(&house.supplier_base, &stub.base));
    let order = house.buy(&house.sign_in(BUYER).await, "nul").await;
    let order = house.wait_for_state(&order, "confirmation_pending").await;
    let attempt = &order["attempts"][0];
    assert_eq!(
        (&attempt["reply"], &attempt["http_status"]),
        (&json!("unknown"), &json!(201))
    );
    assert_eq!(order["supplier_reference"], Value::Null);
    assert_owned(&order, "pending");
    assert_eq!(stub.requests(), 1);
}

/// Case W1: fifty orders over connections that go idle around the supplier's keep-alive.
#[tokio::test]
async fn fifty_orders_around_a_suppliers_keep_alive_are_fifty_requests() {
    let house = House::start().await;
    let stub = Stub::start(Manner::KeepAWhile).await;
    house.add_supplier(|file| file.replace(&house.supplier_base, &stub.base));
    let buyer = house.sign_in(BUYER).await;
    let mut orders = Vec::new();
    for number in 0..50 {
        orders.push(house.buy(&buyer, &format!("idle-{number}")).await);
    }
    for order in &orders {
        let order = house.wait_for_state(order, "confirmed").await;
        assert_eq!(order["attempts"].as_array().map(Vec::len), Some(1), "{order:#}");
    }
    assert_eq!(stub.requests(), 50, "requests at the supplier");
    assert_eq!(house.stored().await.attempts, 50);
}

/// Cases W1 to W3 on a bare socket: each is one connection, one attempt, and doubt.
#[tokio::test]
async fn a_connection_that_breaks_in_any_manner_is_one_attempt_in_doubt_and_no_second_connection() {
    for manner in [
        Manner::Hang,
        Manner::Reset,
        Manner::ReadAndClose,
        Manner::Short,
        Manner::Gibberish,
    ] {
        let house = House::start().await;
        let stub = Stub::start(manner).await;
        house.add_supplier(|file| file.replace(&house.supplier_base, &stub.base));
        let buyer = house.sign_in(BUYER).await;
        for number in 0..5 {
            let order = house.buy(&buyer, &format!("broken-{number}")).await;
            let order = house
                .wait_for(&order, "ended", |order| !order["attempts"][0]["ended_at"].is_null())
                .await;
            let reply = order["attempts"][0]["reply"].as_str();
            // closed so early that not a byte was handed to the network: then it was not sent, and is not yet due again
            let may_be_unsent = matches!(manner, Manner::Hang | Manner::Reset);
            if may_be_unsent && reply == Some("not_sent") {
                assert_eq!(order["state"], "approved", "{manner:?}: {order:#}");
                continue;
            }
            assert_eq!(reply, Some("unknown"), "{manner:?}");
            assert_eq!(order["state"], "confirmation_pending", "{manner:?}: {order:#}");
            assert_owned(&order, "pending");
        }
        assert_eq!(stub.connections(), 5, "{manner:?}");
        assert_eq!(house.stored().await.attempts, 5, "{manner:?}");
    }
}

/// Case W8: no redirect is followed, on a submit or a look-up, and nothing of ours goes to another host.
#[tokio::test]
async fn redirects_are_followed_nowhere_and_take_no_key_or_secret_to_another_host() {
    let plan = House::plan().supplier_file(|file| {
        file.replace("# secret = \"env:PRACTICE_SECRET\"", "secret = \"file:secret.txt\"")
            .replace("account = \"\"", "account = \"us\"")
    });
    let house = plan.file("secret.txt", "us.hush").start().await;
    let other = Stub::start(Manner::KeepAWhile).await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    for status in ["301", "302", "307", "308"] {
        let there = format!("{}/orders", other.base);
        let on = |kind: &str| json!({ "on": kind, "do": format!("redirect_{status}"), "location": there });
        house.faults(json!([on("submit"), on("submit"), on("look_up")])).await;
        let order = house.buy(&buyer, &format!("moved-{status}")).await;
        let order = house.wait_for_state(&order, "confirmation_pending").await;
        let detail = order["attempts"][0]["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(&there), "the target is named: {detail}");
        assert!(!order.to_string().contains("hush"), "no secret in the ledger");
        buyer.does("look_up", &order, &[]).await;
        let order = house
            .see(&order, "looked up", |order| {
                order["look_ups"].as_array().map(Vec::len) == Some(1)
            })
            .await;
        assert_eq!(order["look_ups"][0]["answer"], "could_not_check");
        resolver.does("resume", &order, &[]).await;
        let order = house
            .see(&order, "moved again", |order| {
                order["attempts"].as_array().map(Vec::len) == Some(2) && order["state"] == "confirmation_pending"
            })
            .await;
        house.assert_counts(&order, 2, 1, status).await;
        buyer.does("look_up", &order, &[]).await;
        let order = house.see_state(&order, "confirmed").await;
        house.assert_counts(&order, 2, 1, status).await;
    }
    assert_eq!(other.connections(), 0, "nobody went there");
}

/// Case W9: what a supplier asks us to wait, in every spelling, clamped to a day; what cannot be read is our own back-off.
#[tokio::test]
async fn retry_after_is_clamped_and_what_cannot_be_read_is_our_own_back_off() {
    let house = House::plan()
        .setting("again_first", "30s")
        .setting("again_most", "30s")
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    let cases = [
        (json!("120"), 120),
        (json!("86400"), 86_400),
        (json!("99999999999"), 86_400),
        (json!("99999999999999999999999"), 86_400),
        (json!("Thu, 31 Dec 2099 23:59:59 GMT"), 86_400),
        (json!("Sun, 06 Nov 1994 08:49:37 GMT"), 30),
        (json!("0"), 30),
        (json!("-5"), 30),
        (json!("soon"), 30),
        (json!(""), 30),
        (json!("1.5"), 30),
        (json!(["60", "120"]), 30),
    ];
    for (number, (text, seconds)) in cases.into_iter().enumerate() {
        house
            .faults(json!([{ "on": "submit", "do": "429", "retry_after": text }]))
            .await;
        let order = house.buy(&buyer, &format!("wait-{number}")).await;
        let order = house
            .wait_for(&order, "turned away", |order| {
                order["attempts"][0]["reply"] == "not_sent" && order["state"] == "approved"
            })
            .await;
        let pool = house.database().await;
        let due: i64 = sqlx::query_scalar("SELECT due_at FROM orders WHERE id = $1")
            .bind(order["id"].as_str())
            .fetch_one(&pool)
            .await
            .expect("when it is due");
        pool.close().await;
        let ended = moment(&order["attempts"][0]["ended_at"]).timestamp_micros();
        let waits = (due - ended) as f64 / 1e6;
        assert!(
            (waits - f64::from(seconds)).abs() < 2.0,
            "{text}: {waits} s, not {seconds}"
        );
        house.assert_counts(&order, 1, 0, &text.to_string()).await;
    }
}

/// Case W10: look-ups that hang, drip or explode keep nothing from being sent, and nothing else from being asked.
#[tokio::test]
async fn look_ups_that_do_not_end_keep_no_order_from_being_sent_and_no_person_from_asking() {
    let house = House::plan()
        .setting("parallel", "8")
        .setting("look_up_first", "200ms")
        .setting("look_up_most", "200ms")
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    let hang = [
        "store_then_silence",
        "drip",
        "store_then_gzip_bomb",
        "huge",
        "store_then_sleep",
    ];
    let hangs = (0..40).map(|number| blind(hang[number % hang.len()]));
    house
        .faults(vec![fault("store_then_close"); 6].into_iter().chain(hangs).collect())
        .await;
    let mut lost = Vec::new();
    for number in 0..6 {
        lost.push(house.buy(&buyer, &format!("hang-{number}")).await);
    }
    let first = house.wait_for_state(&lost[0], "confirmation_pending").await;
    until("asked", || async {
        (!house.asked_about(&first).await.is_empty()).then_some(())
    })
    .await;

    let since = std::time::Instant::now();
    for number in 0..3 {
        let suggested = house.suggest(&format!("flows-{number}"), &two_lines("FLOW")).await;
        let more: &[(&str, &str)] = if number > 0 { &[("second_purchase", "yes")] } else { &[] };
        let order = buyer.approve_with(&suggested, more).await;
        house.wait_for_state(&order, "confirmed").await;
    }
    assert!(since.elapsed() < Duration::from_secs(12), "{:?}", since.elapsed());

    house.faults(json!([])).await;
    for order in &lost {
        let order = house.wait_for_state(order, "confirmed").await;
        house.assert_counts(&order, 1, 1, "hung").await;
    }
}
