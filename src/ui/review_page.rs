//! A suggestion under review: the facts first, what is odd about it, the decision beside them, the assistant's words below.

use super::answer::answered;
use super::cases::{self, CaseCard};
use super::decide_case::Deciding;
use super::decision::DecisionCard;
use super::differences::DifferenceTable;
use super::error_summary::ErrorSummary;
use super::evidence::EvidenceCard;
use super::hand_over::HandingOver;
use super::icon::{Drawing, Icon};
use super::kin::OtherOrders;
use super::layout::{Frame, Place};
use super::moment::{Here, Moment};
use super::order_facts::{Delivery, LinesTable};
use super::outcome::Outcome;
use super::plain::Words;
use super::reused::BothSides;
use super::status_tag::StatusTag;
use super::words;
use crate::calls;
use crate::domain::difference::Difference;
use crate::domain::pages::{LookAlike, OtherOrder, ReviewPage, Stands, Target};
use crate::domain::suggestion::SuggestionState;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

/// `/suggestions/{id}`
#[component]
pub fn ReviewRoute() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = move || (params.read().get("id").unwrap_or_default(), query.read().get("refused"));
    let page = Resource::new(asked, |(id, refused)| calls::review::review_page(id, refused));
    answered(page, |page| view! { <Review page/> })
}

#[component]
fn Review(page: ReviewPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let contents = page.suggestion.contents.clone();
    let facts = words::facts_heading(page.suggestion.state);
    let is_open = SuggestionState::OPEN.contains(&page.suggestion.state);
    let title = format!("Review: {}, {}", page.supplier_name, contents.total());
    let (supplier, site) = (page.supplier_name.clone(), page.site_name.clone());
    let forms = [
        ("approve", page.may_approve.is_ok()),
        ("send_back", page.may_send_back.is_ok()),
        ("reject", page.may_reject.is_ok()),
    ];
    let forms = forms
        .into_iter()
        .filter_map(|(act, stands)| stands.then_some(act))
        .collect();
    let summary = page
        .draft
        .clone()
        .map(|draft| view! { <ErrorSummary draft here forms/> });
    let to = HandingOver::of(&page.viewer, &page.giving, page.draft.as_ref());
    let by = Deciding::on(&page.viewer, page.draft.as_ref(), None);
    let cases = cases::open(&page.cases)
        .into_iter()
        .map(|case| view! { <CaseCard case here to=to.clone() by=by.clone()/> })
        .collect_view();
    view! {
        <Frame title viewer=page.viewer.clone() place=Place::Review>
            {summary}
            <Heading page=page.clone() here/>
            <div class="columns">
                <div class="columns-main">
                    {cases}
                    <section class="card" aria-labelledby="facts-heading">
                        <h2 id="facts-heading">{facts}</h2>
                        <LinesTable contents=contents.clone()/>
                        <Delivery contents supplier site here/>
                    </section>
                    <Oddities page=page.clone() here/>
                </div>
                <aside class="columns-side" aria-label="Decision">
                    <Outcome page=page.clone() here/>
                    {is_open.then(|| view! { <DecisionCard page=page.clone() here/> })}
                    <Origin page=page.clone() here/>
                </aside>
                <div class="columns-below">
                    <EvidenceCard evidence=page.suggestion.evidence purpose=page.purpose/>
                </div>
            </div>
        </Frame>
    }
    .into_any()
}

#[component]
fn Heading(page: ReviewPage, here: Here) -> impl IntoView {
    let ask = if page.suggestion.state == SuggestionState::InReview {
        "Check before you approve:"
    } else {
        "Suggestion:"
    };
    view! {
        <div class="title">
            <p class="status-line">
                <StatusTag stands=Stands::Suggestion(page.suggestion.state)/>
                <span>"suggested "<Moment at=page.suggestion.created_at here/></span>
                <span>{format!("version {}", page.suggestion.revision)}</span>
            </p>
            <h1 class="goods" id="status">
                <span class="part">{ask}</span>
                " "
                <span class="part">{format!("{},", page.supplier_name)}</span>
                " "
                <span class="part">{page.suggestion.contents.total().to_string()}</span>
            </h1>
        </div>
    }
    .into_any()
}

