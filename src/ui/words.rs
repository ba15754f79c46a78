//! Every label, state name and sentence of the screens, in total matches: a new state does not compile until it has its
//! words. State names are those of brief.md, letter by letter; what is named in mails too stands in `domain::names`.

pub mod activity;
pub mod decisions;
pub mod events;
pub mod home;
pub mod live;
pub mod messages;
pub mod people;
pub mod queue;
pub mod refusals;
pub mod settled;
pub mod sheet;
pub mod tables;
pub mod things;
pub mod ways;

use crate::domain::attempt::ReplyWord;
use crate::domain::case::CaseKind;
use crate::domain::difference::{LineField, Place};
use crate::domain::look_up::{AnswerWord, FindingWord};
pub use crate::domain::names::{case_kind, order_state, stands, suggestion_state, zone};
use crate::domain::order::{Hold, OrderState};
use crate::domain::pages::Why;
use crate::domain::person::{Act, Role};
use crate::domain::suggestion::SuggestionState;

/// The product's name, as in every title.
pub const PRODUCT: &str = "Countersign";

/// What a suggestion's facts are called: nobody buys what was rejected.
pub fn facts_heading(state: SuggestionState) -> &'static str {
    match state {
        SuggestionState::InReview | SuggestionState::SentBack => "What will be bought",
        SuggestionState::Approved => "What was approved",
        SuggestionState::Rejected | SuggestionState::Superseded => "What was suggested",
    }
}

/// Why an order is on hold.
pub fn hold(hold: Hold) -> &'static str {
    match hold {
        Hold::NotFound => "The supplier has no record of it. A person resumes or withdraws it.",
        Hold::Restore => "The database was restored or copied. It has to be looked up at the supplier first.",
        Hold::Predecessor => {
            "An earlier order of the same wish turned up at the supplier. That has to be settled first."
        }
        Hold::TooOld => "It waited longer than is allowed after its approval. A person has to release it.",
        Hold::Supplier => "The supplier is on hold. It goes out when the supplier is released.",
        Hold::Person => "It waits for a person: it is not sent before somebody releases it.",
    }
}

/// A hold in a row of a list.
pub fn hold_briefly(hold: Hold) -> &'static str {
    match hold {
        Hold::NotFound => "Not found at the supplier; a person decides",
        Hold::Restore => "Held after a restore; look it up first",
        Hold::Predecessor => "Waits for an earlier order of the same wish",
        Hold::TooOld => "Waited too long since its approval",
        Hold::Supplier => "The supplier is on hold",
        Hold::Person => "Held by a person",
    }
}

/// Why a row stands where it stands. A moment in it is shown beside it, by the row.
pub fn why(why: &Why) -> String {
    match why {
        Why::Case(reason) | Why::SentBack(reason) => sentence_case(reason),
        Why::Held(held) => hold_briefly(*held).to_owned(),
        Why::Due => "Goes out by itself within a moment".to_owned(),
        Why::Again(_) => "Nothing was placed; it goes out again at".to_owned(),
        Why::Sending => "Being sent now".to_owned(),
        Why::Acknowledged => "They have it and have not said yes".to_owned(),
        Why::Review => "Needs a decision".to_owned(),
        Why::Numbered(reference) => format!("Their number is {reference}"),
        Why::Settled => "Nothing more to do".to_owned(),
    }
}

/// What an attempt came to; `None` while nothing was heard.
pub fn reply(reply: Option<ReplyWord>) -> &'static str {
    match reply {
        Some(ReplyWord::Accepted) => "Confirmed",
        Some(ReplyWord::Acknowledged) => "Acknowledged",
        Some(ReplyWord::Refused) => "Refused",
        Some(ReplyWord::NotSent) => "Not placed",
        Some(ReplyWord::Unknown) => "Unknown",
        None => "No answer yet",
    }
}

/// What an attempt's reply means, where it left no words of its own.
pub fn reply_means(reply: Option<ReplyWord>) -> &'static str {
    match reply {
        Some(ReplyWord::Accepted) => "The supplier said yes.",
        Some(ReplyWord::Acknowledged) => "The supplier has it and has not said yes.",
        Some(ReplyWord::Refused) => "The supplier said no. Nothing was placed.",
        Some(ReplyWord::NotSent) => "Certainly not placed; it may be tried again.",
        Some(ReplyWord::Unknown) => "Nobody knows whether it was placed.",
        None => "The process that sends it has not reported back.",
    }
}

/// What a look-up answered.
pub fn answer(answer: AnswerWord) -> &'static str {
    match answer {
        AnswerWord::Found => "it has a record",
        AnswerWord::None => "no record",
        AnswerWord::CouldNotCheck => "it could not be checked",
    }
}

/// What was found out.
pub fn finding(finding: FindingWord) -> &'static str {
    match finding {
        FindingWord::AtSupplier => "the supplier has the order",
        FindingWord::NotYetConfirmed => "the supplier has it and has not confirmed it yet",
        FindingWord::RefusedThere => "the supplier refused or cancelled it",
        FindingWord::NotAtSupplier => "the supplier has no such order",
        FindingWord::CouldNotTell => "it could not be told",
    }
}

