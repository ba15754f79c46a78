//! What is bought, in one line that is none: quantity, name, supplier and price are boxes of their own beside each other,
//! so that no text can reach into a number (case P3). `style/headline.css` lays them out.

use super::plain::Name;
use super::words::{count, things};
use crate::domain::contents::OrderContents;
use leptos::prelude::*;

/// What the first line is called, and how many more there are: words only, in a row of their own.
#[component]
pub fn Called(contents: OrderContents) -> impl IntoView {
    let more = contents.lines.len().saturating_sub(1);
    let name = contents.lines.first().map(things::short_name).unwrap_or_default();
    let more = (more > 0).then(|| format!(" and {}", count(more, "more line", "more lines")));
    view! { <Name text=name/>{more} }.into_any()
}

/// How much is bought, from whom and for how much; what it is called, below.
#[component]
pub fn Bought(contents: OrderContents, supplier: String) -> impl IntoView {
    view! {
        <span class="part">{things::how_much(&contents)}</span>
        " "
        <span class="part">{format!("from {supplier}")}</span>
        " "
        <span class="part">{format!("for {}", contents.total())}</span>
        " "
        <span class="part goods-name"><Called contents/></span>
    }
    .into_any()
}

/// A quantity and what it is of. A long name breaks beside the quantity, never under it.
#[component]
pub fn Pair(quantity: String, name: String) -> impl IntoView {
    view! {
        <span class="part pair">
            <span class="part">{quantity}</span>
            " "
            <span class="part"><Name text=name/></span>
        </span>
    }
    .into_any()
}

/// A row's headline, which the domain made: everything before the first `×` is its quantity.
#[component]
pub fn RowGoods(headline: String) -> impl IntoView {
    match headline.split_once(" × ") {
        Some((quantity, name)) => view! { <Pair quantity=format!("{quantity} ×") name=name.to_owned()/> }.into_any(),
        None => view! { <span class="part"><Name text=headline/></span> }.into_any(),
    }
}
