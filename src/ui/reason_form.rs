//! An act that needs a reason: folded away until somebody wants it, or disabled with the reason why it is not offered.

use super::moment::Here;
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use crate::domain::pages::Draft;
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

/// The act and its words.
#[derive(Debug, Clone)]
pub struct Reasoned {
    pub act: &'static str,
    pub button: &'static str,
    pub summary: &'static str,
    pub label: &'static str,
    /// What the act does, below the field.
    pub hint: &'static str,
    pub may: Result<(), Refusal>,
    /// What the act is about, and what the page showed.
    pub hidden: Vec<(&'static str, String)>,
}

/// The form. What was typed before it was refused stands in it again.
#[component]
pub fn ReasonForm(form: Reasoned, draft: Option<Draft>, here: Here) -> impl IntoView {
    if let Err(refusal) = form.may {
        return view! {
            <div class="no-disabled">
                <button class="button button-quiet" disabled=true>{form.button}</button>
                <div class="fine"><WhyNot refusal here/></div>
            </div>
        }
        .into_any();
    }
    let typed = Typed::into_act(draft.as_ref(), form.act);
    let (field, hint) = (field_id(form.act, None, "reason"), field_id(form.act, None, "hint"));
    view! {
        <details class="no" open=typed.is_any(&["reason"])>
            <summary>{form.summary}</summary>
            <form class="form" method="post" action=format!("/act/{}", form.act)>
                <Hidden fields=form.hidden/>
                <label for=field.clone()>{form.label}</label>
                <textarea id=field name="reason" rows="3" maxlength="2000" placeholder=" " aria-describedby=hint.clone()
                    aria-invalid=typed.invalid("reason") inner_html=typed.area("reason")></textarea>
                <p class="fine" id=hint>{form.hint}</p>
                <button class="button button-quiet">{form.button}</button>
            </form>
        </details>
    }
    .into_any()
}

/// Fields that a form carries and nobody types.
#[component]
pub fn Hidden(fields: Vec<(&'static str, String)>) -> impl IntoView {
    fields
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect_view()
}
