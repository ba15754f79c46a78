//! What an order's state means, in plain words: what is known, what is not, and what happens by itself.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::{Name, Passage};
use super::words;
use crate::domain::attempt::{Attempt, ReplyWord};
use crate::domain::case::CaseKind;
use crate::domain::event::Happening;
use crate::domain::order::{Hold, OrderState};
use crate::domain::pages::OrderPage;
use leptos::prelude::*;

/// The sentence under the heading, total over the states.
#[component]
pub fn Lead(page: OrderPage, here: Here) -> impl IntoView {
    match page.life.state {
        OrderState::Approved => view! { <NotSent page here/> }.into_any(),
        OrderState::Submitting => view! { <Sending page here/> }.into_any(),
        OrderState::Acknowledged => view! { <Acknowledged page/> }.into_any(),
        OrderState::Confirmed => view! { <Confirmed page/> }.into_any(),
        OrderState::ConfirmationPending => view! { <Pending page here/> }.into_any(),
        OrderState::Refused => view! { <Refused page here/> }.into_any(),
        OrderState::Withdrawn => view! { <Withdrawn page here/> }.into_any(),
    }
}

fn last(page: &OrderPage) -> Option<Attempt> {
    page.attempts.last().map(|shown| shown.attempt.clone())
}

#[component]
fn NotSent(page: OrderPage, here: Here) -> impl IntoView {
    let holds: Vec<Hold> = Hold::ALL
        .into_iter()
        .filter(|hold| page.life.holds.has(*hold))
        .collect();
    if !holds.is_empty() {
        return view! { <OnHold holds reason=page.supplier_held/> }.into_any();
    }
    let turned_away = last(&page).filter(|attempt| attempt.reply == Some(ReplyWord::NotSent));
    let next = page.life.due_at.filter(|due| *due > here.now);
    view! {
        <p class="lead">
            {match turned_away {
                Some(attempt) => view! {
                    {page.supplier_name}" did not take it at "<Moment at=attempt.started_at here/>". "<strong>"Nothing was placed."</strong>
                }.into_any(),
                None => "Nobody has sent it yet.".into_any(),
            }}
            {match next {
                Some(due) => view! { " It goes out again by itself at "<Moment at=due here precise=true/>"." }.into_any(),
                None => " It goes out by itself within a moment.".into_any(),
            }}
        </p>
    }.into_any()
}

#[component]
fn OnHold(holds: Vec<Hold>, reason: Option<String>) -> impl IntoView {
    let reason = reason.filter(|_| holds.contains(&Hold::Supplier));
    let items = holds
        .into_iter()
        .map(|hold| view! { <li><Drawing icon=Icon::Pause/>{words::hold(hold)}</li> })
        .collect_view();
    view! {
        <p class="lead"><strong>"Nothing is sent while it is on hold."</strong></p>
        <ul class="holds">{items}</ul>
        {reason.map(|reason| view! { <p class="soft">"The supplier was put on hold: "<Name text=reason/></p> })}
    }
    .into_any()
}

#[component]
fn Sending(page: OrderPage, here: Here) -> impl IntoView {
    let since =
        last(&page).map(|attempt| view! { " It started at "<Moment at=attempt.started_at here precise=true/>"." });
    view! { <p class="lead">"We are sending this order to "{page.supplier_name}" now."{since}" This page shows how it ends."</p> }.into_any()
}

#[component]
fn Acknowledged(page: OrderPage) -> impl IntoView {
    view! {
        <p class="lead">
            {page.supplier_name.clone()}" has this order and "<strong>"has not confirmed it yet."</strong>
            " Nothing more is sent; it waits for their yes or no."
        </p>
        <Number supplier=page.supplier_name reference=page.life.supplier_reference/>
    }
    .into_any()
}

