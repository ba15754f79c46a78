//! `GET /activity/export`: the log as a file, sent page by page as it is read.
//!
//! Promises: a log that cannot be read to its end breaks the answer off, so that a browser says so, and has no anchor.

use super::Web;
use super::problem::broken;
use super::streamed::{Pieces, made_from};
use crate::desk::log::LogFile;
use crate::desk::{DeskError, Person};
use axum::Extension;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Bytes;

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
    (headers, made_from(log)).into_response()
}

impl Pieces for LogFile {
    async fn next(&mut self) -> Result<Option<Bytes>, DeskError> {
        Ok(self.read_on().await?.map(Bytes::from))
    }
}
