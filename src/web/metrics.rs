//! `/metrics`, in Prometheus' text format, and what every request leaves behind: its duration, and a span around what is
//! logged inside.
//!
//! Promises: labels are words of ours and route templates; no id, name, address or query string is in any. What is open
//! comes from the database at the moment of asking, what was done from this process. Must not: need a token (doors.md).

use crate::desk::Desk;
use crate::desk::figures::Figures;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::{EncodeLabelSet, prometheus_text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::time::Instant;
use tracing::Instrument;

/// Bounds in seconds: a page takes milliseconds, and nothing here waits for a supplier.
const BOUNDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InState {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByReply {
    reply: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByAnswer {
    answer: &'static str,
}

/// How long requests took since this process started.
#[derive(Debug, Clone)]
pub(super) struct Meter(Family<Answered, Histogram, fn() -> Histogram>);

impl Meter {
    pub(super) fn new() -> Self {
        Self(Family::new_with_constructor(|| Histogram::new(BOUNDS)))
    }
}

/// Measures a request, and names it in everything that is logged inside.
pub(super) async fn watch(State(meter): State<Meter>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    // the template, never the address: that has ids, and a query string may have anything
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let method = method_word(request.method());
    // of the gravest level, so that it is there whatever RUST_LOG leaves of what is logged inside
    let span = tracing::error_span!("request", method, route);
    let since = Instant::now();
    let response = next.run(request).instrument(span.clone()).await;
    let took = since.elapsed();
    let status = response.status();
    tracing::debug!(parent: &span, status = status.as_u16(), milliseconds = took.as_millis(), "answered");
    let answered = Answered {
        method,
        route,
        status: class(status),
    };
    meter.0.get_or_create(&answered).observe(took.as_secs_f64());
    response
}

/// A method as a label: anybody may send any word.
fn method_word(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    let word = known.into_iter().find(|word| *word == method.as_str());
    word.unwrap_or("other")
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() {
        100..=199 => "1xx",
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        500.. | 0..=99 => "5xx",
    }
}

/// Everything that is measured, as text. A database that does not answer is a number too.
pub(super) async fn metrics(State(desk): State<Desk>, State(meter): State<Meter>) -> Response {
    let mut registry = Registry::with_prefix("countersign");
    let figures = desk.figures().await;
    if let Err(error) = &figures {
        tracing::warn!("nothing can be counted: {error}");
    }
    let answers = ConstGauge::new(i64::from(figures.is_ok()));
    registry.register(
        "database_up",
        "1 when the database answered this very question",
        answers,
    );
    if let Ok(figures) = &figures {
        register_figures(&mut registry, figures);
    }
    register_tally(&mut registry, &desk);
    registry.register(
        "http_request_duration_seconds",
        "Time to answer a request, by route template",
        meter.0.clone(),
    );
    let mut text = String::new();
    match prometheus_text::encode(&mut text, &registry) {
        Ok(()) => (
            [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
            text,
        )
            .into_response(),
        Err(error) => {
            tracing::error!("the metrics could not be written: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn register_figures(registry: &mut Registry, figures: &Figures) {
    let open = Family::<InState, Gauge>::default();
    for (state, number) in &figures.open {
        let state = state.word();
        open.get_or_create(&InState { state }).set(whole(*number));
    }
    registry.register("orders_open", "Orders that are not final, by state", open);
    let mut number = |name: &str, help: &str, number: i64| {
        registry.register(name, help, ConstGauge::new(number));
    };
    number(
        "orders_due",
        "Orders whose time to be sent has come",
        whole(figures.due),
    );
    number(
        "oldest_doubt_seconds",
        "Age of the oldest open case about an order in doubt; 0 without one",
        figures.oldest_doubt.num_seconds(),
    );
    number("cases_open", "Open cases", whole(figures.cases));
    number(
        "cases_overdue",
        "Open cases past their deadline",
        whole(figures.overdue),
    );
    number(
        "cases_unowned",
        "Open cases whose owner is disabled or absent; 0 is expected",
        whole(figures.unowned),
    );
    number(
        "workers",
        "Processes that submit and look up, and said so within a minute",
        whole(figures.workers),
    );
    number(
        "mails_in_vain",
        "Messages given up within a day that somebody should have got",
        whole(figures.mails_in_vain),
    );
    number(
        "tenants_paused",
        "Tenants that are paused after a restore",
        whole(figures.paused),
    );
}

fn register_tally(registry: &mut Registry, desk: &Desk) {
    let attempts = Family::<ByReply, Counter>::default();
    for (reply, number) in desk.tally().attempts() {
        let reply = reply.word();
        attempts.get_or_create(&ByReply { reply }).inc_by(number);
    }
    registry.register("attempts", "Attempts whose reply this process stored", attempts);
    let look_ups = Family::<ByAnswer, Counter>::default();
    for (answer, number) in desk.tally().look_ups() {
        let answer = answer.word();
        look_ups.get_or_create(&ByAnswer { answer }).inc_by(number);
    }
    registry.register("look_ups", "Look-ups whose answer this process stored", look_ups);
}

/// A count as a gauge takes it.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
