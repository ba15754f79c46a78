//! Where a thing stands: a word, a drawing and a colour, never one of them alone (case P15).

use super::icon::{Drawing, Icon};
use super::words;
use crate::domain::attempt::ReplyWord;
use crate::domain::order::OrderState;
use crate::domain::pages::Stands;
use crate::domain::suggestion::SuggestionState;
use leptos::prelude::*;

/// What a tag's colour says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Over; nothing to do.
    Plain,
    /// Somebody or something is at it.
    Wait,
    /// Good.
    Ok,
    /// In doubt, or held.
    Doubt,
    /// Bad, or late.
    Bad,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "tag",
            Tone::Wait => "tag tag-wait",
            Tone::Ok => "tag tag-ok",
            Tone::Doubt => "tag tag-doubt",
            Tone::Bad => "tag tag-bad",
        }
    }
}

/// The tag's colour and drawing for where a thing stands.
pub fn look(stands: Stands) -> (Tone, Icon) {
    match stands {
        Stands::Suggestion(state) => match state {
            SuggestionState::InReview => (Tone::Wait, Icon::Eye),
            SuggestionState::SentBack => (Tone::Plain, Icon::Back),
            SuggestionState::Rejected => (Tone::Plain, Icon::Cross),
            SuggestionState::Approved => (Tone::Ok, Icon::Check),
            SuggestionState::Superseded => (Tone::Plain, Icon::Swap),
        },
        Stands::Order {
            state,
            held,
            differences,
        } => match (state, held.is_some(), differences) {
            (OrderState::Approved, true, _) => (Tone::Doubt, Icon::Pause),
            (OrderState::Approved, false, _) => (Tone::Wait, Icon::Clock),
            (OrderState::Submitting, _, _) => (Tone::Wait, Icon::Arrow),
            (OrderState::Acknowledged, _, _) => (Tone::Wait, Icon::Dots),
            (OrderState::Confirmed, _, false) => (Tone::Ok, Icon::Check),
            (OrderState::Confirmed, _, true) => (Tone::Doubt, Icon::Unequal),
            (OrderState::ConfirmationPending, _, _) => (Tone::Doubt, Icon::Question),
            (OrderState::Refused, _, _) => (Tone::Bad, Icon::Cross),
            (OrderState::Withdrawn, _, _) => (Tone::Plain, Icon::Back),
        },
        Stands::SupplierHeld => (Tone::Doubt, Icon::Pause),
    }
}

/// A tag of any words.
#[component]
pub fn Tag(tone: Tone, icon: Icon, #[prop(into)] text: String) -> impl IntoView {
    view! { <span class=tone.class()><Drawing icon/><span>{text}</span></span> }.into_any()
}

/// Where a suggestion or an order stands.
#[component]
pub fn StatusTag(stands: Stands) -> impl IntoView {
    let (tone, icon) = look(stands);
    view! { <Tag tone icon text=words::stands(stands)/> }.into_any()
}

/// What an attempt came to.
#[component]
pub fn ReplyTag(reply: Option<ReplyWord>, doubtful: bool) -> impl IntoView {
    let (tone, icon) = match reply {
        Some(ReplyWord::Accepted) => (Tone::Ok, Icon::Check),
        Some(ReplyWord::Acknowledged) => (Tone::Wait, Icon::Dots),
        Some(ReplyWord::Refused) => (Tone::Bad, Icon::Cross),
        Some(ReplyWord::NotSent) => (Tone::Plain, Icon::Back),
        Some(ReplyWord::Unknown) => (Tone::Doubt, Icon::Question),
        None if doubtful => (Tone::Doubt, Icon::Question),
        None => (Tone::Wait, Icon::Arrow),
    };
    view! { <Tag tone icon text=words::reply(reply)/> }.into_any()
}