/// What happens if nobody acts on a case. Time alone closes none of them (rule 8).
pub fn case_left_alone(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Pending => {
            "If nobody acts it stays pending: nothing is sent again, nothing is given up. After the deadline the queue shows it as late."
        }
        CaseKind::AcknowledgedLate => "If nobody acts it stays acknowledged until the supplier says yes or no.",
        CaseKind::Differences => "If nobody acts the supplier delivers what it recorded, not what was approved.",
        CaseKind::SupplierDuplicate => "If nobody acts the supplier may deliver more than once.",
        CaseKind::LateRecord => "If nobody acts the supplier may deliver what it has on record.",
        CaseKind::IntentReused => "If nobody acts the suggestion stays as it was first stored.",
        CaseKind::NotSent => {
            "If nobody acts it stays unplaced: on hold it is not sent, else it is tried again, less and less often."
        }
        CaseKind::TooOld | CaseKind::Restore | CaseKind::SupplierHeld => {
            "If nobody acts it stays on hold and is not sent."
        }
    }
}

/// What happens to an order that is nobody's, if nobody acts.
pub fn left_alone(state: OrderState) -> &'static str {
    match state {
        OrderState::Approved => "If nobody acts it stays on hold and is not sent.",
        OrderState::Acknowledged => "If nobody acts it stays acknowledged until the supplier says yes or no.",
        OrderState::ConfirmationPending => "If nobody acts it stays pending, and nothing is sent again.",
        OrderState::Submitting => "It is being sent now.",
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => "There is nothing left to do.",
    }
}

/// What an act is called after "may not".
pub fn act(act: Act) -> &'static str {
    match act {
        Act::Approve => "approve suggestions",
        Act::SendBack => "send suggestions back",
        Act::Reject => "reject suggestions",
        Act::Revise => "change suggestions",
        Act::Withdraw => "withdraw orders",
        Act::HoldOrder => "put orders on hold",
        Act::ReleaseOrder => "release orders",
        Act::LookUp => "look orders up at the supplier",
        Act::Resume => "resume orders",
        Act::RecordFinding => "record findings",
        Act::ConfirmFinding => "confirm findings of others",
        Act::CloseCase => "close cases",
        Act::WriteOff => "give a doubt up",
        Act::Assign => "assign cases",
        Act::HandOverOfOthers => "hand over the cases of others",
        Act::SayAway => "say that you are away",
        Act::SayAwayOfOthers => "say who else is away",
        Act::SendAgain => "have messages to others sent again",
        Act::HoldSupplier => "put suppliers on hold",
        Act::EndPause => "end a pause",
        Act::AcceptUnsettled => "accept the risk of buying twice",
        Act::Administer => "change settings",
    }
}

/// Several roles, as they stand beside a name.
pub fn roles(roles: &[Role]) -> String {
    roles.iter().map(|role| role.word()).collect::<Vec<_>>().join(", ")
}

/// Where two orders differ.
pub fn place(place: &Place) -> &'static str {
    match place {
        Place::Supplier => "Supplier",
        Place::Currency => "Currency",
        Place::DeliverTo => "Deliver to",
        Place::NeededBy => "Needed by",
        Place::Note => "Note to the supplier",
        Place::Line { field, .. } => line_field(*field),
        Place::LineMissing { .. } => "Line missing",
        Place::LineAdded { .. } => "Line added",
        Place::Charges => "Charges",
    }
}

/// A field of a line.
pub fn line_field(field: LineField) -> &'static str {
    match field {
        LineField::Article => "Article number",
        LineField::Description => "Description",
        LineField::Quantity => "Quantity",
        LineField::Unit => "Unit",
        LineField::Price => "Price",
        LineField::Pack => "Pack",
    }
}

/// A count with its noun: `1 line`, `3 lines`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The same words with a capital letter first.
pub fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// The same words with a small letter first.
pub fn lower(words: &str) -> String {
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::pages::Stands;

    #[test]
    fn states_are_named_as_the_brief_names_them() {
        let order = |state, held, differences| {
            stands(Stands::Order {
                state,
                held,
                differences,
            })
        };
        assert_eq!(order(OrderState::Approved, None, false), "Approved, not sent yet");
        assert_eq!(order(OrderState::Approved, Some(Hold::Supplier), false), "On hold");
        assert_eq!(order(OrderState::Confirmed, None, false), "Confirmed");
        assert_eq!(order(OrderState::Confirmed, None, true), "Confirmed with differences");
        assert_eq!(
            order(OrderState::ConfirmationPending, None, false),
            "Confirmation pending"
        );
        assert_eq!(
            stands(Stands::Suggestion(SuggestionState::Superseded)),
            "Replaced by a newer version"
        );
    }

    #[test]
    fn zones_read_as_places() {
        assert_eq!(zone("Europe/Berlin"), "Berlin time");
        assert_eq!(zone("America/New_York"), "New York time");
        assert_eq!(zone("UTC"), "UTC");
    }
}
