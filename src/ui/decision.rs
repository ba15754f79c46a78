//! "Your decision": one form and one endpoint a decision, the page's digest in each. A decision that may not be made
//! stands there disabled, with its reason, from the function the server asks too.

use super::moment::Here;
use super::words::{refusals, things};
use crate::domain::contents::Digest;
use crate::domain::ids::SuggestionId;
use crate::domain::pages::{Draft, ReviewPage, Target};
use crate::domain::refusal::Refusal;
use crate::domain::suggestion::SuggestionState;
use leptos::prelude::*;

/// What may be decided in this state: everything while it waits for review, only "no" while the assistant has it.
#[component]
pub fn DecisionCard(page: ReviewPage, here: Here) -> impl IntoView {
    let approve =
        (page.suggestion.state == SuggestionState::InReview).then(|| view! { <Approve page=page.clone() here/> });
    let (id, digest, draft) = (
        page.suggestion.id.clone(),
        page.suggestion.digest.clone(),
        page.draft.clone(),
    );
    let send_back = (page.suggestion.state == SuggestionState::InReview).then(|| No {
        act: "send_back",
        button: "Send back",
        summary: "Send back for a change",
        label: "Reason: what should change",
        hint: "The assistant reads it and may bring a new version.",
        may: page.may_send_back.clone(),
    });
    let reject = No {
        act: "reject",
        button: "Reject",
        summary: "Reject",
        label: "Reason for rejecting",
        hint: "This is final: the assistant may not bring it again under this intent.",
        may: page.may_reject.clone(),
    };
    let noes = send_back.into_iter().chain([reject]);
    let noes = noes
        .map(|no| view! { <SayNo no id=id.clone() digest=digest.clone() draft=draft.clone() here/> })
        .collect_view();
    view! {
        <section class="card decision" id="decision" aria-labelledby="decision-heading">
            <h2 id="decision-heading">"Your decision"</h2>
            {approve}
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
    let after = match &page.supplier_held {
        Some(_) => "The supplier is on hold: the order waits until it is released.",
        None => "It is sent at once. You will see on the order’s page how it ends.",
    };
    view! {
        <form method="post" action="/act/approve" class="approve">
            <input type="hidden" name="suggestion" value=page.suggestion.id.to_string()/>
            <input type="hidden" name="digest" value=page.suggestion.digest.to_string()/>
            {page.needs_second_purchase.then(|| view! { <SecondPurchase ticked invalid/> })}
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
fn SecondPurchase(ticked: bool, invalid: bool) -> impl IntoView {
    view! {
        <div class="second" class:second-missing=invalid>
            <label class="check">
                <input type="checkbox" id="second_purchase" name="second_purchase" value="yes" checked=ticked
                    aria-invalid=invalid.then_some("true") aria-describedby="second-says"/>
                <span>"Yes, this is a second purchase"</span>
            </label>
            <p id="second-says" class="fine">"The same was suggested or ordered before. Tick this if both are wanted; both will be bought."</p>
        </div>
    }
    .into_any()
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

/// A decision against it.
#[derive(Debug, Clone)]
struct No {
    act: &'static str,
    button: &'static str,
    summary: &'static str,
    label: &'static str,
    hint: &'static str,
    may: Result<(), Refusal>,
}

#[component]
fn SayNo(no: No, id: SuggestionId, digest: Digest, draft: Option<Draft>, here: Here) -> impl IntoView {
    if let Err(refusal) = no.may {
        return view! {
            <div class="no-disabled">
                <button class="button button-quiet" disabled=true>{no.button}</button>
                <div class="fine"><WhyNot refusal here/></div>
            </div>
        }
        .into_any();
    }
    let typed = typed_reason(draft.as_ref(), no.act);
    let missing = is_reason_missing(draft.as_ref(), no.act);
    let is_open = missing || typed.is_some();
    let field = format!("{}-reason", no.act);
    let hint = format!("{}-hint", no.act);
    view! {
        <details class="no" open=is_open>
            <summary>{no.summary}</summary>
            <form class="form" method="post" action=format!("/act/{}", no.act)>
                <input type="hidden" name="suggestion" value=id.to_string()/>
                <input type="hidden" name="digest" value=digest.to_string()/>
                <label for=field.clone()>{no.label}</label>
                <textarea id=field name="reason" rows="3" maxlength="2000" aria-describedby=hint.clone()
                    aria-invalid=missing.then_some("true")>{typed.unwrap_or_default()}</textarea>
                <p class="fine" id=hint>{no.hint}</p>
                <button class="button button-quiet">{no.button}</button>
            </form>
        </details>
    }
    .into_any()
}

/// Whether the draft came from this form. One that does not say where it came from may have come from any: what was typed
/// is better shown twice than lost.
fn is_from(draft: &Draft, act: &str) -> bool {
    draft.field("act").is_none_or(|from| from == act)
}

/// The reason somebody typed into this form before it was refused.
fn typed_reason(draft: Option<&Draft>, act: &str) -> Option<String> {
    let draft = draft.filter(|draft| is_from(draft, act))?;
    draft
        .field("reason")
        .filter(|typed| !typed.trim().is_empty())
        .map(str::to_owned)
}

/// Whether this form was refused because it gave no reason.
fn is_reason_missing(draft: Option<&Draft>, act: &str) -> bool {
    draft.is_some_and(|draft| {
        let about_reason = matches!(&draft.refusal, Refusal::Field { field, .. } if field == "reason");
        about_reason && is_from(draft, act)
    })
}

/// Why a button is disabled; with a link where there is something to look at.
#[component]
fn WhyNot(refusal: Refusal, here: Here) -> impl IntoView {
    let link = match &refusal {
        Refusal::PredecessorUnsettled { order, .. } => Some(Target::Order(order.clone()).path()),
        Refusal::NotYourRole(_)
        | Refusal::OrderIs(_)
        | Refusal::SuggestionIs(_)
        | Refusal::AlreadyDecided { .. }
        | Refusal::SignedOut
        | Refusal::ContentsChanged(_)
        | Refusal::Field { .. }
        | Refusal::SecondPurchaseNotAsked
        | Refusal::Held
        | Refusal::OpenDoubt
        | Refusal::LaterOrderLive
        | Refusal::NotDue
        | Refusal::AlreadyDone { .. }
        | Refusal::CannotAsk
        | Refusal::NoResume(_)
        | Refusal::NotSettledYet { .. } => None,
    };
    view! {
        <p>
            "Not offered: "{refusals::sentence(&refusal, here)}
            {link.map(|href| view! { " " <a href=href>"Look at the earlier order"</a> })}
        </p>
    }
    .into_any()
}