#[component]
fn Confirmed(page: OrderPage) -> impl IntoView {
    let differences = page
        .attempts
        .iter()
        .rev()
        .find(|shown| !shown.differences.is_empty())
        .map_or(0, |shown| shown.differences.len());
    let lead = if page.life.differences {
        let found = words::count(differences, "difference", "differences");
        view! { " confirmed it, but "<strong>"not exactly what was approved"</strong>": "{found}". See below, line by line." }.into_any()
    } else {
        " confirmed exactly what was approved. Nothing more to do.".into_any()
    };
    view! {
        <p class="lead">{page.supplier_name.clone()}{lead}</p>
        <Number supplier=page.supplier_name reference=page.life.supplier_reference/>
    }
    .into_any()
}

/// The heart of the product: what we know, what we do not, and that nothing goes out by itself.
#[component]
fn Pending(page: OrderPage, here: Here) -> impl IntoView {
    let supplier = page.supplier_name.clone();
    let is_late_record = page
        .cases
        .iter()
        .any(|case| case.closed_at.is_none() && case.kind == CaseKind::LateRecord);
    let doubtful = page
        .attempts
        .iter()
        .rev()
        .map(|shown| &shown.attempt)
        .find(|attempt| attempt.is_doubtful(here.now));
    let doubtful = doubtful.cloned().or_else(|| last(&page));
    let known = if is_late_record {
        view! { "A record of this order turned up at "{supplier.clone()}", and nobody has judged it yet. " }.into_any()
    } else {
        doubtful.map(|attempt| {
            let detail = attempt.detail.unwrap_or_else(|| words::reply_means(attempt.reply).to_owned());
            view! { "We sent this order at "<Moment at=attempt.started_at here precise=true/>". "<Name text=ended(&detail)/>" " }
        }).into_any()
    };
    view! {
        <p class="lead">
            {known}
            <strong>{supplier.clone()}" may or may not have it."</strong>
            " Nothing is sent again unless a person says so."
        </p>
        <Number supplier reference=page.life.supplier_reference/>
    }
    .into_any()
}

/// The same words with a full stop.
fn ended(words: &str) -> String {
    if words.ends_with(['.', '!', '?']) {
        words.to_owned()
    } else {
        format!("{words}.")
    }
}

#[component]
fn Refused(page: OrderPage, here: Here) -> impl IntoView {
    let attempt = last(&page);
    let at = attempt.as_ref().and_then(|attempt| attempt.ended_at);
    let said = attempt.and_then(|attempt| attempt.excerpt);
    view! {
        <p class="lead">
            {page.supplier_name}" refused this order"{at.map(|at| view! { " at "<Moment at here precise=true/> })}". "
            <strong>"Nothing was bought."</strong>" It is not sent again."
        </p>
        {said.map(|said| view! { <p class="soft">"What they answered:"</p><Passage text=said label="What the supplier answered"/> })}
    }
    .into_any()
}

#[component]
fn Withdrawn(page: OrderPage, here: Here) -> impl IntoView {
    let event = page.history.iter().rev().find_map(|event| {
        let Happening::OrderWithdrawn { reason } = &event.happening else {
            return None;
        };
        Some((event.at, words::events::actor(&event.actor).to_owned(), reason.clone()))
    });
    let never_sent = page
        .attempts
        .iter()
        .all(|shown| shown.attempt.reply == Some(ReplyWord::NotSent));
    let sent = if never_sent {
        "Nothing was bought."
    } else {
        "A record that turns up later is still watched for."
    };
    view! {
        <p class="lead">
            {match &event {
                Some((at, who, _)) => view! { {who.clone()}" withdrew this order at "<Moment at=*at here/>". " }.into_any(),
                None => "This order was withdrawn. ".into_any(),
            }}
            <strong>{sent}</strong>
        </p>
        {event.map(|(_, _, reason)| view! { <Passage text=reason label="Reason"/> })}
    }
    .into_any()
}

/// The supplier's own number, large: it is what people read out on the telephone.
#[component]
fn Number(supplier: String, reference: Option<String>) -> impl IntoView {
    reference.map(|reference| {
        view! {
            <div class="supplier-number">
                <span class="supplier-number-label">{format!("{supplier}’s number")}</span>
                <span class="supplier-number-value"><Name text=reference/></span>
            </div>
        }
    })
}
