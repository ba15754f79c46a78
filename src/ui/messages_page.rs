//! What people were told by e-mail: to whom, of what, how often it was tried, and where it is. The button sends it again.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place, heading_id};
use super::moment::{Here, Moment};
use super::plain::{Name, Passage, Words};
use super::reason_form::Hidden;
use super::status_tag::{Tag, Tone};
use super::why_not::WhyNot;
use super::words;
use super::words::messages as told;
use crate::calls;
use crate::domain::ids::{CaseId, MessageId};
use crate::domain::message::{MailStop, MessageShown, MessageState, Try, TryEnd};
use crate::domain::pages::{MessagesNow, sheet_path};
use crate::domain::refusal::Refusal;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// What the button says.
const SEND_AGAIN: &str = "Send again";

/// `/messages`
#[component]
pub fn MessagesRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || {
        let query = query.read();
        (query.get("after"), query.get("refused"))
    };
    let page = Resource::new(asked, |(after, refused)| calls::messages::messages_page(after, refused));
    answered(page, |now| view! { <Messages now/> })
}

#[component]
fn Messages(now: MessagesNow) -> impl IntoView {
    let MessagesNow { page, stop } = now;
    let here = Here::of(&page.viewer);
    let summary = page.draft.map(|draft| view! { <ErrorSummary draft here/> });
    let stopped = stop.map(|stop| view! { <Stopped stop/> });
    let older = page.next.map(|next| view! { <Older next/> });
    let body = if page.messages.is_empty() {
        view! { <p class="empty">"Nobody was told anything by e-mail here."</p> }.into_any()
    } else {
        let items = page.messages.into_iter().map(|one| view! { <One one stop here/> });
        view! { <ol class="messages">{items.collect_view()}</ol> }.into_any()
    };
    view! {
        <Frame title="Messages" viewer=page.viewer place=Place::Activity>
            {summary}
            <div class="title">
                <h1>"Messages"</h1>
                <p class="lead">"What people were told by e-mail, newest first."</p>
                <p><a href="/activity">"Everything that happened"</a></p>
            </div>
            {stopped}
            <section class="card" aria-label="Messages">{body}{older}</section>
        </Frame>
    }
    .into_any()
}

/// Nothing goes out, and why.
#[component]
fn Stopped(stop: MailStop) -> impl IntoView {
    view! {
        <div class="sieve-wrong" role="status">
            <p><Drawing icon=Icon::Pause/>{told::stopped(stop)}</p>
        </div>
    }
    .into_any()
}

#[component]
fn One(one: MessageShown, stop: Option<MailStop>, here: Here) -> impl IntoView {
    let (heading, labelled) = heading_id(one.id.as_str());
    let anchor = one.id.to_string();
    view! {
        <li class="message" id=anchor>
            <article aria-labelledby=labelled>
                <p class="message-head">
                    <StateTag state=one.state.clone()/>
                    <span>"to "<b><Name text=one.to_name/></b></span>
                    <span class="fine">"written "<Moment at=one.written_at here precise=true/></span>
                </p>
                <h2 id=heading><Name text=one.subject/></h2>
                <p class="fine message-about">
                    <span>{told::kind(one.kind)}</span>
                    <About case=one.case/>
                    <Where state=one.state stop here/>
                </p>
                <Tries tries=one.tries body=one.body here/>
                <Again id=one.id may=one.may_send_again here/>
            </article>
        </li>
    }
    .into_any()
}

#[component]
fn StateTag(state: MessageState) -> impl IntoView {
    let (tone, icon) = match &state {
        MessageState::Waiting { .. } => (Tone::Wait, Icon::Clock),
        MessageState::Sending => (Tone::Wait, Icon::Arrow),
        MessageState::Sent { .. } => (Tone::Ok, Icon::Check),
        MessageState::GivenUp { in_vain: true, .. } => (Tone::Bad, Icon::Cross),
        MessageState::GivenUp { in_vain: false, .. } => (Tone::Wait, Icon::Cross),
    };
    view! { <Tag tone icon text=told::state(&state)/> }.into_any()
}

