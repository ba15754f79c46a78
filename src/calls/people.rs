//! People: who is there, who stands in, and handing over what somebody has open.

use super::CallError;
use crate::domain::people;
use leptos::prelude::*;

/// Everybody; `refused` names the draft of an act that was refused.
#[server(prefix = "/call", endpoint = "people_page")]
pub async fn people_page(refused: Option<String>) -> Result<people::PeoplePage, CallError> {
    use crate::caller::{desk, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.people_page(&person()?, draft.as_ref()).await)
}

/// What a person has open. `moved` and `came` are what a hand-over that was just done left to say.
#[server(prefix = "/call", endpoint = "hand_over_page")]
pub async fn hand_over_page(
    id: String,
    refused: Option<String>,
    moved: Option<String>,
    came: Option<String>,
) -> Result<people::HandOverPage, CallError> {
    use crate::caller::{desk, named, person, shown};
    use crate::desk::look::JustDone;
    let draft = refused.and_then(|draft| draft.parse().ok());
    let done = JustDone {
        events: moved.as_deref().and_then(people::event_numbers),
        came: people::case_ids(came.as_deref().unwrap_or_default()),
    };
    let (person, id) = (person()?, named(&id)?);
    shown(desk()?.hand_over_page(&person, &id, draft.as_ref(), &done).await)
}

/// Says that a person is away; then everybody.
#[server(prefix = "/act", endpoint = "away")]
pub async fn away(
    #[server(default)] person: Option<String>,
    #[server(default)] from: Option<String>,
    #[server(default)] until: Option<String>,
    #[server(default)] deputy: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::Typed;
    use crate::caller::people::away;
    let fields = [("person", person), ("from", from), ("until", until), ("deputy", deputy)];
    away(Typed::new("away", fields)).await
}

/// Says that a person is there; then everybody.
#[server(prefix = "/act", endpoint = "back")]
pub async fn back(#[server(default)] person: Option<String>) -> Result<(), CallError> {
    use crate::caller::order_acts::Typed;
    use crate::caller::people::back;
    back(Typed::new("back", [("person", person)])).await
}

/// Hands over what was ticked, all of it or nothing; then what the person still has open. `cases` are `case_…:version`;
/// `listed` is everything the list showed, so that what came meanwhile can be named.
#[server(prefix = "/act", endpoint = "hand_over")]
pub async fn hand_over(
    #[server(default)] from: Option<String>,
    #[server(default)] cases: Vec<String>,
    #[server(default)] listed: Option<String>,
    #[server(default)] owner: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::Typed;
    use crate::caller::people::hand_over;
    let fields = [("from", from), ("listed", listed), ("owner", owner), ("reason", reason)];
    hand_over(Typed::new("hand_over", fields), cases).await
}
