//! The morning queue: which section a thing that is not final stands in, and in what order (cases Q6, P2).
//!
//! Promises: everything that is not final stands in exactly one section. Must not: read a clock.

use super::order::OrderState;
use super::suggestion::SuggestionState;
use serde::{Deserialize, Serialize};

/// A section of the queue, in the order a manager reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// An open case: somebody owns it and it has a deadline.
    NeedsPerson,
    /// Approved, and nobody has sent it; kept apart from what was sent and not confirmed.
    NotSent,
    /// Sent, or acknowledged; the supplier moves it on.
    OnItsWay,
    /// Suggestions that wait for a person's decision.
    WaitsForReview,
    /// Suggestions that wait for the assistant.
    SentBack,
}

impl Section {
    /// Every section, in order.
    pub const ALL: [Self; 5] = [
        Self::NeedsPerson,
        Self::NotSent,
        Self::OnItsWay,
        Self::WaitsForReview,
        Self::SentBack,
    ];
}

/// The section of an order, or none when it is final.
pub fn section_of_order(state: OrderState, has_open_case: bool) -> Option<Section> {
    match (state, has_open_case) {
        (OrderState::ConfirmationPending, _) | (_, true) => Some(Section::NeedsPerson),
        (OrderState::Approved, false) => Some(Section::NotSent),
        (OrderState::Submitting | OrderState::Acknowledged, false) => Some(Section::OnItsWay),
        (OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn, false) => None,
    }
}

/// The section of a suggestion, or none when it is final and has no open case.
pub fn section_of_suggestion(state: SuggestionState, has_open_case: bool) -> Option<Section> {
    match (state, has_open_case) {
        (_, true) => Some(Section::NeedsPerson),
        (SuggestionState::InReview, false) => Some(Section::WaitsForReview),
        (SuggestionState::SentBack, false) => Some(Section::SentBack),
        (SuggestionState::Rejected | SuggestionState::Approved | SuggestionState::Superseded, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_not_final_stands_in_a_section() {
        for state in OrderState::ALL {
            assert_eq!(
                section_of_order(state, false).is_none(),
                OrderState::FINAL.contains(&state),
                "{state:?}"
            );
            assert_eq!(section_of_order(state, true), Some(Section::NeedsPerson));
        }
        for state in SuggestionState::ALL {
            assert_eq!(
                section_of_suggestion(state, false).is_some(),
                SuggestionState::OPEN.contains(&state),
                "{state:?}"
            );
        }
    }
}
