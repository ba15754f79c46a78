//! How a case closed, in words: who or what did it, and what led to it.

use super::events::{actor, established, told};
use crate::domain::closing::Closing;
use crate::domain::event::{Actor, Event, Happening};
use crate::domain::ids::AttemptId;
use crate::ui::moment::Here;

/// Nobody closed it by hand.
pub const BY_ITSELF: &str = "by itself";

/// Who or what settled it: a name, or that it was settled by itself.
pub fn by(closing: &Closing) -> &str {
    match &closing.by {
        Actor::Worker => BY_ITSELF,
        Actor::CommandLine => "the command line",
        Actor::System => "the system",
        Actor::Person { .. } | Actor::Program { .. } => actor(&closing.by),
    }
}

/// What led to it, in sentences.
pub fn how(closing: &Closing, here: Here) -> String {
    let story = closing.story();
    let sentences = story.iter().map(|event| sentence(event, &closing.attempts, here));
    let sentences = sentences.collect::<Vec<_>>().join(" ");
    if sentences.is_empty() {
        "The case was closed.".to_owned()
    } else {
        sentences
    }
}

/// As the log tells it: with what an attempt came to, which there stands in a tag beside it, and without where the order stands
/// now, which whoever reads this sees.
fn sentence(event: &Event, attempts: &[AttemptId], here: Here) -> String {
    let log = || told(event, attempts, here).sentence;
    match &event.happening {
        Happening::AttemptClosed { reply, .. } | Happening::LateReply { reply, .. } => {
            format!("{} {}", log(), super::reply_means(Some(*reply)))
        }
        Happening::FindingEstablished {
            finding,
            source,
            reference,
            ..
        } => established(actor(&event.actor), *source, *finding, reference.as_deref()),
        _ => log(),
    }
}
