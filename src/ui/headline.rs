//! What is bought, in one line that is none: quantity, name, supplier and price are boxes of their own beside each other,
//! so that no text can reach into a number (case P3). `style/headline.css` lays them out.

use super::plain::Name;
use super::words::{count, things};
use crate::domain::contents::OrderContents;
use leptos::prelude::*;

/// `24 ×` `Hex bolt M8×40 A2`, and how many more lines.
#[component]
pub fn Goods(contents: OrderContents) -> impl IntoView {
    let more = contents.lines.len().saturating_sub(1);
    let first = contents.lines.first().map(|line| {
        view! {
            <span class="part">{things::quantity_of(line)}</span>
            " "
            <span class="part"><Name text=things::short_name(line)/></span>
        }
    });
    view! {
        {first}
        {(more > 0).then(|| view! { " " <span class="part">{format!("and {}", count(more, "more line", "more lines"))}</span> })}
    }
    .into_any()
}

/// A row's headline, which the domain made: everything before the first `×` is its quantity.
#[component]
pub fn RowGoods(headline: String) -> impl IntoView {
    let (quantity, name) = match headline.split_once(" × ") {
        Some((quantity, name)) => (Some(format!("{quantity} ×")), name.to_owned()),
        None => (None, headline),
    };
    view! {
        {quantity.map(|quantity| view! { <span class="part">{quantity}</span> " " })}
        <span class="part"><Name text=name/></span>
    }
    .into_any()
}
