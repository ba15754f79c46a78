//! A table of suggestions or orders, the same in the queue and in the lists. On a narrow screen each row is a card.

use super::headline::RowGoods;
use super::icon::Icon;
use super::moment::{Here, Moment};
use super::plain::Words;
use super::status_tag::{StatusTag, Tag, Tone};
use super::words;
use crate::domain::order::OrderState;
use crate::domain::pages::{Row, Stands, Target, Why};
use crate::domain::suggestion::SuggestionState;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// What the columns between amount and "last known" say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Whose it is and by when: for what needs a person.
    OwnerAndDue,
    /// Since when it waits.
    Since,
}

/// The rows. `caption` names the table for readers and is not shown: a heading above says the same.
#[component]
pub fn Rows(caption: &'static str, rows: Vec<Row>, columns: Columns, here: Here) -> impl IntoView {
    let is_owned = columns == Columns::OwnerAndDue;
    view! {
        <table class="rows" class:rows-owned=is_owned>
            <caption class="unseen">{caption}</caption>
            <thead>
                <tr>
                    <th scope="col">"What"</th>
                    <th scope="col">"State"</th>
                    <th scope="col" class="number">"Amount"</th>
                    {if is_owned {
                        view! { <th scope="col">"Owner"</th><th scope="col">"Due"</th> }.into_any()
                    } else {
                        view! { <th scope="col">"Since"</th> }.into_any()
                    }}
                    <th scope="col">"Last known"</th>
                </tr>
            </thead>
            <tbody>{rows.into_iter().map(|row| view! { <OneRow row columns here/> }).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

#[component]
fn OneRow(row: Row, columns: Columns, here: Here) -> impl IntoView {
    let middle = match columns {
        Columns::OwnerAndDue => view! {
            <td data-th="Owner">{owner(row.owner.clone())}</td>
            <td data-th="Due">{row.due_at.map(|due| view! { <Due due here/> })}</td>
        }
        .into_any(),
        Columns::Since => {
            view! { <td data-th=since_word(&row.target)><Since at=row.since by=row.by.clone() here/></td> }.into_any()
        }
    };
    let left_out = (columns == Columns::Since).then(|| (row.owner.clone(), row.due_at));
    view! {
        <tr>
            <td class="rows-what"><What target=row.target supplier=row.supplier_name headline=row.headline/></td>
            <td class="rows-state"><StatusTag stands=row.stands/></td>
            <td class="number rows-amount" data-th="Amount">{row.total.to_string()}</td>
            {middle}
            <td class="rows-why"><LastKnown why=row.why stands=row.stands here/>{left_out.map(|(owner, due)| owned_by(owner, due, here))}</td>
        </tr>
    }
    .into_any()
}

/// Whether nobody has to do anything more about it.
fn is_over(stands: Stands) -> bool {
    match stands {
        Stands::Suggestion(state) => !SuggestionState::OPEN.contains(&state),
        Stands::Order { state, .. } => OrderState::FINAL.contains(&state),
    }
}

/// What it is, from whom, and its id.
#[component]
pub fn What(target: Target, supplier: String, headline: String) -> impl IntoView {
    let id = match &target {
        Target::Suggestion(id) => id.to_string(),
        Target::Order(id) => id.to_string(),
    };
    view! {
        <a class="goods" href=target.path()><RowGoods headline/></a>
        <p class="rows-names"><span>{supplier}</span><span class="fine">{id}</span></p>
    }
    .into_any()
}

fn owner(name: Option<String>) -> impl IntoView {
    match name {
        Some(name) => name.into_any(),
        None => view! { <Tag tone=Tone::Bad icon=Icon::Alert text="Nobody"/> }.into_any(),
    }
}

fn since_word(target: &Target) -> &'static str {
    match target {
        Target::Suggestion(_) => "Suggested",
        Target::Order(_) => "Approved",
    }
}

#[component]
fn Since(at: DateTime<Utc>, by: Option<String>, here: Here) -> impl IntoView {
    view! { <Moment at here/>{by.map(|by| view! { <span class="fine">{by}</span> })} }.into_any()
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
        | Why::Settled => None,
    };
    view! { <Words text=words::why(&why)/>{at.map(|at| view! { " "<Moment at here/> })} }.into_any()
}

/// Owner and deadline under "last known", where the table has no columns for them.
fn owned_by(owner: Option<String>, due: Option<DateTime<Utc>>, here: Here) -> impl IntoView {
    owner.map(|owner| {
        let due = due.map(|due| view! { ", due "<Due due here/> });
        view! { <span class="fine">{owner}{due}</span> }
    })
}
