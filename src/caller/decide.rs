//! Acts on a suggestion, from what a form carries to the page that follows.

use super::{broken, desk, go_to, person};
use crate::calls::CallError;
use crate::desk::decide::{Approved, No, missing};
use crate::desk::{Desk, DeskError, Person};
use crate::domain::contents::Digest;
use crate::domain::ids::{OrderId, SuggestionId};
use crate::domain::refusal::Refusal;
use crate::domain::suggestion::Approval;

/// What every decision's form carries.
pub struct Typed {
    pub suggestion: Option<String>,
    pub digest: Option<String>,
    pub reason: Option<String>,
}

impl Typed {
    /// What was typed, with the act it was typed into, for the draft.
    fn fields(&self, act: &str) -> Vec<(String, String)> {
        let act = Some(act.to_owned());
        [
            ("act", &act),
            ("suggestion", &self.suggestion),
            ("digest", &self.digest),
            ("reason", &self.reason),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.clone().map(|value| (name.to_owned(), value)))
        .collect()
    }

    fn suggestion(&self) -> Result<SuggestionId, Refusal> {
        let text = self
            .suggestion
            .as_deref()
            .ok_or_else(|| missing("suggestion", "is missing"))?;
        text.parse().map_err(|error| missing("suggestion", &format!("{error}")))
    }

    fn digest(&self) -> Result<Digest, Refusal> {
        let text = self.digest.as_deref().filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| missing("digest", "is missing: it says what you saw"))?;
        text.parse().map_err(|error| missing("digest", &format!("{error}")))
    }
}

/// `/act/approve`: then the order's page.
pub async fn approve(
    typed: Typed,
    second_purchase: Option<String>,
    accept_unsettled: Option<String>,
) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let mut fields = typed.fields("approve");
    fields.extend(
        accept_unsettled
            .clone()
            .map(|value| ("accept_unsettled".to_owned(), value)),
    );
    fields.extend(
        second_purchase
            .clone()
            .map(|value| ("second_purchase".to_owned(), value)),
    );
    match try_approve(
        &desk,
        &person,
        &typed,
        second_purchase.as_deref(),
        accept_unsettled.as_deref(),
    )
    .await
    {
        Ok(Approved::Now(order) | Approved::Before(order)) => {
            go_to(&format!("/orders/{order}"));
            Ok(())
        }
        Err(error) => refused(&desk, &person, &typed, &fields, error).await,
    }
}

async fn try_approve(
    desk: &Desk,
    person: &Person,
    typed: &Typed,
    second_purchase: Option<&str>,
    accept_unsettled: Option<&str>,
) -> Result<Approved, DeskError> {
    let approval = Approval {
        digest: typed.digest()?,
        second_purchase: match second_purchase {
            None | Some("") => false,
            Some("yes") => true,
            Some(_) => return Err(missing("second_purchase", "is either \"yes\" or absent").into()),
        },
        accept_unsettled: accept_unsettled
            .unwrap_or_default()
            .split_whitespace()
            .map(unsettled)
            .collect::<Result<_, _>>()?,
    };
    desk.approve(person, &typed.suggestion()?, &approval, typed.reason.as_deref())
        .await
}

/// `po_…:version`
fn unsettled(text: &str) -> Result<(OrderId, u64), Refusal> {
    let read = text
        .split_once(':')
        .and_then(|(id, version)| Some((id.parse().ok()?, version.parse().ok()?)));
    read.ok_or_else(|| missing("accept_unsettled", "names each order and its version, as po_…:3"))
}

/// `/act/send_back` and `/act/reject`: then the suggestion's page.
pub async fn say_no(typed: Typed, no: No) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let fields = typed.fields(match no {
        No::SendBack => "send_back",
        No::Reject => "reject",
    });
    match try_say_no(&desk, &person, &typed, no).await {
        Ok(id) => {
            go_to(&format!("/suggestions/{id}"));
            Ok(())
        }
        Err(error) => refused(&desk, &person, &typed, &fields, error).await,
    }
}

async fn try_say_no(desk: &Desk, person: &Person, typed: &Typed, no: No) -> Result<SuggestionId, DeskError> {
    let (id, digest) = (typed.suggestion()?, typed.digest()?);
    desk.say_no(person, &id, &digest, no, typed.reason.as_deref().unwrap_or_default())
        .await?;
    Ok(id)
}

/// Back to the suggestion's page with the reason at its top and what was typed kept.
async fn refused(
    desk: &Desk,
    person: &Person,
    typed: &Typed,
    fields: &[(String, String)],
    error: DeskError,
) -> Result<(), CallError> {
    let (refusal, back) = match error {
        DeskError::Refused(refusal) => (refusal, typed.suggestion().ok()),
        DeskError::Absent(_) => (missing("suggestion", "there is no such suggestion"), None),
        other => return Err(broken(&other)),
    };
    let draft = desk
        .keep_draft(person, fields, &refusal)
        .await
        .map_err(|error| broken(&error))?;
    let page = back.map_or_else(|| "/suggestions".to_owned(), |id| format!("/suggestions/{id}"));
    go_to(&format!("{page}?refused={draft}"));
    Ok(())
}
