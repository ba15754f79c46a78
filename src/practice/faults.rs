//! What can be made to go wrong, by the names of `doors.md`, and the damage done to answers.
//!
//! Promises that a queue is taken over whole or refused with every bad field named. A [`Deed`] is sorted by *when* it
//! acts, which is what [`super::orders`] asks; what it does to an answer is done here, in [`Fault::damage`]. Nothing here
//! stores or looks up anything.
//!
//! On a submit everything named `store_…`, `redirect_…`, `drip` and `huge` acts after the order was treated as usual
//! (stored, or replayed for its key). A look-up stores nothing, so there the same names damage its answer, `accept_202`
//! shows the records as in progress and `store_with_differences` shows them changed. `404`, `none` and `twice` exist for
//! look-ups only; `twice` shows each record a second time, 40 minutes later and under the number `A-…-2`: a fault of the
//! answer, `GET /count` does not see it.
//!
//! Fields beside `on` and `do`: `seconds` (sleeps: 12 unless said; `drip`: between two bytes, 5 unless said), `what`
//! (`store_with_differences`), `retry_after` (`429`, `503`, `409_in_flight`: any text, a number, or a list for several
//! headers), `location` (redirects: `/login` unless said). Where a field means nothing it is ignored.
//!
//! Beyond `doors.md`, for field cases W3 and W10: `store_then_204`, `store_then_location` (201 with nothing but a
//! `Location`), `store_then_gzip_plain` (says gzip, is not), `store_then_gzip_bomb` (10 MB that unpack to 10 GB),
//! `store_then_silence` (the head of the answer, then nothing).

use axum::http::{HeaderValue, StatusCode, header};
use chrono::{Days, NaiveDate};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::contract::{Seconds, set};
use super::wire::{Answer, Ending, FieldError};

/// Which requests a fault waits for; each kind has its own queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// `POST /orders`.
    Submit,
    /// `GET /orders?…` and `GET /orders/{number}`.
    LookUp,
}

impl Kind {
    /// The name on the wire and in the database.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Submit => "submit",
            Self::LookUp => "look_up",
        }
    }
}

