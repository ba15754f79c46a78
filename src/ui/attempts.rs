//! Every try to send the order, oldest first: when, how it ended, and what the supplier said, as text.

use super::moment::{Here, Moment};
use super::plain::{Name, Passage, Words};
use super::status_tag::ReplyTag;
use super::words;
use crate::domain::attempt::{Attempt, ReplyWord};
use crate::domain::pages::AttemptShown;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// The attempts.
#[component]
pub fn Attempts(attempts: Vec<AttemptShown>, here: Here) -> impl IntoView {
    if attempts.is_empty() {
        return view! { <p class="empty">"No attempt yet. Each one is written here before anything is sent."</p> }
            .into_any();
    }
    let items = attempts
        .into_iter()
        .zip(1..)
        .map(|(shown, number)| view! { <OneAttempt attempt=shown.attempt number here/> });
    view! { <ol class="attempts">{items.collect_view()}</ol> }.into_any()
}

#[component]
fn OneAttempt(attempt: Attempt, number: usize, here: Here) -> impl IntoView {
    let doubtful = attempt.is_doubtful(here.now);
    let detail = attempt
        .detail
        .clone()
        .unwrap_or_else(|| words::reply_means(attempt.reply).to_owned());
    let was_doubt = matches!(attempt.reply, Some(ReplyWord::Unknown) | None);
    let answered =
        (was_doubt && attempt.answered).then(|| view! { <p class="fine">"This doubt was settled later."</p> });
    view! {
        <li class="attempt">
            <p class="attempt-head">
                <b>{format!("Attempt {number}")}</b>
                <ReplyTag reply=attempt.reply doubtful/>
                <Span from=attempt.started_at to=attempt.ended_at here/>
            </p>
            <div><Words text=detail/></div>
            <Answer attempt/>
            {answered}
        </li>
    }
    .into_any()
}

/// `09:12:04, 1.8 s`, or that it has not ended.
#[component]
fn Span(from: DateTime<Utc>, to: Option<DateTime<Utc>>, here: Here) -> impl IntoView {
    let length = to.map(|to| match (to - from).num_milliseconds().max(0) {
        short @ ..1_000 => format!("{short} ms"),
        long => format!("{}.{} s", long / 1_000, long % 1_000 / 100),
    });
    view! {
        <span class="fine">
            <Moment at=from here precise=true/>
            {match to {
                Some(at) => view! { " to "<Moment at here precise=true/>{length.map(|length| format!(" ({length})"))} }.into_any(),
                None => ", not ended".into_any(),
            }}
        </span>
    }
    .into_any()
}

/// Status, reference and a safe piece of the answer.
#[component]
fn Answer(attempt: Attempt) -> impl IntoView {
    let status = attempt
        .http_status
        .map(|status| view! { <span>"HTTP status "{status}</span> });
    let reference = attempt
        .reference
        .map(|text| view! { <span>"reference "<Name text/></span> });
    let excerpt = attempt.excerpt.filter(|text| !text.is_empty()).map(|text| {
        view! {
            <details class="fold">
                <summary>"The beginning of their answer"</summary>
                <Passage text label="The beginning of the supplier’s answer"/>
            </details>
        }
    });
    let facts = (status.is_some() || reference.is_some())
        .then(|| view! { <p class="fine attempt-facts">{status}{reference}</p> });
    view! { {facts}{excerpt} }.into_any()
}
