//! A finding that waits for a second person: what was found out and by whom, and the two ways to answer.
//!
//! Must not: let it look settled. Nothing about the order has changed by it.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::{Name, Passage};
use super::reason_form::{Hidden, ReasonForm, Reasoned};
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words;
use crate::domain::pages::{Draft, OrderPage, ProposedShown};
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

/// The finding, and what the viewer may do about it.
#[component]
pub fn WaitsForSecond(page: OrderPage, shown: ProposedShown, here: Here) -> impl IntoView {
    let proposed = shown.proposed.clone();
    let number = proposed
        .reference
        .clone()
        .map(|number| view! { ", their number "<b><Name text=number/></b> });
    let decline = shown.may_decline.is_ok().then(|| {
        let form = Reasoned {
            act: "decline_finding",
            button: "Decline",
            summary: "Decline it",
            label: "Why it does not count",
            hint: "The order stays as it is; somebody finds out anew.",
            may: Ok(()),
            hidden: naming(&page, &shown),
        };
        view! { <ReasonForm form draft=page.draft.clone() here/> }
    });
    view! {
        <section class="second-person" aria-labelledby="second-person-heading">
            <h3 id="second-person-heading"><Drawing icon=Icon::Question/>"A second person has to confirm this"</h3>
            <p>
                <b><Name text=proposed.by_name/></b>" recorded at "<Moment at=proposed.at here/>": "
                {words::finding(proposed.finding)}{number}". Until it is confirmed, the order stays as it is."
            </p>
            <Passage text=proposed.evidence label="Evidence"/>
            <Confirm page shown here/>
            {decline}
        </section>
    }
    .into_any()
}

#[component]
fn Confirm(page: OrderPage, shown: ProposedShown, here: Here) -> impl IntoView {
    if let Err(refusal) = shown.may_confirm {
        return view! {
            <button class="button button-quiet" disabled=true>"Confirm it"</button>
            <div class="fine"><Who refusal here/></div>
        }
        .into_any();
    }
    // what was typed to say something else is no evidence for this
    let (finding, number) = (shown.proposed.finding.word(), shown.proposed.reference.clone());
    let is_same = |draft: &&Draft| {
        draft.field("finding") == Some(finding)
            && draft.field("reference").unwrap_or_default() == number.clone().unwrap_or_default()
    };
    let typed = Typed::into_act(page.draft.as_ref().filter(is_same), "record_finding");
    let hidden = naming(&page, &shown);
    let id = field_id("record_finding", None, "evidence");
    view! {
        <form class="form" method="post" action="/act/record_finding">
            <Hidden fields=hidden/>
            <label for=id.clone()>"Evidence: how you know it too"</label>
            <textarea id=id name="evidence" rows="2" maxlength="2000" placeholder=" "
                aria-invalid=typed.invalid("evidence") inner_html=typed.area("evidence")></textarea>
            <button class="button button-quiet">"Confirm it"</button>
        </form>
    }
    .into_any()
}

/// Who can, where this viewer cannot.
#[component]
fn Who(refusal: Refusal, here: Here) -> impl IntoView {
    view! { <WhyNot refusal here/><p>"A manager who did not find it out confirms it."</p> }
}

/// The order as the page shows it, and the finding.
fn naming(page: &OrderPage, shown: &ProposedShown) -> Vec<(&'static str, String)> {
    let number = shown.proposed.reference.clone();
    let named = [
        ("order", page.id.to_string()),
        ("version", page.life.version.to_string()),
        ("finding", shown.proposed.finding.word().to_owned()),
    ];
    named
        .into_iter()
        .chain(number.map(|number| ("reference", number)))
        .collect()
}