/// What a fault does, sorted by when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Nothing is done and the connection closes.
    BreakOff(BreakOff),
    /// The door answers: the key is not looked at, nothing is stored or saved.
    TurnAway(u16, &'static str),
    /// The run answers, without an order: saved for a key that has no answer yet.
    Refuse(u16, &'static str),
    /// Everything waits before the key is looked at.
    SleepFirst,
    /// Another order is recorded than was sent.
    Record(Variation),
    /// Everything is done, then the answer suffers.
    Damage(Damage),
    /// A look-up shows something else than is there.
    Show(Show),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BreakOff {
    HalfRead,
    WholeRead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variation {
    Differences,
    InProgress,
    /// A yes that names an order, and the order is not kept.
    Forgotten,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    Close,
    Sleep,
    /// The run itself fails after storing: its 500 is the answer that is saved.
    Crash,
    Gateway(u16),
    Truncated,
    Html,
    Empty,
    Redirect(u16),
    Drip,
    Huge,
    NoContent,
    LocationOnly,
    GzipPlain,
    GzipBomb,
    Silence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    NotFound,
    Nothing,
    Twice,
}

/// What `store_with_differences` changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Difference {
    /// One less of the first line (one more where there is but one).
    #[default]
    Quantity,
    /// 0.02 more for the first line.
    Price,
    /// Another article for the first line.
    Substitute,
    /// The last line is gone.
    MissingLine,
    /// A freight line more.
    ExtraLine,
    /// US dollars, or euro where it was dollars.
    Currency,
    /// `needed_by` six weeks later; named where none was.
    Date,
}

/// Every fault there is: its name and what it does. The one place where names are known.
const DEEDS: [(&str, Deed); 37] = [
    ("close_half_body", Deed::BreakOff(BreakOff::HalfRead)),
    ("close_without_store", Deed::BreakOff(BreakOff::WholeRead)),
    ("401", Deed::TurnAway(401, "unauthorized")),
    ("403", Deed::TurnAway(403, "forbidden")),
    ("429", Deed::TurnAway(429, "too_many_requests")),
    ("503", Deed::TurnAway(503, "unavailable")),
    ("409_in_flight", Deed::TurnAway(409, "in_flight")),
    ("409_business", Deed::Refuse(409, "business_conflict")),
    ("refuse_422", Deed::Refuse(422, "refused")),
    ("500_without_store", Deed::Refuse(500, "internal_error")),
    ("sleep_then_store", Deed::SleepFirst),
    ("store_with_differences", Deed::Record(Variation::Differences)),
    ("accept_202", Deed::Record(Variation::InProgress)),
    ("201_without_store", Deed::Record(Variation::Forgotten)),
    ("store_then_close", Deed::Damage(Damage::Close)),
    ("store_then_sleep", Deed::Damage(Damage::Sleep)),
    ("store_then_500", Deed::Damage(Damage::Crash)),
    ("store_then_502", Deed::Damage(Damage::Gateway(502))),
    ("store_then_503", Deed::Damage(Damage::Gateway(503))),
    ("store_then_504", Deed::Damage(Damage::Gateway(504))),
    ("store_then_truncated", Deed::Damage(Damage::Truncated)),
    ("store_then_html", Deed::Damage(Damage::Html)),
    ("store_then_empty", Deed::Damage(Damage::Empty)),
    ("redirect_301", Deed::Damage(Damage::Redirect(301))),
    ("redirect_302", Deed::Damage(Damage::Redirect(302))),
    ("redirect_307", Deed::Damage(Damage::Redirect(307))),
    ("redirect_308", Deed::Damage(Damage::Redirect(308))),
    ("drip", Deed::Damage(Damage::Drip)),
    ("huge", Deed::Damage(Damage::Huge)),
    ("store_then_204", Deed::Damage(Damage::NoContent)),
    ("store_then_location", Deed::Damage(Damage::LocationOnly)),
    ("store_then_gzip_plain", Deed::Damage(Damage::GzipPlain)),
    ("store_then_gzip_bomb", Deed::Damage(Damage::GzipBomb)),
    ("store_then_silence", Deed::Damage(Damage::Silence)),
    ("404", Deed::Show(Show::NotFound)),
    ("none", Deed::Show(Show::Nothing)),
    ("twice", Deed::Show(Show::Twice)),
];

/// One fault of a queue.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) on: Kind,
    pub(super) name: &'static str,
    pub(super) deed: Deed,
    seconds: Option<Seconds>,
    what: Difference,
    retry_after: Vec<HeaderValue>,
    location: HeaderValue,
}

/// `retry_after` as it may be written.
#[derive(Deserialize)]
#[serde(untagged)]
enum RetryAfter {
    Text(String),
    Number(serde_json::Number),
    Several(Vec<String>),
}

impl Fault {
    /// Reads `{"next": [ … ]}`; each fault comes with the JSON it was read from, which is how it is kept.
    ///
    /// # Errors
    ///
    /// Every unknown field, name or value of every fault, each with its pointer.
    pub(super) fn queue(document: &Value) -> Result<Vec<(Self, &Value)>, Vec<FieldError>> {
        let Some(fields) = document.as_object() else {
            return Err(vec![FieldError::whole("a JSON object with \"next\" is expected")]);
        };
        let mut errors: Vec<FieldError> = fields
            .keys()
            .filter(|name| *name != "next")
            .map(|name| FieldError::at("", name, "there is no such field"))
            .collect();
        let mut queue = Vec::new();
        match fields.get("next").and_then(Value::as_array) {
            None => errors.push(FieldError::at("", "next", "a list of faults is expected, [] for none")),
            Some(next) => {
                for (at, fault) in next.iter().enumerate() {
                    match Self::read(fault, &format!("/next/{at}")) {
                        Ok(read) => queue.push((read, fault)),
                        Err(found) => errors.extend(found),
                    }
                }
            }
        }
        if errors.is_empty() { Ok(queue) } else { Err(errors) }
    }

    /// Reads one fault; `pointer` is where it stands in its document.
    ///
    /// # Errors
    ///
    /// Every field that is unknown, missing or has no such value.
    pub(super) fn read(fault: &Value, pointer: &str) -> Result<Self, Vec<FieldError>> {
        let Some(fields) = fault.as_object() else {
            let detail = "a fault is an object such as {\"on\": \"submit\", \"do\": \"store_then_close\"}";
            return Err(vec![FieldError::here(pointer, detail)]);
        };
        let (mut draft, mut errors) = (Draft::default(), Vec::new());
        for (name, value) in fields {
            if let Err(detail) = draft.read_field(name, value) {
                errors.push(FieldError::at(pointer, name, detail));
            }
        }
        for required in ["on", "do"] {
            if !fields.contains_key(required) {
                errors.push(FieldError::at(pointer, required, "this is required"));
            }
        }
        if let (Some(Kind::Submit), Some((name, Deed::Show(_)))) = (draft.on, draft.deed) {
            let detail = format!("`{name}` exists on look_up only");
            errors.push(FieldError::at(pointer, "do", detail));
        }
        if errors.is_empty() {
            draft.finish(pointer)
        } else {
            Err(errors)
        }
    }

    /// How long the sleeping faults sleep.
    pub(super) async fn sleep(&self) {
        tokio::time::sleep(self.seconds.unwrap_or(Seconds::whole(12)).span()).await;
    }

    /// The door's own answer, with the `Retry-After` asked for.
    pub(super) fn turn_away(&self, status: u16, code: &str) -> Answer {
        let told = Answer::code(status, code);
        let headers = self.retry_after.iter().cloned();
        headers.fold(told, |told, value| told.with(header::RETRY_AFTER, value))
    }

    /// What becomes of an answer on its way out.
    pub(super) async fn damage(&self, damage: Damage, answer: Answer) -> Ending {
        let response = match damage {
            Damage::Close => return Ending::HangUp,
            Damage::Sleep => {
                self.sleep().await;
                answer.into_response()
            }
            Damage::Crash => Answer::internal_error().into_response(),
            Damage::Gateway(status) => gateway_page(status).into_response(),
            Damage::Truncated => answer.truncated(),
            Damage::Html => Answer::html(StatusCode::OK, "<h1>Thank you for your order</h1>").into_response(),
            Damage::Empty => answer.emptied().into_response(),
            Damage::Redirect(status) => Answer::code(status, "moved")
                .with(header::LOCATION, self.location.clone())
                .into_response(),
            Damage::Drip => answer.dripping(self.seconds.unwrap_or(Seconds::whole(5)).span()),
            Damage::Huge => answer.endless(),
            Damage::NoContent => Answer::code(204, "no_content").emptied().into_response(),
            Damage::LocationOnly => location_only(answer).into_response(),
            Damage::GzipPlain => answer.falsely_gzipped(),
            Damage::GzipBomb => answer.exploding(),
            Damage::Silence => answer.silent(),
        };
        Ending::Response(response)
    }

    /// Changes a recorded order (or what is shown of it) as `what` says.
    pub(super) fn differ(&self, recorded: &mut Map<String, Value>) {
        match self.what {
            Difference::Quantity => change_first_line(recorded, "quantity", one_less),
            Difference::Price => change_first_line(recorded, "unit_price", |price| price + Decimal::new(2, 2)),
            Difference::Substitute => substitute_first_line(recorded),
            Difference::MissingLine => change_lines(recorded, |lines| lines.truncate(lines.len().saturating_sub(1))),
            Difference::ExtraLine => change_lines(recorded, |lines| lines.push(freight_line())),
            Difference::Currency => {
                let other = if recorded.get("currency") == Some(&json!("USD")) {
                    "EUR"
                } else {
                    "USD"
                };
                recorded.insert("currency".to_owned(), json!(other));
            }
            Difference::Date => postpone(recorded),
        }
    }
}

/// A fault while its fields are read.
#[derive(Default)]
struct Draft {
    on: Option<Kind>,
    deed: Option<(&'static str, Deed)>,
    seconds: Option<Seconds>,
    what: Difference,
    retry_after: Vec<HeaderValue>,
    location: Option<HeaderValue>,
}

impl Draft {
    fn read_field(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match name {
            "on" => set(&mut self.on, value),
            "do" => deed(value).map(|found| self.deed = Some(found)),
            "seconds" => set(&mut self.seconds, value),
            "what" => set(&mut self.what, value),
            "retry_after" => retry_after(value).map(|headers| self.retry_after = headers),
            "location" => location(value).map(|target| self.location = Some(target)),
            _ => Err("there is no such field".to_owned()),
        }
    }

    fn finish(self, pointer: &str) -> Result<Fault, Vec<FieldError>> {
        let (Some(on), Some((name, deed))) = (self.on, self.deed) else {
            return Err(vec![FieldError::here(pointer, "`on` and `do` must be named")]);
        };
        Ok(Fault {
            on,
            name,
            deed,
            seconds: self.seconds,
            what: self.what,
            retry_after: self.retry_after,
            location: self.location.unwrap_or(HeaderValue::from_static("/login")),
        })
    }
}

/// A fault's name and deed, by the name in the document.
fn deed(value: &Value) -> Result<(&'static str, Deed), String> {
    let found = DEEDS.iter().find(|(name, _)| value.as_str() == Some(name));
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = DEEDS.iter().map(|(name, _)| *name).collect();
        format!("there is no fault {value}; there are {}", names.join(", "))
    })
}

