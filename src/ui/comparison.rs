//! Approved · sent · recorded by the supplier: one table, line by line, differences named and marked (rule 12).

use super::icon::{Drawing, Icon};
use super::moment::Here;
use super::plain::{Name, Words};
use super::supplier_says;
use super::words::{self, things};
use crate::domain::attempt::ReplyWord;
use crate::domain::contents::{Line, OrderContents};
use crate::domain::difference::{Difference, Place};
use crate::domain::order::{OrderState, may_find};
use crate::domain::pages::{AttemptShown, OrderPage};
use leptos::prelude::*;

/// What is known of the supplier's side.
#[derive(Debug, Clone)]
pub enum Theirs {
    /// A record that was compared, and where it differs.
    Record(Vec<Difference>),
    /// No record to compare; why, in a few words.
    Nothing(String),
}

impl Theirs {
    /// The record seen last, in an answer to an attempt or to a look-up. Once confirmed, only the one of that number.
    pub fn of(page: &OrderPage, here: Here) -> Self {
        let is_ours = |reference: Option<&String>| {
            page.life.state != OrderState::Confirmed || reference == page.life.supplier_reference.as_ref()
        };
        let answered = page
            .attempts
            .iter()
            .filter(|shown| is_ours(shown.attempt.reference.as_ref()));
        let answered = answered
            .filter(|shown| shown.recorded.is_some())
            .map(|shown| (shown.attempt.ended_at, shown.differences.clone()));
        let seen = page
            .way_home
            .record
            .iter()
            .filter(|seen| is_ours(Some(&seen.reference)));
        let seen = seen
            .filter(|seen| seen.recorded.is_some())
            .map(|seen| (Some(seen.at), seen.differences.clone()));
        match answered.chain(seen).max_by_key(|(at, _)| *at) {
            Some(_) if page.life.state == OrderState::Refused => Theirs::Nothing("refused there".to_owned()),
            Some((_, differences)) => Theirs::Record(differences),
            None => Theirs::Nothing(nothing(page, here)),
        }
    }
    /// Takes the differences that this test picks out of the record.
    fn take(&mut self, is_ours: impl Fn(&Place) -> bool) -> Vec<Difference> {
        match self {
            Theirs::Record(differences) => differences.extract_if(.., |one| is_ours(&one.place)).collect(),
            Theirs::Nothing(_) => Vec::new(),
        }
    }
}

/// Why there is nothing to compare.
fn nothing(page: &OrderPage, here: Here) -> String {
    let state = page.life.state;
    let said = supplier_says::nothing_recorded(&page.way_home, here);
    let said = said.filter(|_| may_find(&page.life).is_ok());
    said.unwrap_or_else(|| in_state(state).to_owned())
}

fn in_state(state: OrderState) -> &'static str {
    match state {
        OrderState::Approved => "not there yet",
        OrderState::Submitting => "no answer yet",
        OrderState::Acknowledged => "has it, no lines told",
        OrderState::Confirmed => "not compared",
        OrderState::ConfirmationPending => "not known",
        OrderState::Refused => "refused",
        OrderState::Withdrawn => "none seen",
    }
}

/// The last attempt that may have left us: one that ended "not placed" sent nothing that counts.
fn sent(attempts: &[AttemptShown]) -> Option<&AttemptShown> {
    attempts
        .iter()
        .rev()
        .find(|shown| shown.attempt.reply != Some(ReplyWord::NotSent))
}

/// The comparison.
#[component]
pub fn Comparison(page: OrderPage, here: Here) -> impl IntoView {
    let sent_at = sent(&page.attempts).map(|shown| here.short(shown.attempt.started_at));
    let was_sent = sent_at.is_some();
    let sent_head = sent_at.map_or("Sent".to_owned(), |at| format!("Sent {at}"));
    let mut theirs = Theirs::of(&page, here);
    let contents = page.contents;
    let lines = contents.lines.iter().cloned().map(|line| {
        let differences = theirs.take(|place| is_about(place, &line.name()));
        let recorded = match &theirs {
            Theirs::Record(_) => Ok(differences),
            Theirs::Nothing(why) => Err(why.clone()),
        };
        view! { <LineRow line contents=contents.clone() was_sent recorded/> }
    });
    let lines = lines.collect_view();
    let others = theirs
        .take(|_| true)
        .into_iter()
        .map(|one| view! { <OtherRow difference=one was_sent/> })
        .collect_view();
    view! {
        <table class="comparison">
            <caption class="unseen">"Approved, sent, recorded by the supplier"</caption>
            <thead>
                <tr>
                    <th scope="col">"Line"</th>
                    <th scope="col" class="number">"Approved"</th>
                    <th scope="col" class="number">{sent_head}</th>
                    <th scope="col" class="number">"Supplier’s record"</th>
                </tr>
            </thead>
            <tbody>{lines}{others}</tbody>
            <tfoot><TotalRow contents was_sent/></tfoot>
        </table>
    }
    .into_any()
}

