//! What a supplier promises. The connector declares it, the screens show it, the machine obeys it.
//!
//! Promises: nothing is assumed that the supplier's file does not say; an unknown window is zero. What an answer on the
//! wire may mean under a contract: `domain::classify`, and docs/suppliers.md.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// How the operation key travels with a submit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carried {
    /// In a header, bare or as a quoted string (IETF draft idempotency-key-header-07).
    Header { name: String, quoted: bool },
    /// In the body, where the template puts it.
    Body,
}

impl Carried {
    /// Whether a supplier that knows one finds the other in the same place.
    pub(super) fn is_same_place(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Header { name, quoted },
                Self::Header {
                    name: other,
                    quoted: theirs,
                },
            ) => name.eq_ignore_ascii_case(other) && quoted == theirs,
            (Self::Body, Self::Body) => true,
            (Self::Header { .. }, Self::Body) | (Self::Body, Self::Header { .. }) => false,
        }
    }
}

/// What has to stay as it was for a key, or our reference, to be recognised. Address and account always have to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A new secret of the same account knows what the old one sent.
    Account,
    /// A new secret begins anew; also where the supplier does not say.
    Credential,
    /// As `Account`, within one address.
    Endpoint,
    /// As `Account`, within one region's address.
    Region,
}

impl Scope {
    /// Whether a changed secret ends it.
    pub fn needs_same_secret(self) -> bool {
        match self {
            Self::Credential => true,
            Self::Account | Self::Endpoint | Self::Region => false,
        }
    }
}

/// What a repeat gets once the key's window is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastWindow {
    /// A second order; also where the supplier does not say.
    CreatesAnew,
    Refuses,
}

/// Whether the supplier honours our operation key, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyPromise {
    pub carried: Carried,
    /// How long a repeat is recognised, in seconds from the first send; 0 when not published.
    pub window_seconds: i64,
    pub past_window: PastWindow,
    /// A repeat after a saved error gets that error again.
    pub replays_saved_errors: bool,
    /// The same key with another body is refused, not silently answered with the first result.
    pub checks_body: bool,
    /// The answer's header that says "this is a repeat", where there is one.
    pub replay_marker: Option<String>,
}

/// What a second order with our reference gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplicate {
    /// A second order: our reference is not unique there.
    Second,
    /// A refusal: it exists.
    Refused,
    /// The existing record as the answer.
    Existing,
    /// The existing order is changed to what came now: never a repeat that changes nothing.
    Updates,
}

/// How an order can be looked up by our reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookUp {
    /// An exact query by our reference.
    Exact,
    /// A search that may also find other references; only ours count (case I3).
    Substring,
    /// Our reference stands in lists alone: the whole list since the first send has to be read.
    List,
    /// The supplier cannot be asked.
    None,
}

impl LookUp {
    /// Whether the supplier can be asked by a program.
    pub fn can_ask(self) -> bool {
        match self {
            Self::Exact | Self::Substring | Self::List => true,
            Self::None => false,
        }
    }
}

/// Who may send an order in doubt again (rule 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResumeBy {
    Person,
    Automatic,
}

/// What an answer means, where the contract names it by status, or by status and the supplier's own code (case W6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Definitely refused.
    Refused,
    /// Certainly not placed; may be tried again.
    TurnedAway,
    /// An earlier request with this key is still being worked on.
    InFlight,
    /// This key was used with another body.
    OtherBody,
    /// Our reference exists already: they have it; look it up and compare.
    Exists,
}

/// One answer that the contract names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    pub status: u16,
    /// The supplier's own code; every code when absent.
    pub code: Option<String>,
    pub means: Means,
}

/// By what a supplier's own messages name an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notifies {
    Key,
    Reference,
    /// Their own number alone.
    Number,
}

/// The contract: one version of what a supplier promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupplierContract {
    pub key: Option<KeyPromise>,
    pub scope: Scope,
    pub duplicate: Duplicate,
    /// Documents go there: an answer to a submit says "received", and the business answer comes later.
    pub messages: bool,
    pub look_up: LookUp,
    /// How late a record becomes visible, in seconds.
    pub look_up_lag_seconds: i64,
    /// Longest processing time plus look-up lag, in seconds from the end of the last attempt.
    pub settle_seconds: i64,
    /// Answers that the contract names; what it does not name is unknown (rule 7).
    pub answers: Vec<Listed>,
    /// An earlier request of ours is worked on this long at most, where they say that it is; in seconds, 0 when not
    /// published.
    pub in_flight_seconds: i64,
    /// An order can be cancelled there by our key or reference.
    pub cancel_by_key: bool,
    /// They tell of changes by themselves, and name the order so.
    pub notifies_with: Option<Notifies>,
    /// A yes counts only once a look-up has read the record back.
    pub read_back: bool,
    /// An order they have and have not confirmed this long is late, in seconds.
    pub acknowledged_within_seconds: i64,
    /// How long look-ups go on after "not there", a refusal or a withdrawal, in seconds.
    pub watch_seconds: i64,
    /// The least time between two look-ups, over all orders, in milliseconds.
    pub between_look_ups_ms: i64,
    pub resume: ResumeBy,
    /// An order not sent this long after its approval or release is held `too_old`, in seconds.
    pub send_within_seconds: i64,
}

