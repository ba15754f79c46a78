//! What will be bought, from whom, for how much: the facts, before anything anybody wrote about them.

use super::icon::{Drawing, Icon};
use super::moment::Here;
use super::note_numbers;
use super::plain::{Passage, Words};
use super::words::things;
use crate::domain::calendar;
use crate::domain::contents::{Charge, ChargeKind, Line, OrderContents};
use crate::domain::money::{Currency, Money};
use chrono::NaiveDate;
use leptos::prelude::*;

/// Lines, charges and total.
#[component]
pub fn LinesTable(contents: OrderContents) -> impl IntoView {
    let currency = contents.currency;
    let lines = contents
        .lines
        .iter()
        .cloned()
        .map(|line| view! { <LineRow line currency/> })
        .collect_view();
    let has_charges = !contents.charges.is_empty();
    let charges = contents
        .charges
        .iter()
        .cloned()
        .map(|charge| view! { <ChargeRow charge currency/> })
        .collect_view();
    view! {
        <table class="lines">
            <caption class="unseen">"Lines"</caption>
            <thead>
                <tr>
                    <th scope="col">"Article"</th>
                    <th scope="col" class="number">"Quantity"</th>
                    <th scope="col" class="number">"Price"</th>
                    <th scope="col" class="number">"Line total"</th>
                </tr>
            </thead>
            <tbody>{lines}</tbody>
            <tfoot>
                {has_charges.then(|| view! { <SumRow label="Lines together" sum=contents.lines_total()/> })}
                {charges}
                <tr class="lines-total">
                    <th scope="row" colspan="3">"Total, without tax"</th>
                    <td class="number" data-th="Total, without tax">{contents.total().to_string()}</td>
                </tr>
            </tfoot>
        </table>
    }
    .into_any()
}

#[component]
fn LineRow(line: Line, currency: Currency) -> impl IntoView {
    let total = line.total(currency);
    let pack = things::pack(&line);
    let price = things::price(currency, line.unit_price, line.price_per, line.unit);
    view! {
        <tr>
            <td class="lines-article">
                {line.sku.map(|sku| view! { <div class="sku"><Words text=sku/></div> })}
                {line.description.map(|words| view! { <div class="description"><Words text=words/></div> })}
            </td>
            <td class="number" data-th="Quantity">
                <span class="amount">{things::quantity(line.quantity, line.unit)}</span>
                {pack.map(|pack| view! { <span class="fine">{pack}</span> })}
            </td>
            <td class="number" data-th="Price">{price}</td>
            <td class="number" data-th="Line total">
                <span class="amount">{total.rounded.to_string()}</span>
                {things::exact(&total).map(|exact| view! { <span class="fine">{exact}</span> })}
            </td>
        </tr>
    }
    .into_any()
}

#[component]
fn SumRow(label: &'static str, sum: Money) -> impl IntoView {
    view! {
        <tr>
            <th scope="row" colspan="3">{label}</th>
            <td class="number" data-th=label>{sum.to_string()}</td>
        </tr>
    }
    .into_any()
}

#[component]
fn ChargeRow(charge: Charge, currency: Currency) -> impl IntoView {
    let amount = Money::rounded(currency, charge.amount.value());
    let (label, amount) = match charge.kind {
        ChargeKind::Charge => ("Charge", format!("+{amount}")),
        ChargeKind::Allowance => ("Allowance", format!("−{amount}")),
    };
    view! {
        <tr>
            <th scope="row" colspan="3">
                {label}
                {charge.reason.map(|reason| view! { <div class="description"><Words text=reason/></div> })}
            </th>
            <td class="number" data-th=label>{amount}</td>
        </tr>
    }
    .into_any()
}

/// Where it goes, by when, and what the supplier is told.
#[component]
pub fn Delivery(contents: OrderContents, supplier: String, site: String, here: Here) -> impl IntoView {
    let odd = note_numbers::unmatched(&contents);
    view! {
        <dl class="facts">
            <dt>"Supplier"</dt><dd>{supplier}</dd>
            <dt>"Deliver to"</dt><dd>{site}</dd>
            <dt>"Needed by"</dt><dd><NeededBy date=contents.needed_by here/></dd>
        </dl>
        {contents.note_to_supplier.map(|note| view! { <Note note odd/> })}
    }
    .into_any()
}

/// A date that has passed is pointed out, not refused (doors.md).
#[component]
fn NeededBy(date: Option<NaiveDate>, here: Here) -> impl IntoView {
    let past = date.is_some_and(|date| date < here.today());
    let words = date.map_or("no date given".to_owned(), calendar::day);
    view! {
        <span class:soft=date.is_none()>{words}</span>
        {past.then(|| view! { <span class="odd"><Drawing icon=Icon::Alert/>"this date has passed"</span> })}
    }
    .into_any()
}

/// The note goes to the supplier word for word, so numbers in it that no line has are pointed out (case P4).
#[component]
fn Note(note: String, odd: Vec<String>) -> impl IntoView {
    let odd = (!odd.is_empty()).then(|| format!("Numbers in this note that stand in no line: {}", odd.join(", ")));
    view! {
        <div class="note-box">
            <h3>"Note to the supplier"<span class="label-more">"sent word for word"</span></h3>
            <Passage text=note label="Note to the supplier"/>
            {odd.map(|odd| view! { <p class="odd"><Drawing icon=Icon::Alert/>{odd}</p> })}
        </div>
    }
    .into_any()
}
