//! The router: pages and acts, API, sign-in, health. Handlers are a few lines over one named act.
//!
//! Promises: GET changes nothing; every mutation by a browser passes the Origin check and the session (rule 18); every
//! answer carries the safety headers. Must not: wait for a supplier.

pub mod api;
pub mod assets;
mod body;
mod export;
mod guard;
mod live;
mod log;
mod metrics;
mod problem;
mod session;
pub mod shapes;
mod streamed;
pub mod tables;

use crate::app::{App, shell};
use crate::desk::{Desk, Person};
use crate::domain::pages::PublicUrl;
use axum::extract::{DefaultBodyLimit, FromRef, Request, State};
use axum::http::{HeaderValue, StatusCode, header, request::Parts};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use leptos::config::LeptosOptions;
use leptos::nonce::use_nonce;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{LeptosRoutes, ResponseOptions, generate_route_list, render_app_async_with_context};
use metrics::Meter;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;

/// The largest body that is read: an order of a thousand lines is far smaller.
pub(crate) const MOST_BODY: usize = 1 << 20;

/// What handlers share.
#[derive(Debug, Clone)]
pub struct Web {
    desk: Desk,
    leptos: LeptosOptions,
    /// Scheme and host people use; absent: the request's Host.
    public_url: Option<String>,
    meter: Meter,
    /// Cancelled once this process is to end: answers that would go on end then.
    stop: CancellationToken,
}

impl FromRef<Web> for LeptosOptions {
    fn from_ref(web: &Web) -> Self {
        web.leptos.clone()
    }
}

impl FromRef<Web> for Desk {
    fn from_ref(web: &Web) -> Self {
        web.desk.clone()
    }
}

impl FromRef<Web> for Meter {
    fn from_ref(web: &Web) -> Self {
        web.meter.clone()
    }
}

impl Web {
    /// The web over this desk.
    pub fn new(desk: Desk, public_url: Option<String>) -> Self {
        Self {
            desk,
            leptos: LeptosOptions::builder().output_name("countersign").build(),
            public_url,
            meter: Meter::new(),
            stop: CancellationToken::new(),
        }
    }

    /// The same, for a process that ends when this is cancelled.
    pub fn until(self, stop: CancellationToken) -> Self {
        Self { stop, ..self }
    }

    fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https:"))
    }

    /// What every page and server function finds in its context: desk, address, person, safety headers.
    fn context(&self) -> impl Fn() + Clone + Send + Sync + 'static {
        let (desk, public_url) = (self.desk.clone(), PublicUrl(self.public_url.clone()));
        move || {
            provide_context(desk.clone());
            provide_context(public_url.clone());
            if let Some(person) = use_context::<Parts>().and_then(|parts| parts.extensions.get::<Person>().cloned()) {
                provide_context(person);
            }
            if let (Some(nonce), Some(response)) = (use_nonce(), use_context::<ResponseOptions>()) {
                let policy = page_policy(&nonce);
                if let Ok(policy) = HeaderValue::from_str(&policy) {
                    response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
                }
            }
        }
    }
}

/// Scripts only with this answer's nonce, and what they load; nothing from elsewhere (case P5).
fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Everything this process serves.
pub fn router(web: Web) -> Router {
    let css = assets::asset_url("/pkg/countersign.css");
    let (options, page_css) = (web.leptos.clone(), css.clone());
    let pages = Router::new()
        .leptos_routes_with_context(&web, generate_route_list(App), web.context(), move || {
            shell(options.clone(), page_css.clone())
        })
        .route("/sign-in", post(session::sign_in))
        .route("/sign-out", post(session::sign_out))
        .route("/activity/export", get(log::export))
        .route("/live", get(live::live))
        .merge(export::routes())
        .fallback(move |state: State<Web>, request: Request| not_found(state, css.clone(), request))
        .layer(middleware::from_fn_with_state(web.clone(), guard::session))
        .layer(middleware::from_fn_with_state(web.clone(), guard::origin));
    Router::new()
        .merge(pages)
        .merge(assets::routes())
        .nest("/api/v1", api::routes())
        .merge(instruments())
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(SetResponseHeaderLayer::overriding(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(SetResponseHeaderLayer::overriding(
            header::REFERRER_POLICY,
            HeaderValue::from_static("same-origin"),
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        ))
        .layer(middleware::from_fn_with_state(web.clone(), guard::looked_at))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state(web.meter.clone(), metrics::watch))
        .with_state(web)
}

/// What a worker without pages serves to those who watch it.
pub fn instruments_of(web: Web) -> Router {
    let watch = middleware::from_fn_with_state(web.meter.clone(), metrics::watch);
    instruments().layer(watch).with_state(web)
}

fn instruments() -> Router<Web> {
    Router::new()
        .route("/health", get(|| async { "ok\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics::metrics))
}

/// A page for an address that names nothing.
async fn not_found(State(web): State<Web>, css: String, request: Request) -> Response {
    let options = web.leptos.clone();
    let render = render_app_async_with_context(web.context(), move || shell(options.clone(), css.clone()));
    let mut response = render(request).await;
    if response.status().is_success() {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

/// One line for everything that is wrong, and for what is only worth saying.
async fn ready(State(desk): State<Desk>) -> Response {
    let found = desk.readiness().await;
    let (status, verdict) = if found.is_ready() {
        (StatusCode::OK, "ready")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    };
    let lines = found.faults.iter().map(String::as_str);
    let remarks = found.remarks.iter().map(|remark| format!("remark: {remark}"));
    let body: Vec<String> = std::iter::once(verdict)
        .chain(lines)
        .map(str::to_owned)
        .chain(remarks)
        .collect();
    (status, body.join("\n") + "\n").into_response()
}
