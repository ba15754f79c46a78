//! What the queue is looked through by: a GET form, so that what is looked for stands in the address, to be kept and passed
//! on.

use super::choice::Choice;
use super::icon::{Drawing, Icon};
use super::words;
use crate::domain::contents::SupplierId;
use crate::domain::queue::{Asked, Field, Section};
use leptos::prelude::*;

/// The form.
#[component]
pub fn QueueSieve(asked: Asked, suppliers: Vec<(SupplierId, String)>, unreadable: Vec<Field>) -> impl IntoView {
    let wrong = unreadable.contains(&Field::Text).then_some("true");
    let chosen = |field: Field| asked.field(field).unwrap_or_default().to_owned();
    let text = chosen(Field::Text);
    let clear = (!asked.is_empty()).then(|| view! { <a class="button button-quiet" href="/">"Show everything"</a> });
    let sections = Section::ALL.map(|one| (one.word().to_owned(), words::queue::section(one).to_owned()));
    let suppliers = suppliers.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    view! {
        <form class="card sieve" method="get" action="/" role="search" aria-label="Look through the queue">
            <div class="form sieve-half">
                <label for="sieve-q">"Find"<span class="label-more">"supplier’s number, order id, article"</span></label>
                <input id="sieve-q" name="q" type="search" value=text aria-invalid=wrong autocomplete="off" autocapitalize="off"
                    spellcheck="false"/>
            </div>
            <Choice name=Field::Section.name() label="Section" anything="All sections" chosen=chosen(Field::Section) all=sections.into()/>
            <Choice name=Field::Supplier.name() label="Supplier" anything="All suppliers" chosen=chosen(Field::Supplier) all=suppliers/>
            <div class="actions sieve-wide">
                <Tick field=Field::Mine label="Mine" asked=asked.clone()/>
                <Tick field=Field::Unowned label="Nobody at it" asked=asked.clone()/>
                <button class="button button-quiet">"Show"</button>
                {clear}
            </div>
        </form>
    }
    .into_any()
}

#[component]
fn Tick(field: Field, label: &'static str, asked: Asked) -> impl IntoView {
    let is_on = asked.field(field).is_some();
    view! {
        <label class="tick"><input type="checkbox" name=field.name() value="yes" checked=is_on/>{label}</label>
    }
    .into_any()
}

/// Why nothing was looked for.
#[component]
pub fn Unread(fields: Vec<Field>) -> impl IntoView {
    let reasons = fields
        .into_iter()
        .map(|field| view! { <li>{words::queue::unreadable(field)}</li> })
        .collect_view();
    view! {
        <section class="card sieve-wrong" role="status">
            <p><Drawing icon=Icon::Question/>"Nothing was looked for yet."</p>
            <ul>{reasons}</ul>
        </section>
    }
    .into_any()
}
