//! Beside the order: what it is called, who approved it, and what not to do while it is in doubt.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::Words;
use crate::domain::order::OrderState;
use crate::domain::pages::{OrderPage, Target};
use leptos::prelude::*;

/// The order's names and origin.
#[component]
pub fn IdentityCard(page: OrderPage, here: Here) -> impl IntoView {
    let suggestion = page.suggestion.to_string();
    let path = Target::Suggestion(page.suggestion).path();
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
                <dt>"Operation key"</dt><dd><code class="wrap">{page.operation_key}</code><span class="fine">"goes with every attempt and never changes"</span></dd>
            </dl>
        </section>
    }
    .into_any()
}

/// While an order is in doubt, or not confirmed: what is safe and what is not.
#[component]
pub fn DoAndDont(state: OrderState, supplier: String) -> impl IntoView {
    let (do_it, dont): (Vec<String>, Vec<String>) = match state {
        OrderState::ConfirmationPending => (
            vec![
                "Opening, printing and bookmarking this page: it changes nothing.".to_owned(),
                format!(
                    "Asking {supplier} whether they have it. Name the operation key; they received it as our reference."
                ),
            ],
            vec![
                format!("Ordering it again by telephone or in {supplier}’s shop: they may have it already."),
                "Having the assistant suggest it once more under a new intent.".to_owned(),
            ],
        ),
        OrderState::Acknowledged => (
            vec![format!("Asking {supplier} when they will confirm it.")],
            vec!["Ordering it again: they have it.".to_owned()],
        ),
        OrderState::Approved
        | OrderState::Submitting
        | OrderState::Confirmed
        | OrderState::Refused
        | OrderState::Withdrawn => (Vec::new(), Vec::new()),
    };
    let item = |icon: Icon, words: String| view! { <li><Drawing icon/><span>{words}</span></li> };
    (!dont.is_empty()).then(|| {
        view! {
            <section class="card" aria-labelledby="safe-heading">
                <h2 id="safe-heading">"Safe to do"</h2>
                <ul class="do">{do_it.into_iter().map(|words| item(Icon::Check, words)).collect_view()}</ul>
                <h2>"Not safe"</h2>
                <ul class="do do-not">{dont.into_iter().map(|words| item(Icon::Cross, words)).collect_view()}</ul>
            </section>
        }
    })
}
