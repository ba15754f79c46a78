//! Why an act was refused, at the top of the page it came back to, with links to what can be put right (rule 18).

use super::differences::DifferenceTable;
use super::icon::{Drawing, Icon};
use super::moment::Here;
use super::plain::{Name, Passage};
use super::typed::field_id;
use super::words::people;
use super::words::refusals::{self, Manner};
use crate::domain::pages::{Draft, Target, sheet_path};
use crate::domain::people::CaseChanged;
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

/// So many fields are named at the top; all are marked in the form.
const MOST_FIELDS: usize = 12;

/// What people write in their own words.
const WRITTEN: [&str; 3] = ["reference", "evidence", "reason"];

/// The summary. Being told that somebody was faster looks calm; a fault looks like one. Both are read out and focused.
/// `forms` are the acts that have a form on this page now: what was typed into any other is shown here instead.
#[component]
pub fn ErrorSummary(draft: Draft, here: Here, #[prop(optional)] forms: Vec<&'static str>) -> impl IntoView {
    let (class, icon) = match refusals::manner(&draft.refusal) {
        Manner::Calm => ("summary summary-calm", Icon::Check),
        Manner::Firm => ("summary", Icon::Alert),
    };
    view! {
        <div class=class role="alert" tabindex="-1" autofocus aria-labelledby="summary-heading">
            <h2 id="summary-heading"><Drawing icon/>{refusals::heading(&draft.refusal)}</h2>
            <p>{refusals::sentence(&draft.refusal, here)}</p>
            <WayOn draft=draft.clone()/>
            <Written draft forms/>
        </div>
    }
    .into_any()
}

/// What was written into a form that is not on the page any more: nothing typed is lost (rule 18).
#[component]
fn Written(draft: Draft, forms: Vec<&'static str>) -> impl IntoView {
    let has_form = draft.field("act").is_some_and(|act| forms.contains(&act));
    let written = WRITTEN.into_iter().filter(|_| !has_form).filter_map(|field| {
        let text = draft.field(field).filter(|text| !text.trim().is_empty())?.to_owned();
        Some(view! { <p class="fine">{refusals::field_label(field)}", as you typed it:"</p><Passage text label="What you typed"/> })
    });
    written.collect_view().into_any()
}

/// What the person can do about it: a link to the field or to the other order, or the difference itself.
#[component]
fn WayOn(draft: Draft) -> impl IntoView {
    let link = |href: String, words: String| view! { <p><a href=href>{words}</a></p> }.into_any();
    match draft.refusal.clone() {
        Refusal::ContentsChanged(differences) if !differences.is_empty() => view! {
            <DifferenceTable caption="What you saw, and what stands here now" before="You saw" after="Now" differences/>
        }
        .into_any(),
        Refusal::Field { field, .. } => {
            let words = format!("Go to “{}”", refusals::field_label(&field));
            field_anchor(&draft, &field)
                .map(|id| link(format!("#{id}"), words))
                .into_any()
        }
        Refusal::Fields(fields) => {
            let item = |(field, detail): (String, String)| {
                let words = format!("{}: {detail}", refusals::field_label(&field));
                let id = field_anchor(&draft, &field).map(|id| format!("#{id}"));
                view! { <li><a href=id>{words}</a></li> }
            };
            let more = fields.len().saturating_sub(MOST_FIELDS);
            let items = fields.into_iter().take(MOST_FIELDS).map(item).collect_view();
            let more = (more > 0).then(|| view! { <li>{format!("and {more} more, each marked below")}</li> });
            view! { <ul class="links">{items}{more}</ul> }.into_any()
        }
        Refusal::CasesChanged(changed) => {
            let item = |one: CaseChanged| {
                let now = people::case_is(&one);
                view! { <li><a href=sheet_path(&one.case)><Name text=one.headline/></a><span>{now}</span></li> }
            };
            view! { <ul class="links">{changed.into_iter().map(item).collect_view()}</ul> }.into_any()
        }
        Refusal::SecondPurchaseNotAsked => link(
            "#second_purchase".to_owned(),
            "Go to “Yes, this is a second purchase”".to_owned(),
        ),
        Refusal::PredecessorUnsettled { order, .. } => {
            link(Target::Order(order).path(), "Look at the earlier order".to_owned())
        }
        Refusal::LaterOrder { order } => link(Target::Order(order).path(), "Go to the later order".to_owned()),
        Refusal::ChangeWaits { suggestion } => link(
            Target::Suggestion(suggestion).path(),
            "Go to the change that waits".to_owned(),
        ),
        Refusal::ContentsChanged(_)
        | Refusal::NothingChanged
        | Refusal::FindingWaits { .. }
        | Refusal::NothingWaits
        | Refusal::OwnFinding
        | Refusal::NotYourRole(_)
        | Refusal::OrderIs(_)
        | Refusal::SuggestionIs(_)
        | Refusal::AlreadyDecided { .. }
        | Refusal::SignedOut
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
        | Refusal::NobodyElse { .. }
        | Refusal::NotSettledYet { .. }
        | Refusal::NothingIsSent(_)
        | Refusal::MessagePast(_)
        | Refusal::MessageOnItsWay => ().into_any(),
    }
}

/// The id of the field, in the form the draft came from where it says so, else in the first that has such a field;
/// nothing for a field that nobody sees.
fn field_anchor(draft: &Draft, field: &str) -> Option<String> {
    match (field, draft.field("act")) {
        ("order" | "suggestion" | "case" | "version" | "digest" | "person", _) => None,
        ("accept_unsettled", _) => Some(field.to_owned()),
        ("reason", Some("approve")) => Some(field_id("approve", None, field)),
        ("second_purchase", _) => Some(field.to_owned()),
        (field, Some("away")) => Some(field_id("away", draft.field("person"), field)),
        (field, Some(act)) => Some(field_id(act, draft.field("case"), field)),
        ("reason", None) => Some(field_id("send_back", None, field)),
        (field, None) => Some(field.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_field_of_the_form_that_was_refused() {
        let anchor = |fields: &[(&str, &str)], field: &str| {
            let fields = fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let draft = Draft {
                fields: fields.collect(),
                refusal: Refusal::CannotAsk,
            };
            field_anchor(&draft, field)
        };
        assert_eq!(anchor(&[("act", "hold")], "reason").as_deref(), Some("hold-reason"));
        let assign = [("act", "assign"), ("case", "case_1")];
        assert_eq!(anchor(&assign, "due_at").as_deref(), Some("assign-case_1-due_at"));
        assert_eq!(
            anchor(&[("act", "record_finding")], "evidence").as_deref(),
            Some("record_finding-evidence")
        );
        assert_eq!(anchor(&[], "reason").as_deref(), Some("send_back-reason"));
        assert_eq!(anchor(&[("act", "hold")], "version"), None);
    }
}
