//! What happened, oldest first, from the events alone: who, when, what, and what was written beside it.

use super::moment::{Here, Moment};
use super::plain::Words;
use super::status_tag::ReplyTag;
use super::words::events;
use crate::domain::attempt::ReplyWord;
use crate::domain::event::{Event, Happening};
use crate::domain::ids::AttemptId;
use leptos::prelude::*;

/// The history.
#[component]
pub fn History(events: Vec<Event>, attempts: Vec<AttemptId>, here: Here) -> impl IntoView {
    let items = events
        .into_iter()
        .map(|event| view! { <OneEvent event attempts=attempts.clone() here/> })
        .collect_view();
    view! { <ol class="history">{items}</ol> }.into_any()
}

#[component]
fn OneEvent(event: Event, attempts: Vec<AttemptId>, here: Here) -> impl IntoView {
    view! {
        <li>
            <Moment at=event.at here precise=true/>
            <div><Story event attempts here/></div>
        </li>
    }
    .into_any()
}

/// An event in words: its sentence, the reply it brought, and what was written beside it.
#[component]
pub fn Story(event: Event, attempts: Vec<AttemptId>, here: Here) -> impl IntoView {
    let told = events::told(&event, &attempts, here);
    let reply = reply_of(&event.happening).map(|reply| view! { " "<ReplyTag reply=Some(reply) doubtful=false/> });
    view! {
        <div><Words text=told.sentence/>{reply}</div>
        {told.aside.map(|text| view! { <div class="aside"><Words text/></div> })}
    }
    .into_any()
}

/// The reply an event brought, for its tag.
fn reply_of(happening: &Happening) -> Option<ReplyWord> {
    match happening {
        Happening::AttemptClosed { reply, .. } | Happening::LateReply { reply, .. } => Some(*reply),
        Happening::LeaseLapsed { .. } => Some(ReplyWord::Unknown),
        Happening::TenantCreated { .. }
        | Happening::SiteAdded { .. }
        | Happening::SupplierAdded { .. }
        | Happening::SupplierHeld { .. }
        | Happening::SupplierReleased
        | Happening::PersonAdded { .. }
        | Happening::PersonDisabled
        | Happening::TokenCreated { .. }
        | Happening::TokenRevoked
        | Happening::IntentReserved
        | Happening::SuggestionTaken { .. }
        | Happening::SuggestionReused { .. }
        | Happening::SuggestionRevised { .. }
        | Happening::SuggestionMoved { .. }
        | Happening::ChangeSuggested { .. }
        | Happening::FindingProposed { .. }
        | Happening::FindingDeclined { .. }
        | Happening::SecondPersonAbove { .. }
        | Happening::WorkingHoursSet { .. }
        | Happening::HolidaySet { .. }
        | Happening::OrderApproved { .. }
        | Happening::AttemptOpened { .. }
        | Happening::OrderHeld { .. }
        | Happening::OrderReleased { .. }
        | Happening::OrderWithdrawn { .. }
        | Happening::CaseOpened { .. }
        | Happening::CaseClosed { .. }
        | Happening::CaseReminded { .. }
        | Happening::CaseEscalated { .. }
        | Happening::CaseAcknowledged { .. }
        | Happening::OwnerRuleSet { .. }
        | Happening::PersonAway { .. }
        | Happening::PersonBack { .. }
        | Happening::SendAgainWanted { .. }
        | Happening::CaseDecided { .. }
        | Happening::CaseMoved { .. }
        | Happening::LookedUp { .. }
        | Happening::LookUpWanted
        | Happening::FindingEstablished { .. }
        | Happening::LateRecord { .. }
        | Happening::Compared { .. }
        | Happening::ResumeWanted
        | Happening::ResumeNotSent { .. }
        | Happening::ReleaseWanted { .. }
        | Happening::Paused { .. }
        | Happening::PauseEnded { .. } => None,
    }
}
