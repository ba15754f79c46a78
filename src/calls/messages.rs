//! What people are told by e-mail.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// The messages, newest first; `after` names the last of the page before, `refused` the draft of an act that was refused.
#[server(prefix = "/call", endpoint = "messages_page")]
pub async fn messages_page(after: Option<String>, refused: Option<String>) -> Result<pages::MessagesNow, CallError> {
    use crate::caller::{desk, person, shown};
    let after = after.and_then(|after| after.parse().ok());
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.messages_now(&person()?, after.as_ref(), draft.as_ref()).await)
}

/// Has a message sent again; then the messages.
#[server(prefix = "/act", endpoint = "send_again")]
pub async fn send_again(#[server(default)] message: Option<String>) -> Result<(), CallError> {
    use crate::caller::messages::send_again;
    use crate::caller::order_acts::Typed;
    send_again(Typed::new("send_again", [("message", message)])).await
}
