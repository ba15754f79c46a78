//! "Your decision": one form and one endpoint a decision, the page's digest in each. A decision that may not be made
//! stands there disabled, with its reason, from the function the server asks too.

use super::moment::Here;
use super::reason_form::{ReasonForm, Reasoned};
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words::{things, ways};
use crate::domain::contents::Digest;
use crate::domain::ids::OrderId;
use crate::domain::pages::{ReviewPage, Target};
use crate::domain::refusal::Refusal;
use crate::domain::suggestion::SuggestionState;
use leptos::prelude::*;

/// What may be decided in this state: everything while it waits for review, only "no" while the assistant has it.
#[component]
pub fn DecisionCard(page: ReviewPage, here: Here) -> impl IntoView {
    let approve =
        (page.suggestion.state == SuggestionState::InReview).then(|| view! { <Approve page=page.clone() here/> });
    let hidden = vec![
        ("suggestion", page.suggestion.id.to_string()),
        ("digest", page.suggestion.digest.to_string()),
    ];
    let send_back = (page.suggestion.state == SuggestionState::InReview).then(|| Reasoned {
        act: "send_back",
        button: "Send back",
        summary: "Send back for a change",
        label: "Reason: what should change",
        hint: ways::SEND_BACK_DOES,
        may: page.may_send_back.clone(),
        hidden: hidden.clone(),
    });
    let reject = Reasoned {
        act: "reject",
        button: "Reject",
        summary: "Reject",
        label: "Reason for rejecting",
        hint: ways::REJECT_DOES,
        may: page.may_reject.clone(),
        hidden,
    };
    let noes = send_back.into_iter().chain([reject]);
    let noes = noes
        .map(|form| view! { <ReasonForm form draft=page.draft.clone() here/> })
        .collect_view();
    let change = Target::Suggestion(page.suggestion.id.clone()).change_path();
    let change = page.may_change.is_ok().then(|| {
        view! { <p class="actions"><a class="button button-quiet" href=change>"Change it yourself"</a></p> }
    });
    view! {
        <section class="card decision" id="decision" aria-labelledby="decision-heading">
            <h2 id="decision-heading">"Your decision"</h2>
            {approve}
            {change}
            <div class="noes">{noes}</div>
        </section>
    }
    .into_any()
}

#[component]
fn Approve(page: ReviewPage, here: Here) -> impl IntoView {
    // that a second purchase must be asked for is no reason to disable the button: the box above it asks
    let refused = page
        .may_approve
        .clone()
        .err()
        .filter(|refusal| *refusal != Refusal::SecondPurchaseNotAsked);
    let disabled = refused.is_some();
    let ticked = page.draft.as_ref().and_then(|draft| draft.field("second_purchase")) == Some("yes");
    let invalid = page
        .draft
        .as_ref()
        .is_some_and(|draft| draft.refusal == Refusal::SecondPurchaseNotAsked);
    let of_wish = page.look_alikes.is_empty();
    let after = ways::approve_does(&page);
    view! {
        <form method="post" action="/act/approve" class="approve">
            <input type="hidden" name="suggestion" value=page.suggestion.id.to_string()/>
            <input type="hidden" name="digest" value=page.suggestion.digest.to_string()/>
            {(page.needs_second_purchase && !disabled).then(|| view! { <SecondPurchase ticked invalid of_wish/> })}
            {(!page.to_accept.is_empty()).then(|| view! { <AcceptUnsettled page=page.clone()/> })}
            <button class="button button-main" disabled=disabled aria-describedby="approve-says">
                <Approves page=page.clone()/>
            </button>
            <div id="approve-says" class="fine">
                {match refused {
                    Some(refusal) => view! { <WhyNot refusal here/> }.into_any(),
                    None => view! { <p>{after}</p> }.into_any(),
                }}
            </div>
        </form>
        <Exactly digest=page.suggestion.digest/>
    }
    .into_any()
}

/// `Approve 24 pieces for €10.50`: no free text in a button that buys (case P3).
#[component]
fn Approves(page: ReviewPage) -> impl IntoView {
    let what = things::how_much(&page.suggestion.contents);
    view! {
        <span class="part">"Approve"</span>
        " "
        <span class="part">{what}</span>
        " "
        <span class="part">{format!("for {}", page.suggestion.contents.total())}</span>
    }
    .into_any()
}

#[component]
fn SecondPurchase(ticked: bool, invalid: bool, of_wish: bool) -> impl IntoView {
    let says = match of_wish {
        true => {
            "An earlier order of the same wish was bought, or may have been. Tick this if you want this one beside it: both will be delivered. If you only want another quantity, reject this and ask the supplier to change theirs."
        }
        false => "The same was suggested or ordered before. Tick this if both are wanted; both will be bought.",
    };
    view! {
        <div class="second" class:second-missing=invalid>
            <label class="check">
                <input type="checkbox" id="second_purchase" name="second_purchase" value="yes" checked=ticked
                    aria-invalid=invalid.then_some("true") aria-describedby="second-says"/>
                <span>"Yes, this is a second purchase"</span>
            </label>
            <p id="second-says" class="fine">{says}</p>
        </div>
    }
    .into_any()
}

/// A manager may approve beside an earlier order that is not settled: by name and version, with a reason (rule 5).
#[component]
fn AcceptUnsettled(page: ReviewPage) -> impl IntoView {
    let typed = Typed::into_act(page.draft.as_ref(), "approve");
    let wanted = named(&page.to_accept);
    let ticked = typed.text("accept_unsettled").is_some_and(|before| before == wanted);
    let unsettled = page
        .draft
        .as_ref()
        .is_some_and(|draft| matches!(draft.refusal, Refusal::PredecessorUnsettled { .. }));
    let invalid = unsettled.then_some("true").or(typed.invalid("accept_unsettled"));
    let reason = field_id("approve", None, "reason");
    let names: Vec<String> = page.to_accept.iter().map(|(id, _)| id.to_string()).collect();
    let accepts = format!("I accept that {} is not settled", names.join(" and "));
    view! {
        <div class="second" class:second-missing=invalid.is_some()>
            <label class="check">
                <input type="checkbox" id="accept_unsettled" name="accept_unsettled" value=wanted checked=ticked
                    aria-invalid=invalid aria-describedby="accept-says"/>
                <span>{accepts}</span>
            </label>
            <p id="accept-says" class="fine">"The supplier may have it, and both could be delivered. The earlier order is not sent again while this one lives."</p>
            <label for=reason.clone()>"Why this cannot wait"</label>
            <textarea id=reason name="reason" rows="2" maxlength="2000" placeholder=" "
                aria-invalid=typed.invalid("reason") inner_html=typed.area("reason")></textarea>
        </div>
    }
    .into_any()
}

/// `po_…:3`, one after the other.
fn named(orders: &[(OrderId, u64)]) -> String {
    let names: Vec<String> = orders.iter().map(|(id, version)| format!("{id}:{version}")).collect();
    names.join(" ")
}

/// The digest that goes with the approval.
#[component]
fn Exactly(digest: Digest) -> impl IntoView {
    view! {
        <details class="fold digest">
            <summary>"You approve exactly this: "<code>{digest.short()}</code></summary>
            <p class="fine">
                "The SHA-256 of what stands on this page. If anything differs when you press, the approval is refused and the difference shown."
            </p>
            <code class="wrap">{digest.to_string()}</code>
        </details>
    }
    .into_any()
}
