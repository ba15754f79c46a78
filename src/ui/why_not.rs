//! Why something is not offered: the reason beside a disabled button, from the function the server asks too.

use super::moment::Here;
use super::words::refusals;
use crate::domain::pages::Target;
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

/// Why a button is disabled; with a link where there is something to look at.
#[component]
pub fn WhyNot(refusal: Refusal, here: Here) -> impl IntoView {
    let link = match &refusal {
        Refusal::PredecessorUnsettled { order, .. } => {
            Some((Target::Order(order.clone()).path(), "Look at the earlier order"))
        }
        Refusal::LaterOrder { order } => Some((Target::Order(order.clone()).path(), "Go to the later order")),
        Refusal::ChangeWaits { suggestion } => Some((
            Target::Suggestion(suggestion.clone()).path(),
            "Go to the change that waits",
        )),
        Refusal::NotYourRole(_)
        | Refusal::OrderIs(_)
        | Refusal::SuggestionIs(_)
        | Refusal::AlreadyDecided { .. }
        | Refusal::SignedOut
        | Refusal::ContentsChanged(_)
        | Refusal::Field { .. }
        | Refusal::Fields(_)
        | Refusal::NothingChanged
        | Refusal::FindingWaits { .. }
        | Refusal::NothingWaits
        | Refusal::OwnFinding
        | Refusal::SecondPurchaseNotAsked
        | Refusal::Held
        | Refusal::OpenDoubt
        | Refusal::LaterOrderLive
        | Refusal::NotDue
        | Refusal::AlreadyDone { .. }
        | Refusal::CannotAsk
        | Refusal::RecordThere
        | Refusal::NotPaused
        | Refusal::HeldFromBeforeGap { .. }
        | Refusal::NoResume(_)
        | Refusal::CasesChanged(_)
        | Refusal::NobodyElse { .. }
        | Refusal::NotSettledYet { .. }
        | Refusal::NothingIsSent(_)
        | Refusal::MessagePast(_)
        | Refusal::MessageOnItsWay => None,
    };
    view! {
        <p>
            <b>"Not offered: "</b>{refusals::sentence(&refusal, here)}
            {link.map(|(href, words)| view! { " " <a href=href>{words}</a> })}
        </p>
    }
    .into_any()
}
