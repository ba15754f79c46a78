//! Errors of the API: `application/problem+json` (RFC 9457).
//!
//! Policy: one message for the caller, one for the log. What is ours to mend (`Broken`) says nothing of its inside.

use crate::desk::DeskError;
use crate::domain::contents::Fault;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A problem: RFC 9457's members, and `errors` for bad input.
#[derive(Debug, Serialize)]
pub struct Problem {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Fault>,
}

impl Problem {
    /// A problem of this kind; `kind` becomes the type `urn:countersign:problem:kind`.
    pub fn new(status: StatusCode, kind: &str, title: &'static str, detail: impl Into<String>) -> Self {
        let r#type = format!("urn:countersign:problem:{kind}");
        Self {
            r#type,
            title,
            status: status.as_u16(),
            detail: detail.into(),
            errors: Vec::new(),
        }
    }

    /// Bad input, each fault at its place.
    pub fn bad_input(errors: Vec<Fault>) -> Self {
        let detail = errors
            .iter()
            .map(|fault| format!("{} {}", fault.pointer, fault.detail).trim().to_owned());
        let detail = detail.collect::<Vec<_>>().join("; ");
        Self {
            errors,
            ..Self::new(StatusCode::BAD_REQUEST, "bad-input", "The input has faults", detail)
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let soon = HeaderValue::from_static("5");
            response.headers_mut().insert(header::RETRY_AFTER, soon);
        }
        if status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<DeskError> for Problem {
    fn from(error: DeskError) -> Self {
        let problem = |status, kind, title, detail: &str| Problem::new(status, kind, title, detail);
        match error {
            DeskError::Faulty(faults) => Problem::bad_input(faults),
            DeskError::Absent(what) => problem(
                StatusCode::NOT_FOUND,
                "not-found",
                "Not found",
                &format!("There is no such {what}."),
            ),
            DeskError::IntentUnknown => problem(
                StatusCode::NOT_FOUND,
                "intent-unknown",
                "The intent is not reserved",
                "Reserve it first: PUT /api/v1/intents/{intent_id} with its purpose.",
            ),
            DeskError::IntentReused => problem(
                StatusCode::UNPROCESSABLE_ENTITY,
                "intent-reused",
                "This revision is known with other contents",
                "Nothing was changed; the stored suggestion stands and a person looks into it. \
                 A different wish needs an intent_id of its own.",
            ),
            DeskError::IntentClosed => problem(
                StatusCode::CONFLICT,
                "intent-closed",
                "A new revision was not asked for",
                "A new revision, one higher than the last, is taken only after the suggestion was sent back.",
            ),
            DeskError::NoManager => problem(
                StatusCode::SERVICE_UNAVAILABLE,
                "no-manager",
                "Nobody could own a case",
                "This organisation has no manager, so no suggestion is taken. Nothing was stored; try again later.",
            ),
            DeskError::Refused(_) | DeskError::Taken(_) | DeskError::Stands(_) => problem(
                StatusCode::CONFLICT,
                "refused",
                "Refused",
                "The state does not allow it; nothing was changed.",
            ),
            DeskError::Crossed(_) | DeskError::Away(_) => {
                tracing::error!("{error}");
                problem(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "unavailable",
                    "The database cannot do this at the moment",
                    "The same request may be sent again: what was stored of this one, if anything, is answered then.",
                )
            }
            DeskError::Supplier(_) | DeskError::Secret(_) | DeskError::Exchanged | DeskError::Broken(_) => {
                tracing::error!("{error}");
                problem(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "internal",
                    "Something on our side does not work",
                    "It was written to the log. The same request may be sent again.",
                )
            }
        }
    }
}

/// A page, act or sign-in that our side cannot serve.
pub fn broken(error: &DeskError) -> Response {
    tracing::error!("{error}");
    failed(error.is_away())
}

/// As `broken`, where the log knows already. `away`: the database could not do it now.
pub fn failed(away: bool) -> Response {
    if away {
        let why = "The database cannot do this at the moment. Please try again in a moment; \
                   if you pressed a button, look first whether it was done.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], why).into_response();
    }
    let why = "Something on our side does not work. It was written to the log; please try again.\n";
    (StatusCode::INTERNAL_SERVER_ERROR, why).into_response()
}
