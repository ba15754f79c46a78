//! What people are told by e-mail, in words: what a message is, where it is, and how a try ended.

use crate::domain::message::{MessageKind, MessageState, TryEnd};

/// What a message is.
pub fn kind(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Given => "A case was given to them",
        MessageKind::Reminder => "A reminder",
        MessageKind::Escalated => "Nobody had acted",
        MessageKind::Digest => "What their day began with",
    }
}

/// Where a message is.
pub fn state(state: &MessageState) -> &'static str {
    match state {
        MessageState::Waiting { .. } => "Waiting",
        MessageState::Sending => "Sending",
        MessageState::Sent { .. } => "Sent",
        MessageState::GivenUp { .. } => "Given up",
    }
}

/// How a try ended; nothing while it has not.
pub fn try_end(end: Option<TryEnd>) -> &'static str {
    match end {
        Some(TryEnd::Accepted) => "Taken by the mail server",
        Some(TryEnd::Failed) => "Not taken",
        Some(TryEnd::Refused) => "Refused",
        Some(TryEnd::Lost) => "Nobody reported back",
        None => "Under way",
    }
}
