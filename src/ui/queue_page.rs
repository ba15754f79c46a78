//! The manager's morning: what is unresolved, whose it is, what is late, and how much money stands on it.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place, heading_id};
use super::live::Live;
use super::moment::Here;
use super::pause::Pause;
use super::queue_sieve::{QueueSieve, Unread};
use super::reason_form::Hidden;
use super::results::WhatBecame;
use super::rows::Rows;
use super::take::Take;
use super::words;
use crate::calls;
use crate::domain::calendar;
use crate::domain::export::Table;
use crate::domain::pages::{Found, QueuePage, SectionRows};
use crate::domain::queue::{Asked, Field, Section};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// `/`
#[component]
pub fn QueueRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || {
        let query = query.read();
        (Asked::of(|name| query.get(name)), query.get("refused"))
    };
    let page = Resource::new(asked, |(asked, refused)| calls::queue::queue_page(asked, refused));
    answered(page, |page| view! { <Queue page/> })
}

#[component]
fn Queue(page: QueuePage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let figures = (page.found.is_none() && page.unreadable.is_empty() && page.asked.field(Field::Section).is_none())
        .then(|| view! { <Strip sections=page.sections.clone() since=page.settled_since here/> });
    let today = calendar::day(here.today());
    let summary = page.draft.clone().map(|draft| view! { <ErrorSummary draft here/> });
    let paused = page
        .paused
        .map(|paused| view! { <Pause paused draft=page.draft here/> });
    let in_vain = told_nobody(page.mails_in_vain, page.settled_since, here);
    let body = match (page.unreadable.is_empty(), page.found) {
        (false, _) => view! { <Unread fields=page.unreadable.clone()/> }.into_any(),
        (true, Some(found)) => view! { <WhatWasFound found asked=page.asked.clone() here/> }.into_any(),
        (true, None) => {
            view! { <Sections sections=page.sections asked=page.asked.clone() since=page.settled_since here/> }
                .into_any()
        }
    };
    let sheet = queue_sheet_path(&page.asked);
    let results = page.results;
    view! {
        <Frame title="Queue" viewer=page.viewer place=Place::Queue>
            {summary}
            {paused}
            {in_vain}
            <div class="title-row">
                <h1>{today}<span class="title-more">{here.now.with_timezone(&here.zone).format(", %H:%M").to_string()}</span></h1>
                <Live mark=page.mark read_at=here.short(here.now)/>
                <a class="button button-quiet" href=sheet>"Hand-over sheet"</a>
            </div>
            {figures}
            <QueueSieve asked=page.asked suppliers=page.suppliers unreadable=page.unreadable/>
            <WhatBecame results here/>
            {body}
            <Take tables=&[Table::Queue]/>
        </Frame>
    }
    .into_any()
}

/// That people were to be told, and were not.
fn told_nobody(mails: u64, since: chrono::DateTime<chrono::Utc>, here: Here) -> Option<AnyView> {
    let mails = usize::try_from(mails).unwrap_or(usize::MAX);
    let words = (mails > 0).then(|| words::queue::mails_in_vain(mails, since, here))?;
    let why = view! { <a href="/messages">"See why, and send again"</a> };
    Some(view! { <div class="news" role="status"><Drawing icon=Icon::Alert/><p>{words}" "{why}</p></div> }.into_any())
}

/// Every section in a number.
#[component]
fn Strip(sections: Vec<SectionRows>, since: chrono::DateTime<chrono::Utc>, here: Here) -> impl IntoView {
    let figures = sections
        .into_iter()
        .map(|section| view! { <Figure section since here/> })
        .collect_view();
    view! { <ul class="strip" aria-label="Figures">{figures}</ul> }.into_any()
}

