//! The morning queue.

use super::CallError;
use crate::domain::pages;
use crate::domain::queue::Asked;
use leptos::prelude::*;

/// Everything of the tenant that is not final, as far as it is asked for; `refused` names the draft of an act that was
/// refused.
#[server(prefix = "/call", endpoint = "queue_page")]
pub async fn queue_page(asked: Asked, refused: Option<String>) -> Result<pages::QueuePage, CallError> {
    use crate::caller::{desk, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.queue_page(&person()?, asked, draft.as_ref()).await)
}

/// The same on paper: everything open, as far as it is asked for.
#[server(prefix = "/call", endpoint = "queue_sheet_page")]
pub async fn queue_sheet_page(asked: Asked) -> Result<pages::QueueSheetPage, CallError> {
    use crate::caller::{desk, person, shown};
    shown(desk()?.queue_sheet_page(&person()?, asked).await)
}

/// Ends the pause after a restore; then the queue.
#[server(prefix = "/act", endpoint = "end_pause")]
pub async fn end_pause(#[server(default)] reason: Option<String>) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, end_pause};
    end_pause(Typed::new("end_pause", [("reason", reason)])).await
}
