//! An order, for life: where it stands in plain words, what was approved, sent and recorded, every attempt, what
//! happened, and whose it is. Bookmark, reload and print show the same (rule 21).

use super::answer::answered;
use super::attempts::Attempts;
use super::cases::{self, CaseCard};
use super::comparison::Comparison;
use super::error_summary::ErrorSummary;
use super::follow::Follow;
use super::headline::Called;
use super::history::History;
use super::layout::{Frame, Place, heading_id};
use super::lead::Lead;
use super::moment::{Here, Moment};
use super::order_card::{DoAndDont, IdentityCard};
use super::order_facts::{Delivery, LinesTable};
use super::plain::Passage;
use super::status_tag::StatusTag;
use super::words::{self, things};
use crate::calls;
use crate::domain::order::OrderState;
use crate::domain::pages::{OrderPage, Stands};
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
    let summary = page.draft.clone().map(|draft| view! { <ErrorSummary draft here/> });
    let compared = view! { <Comparison page=page.clone() here/> };
    let attempts = view! { <Attempts attempts=page.attempts.clone() here/> };
    let ids = page.attempts.iter().map(|shown| shown.attempt.id.clone()).collect();
    let history = view! { <History events=page.history.clone() attempts=ids here/> };
    view! {
        <Frame title viewer=page.viewer.clone() place=Place::Orders>
            {summary}
            <Heading page=page.clone() here/>
            <div class="columns">
                <Care page=page.clone() here/>
                <div class="columns-main">
                    <Part id="compared" name="Approved, sent, recorded">{compared}</Part>
                    <Part id="attempts" name="Attempts">{attempts}</Part>
                    <Part id="history" name="What happened">{history}</Part>
                    <Frozen page=page.clone() here/>
                </div>
                <aside class="columns-side" aria-label="Names and origin"><IdentityCard page here/></aside>
            </div>
        </Frame>
    }
    .into_any()
}

/// Whose it is, by when, and what not to do; nothing where nothing is open. On a narrow screen it comes first.
#[component]
fn Care(page: OrderPage, here: Here) -> impl IntoView {
    let cases = cases::open(&page.cases);
    let state = page.life.state;
    let in_doubt = [OrderState::ConfirmationPending, OrderState::Acknowledged].contains(&state);
    let cards = (in_doubt || !cases.is_empty()).then(|| {
        (
            cases
                .into_iter()
                .map(|case| view! { <CaseCard case here/> })
                .collect_view(),
            page.supplier_name,
        )
    });
    cards.map(|(cards, supplier)| {
        view! { <aside class="columns-side" aria-label="Owner and deadline">{cards}<DoAndDont state supplier/></aside> }
    })
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
    let due = due.map(|case| view! { <span>{case.owner_name}", due "<Moment at=case.due_at here/></span> });
    let is_first = page.draft.is_none();
    view! {
        <div class="title">
            <p class="status-line">
                <StatusTag stands=Stands::of_order(&page.life)/>
                <span>"since "<Moment at=page.changed_at here/></span>
                {due}
            </p>
            <h1 class="goods" id="status" tabindex="-1" autofocus=is_first>
                <span class="part">{things::how_much(&page.contents)}</span>
                " "
                <span class="part">{format!("from {}", page.supplier_name)}</span>
                " "
                <span class="part">{format!("for {}", page.contents.total())}</span>
                " "
                <span class="part goods-name"><Called contents=page.contents.clone()/></span>
            </h1>
            <Lead page=page.clone() here/>
            <Following page/>
        </div>
    }
    .into_any()
}

/// Looks again by itself while the worker has it in hand.
#[component]
fn Following(page: OrderPage) -> impl IntoView {
    let is_moving = match page.life.state {
        OrderState::Approved => page.life.holds.is_empty(),
        OrderState::Submitting => true,
        OrderState::Acknowledged
        | OrderState::Confirmed
        | OrderState::ConfirmationPending
        | OrderState::Refused
        | OrderState::Withdrawn => false,
    };
    is_moving.then(|| {
        view! {
            <Follow order=page.id.to_string() mark=page.mark/>
            <noscript><meta http-equiv="refresh" content="3"/></noscript>
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
