//! The morning queue.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// Everything of the tenant that is not final; `refused` names the draft of an act that was refused.
#[server(prefix = "/call", endpoint = "queue_page")]
pub async fn queue_page(refused: Option<String>) -> Result<pages::QueuePage, CallError> {
    use crate::caller::{desk, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.queue_page(&person()?, draft.as_ref()).await)
}

/// Ends the pause after a restore; then the queue.
#[server(prefix = "/act", endpoint = "end_pause")]
pub async fn end_pause(#[server(default)] reason: Option<String>) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, end_pause};
    end_pause(Typed::new("end_pause", [("reason", reason)])).await
}
