//! What stands before every page and act: the Origin check, and the session.
//!
//! Promises: no mutation without our own Origin and a session; what was typed survives the session's end (case P10).
//! Must not: know what an act does.

use super::session::secret_of;
use super::{MOST_BODY, Web};
use crate::calls::CallError;
use crate::domain::ids::{OrderId, PersonId, SuggestionId};
use crate::domain::people::{PEOPLE, hand_over_path};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::collections::HashSet;

/// Leptos answers a server function that failed with this header and a redirect, which would tell nobody. An act that was
/// refused does not fail: it leads to the page with the reason.
const FAILED: &str = "serverfnerror";

/// Refuses a mutation that does not come from our own pages (rule 18, case P13): a foreign or missing Origin, a
/// `Sec-Fetch-Site` other than same-origin, a body that is not a form.
pub async fn origin(State(web): State<Web>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let headers = request.headers();
    if !is_own_origin(headers, web.public_url.as_deref()) {
        let why = "This request does not come from a page of this site, so nothing was done.\n";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    if !is_form(headers) {
        let why = "An act is a form: application/x-www-form-urlencoded. Nothing was done.\n";
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, why).into_response();
    }
    match whole_form(request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal,
    }
}

/// Before anything is written over a new connection, the database behind it is looked at: a gap is counted from its last
/// event, and not from ours (rule 20). A look that fails keeps nobody from being answered; nothing is sent before it.
pub async fn looked_at(State(web): State<Web>, request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD)
        && let Err(error) = web.desk.look_if_connected_anew().await
    {
        tracing::error!("the database could not be looked at before a write: {error}");
    }
    next.run(request).await
}

/// Reads the form and refuses one in which a field stands twice or is a list where none is: server functions answer
/// such a form with 500, and whoever sent it must learn that it was theirs.
async fn whole_form(request: Request) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, MOST_BODY).await.map_err(|_| {
        let why = "This form is too large or broke off. Nothing was done.\n";
        (StatusCode::PAYLOAD_TOO_LARGE, why).into_response()
    })?;
    let mut seen = HashSet::new();
    for (name, _) in url::form_urlencoded::parse(&bytes) {
        let is_known = LISTS.iter().any(|list| name.starts_with(list));
        let listed = name.contains('[') && !is_known;
        if listed || !seen.insert(name) {
            let why = "A field of this form stands twice, or is a list. Nothing was done.\n";
            return Err((StatusCode::BAD_REQUEST, why).into_response());
        }
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// The fields that a form may have several times: the lines of a change, and the cases of a hand-over.
const LISTS: [&str; 2] = ["lines[", "cases["];

fn is_own_origin(headers: &HeaderMap, public_url: Option<&str>) -> bool {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &axum::http::HeaderValue| value.to_str().ok())
    };
    let same_site = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let Some(origin) = text(header::ORIGIN) else {
        return false;
    };
    let own = match public_url {
        Some(public) => origin.eq_ignore_ascii_case(public),
        None => {
            let host = origin
                .split_once("://")
                .filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
            host.is_some_and(|(_, host)| text(header::HOST).is_some_and(|ours| ours.eq_ignore_ascii_case(host)))
        }
    };
    own && same_site && headers.get_all(header::ORIGIN).iter().count() == 1
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// Finds out who it is. Pages and acts without a session lead to the sign-in, and back afterwards.
pub async fn session(State(web): State<Web>, mut request: Request, next: Next) -> Response {
    let person = match secret_of(request.headers()) {
        Some(secret) => match web.desk.session(&secret).await {
            Ok(person) => person,
            Err(error) => return super::problem::broken(&error),
        },
        None => None,
    };
    let path = request.uri().path();
    let is_act = path.starts_with("/act/");
    match person {
        Some(person) => {
            request.extensions_mut().insert(person);
        }
        None if matches!(path, "/sign-in" | "/sign-out") => {}
        // what a script asks for has no use for a page
        None if path.starts_with("/call/") || path == "/live" => {
            return (StatusCode::UNAUTHORIZED, "Please sign in.\n").into_response();
        }
        None if path.starts_with("/act/") && *request.method() == Method::POST => {
            return keep_and_sign_in(&web, request).await;
        }
        None => return to_sign_in(&request),
    }
    let mut response = next.run(request).await;
    if is_act && response.headers().contains_key(FAILED) {
        return failed_act(response).await;
    }
    // a page shows what is in the database now (rule 21), and to this person only
    response
        .headers_mut()
        .entry(header::CACHE_CONTROL)
        .or_insert(axum::http::HeaderValue::from_static("no-store"));
    response
}

