//! An order, for life: where it stands in plain words, what may be done now and what not, whose it is, what was approved,
//! sent and recorded, every attempt, and what happened. Bookmark, reload and print show the same (rule 21).

use super::answer::answered;
use super::attempts::Attempts;
use super::cases::{self, CaseCard, Nobodys};
use super::comparison::{Comparison, Theirs};
use super::decide_case::Deciding;
use super::error_summary::ErrorSummary;
use super::follow::Follow;
use super::hand_over::HandingOver;
use super::headline::Bought;
use super::history::History;
use super::icon::Icon;
use super::layout::{Frame, Place, heading_id};
use super::lead::Lead;
use super::moment::{Here, Moment};
use super::not_yours::NotYours;
use super::order_card::{DoAndDont, IdentityCard};
use super::order_facts::{Delivery, LinesTable};
use super::plain::{Name, Passage};
use super::resume_news::ResumeNews;
use super::settled::Settled;
use super::status_tag::{StatusTag, Tag, Tone};
use super::supplier_says::Promises;
use super::what_now::{self, WhatNow};
use super::words;
use crate::calls;
use crate::domain::order::{OrderState, may_find};
use crate::domain::pages::{OrderPage, Stands};
use chrono::TimeDelta;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

/// `/orders/{id}`
#[component]
pub fn OrderRoute() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = move || (params.read().get("id").unwrap_or_default(), query.read().get("refused"));
    let page = Resource::new(asked, |(id, refused)| calls::orders::order_page(id, refused));
    answered(page, |page| view! { <Order page/> })
}

#[component]
fn Order(page: OrderPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let title = format!(
        "{}: {}",
        words::stands(Stands::of_order(&page.life)),
        page.supplier_name
    );
    let forms = forms(&page);
    let summary = page
        .draft
        .clone()
        .map(|draft| view! { <ErrorSummary draft here forms/> });
    let columns = if what_now::is_open(page.life.state) {
        view! { <Unfinished page=page.clone() here/> }.into_any()
    } else {
        view! { <Finished page=page.clone() here/> }.into_any()
    };
    view! {
        <Frame title viewer=page.viewer.clone() place=Place::Orders>
            {summary}
            <Heading page here/>
            {columns}
        </Frame>
    }
    .into_any()
}

/// The acts that have a form on the page now.
fn forms(page: &OrderPage) -> Vec<&'static str> {
    let ways = &page.way_home.ways;
    let has_case = !cases::open(&page.cases).is_empty();
    [
        // a finding that waits for a second person takes only the same one
        (
            "record_finding",
            ways.record_finding.is_ok() && page.way_home.proposed.is_none(),
        ),
        ("hold", ways.hold.is_ok()),
        ("release", ways.release.is_ok()),
        ("withdraw", ways.withdraw.is_ok()),
        ("assign", ways.assign.is_ok() && has_case),
    ]
    .into_iter()
    .filter_map(|(act, stands)| stands.then_some(act))
    .collect()
}

/// The choice first, whose it is beside it, then the record of it all.
#[component]
fn Unfinished(page: OrderPage, here: Here) -> impl IntoView {
    let care = has_care(&page).then(|| {
        view! { <aside class="columns-side" aria-label="Owner and deadline"><Care page=page.clone() here/></aside> }
    });
    let (below, beside) = (view! { <IdentityCard page=page.clone() here/> }, care.is_none());
    let (below, beside) = if beside {
        (None, Some(below))
    } else {
        (Some(below), None)
    };
    let beside = beside.map(|card| view! { <aside class="columns-side" aria-label="Names and origin">{card}</aside> });
    view! {
        <div class="columns">
            <div class="columns-main"><WhatNow page=page.clone() here/></div>
            {care}
            <div class="columns-below"><Parts page here/>{below}</div>
            {beside}
        </div>
    }
    .into_any()
}

/// What came of it, with its names beside it.
#[component]
fn Finished(page: OrderPage, here: Here) -> impl IntoView {
    let care = has_care(&page).then(|| {
        view! { <aside class="columns-side" aria-label="Owner and deadline"><Care page=page.clone() here/></aside> }
    });
    view! {
        <div class="columns">
            {care}
            <div class="columns-main"><NotYours page=page.clone() here in_card=true/><Parts page=page.clone() here/></div>
            <aside class="columns-side" aria-label="Names and origin"><IdentityCard page here/></aside>
        </div>
    }
    .into_any()
}

/// The record: compared, tried, happened, frozen.
#[component]
fn Parts(page: OrderPage, here: Here) -> impl IntoView {
    let compared = view! { <Comparison page=page.clone() here/> };
    let attempts = view! { <Attempts attempts=page.attempts.clone() here/> };
    let ids = page.attempts.iter().map(|shown| shown.attempt.id.clone()).collect();
    let history = view! { <History events=page.history.clone() attempts=ids here/> };
    view! {
        <Part id="compared" name="Approved, sent, recorded">{compared}</Part>
        <Part id="attempts" name="Attempts">{attempts}</Part>
        <Part id="history" name="What happened">{history}</Part>
        <Frozen page here/>
    }
    .into_any()
}

