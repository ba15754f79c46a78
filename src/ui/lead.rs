//! What an order's state means, in plain words: what is known, what is not, and what happens by itself.

use super::comparison::Theirs;
use super::icon::{Drawing, Icon};
use super::kin::OtherOrders;
use super::lead_doubt::{Acknowledged, NotFound, Pending};
use super::moment::{Here, Moment};
use super::plain::{Name, Passage};
use super::words;
use crate::domain::attempt::{Attempt, ReplyWord};
use crate::domain::event::Happening;
use crate::domain::look_up::FindingWord;
use crate::domain::order::{Hold, OrderState};
use crate::domain::pages::{OrderPage, OtherOrder, Stands};
use leptos::prelude::*;

/// The sentence under the heading, total over the states.
#[component]
pub fn Lead(page: OrderPage, here: Here) -> impl IntoView {
    match page.life.state {
        OrderState::Approved => view! { <NotSent page here/> }.into_any(),
        OrderState::Submitting => view! { <Sending page here/> }.into_any(),
        OrderState::Acknowledged => view! { <Acknowledged page here/> }.into_any(),
        OrderState::Confirmed => view! { <Confirmed page here/> }.into_any(),
        OrderState::ConfirmationPending => view! { <Pending page here/> }.into_any(),
        OrderState::Refused => view! { <Refused page here/> }.into_any(),
        OrderState::Withdrawn => view! { <Withdrawn page here/> }.into_any(),
    }
}

/// The last attempt.
pub fn last(page: &OrderPage) -> Option<Attempt> {
    page.attempts.last().map(|shown| shown.attempt.clone())
}

#[component]
fn NotSent(page: OrderPage, here: Here) -> impl IntoView {
    let holds: Vec<Hold> = Hold::ALL
        .into_iter()
        .filter(|hold| page.life.holds.has(*hold))
        .collect();
    if page.life.is_not_found() {
        let others: Vec<Hold> = holds.into_iter().filter(|hold| *hold != Hold::NotFound).collect();
        let others = (!others.is_empty()).then(
            || view! { <HeldBy holds=others reason=page.supplier_held.clone()/><HeldByEarlier page=page.clone()/><HeldByHand page=page.clone() here/> },
        );
        return view! { <NotFound page here/>{others} }.into_any();
    }
    if page.life.waits_for_look_up() {
        return view! {
            <p class="lead">
                "The database was restored or copied. "
                <strong>{format!("{} may have this order already", page.supplier_name)}</strong>
                ", and this page would not know. It is looked up there by itself; nothing is sent before somebody releases it."
            </p>
            <HeldBy holds=holds.into_iter().filter(|hold| *hold != Hold::Restore).collect() reason=page.supplier_held.clone()/>
            <HeldByHand page here/>
        }
        .into_any();
    }
    if !holds.is_empty() {
        return view! {
            <p class="lead"><strong>"Nothing is sent while it is on hold."</strong></p>
            <HeldBy holds reason=page.supplier_held.clone()/>
            <HeldByEarlier page=page.clone()/>
            <HeldByHand page here/>
        }
        .into_any();
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
fn HeldBy(holds: Vec<Hold>, reason: Option<String>) -> impl IntoView {
    let reason = reason.filter(|_| holds.contains(&Hold::Supplier));
    let any = !holds.is_empty();
    let items = holds
        .into_iter()
        .map(|hold| view! { <li><Drawing icon=Icon::Pause/>{words::hold(hold)}</li> })
        .collect_view();
    view! {
        {any.then(|| view! { <ul class="holds">{items}</ul> })}
        {reason.map(|reason| view! { <p class="soft">"The supplier was put on hold: "<Name text=reason/></p> })}
    }
    .into_any()
}

/// The earlier orders of which something turned up.
#[component]
fn HeldByEarlier(page: OrderPage) -> impl IntoView {
    let is_pending = |one: &OtherOrder| {
        let pending = OrderState::ConfirmationPending;
        matches!(one.stands, Stands::Order { state, .. } if state == pending)
    };
    let earlier: Vec<OtherOrder> = page.kin.earlier.into_iter().filter(is_pending).collect();
    (page.life.holds.has(Hold::Predecessor) && !earlier.is_empty()).then(|| view! { <OtherOrders orders=earlier/> })
}

/// Who put it on hold, and why; once that hold is gone it is history.
#[component]
fn HeldByHand(page: OrderPage, here: Here) -> impl IntoView {
    let held = page.life.holds.has(Hold::Person);
    let event = page.history.into_iter().rev().filter(|_| held).find_map(|event| {
        let Happening::OrderHeld {
            hold: Hold::Person,
            reason,
        } = event.happening
        else {
            return None;
        };
        Some((event.actor, event.at, reason))
    });
    event.map(|(actor, at, reason)| {
        let by = words::events::actor(&actor).to_owned();
        view! { <p class="soft"><Name text=by/>" put it on hold at "<Moment at here/>":"</p><Passage text=reason label="Reason"/> }
    })
}

#[component]
fn Sending(page: OrderPage, here: Here) -> impl IntoView {
    let since =
        last(&page).map(|attempt| view! { " It started at "<Moment at=attempt.started_at here precise=true/>"." });
    view! { <p class="lead">"We are sending this order to "{page.supplier_name}" now."{since}" This page shows how it ends."</p> }.into_any()
}

#[component]
fn Confirmed(page: OrderPage, here: Here) -> impl IntoView {
    let supplier = page.supplier_name.clone();
    let number = page.life.supplier_reference.clone();
    let theirs = Theirs::of(&page, here);
    let lead = match theirs {
        Theirs::Record(differences) if !differences.is_empty() || page.life.differences => {
            let found = words::count(differences.len(), "difference", "differences");
            view! { {supplier.clone()}" confirmed it, but "<strong>"not exactly what was approved"</strong>": "{found}". See below, line by line." }.into_any()
        }
        Theirs::Record(_) => {
            view! { {supplier.clone()}" confirmed exactly what was approved. Nothing more to do." }.into_any()
        }
        Theirs::Nothing(_) => view! { <OnAWord page here/> }.into_any(),
    };
    view! { <p class="lead">{lead}</p><Number supplier reference=number/> }.into_any()
}

/// Confirmed because a person found out; what the supplier recorded was not compared.
#[component]
fn OnAWord(page: OrderPage, here: Here) -> impl IntoView {
    let found = page
        .way_home
        .findings
        .into_iter()
        .rev()
        .find(|one| one.finding == FindingWord::AtSupplier);
    let who = found.map(|one| {
        let by = one.by.unwrap_or_else(|| "A person".to_owned());
        view! { <Name text=by/>" found out at "<Moment at=one.at here/>" that "{page.supplier_name.clone()}" has it. " }
    });
    let next = match (page.way_home.asking, page.way_home.next_look_up) {
        (Some(_), _) => view! { " They are being asked for their record now." }.into_any(),
        (None, Some(at)) => view! { " They are asked for their record again at "<Moment at here/>"." }.into_any(),
        (None, None) => " Compare the delivery with what was approved.".into_any(),
    };
    view! { {who}<strong>"Their record was not compared with what was approved."</strong>{next} }.into_any()
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
pub fn Number(supplier: String, reference: Option<String>) -> impl IntoView {
    reference.map(|reference| {
        view! {
            <div class="supplier-number">
                <span class="supplier-number-label">{format!("{supplier}’s number")}</span>
                <span class="supplier-number-value"><Name text=reference/></span>
            </div>
        }
    })
}
