//! The morning queue.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// Everything of the tenant that is not final.
#[server(prefix = "/call", endpoint = "queue_page")]
pub async fn queue_page() -> Result<pages::QueuePage, CallError> {
    use crate::caller::{desk, person, shown};
    shown(desk()?.queue_page(&person()?).await)
}