fn retry_after(value: &Value) -> Result<Vec<HeaderValue>, String> {
    let texts = match RetryAfter::deserialize(value) {
        Ok(RetryAfter::Text(text)) => vec![text],
        Ok(RetryAfter::Number(number)) => vec![number.to_string()],
        Ok(RetryAfter::Several(texts)) => texts,
        Err(_) => return Err("a text, a number or a list of texts is expected".to_owned()),
    };
    texts.iter().map(|text| header_value(text)).collect()
}

fn location(value: &Value) -> Result<HeaderValue, String> {
    header_value(value.as_str().ok_or("a text is expected")?)
}

fn header_value(text: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| format!("{text:?} cannot stand in a header"))
}

fn gateway_page(status: u16) -> Answer {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    Answer::html(status, &format!("<h1>{status}</h1><p>gateway</p>"))
}

/// Nothing but where the record is; an answer that names no record (an error) stays without.
fn location_only(answer: Answer) -> Answer {
    let order: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let number = order.get("number").and_then(Value::as_str);
    let target = number.and_then(|number| header_value(&format!("/orders/{number}")).ok());
    match target {
        Some(target) => answer.emptied().with(header::LOCATION, target),
        None => answer.emptied(),
    }
}

/// Changes the recorded lines; an order that came without any (or with something else there) has an empty list.
fn change_lines(recorded: &mut Map<String, Value>, change: impl FnOnce(&mut Vec<Value>)) {
    let mut lines = match recorded.remove("lines") {
        Some(Value::Array(lines)) => lines,
        Some(_) | None => Vec::new(),
    };
    change(&mut lines);
    recorded.insert("lines".to_owned(), Value::Array(lines));
}

