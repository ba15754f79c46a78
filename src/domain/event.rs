//! What happened: append-only, chained by hash within a tenant (rule 16, case Q5).
//!
//! Promises: an event's bytes are written once and hashed together with its predecessor's hash ([`super::chain`]), so
//! that a changed, dropped or swapped event shows. Must not: carry credentials or personal detail beyond a person's name
//! (rule 17).

use super::attempt::ReplyWord;
use super::case::CaseKind;
use super::contents::Digest;
use super::decision::Decision;
use super::ids::{AttemptId, CaseId, IntentId, MessageId, OrderId, PersonId, SuggestionId, TokenId};
use super::look_up::{AnswerWord, FindingWord, Source};
use super::money::{Currency, Money};
use super::order::{Hold, OrderState};
use super::person::Role;
use super::resume::NotResumed;
use super::suggestion::SuggestionState;
use chrono::{DateTime, NaiveDate, Utc};
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
    /// Time passed, and a rule says what follows: reminders, and whose a case becomes.
    System,
}

impl Actor {
    /// The person's name, where it was one.
    pub fn person(&self) -> Option<&str> {
        match self {
            Actor::Person { name, .. } => Some(name),
            Actor::Program { .. } | Actor::Worker | Actor::CommandLine | Actor::System => None,
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

    /// The order it is about.
    pub fn order(&self) -> Option<&OrderId> {
        match self {
            Subject::Order(id) => Some(id),
            Subject::Tenant
            | Subject::Intent(_)
            | Subject::Suggestion(_)
            | Subject::Supplier(_)
            | Subject::Site(_)
            | Subject::Person(_)
            | Subject::Token(_) => None,
        }
    }

    /// The suggestion it is about.
    pub fn suggestion(&self) -> Option<&SuggestionId> {
        match self {
            Subject::Suggestion(id) => Some(id),
            Subject::Tenant
            | Subject::Intent(_)
            | Subject::Order(_)
            | Subject::Supplier(_)
            | Subject::Site(_)
            | Subject::Person(_)
            | Subject::Token(_) => None,
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
    /// When people work, as it is written; none: time is counted as it passes.
    WorkingHoursSet {
        hours: Option<String>,
    },
    /// A day on which nobody works; without a name it is a working day again.
    HolidaySet {
        day: NaiveDate,
        name: Option<String>,
    },
    /// Above this amount a second person confirms a finding; none: no more in this currency.
    SecondPersonAbove {
        currency: Currency,
        amount: Option<Money>,
    },
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
    /// A person's change took the next revision: of a suggestion, or of an order.
    SuggestionRevised {
        revision: u32,
        digest: Digest,
        /// The order that is to be another purchase.
        order: Option<OrderId>,
        /// How many places differ from what stood.
        differences: usize,
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
    /// A different purchase was put up for review in the order's place.
    ChangeSuggested {
        suggestion: SuggestionId,
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
        /// Whose it was; older events do not say.
        #[serde(default)]
        from: Option<PersonId>,
        owner: PersonId,
        owner_name: String,
        /// Where the deadline moved too.
        #[serde(default)]
        due_at: Option<DateTime<Utc>>,
        reason: String,
    },
    /// Its owner is to be reminded, before the deadline.
    CaseReminded {
        case: CaseId,
        owner_name: String,
        due_at: DateTime<Utc>,
        /// They are told by e-mail; else the queue alone says it.
        mailed: bool,
    },
    /// Its deadline has passed: it is put before a manager, and again every day.
    CaseEscalated {
        case: CaseId,
        to: PersonId,
        to_name: String,
        /// How often by now.
        times: u32,
        /// They are told by e-mail; else the queue alone says it.
        mailed: bool,
    },
    /// Somebody is at it: nobody is reminded or told until then.
    CaseAcknowledged {
        case: CaseId,
        until: DateTime<Utc>,
    },
    /// Whose new cases are first, and by when they are due; nothing: as it is without a rule. The subject is the supplier
    /// they are about, or the tenant for all others.
    OwnerRuleSet {
        owner: Option<PersonId>,
        owner_name: Option<String>,
        within: Option<String>,
    },
    /// A person is away; their new cases are the deputy's. From when to when stands in `absences` alone, where it can be
    /// forgotten (rule 17).
    PersonAway {
        name: String,
        deputy_name: Option<String>,
    },
    /// A person is there again, or does not go away after all.
    PersonBack {
        name: String,
    },
    /// A person wants a message sent again to the person it is for.
    SendAgainWanted {
        message: MessageId,
        to_name: String,
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
    /// A person found it out; above the tenant's amount a second one confirms it.
    FindingProposed {
        finding: FindingWord,
        reference: Option<String>,
        evidence: String,
    },
    /// What waited for a second person does not count.
    FindingDeclined {
        finding: FindingWord,
        reason: String,
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
