//! The manager's morning: what is unresolved, whose it is, what is late, and how much money stands on it.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place, heading_id};
use super::live::Live;
use super::moment::Here;
use super::pause::Pause;
use super::plain::Words;
use super::results::WhatBecame;
use super::rows::{Columns, Rows};
use super::take::Take;
use super::words;
use crate::calls;
use crate::domain::calendar;
use crate::domain::export::Table;
use crate::domain::pages::{HeldSupplier, QueuePage, SectionRows, sheet_path};
use crate::domain::queue::Section;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// `/`
#[component]
pub fn QueueRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || query.read().get("refused");
    let page = Resource::new(asked, calls::queue::queue_page);
    answered(page, |page| view! { <Queue page/> })
}

#[component]
fn Queue(page: QueuePage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let late: usize = page.sections.iter().map(|one| one.late).sum();
    let is_empty = page.sections.iter().all(|one| one.count == 0) && page.held_suppliers.is_empty();
    let held = page
        .held_suppliers
        .into_iter()
        .map(|held| view! { <OnHold held here/> })
        .collect_view();
    let figures = page
        .sections
        .iter()
        .map(|one| view! { <Figure section=one.clone() here/> })
        .collect_view();
    let today = calendar::day(here.today());
    let summary = page.draft.clone().map(|draft| view! { <ErrorSummary draft here/> });
    let paused = page
        .paused
        .map(|paused| view! { <Pause paused draft=page.draft here/> });
    view! {
        <Frame title="Queue" viewer=page.viewer place=Place::Queue>
            {summary}
            {paused}
            <div class="title-row">
                <h1>{today}<span class="title-more">{here.now.with_timezone(&here.zone).format(", %H:%M").to_string()}</span></h1>
                <Live mark=page.mark read_at=here.short(here.now)/>
            </div>
            <ul class="strip" aria-label="Figures"><Late late/>{figures}</ul>
            {held}
            <WhatBecame results=page.results here/>
            {if is_empty {
                view! { <NothingOpen/> }.into_any()
            } else {
                page.sections.into_iter().map(|section| view! { <OneSection section here/> }).collect_view().into_any()
            }}
            <Take tables=&[Table::Queue]/>
        </Frame>
    }
    .into_any()
}

/// How many are past their deadline: none is good news, and says so.
#[component]
fn Late(late: usize) -> impl IntoView {
    let (class, icon, word) = if late == 0 {
        ("figure figure-good", Icon::Check, "nothing is late")
    } else {
        ("figure figure-late", Icon::Alert, "past the deadline")
    };
    view! {
        <li class=class>
            <p class="figure-count"><Drawing icon/>{late}</p>
            <p class="figure-words">"late"</p>
            <p class="fine">{word}</p>
        </li>
    }
    .into_any()
}

/// One section in a number: how many, how much money a currency, and how old the oldest is.
#[component]
fn Figure(section: SectionRows, here: Here) -> impl IntoView {
    let class = if section.section == Section::NeedsPerson && section.count > 0 {
        "figure figure-doubt"
    } else {
        "figure"
    };
    let totals = section
        .totals
        .iter()
        .map(|total| view! { <p class="figure-money">{total.to_string()}</p> })
        .collect_view();
    let oldest = section
        .rows
        .first()
        .map(|row| format!("oldest {}", calendar::span(here.now - row.since)));
    view! {
        <li class=class>
            <p class="figure-count">{section.count}</p>
            <p class="figure-words">
                <a href=format!("#{}", words::section_anchor(section.section))>{words::section_briefly(section.section)}</a>
            </p>
            {totals}
            {oldest.map(|oldest| view! { <p class="fine">{oldest}</p> })}
        </li>
    }
    .into_any()
}

/// A supplier on hold belongs to no single order, and yet somebody owns it.
#[component]
fn OnHold(held: HeldSupplier, here: Here) -> impl IntoView {
    let label = format!("{} is on hold", held.name);
    let due = sentence_of_deadline(&held.case.owner_name, here, held.case.due_at);
    let sheet = sheet_path(&held.case.id);
    view! {
        <section class="card" aria-label=label>
            <h2><Drawing icon=Icon::Alert/>" "{held.name}" is on hold"</h2>
            <p><Words text=words::sentence_case(&held.case.reason)/></p>
            <p class="fine">{due}</p>
            <p><a href=sheet>"Hand-over sheet"</a></p>
        </section>
    }
    .into_any()
}

fn sentence_of_deadline(owner: &str, here: Here, due_at: chrono::DateTime<chrono::Utc>) -> String {
    let left = here.left(due_at);
    format!(
        "{owner} sees to it, due {} ({left}). Nothing goes to this supplier until it is released.",
        here.short(due_at)
    )
}

#[component]
fn OneSection(section: SectionRows, here: Here) -> impl IntoView {
    let name = words::section(section.section);
    let anchor = words::section_anchor(section.section);
    let (heading, labelled) = heading_id(anchor);
    let columns = columns(section.section);
    let shown = section.rows.len();
    let body = if section.count == 0 {
        view! { <p class="empty"><Drawing icon=Icon::Check/>{words::section_empty(section.section)}</p> }.into_any()
    } else if shown < section.count {
        let more = format!("The oldest {shown} of {}. ", section.count);
        let all = view! { <a href=everything(section.section)>"See all"</a> };
        view! { <Rows caption=name rows=section.rows columns here/><p class="fine rows-rest">{more}{all}</p> }
            .into_any()
    } else {
        view! { <Rows caption=name rows=section.rows columns here/> }.into_any()
    };
    view! {
        <section class="card" id=anchor aria-labelledby=labelled>
            <h2 id=heading>{name}<span class="count">{section.count}</span></h2>
            {body}
        </section>
    }
    .into_any()
}

/// Where the rest of a long section can be seen.
fn everything(section: Section) -> &'static str {
    match section {
        Section::NeedsPerson => "/orders?state=confirmation_pending",
        Section::NotSent => "/orders?state=approved",
        Section::OnItsWay => "/orders?state=submitting",
        Section::WaitsForReview | Section::SentBack => "/suggestions",
    }
}

fn columns(section: Section) -> Columns {
    match section {
        Section::NeedsPerson => Columns::OwnerAndDue,
        Section::NotSent | Section::OnItsWay | Section::WaitsForReview | Section::SentBack => Columns::Since,
    }
}

#[component]
fn NothingOpen() -> impl IntoView {
    view! {
        <section class="card nothing-open">
            <h2>"Everything is settled"</h2>
            <p>"Nothing needs a person, nothing waits to be sent, nothing is in doubt. New suggestions appear here by themselves when you open the page."</p>
            <p><a href="/orders">"Look at settled orders"</a></p>
        </section>
    }
    .into_any()
}