/// An act that failed, as a person can read it: what they sent could not be read, or something of ours does not work.
async fn failed_act(response: Response) -> Response {
    let away = response.headers().contains_key(header::RETRY_AFTER);
    let told = axum::body::to_bytes(response.into_body(), MOST_TOLD).await;
    let told = told.ok().and_then(|told| serde_json::from_slice(&told).ok());
    match told {
        Some(CallError::Unreadable) => {
            let why = format!("{}\n", CallError::Unreadable);
            (StatusCode::BAD_REQUEST, why).into_response()
        }
        Some(CallError::SignIn | CallError::Absent | CallError::Broken | CallError::Away) | None => {
            super::problem::failed(away)
        }
    }
}

/// A server function's error is a word or two.
const MOST_TOLD: usize = 4_096;

fn to_sign_in(request: &Request) -> Response {
    sign_in_then(request.uri().path_and_query().map(ToString::to_string))
}

fn sign_in_then(wanted: Option<String>) -> Response {
    let next = wanted.filter(|path| path != "/").map(|path| {
        url::form_urlencoded::Serializer::new(String::new())
            .append_pair("next", &path)
            .finish()
    });
    let location = next.map_or_else(|| "/sign-in".to_owned(), |query| format!("/sign-in?{query}"));
    Redirect::to(&location).into_response()
}

/// The session ended while somebody was deciding: what they typed is kept for them, and after signing in they are back
/// on the page with it. Nothing is replayed (case P10).
async fn keep_and_sign_in(web: &Web, request: Request) -> Response {
    let secret = secret_of(request.headers());
    let act = request.uri().path().trim_start_matches("/act/").to_owned();
    let Ok(bytes) = axum::body::to_bytes(request.into_body(), MOST_BODY).await else {
        return sign_in_then(None);
    };
    let typed = url::form_urlencoded::parse(&bytes).map(|(name, value)| (name.into_owned(), value.into_owned()));
    let fields: Vec<(String, String)> = std::iter::once(("act".to_owned(), act)).chain(typed).collect();
    let draft = match secret {
        Some(secret) => match web.desk.keep_draft_of_session(&secret, &fields).await {
            Ok(draft) => draft,
            Err(error) => return super::problem::broken(&error),
        },
        None => None,
    };
    let page = page_of(&fields);
    sign_in_then(page.map(|page| match draft {
        Some(draft) => format!("{page}?refused={draft}"),
        None => page,
    }))
}

/// The page that an act's form stands on, by the ids it carries.
fn page_of(fields: &[(String, String)]) -> Option<String> {
    let field = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value);
    let suggestion = field("suggestion").and_then(|id| id.parse::<SuggestionId>().ok());
    let order = field("order").and_then(|id| id.parse::<OrderId>().ok());
    let from = field("from").and_then(|id| id.parse::<PersonId>().ok());
    match (suggestion, order, from) {
        (Some(id), _, _) => Some(format!("/suggestions/{id}")),
        (None, Some(id), _) => Some(format!("/orders/{id}")),
        (None, None, Some(person)) => Some(hand_over_path(&person)),
        (None, None, None) => {
            let people = field("person").map(|_| PEOPLE);
            people.or(field("message").map(|_| "/messages")).map(str::to_owned)
        }
    }
}
