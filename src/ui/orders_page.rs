//! Every order, newest first, by state; pages follow by key, so that nothing is skipped while orders come in.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::layout::{Frame, Place};
use super::moment::Here;
use super::rows::Rows;
use super::take::Take;
use super::words;
use crate::calls;
use crate::domain::export::{Book, Table};
use crate::domain::order::OrderState;
use crate::domain::pages::OrdersPage;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// `/orders`
#[component]
pub fn OrdersRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || {
        let query = query.read();
        (query.get("state"), query.get("after"), query.get("refused"))
    };
    let page = Resource::new(asked, |(state, after, refused)| {
        calls::orders::orders_page(state, after, refused)
    });
    answered(page, |page| view! { <Orders page/> })
}

#[component]
fn Orders(page: OrdersPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let summary = page.draft.map(|draft| view! { <ErrorSummary draft here/> });
    let older = page.next.map(|next| view! { <Older state=page.state next/> });
    view! {
        <Frame title="Orders" viewer=page.viewer place=Place::Orders>
            {summary}
            <div class="title"><h1>"Orders"</h1></div>
            <Filter chosen=page.state/>
            <section class="card" aria-label="Orders">
                {if page.rows.is_empty() {
                    view! { <Empty state=page.state/> }.into_any()
                } else {
                    view! { <Rows caption="Orders" rows=page.rows here/> }.into_any()
                }}
                {older}
            </section>
            <Take tables=&[Table::Book(Book::Orders), Table::Book(Book::Lines)]/>
        </Frame>
    }
    .into_any()
}

#[component]
fn Filter(chosen: Option<OrderState>) -> impl IntoView {
    let link = |state: Option<OrderState>| {
        let href = state.map_or("/orders".to_owned(), |state| format!("/orders?state={}", state.word()));
        let name = state.map_or("All", words::order_state);
        view! { <li><a href=href aria-current=(state == chosen).then_some("true")>{name}</a></li> }
    };
    let states = OrderState::ALL.into_iter().map(Some);
    let links = std::iter::once(None).chain(states).map(link).collect_view();
    view! { <nav class="filter" aria-label="State"><ul>{links}</ul></nav> }.into_any()
}

#[component]
fn Older(state: Option<OrderState>, next: String) -> impl IntoView {
    let state = state
        .map(|state| format!("state={}&", state.word()))
        .unwrap_or_default();
    view! { <p class="rows-rest"><a class="button button-quiet" rel="next" href=format!("/orders?{state}after={next}")>"Older orders"</a></p> }.into_any()
}

#[component]
fn Empty(state: Option<OrderState>) -> impl IntoView {
    match state {
        None => view! {
            <p class="empty">"No order yet. An order is made when somebody approves a "<a href="/suggestions">"suggestion"</a>"."</p>
        }.into_any(),
        Some(state) => view! {
            <p class="empty">{format!("No order is “{}” now. ", words::order_state(state))}<a href="/orders">"All orders"</a></p>
        }.into_any(),
    }
}
