//! A person's decision on a suggestion. Every field is optional on the wire, because a missing field must be an answer
//! that names it, never a default and never an error page.

use super::CallError;
use crate::domain::revision::LineTyped;
use leptos::prelude::*;

/// Approves what the screen showed; then the order's page.
#[server(prefix = "/act", endpoint = "approve")]
pub async fn approve(
    #[server(default)] suggestion: Option<String>,
    #[server(default)] digest: Option<String>,
    #[server(default)] second_purchase: Option<String>,
    #[server(default)] accept_unsettled: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::decide::{Typed, approve};
    let typed = Typed {
        suggestion,
        digest,
        reason,
    };
    approve(typed, second_purchase, accept_unsettled).await
}

/// Sends a suggestion back to the assistant; then the suggestion's page.
#[server(prefix = "/act", endpoint = "send_back")]
pub async fn send_back(
    #[server(default)] suggestion: Option<String>,
    #[server(default)] digest: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::decide::{Typed, say_no};
    say_no(
        Typed {
            suggestion,
            digest,
            reason,
        },
        crate::desk::decide::No::SendBack,
    )
    .await
}

/// Rejects a suggestion; then the suggestion's page.
#[server(prefix = "/act", endpoint = "reject")]
pub async fn reject(
    #[server(default)] suggestion: Option<String>,
    #[server(default)] digest: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::decide::{Typed, say_no};
    say_no(
        Typed {
            suggestion,
            digest,
            reason,
        },
        crate::desk::decide::No::Reject,
    )
    .await
}

/// Makes a change of a suggestion or an order the next version; then the page of what waits for review now.
#[server(prefix = "/act", endpoint = "revise")]
pub async fn revise(
    #[server(default)] suggestion: Option<String>,
    #[server(default)] digest: Option<String>,
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] lines: Vec<LineTyped>,
    #[server(default)] note_to_supplier: Option<String>,
    #[server(default)] needed_by: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::revise::{Typed, revise};
    use crate::domain::revision::RevisionTyped;
    revise(Typed {
        suggestion,
        digest,
        order,
        version,
        revision: RevisionTyped {
            lines,
            note_to_supplier,
            needed_by,
        },
    })
    .await
}