fn has_care(page: &OrderPage) -> bool {
    may_find(&page.life).is_ok() || page.cases.iter().any(|case| case.closed_at.is_none())
}

/// Whose it is, by when, what not to do, and what the supplier promises.
#[component]
fn Care(page: OrderPage, here: Here) -> impl IntoView {
    let by = Deciding::on(&page.viewer, page.draft.as_ref(), Some(&page.life));
    let cards = cases::open(&page.cases)
        .into_iter()
        .map(|case| view! { <CaseCard case here to=HandingOver::on(&page) by=by.clone()/> })
        .collect::<Vec<_>>();
    let promises = may_find(&page.life)
        .is_ok()
        .then(|| view! { <Promises page=page.clone()/> });
    let nobody = cards.is_empty().then(|| view! { <Nobodys state=page.life.state/> });
    view! { {nobody}{cards}<DoAndDont page here/>{promises} }.into_any()
}

#[component]
fn Part(id: &'static str, name: &'static str, children: Children) -> impl IntoView {
    let (heading, labelled) = heading_id(id);
    view! { <section class="card" aria-labelledby=labelled><h2 id=heading>{name}</h2>{children()}</section> }.into_any()
}

/// The status, and focus on it: after a decision a reader hears where it stands, and no button lies under a held Enter.
#[component]
fn Heading(page: OrderPage, here: Here) -> impl IntoView {
    let due = cases::open(&page.cases).into_iter().next();
    let due = due.map(|case| view! { <span><Name text=case.owner_name/>", due "<Moment at=case.due_at here/></span> });
    let is_first = page.draft.is_none();
    let is_confirmed = page.life.state == OrderState::Confirmed;
    let uncompared = (is_confirmed && matches!(Theirs::of(&page, here), Theirs::Nothing(_)))
        .then(|| view! { <Tag tone=Tone::Doubt icon=Icon::Question text="Not compared"/> });
    view! {
        <div class="title">
            <p class="status-line">
                <StatusTag stands=Stands::of_order(&page.life)/>
                {uncompared}
                <span>"since "<Moment at=page.changed_at here/></span>
                {due}
            </p>
            <h1 class="goods" id="status" tabindex="-1" autofocus=is_first>
                <Bought contents=page.contents.clone() supplier=page.supplier_name.clone()/>
            </h1>
            <Lead page=page.clone() here/>
            <Settled page=page.clone() here/>
            <ResumeNews page=page.clone() here/>
            <Following page/>
        </div>
    }
    .into_any()
}

/// What is due later than this is not waited for.
const SOON: TimeDelta = TimeDelta::seconds(15);

/// Looks again by itself while something is under way that nobody has to wait for: an attempt, a look-up, a resume.
/// Otherwise it stays still: a page with a half-typed form must not go.
#[component]
fn Following(page: OrderPage) -> impl IntoView {
    let is_due = page.life.due_at.is_none_or(|due| due <= page.viewer.now + SOON);
    let is_moving = match page.life.state {
        OrderState::Approved => page.life.holds.is_empty() && is_due,
        OrderState::Submitting => true,
        OrderState::Acknowledged
        | OrderState::Confirmed
        | OrderState::ConfirmationPending
        | OrderState::Refused
        | OrderState::Withdrawn => false,
    };
    let is_asked = page.way_home.asking.is_some() || page.life.resume.is_some();
    // a request that waits for the supplier's release may wait for a quarter of an hour
    let every = if is_moving || page.supplier_held.is_none() {
        "3"
    } else {
        "30"
    };
    (is_moving || is_asked).then(|| {
        view! {
            <Follow order=page.id.to_string() mark=page.mark/>
            <noscript><meta http-equiv="refresh" content=every/></noscript>
        }
    })
}

/// What was approved, to the byte.
#[component]
fn Frozen(page: OrderPage, here: Here) -> impl IntoView {
    let bytes = String::from_utf8_lossy(&page.contents.normal_form()).into_owned();
    let contents = page.contents;
    view! {
        <section class="card" aria-labelledby="frozen-heading">
            <h2 id="frozen-heading">"What was approved"<span class="label-more">"frozen, unchanged since"</span></h2>
            <LinesTable contents=contents.clone()/>
            <Delivery contents supplier=page.supplier_name site=page.site_name here/>
            <details class="fold digest">
                <summary>"Contents "<code>{page.digest.short()}</code></summary>
                <p class="fine">"The SHA-256 of the contents that were approved; every request to the supplier is made from these bytes alone:"</p>
                <code class="wrap">{page.digest.to_string()}</code>
                <Passage text=bytes label="The exact bytes"/>
            </details>
        </section>
    }
    .into_any()
}
