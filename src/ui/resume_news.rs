//! What became of a person's request to send the approved purchase once more: it waits, or it was dropped and nothing was
//! sent. Whoever pressed must not have to look for it.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::Name;
use super::words::{events, refusals};
use crate::domain::event::{Event, Happening};
use crate::domain::order::{OrderState, RESUME_LASTS};
use crate::domain::pages::OrderPage;
use crate::domain::resume::NotResumed;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dropped {
    /// It was dropped by itself, for this reason.
    Because(NotResumed),
    /// A record turned up at the supplier before it went out.
    RecordFound,
    /// The order changed otherwise before it went out.
    Overtaken,
}

/// The news, or nothing while nobody asked, or once something was sent.
#[component]
pub fn ResumeNews(page: OrderPage, here: Here) -> impl IntoView {
    if let Some(wanted) = page.life.resume {
        let by = page
            .way_home
            .resume_wanted_by
            .unwrap_or_else(|| "Countersign itself".to_owned());
        let (at, until) = (wanted.at, wanted.at + RESUME_LASTS);
        let held = page.supplier_held.is_some();
        return view! { <Waiting by at until held supplier=page.supplier_name here/> }.into_any();
    }
    let is_open = page.life.state == OrderState::ConfirmationPending || page.life.waits_for_look_up();
    let dropped = is_open.then(|| dropped(&page.history)).flatten();
    dropped
        .map(|(event, dropped)| {
            let by = asked_by(&page.history);
            view! { <NothingSent by at=event.at dropped here/> }
        })
        .into_any()
}

#[component]
fn Waiting(
    by: String,
    at: DateTime<Utc>,
    until: DateTime<Utc>,
    held: bool,
    supplier: String,
    here: Here,
) -> impl IntoView {
    let then = if held {
        view! {
            {format!("{supplier} is on hold, so it waits for the release, at most until ")}<Moment at=until here/>
            ". Then it is judged again; if it is not safe any more, nothing is sent."
        }
        .into_any()
    } else {
        "It is judged once more and goes out within a moment.".into_any()
    };
    view! {
        <div class="news news-calm" role="status">
            <Drawing icon=Icon::Clock/>
            <p><b><Name text=by/>" asked to send it once more"</b>", "<Moment at here precise=true/>". "{then}</p>
        </div>
    }
    .into_any()
}

#[component]
fn NothingSent(by: Option<String>, at: DateTime<Utc>, dropped: Dropped, here: Here) -> impl IntoView {
    let why = match dropped {
        Dropped::Because(why) => refusals::not_resumed(why, here),
        Dropped::RecordFound => {
            "The supplier turned out to have a record of it, so the request was dropped.".to_owned()
        }
        Dropped::Overtaken => "The order changed before it could go out, so the request was dropped.".to_owned(),
    };
    let by = by.map(|name| view! { " "<Name text=name/>" had asked for it." });
    view! {
        <div class="news" role="status">
            <Drawing icon=Icon::Alert/>
            <p><b>"Nothing was sent"</b>", "<Moment at here precise=true/>": "{why}{by}</p>
        </div>
    }
    .into_any()
}

/// The last request, if nothing was sent for it.
fn dropped(history: &[Event]) -> Option<(&Event, Dropped)> {
    let place = history.iter().rposition(|event| {
        matches!(
            event.happening,
            Happening::ResumeWanted
                | Happening::ReleaseWanted { .. }
                | Happening::ResumeNotSent { .. }
                | Happening::AttemptOpened { .. }
        )
    })?;
    let (last, since) = history.get(place..)?.split_first()?;
    if let Happening::ResumeNotSent { why } = last.happening {
        return Some((last, Dropped::Because(why)));
    }
    if !last.happening.wants_a_send() {
        return None;
    }
    let record = since
        .iter()
        .find(|event| matches!(event.happening, Happening::LateRecord { .. }));
    Some(record.map_or((last, Dropped::Overtaken), |event| (event, Dropped::RecordFound)))
}

fn asked_by(history: &[Event]) -> Option<String> {
    let asked = history.iter().rev().find(|event| event.happening.wants_a_send());
    asked.map(|event| events::actor(&event.actor).to_owned())
}
