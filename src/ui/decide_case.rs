//! What closes a case by a decision: the choices of its kind, the record it is about, and why.
//!
//! Must not: choose for the person. No decision is preselected.

use super::moment::Here;
use super::reason_form::Hidden;
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words::decisions::{decision, does};
use crate::domain::case::{Case, CaseKind};
use crate::domain::decision::{Decision, decisions, fits, may_decide};
use crate::domain::order::{Life, OrderState};
use crate::domain::pages::{Draft, Viewer};
use crate::domain::person::Role;
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

const ACT: &str = "close_case";

/// Whose page it is, and what was typed before.
#[derive(Debug, Clone)]
pub struct Deciding {
    roles: Vec<Role>,
    draft: Option<Draft>,
    /// Where the order stands; nothing on a suggestion's page.
    state: Option<OrderState>,
    /// The record that is judged has a number already.
    is_numbered: bool,
}

impl Deciding {
    /// On a page of this viewer.
    pub fn on(viewer: &Viewer, draft: Option<&Draft>, life: Option<&Life>) -> Self {
        Self {
            roles: viewer.roles.clone(),
            draft: draft.cloned(),
            state: life.map(|life| life.state),
            is_numbered: life.is_some_and(|life| life.supplier_reference.is_some()),
        }
    }

    /// As the server decides it.
    fn may(&self, decision: Decision) -> Result<(), Refusal> {
        may_decide(&self.roles, decision).and_then(|()| fits(decision, self.state))
    }
}

/// The form, folded away; nothing for a case that no decision closes.
#[component]
pub fn DecideCase(case: Case, by: Deciding, here: Here) -> impl IntoView {
    let all = decisions(case.kind);
    if all.is_empty() {
        return ().into_any();
    }
    let may = |one: &Decision| by.may(*one);
    if let (false, Some(refusal)) = (
        all.iter().any(|one| may(one).is_ok()),
        all.iter().find_map(|one| may(one).err()),
    ) {
        return view! {
            <div class="no-disabled">
                <button class="button button-quiet button-small" disabled=true>"Decide"</button>
                <div class="fine"><WhyNot refusal here/></div>
            </div>
        }
        .into_any();
    }
    let typed = Typed::into_case(by.draft.as_ref(), ACT, &case.id);
    let is_open = typed.is_any(&["decision", "reference", "reason"]);
    let hidden = vec![("case", case.id.to_string()), ("version", case.version.to_string())];
    let is_asked = match case.kind {
        CaseKind::SupplierDuplicate => true,
        CaseKind::LateRecord => !by.is_numbered,
        CaseKind::Pending
        | CaseKind::AcknowledgedLate
        | CaseKind::Differences
        | CaseKind::IntentReused
        | CaseKind::NotSent
        | CaseKind::TooOld
        | CaseKind::Restore
        | CaseKind::SupplierHeld => false,
    };
    let reference = is_asked.then(|| view! { <Reference case=case.clone() typed=typed.clone()/> });
    view! {
        <details class="no" open=is_open>
            <summary>"Decide"</summary>
            <form class="form" method="post" action="/act/close_case">
                <Hidden fields=hidden/>
                <Choices case=case.clone() by=by typed=typed.clone() here/>
                {reference}
                <Why case typed/>
                <button class="button button-quiet">"Close this case"</button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Choices(case: Case, by: Deciding, typed: Typed, here: Here) -> impl IntoView {
    let chosen = typed.text("decision");
    let choices = decisions(case.kind)
        .iter()
        .enumerate()
        .map(|(place, one)| {
            let is_chosen = chosen.as_deref() == Some(one.word());
            let may = by.may(*one);
            // the first has the id that a link to the field leads to
            let field = if place == 0 { "decision" } else { one.word() };
            let id = field_id(ACT, Some(case.id.as_str()), field);
            view! { <OneDecision id kind=case.kind one=*one is_chosen may here/> }
        })
        .collect_view();
    view! {
        <fieldset class="findings" class:findings-missing=typed.is_wrong("decision")>
            <legend>"What do you decide?"</legend>
            {choices}
        </fieldset>
    }
    .into_any()
}

#[component]
fn OneDecision(
    id: String,
    kind: CaseKind,
    one: Decision,
    is_chosen: bool,
    may: Result<(), Refusal>,
    here: Here,
) -> impl IntoView {
    let hint = format!("{id}-does");
    let is_off = may.is_err();
    let why_not = may
        .err()
        .map(|refusal| view! { <div class="fine"><WhyNot refusal here/></div> });
    view! {
        <div class="finding">
            <label class="check">
                <input type="radio" id=id name="decision" value=one.word() checked=is_chosen disabled=is_off
                    aria-describedby=hint.clone()/>
                <span>{decision(kind, one)}</span>
            </label>
            <p class="fine" id=hint>{does(kind, one)}</p>
            {why_not}
        </div>
    }
    .into_any()
}

#[component]
fn Reference(case: Case, typed: Typed) -> impl IntoView {
    let id = field_id(ACT, Some(case.id.as_str()), "reference");
    let hint = format!("{id}-hint");
    view! {
        <label for=id.clone()>"Their number of the record this is about"</label>
        <input id=id type="text" name="reference" value=typed.text("reference") maxlength="200" autocomplete="off"
            spellcheck="false" aria-describedby=hint.clone() aria-invalid=typed.invalid("reference")/>
        <p class="fine" id=hint>"The one beside the order’s own. Each record is judged by its own number."</p>
    }
    .into_any()
}

#[component]
fn Why(case: Case, typed: Typed) -> impl IntoView {
    let id = field_id(ACT, Some(case.id.as_str()), "reason");
    let hint = format!("{id}-hint");
    view! {
        <label for=id.clone()>"Evidence and reason"</label>
        <textarea id=id name="reason" rows="3" maxlength="2000" placeholder=" " aria-describedby=hint.clone()
            aria-invalid=typed.invalid("reason") inner_html=typed.area("reason")></textarea>
        <p class="fine" id=hint>"Whom you asked, what you saw, and when. It stays with the case."</p>
    }
    .into_any()
}
