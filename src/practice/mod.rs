//! The practice supplier: a supplier as real as one process can be, to rehearse lost answers on.
//!
//! It is a program of its own: its own port, its own SQLite file, its own clock. It promises that what it holds (orders,
//! keys, the request log, waiting faults, the contract) survives its restart; that a request is written down before
//! anything is done about it and is worked on to its end though the client has gone; and that one request takes at most
//! one fault. It must never share memory or a database with the desk, and nothing here may import another room: what
//! the desk knows of it, it knows through HTTP.
//!
//! # What is answered by whom
//!
//! `arrival` writes a request down; `orders` (submit), `look_up` and `clerk` do what it asks; `in_flight` knows the keys in
//! use, `contract` the habits, `faults` what can be made to go wrong, `store` what is remembered, `wire` the sockets.
//! `instruments` are for whoever rehearses (`PUT`/`GET` of `/faults` and `/contract`, `GET /count`, `GET /requests`): they
//! ask for no account and stand in no log. Every other request is logged, `/login` and unknown addresses included, so that
//! a followed redirect shows.
//!
//! # The order in which a submitted order is treated
//!
//! 1. One transaction writes the request down, takes the first waiting `submit` fault and reads the contract; a later
//!    `PUT /contract` does not touch requests that have arrived.
//! 2. Faults that break off or turn away at the door act now: the key is not looked at, nothing is stored or saved.
//! 3. Account (401), shape of the body (400), faults that refuse outright.
//! 4. The key is claimed. Claimed by another request: 409 `in_flight`, or wait for it, as the contract says. The claim
//!    is held until the answer is known, sleeping included, and dies with the process (a lock that outlives the process
//!    is what the fault `409_in_flight` plays).
//! 5. `sleep_then_store` sleeps here, before the key is looked at: a key can expire while its repeat waits.
//! 6. A key known and inside its retention answers (another body, where bodies are checked: 409 `key_reused`). Retention
//!    counts from the arrival of the request whose answer was saved. Past it, the key creates anew.
//! 7. `processing_seconds` pass; then order and key record are stored in one transaction, and only then can a look-up
//!    find the order (`visibility_lag_seconds` later).
//! 8. The fault, if it is one that damages answers, damages this one; replays too.
//!
//! # Which answers are saved for a key (field case W5)
//!
//! What the run itself answered: 201, 202, `reference_exists`, `refuse_422`, `409_business` and the 500 of
//! `store_then_500` and `500_without_store`. Errors (400 and up) only while `replays_saved_errors` holds, and an outright
//! refusal never replaces what a key already answered. Never saved: what the door said (401, 403, 429, 503, in flight, a
//! malformed body) and what happened to the answer on its way out (a gateway's 502, 503, 504, HTML, redirects, cuts):
//! there the key keeps the 201 that got lost. The three contracts of W5, and how to have them:
//!
//! | contract | fault | `replays_saved_errors` | a repeat of the key |
//! |---|---|---|---|
//! | stored, 500 replayed | `store_then_500` | `true` | the same 500, `Idempotent-Replayed: true` |
//! | 500 not saved, runs again | `500_without_store` | `false` | 201, created now |
//! | the same, order stored | `store_then_500` | `false` | 201 for the order the first run stored: one order per honoured key |
//! | 500 saved, nothing created | `500_without_store` | `true` | the same 500, though there is no order |
//!
//! A supplier that makes a second order on a repeat is `key_honoured: false` with `duplicate_reference: "second"`.

mod arrival;
mod clerk;
mod contract;
mod faults;
mod in_flight;
mod instruments;
mod look_up;
mod orders;
mod store;
mod wire;

use std::future::Future;
use std::time::Duration;

