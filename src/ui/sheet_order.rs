//! The sheet of an order's case: the seven answers of brief.md, from what the order's page is made of.

use super::attempts::Attempts;
use super::comparison::Theirs;
use super::differences::DifferenceTable;
use super::history::History;
use super::moment::{Here, Moment};
use super::order_card::AskThem;
use super::order_facts::{Delivery, LinesTable};
use super::plain::Name;
use super::sheet_parts::{Closed, MustNot, Owned, Question, Ways};
use super::supplier_says::Said;
use super::words;
use super::words::sheet::{self, left_us};
use super::words::ways::{decide_below, decisions, hand_over, not_safe, ways};
use crate::domain::case::CaseKind;
use crate::domain::event::Happening;
use crate::domain::pages::{OrderPage, SheetPage};
use leptos::prelude::*;

/// The answers.
#[component]
pub fn AboutOrder(sheet: SheetPage, page: OrderPage, here: Here) -> impl IntoView {
    let rest = if sheet.case.closed_at.is_some() {
        view! { <Closed case=sheet.case closing=sheet.closing here/> }.into_any()
    } else {
        let (state, words) = (Some(page.life.state), not_safe(&page));
        view! {
            <MayI kind=sheet.case.kind page=page.clone() here/>
            <MustNot words/>
            <Owned case=sheet.case viewer=sheet.viewer state here/>
        }
        .into_any()
    };
    view! { <Sent page=page.clone() here/><Left page=page.clone() here/><TheySay page here/>{rest} }.into_any()
}

/// What was approved, which is what is sent.
#[component]
fn Sent(page: OrderPage, here: Here) -> impl IntoView {
    let sent = if page.attempts.is_empty() {
        "Nothing yet. This was approved:"
    } else {
        "What was approved, unchanged, with every attempt:"
    };
    let contents = page.contents;
    view! {
        <Question id="sent" asked=sheet::WHAT_WAS_SENT>
            <p>{sent}</p>
            <LinesTable contents=contents.clone()/>
            <div class="sheet-facts">
                <div><Delivery contents supplier=page.supplier_name site=page.site_name here/></div>
                <dl class="facts facts-small">
                    <dt>"Approved by"</dt><dd>{page.approved_by}", "<Moment at=page.approved_at here/></dd>
                    <dt>"Order"</dt><dd><code class="wrap">{page.id.to_string()}</code></dd>
                    <dt>"Operation key"</dt><dd><code class="wrap">{page.operation_key}</code></dd>
                    <dt>"Digest"</dt><dd><code class="wrap">{page.digest.to_string()}</code></dd>
                </dl>
            </div>
        </Question>
    }
    .into_any()
}

#[component]
fn Left(page: OrderPage, here: Here) -> impl IntoView {
    let says = left_us(&page);
    let attempts = (!page.attempts.is_empty()).then(|| view! { <Attempts attempts=page.attempts here/> });
    view! { <Question id="left" asked=sheet::DID_IT_LEAVE><p>{says}</p>{attempts}</Question> }.into_any()
}

/// The last answers, what they recorded, and what was concluded from it.
#[component]
fn TheySay(page: OrderPage, here: Here) -> impl IntoView {
    let number = page.life.supplier_reference.clone();
    let number = number.map(|text| view! { <p>"Their number: "<b><Name text/></b>"."</p> });
    let waits = page.way_home.proposed.clone().map(|shown| {
        let number = shown.proposed.reference.map(|number| view! { ", as "<Name text=number/> });
        view! {
            <p>
                <b><Name text=shown.proposed.by_name/></b>" recorded at "<Moment at=shown.proposed.at here/>": "
                {words::finding(shown.proposed.finding)}{number}". It waits for a manager to confirm it and counts for nothing until then."
            </p>
        }
    });
    let attempts = page.attempts.iter().map(|shown| shown.attempt.id.clone()).collect();
    let concluded = page.history.iter().filter(|event| is_concluded(&event.happening));
    let events: Vec<_> = concluded.cloned().collect();
    let events = (!events.is_empty()).then(|| view! { <History events attempts here/> });
    let compared = match Theirs::of(&page, here) {
        Theirs::Record(differences) if differences.is_empty() => {
            view! { <p>"Their record was compared with what was approved: they agree."</p> }.into_any()
        }
        Theirs::Record(differences) => {
            let caption = "Where their record differs";
            view! { <DifferenceTable caption before="Approved" after="Their record" differences/> }.into_any()
        }
        Theirs::Nothing(why) => view! { <p>{format!("Their record: {why}.")}</p> }.into_any(),
    };
    view! {
        <Question id="says" asked=sheet::WHAT_THEY_SAY>
            <Said page here/>
            {waits}
            {number}
            {compared}
            {events}
        </Question>
    }
    .into_any()
}

/// What was established of their side.
fn is_concluded(happening: &Happening) -> bool {
    matches!(
        happening,
        Happening::FindingEstablished { .. } | Happening::LateRecord { .. } | Happening::Compared { .. }
    )
}

#[component]
fn MayI(kind: CaseKind, page: OrderPage, here: Here) -> impl IntoView {
    let decided = decisions(kind, &page.viewer.roles, Some(page.life.state), here);
    let of_case = decide_below(&decided).into_iter().chain([hand_over(&page, here)]);
    let ways = ways(&page, here).into_iter().chain(of_case).collect();
    let more = view! { <AskThem page/> }.into_any();
    view! { <Question id="may" asked=sheet::WHAT_MAY_I><Ways ways more/></Question> }.into_any()
}
