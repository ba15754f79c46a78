//! Suggestions that wait for a decision, oldest first.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place};
use super::moment::Here;
use super::rows::Rows;
use super::words;
use crate::calls;
use crate::domain::pages::SuggestionsPage;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// `/suggestions`
#[component]
pub fn SuggestionsRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || (query.read().get("after"), query.read().get("refused"));
    let page = Resource::new(asked, |(after, refused)| {
        calls::review::suggestions_page(after, refused)
    });
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
    let summary = page.draft.map(|draft| view! { <ErrorSummary draft here/> });
    view! {
        <Frame title="Waiting for review" viewer=page.viewer place=Place::Review>
            {summary}
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
                    view! { <Rows caption="Waiting for review" rows=page.rows here/> }.into_any()
                }}
                {page.next.map(|next| view! {
                    <p class="rows-rest"><a class="button button-quiet" rel="next" href=format!("/suggestions?after={next}")>"Later suggestions"</a></p>
                })}
            </section>
        </Frame>
    }
    .into_any()
}
