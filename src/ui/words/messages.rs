//! What people are told by e-mail, in words: what a message is, where it is, and how a try ended.

use crate::domain::message::{MailStop, MessageKind, MessageState, TryEnd};

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

/// Why nothing goes out.
pub fn stopped(stop: MailStop) -> &'static str {
    match stop {
        MailStop::NoServer => "No mail server is set, so nobody is told anything by e-mail.",
        MailStop::Paused => {
            "Everything is paused after a restore or a copy: no message goes out before a manager has ended the pause on the queue."
        }
    }
}

/// What a message waits for, where nothing goes out.
pub fn waits_for(stop: MailStop) -> &'static str {
    match stop {
        MailStop::NoServer => "waits until a mail server is set",
        MailStop::Paused => "waits until the pause has ended",
    }
}

/// How a try ended; nothing while it has not.
pub fn try_end(end: Option<TryEnd>) -> &'static str {
    match end {
        Some(TryEnd::Accepted) => "Taken by the mail server",
        Some(TryEnd::Failed) => "Not taken",
        Some(TryEnd::Refused) => "Refused",
        Some(TryEnd::Lost) => "No answer; it may have arrived",
        None => "Under way",
    }
}
