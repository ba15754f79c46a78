//! `GET /live?since=N`: how many things have changed since event N of the log, or from now on, as server-sent events (case P2).
//!
//! Promises: a tick is `data: 4`, sent when the number changes and once at the beginning; 100 stands for more than 99. A
//! stream ends with its session, with this process, and with whoever reads it. Must not: say what changed, or anything to
//! who is not signed in any more.

use super::Web;
use super::problem::broken;
use super::session::secret_of;
use super::streamed::{Piece, sent};
use crate::desk::live::Listening;
use crate::desk::{Desk, Person};
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::mpsc::{Sender, channel};
use tokio_util::sync::CancellationToken;

/// A stream on which nothing happens says so this often, and looks whether its session lasts.
const QUIET: Duration = Duration::from_secs(5);

/// What stands in the address.
#[derive(Debug, Deserialize)]
pub struct Asked {
    /// The number of the last event that the page knows; absent: the last there is.
    since: Option<u64>,
}

/// `GET /live`
pub async fn live(
    State(web): State<Web>,
    Extension(person): Extension<Person>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Response {
    let secret = secret_of(&headers).unwrap_or_default();
    let listening = match web.desk.listen_to_log(&person, asked.since.unwrap_or(u64::MAX)).await {
        Ok(Some(listening)) => listening,
        Ok(None) => {
            let why = "Too many pages of yours listen already. This one stays as it was read.\n";
            return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "30")], why).into_response();
        }
        Err(error) => return broken(&error),
    };
    let (ticks, body) = channel(1);
    tokio::spawn(tell(web.desk, secret, listening, ticks, web.stop));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        // a proxy that collects an answer before it passes it on would pass nothing on
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, sent(body)).into_response()
}

/// Tells until nobody listens, nobody is signed in, or this process ends. Whatever else ends it, the browser begins anew.
async fn tell(desk: Desk, secret: String, mut listening: Listening, ticks: Sender<Piece>, stop: CancellationToken) {
    let mut told = None;
    loop {
        let updates = match desk.session(&secret).await {
            Ok(Some(_)) => listening.updates().await,
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let updates = match updates {
            Ok(updates) => updates,
            Err(error) => return tracing::warn!("a page does not hear what happens any more: {error}"),
        };
        let piece = if told == Some(updates) {
            ":\n\n".to_owned()
        } else {
            format!("data: {updates}\n\n")
        };
        told = Some(updates);
        tokio::select! {
            () = stop.cancelled() => return,
            taken = ticks.send(Ok(piece.into())) => if taken.is_err() { return },
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = ticks.closed() => return,
            () = listening.grown() => {}
            () = tokio::time::sleep(QUIET) => {}
        }
    }
}
