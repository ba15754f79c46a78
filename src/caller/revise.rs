//! `/act/revise`, from what the form carries to the page that follows.

use super::{broken, desk, go_to, person};
use crate::calls::CallError;
use crate::desk::DeskError;
use crate::desk::decide::missing;
use crate::desk::revise::Changing;
use crate::domain::pages::Target;
use crate::domain::refusal::Refusal;
use crate::domain::revision::{RevisionTyped, field_name};

/// What the form carried.
pub struct Typed {
    pub suggestion: Option<String>,
    pub digest: Option<String>,
    pub order: Option<String>,
    pub version: Option<String>,
    pub revision: RevisionTyped,
}

fn read<T: std::str::FromStr>(text: Option<&String>, field: &str, what: &str) -> Result<T, Refusal> {
    let text = text.map(|text| text.trim()).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| missing(field, &format!("is missing: {what}")))?;
    text.parse().map_err(|_| missing(field, &format!("is not {what}")))
}

impl Typed {
    fn changing(&self) -> Result<Changing, Refusal> {
        match (&self.suggestion, &self.order) {
            (Some(_), None) => Ok(Changing::Suggestion {
                id: read(self.suggestion.as_ref(), "suggestion", "a suggestion’s id, as sug_…")?,
                digest: read(self.digest.as_ref(), "digest", "the digest that the page showed")?,
            }),
            (None, Some(_)) => Ok(Changing::Order {
                id: read(self.order.as_ref(), "order", "an order’s id, as po_…")?,
                version: read(self.version.as_ref(), "version", "the version that the page showed")?,
            }),
            (None, None) | (Some(_), Some(_)) => Err(missing(
                "order",
                "name either a suggestion or an order: what is changed",
            )),
        }
    }

    /// The form's page, as far as it said what it changes.
    fn page(&self) -> String {
        let order = self.order.as_ref().and_then(|id| id.parse().ok()).map(Target::Order);
        let suggestion = self.suggestion.as_ref().and_then(|id| id.parse().ok());
        match order.or(suggestion.map(Target::Suggestion)) {
            Some(target) => target.change_path(),
            None => "/orders".to_owned(),
        }
    }

    /// What was typed, with the act it was typed into, for the draft.
    fn fields(&self) -> Vec<(String, String)> {
        let single = [
            ("suggestion", &self.suggestion),
            ("digest", &self.digest),
            ("order", &self.order),
            ("version", &self.version),
            ("note_to_supplier", &self.revision.note_to_supplier),
            ("needed_by", &self.revision.needed_by),
        ];
        let single = single
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        let lines = self.revision.lines.iter().enumerate().flat_map(|(place, line)| {
            line.fields()
                .map(move |(name, value)| (field_name(place, name), value.clone()))
        });
        let act = ("act".to_owned(), "revise".to_owned());
        std::iter::once(act).chain(single).chain(lines).collect()
    }
}

/// `/act/revise`: then the page of the new version.
pub async fn revise(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let changing = typed.changing()?;
        desk.revise(&person, &changing, &typed.revision).await
    };
    let (refusal, page) = match done.await {
        Ok(id) => {
            go_to(&Target::Suggestion(id).path());
            return Ok(());
        }
        Err(DeskError::Refused(refusal)) => (refusal, typed.page()),
        Err(DeskError::Absent(what)) => (missing(what, &format!("there is no such {what}")), "/orders".to_owned()),
        Err(other) => return Err(broken(&other)),
    };
    let draft = desk.keep_draft(&person, &typed.fields(), &refusal).await;
    let draft = draft.map_err(|error| broken(&error))?;
    go_to(&format!("{page}?refused={draft}"));
    Ok(())
}
