//! Handing a case over: to whom, until when, and why. Taking it is handing it to oneself.

use super::moment::Here;
use super::reason_form::Hidden;
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words;
use super::words::ways::HAND_OVER;
use crate::domain::calendar;
use crate::domain::case::{Case, at_it_until};
use crate::domain::ids::{OrderId, PersonId};
use crate::domain::pages::{Draft, Giving, OrderPage, Viewer};
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

const ACT: &str = "assign";

/// What a case's card needs for its forms.
#[derive(Debug, Clone)]
pub struct HandingOver {
    /// The order whose page they stand on, to come back to when they are refused.
    order: Option<OrderId>,
    viewer: PersonId,
    zone: String,
    owners: Vec<(PersonId, String)>,
    may: Result<(), Refusal>,
    draft: Option<Draft>,
}

impl HandingOver {
    /// From an order's page.
    pub fn on(page: &OrderPage) -> Self {
        let giving = Giving {
            owners: page.way_home.owners.clone(),
            may: page.way_home.ways.assign.clone(),
        };
        Self {
            order: Some(page.id.clone()),
            ..Self::of(&page.viewer, &giving, page.draft.as_ref())
        }
    }

    /// From the page of what is no order.
    pub fn of(viewer: &Viewer, giving: &Giving, draft: Option<&Draft>) -> Self {
        Self {
            order: None,
            viewer: viewer.id.clone(),
            zone: words::zone(&viewer.zone),
            owners: giving.owners.clone(),
            may: giving.may.clone(),
            draft: draft.cloned(),
        }
    }

    /// What a form carries beside what is typed.
    fn hidden(&self, case: &Case) -> Vec<(&'static str, String)> {
        let order = self.order.as_ref().map(|order| ("order", order.to_string()));
        let case = [("case", case.id.to_string()), ("version", case.version.to_string())];
        order.into_iter().chain(case).collect()
    }
}

/// Somebody says that they are at it: nobody is reminded or told for a set time.
#[component]
pub fn AtIt(case: Case, to: HandingOver, here: Here) -> impl IntoView {
    if to.may.is_err() {
        return ().into_any();
    }
    let hidden = to.hidden(&case);
    let quiet = at_it_until(case.quiet_until, here.now);
    let (press, says) = match quiet {
        Some(_) => (words::ways::STILL_AT_IT, words::ways::STILL_AT_IT_MEANS),
        None => (words::ways::AT_IT, words::ways::AT_IT_MEANS),
    };
    view! {
        <form class="at-it" method="post" action="/act/acknowledge">
            <Hidden fields=hidden/>
            <button class="button button-quiet button-small">{press}</button>
            <span class="fine">{says}</span>
        </form>
    }
    .into_any()
}

/// The form, folded away.
#[component]
pub fn HandOver(case: Case, to: HandingOver, here: Here) -> impl IntoView {
    if let Err(refusal) = to.may {
        return view! {
            <div class="no-disabled">
                <button class="button button-quiet button-small" disabled=true>{HAND_OVER}</button>
                <div class="fine"><WhyNot refusal here/></div>
            </div>
        }
        .into_any();
    }
    let typed = Typed::into_case(to.draft.as_ref(), ACT, &case.id);
    let is_open = typed.is_any(&["owner", "due_at", "reason"]);
    let hidden = to.hidden(&case);
    view! {
        <details class="no" open=is_open>
            <summary>{HAND_OVER}</summary>
            <form class="form" method="post" action="/act/assign">
                <Hidden fields=hidden/>
                <Owner case=case.clone() owners=to.owners viewer=to.viewer typed=typed.clone()/>
                <Due case=case.clone() zone=to.zone typed=typed.clone() here/>
                <Why case typed/>
                <button class="button button-quiet">"Hand over"</button>
            </form>
        </details>
    }
    .into_any()
}

/// Whoever looks comes first, and is chosen unless it is theirs already.
#[component]
fn Owner(case: Case, owners: Vec<(PersonId, String)>, viewer: PersonId, typed: Typed) -> impl IntoView {
    let id = field_id(ACT, Some(case.id.as_str()), "owner");
    let can_take = case.owner != viewer && owners.iter().any(|(id, _)| *id == viewer);
    let chosen = typed.text("owner").or(can_take.then(|| viewer.to_string()));
    let mut owners = owners;
    owners.sort_by_key(|(id, _)| *id != viewer);
    let options = owners.into_iter().map(|(id, name)| {
        let name = match (id == viewer, id == case.owner) {
            (true, false) => format!("{name} (take it myself)"),
            (_, true) => format!("{name} (has it now)"),
            (false, false) => name,
        };
        let is_chosen = chosen.as_deref() == Some(id.as_str());
        view! { <option value=id.to_string() selected=is_chosen>{name}</option> }
    });
    let options = options.collect_view();
    view! {
        <label for=id.clone()>"To whom"</label>
        <select id=id name="owner" aria-invalid=typed.invalid("owner")>
            <option value="" selected=chosen.is_none()>"Choose a person"</option>
            {options}
        </select>
    }
    .into_any()
}

/// The deadline as it stands; a past one has to be chosen anew.
#[component]
fn Due(case: Case, zone: String, typed: Typed, here: Here) -> impl IntoView {
    let id = field_id(ACT, Some(case.id.as_str()), "due_at");
    let stands = (!here.is_late(case.due_at)).then(|| calendar::local_field(case.due_at, here.zone));
    let value = typed.text("due_at").or(stands).unwrap_or_default();
    view! {
        <label for=id.clone()>"Due"<span class="label-more">{zone}</span></label>
        <input id=id type="datetime-local" name="due_at" value=value aria-invalid=typed.invalid("due_at")/>
    }
    .into_any()
}

#[component]
fn Why(case: Case, typed: Typed) -> impl IntoView {
    let id = field_id(ACT, Some(case.id.as_str()), "reason");
    view! {
        <label for=id.clone()>"Reason"</label>
        <textarea id=id name="reason" rows="2" maxlength="2000" placeholder=" " aria-invalid=typed.invalid("reason")
            inner_html=typed.area("reason")></textarea>
    }
    .into_any()
}