/// One section in a number: how many, how much money a currency, and how old the oldest is.
#[component]
fn Figure(section: SectionRows, since: chrono::DateTime<chrono::Utc>, here: Here) -> impl IntoView {
    let (class, icon) = match (section.section, section.count) {
        (Section::Attention, 0) => ("figure figure-good", Some(Icon::Check)),
        (Section::Attention, _) if section.late > 0 => ("figure figure-late", Some(Icon::Alert)),
        (
            Section::Pending
            | Section::Differences
            | Section::Acknowledged
            | Section::NotSent
            | Section::Review
            | Section::SentBack
            | Section::Settled,
            0,
        ) => ("figure figure-none", None),
        (Section::Attention | Section::Pending, _) => ("figure figure-doubt", None),
        (Section::Settled, _) => ("figure figure-good", None),
        (Section::Differences | Section::Acknowledged | Section::NotSent | Section::Review | Section::SentBack, _) => {
            ("figure", None)
        }
    };
    let totals = section
        .totals
        .iter()
        .filter(|_| !section.is_more)
        .map(|total| view! { <p class="figure-money">{words::queue::money_of(section.section, total)}</p> })
        .collect_view();
    let icon = icon.map(|icon| view! { <Drawing icon/> });
    let anchor = format!("#{}", section.section.word());
    let count = format!("{}{}", section.count, if section.is_more { "+" } else { "" });
    let name = match section.count {
        0 => words::queue::section_briefly(section.section).into_any(),
        _ => view! { <a href=anchor>{words::queue::section_briefly(section.section)}</a> }.into_any(),
    };
    view! {
        <li class=class>
            <p class="figure-count">{icon}{count}</p>
            <p class="figure-words">{name}</p>
            {totals}
            <p class="fine">{beside(&section, since, here)}</p>
        </li>
    }
    .into_any()
}

/// What stands under a figure: of what it is made, or how old the oldest is.
fn beside(section: &SectionRows, since: chrono::DateTime<chrono::Utc>, here: Here) -> Option<String> {
    match section.section {
        Section::Attention if section.count == 0 => Some("nothing is late".to_owned()),
        Section::Attention => {
            let unowned = (section.unowned > 0).then(|| format!("{} with nobody at it", section.unowned));
            let late = (section.late > 0).then(|| format!("{} late", section.late));
            let oldest = section.oldest.map(|oldest| words::queue::oldest(here.now - oldest));
            Some(
                [late, unowned, oldest]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" · "),
            )
        }
        Section::Settled => Some(words::queue::settled_since(since, here)),
        Section::Pending
        | Section::Differences
        | Section::Acknowledged
        | Section::NotSent
        | Section::Review
        | Section::SentBack => section.oldest.map(|oldest| words::queue::oldest(here.now - oldest)),
    }
}

/// The sections that have something, and the two whose emptiness is news.
#[component]
fn Sections(
    sections: Vec<SectionRows>,
    asked: Asked,
    since: chrono::DateTime<chrono::Utc>,
    here: Here,
) -> impl IntoView {
    if asked.is_empty() && sections.iter().all(|one| one.count == 0) {
        return view! { <NothingOpen/> }.into_any();
    }
    let is_shown = |one: &SectionRows| {
        one.count > 0
            || asked.field(Field::Section).is_some()
            || (asked.is_empty() && matches!(one.section, Section::Attention | Section::Pending))
    };
    let shown: Vec<SectionRows> = sections.into_iter().filter(is_shown).collect();
    if shown.is_empty() {
        return view! {
            <section class="card"><p class="empty">{words::queue::NOTHING_LIKE_THIS}" "<a href="/">"Show everything"</a></p></section>
        }
        .into_any();
    }
    shown
        .into_iter()
        .map(|section| view! { <OneSection section asked=asked.clone() since here/> })
        .collect_view()
        .into_any()
}

#[component]
fn OneSection(section: SectionRows, asked: Asked, since: chrono::DateTime<chrono::Utc>, here: Here) -> impl IntoView {
    let name = words::queue::section_heading(section.section, since, here);
    let anchor = section.section.word();
    let (heading, labelled) = heading_id(anchor);
    let count = format!("{}{}", section.count, if section.is_more { "+" } else { "" });
    let rest = rest_of(&section, &asked);
    let body = if section.rows.is_empty() {
        view! { <NoRows section=section.section asked/> }.into_any()
    } else {
        view! { <Rows caption=name.clone() rows=section.rows here/> }.into_any()
    };
    view! {
        <section class="card" id=anchor aria-labelledby=labelled>
            <h2 id=heading>{name}<span class="count">{count}</span></h2>
            {body}
            {rest}
        </section>
    }
    .into_any()
}

#[component]
fn NoRows(section: Section, asked: Asked) -> impl IntoView {
    let is_later_page = asked
        .filter()
        .is_ok_and(|filter| filter.section.is_some() && filter.after.is_some());
    if is_later_page {
        return view! { <p class="empty">{words::queue::NOTHING_BEHIND}</p> }.into_any();
    }
    if asked.is_empty() {
        return view! { <p class="empty"><Drawing icon=Icon::Check/>{words::queue::section_empty(section)}</p> }
            .into_any();
    }
    view! { <p class="empty">{words::queue::NOTHING_LIKE_THIS}" "<a href="/">"Show everything"</a></p> }.into_any()
}

