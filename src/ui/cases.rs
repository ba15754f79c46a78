//! Open cases: whose they are, by when, why, and what happens if nobody acts.

use super::decide_case::{DecideCase, Deciding};
use super::hand_over::{AtIt, HandOver, HandingOver};
use super::icon::{Drawing, Icon};
use super::layout::heading_id;
use super::moment::{Here, Moment};
use super::plain::{Name, Words};
use super::words;
use crate::domain::case::Case;
use crate::domain::order::OrderState;
use crate::domain::pages::sheet_path;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// The open ones among these, the one due first on top.
pub fn open(cases: &[Case]) -> Vec<Case> {
    let mut open: Vec<Case> = cases.iter().filter(|case| case.closed_at.is_none()).cloned().collect();
    open.sort_by_key(|case| case.due_at);
    open
}

/// One open case.
#[component]
pub fn CaseCard(case: Case, here: Here, #[prop(optional)] to: Option<HandingOver>, by: Deciding) -> impl IntoView {
    let at_it = to.clone().map(|to| view! { <AtIt case=case.clone() to here/> });
    let hand_over = to.map(|to| view! { <HandOver case=case.clone() to here/> });
    let decide = view! { <DecideCase case=case.clone() by here/> };
    let (heading, labelled) = heading_id(case.id.as_str());
    let (kind, opened_at, sheet) = (case.kind, case.opened_at, sheet_path(&case.id));
    view! {
        <section class="card case" aria-labelledby=labelled>
            <h2 id=heading>{words::case_kind(kind)}</h2>
            <CaseFacts case here/>
            <p class="fine">{words::case_left_alone(kind)}" Open since "<Moment at=opened_at here/>"."</p>
            {decide}
            {at_it}
            {hand_over}
            <p><a href=sheet>"Hand-over sheet"</a></p>
        </section>
    }
    .into_any()
}

/// Whose it is, until when, and why it is somebody's; `without_why` where that is told beside it.
#[component]
pub fn CaseFacts(case: Case, here: Here, #[prop(optional)] without_why: bool) -> impl IntoView {
    let reason = reason_beside(&case)
        .filter(|_| !without_why)
        .map(|text| view! { <dt>"Why"</dt><dd class="case-why"><Words text/></dd> });
    let due = match case.closed_at {
        None => view! { <Due at=case.due_at here/> }.into_any(),
        Some(_) => view! { <Moment at=case.due_at here/> }.into_any(),
    };
    let told = words::queue::told_of(&case, here).map(|told| view! { <p class="fine"><Words text=told/></p> });
    view! {
        <dl class="facts">
            <dt>"Owner"</dt><dd><b><Name text=case.owner_name/></b></dd>
            <dt>"Due"</dt><dd>{due}{told}</dd>
            {reason}
        </dl>
    }
    .into_any()
}

/// Where an order waits for somebody and no case is open: that it is nobody's is a fact too.
#[component]
pub fn Nobodys(state: OrderState) -> impl IntoView {
    view! {
        <section class="card" aria-labelledby="nobodys-heading">
            <h2 id="nobodys-heading">"Nobody’s yet"</h2>
            <p>"No case is open, so it has no owner and no deadline. "{words::left_alone(state)}</p>
        </section>
    }
    .into_any()
}

/// The deadline, and how far it is.
#[component]
fn Due(at: DateTime<Utc>, here: Here) -> impl IntoView {
    let (class, icon) = match here.is_late(at) {
        true => ("clock clock-late", Icon::Alert),
        false => ("clock", Icon::Clock),
    };
    view! { <Moment at here/>" "<span class=class><Drawing icon/>{here.left(at)}</span> }.into_any()
}

/// The reason, unless the heading says the same.
fn reason_beside(case: &Case) -> Option<String> {
    let heading = words::case_kind(case.kind).replace('’', "'");
    let reason = words::sentence_case(&case.reason);
    (!reason.eq_ignore_ascii_case(&heading)).then_some(reason)
}
