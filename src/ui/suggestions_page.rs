//! Suggestions that wait for a decision, oldest first.

use super::answer::answered;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place};
use super::moment::Here;
use super::rows::{Columns, Rows};
use super::words;
use crate::calls;
use crate::domain::pages::SuggestionsPage;
use leptos::prelude::*;

/// `/suggestions`
#[component]
pub fn SuggestionsRoute() -> impl IntoView {
    let page = Resource::new(|| (), |()| calls::review::suggestions_page());
    answered(page, |page| view! { <Suggestions page/> })
}

#[component]
fn Suggestions(page: SuggestionsPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let waiting = usize::try_from(page.count).unwrap_or(usize::MAX);
    let lead = match waiting {
        0 => "No suggestion waits for a decision.".to_owned(),
        some => format!(
            "{} for a decision, oldest first.",
            words::count(some, "suggestion waits", "suggestions wait")
        ),
    };
    view! {
        <Frame title="Waiting for review" viewer=page.viewer place=Place::Review>
            <div class="title"><h1>"Waiting for review"</h1><p class="lead">{lead}</p></div>
            <section class="card" aria-label="Suggestions">
                {if page.rows.is_empty() {
                    view! {
                        <p class="empty">
                            <Drawing icon=Icon::Check/>
                            "All decided. What the assistant suggests next appears here."
                        </p>
                    }.into_any()
                } else {
                    view! { <Rows caption="Waiting for review" rows=page.rows columns=Columns::Since here/> }.into_any()
                }}
            </section>
        </Frame>
    }
    .into_any()
}
