//! Everything that happened in the house, newest first, looked through by a form whose fields stand in the address.

use super::answer::answered;
use super::choice::Choice;
use super::headline::RowGoods;
use super::history::Story;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place, heading_id};
use super::moment::{Here, Moment};
use super::plain::Name;
use super::take::Take;
use super::words;
use super::words::activity as told;
use crate::calls;
use crate::domain::activity::{Asked, By, Field, Kind, Unreadable};
use crate::domain::chain::Anchor;
use crate::domain::event::Subject;
use crate::domain::export::{Book, Table};
use crate::domain::ids::PersonId;
use crate::domain::pages::{ActivityPage, Happened, Target};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// `/activity`
#[component]
pub fn ActivityRoute() -> impl IntoView {
    let query = use_query_map();
    let asked = move || {
        let query = query.read();
        let field = |field: Field| query.get(field.name());
        Asked {
            about: field(Field::About),
            by: field(Field::By),
            kind: field(Field::Kind),
            from: field(Field::From),
            to: field(Field::To),
            older: query.get("older"),
        }
    };
    let page = Resource::new(asked, calls::activity::activity_page);
    answered(page, |page| view! { <Activity page/> })
}

#[component]
fn Activity(page: ActivityPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let zone = words::zone(&page.viewer.zone);
    let is_filtered = !page.asked.is_empty();
    let older = page
        .older
        .map(|number| view! { <Older asked=page.asked.clone() number/> });
    let body = match (page.unreadable.is_empty(), page.happened.is_empty()) {
        (false, _) => view! { <Unread why=page.unreadable.clone()/> }.into_any(),
        (true, true) => view! { <Empty is_filtered/> }.into_any(),
        (true, false) => view! { <Log happened=page.happened here/> }.into_any(),
    };
    view! {
        <Frame title="Activity" viewer=page.viewer place=Place::Activity>
            <div class="title">
                <h1>"Activity"</h1>
                <p class="lead">"Everything that happened here, newest first. Nothing in it is ever changed or removed."</p>
                <p><a href="/messages">"What people were told by e-mail"</a></p>
            </div>
            <Sieve asked=page.asked people=page.people unreadable=page.unreadable zone/>
            <section class="card" aria-label="What happened">{body}{older}</section>
            <AnchorCard anchor=page.anchor/>
            <Take tables=&[Table::Book(Book::Events)]/>
        </Frame>
    }
    .into_any()
}

/// A GET form: what is looked for stands in the address, to be kept and passed on.
#[component]
fn Sieve(asked: Asked, people: Vec<(PersonId, String)>, unreadable: Vec<Unreadable>, zone: String) -> impl IntoView {
    let wrong = move |field: Field| unreadable.contains(&Unreadable::Field(field)).then_some("true");
    let text = |field: Field| asked.field(field).unwrap_or_default().to_owned();
    let clear =
        (!asked.is_empty()).then(|| view! { <a class="button button-quiet" href="/activity">"Show everything"</a> });
    view! {
        <form class="card sieve" method="get" action="/activity" role="search" aria-label="Look through the log">
            <div class="form sieve-wide">
                <label for="sieve-about">"About"<span class="label-more">"an id, such as po_7h2m4k8q1xyz"</span></label>
                <input id="sieve-about" name="about" value=text(Field::About) aria-invalid=wrong(Field::About)
                    autocomplete="off" autocapitalize="off" spellcheck="false"/>
            </div>
            <Who chosen=text(Field::By) people/>
            <What chosen=text(Field::Kind)/>
            <div class="form">
                <label for="sieve-from">"From"<span class="label-more">{zone}</span></label>
                <input id="sieve-from" type="date" name="from" value=text(Field::From) aria-invalid=wrong(Field::From)/>
            </div>
            <div class="form">
                <label for="sieve-to">"To"</label>
                <input id="sieve-to" type="date" name="to" value=text(Field::To) aria-invalid=wrong(Field::To)/>
            </div>
            <div class="actions sieve-wide"><button class="button">"Show"</button>{clear}</div>
        </form>
    }
    .into_any()
}

#[component]
fn Who(chosen: String, people: Vec<(PersonId, String)>) -> impl IntoView {
    let person = people.into_iter().map(|(id, name)| (id.to_string(), name));
    let machines = [By::Program, By::Worker, By::CommandLine, By::System];
    let machine = machines
        .iter()
        .map(|by| (by.word().to_owned(), told::by(by).to_owned()));
    let all = person.chain(machine).collect();
    view! { <Choice name="by" label="By" anything="Anybody" chosen all/> }.into_any()
}

