//! What happened: append-only, chained by hash within a tenant (rule 16, case Q5).
//!
//! Promises: an event's bytes are written once and hashed together with its predecessor's hash, so that a changed,
//! dropped or swapped event shows. Must not: carry credentials or personal detail beyond a person's name (rule 17).

use super::attempt::ReplyWord;
use super::case::CaseKind;
use super::contents::Digest;
use super::decision::Decision;
use super::ids::{AttemptId, CaseId, IntentId, OrderId, PersonId, SuggestionId, TokenId};
use super::look_up::{AnswerWord, FindingWord, Source};
use super::order::{Hold, OrderState};
use super::person::Role;
use super::resume::NotResumed;
use super::suggestion::SuggestionState;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Who or what acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    Person {
        id: PersonId,
        name: String,
    },
    /// A program with a token; its name as given when the token was made.
    Program {
        token: TokenId,
        name: String,
    },
    Worker,
    CommandLine,
}

impl Actor {
    /// The person's name, where it was one.
    pub fn person(&self) -> Option<&str> {
        match self {
            Actor::Person { name, .. } => Some(name),
            Actor::Program { .. } | Actor::Worker | Actor::CommandLine => None,
        }
    }
}

/// What the event is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Tenant,
    Intent(IntentId),
    Suggestion(SuggestionId),
    Order(OrderId),
    Supplier(String),
    Site(String),
    Person(PersonId),
    Token(TokenId),
}

