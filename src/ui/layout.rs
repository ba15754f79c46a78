//! The frame of every page: skip link, header, main, title.

use super::words;
use crate::domain::pages::Viewer;
use crate::domain::people::PEOPLE;
use leptos::prelude::*;
use leptos_meta::Title;

/// A place of the main navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Queue,
    Review,
    Orders,
    People,
    Activity,
}

impl Place {
    const ALL: [Self; 5] = [Self::Queue, Self::Review, Self::Orders, Self::People, Self::Activity];

    fn link(self) -> (&'static str, &'static str) {
        match self {
            Place::Queue => ("/", "Queue"),
            Place::Review => ("/suggestions", "Review"),
            Place::Orders => ("/orders", "Orders"),
            Place::People => (PEOPLE, "People"),
            Place::Activity => ("/activity", "Activity"),
        }
    }
}

/// A page for somebody who is signed in.
#[component]
pub fn Frame(#[prop(into)] title: String, viewer: Viewer, place: Place, children: Children) -> impl IntoView {
    view! {
        <PageTitle title/>
        <SkipLink/>
        <header class="top">
            <Brand/>
            <Navigation place=Some(place)/>
            <Me viewer/>
        </header>
        <main id="main" class="page">{children()}</main>
    }
    .into_any()
}

/// A page that knows of nobody: signing in, or trouble.
#[component]
pub fn Bare(title: &'static str, #[prop(optional)] without_navigation: bool, children: Children) -> impl IntoView {
    view! {
        <PageTitle title/>
        <SkipLink/>
        <header class="top">
            <Brand/>
            {(!without_navigation).then(|| view! { <Navigation place=None/> })}
        </header>
        <main id="main" class="page page-narrow">{children()}</main>
    }
    .into_any()
}

#[component]
fn PageTitle(#[prop(into)] title: String) -> impl IntoView {
    view! { <Title text=format!("{title} – {}", words::PRODUCT)/> }.into_any()
}

#[component]
fn SkipLink() -> impl IntoView {
    view! { <a class="skip" href="#main">"Skip to the content"</a> }.into_any()
}

#[component]
fn Brand() -> impl IntoView {
    view! {
        <a class="brand" href="/">
            <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
                <path class="brand-sheet" d="M6 3h14l6 6v20H6z"></path>
                <path class="brand-line" d="M10 10h7M10 15h12"></path>
                <path class="brand-sign" d="m11 22 3.5 3.5L22 19"></path>
            </svg>
            {words::PRODUCT}
        </a>
    }
    .into_any()
}

#[component]
fn Navigation(place: Option<Place>) -> impl IntoView {
    let link = |here: Place| {
        let (href, name) = here.link();
        view! { <li><a href=href aria-current=(place == Some(here)).then_some("page")>{name}</a></li> }
    };
    view! { <nav class="places" aria-label="Main"><ul>{Place::ALL.map(link).to_vec()}</ul></nav> }.into_any()
}

#[component]
fn Me(viewer: Viewer) -> impl IntoView {
    view! {
        <div class="me">
            <p class="me-words">
                <span class="me-name">{viewer.name}</span>
                <span class="me-more">{format!("{} · {}", words::roles(&viewer.roles), words::zone(&viewer.zone))}</span>
            </p>
            <form method="post" action="/sign-out"><button class="button button-quiet button-small">"Sign out"</button></form>
        </div>
    }
    .into_any()
}

/// The id of a section's heading, twice: for the heading and for the section it names.
pub fn heading_id(section: &str) -> (String, String) {
    let id = format!("{section}-heading");
    (id.clone(), id)
}
