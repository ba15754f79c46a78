//! The sheet of a case: everything that whoever takes it over has to know, on one page that prints on one sheet.
//!
//! Promises: it says what is true at the moment it names; a reload shows what is true then (rule 21). The case of a supplier has
//! no other page: its forms stand below the sheet, and are not printed. Must not: have anything to press on the sheet itself, or
//! a word that differs from the page of the same thing.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::hand_over::{AtIt, HandOver, HandingOver};
use super::headline::Bought;
use super::icon::Icon;
use super::layout::{Frame, Place};
use super::moment::{Here, Moment};
use super::plain::Name;
use super::sheet_order::AboutOrder;
use super::sheet_suggestion::AboutSuggestion;
use super::sheet_supplier::AboutSupplier;
use super::status_tag::{StatusTag, Tag, Tone};
use super::words;
use crate::calls;
use crate::domain::calendar;
use crate::domain::case::Case;
use crate::domain::pages::{SheetAbout, SheetPage, Stands, Target, Viewer};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

/// `/cases/{id}`
#[component]
pub fn SheetRoute() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = move || {
        let id = params.read().get("id").unwrap_or_default();
        (id, query.read().get("refused"))
    };
    let page = Resource::new(asked, |(id, refused)| calls::cases::sheet_page(id, refused));
    answered(page, |page| view! { <Sheet page/> })
}

#[component]
fn Sheet(page: SheetPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let title = format!("Hand-over sheet: {}", words::case_kind(page.case.kind));
    let viewer = page.viewer.clone();
    let place = match &page.about {
        SheetAbout::Order(_) => Place::Orders,
        SheetAbout::Suggestion(_) => Place::Review,
        SheetAbout::Supplier(_) => Place::Queue,
    };
    let sheet = page.clone();
    let summary = page.draft.clone().map(|draft| view! { <ErrorSummary draft here/> });
    let is_suppliers = matches!(page.about, SheetAbout::Supplier(_)) && page.case.closed_at.is_none();
    let to = HandingOver::of(&page.viewer, &page.giving, page.draft.as_ref());
    let forms = is_suppliers.then(|| view! { <Forms case=page.case.clone() to here/> });
    let answers = match page.about.clone() {
        SheetAbout::Order(page) => view! { <AboutOrder sheet page=*page here/> }.into_any(),
        SheetAbout::Suggestion(page) => view! { <AboutSuggestion sheet page=*page here/> }.into_any(),
        SheetAbout::Supplier(waits) => view! { <AboutSupplier sheet waits here/> }.into_any(),
    };
    view! {
        <Frame title viewer=viewer.clone() place>
            {summary}
            <Back about=page.about.clone()/>
            <article class="sheet card" aria-labelledby="status">
                <Heading case=page.case about=page.about here/>
                <div class="sheet-answers">{answers}</div>
                <Notes/>
                <Foot viewer address=page.address here/>
            </article>
            {forms}
        </Frame>
    }
    .into_any()
}

/// The way back, and how to print: a browser does that by itself.
#[component]
fn Back(about: SheetAbout) -> impl IntoView {
    let (href, words) = match about {
        SheetAbout::Order(page) => (Target::Order(page.id).path(), "Back to the order"),
        SheetAbout::Suggestion(page) => (Target::Suggestion(page.suggestion.id).path(), "Back to the suggestion"),
        SheetAbout::Supplier(_) => ("/".to_owned(), "Back to the queue"),
    };
    view! {
        <p class="sheet-back">
            <a href=href>{words}</a>
            <span class="fine">"This page is made for paper: print it with your browser (Ctrl+P, on a Mac ⌘P)."</span>
        </p>
    }
    .into_any()
}

/// Whether it is open, whose it is, and what it is about.
#[component]
fn Heading(case: Case, about: SheetAbout, here: Here) -> impl IntoView {
    let (tone, icon, word) = match case.closed_at {
        Some(_) => (Tone::Plain, Icon::Check, "Case closed"),
        None => (Tone::Doubt, Icon::Clock, "Case open"),
    };
    let due = case.closed_at.is_none().then(|| {
        let left = here.left(case.due_at);
        view! { <span><b><Name text=case.owner_name/></b>", due "<Moment at=case.due_at here/>{format!(" ({left})")}</span> }
    });
    view! {
        <div class="title">
            <p class="status-line"><span>"Hand-over sheet"</span><Tag tone icon text=word/>{due}<StandsAt about=about.clone() here/></p>
            <h1 id="status">{words::case_kind(case.kind)}</h1>
            <p class="goods"><What about/></p>
        </div>
    }
    .into_any()
}

/// Where the case's order or suggestion stands.
#[component]
fn StandsAt(about: SheetAbout, here: Here) -> impl IntoView {
    match about {
        SheetAbout::Order(page) => {
            view! { <StatusTag stands=Stands::of_order(&page.life)/><span>"since "<Moment at=page.changed_at here/></span> }
                .into_any()
        }
        SheetAbout::Suggestion(page) => {
            view! { <StatusTag stands=Stands::Suggestion(page.suggestion.state)/> }.into_any()
        }
        SheetAbout::Supplier(_) => ().into_any(),
    }
}

#[component]
fn What(about: SheetAbout) -> impl IntoView {
    match about {
        SheetAbout::Order(page) => view! { <Bought contents=page.contents supplier=page.supplier_name/> }.into_any(),
        SheetAbout::Suggestion(page) => {
            view! { <Bought contents=page.suggestion.contents supplier=page.supplier_name/> }.into_any()
        }
        SheetAbout::Supplier(waits) => view! { <span class="part"><Name text=waits.name/></span> }.into_any(),
    }
}

/// Room for a pen; on the screen there is none.
#[component]
pub fn Notes() -> impl IntoView {
    view! {
        <section class="notes" aria-labelledby="notes-heading">
            <h2 id="notes-heading">"Notes"</h2>
            <div class="notes-line"></div>
            <div class="notes-line"></div>
            <div class="notes-line"></div>
            <div class="notes-line"></div>
        </section>
    }
    .into_any()
}

/// Whose a supplier's case is can be changed nowhere else.
#[component]
fn Forms(case: Case, to: HandingOver, here: Here) -> impl IntoView {
    view! {
        <section class="card case" aria-labelledby="forms-heading">
            <h2 id="forms-heading">"Whose it is"</h2>
            <AtIt case=case.clone() to=to.clone() here/>
            <HandOver case to here/>
        </section>
    }
    .into_any()
}

/// Of when and of whose view this is, and where it can be read anew.
#[component]
fn Foot(viewer: Viewer, address: String, here: Here) -> impl IntoView {
    let read_at = calendar::long(here.now, here.zone);
    let roles = words::roles(&viewer.roles);
    view! {
        <footer class="sheet-foot fine">
            <p>
                "As it stood on "<time datetime=here.now.to_rfc3339()>{read_at}</time>", "{words::zone(&viewer.zone)}
                ", read and printed by "<Name text=viewer.name/>{format!(" ({roles}) of ")}<Name text=viewer.tenant/>
                ". What may be done depends on who asks and when. As it stands now: "
                <code class="wrap"><Name text=address/></code>
            </p>
        </footer>
    }
    .into_any()
}