fn is_about(place: &Place, name: &str) -> bool {
    match place {
        Place::Line { line, .. } | Place::LineMissing { line } => line == name,
        Place::LineAdded { .. }
        | Place::Supplier
        | Place::Currency
        | Place::DeliverTo
        | Place::NeededBy
        | Place::Note
        | Place::Charges => false,
    }
}

#[component]
fn LineRow(
    line: Line,
    contents: OrderContents,
    was_sent: bool,
    recorded: Result<Vec<Difference>, String>,
) -> impl IntoView {
    let quantity = things::quantity(line.quantity, line.unit);
    let price = things::price(contents.currency, line.unit_price, line.price_per, line.unit);
    view! {
        <tr>
            <td class="lines-article">
                {line.sku.map(|sku| view! { <div class="sku"><Words text=sku/></div> })}
                {line.description.map(|words| view! { <div class="description"><Words text=words/></div> })}
            </td>
            <td class="number" data-th="Approved"><span class="amount">{quantity.clone()}</span><span class="fine">{price}</span></td>
            <td class="number" data-th="Sent"><Sent was_sent text=quantity/></td>
            <td class="number" data-th="Supplier’s record"><Recorded recorded/></td>
        </tr>
    }
    .into_any()
}

#[component]
fn Sent(was_sent: bool, #[prop(into)] text: String) -> impl IntoView {
    if was_sent {
        text.into_any()
    } else {
        view! { <span class="soft">"not sent"</span> }.into_any()
    }
}

#[component]
fn Recorded(recorded: Result<Vec<Difference>, String>) -> impl IntoView {
    match recorded {
        Err(why) => view! { <span class="soft">{why}</span> }.into_any(),
        Ok(differences) if differences.is_empty() => {
            view! { <span class="agrees"><Drawing icon=Icon::Check/>"as approved"</span> }.into_any()
        }
        Ok(differences) => differences
            .into_iter()
            .map(|one| view! { <Differs difference=one/> })
            .collect_view()
            .into_any(),
    }
}

/// One difference, named, with both values.
#[component]
fn Differs(difference: Difference) -> impl IntoView {
    let name = words::place(&difference.place);
    let is_missing = matches!(difference.place, Place::LineMissing { .. });
    let approved = (!is_missing && !difference.approved.is_empty())
        .then(|| view! { <span class="fine">"approved: "<Name text=difference.approved/></span> });
    let other = if difference.other.is_empty() {
        "nothing".to_owned()
    } else {
        difference.other
    };
    let other = (!is_missing).then(|| view! { <span class="differs-now"><Name text=other/></span> });
    view! { <span class="differs"><span class="differs-name"><Drawing icon=Icon::Unequal/>{name}</span>{other}{approved}</span> }.into_any()
}

/// A difference that is about no approved line: an added line, a date, a currency, charges.
#[component]
fn OtherRow(difference: Difference, was_sent: bool) -> impl IntoView {
    let line = match &difference.place {
        Place::LineAdded { line } | Place::Line { line, .. } | Place::LineMissing { line } => Some(line.clone()),
        Place::Supplier | Place::Currency | Place::DeliverTo | Place::NeededBy | Place::Note | Place::Charges => None,
    };
    let name = words::place(&difference.place);
    let approved = if difference.approved.is_empty() {
        "–".to_owned()
    } else {
        difference.approved.clone()
    };
    view! {
        <tr>
            <td>{name}{line.map(|line| view! { <div class="description"><Words text=line/></div> })}</td>
            <td class="number" data-th="Approved"><Words text=approved.clone()/></td>
            <td class="number" data-th="Sent"><Sent was_sent text=approved/></td>
            <td class="number" data-th="Supplier’s record"><Differs difference/></td>
        </tr>
    }
    .into_any()
}

#[component]
fn TotalRow(contents: OrderContents, was_sent: bool) -> impl IntoView {
    let total = contents.total().to_string();
    view! {
        <tr>
            <th scope="row">"Total, without tax"</th>
            <td class="number" data-th="Approved">{total.clone()}</td>
            <td class="number" data-th="Sent"><Sent was_sent text=total/></td>
            <td class="number soft">"–"</td>
        </tr>
    }
    .into_any()
}
