//! Server functions: the only door from `ui`. A function here is: who is it, call the act, map the error.
//!
//! Acts are plain form posts. They always end in a redirect: a refusal is kept as a draft and shown by the page it came
//! from, so that nothing depends on what a form's answer can carry (rule 18).

pub mod activity;
pub mod cases;
pub mod decide;
pub mod messages;
pub mod order_acts;
pub mod orders;
pub mod people;
pub mod queue;
pub mod review;

use leptos::prelude::FromServerFnError;
use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::ServerFnErrorErr;
use serde::{Deserialize, Serialize};

/// Why a page cannot be shown. Small: nothing internal travels in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CallError {
    #[error("Please sign in.")]
    SignIn,
    #[error("There is nothing under this address.")]
    Absent,
    /// The fields of a form that no page of ours sends.
    #[error("The form cannot be read: a field stands twice, or is not where it belongs.")]
    Unreadable,
    #[error("Something on our side does not work. It was written to the log; please try again.")]
    Broken,
    #[error(
        "The database cannot do this at the moment. Please try again in a moment; if you pressed a button, look first whether it was done."
    )]
    Away,
}

impl FromServerFnError for CallError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) | ServerFnErrorErr::Deserialization(_) => {
                CallError::Unreadable
            }
            _ => CallError::Broken,
        }
    }
}
