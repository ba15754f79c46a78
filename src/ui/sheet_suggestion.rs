//! The sheet of a suggestion's case: one identity came with two different contents, and nobody has bought either by that.

use super::moment::{Here, Moment};
use super::order_facts::{Delivery, LinesTable};
use super::plain::Passage;
use super::reused::BothSides;
use super::sheet_parts::{Closed, MustNot, Owned, Question, Ways};
use super::words;
use super::words::sheet::{self, not_safe_reused};
use super::words::ways::review_ways;
use crate::domain::pages::{ReviewPage, SheetPage, Target};
use leptos::prelude::*;

/// The answers.
#[component]
pub fn AboutSuggestion(sheet: SheetPage, page: ReviewPage, here: Here) -> impl IntoView {
    let later = words::sentence_case(&sheet.case.reason);
    let rest = if sheet.case.closed_at.is_some() {
        view! { <Closed case=sheet.case closing=sheet.closing here without_why=true/> }.into_any()
    } else {
        let words = not_safe_reused().map(str::to_owned).to_vec();
        view! {
            <MayI page=page.clone() here/>
            <MustNot words/>
            <Owned case=sheet.case viewer=sheet.viewer state=None here without_why=true/>
        }
        .into_any()
    };
    let both = page.clone();
    view! {
        <First page=page.clone() here/>
        <Question id="later" asked="What came later under the same identity?"><Passage text=later label="What came later"/><BothSides page=both here/></Question>
        <WasItBought page/>
        {rest}
    }
    .into_any()
}

/// What is stored, and stays so.
#[component]
fn First(page: ReviewPage, here: Here) -> impl IntoView {
    let suggestion = page.suggestion;
    let contents = suggestion.contents;
    view! {
        <Question id="sent" asked="What was suggested first?">
            <LinesTable contents=contents.clone()/>
            <div class="sheet-facts">
                <div><Delivery contents supplier=page.supplier_name site=page.site_name here/></div>
                <dl class="facts facts-small">
                    <dt>"Suggested"</dt><dd><Moment at=suggestion.created_at here precise=true/></dd>
                    <dt>"Intent"</dt><dd><code class="wrap">{suggestion.intent.to_string()}</code>{format!(", version {}", suggestion.revision)}</dd>
                    <dt>"Suggestion"</dt><dd><code class="wrap">{suggestion.id.to_string()}</code></dd>
                    <dt>"Digest"</dt><dd><code class="wrap">{suggestion.digest.to_string()}</code></dd>
                </dl>
            </div>
        </Question>
    }
    .into_any()
}

#[component]
fn WasItBought(page: ReviewPage) -> impl IntoView {
    let bought = match page.order {
        Some(order) => {
            let id = order.to_string();
            view! { "It was approved, as it came first: see the order "<a href=Target::Order(order).path()>{id}</a>"." }
                .into_any()
        }
        None => "No: nothing is bought before a person approves it.".into_any(),
    };
    view! { <Question id="left" asked="Was it bought?"><p>{bought}</p></Question> }.into_any()
}

#[component]
fn MayI(page: ReviewPage, here: Here) -> impl IntoView {
    let ways = review_ways(&page, here);
    let nothing = ways.is_empty().then(|| {
        let state = words::suggestion_state(page.suggestion.state);
        view! { <p>{format!("The suggestion stands at “{state}”. What is left is to close this case: see below.")}</p> }
    });
    view! { <Question id="may" asked=sheet::WHAT_MAY_I>{nothing}<Ways ways/></Question> }.into_any()
}
