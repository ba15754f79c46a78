//! What every sheet of a case is made of: a question with its answer, ways in words, whose the case is, and how it ended.

use super::cases::CaseFacts;
use super::history::History;
use super::icon::{Drawing, Icon};
use super::layout::heading_id;
use super::moment::{Here, Moment};
use super::order_card::NotSafe;
use super::plain::Name;
use super::words::sheet::{self, closes_with};
use super::words::ways::{Way, decisions};
use super::words::{self, settled};
use crate::domain::case::Case;
use crate::domain::closing::Closing;
use crate::domain::order::OrderState;
use crate::domain::pages::Viewer;
use leptos::prelude::*;

/// One question and its answer. `id` is the question's own on its sheet.
#[component]
pub fn Question(id: &'static str, asked: &'static str, children: Children) -> impl IntoView {
    let (heading, labelled) = heading_id(id);
    let class = format!("question question-{id}");
    view! { <section class=class aria-labelledby=labelled><h2 id=heading>{asked}</h2>{children()}</section> }.into_any()
}

/// Ways on as text: open with what they do, or shut with the reason. A sheet has nothing to press.
#[component]
pub fn Ways(ways: Vec<Way>, #[prop(optional)] more: Option<AnyView>) -> impl IntoView {
    let item = |way: Way| match way.does {
        Ok(does) => view! { <li><Drawing icon=Icon::Check/><span><b>{way.name}</b>": "{does}</span></li> }.into_any(),
        Err(why) => view! {
            <li class="shut"><Drawing icon=Icon::Cross/><span><b>{way.name}", not offered"</b>": "{why}</span></li>
        }
        .into_any(),
    };
    view! { <ul class="do">{ways.into_iter().map(item).collect_view()}{more}</ul> }.into_any()
}

/// What is not safe.
#[component]
pub fn MustNot(words: Vec<String>) -> impl IntoView {
    view! { <Question id="not" asked=sheet::WHAT_MUST_I_NOT><NotSafe words/></Question> }.into_any()
}

/// Whose it is, what time alone does, and what ends it. `state` is where the case's order stands.
#[component]
pub fn Owned(
    case: Case,
    viewer: Viewer,
    state: Option<OrderState>,
    here: Here,
    #[prop(optional)] without_why: bool,
) -> impl IntoView {
    let (kind, opened_at) = (case.kind, case.opened_at);
    let decided = decisions(kind, &viewer.roles, state, here);
    let decided = (!decided.is_empty()).then(|| view! { <Ways ways=decided/> });
    view! {
        <Question id="owner" asked=sheet::WHO_OWNS_IT>
            <CaseFacts case here without_why/>
            <p class="fine">"Open since "<Moment at=opened_at here/>"."</p>
        </Question>
        <Question id="alone" asked=sheet::IF_NOBODY_ACTS><p>{words::case_left_alone(kind)}</p></Question>
        <Question id="closes" asked=sheet::WHAT_CLOSES_IT>
            <p>{closes_with(kind)}" Time alone never closes it."</p>
            {decided}
        </Question>
    }
    .into_any()
}

/// How it ended, and whose it was.
#[component]
pub fn Closed(case: Case, closing: Option<Closing>, here: Here, #[prop(optional)] without_why: bool) -> impl IntoView {
    let at = case.closed_at;
    let by = closing.as_ref().map(|closing| {
        let by = settled::by(closing).to_owned();
        let by = if by == settled::BY_ITSELF {
            by
        } else {
            format!("by {by}")
        };
        view! { " "<Name text=by/> }
    });
    let story = closing.map(|closing| {
        let events = closing.story();
        view! { <History events attempts=closing.attempts here/> }
    });
    view! {
        <Question id="closed" asked=sheet::HOW_IT_CLOSED>
            <p>"It was closed"{by}{at.map(|at| view! { ", "<Moment at here precise=true/> })}". Nothing more is to be done about it."</p>
            {story}
        </Question>
        <Question id="owner" asked=sheet::WHO_OWNED_IT><CaseFacts case here without_why/></Question>
    }
    .into_any()
}
