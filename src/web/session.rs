//! Signing in and out. The cookie carries a random secret and nothing else.
//!
//! Promises: the way back after sign-in is a path of ours. Must not: say whether it was the address or the password.

use super::Web;
use super::problem::broken;
use axum::Form;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use time_cookie::{Cookie, SameSite, time::Duration};

const COOKIE: &str = "countersign_session";

/// What the sign-in form carries.
#[derive(Deserialize)]
pub struct SignIn {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
}

/// The session's secret in a request.
pub fn secret_of(headers: &HeaderMap) -> Option<String> {
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let found = cookies
        .flat_map(Cookie::split_parse)
        .flatten()
        .find(|cookie| cookie.name() == COOKIE);
    found.map(|cookie| cookie.value().to_owned())
}

fn cookie(web: &Web, secret: String, seconds: i64) -> Option<HeaderValue> {
    let cookie = Cookie::build((COOKIE, secret))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(web.is_https())
        .max_age(Duration::seconds(seconds));
    HeaderValue::from_str(&cookie.build().to_string()).ok()
}

/// Only a path of ours is a way back; anything else leads to the queue. Visible characters only: a browser drops tabs
/// and line ends, so that `/<tab>/evil.example` would be `//evil.example`.
fn way_back(next: &str) -> &str {
    let own = next.starts_with('/') && !next.starts_with("//") && !next.contains('\\');
    let visible = next.bytes().all(|byte| byte.is_ascii_graphic());
    if own && visible { next } else { "/" }
}

/// `POST /sign-in`
pub async fn sign_in(State(web): State<Web>, Form(form): Form<SignIn>) -> Response {
    match web.desk.sign_in(&form.email, &form.password).await {
        Ok(Some(session)) => {
            let mut response = Redirect::to(way_back(&form.next)).into_response();
            if let Some(cookie) = cookie(&web, session.secret, session.seconds) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => {
            let query = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("failed", "1")
                .append_pair("email", &form.email)
                .append_pair("next", way_back(&form.next))
                .finish();
            Redirect::to(&format!("/sign-in?{query}")).into_response()
        }
        Err(error) => broken(&error),
    }
}

/// `POST /sign-out`
pub async fn sign_out(State(web): State<Web>, request: Request) -> Response {
    if let Some(secret) = secret_of(request.headers())
        && let Err(error) = web.desk.sign_out(&secret).await
    {
        return broken(&error);
    }
    let mut response = Redirect::to("/sign-in").into_response();
    if let Some(cookie) = cookie(&web, String::new(), 0) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_ours_is_a_way_back() {
        assert_eq!(way_back("/orders/po_1?x=1"), "/orders/po_1?x=1");
        for foreign in [
            "",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "/\r\nX: y",
            "/\t/evil.example",
            "/\u{1}",
        ] {
            assert_eq!(way_back(foreign), "/", "{foreign:?}");
        }
    }
}
