//! What a person may decide about a case, in words: the choice, and what it does.

use crate::domain::case::CaseKind;
use crate::domain::decision::Decision;

/// The choice, as a person would say it.
pub fn decision(kind: CaseKind, decision: Decision) -> &'static str {
    match decision {
        Decision::WrittenOff => "Give it up: nobody can find out",
        Decision::DifferencesAccepted => "Take what they confirmed",
        Decision::CancelledAtSupplier if kind == CaseKind::LateRecord => "They cancelled this record",
        Decision::CancelledAtSupplier => "They cancelled the order",
        Decision::DuplicateCancelled => "They cancelled the extra record",
        Decision::KeptBoth => "We want both",
        Decision::NotOurOrder => "It is not our order",
        Decision::KeptFirst if kind == CaseKind::IntentReused => "Leave what was stored first",
        Decision::KeptFirst => "Keep it: this is the order",
    }
}

/// What the decision does.
pub fn does(kind: CaseKind, decision: Decision) -> &'static str {
    match decision {
        Decision::WrittenOff => {
            "The order is withdrawn, though they may have it. Look-ups go on; a record that turns up later comes back here."
        }
        Decision::DifferencesAccepted => "The order stays confirmed, with its differences, and the case is closed.",
        Decision::CancelledAtSupplier if kind == CaseKind::LateRecord => {
            "The order is withdrawn, or stays refused, and this record never brings it back."
        }
        Decision::CancelledAtSupplier => "The order is withdrawn. Their record never brings it back.",
        Decision::DuplicateCancelled => "The order stays as it is. The record you name is not looked at again.",
        Decision::KeptBoth => {
            "The order stays as it is, and the record you name is a second purchase that is wanted. Which of them is the order has to be known first."
        }
        Decision::NotOurOrder if kind == CaseKind::LateRecord => {
            "The order is withdrawn, or stays refused, and this record never brings it back."
        }
        Decision::NotOurOrder => "The order stays as it is. The record you name is not looked at again.",
        Decision::KeptFirst if kind == CaseKind::IntentReused => {
            "The suggestion stays as it was. What came later under the same identity was never stored as a suggestion."
        }
        Decision::KeptFirst => {
            "The order is confirmed by their record; what differs from the approval opens a case. A later order of the same wish then waits for a release, unless both were wanted."
        }
    }
}
