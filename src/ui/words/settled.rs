//! How a case closed, in words: who or what did it, and what led to it.

use super::events::{actor, told};
use crate::domain::closing::Closing;
use crate::domain::event::{Actor, Event, Happening};
use crate::ui::moment::Here;

/// Nobody closed it by hand.
pub const BY_ITSELF: &str = "by itself";

/// Who or what settled it: a name, or that it was settled by itself.
pub fn by(closing: &Closing) -> &str {
    match &closing.by {
        Actor::Worker => BY_ITSELF,
        Actor::CommandLine => "the command line",
        Actor::Person { .. } | Actor::Program { .. } => actor(&closing.by),
    }
}

/// What led to it, in sentences.
pub fn how(closing: &Closing, here: Here) -> String {
    let told = |event: &Event| format!("{}{}", told(event, &closing.attempts, here).sentence, outcome(event));
    let sentences: Vec<String> = closing.story().iter().map(told).collect();
    if sentences.is_empty() {
        "The case was closed.".to_owned()
    } else {
        sentences.join(" ")
    }
}

/// What an attempt came to: its event's sentence leaves that to the tag beside it.
fn outcome(event: &Event) -> String {
    match &event.happening {
        Happening::AttemptClosed { reply, .. } | Happening::LateReply { reply, .. } => {
            format!(" {}", super::reply_means(Some(*reply)))
        }
        _ => String::new(),
    }
}
