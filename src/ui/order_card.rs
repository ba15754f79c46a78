//! Beside the order: what it is called, who approved it, and what not to do while it is in doubt.

use super::icon::{Drawing, Icon};
use super::kin::KinFacts;
use super::moment::{Here, Moment};
use super::plain::Words;
use super::what_now::is_open;
use super::words::{home, ways};
use crate::domain::order::OrderState;
use crate::domain::pages::{OrderPage, Target};
use crate::domain::resume::Ground;
use leptos::prelude::*;

/// The order's names and origin.
#[component]
pub fn IdentityCard(page: OrderPage, here: Here) -> impl IntoView {
    let suggestion = page.suggestion.to_string();
    let path = Target::Suggestion(page.suggestion).path();
    // what is not finished has its choice elsewhere on the page
    let change = (!is_open(page.life.state) && page.may_change.is_ok()).then(|| {
        let change = Target::Order(page.id.clone()).change_path();
        view! { <p class="actions"><a class="button button-quiet" href=change>"Order a changed one"</a></p> }
    });
    view! {
        <section class="card" aria-labelledby="identity-heading">
            <h2 id="identity-heading">"This order"</h2>
            <dl class="facts facts-small">
                <dt>"Approved by"</dt><dd>{page.approved_by}", "<Moment at=page.approved_at here/></dd>
                {page.second_purchase.then(|| view! { <dt>"Wanted twice"</dt><dd>"yes, approved as a second purchase"</dd> })}
                <dt>"Order"</dt><dd><code class="wrap">{page.id.to_string()}</code></dd>
                <dt>"Intent"</dt><dd><code class="wrap">{page.intent.to_string()}</code></dd>
                <dt>"Suggestion"</dt><dd><a href=path><code class="wrap">{suggestion}</code></a>", version "{page.revision}</dd>
                <dt>"The wish"</dt><dd><Words text=page.purpose/></dd>
                <KinFacts kin=page.kin/>
                <dt>"Operation key"</dt><dd><code class="wrap">{page.operation_key}</code><span class="fine">"goes with every attempt and never changes"</span></dd>
            </dl>
            {change}
        </section>
    }
    .into_any()
}

/// While an order waits for somebody: what is safe and what is not, and why.
#[component]
pub fn DoAndDont(page: OrderPage, here: Here) -> impl IntoView {
    view! {
        <section class="card" aria-labelledby="safe-heading">
            <h2 id="safe-heading">"Not safe"</h2>
            <NotSafe words=ways::not_safe(&page)/>
            <h2>"Safe to do"</h2>
            <Safe page here/>
        </section>
    }
    .into_any()
}

/// What is not safe, each with its reason.
#[component]
pub fn NotSafe(words: Vec<String>) -> impl IntoView {
    let item = |words: String| view! { <li><Drawing icon=Icon::Cross/><span>{words}</span></li> };
    view! { <ul class="do do-not">{words.into_iter().map(item).collect_view()}</ul> }.into_any()
}

#[component]
fn Safe(page: OrderPage, here: Here) -> impl IntoView {
    let supplier = page.supplier_name.clone();
    let look_up = page
        .way_home
        .ways
        .look_up
        .is_ok()
        .then(|| format!("Look up at {supplier}: any time."));
    let resume = page.way_home.ways.resume.clone().ok().map(|ground| match ground {
        Ground::Key { until } => format!("Resume: same contents, same key, until {}.", here.short(until)),
        Ground::UniqueReference | Ground::NotFound => {
            let by = home::key_or_reference(&page.way_home.contract);
            format!("Resume: same contents, same {by}.")
        }
    });
    let item = |words: String| view! { <li><Drawing icon=Icon::Check/><span>{words}</span></li> };
    view! {
        <ul class="do">
            {look_up.into_iter().chain(resume).map(item).collect_view()}
            <AskThem page/>
        </ul>
    }
    .into_any()
}

/// What any supplier can be asked by, whatever its file says.
#[component]
pub fn AskThem(page: OrderPage) -> impl IntoView {
    let supplier = page.supplier_name;
    let ask = match page.life.state {
        OrderState::Acknowledged => format!("Ask {supplier} when they will confirm it. To them our reference is"),
        OrderState::Approved
        | OrderState::Submitting
        | OrderState::Confirmed
        | OrderState::ConfirmationPending
        | OrderState::Refused
        | OrderState::Withdrawn => format!("Ask {supplier} by telephone. To them our reference is"),
    };
    view! { <li><Drawing icon=Icon::Check/><span>{ask}" "<code class="wrap key">{page.operation_key}</code></span></li> }
        .into_any()
}
