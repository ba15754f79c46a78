//! What states and kinds of case are called wherever people read of them: on screens and in mails. State names are those
//! of brief.md, letter by letter.

use super::case::CaseKind;
use super::order::OrderState;
use super::pages::Stands;
use super::suggestion::SuggestionState;

/// An order's state, where no hold and no difference changes its name.
pub fn order_state(state: OrderState) -> &'static str {
    match state {
        OrderState::Approved => "Approved, not sent yet",
        OrderState::Submitting => "Sending",
        OrderState::Acknowledged => "Acknowledged, not confirmed",
        OrderState::Confirmed => "Confirmed",
        OrderState::ConfirmationPending => "Confirmation pending",
        OrderState::Refused => "Refused by the supplier",
        OrderState::Withdrawn => "Withdrawn",
    }
}

/// A suggestion's state.
pub fn suggestion_state(state: SuggestionState) -> &'static str {
    match state {
        SuggestionState::InReview => "Waiting for review",
        SuggestionState::SentBack => "Sent back",
        SuggestionState::Rejected => "Rejected",
        SuggestionState::Approved => "Approved",
        SuggestionState::Superseded => "Replaced by a newer version",
    }
}

/// Where a thing stands.
pub fn stands(stands: Stands) -> &'static str {
    match stands {
        Stands::Suggestion(state) => suggestion_state(state),
        Stands::Order {
            state: OrderState::Approved,
            held: Some(_),
            ..
        } => "On hold",
        Stands::Order {
            state: OrderState::Confirmed,
            differences: true,
            ..
        } => "Confirmed with differences",
        Stands::Order { state, .. } => order_state(state),
        Stands::SupplierHeld => "Supplier on hold",
    }
}

/// A kind of case, as the heading of its card and in the subject of a message.
pub fn case_kind(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Pending => "No clear answer yet",
        CaseKind::AcknowledgedLate => "They have it and have not confirmed it in time",
        CaseKind::Differences => "They confirmed something else",
        CaseKind::SupplierDuplicate => "The supplier holds it more than once",
        CaseKind::LateRecord => "A record turned up at the supplier",
        CaseKind::IntentReused => "One identity, two different contents",
        CaseKind::NotSent => "It is not placed yet",
        CaseKind::TooOld => "It waited too long",
        CaseKind::Restore => "Held after a restore",
        CaseKind::SupplierHeld => "The supplier is on hold",
    }
}

/// `Europe/Berlin` is "Berlin time".
pub fn zone(name: &str) -> String {
    let place = name.rsplit('/').next().unwrap_or(name).replace('_', " ");
    if place == "UTC" { place } else { format!("{place} time") }
}
