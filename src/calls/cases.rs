//! Cases.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// One case on its sheet.
#[server(prefix = "/call", endpoint = "sheet_page")]
pub async fn sheet_page(id: String) -> Result<pages::SheetPage, CallError> {
    use crate::caller::{address, desk, named, person, shown};
    let id = named(&id)?;
    let address = address(&pages::sheet_path(&id));
    shown(desk()?.sheet_page(&person()?, &id, address).await)
}
