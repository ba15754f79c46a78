//! The sentences over an order in doubt: what was sent, whether it left us, what the supplier says and when it was asked,
//! and that nothing goes out again by itself. The heart of the product, in four lines.

use super::cases;
use super::lead::{Number, last};
use super::moment::{Here, Moment};
use super::plain::Name;
use super::words::{self, home};
use crate::domain::attempt::{Attempt, ReplyWord};
use crate::domain::case::CaseKind;
use crate::domain::look_up::{AnswerWord, Established, FindingWord, Source, last_said};
use crate::domain::pages::OrderPage;
use leptos::prelude::*;

/// Confirmation pending.
#[component]
pub fn Pending(page: OrderPage, here: Here) -> impl IntoView {
    let open = cases::open(&page.cases);
    if open.iter().any(|case| case.kind == CaseKind::LateRecord) {
        return view! { <LateRecord page here/> }.into_any();
    }
    let supplier = page.supplier_name.clone();
    let number = page.life.supplier_reference.clone();
    let sends_again = home::sends_again(&page.way_home.contract);
    view! {
        <p class="lead">
            <SentOnce page=page.clone() here/>
            <TookBack page=page.clone() here/>
            <Known page here/>
            {sends_again}
        </p>
        <Number supplier reference=number/>
    }
    .into_any()
}

/// A record turned up after the order was thought settled.
#[component]
fn LateRecord(page: OrderPage, here: Here) -> impl IntoView {
    let seen = page
        .way_home
        .record
        .as_ref()
        .map(|record| view! { ", seen at "<Moment at=record.at here/> });
    let supplier = page.supplier_name.clone();
    view! {
        <p class="lead">
            <SentOnce page=page.clone() here/>
            "It was thought not to be there; "
            <strong>{format!("now {supplier} has a record of it")}{seen}", that nobody has judged."</strong>
            " Nothing is sent."
        </p>
        <Number supplier reference=page.life.supplier_reference/>
    }
    .into_any()
}

/// When it was sent, and how that ended. One that ended "not placed" left nothing behind and is not counted.
#[component]
fn SentOnce(page: OrderPage, here: Here) -> impl IntoView {
    let sent: Vec<Attempt> = page
        .attempts
        .iter()
        .map(|shown| shown.attempt.clone())
        .filter(|attempt| attempt.reply != Some(ReplyWord::NotSent))
        .collect();
    let told = sent
        .iter()
        .rev()
        .find(|attempt| attempt.is_doubtful(here.now))
        .or(sent.last());
    let told = told.cloned().or_else(|| last(&page));
    let times = match sent.len() {
        0 | 1 => "We sent this order at ".to_owned(),
        times => format!("We sent the same order {times} times; the last without a clear answer at "),
    };
    told.map(|attempt| {
        let detail = attempt
            .detail
            .unwrap_or_else(|| words::reply_means(attempt.reply).to_owned());
        view! { {times}<Moment at=attempt.started_at here precise=true/>". "<Name text=ended(&detail)/>" " }
    })
}

/// They said that they have it, and later that they do not.
#[component]
fn TookBack(page: OrderPage, here: Here) -> impl IntoView {
    let last = page.way_home.findings.into_iter().next_back();
    let last = last.filter(|one| one.finding == FindingWord::NotAtSupplier);
    last.map(|one| view! { "At "<Moment at=one.at here/>" "<FoundBy one/>" no record of it any more. " })
}

/// Whom a finding comes from, and that it was found.
#[component]
fn FoundBy(one: Established) -> impl IntoView {
    match (one.source, one.by) {
        (Source::Person, Some(name)) => view! { <Name text=name/>" found" }.into_any(),
        (Source::Person, None) => "a person found".into_any(),
        (Source::LookUp, _) => "our look-ups found".into_any(),
        (Source::Reply, _) => "a late answer told of".into_any(),
    }
}

/// What is known of their side: a record that somebody has to judge, or nothing certain and what was asked so far.
#[component]
fn Known(page: OrderPage, here: Here) -> impl IntoView {
    let supplier = page.supplier_name;
    // what was seen before somebody found out otherwise says nothing any more
    let found = page
        .way_home
        .findings
        .iter()
        .filter(|one| one.finding != FindingWord::CouldNotTell);
    let since = found.map(|one| one.at).max();
    let look_ups: Vec<_> = page
        .way_home
        .look_ups
        .into_iter()
        .filter(|one| since.is_none_or(|at| one.at > at))
        .collect();
    let said = last_said(&look_ups);
    match said.filter(|one| one.answer == AnswerWord::Found).map(|one| one.records.len()) {
        Some(1) => view! { <strong>{format!("{supplier} has a record of it")}</strong>", which a person has to judge: see below." }.into_any(),
        Some(several) => view! {
            <strong>{format!("{supplier} has {several} records of it.")}</strong>" A person has to find out which one counts."
        }
        .into_any(),
        None => {
            let asked = home::asked_so_far(&look_ups, here).map(|words| format!(" {words}"));
            view! { <strong>{supplier}" may or may not have it."</strong>{asked} }.into_any()
        }
    }
}

/// They have it, and have not said yes.
#[component]
pub fn Acknowledged(page: OrderPage, here: Here) -> impl IntoView {
    let sent = last(&page)
        .map(|attempt| view! { "We sent this order at "<Moment at=attempt.started_at here precise=true/>". " });
    let supplier = page.supplier_name.clone();
    let number = page.life.supplier_reference.clone();
    let not_yet = if page.way_home.contract.read_back {
        "what it recorded has not been read back yet."
    } else {
        "has not confirmed it yet."
    };
    view! {
        <p class="lead">
            {sent}{supplier.clone()}" has it and "<strong>{not_yet}</strong>
            " Nothing more is sent; it waits for their yes or no."
        </p>
        <Number supplier reference=number/>
    }
    .into_any()
}

/// Found not to be there, and waiting for a person.
#[component]
pub fn NotFound(page: OrderPage, here: Here) -> impl IntoView {
    let supplier = page.supplier_name.clone();
    let nones = page
        .way_home
        .look_ups
        .iter()
        .filter(|one| one.answer == AnswerWord::None)
        .count();
    let found = page
        .way_home
        .findings
        .iter()
        .rev()
        .find(|one| one.finding == FindingWord::NotAtSupplier);
    let how = found.cloned().map(|one| {
        let at = one.at;
        match one.source {
            Source::LookUp => {
                view! { {format!(" They were asked {nones} times, last at ")}<Moment at here/>"." }.into_any()
            }
            Source::Person => {
                let by = one.by.unwrap_or_else(|| "A person".to_owned());
                view! { " "<Name text=by/>" found that out at "<Moment at here/>"." }.into_any()
            }
            Source::Reply => {
                view! { " Our own process reported at "<Moment at here/>" that it had sent nothing." }.into_any()
            }
        }
    });
    view! {
        <p class="lead">
            <SentOnce page here/>
            <strong>{format!("{supplier} has no record of it.")}</strong>{how}
            " Nothing is sent unless a person resumes it."
        </p>
    }
    .into_any()
}

/// The same words with a full stop.
fn ended(words: &str) -> String {
    if words.ends_with(['.', '!', '?']) {
        words.to_owned()
    } else {
        format!("{words}.")
    }
}
