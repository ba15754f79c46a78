//! The habits of the practice supplier: what it promises about keys, references and look-ups.
//!
//! Promises that a change names every field it refuses and then changes nothing. Reads and writes no database, knows no
//! clock: it says what the habits are, [`super::orders`] keeps them.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::wire::FieldError;

/// Every switch of `PUT /contract`, by its name there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Contract {
    /// Whether `Idempotency-Key` is looked at at all.
    pub(super) key_honoured: bool,
    /// How long a key answers, counted from its first use.
    pub(super) retention_seconds: Seconds,
    /// Whether errors are saved for a key like successes; the module head of [`super`] says which.
    pub(super) replays_saved_errors: bool,
    /// Whether a repeat with other bytes is refused (409 `key_reused`) or answered with the first result.
    pub(super) checks_body: bool,
    /// What a key is unique within.
    pub(super) key_scope: KeyScope,
    /// What happens to an order with a reference the account has used before.
    pub(super) duplicate_reference: DuplicateReference,
    /// What a repeat gets while the first request is being worked on.
    pub(super) in_flight: WhileInFlight,
    /// How long an order is worked on before it is stored and answered.
    pub(super) processing_seconds: Seconds,
    /// Whether orders can be asked for.
    pub(super) lookup: bool,
    /// How long after storing an order look-ups begin to find it.
    pub(super) visibility_lag_seconds: Seconds,
    /// Whether an account is asked for, and shown its own orders only.
    pub(super) accounts: bool,
}

/// What a key is unique within: a rotated credential is a new world for `credential`, the same for `account`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeyScope {
    Account,
    Credential,
}

/// What becomes of an order whose reference exists: a second record, a refusal, or the existing record as the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DuplicateReference {
    Second,
    Refused,
    Existing,
}

/// What a repeat gets while its key is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum WhileInFlight {
    /// 409 `in_flight` at once.
    #[serde(rename = "409")]
    Conflict,
    /// Nothing until the first request is done; then its answer.
    #[serde(rename = "wait")]
    Wait,
}

impl Default for Contract {
    /// The habits `doors.md` gives the practice supplier's file.
    fn default() -> Self {
        Self {
            key_honoured: true,
            retention_seconds: Seconds::whole(86_400),
            replays_saved_errors: true,
            checks_body: true,
            key_scope: KeyScope::Account,
            duplicate_reference: DuplicateReference::Second,
            in_flight: WhileInFlight::Conflict,
            processing_seconds: Seconds::whole(0),
            lookup: true,
            visibility_lag_seconds: Seconds::whole(0),
            accounts: false,
        }
    }
}

impl Contract {
    /// These habits with the ones named in `change` replaced.
    ///
    /// # Errors
    ///
    /// Every unknown name and every value that is not one, each with its pointer.
    pub(super) fn changed_by(mut self, change: &Value) -> Result<Self, Vec<FieldError>> {
        let Some(switches) = change.as_object() else {
            return Err(vec![FieldError::whole("a JSON object of switches is expected")]);
        };
        let mut errors = Vec::new();
        for (name, value) in switches {
            if let Err(detail) = self.switch(name, value) {
                errors.push(FieldError::at("", name, detail));
            }
        }
        if errors.is_empty() { Ok(self) } else { Err(errors) }
    }

    fn switch(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match name {
            "key_honoured" => set(&mut self.key_honoured, value),
            "retention_seconds" => set(&mut self.retention_seconds, value),
            "replays_saved_errors" => set(&mut self.replays_saved_errors, value),
            "checks_body" => set(&mut self.checks_body, value),
            "key_scope" => set(&mut self.key_scope, value),
            "duplicate_reference" => set(&mut self.duplicate_reference, value),
            "in_flight" => set(&mut self.in_flight, value),
            "processing_seconds" => set(&mut self.processing_seconds, value),
            "lookup" => set(&mut self.lookup, value),
            "visibility_lag_seconds" => set(&mut self.visibility_lag_seconds, value),
            "accounts" => set(&mut self.accounts, value),
            _ => Err("there is no such switch".to_owned()),
        }
    }
}

/// Puts the value into its slot when it is one of the slot's type.
pub(super) fn set<T: DeserializeOwned>(slot: &mut T, value: &Value) -> Result<(), String> {
    *slot = T::deserialize(value).map_err(|error| error.to_string())?;
    Ok(())
}

/// A span in seconds, whole or not, from 0 to a hundred years; exact to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "Number")]
pub(super) struct Seconds {
    millis: u64,
}

impl Seconds {
    const HUNDRED_YEARS: f64 = 100.0 * 365.25 * 86_400.0;

    /// A whole number of seconds.
    pub(super) const fn whole(seconds: u64) -> Self {
        Self { millis: seconds * 1000 }
    }

    /// The span as the clock and the sleeper take it.
    pub(super) const fn span(self) -> Duration {
        Duration::from_millis(self.millis)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        if !(0.0..=Self::HUNDRED_YEARS).contains(&seconds) {
            return Err(format!("seconds go from 0 to a hundred years, not {seconds}"));
        }
        // In range by the line above, so the cast neither cuts nor wraps.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be 0 to 3.2e12"
        )]
        let millis = (seconds * 1000.0).round() as u64;
        Ok(Self { millis })
    }
}

impl From<Seconds> for Number {
    fn from(seconds: Seconds) -> Self {
        let whole = Number::from(seconds.millis / 1000);
        if seconds.millis.is_multiple_of(1000) {
            return whole;
        }
        Number::from_f64(seconds.span().as_secs_f64()).unwrap_or(whole)
    }
}
