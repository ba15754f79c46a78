//! The shell of every page, and the table of routes.

use crate::ui::{
    ActivityRoute, ChangeOrderRoute, ChangeSuggestionRoute, HandOverRoute, MessagesRoute, NoSuchPage, OrderRoute,
    OrdersRoute, PeopleRoute, QueueRoute, QueueSheetRoute, ReviewRoute, SheetRoute, SignInRoute, SuggestionsRoute,
};
use leptos::prelude::*;
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

/// The document around every page. `css` is the style sheet's URL, with the hash of its contents.
pub fn shell(options: LeptosOptions, css: String) -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="stylesheet" href=css/>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml"/>
                <HydrationScripts options islands=true/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// Path, page and how it is sent: whole, so that it reads the same without JavaScript.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Router>
            <FlatRoutes fallback=NoSuchPage>
                <Route path=path!("/") view=QueueRoute ssr=SsrMode::Async/>
                <Route path=path!("/queue-sheet") view=QueueSheetRoute ssr=SsrMode::Async/>
                <Route path=path!("/suggestions") view=SuggestionsRoute ssr=SsrMode::Async/>
                <Route path=path!("/suggestions/:id") view=ReviewRoute ssr=SsrMode::Async/>
                <Route path=path!("/suggestions/:id/change") view=ChangeSuggestionRoute ssr=SsrMode::Async/>
                <Route path=path!("/orders") view=OrdersRoute ssr=SsrMode::Async/>
                <Route path=path!("/orders/:id") view=OrderRoute ssr=SsrMode::Async/>
                <Route path=path!("/orders/:id/change") view=ChangeOrderRoute ssr=SsrMode::Async/>
                <Route path=path!("/people") view=PeopleRoute ssr=SsrMode::Async/>
                <Route path=path!("/people/:id/hand-over") view=HandOverRoute ssr=SsrMode::Async/>
                <Route path=path!("/activity") view=ActivityRoute ssr=SsrMode::Async/>
                <Route path=path!("/messages") view=MessagesRoute ssr=SsrMode::Async/>
                <Route path=path!("/cases/:id") view=SheetRoute ssr=SsrMode::Async/>
                <Route path=path!("/sign-in") view=SignInRoute ssr=SsrMode::Async/>
            </FlatRoutes>
        </Router>
    }
}
