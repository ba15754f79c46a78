//! "What now?": the two ways on, side by side, each open with its consequence or shut with its reason, from the functions
//! the server enforces. Asking the supplier is harmless and stands before both.
//!
//! Must not: put the focus on an act that sends something, or offer what the server would refuse.

use super::found_out::FoundOut;
use super::kin::Waiting;
use super::moment::{Here, Moment};
use super::not_yours::NotYours;
use super::reason_form::{Hidden, ReasonForm, Reasoned};
use super::safe_until::SafeUntil;
use super::supplier_says::SupplierSays;
use super::why_not::WhyNot;
use super::words::{home, ways};
use crate::domain::order::{OrderState, may_find};
use crate::domain::pages::{OrderPage, Target};
use crate::domain::refusal::Refusal;
use crate::domain::resume::{Ground, NoResume};
use crate::domain::ways::OtherPurchase;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Whether there is anything to choose: not once it is finished.
pub fn is_open(state: OrderState) -> bool {
    match state {
        OrderState::Approved | OrderState::Submitting | OrderState::Acknowledged | OrderState::ConfirmationPending => {
            true
        }
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => false,
    }
}

/// The choice.
#[component]
pub fn WhatNow(page: OrderPage, here: Here) -> impl IntoView {
    let in_doubt = may_find(&page.life).is_ok();
    let says = in_doubt.then(|| view! { <SupplierSays page=page.clone() here/> });
    let found_out = in_doubt.then(|| view! { <FoundOut page=page.clone() here/> });
    view! {
        <section class="card now" aria-labelledby="now-heading">
            <h2 id="now-heading">"What now?"</h2>
            <NotYours page=page.clone() here/>
            {says}
            <div class="ways">
                <AsApproved page=page.clone() here/>
                <Otherwise page=page.clone() here/>
            </div>
            <div class="noes">{found_out}<HoldOrRelease page here/></div>
        </section>
    }
    .into_any()
}

/// The left way: the purchase as it was approved.
#[component]
fn AsApproved(page: OrderPage, here: Here) -> impl IntoView {
    match page.life.state {
        OrderState::Approved if !page.life.is_not_found() => view! { <GoesOut page here/> }.into_any(),
        OrderState::Acknowledged => view! { <WaitForYes page/> }.into_any(),
        OrderState::Approved
        | OrderState::Submitting
        | OrderState::Confirmed
        | OrderState::ConfirmationPending
        | OrderState::Refused
        | OrderState::Withdrawn => view! { <Resume page here/> }.into_any(),
    }
}

/// Nobody has sent it: it goes out by itself, unless something holds it.
#[component]
fn GoesOut(page: OrderPage, here: Here) -> impl IntoView {
    let words = ways::goes_out(&page.life);
    let release = (!page.life.holds.is_empty()).then(|| view! { <Release page here/> });
    view! { <section class="way"><h3>"Send the approved purchase"</h3><p>{words}</p>{release}</section> }.into_any()
}

#[component]
fn WaitForYes(page: OrderPage) -> impl IntoView {
    view! {
        <section class="way">
            <h3>"Wait for the approved purchase"</h3>
            <p>{ways::waits_for_yes(&page.supplier_name)}</p>
            <p class="fine"><b>"Resume not offered: "</b>"they have it, so there is nothing to send again."</p>
        </section>
    }
    .into_any()
}

/// Sending the same once more, where that is safe.
#[component]
fn Resume(page: OrderPage, here: Here) -> impl IntoView {
    let body = match page.way_home.ways.resume.clone() {
        Ok(ground) => view! { <ResumeForm page ground here/> }.into_any(),
        Err(refusal) => view! { <NoResumeNow refusal here/> }.into_any(),
    };
    view! { <section class="way"><h3>"Resume the approved purchase"</h3>{body}</section> }.into_any()
}

#[component]
fn NoResumeNow(refusal: Refusal, here: Here) -> impl IntoView {
    if let Refusal::NoResume(NoResume::AlreadyWanted { at }) = refusal {
        return view! { <p>"Asked for at "<Moment at here precise=true/>"; it is under way. Nothing more to press."</p> }.into_any();
    }
    view! {
        <button class="button button-quiet" disabled=true>"Resume the purchase"</button>
        <div class="fine"><WhyNot refusal here/></div>
    }
    .into_any()
}

