//! What became of the orders that the viewer approved and others had to see to: whoever approved them need not ask.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::{Name, Words};
use super::rows::What;
use super::status_tag::StatusTag;
use super::words::{self, settled};
use crate::domain::pages::{Became, Results, Target};
use leptos::prelude::*;

/// Shown at once; the rest folds, so that what waits stays in sight.
const AT_ONCE: usize = 5;

/// The panel; nothing where there is nothing to tell.
#[component]
pub fn WhatBecame(results: Results, here: Here) -> impl IntoView {
    let Results { count, rows } = results;
    (count > 0).then(|| {
        view! {
            <section class="card" aria-labelledby="results-heading">
                <h2 id="results-heading"><Drawing icon=Icon::Check/>" What became of your orders"<span class="count">{count}</span></h2>
                <p class="fine">"Approved by you, seen to by somebody, and settled in the last seven days; the latest first."</p>
                <Rest rows count here/>
            </section>
        }
    })
}

/// The first, the rest folded, and how many are not shown at all.
#[component]
fn Rest(rows: Vec<Became>, count: usize, here: Here) -> impl IntoView {
    let left_out = count.saturating_sub(rows.len());
    let mut first = rows;
    let more = first.split_off(first.len().min(AT_ONCE));
    let more = (!more.is_empty()).then(|| {
        let summary = format!("{} more", more.len());
        view! { <details class="fold"><summary>{summary}</summary><Table caption="More of what became of your orders" rows=more here/></details> }
    });
    let left_out = (left_out > 0).then(|| {
        let words = format!(
            "{} not shown here. ",
            words::count(left_out, "older one is", "older ones are")
        );
        view! { <p class="fine rows-rest">{words}<a href="/orders">"See all orders"</a></p> }
    });
    view! { <Table caption="What became of your orders" rows=first here/>{more}{left_out} }.into_any()
}

#[component]
fn Table(caption: &'static str, rows: Vec<Became>, here: Here) -> impl IntoView {
    view! {
        <table class="rows">
            <caption class="unseen">{caption}</caption>
            <thead>
                <tr>
                    <th scope="col">"What"</th>
                    <th scope="col">"State"</th>
                    <th scope="col" class="number">"Amount"</th>
                    <th scope="col">"Settled"</th>
                    <th scope="col">"How"</th>
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(|row| view! { <OneResult row here/> }).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

#[component]
fn OneResult(row: Became, here: Here) -> impl IntoView {
    let number = row
        .reference
        .map(|text| view! { "Their number is "<b><Name text/></b>". " });
    let how = settled::how(&row.closing, here);
    let by = words::sentence_case(settled::by(&row.closing));
    view! {
        <tr>
            <td class="rows-what"><What target=Target::Order(row.order) supplier=row.supplier_name headline=row.headline/></td>
            <td class="rows-state"><StatusTag stands=row.stands/></td>
            <td class="number rows-amount" data-th="Amount">{row.total.to_string()}</td>
            <td data-th="Settled"><Moment at=row.closing.at here/><span class="fine"><Name text=by/></span></td>
            <td class="rows-why">{number}<Words text=how/></td>
        </tr>
    }
    .into_any()
}
