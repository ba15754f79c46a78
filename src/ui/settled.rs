//! Of an order that somebody had to see to: who settled it, how and when. Whoever comes back to it need not read its log.

use super::comparison::Theirs;
use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::Words;
use super::words::settled;
use crate::domain::closing::{Closing, last_closing};
use crate::domain::event::Happening;
use crate::domain::look_up::Source;
use crate::domain::order::OrderState;
use crate::domain::pages::OrderPage;
use leptos::prelude::*;

/// One line, or nothing: while it is not settled, where it never had a case, and where the lead says the same.
#[component]
pub fn Settled(page: OrderPage, here: Here) -> impl IntoView {
    let is_over =
        OrderState::FINAL.contains(&page.life.state) && page.cases.iter().all(|case| case.closed_at.is_some());
    let closing = is_over.then(|| last_closing(&page.history)).flatten();
    let closing = closing.filter(|closing| !is_in_lead(&page, closing, here));
    closing.map(|closing| {
        view! {
            <p class="settled">
                <Drawing icon=Icon::Check/>
                <span>"Settled at "<Moment at=closing.at here/>". "<Words text=settled::how(&closing, here)/></span>
            </p>
        }
    })
}

/// Whether the sentence under the heading names who did it already.
fn is_in_lead(page: &OrderPage, closing: &Closing, here: Here) -> bool {
    let Some(because) = &closing.because else {
        return false;
    };
    match &because.happening {
        Happening::OrderWithdrawn { .. } => page.life.state == OrderState::Withdrawn,
        Happening::FindingEstablished {
            source: Source::Person,
            to: OrderState::Confirmed,
            ..
        } => matches!(Theirs::of(page, here), Theirs::Nothing(_)),
        _ => false,
    }
}
