//! Pages for what is not there and for what broke: calm, and with a way on.

use super::layout::Bare;
use leptos::prelude::*;

/// No page of this address.
#[component]
pub fn NoSuchPage() -> impl IntoView {
    view! {
        <Bare title="No such page">
            <h1>"There is no such page"</h1>
            <p class="lead">"The address may be mistyped, or the page was moved. Nothing was changed or sent."</p>
            <WayOn/>
        </Bare>
    }
    .into_any()
}

/// The thing the page is about does not exist, or belongs to somebody else.
#[component]
pub fn Absent() -> impl IntoView {
    view! {
        <Bare title="Not here">
            <h1>"There is no such order, suggestion or case here"</h1>
            <p class="lead">"The address may be mistyped, or it belongs to another organisation. Nothing was changed or sent."</p>
            <WayOn/>
        </Bare>
    }
    .into_any()
}

/// Something of ours failed.
#[component]
pub fn Broken() -> impl IntoView {
    view! {
        <Bare title="Something went wrong">
            <h1>"This page could not be made"</h1>
            <p class="lead">
                "Something went wrong on our side. Opening a page changes nothing and sends nothing; please try again in a moment."
            </p>
            <WayOn/>
        </Bare>
    }
    .into_any()
}

#[component]
fn WayOn() -> impl IntoView {
    view! { <p><a class="button button-quiet" href="/">"To the queue"</a></p> }.into_any()
}
