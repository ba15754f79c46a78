//! The words of a case's sheet: the questions that somebody who takes a case over asks, and answers that no other page has.

use crate::domain::attempt::ReplyWord;
use crate::domain::case::CaseKind;
use crate::domain::order::{Life, OrderState};
use crate::domain::pages::OrderPage;

/// The questions, as brief.md asks them.
pub const WHAT_WAS_SENT: &str = "What did we send?";
/// Whether it left us.
pub const DID_IT_LEAVE: &str = "Did it leave us?";
/// What they say.
pub const WHAT_THEY_SAY: &str = "What does the supplier say, asked when?";
/// What is open.
pub const WHAT_MAY_I: &str = "What may I do now, until when?";
/// What is not safe.
pub const WHAT_MUST_I_NOT: &str = "What must I not do, and why?";
/// Whose it is.
pub const WHO_OWNS_IT: &str = "Who owns it, until when?";
/// What time alone does.
pub const IF_NOBODY_ACTS: &str = "What happens if nobody acts?";
/// What ends it.
pub const WHAT_CLOSES_IT: &str = "What closes this case?";
/// Whose it was.
pub const WHO_OWNED_IT: &str = "Who owned it, until when?";
/// What ended it.
pub const HOW_IT_CLOSED: &str = "How did this case close?";

/// Whether the order, or a try of it, may have reached the supplier.
pub fn left_us(page: &OrderPage) -> &'static str {
    let replies = || page.attempts.iter().map(|shown| shown.attempt.reply);
    let answered = |reply| match reply {
        Some(ReplyWord::Accepted | ReplyWord::Acknowledged | ReplyWord::Refused) => true,
        Some(ReplyWord::NotSent | ReplyWord::Unknown) | None => false,
    };
    if page.attempts.is_empty() {
        "No: nobody has tried to send it."
    } else if replies().any(answered) {
        "Yes: the supplier answered."
    } else if replies().all(|reply| reply == Some(ReplyWord::NotSent)) {
        "No: every attempt ended “not placed”."
    } else {
        without_answer(&page.life)
    }
}

/// Where no attempt was answered: what was found out since.
fn without_answer(life: &Life) -> &'static str {
    match life.state {
        OrderState::Confirmed | OrderState::Acknowledged => {
            "Yes: no clear answer came back, and it turned out that the supplier has it."
        }
        OrderState::Refused => {
            "Yes: no clear answer came back, and it turned out that the supplier refused or cancelled it."
        }
        OrderState::Approved if life.is_not_found() => {
            "Maybe: no clear answer came back, and it turned out that the supplier has no record of it."
        }
        OrderState::Approved | OrderState::Submitting | OrderState::ConfirmationPending | OrderState::Withdrawn => {
            "Maybe: no clear answer came back."
        }
    }
}

/// What is not safe while two contents stand under one identity.
pub fn not_safe_reused() -> [&'static str; 2] {
    [
        "Approving it before somebody knows which of the two was meant: what stands here is what came first.",
        "Letting the assistant send the other contents once more like this: they are refused again. A second wish needs an identity of its own.",
    ]
}

/// What is not safe while a supplier is on hold.
pub fn not_safe_held(supplier: &str) -> String {
    format!(
        "Ordering at {supplier} by hand what waits here: it goes out by itself after the release, and is bought twice."
    )
}

/// What a case of this kind closes with, beside the decisions that a person may take. Time alone closes none (rule 8).
pub fn closes_with(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Pending => {
            "A finding: they have it, they refused it, or they have no such order. It comes from look-ups, from a late answer, or from a person with evidence."
        }
        CaseKind::AcknowledgedLate => {
            "Their yes or no, or that they have no such order: from look-ups, from a late answer, or from a person with evidence."
        }
        CaseKind::LateRecord => "A person’s word on the record: a finding with evidence, or a decision.",
        CaseKind::Differences | CaseKind::SupplierDuplicate | CaseKind::IntentReused => "A person’s decision.",
        CaseKind::NotSent | CaseKind::TooOld | CaseKind::Restore => "The order’s send, its release, or its withdrawal.",
        CaseKind::SupplierHeld => "The supplier’s release.",
    }
}
