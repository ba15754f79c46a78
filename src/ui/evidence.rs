//! What the assistant wrote: below the facts, labelled, plain text. It never decides, formats, links or approves (rule 19).

use super::plain::{Name, Passage, Words};
use crate::domain::suggestion::Evidence;
use leptos::prelude::*;

/// Most doubts shown at once; the rest fold.
const MOST: usize = 12;

/// Purpose, doubts and rationale.
#[component]
pub fn EvidenceCard(evidence: Evidence, purpose: String) -> impl IntoView {
    if let Some(name) = evidence.changed_by {
        return view! { <ByAPerson name purpose/> }.into_any();
    }
    let agent = evidence.proposed_by.map_or("an assistant".to_owned(), |by| by.agent);
    view! {
        <section class="card evidence" aria-labelledby="evidence-heading">
            <h2 id="evidence-heading">
                "From the assistant"
                <span class="label-more">"written by "<Name text=agent/>", not checked"</span>
            </h2>
            <h3>"What it is unsure of"</h3>
            <Doubts doubts=evidence.doubts/>
            <h3>"Its reason"</h3>
            <Said text=evidence.rationale label="The assistant’s reason" nothing="It gave none."/>
            <h3>"The wish"</h3>
            <Said text=purpose label="The wish" nothing="It named none."/>
        </section>
    }
    .into_any()
}

/// A person's change: what the assistant wrote was about the version before, and stands there.
#[component]
fn ByAPerson(name: String, purpose: String) -> impl IntoView {
    view! {
        <section class="card evidence" aria-labelledby="evidence-heading">
            <h2 id="evidence-heading">"Changed by "<Name text=name/></h2>
            <p class="soft">"What the assistant wrote was about the version before, and stands there."</p>
            <h3>"The wish"<span class="label-more">"written by the assistant, not checked"</span></h3>
            <Said text=purpose label="The wish" nothing="It named none."/>
        </section>
    }
    .into_any()
}

#[component]
fn Doubts(doubts: Vec<String>) -> impl IntoView {
    if doubts.is_empty() {
        return view! { <p class="soft">"It named nothing. That is not a promise."</p> }.into_any();
    }
    let item = |doubt: &String| view! { <li><Words text=doubt.clone()/></li> };
    let rest = doubts.get(MOST..).filter(|rest| !rest.is_empty()).map(|rest| {
        let summary = format!("{} more", rest.len());
        let items = rest.iter().map(item).collect_view();
        view! { <details class="fold"><summary>{summary}</summary><ul class="doubts">{items}</ul></details> }
    });
    view! { <ul class="doubts">{doubts.iter().take(MOST).map(item).collect_view()}</ul>{rest} }.into_any()
}

#[component]
fn Said(text: String, label: &'static str, nothing: &'static str) -> impl IntoView {
    if text.trim().is_empty() {
        view! { <p class="soft">{nothing}</p> }.into_any()
    } else {
        view! { <Passage text label/> }.into_any()
    }
}