use axum::Router;
use axum::extract::{Extension, Path, Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::{get, post};
use chrono::{DateTime, NaiveDate, SecondsFormat};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use arrival::Arrival;
use in_flight::InFlight;
use store::Store;
use wire::{Answer, Ending, Line};

/// How long requests that are being worked on may go on after the supplier was told to stop.
const GRACE: Duration = Duration::from_secs(3);

/// Why the practice supplier cannot open for business.
#[derive(Debug, thiserror::Error)]
pub enum PracticeError {
    /// The address of the database is not one, or the file cannot be opened or created.
    #[error("the practice supplier cannot open its database {url}: {source}")]
    Open {
        /// The database URL as given.
        url: String,
        /// What the database said.
        source: sqlx::Error,
    },
    /// The file is open, but its tables cannot be created (another program's file, or a full disk).
    #[error("the practice supplier cannot prepare its tables in {url}: {source}")]
    Prepare {
        /// The database URL as given.
        url: String,
        /// What the database said.
        source: sqlx::Error,
    },
}

/// Serves the practice supplier on `listener` until `shutdown` completes.
///
/// `database_url` names its SQLite file (`sqlite:practice.db`), created when missing. At shutdown no further connection
/// is accepted, requests in work get three seconds, and what is still asleep then is dropped as if the machine had been
/// switched off.
///
/// # Errors
///
/// When the database cannot be opened or prepared. Once open it serves; a failing request is answered with 500.
pub async fn serve(
    listener: TcpListener,
    database_url: &str,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), PracticeError> {
    let shop = Shop {
        store: Store::open(database_url).await?,
        in_flight: InFlight::default(),
        work: TaskTracker::new(),
        switched_off: CancellationToken::new(),
    };
    wire::accept(listener, &router(shop.clone()), &shop, shutdown).await;
    shop.close().await;
    Ok(())
}

/// Everything one running practice supplier has; cloned per request, never global, so that several fit one process.
#[derive(Clone)]
struct Shop {
    store: Store,
    in_flight: InFlight,
    /// Requests being worked on and open connections.
    work: TaskTracker,
    /// Cancelled at the very end: whatever still runs stops where it is.
    switched_off: CancellationToken,
}

/// What a request wants of the counter.
enum Call {
    Submit,
    FindByReference,
    FindByNumber(String),
    Change(String),
    SignIn,
    Elsewhere,
}

fn router(shop: Shop) -> Router {
    let orders = post(submit).get(find_by_reference).fallback(elsewhere);
    let order = get(find_by_number).put(change).fallback(elsewhere);
    Router::new()
        .route("/orders", orders)
        .route("/orders/{number}", order)
        .route("/login", get(sign_in).post(sign_in).fallback(elsewhere))
        .merge(instruments::router())
        .fallback(elsewhere)
        .with_state(shop)
}

async fn submit(State(shop): State<Shop>, Extension(line): Extension<Line>, request: Request) -> Response {
    shop.attend(line, Call::Submit, request).await
}

async fn find_by_reference(State(shop): State<Shop>, Extension(line): Extension<Line>, request: Request) -> Response {
    shop.attend(line, Call::FindByReference, request).await
}

async fn find_by_number(
    State(shop): State<Shop>,
    Extension(line): Extension<Line>,
    Path(number): Path<String>,
    request: Request,
) -> Response {
    shop.attend(line, Call::FindByNumber(number), request).await
}

async fn change(
    State(shop): State<Shop>,
    Extension(line): Extension<Line>,
    Path(number): Path<String>,
    request: Request,
) -> Response {
    shop.attend(line, Call::Change(number), request).await
}

async fn sign_in(State(shop): State<Shop>, Extension(line): Extension<Line>, request: Request) -> Response {
    shop.attend(line, Call::SignIn, request).await
}

async fn elsewhere(State(shop): State<Shop>, Extension(line): Extension<Line>, request: Request) -> Response {
    shop.attend(line, Call::Elsewhere, request).await
}

/// What went wrong on the supplier's own side; told to the log, and to the client only as a 500.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("the database refused: {0}")]
    Store(#[from] sqlx::Error),
    #[error("a stored {what} cannot be read: {detail}")]
    Unreadable { what: &'static str, detail: String },
}

impl Shop {
    /// Works on a request in a task of its own, so that it runs to its end though the connection is dropped, and answers.
    async fn attend(self, line: Line, call: Call, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let work = {
            let shop = self.clone();
            async move {
                tokio::select! {
                    ending = shop.work_through(call, parts, body) => ending,
                    () = shop.switched_off.cancelled() => Ending::HangUp,
                }
            }
        };
        match self.work.spawn(work).await {
            Ok(Ending::Response(response)) => response,
            Ok(Ending::HangUp) => line.hang_up().await,
            Err(broken) => {
                tracing::error!(%broken, "practice supplier: a request broke its task");
                Answer::internal_error().into_response()
            }
        }
    }

    /// Logs the request, does what it asks, and completes the log with the status of the answer.
    async fn work_through(&self, call: Call, parts: Parts, body: axum::body::Body) -> Ending {
        let mut request_id = None;
        let ending = match self.arrive_and_answer(call, &parts, body, &mut request_id).await {
            Ok(ending) => ending,
            Err(trouble) => {
                tracing::error!(%trouble, path = parts.uri.path(), "practice supplier: a request failed");
                Answer::internal_error().into()
            }
        };
        if let (Some(id), Some(status)) = (request_id, ending.status())
            && let Err(trouble) = self.store.request_answered(id, status).await
        {
            tracing::error!(%trouble, "practice supplier: the status of a request is not in its log");
        }
        ending
    }

    async fn arrive_and_answer(
        &self,
        call: Call,
        parts: &Parts,
        body: axum::body::Body,
        request_id: &mut Option<i64>,
    ) -> Result<Ending, Trouble> {
        let arrival = Arrival::log(self, &call, parts).await?;
        *request_id = Some(arrival.id);
        match call {
            Call::Submit => orders::submit(self, &arrival, body).await,
            Call::FindByReference => look_up::find_by_reference(self, &arrival, &parts.uri).await,
            Call::FindByNumber(number) => look_up::find_by_number(self, &arrival, &number).await,
            Call::Change(number) => clerk::change(self, &number, body).await,
            Call::SignIn => Ok(Answer::sign_in_page().into()),
            Call::Elsewhere => Ok(Answer::code(404, "no_such_address").into()),
        }
    }

    /// Lets work in progress finish, within [`GRACE`]; then switches everything off and closes the file.
    async fn close(self) {
        self.work.close();
        if tokio::time::timeout(GRACE, self.work.wait()).await.is_err() {
            self.switched_off.cancel();
            self.work.wait().await;
        }
        self.store.close().await;
    }
}

/// A point in time, in milliseconds since 1970 in UTC: what the database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(i64);

impl Moment {
    fn later(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }

    fn earlier(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(millis(by)))
    }

    fn date(self) -> Option<NaiveDate> {
        DateTime::from_timestamp_millis(self.0).map(|time| time.date_naive())
    }

    /// RFC 3339 in UTC, to the millisecond.
    fn text(self) -> String {
        DateTime::from_timestamp_millis(self.0)
            .unwrap_or_default()
            .to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the practice supplier is its own program and keeps its own time"
)]
fn now() -> Moment {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Moment(since.map(millis).unwrap_or_default())
}
