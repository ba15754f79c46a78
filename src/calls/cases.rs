//! Cases.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// One case on its sheet; `refused` names the draft of an act that was refused.
#[server(prefix = "/call", endpoint = "sheet_page")]
pub async fn sheet_page(id: String, refused: Option<String>) -> Result<pages::SheetPage, CallError> {
    use crate::caller::{address, desk, named, person, shown};
    let id = named(&id)?;
    let draft = refused.and_then(|draft| draft.parse().ok());
    let address = address(&pages::sheet_path(&id));
    shown(desk()?.sheet_page(&person()?, &id, address, draft.as_ref()).await)
}
