//! What happened in the house.

use super::CallError;
use crate::domain::activity::Asked;
use crate::domain::pages;
use leptos::prelude::*;

/// The log, newest first, as far as it is asked for.
#[server(prefix = "/call", endpoint = "activity_page")]
pub async fn activity_page(asked: Asked) -> Result<pages::ActivityPage, CallError> {
    use crate::caller::{desk, person, shown};
    shown(desk()?.activity_page(&person()?, asked).await)
}
