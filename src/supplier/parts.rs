//! The parts of a supplier's file, as they are written there.
//!
//! Promises: what a part says of an answer or a record is read by its pointers alone. Must not: judge whether the parts fit
//! together; that is `file`.

use crate::domain::contract::{Duplicate, Listed, LookUp, Notifies, PastWindow, ResumeBy, Scope};
use crate::domain::look_up::Standing;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug)]
pub(super) struct ContractPart {
    pub reference_unique: bool,
    /// Absent: refused where our reference is unique, else a second order.
    pub duplicate_reference: Option<Duplicate>,
    /// Absent: a changed secret begins anew.
    pub scope: Option<Scope>,
    pub messages: bool,
    pub look_up: LookUp,
    pub look_up_lag: Option<String>,
    pub between_look_ups: Option<String>,
    pub settle_time: String,
    pub refusals: Vec<u16>,
    pub turned_away: Vec<u16>,
    pub answers: Vec<Listed>,
    pub in_flight: Option<String>,
    pub two_step: bool,
    pub cancel_by_key: bool,
    pub notifies_with: Option<Notifies>,
    pub read_back: bool,
    pub acknowledged_within: Option<String>,
    pub watch: Option<String>,
    pub resume: Option<ResumeBy>,
    pub send_within: Option<String>,
}

#[derive(Debug)]
pub(super) struct KeyPart {
    /// The header that carries it; absent where the body does.
    pub header: Option<String>,
    /// The body carries it, as `{{ operation_key }}`.
    pub in_body: bool,
    /// As a quoted string.
    pub quoted: bool,
    /// The longest key they take, in characters.
    pub max_length: Option<usize>,
    pub characters: Option<Characters>,
    pub past_window: Option<PastWindow>,
    pub replay_marker: Option<String>,
    /// Absent: not published, so nothing is assumed.
    pub window: Option<String>,
    pub replays_saved_errors: bool,
    pub checks_body: bool,
}

/// What a key may be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Characters {
    Any,
    /// Letters and digits alone.
    Alphanumeric,
}

/// Where the supplier is, and as whom we speak to it.
#[derive(Debug, Clone)]
pub(super) struct HttpPart {
    pub base_url: String,
    pub account: String,
    pub secret: Option<String>,
}

/// How an order is submitted.
#[derive(Debug, Clone)]
pub(super) struct SubmitPart {
    pub method: String,
    pub path: String,
    pub body: String,
    pub confirmed: Predicate,
    pub acknowledged: Option<Predicate>,
    /// A readable 2xx that says so is a refusal (case W7).
    pub refused: Option<Predicate>,
    /// JSON pointer to the supplier's own code, for `contract.answers`.
    pub code: Option<String>,
}

impl SubmitPart {
    /// What an answer, or a record, says of itself. One that says two things at once says nothing.
    pub fn standing(&self, answer: &Value) -> Standing {
        let holds = |predicate: Option<&Predicate>| predicate.is_some_and(|predicate| predicate.holds(answer));
        match (
            self.confirmed.holds(answer),
            holds(self.acknowledged.as_ref()),
            holds(self.refused.as_ref()),
        ) {
            (true, false, false) => Standing::Confirmed,
            (false, true, false) => Standing::NotYet,
            (false, false, true) => Standing::Refused,
            _ => Standing::Unnamed,
        }
    }

    /// The supplier's own code in an answer.
    pub fn code_in(&self, answer: &Value) -> Option<String> {
        match answer.pointer(self.code.as_deref()?)? {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// How the supplier is asked for our reference.
#[derive(Debug, Clone)]
pub(super) struct LookUpPart {
    /// A template over `operation_key`, `since` (the order's approval, RFC 3339) and `after` (where a page begins; empty
    /// for the first).
    pub path: String,
    /// JSON pointer to where the next page begins; null or empty at the end. Absent: an answer is the whole list.
    pub next: Option<String>,
    /// A list is not read further than so many pages; then it could not be checked.
    pub pages: u32,
    /// JSON pointer to the list of records in the answer; empty for the answer itself.
    pub records: String,
    /// JSON pointer to our reference, inside a record.
    pub reference: String,
    /// A record that says so was refused or cancelled there.
    pub refused: Predicate,
}

impl LookUpPart {
    /// Where the next page begins: `Some(None)` at the end, nothing when the answer does not say.
    pub fn next_page(&self, answer: &Value) -> Option<Option<String>> {
        let Some(pointer) = &self.next else { return Some(None) };
        match answer.pointer(pointer)? {
            Value::Null => Some(None),
            Value::String(text) if text.is_empty() => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            Value::Number(number) => Some(Some(number.to_string())),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// Holds when the value at the pointer is one of these texts; without texts, when something stands there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Predicate {
    pub pointer: String,
    #[serde(default)]
    pub any_of: Option<Vec<String>>,
}

impl Predicate {
    /// Whether one value could fulfil both.
    pub fn may_hold_with(&self, other: &Self) -> bool {
        if self.pointer != other.pointer {
            return false;
        }
        match (&self.any_of, &other.any_of) {
            (Some(mine), Some(theirs)) => mine.iter().any(|text| theirs.contains(text)),
            (None, Some(_)) | (Some(_), None) | (None, None) => true,
        }
    }
    pub fn holds(&self, answer: &Value) -> bool {
        let value = answer.pointer(&self.pointer);
        match &self.any_of {
            Some(texts) => value
                .and_then(Value::as_str)
                .is_some_and(|value| texts.iter().any(|one| one == value)),
            None => value.is_some_and(is_something),
        }
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}
