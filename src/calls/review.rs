//! Suggestions, for their review.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// Suggestions that wait for a decision; `refused` names the draft of an act that named no suggestion.
#[server(prefix = "/call", endpoint = "suggestions_page")]
pub async fn suggestions_page(
    after: Option<String>,
    refused: Option<String>,
) -> Result<pages::SuggestionsPage, CallError> {
    use crate::caller::{desk, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(
        desk()?
            .suggestions_page(&person()?, after.as_deref(), draft.as_ref())
            .await,
    )
}

/// One suggestion; `refused` names the draft of an act that was refused.
#[server(prefix = "/call", endpoint = "review_page")]
pub async fn review_page(id: String, refused: Option<String>) -> Result<pages::ReviewPage, CallError> {
    use crate::caller::{desk, named, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.review_page(&person()?, &named(&id)?, draft.as_ref()).await)
}

/// The form that changes a suggestion; `refused` names the draft of a change that was refused.
#[server(prefix = "/call", endpoint = "change_of_suggestion")]
pub async fn change_of_suggestion(id: String, refused: Option<String>) -> Result<pages::ChangePage, CallError> {
    use crate::caller::{desk, named, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(
        desk()?
            .change_of_suggestion(&person()?, &named(&id)?, draft.as_ref())
            .await,
    )
}
