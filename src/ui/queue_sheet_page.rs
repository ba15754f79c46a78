//! The whole queue on paper: every open thing with whose it is, by when, and what is known of it.
//!
//! Promises: it says what is true at the moment it names; what does not fit is counted and said. Must not: have anything to
//! press.

use super::answer::answered;
use super::layout::{Frame, Place, heading_id};
use super::moment::Here;
use super::plain::Name;
use super::rows::Rows;
use super::sheet_page::Notes;
use super::words;
use crate::calls;
use crate::domain::calendar;
use crate::domain::pages::{QueueSheetPage, SectionRows, Viewer};
use crate::domain::queue::{Asked, Urgency};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use std::collections::BTreeMap;

/// `/queue-sheet`
#[component]
pub fn QueueSheetRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || {
        let query = query.read();
        Asked::of(|name| query.get(name))
    };
    let page = Resource::new(asked, calls::queue::queue_sheet_page);
    answered(page, |page| view! { <Sheet page/> })
}

#[component]
fn Sheet(page: QueueSheetPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let all: usize = page.sections.iter().map(|one| one.count).sum();
    let open = match all {
        0 => "Nothing is open.".to_owned(),
        some => format!("{}.", words::count(some, "open thing", "open things")),
    };
    let only = (!page.asked.is_empty())
        .then(|| view! { <p><b>"Not everything: "</b>"only what was asked for in the queue."</p> });
    let sections: Vec<SectionRows> = page.sections.into_iter().filter(|one| one.count > 0).collect();
    let owners = owners(&sections);
    let sections = sections
        .into_iter()
        .map(|section| view! { <OneSection section here/> })
        .collect_view();
    view! {
        <Frame title="Hand-over sheet of the queue" viewer=page.viewer.clone() place=Place::Queue>
            <p class="sheet-back">
                <a href="/">"Back to the queue"</a>
                <span class="fine">"This page is made for paper: print it with your browser (Ctrl+P, on a Mac ⌘P)."</span>
            </p>
            <article class="sheet sheet-queue card" aria-labelledby="status">
                <div class="title">
                    <p class="status-line"><span>"Hand-over sheet"</span></p>
                    <h1 id="status">{format!("The queue on {}", calendar::day(here.today()))}</h1>
                    <p>{open}</p>
                    {only}
                </div>
                <WhoHasWhat owners/>
                {sections}
                <Notes/>
                <Foot viewer=page.viewer here/>
            </article>
        </Frame>
    }
    .into_any()
}

/// How many each owner has on the sheet, and how many of them are late; by name.
fn owners(sections: &[SectionRows]) -> BTreeMap<String, (usize, usize)> {
    let mut owners: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for row in sections.iter().flat_map(|section| &section.rows) {
        if let Some(owner) = &row.owner {
            let (all, late) = owners.entry(owner.clone()).or_default();
            *all += 1;
            *late += usize::from(matches!(row.urgency, Urgency::Late(_)));
        }
    }
    owners
}

#[component]
fn WhoHasWhat(owners: BTreeMap<String, (usize, usize)>) -> impl IntoView {
    if owners.is_empty() {
        return ().into_any();
    }
    let one = |(name, (all, late)): (String, (usize, usize))| {
        let late = (late > 0).then(|| format!(", {late} late"));
        view! { <li><b><Name text=name/></b>{format!(": {all}")}{late}</li> }
    };
    let owners = owners.into_iter().map(one).collect_view();
    view! {
        <section aria-labelledby="whose-heading">
            <h2 id="whose-heading">"Who has what"</h2>
            <ul class="sheet-owners">{owners}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn OneSection(section: SectionRows, here: Here) -> impl IntoView {
    let name = words::queue::section(section.section);
    let (heading, labelled) = heading_id(section.section.word());
    let left_out = section.count - section.rows.len();
    let left_out = (left_out > 0).then(|| {
        view! { <p><b>{format!("{left_out} more are not on this sheet.")}</b></p> }
    });
    let totals: Vec<String> = section.totals.iter().map(ToString::to_string).collect();
    let money = (!totals.is_empty()).then(|| view! { <span class="title-more">{totals.join(" · ")}</span> });
    view! {
        <section aria-labelledby=labelled>
            <h2 id=heading>{name}<span class="count">{section.count}</span>" "{money}</h2>
            <Rows caption=name rows=section.rows here/>
            {left_out}
        </section>
    }
    .into_any()
}

/// Of when and of whose view this is.
#[component]
fn Foot(viewer: Viewer, here: Here) -> impl IntoView {
    let read_at = calendar::long(here.now, here.zone);
    let roles = words::roles(&viewer.roles);
    view! {
        <footer class="sheet-foot fine">
            <p>
                "As it stood on "<time datetime=here.now.to_rfc3339()>{read_at}</time>", "{words::zone(&viewer.zone)}
                ", read and printed by "<Name text=viewer.name/>{format!(" ({roles}) of ")}<Name text=viewer.tenant/>"."
            </p>
        </footer>
    }
    .into_any()
}
