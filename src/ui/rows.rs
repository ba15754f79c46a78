//! A table of suggestions or orders (case P15: urgency and state are two columns), the same in the queue and in the lists. On a narrow screen each row is a card.

use super::headline::RowGoods;
use super::icon::Icon;
use super::moment::{Here, Moment};
use super::plain::{Name, Words};
use super::status_tag::{StatusTag, Tag, Tone};
use super::words;
use crate::domain::calendar;
use crate::domain::order::OrderState;
use crate::domain::pages::{Row, Stands, Target, Why};
use crate::domain::queue::Urgency;
use crate::domain::suggestion::SuggestionState;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// The rows. `caption` names the table for readers and is not shown: a heading above says the same.
#[component]
pub fn Rows(#[prop(into)] caption: String, rows: Vec<Row>, here: Here) -> impl IntoView {
    view! {
        <table class="rows">
            <caption class="unseen">{caption}</caption>
            <thead>
                <tr>
                    <th scope="col">"Urgency"</th>
                    <th scope="col">"What"</th>
                    <th scope="col">"State"</th>
                    <th scope="col" class="number">"Amount"</th>
                    <th scope="col">"Owner"</th>
                    <th scope="col">"Last known"</th>
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(|row| view! { <OneRow row here/> }).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

#[component]
fn OneRow(row: Row, here: Here) -> impl IntoView {
    let matched = row
        .matched
        .iter()
        .map(words::queue::matched)
        .map(|found| view! { <p class="rows-matched"><Words text=found/></p> });
    let matched = matched.collect_view();
    let (owner, by) = (row.owner, row.by.map(|by| (by, row.since)));
    let owned = owner.is_some().then_some("Owner");
    let proposed = row.proposed.as_ref().map(words::queue::proposed);
    let proposed = proposed.map(|found| view! { <p><Words text=found/></p> });
    let others = words::queue::other_cases(row.other_cases, row.mine_is_another);
    let others = others.map(|others| view! { <p class="fine">{others}</p> });
    view! {
        <tr>
            <td class="rows-urgency" data-th="Urgency"><HowUrgent urgency=row.urgency here/></td>
            <td class="rows-what"><What target=row.target supplier=row.supplier_name headline=row.headline/>{matched}</td>
            <td class="rows-state"><StatusTag stands=row.stands/></td>
            <td class="number rows-amount" data-th="Amount">{row.total.map(|total| total.to_string())}</td>
            <td class="rows-owner" data-th=owned><Whose owner by here/></td>
            <td class="rows-why"><LastKnown why=row.why stands=row.stands here/>{proposed}{others}</td>
        </tr>
    }
    .into_any()
}

/// How urgent it is, in words, drawing and colour; beside its state, never in its place.
#[component]
fn HowUrgent(urgency: Urgency, here: Here) -> impl IntoView {
    let (tone, icon) = match urgency {
        Urgency::Late(_) => (Tone::Bad, Icon::Alert),
        Urgency::Unowned(_) | Urgency::OwnerAway(_) => (Tone::Doubt, Icon::Question),
        Urgency::Due(_) | Urgency::Waits(_) | Urgency::Over(_) => (Tone::Wait, Icon::Clock),
    };
    let at = match urgency {
        Urgency::Late(at)
        | Urgency::Unowned(at)
        | Urgency::OwnerAway(at)
        | Urgency::Due(at)
        | Urgency::Waits(at)
        | Urgency::Over(at) => at,
    };
    let tag = words::queue::urgency(urgency, here).map(|text| view! { <Tag tone icon text/> });
    let more = words::queue::urgency_more(urgency, here);
    view! {
        {tag}
        <time class="fine" datetime=at.to_rfc3339() title=calendar::long(at, here.zone)>{more}</time>
    }
    .into_any()
}

/// Whose the open case is, or who approved it.
#[component]
fn Whose(owner: Option<String>, by: Option<(String, DateTime<Utc>)>, here: Here) -> impl IntoView {
    let owned = owner.is_some();
    let by = by
        .filter(|_| !owned)
        .map(|(by, at)| view! { <span class="fine">"approved by "<Name text=by/>", "<Moment at here/></span> });
    view! { {owner.map(|owner| view! { <Name text=owner/> })}{by} }.into_any()
}

/// Whether nobody has to do anything more about it.
fn is_over(stands: Stands) -> bool {
    match stands {
        Stands::Suggestion(state) => !SuggestionState::OPEN.contains(&state),
        Stands::Order { state, .. } => OrderState::FINAL.contains(&state),
        Stands::SupplierHeld => false,
    }
}

/// What it is, from whom, and its id.
#[component]
pub fn What(target: Target, supplier: String, headline: String) -> impl IntoView {
    let id = target.id().to_owned();
    let supplier = (supplier != headline).then_some(supplier);
    view! {
        <a class="goods" href=target.path()><RowGoods headline/></a>
        <p class="rows-names">{supplier.map(|supplier| view! { <span>{supplier}</span> })}<span class="fine">{id}</span></p>
    }
    .into_any()
}

/// A deadline: late in words, drawing and colour; else how long is left.
#[component]
pub fn Due(due: DateTime<Utc>, here: Here) -> impl IntoView {
    let left = words::sentence_case(&here.left(due));
    let left = if here.is_late(due) {
        view! { <Tag tone=Tone::Bad icon=Icon::Alert text=left/> }.into_any()
    } else {
        view! { <span class="fine">{left}</span> }.into_any()
    };
    view! { <span class="due"><Moment at=due here/>" "{left}</span> }.into_any()
}

#[component]
fn LastKnown(why: Why, stands: Stands, here: Here) -> impl IntoView {
    if why == Why::Settled && !is_over(stands) {
        return ().into_any();
    }
    let at = match &why {
        Why::Again(at) => Some(*at),
        Why::Case(_)
        | Why::Held(_)
        | Why::Due
        | Why::Sending
        | Why::Acknowledged
        | Why::Review
        | Why::SentBack(_)
        | Why::Numbered(_)
        | Why::Settled => None,
    };
    view! { <Words text=words::why(&why)/>{at.map(|at| view! { " "<Moment at here/> })} }.into_any()
}
