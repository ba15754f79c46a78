//! Why an act is refused: one vocabulary for the machine, the server and the disabled button. The sentences stand in
//! `ui::words`, in one total match.

use super::difference::Difference;
use super::ids::{OrderId, SuggestionId};
use super::message::{MailStop, Past};
use super::order::OrderState;
use super::people::CaseChanged;
use super::person::Act;
use super::resume::NoResume;
use super::suggestion::SuggestionState;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Why an act is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "refusal", content = "about")]
pub enum Refusal {
    /// The person's roles do not include this act.
    NotYourRole(Act),
    /// The order is in a state that has no such edge.
    OrderIs(OrderState),
    /// The suggestion is in a state that has no such edge.
    SuggestionIs(SuggestionState),
    /// Somebody was faster: who, when, and what they decided (rule 14).
    AlreadyDecided {
        by: String,
        at: DateTime<Utc>,
        state: SuggestionState,
    },
    /// The session had ended; what was typed is kept, the decision is pressed again (case P10).
    SignedOut,
    /// What the page showed is not what stands now (rule 4).
    ContentsChanged(Vec<Difference>),
    /// A field that the act needs is missing or unreadable.
    Field { field: String, detail: String },
    /// Look-alikes or a confirmed predecessor exist and the second purchase was not asked for (rule 2).
    SecondPurchaseNotAsked,
    /// An earlier order of the intent is not settled (rule 5).
    PredecessorUnsettled { order: OrderId, state: OrderState },
    /// The order has a hold that this act does not lift.
    Held,
    /// The order has open doubt (rule 9).
    OpenDoubt,
    /// A later order of the same intent is live (rule 5).
    LaterOrderLive,
    /// It is not due yet, or the resume request lapsed.
    NotDue,
    /// The order or case is not as the page showed it: somebody did something, who and when (rule 14).
    AlreadyDone { by: String, at: DateTime<Utc> },
    /// This supplier cannot be asked by us.
    CannotAsk,
    /// The supplier has a record that nobody has judged: the order cannot be said to be missing.
    RecordThere,
    /// Sending it once more is not safe (rule 9).
    NoResume(NoResume),
    /// There is no pause to end.
    NotPaused,
    /// Orders from before the gap are still held after a restore (rule 20).
    HeldFromBeforeGap { orders: u64 },
    /// What somebody found out waits for a second person.
    FindingWaits { by: String, at: DateTime<Utc> },
    /// Nothing waits for a second person any more.
    NothingWaits,
    /// Nobody confirms what they found out themselves.
    OwnFinding,
    /// Several fields of a form are missing or unreadable: each by its name in the form, and why.
    Fields(Vec<(String, String)>),
    /// The change says the same as what stands.
    NothingChanged,
    /// A later order of the same intent exists: that one is changed, not this.
    LaterOrder { order: OrderId },
    /// A change of this order waits for review already.
    ChangeWaits { suggestion: SuggestionId },
    /// Nobody can say yet that it is not there: the supplier may still be at it until then (rule 10).
    NotSettledYet { at: DateTime<Utc> },
    /// Cases of a hand-over are not, or no longer, as the list showed them: none was moved.
    CasesChanged(Vec<CaseChanged>),
    /// The rules find nobody for a case but whoever hands it over.
    NobodyElse { name: String },
    /// The message goes out within a moment, or is being sent.
    MessageOnItsWay,
    /// The message would say what is not so any more, or say it to nobody.
    MessagePast(Past),
    /// No message goes out at all.
    NothingIsSent(MailStop),
}