/// What is odd about it: a supplier on hold, look-alikes, earlier orders, changes against the version before.
#[component]
fn Oddities(page: ReviewPage, here: Here) -> impl IntoView {
    let both = view! { <BothSides page=page.clone() here/> };
    let held = page
        .supplier_held
        .map(|reason| view! { <SupplierHeld supplier=page.supplier_name reason/> });
    let alike = (!page.look_alikes.is_empty()).then(|| view! { <LooksLike look_alikes=page.look_alikes here/> });
    let earlier = (!page.earlier_orders.is_empty()).then(|| view! { <Earlier orders=page.earlier_orders/> });
    let changes =
        (!page.changes.is_empty()).then(|| view! { <Changes revision=page.suggestion.revision changes=page.changes/> });
    view! { {both}{held}{alike}{earlier}{changes} }.into_any()
}

#[component]
fn SupplierHeld(supplier: String, reason: String) -> impl IntoView {
    view! {
        <section class="card notice" aria-labelledby="held-heading">
            <h2 id="held-heading"><Drawing icon=Icon::Pause/>"The supplier is on hold"</h2>
            <p>{supplier}" was put on hold. An order approved now waits until it is released."</p>
            <div class="fine">"Reason: "<Words text=reason/></div>
        </section>
    }
    .into_any()
}

#[component]
fn LooksLike(look_alikes: Vec<LookAlike>, here: Here) -> impl IntoView {
    let item = |one: LookAlike| {
        let (id, verb) = match &one.target {
            Target::Suggestion(id) => (id.to_string(), "suggested"),
            Target::Order(id) => (id.to_string(), "approved"),
            Target::Case(id) => (id.to_string(), "opened"),
        };
        let ago = format!("({} ago)", crate::domain::calendar::span(here.now - one.since));
        view! {
            <li>
                <a href=one.target.path()>{id}</a>" "<StatusTag stands=one.stands/>
                <span class="fine">{verb}" "<Moment at=one.since here/>" "{ago}", "{one.total.to_string()}</span>
            </li>
        }
    };
    view! {
        <section class="card notice" aria-labelledby="alike-heading">
            <h2 id="alike-heading"><Drawing icon=Icon::Alert/>"Looks like another order"</h2>
            <p>"The same articles in the same quantities, from the same supplier, to the same place. That proves nothing: if you want both, say so beside the button, and both are bought."</p>
            <ul class="links">{look_alikes.into_iter().map(item).collect_view()}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Earlier(orders: Vec<OtherOrder>) -> impl IntoView {
    view! {
        <section class="card notice" aria-labelledby="earlier-heading">
            <h2 id="earlier-heading"><Drawing icon=Icon::Alert/>"Earlier orders of the same wish"</h2>
            <p>"An earlier version of this suggestion was approved. This one gets an order of its own, beside it."</p>
            <OtherOrders orders/>
        </section>
    }
    .into_any()
}

#[component]
fn Changes(revision: u32, changes: Vec<Difference>) -> impl IntoView {
    let heading = format!(
        "{} since version {}",
        words::count(changes.len(), "change", "changes"),
        revision.saturating_sub(1)
    );
    view! {
        <section class="card" aria-labelledby="changes-heading">
            <h2 id="changes-heading">{heading}</h2>
            <DifferenceTable caption="Changes since the version before" before="Before" after="Now" differences=changes/>
        </section>
    }
    .into_any()
}

/// Where it came from.
#[component]
fn Origin(page: ReviewPage, here: Here) -> impl IntoView {
    let evidence = &page.suggestion.evidence;
    let by = evidence.proposed_by.clone();
    let (named, who) = match evidence.changed_by.clone() {
        Some(name) => ("Changed by", name),
        None => (
            "Suggested by",
            by.as_ref().map_or("unnamed".to_owned(), |by| by.agent.clone()),
        ),
    };
    let run = by.as_ref().and_then(|by| by.run.clone());
    let repeated = usize::try_from(page.repeated).unwrap_or(usize::MAX);
    view! {
        <section class="card" aria-labelledby="origin-heading">
            <h2 id="origin-heading">"Where it came from"</h2>
            <dl class="facts facts-small">
                <dt>{named}</dt><dd><Words text=who/></dd>
                <dt>"When"</dt><dd><Moment at=page.suggestion.created_at here precise=true/></dd>
                {run.map(|run| view! { <dt>"Run"</dt><dd><Words text=run/></dd> })}
                <dt>"Intent"</dt><dd><code class="wrap">{page.suggestion.intent.to_string()}</code></dd>
                <dt>"Version"</dt><dd>{page.suggestion.revision}</dd>
                <dt>"Suggestion"</dt><dd><code class="wrap">{page.suggestion.id.to_string()}</code></dd>
                {(repeated > 0).then(|| view! { <dt>"Repeated"</dt><dd>{words::count(repeated, "time", "times")}", unchanged"</dd> })}
            </dl>
        </section>
    }
    .into_any()
}