#[component]
fn What(chosen: String) -> impl IntoView {
    let kinds = Kind::ALL.map(|kind| (kind.word().to_owned(), told::kind(kind).to_owned()));
    view! { <Choice name="kind" label="Kind" anything="Anything" chosen all=kinds.into()/> }.into_any()
}

#[component]
fn Unread(why: Vec<Unreadable>) -> impl IntoView {
    let reasons = why
        .into_iter()
        .map(|why| view! { <li>{told::unreadable(why)}</li> })
        .collect_view();
    view! {
        <div class="sieve-wrong" role="status">
            <p><Drawing icon=Icon::Question/>"Nothing was looked for yet."</p>
            <ul>{reasons}</ul>
        </div>
    }
    .into_any()
}

#[component]
fn Empty(is_filtered: bool) -> impl IntoView {
    if is_filtered {
        view! { <p class="empty">"Nothing like this happened. "<a href="/activity">"Show everything"</a></p> }
            .into_any()
    } else {
        view! { <p class="empty">"Nothing older happened. "<a href="/activity">"Show the newest"</a></p> }.into_any()
    }
}

#[component]
fn Log(happened: Vec<Happened>, here: Here) -> impl IntoView {
    let items = happened.into_iter().map(|one| view! { <One one here/> }).collect_view();
    view! { <ol class="history activity">{items}</ol> }.into_any()
}

#[component]
fn One(one: Happened, here: Here) -> impl IntoView {
    let (number, subject) = (one.event.number, one.event.subject.clone());
    let goods = one.goods.map(|(headline, supplier)| {
        view! { <span><RowGoods headline/></span><span><Name text=supplier/></span> }
    });
    view! {
        <li>
            <Moment at=one.event.at here precise=true/>
            <div>
                <Story event=one.event attempts=one.attempts here/>
                <div class="fine activity-about">
                    <span>{format!("Event {number}")}</span>
                    <About subject name=one.name/>
                    {goods}
                </div>
            </div>
        </li>
    }
    .into_any()
}

/// What it is about: its page, where it has one, else everything that happened to it.
#[component]
fn About(subject: Subject, name: Option<String>) -> impl IntoView {
    let id = subject.id();
    let everything = format!("/activity?about={id}");
    let href = match &subject {
        Subject::Order(id) => Target::Order(id.clone()).path(),
        Subject::Suggestion(id) => Target::Suggestion(id.clone()).path(),
        Subject::Tenant
        | Subject::Intent(_)
        | Subject::Supplier(_)
        | Subject::Site(_)
        | Subject::Person(_)
        | Subject::Token(_) => everything,
    };
    let called = match &subject {
        Subject::Tenant => None,
        Subject::Intent(_)
        | Subject::Suggestion(_)
        | Subject::Order(_)
        | Subject::Supplier(_)
        | Subject::Site(_)
        | Subject::Person(_)
        | Subject::Token(_) => Some(name.unwrap_or(id)),
    };
    let called = called.map(|text| view! { " "<Name text/> });
    view! { <a class="wrap" href=href>{told::subject(&subject)}{called}</a> }.into_any()
}

#[component]
fn Older(asked: Asked, number: u64) -> impl IntoView {
    let query = asked.query();
    let and = if query.is_empty() { "" } else { "&" };
    let href = format!("/activity?{query}{and}older={number}");
    view! { <p class="rows-rest"><a class="button button-quiet" rel="next" href=href>"Older"</a></p> }.into_any()
}

/// How the log ends now, to be kept elsewhere.
#[component]
fn AnchorCard(anchor: Anchor) -> impl IntoView {
    let (id, heading) = heading_id("anchor");
    let mark = format!("{}:{}", anchor.number, anchor.hash);
    view! {
        <section class="card anchor" aria-labelledby=id>
            <h2 id=heading>"Anchor of the log"</h2>
            <p><code class="wrap">{mark}</code></p>
            <p class="fine">
                "Number and hash of the last event. Keep them outside of Countersign: held against them, "
                <code>"countersign verify"</code>
                " shows whether anything up to here was changed or removed, even by somebody who can write to the database."
            </p>
            <p><a class="button button-quiet" href="/activity/export" download="">"Export the log"</a></p>
        </section>
    }
    .into_any()
}
