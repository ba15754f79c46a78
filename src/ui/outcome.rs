//! After the decision: who decided what, when and why, and where it went on.

use super::moment::{Here, Moment};
use super::plain::Passage;
use crate::domain::pages::{ReviewPage, Target};
use crate::domain::suggestion::SuggestionState;
use leptos::prelude::*;

/// The record of the decision, or nothing while none was made.
#[component]
pub fn Outcome(page: ReviewPage, here: Here) -> impl IntoView {
    let did = match page.suggestion.state {
        SuggestionState::InReview => None,
        SuggestionState::SentBack => Some("sent this back"),
        SuggestionState::Rejected => Some("rejected this"),
        SuggestionState::Approved => Some("approved this"),
        SuggestionState::Superseded => Some("replaced this by a newer version"),
    };
    let order = page
        .order
        .map(|order| view! { <a class="button" href=Target::Order(order).path()>"Go to the order"</a> });
    let newer = page.newer.map(|newer| {
        view! { <a class="button" href=Target::Suggestion(newer).path()>"Go to the newer version"</a> }
    });
    let next = (order.is_some() || newer.is_some()).then(|| view! { <p class="actions">{order}{newer}</p> });
    did.map(|did| {
        view! {
            <section class="card outcome" aria-labelledby="outcome-heading">
                <h2 id="outcome-heading">"What was decided"</h2>
                <p>
                    <b>{page.decided_by.unwrap_or_else(|| "The assistant".to_owned())}</b>" "{did}
                    {page.decided_at.map(|at| view! { ", " <Moment at here/> })}"."
                </p>
                {page.decision.map(|reason| view! { <Passage text=reason label="Reason"/> })}
                {next}
            </section>
        }
    })
}
