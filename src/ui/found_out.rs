//! "What we found out": a person who asked the supplier says what they know, and how. The only way on where a supplier
//! cannot be asked by a program, and the way a late record is judged.
//!
//! Must not: choose for the person. No finding is preselected.

use super::cases;
use super::moment::{Here, Moment};
use super::reason_form::Hidden;
use super::second_person::WaitsForSecond;
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words::home::{self, Choice};
use super::words::ways::FOUND_OUT;
use crate::domain::case::CaseKind;
use crate::domain::look_up::FindingWord;
use crate::domain::pages::OrderPage;
use crate::domain::refusal::Refusal;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

const ACT: &str = "record_finding";

/// The form, folded away; open where something has to be put right, or where it is the only way on.
#[component]
pub fn FoundOut(page: OrderPage, here: Here) -> impl IntoView {
    if let Some(shown) = page.way_home.proposed.clone() {
        return view! { <WaitsForSecond page shown here/> }.into_any();
    }
    if let Err(refusal) = page.way_home.ways.record_finding {
        return view! {
            <div class="no-disabled">
                <button class="button button-quiet" disabled=true>{FOUND_OUT}</button>
                <div class="fine"><WhyNot refusal here/></div>
            </div>
        }
        .into_any();
    }
    let typed = Typed::into_act(page.draft.as_ref(), ACT);
    // a record that nobody has judged is judged here
    let is_late = cases::open(&page.cases)
        .iter()
        .any(|case| case.kind == CaseKind::LateRecord);
    // nor is there another way on where the supplier can neither be asked nor sent it again
    let ways = &page.way_home.ways;
    let is_only_way = ways.resume.is_err() && ways.look_up == Err(Refusal::CannotAsk);
    let is_open = is_late || is_only_way || typed.is_any(&["finding", "reference", "evidence"]);
    let hidden = vec![
        ("order", page.id.to_string()),
        ("version", page.life.version.to_string()),
    ];
    let known = page.way_home.record.as_ref().map(|record| record.reference.clone());
    let known = known.or(page.life.supplier_reference.clone());
    let supplier = page.supplier_name.clone();
    let second = page.way_home.needs_second_person.then(|| {
        view! { <p class="fine">"An order of this amount needs a second person: what you record counts once a manager other than you has confirmed it."</p> }
    });
    view! {
        <details class="no" open=is_open>
            <summary>{FOUND_OUT}</summary>
            <form class="form" method="post" action="/act/record_finding">
                <Hidden fields=hidden/>
                <Findings page typed=typed.clone() here/>
                <Reference supplier known typed=typed.clone()/>
                <Evidence typed/>
                {second}
                <button class="button button-quiet">"Record this"</button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Findings(page: OrderPage, typed: Typed, here: Here) -> impl IntoView {
    let chosen = typed.text("finding");
    let choices = home::choices(page.life.state, &page.supplier_name, page.way_home.contract.look_up);
    let settled_at = page.way_home.settled_at;
    let choices = choices
        .into_iter()
        .zip(0..)
        .map(|(choice, place)| {
            let is_chosen = chosen.as_deref() == Some(choice.finding.word());
            view! { <OneFinding choice place is_chosen settled_at here/> }
        })
        .collect_view();
    view! {
        <fieldset class="findings" class:findings-missing=typed.is_wrong("finding")>
            <legend>"What did you find out?"</legend>
            {choices}
        </fieldset>
    }
    .into_any()
}

/// The first has the id that a link to the field leads to.
#[component]
fn OneFinding(choice: Choice, place: usize, is_chosen: bool, settled_at: DateTime<Utc>, here: Here) -> impl IntoView {
    let word = choice.finding.word();
    let id = field_id(ACT, None, if place == 0 { "finding" } else { word });
    let hint = format!("{id}-does");
    let early = (choice.finding == FindingWord::NotAtSupplier && settled_at > here.now).then(|| {
        view! { " Accepted from "<Moment at=settled_at here precise=true/>" on: until then they may still be at it." }
    });
    view! {
        <div class="finding">
            <label class="check">
                <input type="radio" id=id name="finding" value=word checked=is_chosen aria-describedby=hint.clone()/>
                <span>{choice.label}</span>
            </label>
            <p class="fine" id=hint>{choice.does}{early}</p>
        </div>
    }
    .into_any()
}

#[component]
fn Reference(supplier: String, known: Option<String>, typed: Typed) -> impl IntoView {
    let id = field_id(ACT, None, "reference");
    let hint = if known.is_some() {
        "Needed if they have it. This one was seen; correct it if they name another."
    } else {
        "Needed if they have it."
    };
    let value = typed.text("reference").or(known).unwrap_or_default();
    view! {
        <label for=id.clone()>{format!("{supplier}’s number of the order")}</label>
        <input id=id type="text" name="reference" value=value maxlength="200" autocomplete="off" spellcheck="false"
            aria-describedby="record_finding-reference-hint" aria-invalid=typed.invalid("reference")/>
        <p class="fine" id="record_finding-reference-hint">{hint}</p>
    }
    .into_any()
}

#[component]
fn Evidence(typed: Typed) -> impl IntoView {
    let id = field_id(ACT, None, "evidence");
    view! {
        <label for=id.clone()>"Evidence: how you know"</label>
        <textarea id=id name="evidence" rows="3" maxlength="2000" placeholder=" " aria-describedby="record_finding-evidence-hint"
            aria-invalid=typed.invalid("evidence") inner_html=typed.area("evidence")></textarea>
        <p class="fine" id="record_finding-evidence-hint">"Whom you asked, what you saw, and when. It stays with the order."</p>
    }
    .into_any()
}