/// What it is about: a case's sheet, or the queue.
#[component]
fn About(case: Option<CaseId>) -> impl IntoView {
    match case {
        Some(case) => view! { <a href=sheet_path(&case)>"The case"</a> }.into_any(),
        None => view! { <a href="/">"The queue"</a> }.into_any(),
    }
}

/// Since when it is where it is, or when it goes on.
#[component]
fn Where(state: MessageState, stop: Option<MailStop>, here: Here) -> impl IntoView {
    match state {
        MessageState::Waiting { until } => match stop {
            Some(stop) => view! { <span>{told::waits_for(stop)}</span> }.into_any(),
            None if here.is_late(until) => view! { <span>"goes out within a moment"</span> }.into_any(),
            None => view! { <span>"next try at "<Moment at=until here precise=true/></span> }.into_any(),
        },
        MessageState::Sending => view! { <span>"the mail server is spoken to now"</span> }.into_any(),
        MessageState::Sent { at } => {
            view! { <span>"the mail server took it at "<Moment at here precise=true/></span> }.into_any()
        }
        MessageState::GivenUp { at, because, .. } => {
            view! { <span>"given up at "<Moment at here precise=true/>": "<Words text=because/></span> }.into_any()
        }
    }
}

/// How often it was tried and how that ended last; each try, and what was written, on asking.
#[component]
fn Tries(tries: Vec<Try>, body: String, here: Here) -> impl IntoView {
    let last = tries.last().map(|last| told::try_end(last.ended.map(|(_, end)| end)));
    let how_often = match last {
        Some(last) => format!(
            "{}, the last: {}",
            words::count(tries.len(), "try", "tries"),
            words::lower(last)
        ),
        None => "Not tried yet".to_owned(),
    };
    let items = tries.into_iter().map(|one| view! { <OneTry one here/> }).collect_view();
    view! {
        <details class="fold">
            <summary>{how_often}</summary>
            <ol class="attempts">{items}</ol>
            <Passage text=body label="The message as it was written"/>
        </details>
    }
    .into_any()
}

#[component]
fn OneTry(one: Try, here: Here) -> impl IntoView {
    let end = one.ended.map(|(_, end)| end);
    let (tone, icon) = match end {
        Some(TryEnd::Accepted) => (Tone::Ok, Icon::Check),
        Some(TryEnd::Failed) => (Tone::Plain, Icon::Back),
        Some(TryEnd::Refused) => (Tone::Bad, Icon::Cross),
        Some(TryEnd::Lost) => (Tone::Doubt, Icon::Question),
        None => (Tone::Wait, Icon::Arrow),
    };
    let until = one.ended.map(|(at, _)| view! { " to "<Moment at here precise=true/> });
    let detail = one
        .detail
        .filter(|text| !text.is_empty())
        .map(|text| view! { <div><Words text/></div> });
    view! {
        <li class="attempt">
            <p class="attempt-head">
                <b>{format!("Try {}", one.number)}</b>
                <Tag tone icon text=told::try_end(end)/>
                <span class="fine"><Moment at=one.at here precise=true/>{until}</span>
            </p>
            {detail}
        </li>
    }
    .into_any()
}

/// The button, or why there is none.
#[component]
fn Again(id: MessageId, may: Result<(), Refusal>, here: Here) -> impl IntoView {
    match may {
        Ok(()) => view! {
            <form method="post" action="/act/send_again">
                <Hidden fields=vec![("message", id.to_string())]/>
                <button class="button button-quiet button-small">{SEND_AGAIN}</button>
            </form>
        }
        .into_any(),
        Err(refusal) => view! {
            <div class="no-disabled">
                <button class="button button-quiet button-small" disabled=true>{SEND_AGAIN}</button>
                <div class="fine"><WhyNot refusal here/></div>
            </div>
        }
        .into_any(),
    }
}

#[component]
fn Older(next: MessageId) -> impl IntoView {
    let href = format!("/messages?after={next}");
    view! { <p class="rows-rest"><a class="button button-quiet" rel="next" href=href>"Older messages"</a></p> }
        .into_any()
}
