//! Acts on a message, from what a form carries to the page that follows.

use super::order_acts::Typed;
use super::{broken, desk, go_to, person};
use crate::calls::CallError;
use crate::desk::DeskError;
use crate::desk::decide::missing;
use crate::domain::ids::MessageId;

/// `/act/send_again`: then the messages.
pub async fn send_again(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let message: MessageId = typed.read("message", "a message’s id, as msg_…")?;
        desk.send_again(&person, &message).await
    };
    let refusal = match done.await {
        Ok(()) => {
            go_to("/messages");
            return Ok(());
        }
        Err(DeskError::Refused(refusal)) => refusal,
        Err(DeskError::Absent(what)) => missing(what, &format!("there is no such {what}")),
        Err(other) => return Err(broken(&other)),
    };
    let draft = desk.keep_draft(&person, typed.fields(), &refusal).await;
    go_to(&format!("/messages?refused={}", draft.map_err(|error| broken(&error))?));
    Ok(())
}