impl Subject {
    /// The subject's id as text, for the index.
    pub fn id(&self) -> String {
        match self {
            Subject::Tenant => "tenant".to_owned(),
            Subject::Intent(id) => id.to_string(),
            Subject::Suggestion(id) => id.to_string(),
            Subject::Order(id) => id.to_string(),
            Subject::Supplier(id) | Subject::Site(id) => id.clone(),
            Subject::Person(id) => id.to_string(),
            Subject::Token(id) => id.to_string(),
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Happening {
    TenantCreated {
        name: String,
    },
    SiteAdded {
        name: String,
    },
    SupplierAdded {
        version: u32,
    },
    SupplierHeld {
        reason: String,
    },
    SupplierReleased,
    PersonAdded {
        name: String,
        roles: Vec<Role>,
    },
    PersonDisabled,
    TokenCreated {
        name: String,
    },
    TokenRevoked,
    IntentReserved,
    SuggestionTaken {
        revision: u32,
        digest: Digest,
    },
    /// Known revision, other contents: nothing changed (rule 3).
    SuggestionReused {
        revision: u32,
        digest: Digest,
    },
    SuggestionMoved {
        from: SuggestionState,
        to: SuggestionState,
        reason: Option<String>,
    },
    OrderApproved {
        suggestion: SuggestionId,
        revision: u32,
        digest: Digest,
        second_purchase: bool,
        look_alikes: Vec<OrderId>,
        /// Unsettled predecessors that a manager accepted (rule 5).
        accepted: Vec<OrderId>,
        reason: Option<String>,
    },
    AttemptOpened {
        attempt: AttemptId,
    },
    AttemptClosed {
        attempt: AttemptId,
        reply: ReplyWord,
        detail: String,
        from: OrderState,
        to: OrderState,
    },
    /// A reply that came after its lease (rule 13).
    LateReply {
        attempt: AttemptId,
        reply: ReplyWord,
        detail: String,
        from: OrderState,
        to: OrderState,
    },
    LeaseLapsed {
        attempt: AttemptId,
        from: OrderState,
        to: OrderState,
    },
    OrderHeld {
        hold: Hold,
        reason: String,
    },
    OrderReleased {
        lifted: Vec<Hold>,
        reason: String,
    },
    OrderWithdrawn {
        reason: String,
    },
    CaseOpened {
        case: CaseId,
        case_kind: CaseKind,
        owner: PersonId,
        owner_name: String,
        due_at: DateTime<Utc>,
        reason: String,
    },
    CaseClosed {
        case: CaseId,
        case_kind: CaseKind,
    },
    /// A person decided about a case: what about, how, and what became of the order.
    CaseDecided {
        case: CaseId,
        case_kind: CaseKind,
        decision: Decision,
        /// The record that was judged by it.
        reference: Option<String>,
        reason: String,
        from: Option<OrderState>,
        to: Option<OrderState>,
    },
    CaseMoved {
        case: CaseId,
        owner: PersonId,
        owner_name: String,
        /// Where the deadline moved too.
        #[serde(default)]
        due_at: Option<DateTime<Utc>>,
        reason: String,
    },
    /// A person wants the supplier asked.
    LookUpWanted,
    /// The supplier was asked. The actor is who wanted it asked.
    LookedUp {
        answer: AnswerWord,
        detail: String,
    },
    FindingEstablished {
        finding: FindingWord,
        source: Source,
        reference: Option<String>,
        evidence: Option<String>,
        from: OrderState,
        to: OrderState,
    },
    /// A record that nobody has judged turned up at the supplier.
    LateRecord {
        reference: String,
        from: OrderState,
        to: OrderState,
    },
    /// A record was compared after a person's word had confirmed the order.
    Compared {
        reference: String,
        differences: usize,
    },
    /// A person asked to send the approved purchase once more.
    ResumeWanted,
    /// The request was dropped: nothing was sent.
    ResumeNotSent {
        why: NotResumed,
    },
    /// A person's release of an order that is held after a restore: it goes out once the supplier says "none" (rule 20).
    ReleaseWanted {
        lifted: Vec<Hold>,
        reason: String,
    },
    /// The database was restored or copied: every order is held until somebody has looked (rule 20).
    Paused {
        reason: String,
        gap_at: DateTime<Utc>,
    },
    PauseEnded {
        reason: String,
    },
}

impl Happening {
    /// Whether it asks for a send: a resume, or the release of an order that is held after a restore.
    pub fn wants_a_send(&self) -> bool {
        matches!(self, Happening::ResumeWanted | Happening::ReleaseWanted { .. })
    }

    /// The attempt it is about.
    pub fn attempt(&self) -> Option<&AttemptId> {
        match self {
            Happening::AttemptOpened { attempt }
            | Happening::AttemptClosed { attempt, .. }
            | Happening::LateReply { attempt, .. }
            | Happening::LeaseLapsed { attempt, .. } => Some(attempt),
            _ => None,
        }
    }
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// From 1 without gaps, within the tenant.
    pub number: u64,
    pub at: DateTime<Utc>,
    pub actor: Actor,
    pub subject: Subject,
    pub happening: Happening,
}

impl Event {
    /// The bytes that are stored and hashed.
    pub fn bytes(&self) -> String {
        // a struct of strings, numbers and lists always serialises
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The hash of an event: SHA-256 over its predecessor's hash and its own bytes. The first has the empty predecessor.
pub fn chained(predecessor: &str, bytes: &str) -> Digest {
    Digest::of(format!("{predecessor}\n{bytes}").as_bytes())
}

/// A walk along a chain, event by event, so that a long one need not be in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Number and hash of the event walked over last; 0 and empty before the first.
    pub number: u64,
    pub hash: String,
    /// The number of the first event that is missing or was changed.
    pub broken_at: Option<u64>,
}

impl Walk {
    /// Goes on to the next stored event.
    pub fn step(&mut self, number: u64, bytes: &str, hash: &str) {
        let expected = self.number + 1;
        if number != expected || chained(&self.hash, bytes).as_str() != hash {
            self.broken_at.get_or_insert(expected);
        }
        (self.number, self.hash) = (number, hash.to_owned());
    }
}

/// Where a chain does not hold: the number of the first event that is missing or was changed.
pub fn first_break<'a>(stored: impl IntoIterator<Item = (u64, &'a str, &'a str)>) -> Option<u64> {
    let mut walk = Walk::default();
    for (number, bytes, hash) in stored {
        walk.step(number, bytes, hash);
    }
    walk.broken_at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_dropped_or_swapped_event_shows() {
        let mut chain: Vec<(u64, String, String)> = Vec::new();
        for number in 1..=5 {
            let event = Event {
                number,
                at: DateTime::from_timestamp(1_800_000_000, 0).expect("in range"),
                actor: Actor::Worker,
                subject: Subject::Order(OrderId::from_random(u128::from(number))),
                happening: Happening::SupplierReleased,
            };
            let predecessor = chain.last().map_or("", |last| last.2.as_str()).to_owned();
            let hash = chained(&predecessor, &event.bytes());
            chain.push((number, event.bytes(), hash.to_string()));
        }
        let check = |chain: &[(u64, String, String)]| {
            first_break(
                chain
                    .iter()
                    .map(|(number, bytes, hash)| (*number, bytes.as_str(), hash.as_str())),
            )
        };
        assert_eq!(check(&chain), None);
        let mut changed = chain.clone();
        changed[2].1 = changed[2].1.replace("worker", "command_line");
        assert_eq!(check(&changed), Some(3));
        let mut dropped = chain.clone();
        dropped.remove(1);
        assert_eq!(check(&dropped), Some(2));
        let mut swapped = chain.clone();
        swapped.swap(3, 4);
        assert_eq!(check(&swapped), Some(4));
    }
}
