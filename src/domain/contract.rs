//! What a supplier promises. The connector declares it, the screens show it, the machine obeys it.
//!
//! Promises: nothing is assumed that the supplier's file does not say; an unknown window is zero. Sources of the classes
//! and of their real examples: docs/suppliers.md.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// Whether the supplier honours our operation key, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyPromise {
    /// Header that carries the key.
    pub header: String,
    /// How long a repeat is recognised, in seconds from the first send; 0 when not published.
    pub window_seconds: i64,
    /// A repeat after a saved error gets that error again.
    pub replays_saved_errors: bool,
    /// The same key with another body is refused, not silently answered.
    pub checks_body: bool,
}

/// How an order can be looked up by our reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookUp {
    /// An exact query by our reference.
    Exact,
    /// The supplier cannot be asked.
    None,
}

/// Who may send an order in doubt again (rule 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResumeBy {
    Person,
    Automatic,
}

/// The contract: one version of what a supplier promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupplierContract {
    pub key: Option<KeyPromise>,
    /// A second order with our reference is refused for ever.
    pub reference_unique: bool,
    pub look_up: LookUp,
    /// How late a record becomes visible, in seconds.
    pub look_up_lag_seconds: i64,
    /// Longest processing time plus look-up lag, in seconds from the end of the last attempt.
    pub settle_seconds: i64,
    /// Statuses that are a definite refusal while no open doubt exists.
    pub refusals: Vec<u16>,
    /// Statuses that say "turned away, certainly not placed" while no open doubt exists.
    pub turned_away: Vec<u16>,
    pub resume: ResumeBy,
    /// An order not sent this long after its approval or release is held `too_old`, in seconds.
    pub send_within_seconds: i64,
}

impl SupplierContract {
    /// When an approved order is too old to be sent by itself (brief.md, order table).
    pub fn too_old_at(&self, approved_or_released: DateTime<Utc>) -> DateTime<Utc> {
        approved_or_released + TimeDelta::seconds(self.send_within_seconds)
    }
    /// Until when the key's window lasts, counted from the first send; `None` without a key.
    pub fn key_until(&self, first_send: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.key
            .as_ref()
            .map(|key| first_send + TimeDelta::seconds(key.window_seconds))
    }
}
