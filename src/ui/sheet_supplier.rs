//! The sheet of a supplier's case: it is on hold, and orders of it wait.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::Passage;
use super::rows::Rows;
use super::sheet_parts::{Closed, MustNot, Owned, Question};
use super::words;
use super::words::sheet::{self, not_safe_held};
use crate::domain::pages::{SheetPage, SupplierWaits};
use leptos::prelude::*;

/// The answers.
#[component]
pub fn AboutSupplier(sheet: SheetPage, waits: SupplierWaits, here: Here) -> impl IntoView {
    let rest = if sheet.case.closed_at.is_some() {
        view! { <Closed case=sheet.case closing=sheet.closing here/> }.into_any()
    } else {
        let words = vec![not_safe_held(&waits.name)];
        view! {
            <MayI waits=waits.clone()/>
            <MustNot words/>
            <Owned case=sheet.case viewer=sheet.viewer state=None here without_why=true/>
        }
        .into_any()
    };
    view! { <OnHold waits=waits.clone() here/><Waiting waits here/>{rest} }.into_any()
}

#[component]
fn OnHold(waits: SupplierWaits, here: Here) -> impl IntoView {
    let held = match (waits.held_since, waits.held_because) {
        (Some(since), reason) => {
            let reason = reason.map(|text| view! { <Passage text label="Why it is on hold"/> });
            view! {
                <p>"On hold since "<Moment at=since here/>". Nothing goes to this supplier until it is released."</p>
                {reason}
            }
            .into_any()
        }
        (None, _) => view! { <p>"It is not on hold any more."</p> }.into_any(),
    };
    view! { <Question id="sent" asked="Is the supplier on hold, and why?">{held}</Question> }.into_any()
}

/// Orders of it that nobody has sent, the oldest first.
#[component]
fn Waiting(waits: SupplierWaits, here: Here) -> impl IntoView {
    let shown = waits.rows.len();
    let rows = (shown > 0).then(|| view! { <Rows caption="Orders that wait" rows=waits.rows here/> });
    let says = match waits.count {
        0 => "No order of this supplier waits to be sent.".to_owned(),
        all if shown < all => format!("The oldest {shown} of {all} orders that nobody has sent:"),
        all => format!("{} that nobody has sent:", words::count(all, "order", "orders")),
    };
    view! { <Question id="left" asked="Which orders wait?"><p>{says}</p>{rows}</Question> }.into_any()
}

/// A release has no page: whoever runs the house does it.
#[component]
fn MayI(waits: SupplierWaits) -> impl IntoView {
    let command = format!("countersign supplier release {}", waits.id);
    view! {
        <Question id="may" asked=sheet::WHAT_MAY_I>
            <ul class="do">
                <li>
                    <Drawing icon=Icon::Check/>
                    <span>{format!("Ask {} what is wrong, and put it right; where they did not accept our credentials, renew those.", waits.name)}</span>
                </li>
                <li>
                    <Drawing icon=Icon::Check/>
                    <span>
                        <b>"Release the supplier"</b>": whoever runs Countersign does it on the command line, at any time. What waits only for that goes out then. "
                        <code class="wrap">{command}</code>
                    </span>
                </li>
            </ul>
        </Question>
    }
    .into_any()
}
