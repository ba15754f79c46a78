//! What the body of a server function needs from its request: the desk, who asks, and how to answer.
//!
//! Must not: decide, or know pages beyond their paths.

pub mod decide;
pub mod messages;
pub mod order_acts;
pub mod people;
pub mod revise;

use crate::calls::CallError;
use crate::desk::{Desk, DeskError, Person};
use crate::domain::pages::PublicUrl;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use leptos::prelude::{expect_context, use_context};
use leptos_axum::ResponseOptions;
use std::str::FromStr;

/// The desk of this process.
pub fn desk() -> Result<Desk, CallError> {
    use_context::<Desk>().ok_or_else(|| {
        tracing::error!("a server function was called without a desk");
        CallError::Broken
    })
}

/// Who asks; nobody who is not signed in gets further.
pub fn person() -> Result<Person, CallError> {
    use_context::<Person>().ok_or(CallError::SignIn)
}

/// An id from an address; what is none names nothing.
pub fn named<T: FromStr>(text: &str) -> Result<T, CallError> {
    text.parse().map_err(|_| absent())
}

/// Where people open this path: under the configured URL, else under the host that was asked. It is shown, and never
/// followed.
pub fn address(path: &str) -> String {
    let host = || {
        let parts = use_context::<Parts>()?;
        let host = parts.headers.get(header::HOST)?;
        host.to_str().ok().map(str::to_owned)
    };
    let configured = use_context::<PublicUrl>().and_then(|url| url.0);
    let site = configured.or_else(host).unwrap_or_default();
    format!("{}{path}", site.trim_end_matches('/'))
}

/// What a reading act found, or the page that says why not.
pub fn shown<T>(found: Result<T, DeskError>) -> Result<T, CallError> {
    found.map_err(|error| match error {
        DeskError::Absent(_) | DeskError::IntentUnknown => absent(),
        away if away.is_away() => {
            expect_context::<ResponseOptions>().set_status(StatusCode::SERVICE_UNAVAILABLE);
            broken(&away)
        }
        other => broken(&other),
    })
}

fn absent() -> CallError {
    expect_context::<ResponseOptions>().set_status(StatusCode::NOT_FOUND);
    CallError::Absent
}

/// One message for the person, one for the log.
pub fn broken(error: &DeskError) -> CallError {
    tracing::error!("{error}");
    if error.is_away() {
        // `web::guard` makes of an act that failed what a person can read
        let soon = HeaderValue::from_static("5");
        expect_context::<ResponseOptions>().insert_header(header::RETRY_AFTER, soon);
        CallError::Away
    } else {
        CallError::Broken
    }
}

/// Sends the browser to a page with 303, whatever it said it accepts: acts are form posts.
pub fn go_to(path: &str) {
    let response = expect_context::<ResponseOptions>();
    // a path of ours is ASCII, so this does not fail; if it did, the front page is a way back
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    response.insert_header(header::LOCATION, location);
    response.set_status(StatusCode::SEE_OTHER);
}