/// The way to the rest of a section: from all of them to it alone, and from page to page.
fn rest_of(section: &SectionRows, asked: &Asked) -> Option<AnyView> {
    let alone = asked.field(Field::Section).is_some();
    let first = section_path(asked, section.section, None);
    let back = (alone && asked.after.is_some())
        .then(|| view! { <a class="button button-quiet" href=first.clone()>"First page"</a> });
    let on = section.next.as_ref().map(|next| match alone {
        true => {
            let on = section_path(asked, section.section, Some(next));
            view! { <a class="button button-quiet" rel="next" href=on>"Next page"</a> }.into_any()
        }
        false => {
            let shown = format!("The first {} of {}. ", section.rows.len(), section.count);
            view! { <span class="fine">{shown}<a href=first>"See all"</a></span> }.into_any()
        }
    });
    if back.is_none() && on.is_none() {
        return None;
    }
    Some(view! { <p class="rows-rest actions">{back}{on}</p> }.into_any())
}

/// The address of one section, with what else is asked for.
fn section_path(asked: &Asked, section: Section, after: Option<&str>) -> String {
    let after = after.map(|after| format!("&after={after}")).unwrap_or_default();
    format!("/?section={}{}{after}", section.word(), narrowed(asked))
}

/// The address of the sheet of the same.
fn queue_sheet_path(asked: &Asked) -> String {
    let narrowed = narrowed(asked);
    match narrowed.strip_prefix('&') {
        Some(narrowed) => format!("/queue-sheet?{narrowed}"),
        None => "/queue-sheet".to_owned(),
    }
}

/// What is asked for beside sections and texts: words of ours and ids, so that nothing has to be escaped.
fn narrowed(asked: &Asked) -> String {
    let kept = [Field::Mine, Field::Unowned, Field::Supplier];
    let readable = asked.filter().is_ok();
    let kept = kept.into_iter().filter(|_| readable);
    kept.filter_map(|field| Some(format!("&{}={}", field.name(), asked.field(field)?)))
        .collect()
}

/// What a text found, exact ones first.
#[component]
fn WhatWasFound(found: Found, asked: Asked, here: Here) -> impl IntoView {
    let text = asked.field(Field::Text).unwrap_or_default().to_owned();
    let (heading, labelled) = heading_id("found");
    let many = found.before + found.rows.len();
    let is_more = found.next.is_some() || found.is_cut;
    let count = format!("{many}{}", if is_more { "+" } else { "" });
    let body = if found.rows.is_empty() && found.before > 0 {
        view! { <p class="empty">{words::queue::NOTHING_BEHIND}</p> }.into_any()
    } else if many == 0 && found.elsewhere == 0 {
        view! {
            <p class="empty">
                "Nothing is called so, or begins so: no order’s id, supplier’s number, article, intent or key. "
                <a href="/">"Show everything"</a>
            </p>
        }
        .into_any()
    } else if many == 0 {
        view! { <p class="empty">"Nothing of it is like what else you asked for."</p> }.into_any()
    } else {
        view! { <Rows caption="Found" rows=found.rows here/> }.into_any()
    };
    let elsewhere = (found.elsewhere > 0).then(|| {
        let many = words::count(found.elsewhere, "thing is", "things are");
        view! { <p class="rows-rest">{format!("{many} called so elsewhere. Take the other choices away to see everything.")}</p> }
    });
    let cut = found
        .is_cut
        .then(|| view! { <p class="fine rows-rest">"There is more. Type more of it to see less."</p> });
    let pages = found_pages(&asked, found.next);
    view! {
        <section class="card" aria-labelledby=labelled>
            <h2 id=heading>"Found for “"<span class="wrap">{text}</span>"”"<span class="count">{count}</span></h2>
            {body}
            {elsewhere}
            {cut}
            {pages}
        </section>
    }
    .into_any()
}

/// From page to page of what was found. A form carries what was typed, whatever it is.
fn found_pages(asked: &Asked, next: Option<String>) -> Option<AnyView> {
    let page = |label: &'static str, after: Option<String>| {
        let fields = Field::ALL.into_iter();
        let fields = fields.filter_map(|field| Some((field.name(), asked.field(field)?.to_owned())));
        let fields: Vec<_> = fields.chain(after.map(|after| ("after", after))).collect();
        view! {
            <form method="get" action="/"><Hidden fields/><button class="button button-quiet">{label}</button></form>
        }
    };
    let first = asked.after.is_some().then(|| page("First page", None));
    let on = next.map(|next| page("Next page", Some(next)));
    if first.is_none() && on.is_none() {
        return None;
    }
    Some(view! { <div class="rows-rest actions">{first}{on}</div> }.into_any())
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
