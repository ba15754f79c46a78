//! What happened, one sentence an event, and what somebody wrote beside it.

use crate::domain::event::{Actor, Event, Happening};
use crate::domain::ids::AttemptId;
use crate::domain::order::Hold;
use crate::domain::suggestion::SuggestionState;
use crate::ui::moment::Here;

/// An event in words. `aside` was written by a person or a supplier and is shown as such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub sentence: String,
    pub aside: Option<String>,
}

/// Who acted.
pub fn actor(actor: &Actor) -> &str {
    match actor {
        Actor::Person { name, .. } | Actor::Program { name, .. } => name,
        Actor::Worker => "The worker",
        Actor::CommandLine => "The command line",
    }
}

/// The event's sentence. `attempts` are the order's, oldest first: people count them, they do not read their ids.
pub fn told(event: &Event, attempts: &[AttemptId], here: Here) -> Told {
    let who = actor(&event.actor);
    let number = |id: &AttemptId| match attempts.iter().position(|one| one == id) {
        Some(place) => format!("Attempt {}", place + 1),
        None => "An attempt".to_owned(),
    };
    let (sentence, aside) = match &event.happening {
        Happening::TenantCreated { name } => (format!("{who} created {name}."), None),
        Happening::SiteAdded { name } => (format!("{who} added the site {name}."), None),
        Happening::SupplierAdded { version } => (
            format!("{who} added version {version} of the supplier’s file."),
            None,
        ),
        Happening::SupplierHeld { reason } => (
            format!("{who} put the supplier on hold."),
            Some(reason.clone()),
        ),
        Happening::SupplierReleased => (format!("{who} released the supplier."), None),
        Happening::PersonAdded { name, roles } => (
            format!("{who} added {name} ({}).", super::roles(roles)),
            None,
        ),
        Happening::PersonDisabled => (format!("{who} disabled a person."), None),
        Happening::TokenCreated { name } => (format!("{who} created the token {name}."), None),
        Happening::TokenRevoked => (format!("{who} revoked a token."), None),
        Happening::IntentReserved => (format!("{who} reserved the intent."), None),
        Happening::SuggestionTaken { revision, .. } => {
            (format!("{who} suggested version {revision}."), None)
        }
        Happening::SuggestionReused { revision, .. } => (
            format!("{who} sent other contents as version {revision} once more. Nothing changed."),
            None,
        ),
        Happening::SuggestionMoved { to, reason, .. } => {
            (format!("{who} {}", moved(*to)), reason.clone())
        }
        Happening::OrderApproved {
            revision,
            second_purchase,
            ..
        } => {
            let twice = if *second_purchase {
                ", as a second purchase"
            } else {
                ""
            };
            (format!("{who} approved version {revision}{twice}."), None)
        }
        Happening::AttemptOpened { attempt } => (format!("{} started.", number(attempt)), None),
        Happening::AttemptClosed {
            attempt, detail, ..
        } => (format!("{} ended.", number(attempt)), Some(detail.clone())),
        Happening::LateReply {
            attempt, detail, ..
        } => (
            format!("{} reported back after its time.", number(attempt)),
            Some(detail.clone()),
        ),
        Happening::LeaseLapsed { attempt, .. } => (
            format!(
                "{} did not report back in time. Nobody knows whether it arrived.",
                number(attempt)
            ),
            None,
        ),
        Happening::OrderHeld { hold, reason } => (
            format!("{who} put it on hold: {}.", held(*hold)),
            Some(reason.clone()),
        ),
        Happening::OrderReleased { lifted, reason } => {
            let lifted: Vec<_> = lifted.iter().copied().map(held).collect();
            (
                format!("{who} released it ({}).", lifted.join(", ")),
                Some(reason.clone()),
            )
        }
        Happening::OrderWithdrawn { reason } => {
            (format!("{who} withdrew it."), Some(reason.clone()))
        }
        Happening::CaseOpened {
            owner_name,
            due_at,
            reason,
            ..
        } => (
            format!("Given to {owner_name}, due {}.", here.short(*due_at)),
            Some(super::sentence_case(reason)),
        ),
        Happening::CaseClosed { case_kind, .. } => (
            format!("Settled: {}.", lower(super::case_kind(*case_kind))),
            None,
        ),
        Happening::CaseMoved {
            owner_name, reason, ..
        } => (
            format!("{who} handed it to {owner_name}."),
            Some(reason.clone()),
        ),
    };
    Told {
        sentence,
        aside: aside.filter(|words| !words.trim().is_empty()),
    }
}

fn moved(to: SuggestionState) -> &'static str {
    match to {
        SuggestionState::InReview => "put it up for review.",
        SuggestionState::SentBack => "sent it back.",
        SuggestionState::Rejected => "rejected it.",
        SuggestionState::Approved => "approved it.",
        SuggestionState::Superseded => "replaced it by a newer version.",
    }
}

fn held(hold: Hold) -> &'static str {
    match hold {
        Hold::NotFound => "not found at the supplier",
        Hold::Restore => "the database was restored",
        Hold::Predecessor => "an earlier order turned up",
        Hold::TooOld => "it waited too long",
        Hold::Supplier => "the supplier is on hold",
        Hold::Person => "by hand",
    }
}

fn lower(words: &str) -> String {
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}