#[component]
fn ResumeForm(page: OrderPage, ground: Ground, here: Here) -> impl IntoView {
    let supplier = page.supplier_name.clone();
    let sends = ways::sends_again(&page);
    let leads_to = home::resume_leads_to(ground, &supplier, &page.way_home.contract);
    let hidden = vec![
        ("order", page.id.to_string()),
        ("version", page.life.version.to_string()),
    ];
    let held = page.supplier_held.is_some().then(|| {
        view! { <p class="fine">{format!("{supplier} is on hold: the request waits for the release, at most 15 minutes, and is judged again then.")}</p> }
    });
    let until = match ground {
        Ground::Key { until } => Some(view! { <KeyUntil page until here/> }),
        Ground::UniqueReference | Ground::NotFound => None,
    };
    view! {
        <p>{sends}" "{leads_to}</p>
        {until}
        {held}
        <form method="post" action="/act/resume">
            <Hidden fields=hidden/>
            <button class="button button-quiet">"Resume the purchase"</button>
        </form>
    }
    .into_any()
}

/// `Safe until 14:27 (23 h 34 min): Acme keeps the key for 24 hours …; 5 minutes' margin.`
#[component]
fn KeyUntil(page: OrderPage, until: DateTime<Utc>, here: Here) -> impl IntoView {
    let why = ways::key_until(&page, until);
    let left = (until - here.now).num_milliseconds();
    let unseen = page.way_home.act_before.map(|at| {
        view! { <p class="fine"><b>"Nobody works when that runs out."</b>" The last working hours before end at "<Moment at here/>"."</p> }
    });
    view! { <p class="fine"><SafeUntil left moment=until.to_rfc3339() words=here.short(until)/>": "{why}</p>{unseen} }
        .into_any()
}

/// The right way: something else than was approved.
#[component]
fn Otherwise(page: OrderPage, here: Here) -> impl IntoView {
    let other = page.way_home.ways.other_purchase;
    let withdraw = (other == OtherPurchase::WithdrawFirst).then(|| {
        let form = Reasoned {
            act: "withdraw",
            button: "Withdraw this order",
            summary: "Withdraw this order",
            label: "Reason for withdrawing",
            hint: "It is never sent after that, and this cannot be undone.",
            may: page.way_home.ways.withdraw.clone(),
            hidden: about(&page),
        };
        view! { <ReasonForm form draft=page.draft.clone() here/> }
    });
    view! {
        <section class="way">
            <h3>"Change it and approve a different purchase"</h3>
            {page.may_change.is_ok().then(|| view! {
                <p>{home::other_purchase(other, &page.supplier_name)}</p>
                <p class="fine">{home::start_of_change(other)}</p>
            })}
            <StartOfChange page=page.clone() here/>
            {withdraw}
        </section>
    }
    .into_any()
}

/// The way to the form; where a change waits, the way to that.
#[component]
fn StartOfChange(page: OrderPage, here: Here) -> impl IntoView {
    let href = Target::Order(page.id).change_path();
    match (page.may_change, page.kin.waiting) {
        (Ok(()), _) => view! { <a class="button button-quiet" href=href>"Change it"</a> }.into_any(),
        (Err(Refusal::ChangeWaits { .. }), Some((id, state))) => {
            view! { <p>"A changed version exists: "<Waiting id state/>"."</p> }.into_any()
        }
        (Err(refusal), _) => view! {
            <button class="button button-quiet" disabled=true>"Change it"</button>
            <div class="fine"><WhyNot refusal here/></div>
        }
        .into_any(),
    }
}

fn about(page: &OrderPage) -> Vec<(&'static str, String)> {
    vec![
        ("order", page.id.to_string()),
        ("version", page.life.version.to_string()),
    ]
}

#[component]
fn Release(page: OrderPage, here: Here) -> impl IntoView {
    let form = Reasoned {
        act: "release",
        button: "Release",
        summary: "Release this order",
        label: "Reason for releasing",
        hint: ways::release_does(&page),
        may: page.way_home.ways.release.clone(),
        hidden: about(&page),
    };
    view! { <ReasonForm form draft=page.draft here/> }.into_any()
}

/// Holding what nobody has sent; and releasing, where a hold beside "not found" could be lifted.
#[component]
fn HoldOrRelease(page: OrderPage, here: Here) -> impl IntoView {
    if page.life.state != OrderState::Approved {
        return ().into_any();
    }
    let releases = (page.life.is_not_found() && page.way_home.ways.release.is_ok())
        .then(|| view! { <Release page=page.clone() here/> });
    // what is on hold by hand already offers its release
    let hold = (page.way_home.ways.hold != Err(Refusal::Held)).then(|| {
        let form = Reasoned {
            act: "hold",
            button: "Put on hold",
            summary: "Put this order on hold",
            label: "Reason for the hold",
            hint: ways::HOLD_DOES,
            may: page.way_home.ways.hold.clone(),
            hidden: about(&page),
        };
        view! { <ReasonForm form draft=page.draft.clone() here/> }
    });
    view! { {releases}{hold} }.into_any()
}
