//! What somebody typed into an act before it was refused, for the form it came from (rule 18).
//!
//! Must not: fill a form with what was typed into another one.

use crate::domain::ids::{CaseId, PersonId};
use crate::domain::pages::Draft;
use crate::domain::refusal::Refusal;

/// The draft as one form sees it: nothing, unless it came from there. A draft that does not say where it came from may
/// have come from any: what was typed is better shown twice than lost.
#[derive(Debug, Clone)]
pub struct Typed(Option<Draft>);

impl Typed {
    /// What was typed into this act's form.
    pub fn into_act(draft: Option<&Draft>, act: &str) -> Self {
        let from_here = |draft: &&Draft| draft.field("act").is_none_or(|from| from == act);
        Self(draft.filter(from_here).cloned())
    }

    /// What was typed into this act's form about this case: a page may have several.
    pub fn into_case(draft: Option<&Draft>, act: &str, case: &CaseId) -> Self {
        let Self(draft) = Self::into_act(draft, act);
        Self(draft.filter(|draft| draft.field("case") == Some(case.as_str())))
    }

    /// What was typed into this act's form about this person.
    pub fn into_person(draft: Option<&Draft>, act: &str, person: &PersonId) -> Self {
        let Self(draft) = Self::into_act(draft, act);
        Self(draft.filter(|draft| draft.field("person") == Some(person.as_str())))
    }

    /// What was typed into this field, if it says anything.
    pub fn text(&self, field: &str) -> Option<String> {
        let typed = self.0.as_ref()?.field(field)?;
        (!typed.trim().is_empty()).then(|| typed.to_owned())
    }

    /// What was typed into this field, also nothing; absent when the form did not come from here.
    pub fn as_typed(&self, field: &str) -> Option<String> {
        Some(self.0.as_ref()?.field(field).unwrap_or_default().to_owned())
    }

    /// Whether there is a draft of this form.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// The same for a text area, whose children the framework writes as they are: escaped here, so that text stays text
    /// (case P5). For `inner_html`.
    pub fn area(&self, field: &str) -> String {
        escaped(&self.text(field).unwrap_or_default())
    }

    /// Whether the act was refused because of this field.
    pub fn is_wrong(&self, field: &str) -> bool {
        match self.0.as_ref().map(|draft| &draft.refusal) {
            Some(Refusal::Field { field: wrong, .. }) => wrong == field,
            Some(Refusal::Fields(wrong)) => wrong.iter().any(|(wrong, _)| wrong == field),
            Some(_) | None => false,
        }
    }

    /// The value of `aria-invalid` for this field.
    pub fn invalid(&self, field: &str) -> Option<&'static str> {
        self.is_wrong(field).then_some("true")
    }

    /// Whether there is something to show again: then the form stands open.
    pub fn is_any(&self, fields: &[&str]) -> bool {
        fields
            .iter()
            .any(|field| self.is_wrong(field) || self.text(field).is_some())
    }
}

/// A text as the inside of a text area.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The id of an act's field; `case`, or whatever it is about, where a page may have the act several times. A line's field, `lines[0][unit]`, has an id
/// that a link may name as it is.
pub fn field_id(act: &str, case: Option<&str>, field: &str) -> String {
    let field = field.replace('[', "-").replace(']', "");
    match case {
        Some(case) => format!("{act}-{case}-{field}"),
        None => format!("{act}-{field}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_shown_in_the_form_it_came_from_alone() {
        let fields = [("act", "hold"), ("reason", "wait for Bea")];
        let draft = Draft {
            fields: fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            refusal: Refusal::Field {
                field: "version".to_owned(),
                detail: "is missing".to_owned(),
            },
        };
        let here = Typed::into_act(Some(&draft), "hold");
        assert_eq!(here.text("reason").as_deref(), Some("wait for Bea"));
        assert!(here.is_any(&["reason"]) && here.is_wrong("version") && !here.is_wrong("reason"));
        let elsewhere = Typed::into_act(Some(&draft), "withdraw");
        assert!(!elsewhere.is_any(&["reason", "version"]));
    }
}
