//! Open cases: whose they are, by when, why, and what happens if nobody acts.

use super::icon::{Drawing, Icon};
use super::layout::heading_id;
use super::moment::{Here, Moment};
use super::plain::Words;
use super::words;
use crate::domain::case::Case;
use leptos::prelude::*;

/// The open ones among these, the one due first on top.
pub fn open(cases: &[Case]) -> Vec<Case> {
    let mut open: Vec<Case> = cases.iter().filter(|case| case.closed_at.is_none()).cloned().collect();
    open.sort_by_key(|case| case.due_at);
    open
}

/// One open case.
#[component]
pub fn CaseCard(case: Case, here: Here) -> impl IntoView {
    let (heading, labelled) = heading_id(case.id.as_str());
    let reason = reason_beside(&case).map(|text| view! { <div><Words text/></div> });
    let left = words::sentence_case(&here.left(case.due_at));
    let left = if here.is_late(case.due_at) {
        view! { <p class="clock clock-late"><Drawing icon=Icon::Alert/>{left}</p> }.into_any()
    } else {
        view! { <p class="clock"><Drawing icon=Icon::Clock/>{left}</p> }.into_any()
    };
    view! {
        <section class="card case" aria-labelledby=labelled>
            <h2 id=heading>{words::case_kind(case.kind)}</h2>
            <dl class="facts">
                <dt>"Owner"</dt><dd>{case.owner_name}</dd>
                <dt>"Due"</dt><dd><Moment at=case.due_at here/></dd>
            </dl>
            {left}
            {reason}
            <p class="fine">{words::case_left_alone(case.kind)}" Open since "<Moment at=case.opened_at here/>"."</p>
        </section>
    }
    .into_any()
}

/// The reason, unless the heading says the same.
fn reason_beside(case: &Case) -> Option<String> {
    let heading = words::case_kind(case.kind).replace('’', "'");
    let reason = words::sentence_case(&case.reason);
    (!reason.eq_ignore_ascii_case(&heading)).then_some(reason)
}