/// The classes of docs/suppliers.md: what may be done about an order in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Class {
    /// A key; another body under it is refused.
    A,
    /// A′: a key; another body is silently answered with the first result.
    ARepeats,
    /// Our reference is unique; a duplicate is refused.
    B,
    /// B′: our reference is unique; a duplicate is answered with the existing record.
    BExisting,
    /// Our reference is stored, not unique, and can be queried.
    D,
    /// D′: our reference stands in lists alone.
    DList,
    /// Messages: the same document again, and the business answer awaited.
    E,
    /// Nothing: people and evidence.
    F,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 8] = [
        Self::A,
        Self::ARepeats,
        Self::B,
        Self::BExisting,
        Self::D,
        Self::DList,
        Self::E,
        Self::F,
    ];
    /// As docs/suppliers.md names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::ARepeats => "A′",
            Self::B => "B",
            Self::BExisting => "B′",
            Self::D => "D",
            Self::DList => "D′",
            Self::E => "E",
            Self::F => "F",
        }
    }
}

impl SupplierContract {
    /// A supplier that promises nothing and cannot be asked; what a supplier does promise is added to it.
    pub fn nothing() -> Self {
        Self {
            key: None,
            scope: Scope::Credential,
            duplicate: Duplicate::Second,
            messages: false,
            look_up: LookUp::None,
            look_up_lag_seconds: 0,
            settle_seconds: 0,
            answers: Vec::new(),
            in_flight_seconds: 0,
            cancel_by_key: false,
            notifies_with: None,
            read_back: false,
            acknowledged_within_seconds: 86_400,
            watch_seconds: 7 * 86_400,
            between_look_ups_ms: 0,
            resume: ResumeBy::Person,
            send_within_seconds: 86_400,
        }
    }
    /// Whether a second order with our reference is never a second purchase.
    pub fn is_reference_unique(&self) -> bool {
        match self.duplicate {
            Duplicate::Refused | Duplicate::Existing => true,
            Duplicate::Second | Duplicate::Updates => false,
        }
    }
    /// Which class of docs/suppliers.md this is. A key whose window nobody knows is none.
    pub fn class(&self) -> Class {
        match (self.messages, self.duplicate, &self.key) {
            (true, Duplicate::Refused | Duplicate::Existing, _) => Class::E,
            (false, Duplicate::Refused, _) => Class::B,
            (false, Duplicate::Existing, _) => Class::BExisting,
            (_, Duplicate::Second | Duplicate::Updates, Some(key)) if key.window_seconds > 0 => {
                if key.checks_body {
                    Class::A
                } else {
                    Class::ARepeats
                }
            }
            (_, Duplicate::Second | Duplicate::Updates, _) => match self.look_up {
                LookUp::Exact | LookUp::Substring => Class::D,
                LookUp::List => Class::DList,
                LookUp::None => Class::F,
            },
        }
    }
    /// What an answer means: by status and code where both are listed, else by status alone.
    pub fn means(&self, status: u16, code: Option<&str>) -> Option<Means> {
        let listed = |wanted: Option<&str>| {
            let mut all = self.answers.iter();
            all.find(|one| one.status == status && one.code.as_deref() == wanted)
        };
        let by_code = code.and_then(|code| listed(Some(code)));
        by_code.or_else(|| listed(None)).map(|one| one.means)
    }
    /// When an approved order is too old to be sent by itself (brief.md, order table).
    pub fn too_old_at(&self, approved_or_released: DateTime<Utc>) -> DateTime<Utc> {
        approved_or_released + TimeDelta::seconds(self.send_within_seconds)
    }
    /// This contract with the longer of both settle times and look-up lags: a correction while an order is in doubt makes
    /// nobody say sooner that it is not there (case C11).
    #[must_use]
    pub fn as_slow_as(&self, other: &Self) -> Self {
        Self {
            settle_seconds: self.settle_seconds.max(other.settle_seconds),
            look_up_lag_seconds: self.look_up_lag_seconds.max(other.look_up_lag_seconds),
            ..self.clone()
        }
    }
    /// Until when an earlier request may be worked on, that they said is, counted from that answer.
    pub fn in_flight_until(&self, said_at: DateTime<Utc>) -> DateTime<Utc> {
        said_at + TimeDelta::seconds(self.in_flight_seconds)
    }
    /// Until when the key's window lasts, counted from the first send; `None` without a key.
    pub fn key_until(&self, first_send: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.key
            .as_ref()
            .map(|key| first_send + TimeDelta::seconds(key.window_seconds))
    }
}
