//! The other orders of the same intent, and a change that waits: linked both ways.

use super::plain::Name;
use super::status_tag::StatusTag;
use super::words;
use crate::domain::ids::SuggestionId;
use crate::domain::pages::{Kin, OtherOrder, Stands, Target};
use crate::domain::suggestion::SuggestionState;
use leptos::prelude::*;

/// Other orders of the intent, one a line.
#[component]
pub fn OtherOrders(orders: Vec<OtherOrder>) -> impl IntoView {
    let item = |one: OtherOrder| {
        let id = one.order.to_string();
        let number = one
            .supplier_reference
            .map(|number| view! { ", their number "<Name text=number/> });
        view! {
            <li>
                <a href=Target::Order(one.order).path()>{id}</a>" "<StatusTag stands=one.stands/>
                <span class="fine">{format!("version {}, {}", one.revision, one.total)}{number}</span>
            </li>
        }
    };
    view! { <ul class="links">{orders.into_iter().map(item).collect_view()}</ul> }.into_any()
}

/// In the list of an order's names: what came before it, and what after.
#[component]
pub fn KinFacts(kin: Kin) -> impl IntoView {
    let named = |name: &'static str, orders: Vec<OtherOrder>| {
        (!orders.is_empty()).then(|| view! { <dt>{name}</dt><dd><OtherOrders orders/></dd> })
    };
    view! {
        {named("Before it", kin.earlier)}
        {named("After it", kin.later)}
        {kin.waiting.map(|(id, state)| view! { <dt>"Its change"</dt><dd><Waiting id state/></dd> })}
    }
}

/// A change that waits for review, or was sent back.
#[component]
pub fn Waiting(id: SuggestionId, state: SuggestionState) -> impl IntoView {
    let words = words::sentence_case(words::stands(Stands::Suggestion(state)));
    view! { <a href=Target::Suggestion(id).path()>{words}</a> }
}