fn first_line(recorded: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    recorded.get_mut("lines")?.get_mut(0)?.as_object_mut()
}

fn change_first_line(recorded: &mut Map<String, Value>, field: &str, change: impl Fn(Decimal) -> Decimal) {
    let Some(line) = first_line(recorded) else {
        return;
    };
    let text = match line.get(field) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let was = text.parse::<Decimal>().unwrap_or(Decimal::ONE);
    line.insert(field.to_owned(), json!(change(was).to_string()));
}

fn one_less(quantity: Decimal) -> Decimal {
    if quantity > Decimal::ONE {
        quantity - Decimal::ONE
    } else {
        quantity + Decimal::ONE
    }
}

fn substitute_first_line(recorded: &mut Map<String, Value>) {
    if let Some(line) = first_line(recorded) {
        let sku = line.get("sku").and_then(Value::as_str).unwrap_or("ARTICLE");
        let other = format!("{sku}-SUB");
        line.insert("sku".to_owned(), json!(other));
        line.insert("description".to_owned(), json!("Substitute article"));
    }
}

fn freight_line() -> Value {
    json!({ "sku": "FREIGHT", "description": "Freight", "quantity": "1", "unit": "EA", "unit_price": "9.90", "price_per": "1" })
}

fn postpone(recorded: &mut Map<String, Value>) {
    let wanted = recorded.get("needed_by").and_then(Value::as_str);
    let wanted = wanted.and_then(|text| text.parse::<NaiveDate>().ok());
    let from = wanted.or_else(|| super::now().date()).unwrap_or_default();
    if let Some(later) = from.checked_add_days(Days::new(42)) {
        recorded.insert("needed_by".to_owned(), json!(later.to_string()));
    }
}
