//! One try to submit, and what came of it.
//!
//! Promises: five replies and no sixth; an accepted reply cannot be made without the supplier's reference and record.
//! Must not: guess. What is not definite is `Unknown` (rule 7).

use super::classify::Meaning;
use super::difference::{Difference, Recorded};
use super::ids::{AttemptId, OrderId};
use super::look_up::Books;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// What an attempt came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The supplier's answer fulfils the contract's success predicate.
    Accepted { reference: String, record: Recorded },
    /// They have it; they have not said yes.
    Acknowledged { reference: Option<String> },
    /// Definitely refused, by an answer that the contract lists.
    Refused,
    /// Certainly not placed, and may be tried again.
    NotSent(NotSent),
    /// Everything else.
    Unknown { reference: Option<String> },
}

/// Why nothing was placed, and what that asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotSent {
    /// The supplier asked us to wait this long (already clamped, case W9).
    pub retry_after: Option<TimeDelta>,
    /// The supplier does not know us (401, 403): further orders would fare the same.
    pub hold_supplier: bool,
}

/// The reply's one word, as stored and on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyWord {
    Accepted,
    Acknowledged,
    Refused,
    NotSent,
    Unknown,
}

impl ReplyWord {
    /// Every reply.
    pub const ALL: [Self; 5] = [
        Self::Accepted,
        Self::Acknowledged,
        Self::Refused,
        Self::NotSent,
        Self::Unknown,
    ];

    /// The word on the wire and in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Acknowledged => "acknowledged",
            Self::Refused => "refused",
            Self::NotSent => "not_sent",
            Self::Unknown => "unknown",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reply| reply.word() == word)
    }
}

impl Reply {
    /// The reply's word.
    pub fn word(&self) -> ReplyWord {
        match self {
            Reply::Accepted { .. } => ReplyWord::Accepted,
            Reply::Acknowledged { .. } => ReplyWord::Acknowledged,
            Reply::Refused => ReplyWord::Refused,
            Reply::NotSent(_) => ReplyWord::NotSent,
            Reply::Unknown { .. } => ReplyWord::Unknown,
        }
    }
    /// A number or address the supplier gave us, whatever else it said.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Reply::Accepted { reference, .. } => Some(reference),
            Reply::Acknowledged { reference } | Reply::Unknown { reference } => reference.as_deref(),
            Reply::Refused | Reply::NotSent(_) => None,
        }
    }
}

/// An attempt as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub id: AttemptId,
    pub started_at: DateTime<Utc>,
    /// After this moment its process sends nothing more (rule 6).
    pub send_by: DateTime<Utc>,
    /// After this moment, without a reply, it counts as open doubt.
    pub lease_until: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub reply: Option<ReplyWord>,
    pub http_status: Option<u16>,
    pub reference: Option<String>,
    /// How it ended, in words.
    pub detail: Option<String>,
    /// A short, safe piece of the answer.
    pub excerpt: Option<String>,
    /// A finding has answered this attempt's doubt.
    pub answered: bool,
}

impl Attempt {
    /// Open doubt: reply unknown, or no reply after the lease, and no finding has answered it (brief.md).
    pub fn is_doubtful(&self, now: DateTime<Utc>) -> bool {
        let unknown = self.reply == Some(ReplyWord::Unknown);
        let silent = self.reply.is_none() && now >= self.lease_until;
        (unknown || silent) && !self.answered
    }
}

/// An attempt with what it was sent under, and what was compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub attempt: Attempt,
    pub order: OrderId,
    pub supplier_version: u32,
    /// Where it went, and as whom.
    pub books: Books,
    /// Fingerprint of the secret (rule 17), empty without one.
    pub secret_mac: String,
    /// Its lease was swept: whatever comes later is a late reply (rule 13).
    pub lapsed: bool,
    /// The order was in doubt when it opened (case C9).
    pub in_doubt: bool,
    /// What its answer meant, where that settles nothing and the contract tells.
    pub meaning: Option<Meaning>,
    pub recorded: Option<Recorded>,
    pub differences: Vec<Difference>,
}

impl Tried {
    /// Whether it may have been placed, or may still be under way.
    pub fn may_have_been_placed(&self) -> bool {
        match self.attempt.reply {
            Some(ReplyWord::NotSent) => false,
            Some(ReplyWord::Accepted | ReplyWord::Acknowledged | ReplyWord::Refused | ReplyWord::Unknown) | None => {
                true
            }
        }
    }
    /// Whether a byte of it may have reached the supplier: what was turned away was not placed, but its key was seen.
    pub fn may_have_been_seen(&self) -> bool {
        self.may_have_been_placed() || self.attempt.http_status.is_some()
    }
    /// Whether nobody knew once what became of it.
    pub fn was_lost(&self) -> bool {
        self.lapsed || self.attempt.reply == Some(ReplyWord::Unknown)
    }
    /// Whether the supplier said that it has it, without a yes.
    pub fn was_acknowledged(&self) -> bool {
        self.attempt.reply == Some(ReplyWord::Acknowledged)
    }
    /// Whether a record of it may turn up whatever was found out since: its answer was lost once, or said "we have it".
    pub fn may_turn_up(&self) -> bool {
        self.was_lost() || self.was_acknowledged()
    }
}

/// The attempt whose key the supplier may have seen first: every later one carries its bytes.
pub fn first_seen(tried: &[Tried]) -> Option<&Tried> {
    tried.iter().find(|one| one.may_have_been_seen())
}
