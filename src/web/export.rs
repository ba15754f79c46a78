//! `GET /export/….csv`: the books as tables, for whoever is signed in, sent page by page as they are read.
//!
//! Must not: change anything, or know what stands in a table ([`super::tables`]).

use super::Web;
use super::problem::broken;
use super::streamed::{Pieces, made_from};
use super::tables::Csv;
use crate::desk::{DeskError, Person};
use crate::domain::export::{Reader, Table};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use hyper::body::Bytes;
use serde::Deserialize;

/// What stands in the address.
#[derive(Debug, Deserialize)]
struct Asked {
    /// Who reads it.
    #[serde(rename = "for")]
    reader: Option<String>,
}

/// One route a table.
pub fn routes() -> Router<Web> {
    Table::ALL.into_iter().fold(Router::new(), |router, table| {
        let answer = move |State(web): State<Web>, Extension(person): Extension<Person>, Query(asked): Query<Asked>| {
            export(web, person, table, asked)
        };
        router.route(&format!("/export/{}.csv", table.word()), get(answer))
    })
}

async fn export(web: Web, person: Person, table: Table, asked: Asked) -> Response {
    let reader = match asked.reader.as_deref() {
        None => Some(Reader::default()),
        Some(word) => Reader::named(word),
    };
    let Some(reader) = reader else {
        let why = "A table is for people or for machines: ?for=people or ?for=machines.\n";
        return (StatusCode::BAD_REQUEST, why).into_response();
    };
    let csv = match web.desk.table_of(&person, table).await {
        Ok(file) => Csv::of(file, reader),
        Err(error) => return broken(&error),
    };
    let headers = [
        (
            header::CONTENT_TYPE,
            "text/csv; charset=utf-8; header=present".to_owned(),
        ),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}\"", csv.name()),
        ),
    ];
    (headers, made_from(csv)).into_response()
}

impl Pieces for Csv {
    async fn next(&mut self) -> Result<Option<Bytes>, DeskError> {
        Ok(self.write_on().await?.map(Bytes::from))
    }
}
