//! `GET /activity/export`: the log as a file, sent page by page as it is read.
//!
//! Promises: a log that cannot be read to its end breaks the answer off, so that a browser says so, and has no anchor.
//! Must not: keep more than a page or two in memory, whoever reads slowly.

use super::Web;
use super::problem::broken;
use crate::desk::log::LogFile;
use crate::desk::{DeskError, Person};
use axum::Extension;
use axum::body::{Body, HttpBody};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::{Bytes, Frame};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// `GET /activity/export`
pub async fn export(State(web): State<Web>, Extension(person): Extension<Person>) -> Response {
    let log = match web.desk.log_file_of(&person).await {
        Ok(log) => log,
        Err(error) => return broken(&error),
    };
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}\"", log.name()),
        ),
    ];
    let (pages, body) = channel(1);
    tokio::spawn(send(log, pages));
    (headers, Body::new(Pages(body))).into_response()
}

/// Reads on as fast as the pages are taken, and ends when nobody takes them any more.
async fn send(mut log: LogFile, pages: Sender<Result<Bytes, DeskError>>) {
    loop {
        let page = match log.read_on().await {
            Ok(Some(lines)) => Ok(Bytes::from(lines)),
            Ok(None) => return,
            Err(error) => {
                tracing::error!("the export of a log broke off: {error}");
                Err(error)
            }
        };
        let is_last = page.is_err();
        if pages.send(page).await.is_err() || is_last {
            return;
        }
    }
}

/// What was read and is not sent yet.
struct Pages(Receiver<Result<Bytes, DeskError>>);

impl HttpBody for Pages {
    type Data = Bytes;
    type Error = DeskError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, DeskError>>> {
        let page = self.0.poll_recv(cx);
        page.map(|page| page.map(|page| page.map(Frame::data)))
    }
}
