//! What whoever rehearses holds in the hand: faults, contract, counts and the log.
//!
//! Promises that reading changes nothing and stands in no log, and that a refused change changes nothing. `GET /count` and
//! `GET /requests` tell the truth whatever the contract hides and the faults spoil.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::faults::Fault;
use super::wire::{self, Answer, FieldError};
use super::{Shop, Trouble, look_up};

pub(super) fn router() -> Router<Shop> {
    Router::new()
        .route("/faults", get(faults).put(put_faults))
        .route("/contract", get(contract).put(put_contract))
        .route("/count", get(count))
        .route("/requests", get(requests))
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        tracing::error!(trouble = %self, "practice supplier: an instrument failed");
        Answer::internal_error().into_response()
    }
}

/// `GET /faults`: those still waiting, as `PUT /faults` takes them.
async fn faults(State(shop): State<Shop>) -> Result<Response, Trouble> {
    Ok(said(&json!({ "next": shop.store.faults().await? })))
}

/// `PUT /faults`: replaces the queue of each kind named; an empty list clears both. Answers with what waits now.
async fn put_faults(State(shop): State<Shop>, request: Request) -> Result<Response, Trouble> {
    let document = match wire::read_json(request.into_body()).await {
        Ok(document) => document,
        Err(answer) => return Ok(answer.into_response()),
    };
    match Fault::queue(&document) {
        Ok(next) => shop.store.faults_put(&next).await?,
        Err(errors) => return Ok(Answer::bad_input(&errors).into_response()),
    }
    faults(State(shop)).await
}

/// `GET /contract`: every switch.
async fn contract(State(shop): State<Shop>) -> Result<Response, Trouble> {
    Ok(said(&json!(shop.store.contract().await?)))
}

/// `PUT /contract`: changes the switches named, keeps the rest. Answers with every switch.
async fn put_contract(State(shop): State<Shop>, request: Request) -> Result<Response, Trouble> {
    let document = match wire::read_json(request.into_body()).await {
        Ok(document) => document,
        Err(answer) => return Ok(answer.into_response()),
    };
    let changed = shop
        .store
        .contract_change(|contract| contract.changed_by(&document))
        .await?;
    Ok(match changed {
        Ok(contract) => said(&json!(contract)),
        Err(errors) => Answer::bad_input(&errors).into_response(),
    })
}

/// `GET /count?reference=…`: how many records there are, visible or not, of whatever account and status.
async fn count(State(shop): State<Shop>, uri: Uri) -> Result<Response, Trouble> {
    let asked = look_up::asked(&uri).and_then(|asked| {
        asked
            .reference
            .ok_or_else(|| FieldError::at("", "reference", "this is required: whose records are to be counted?"))
    });
    match asked {
        Ok(reference) => Ok(said(&json!({ "count": shop.store.order_count(&reference).await? }))),
        Err(error) => Ok(Answer::bad_input(&[error]).into_response()),
    }
}

/// `GET /requests`: the log, oldest first.
async fn requests(State(shop): State<Shop>) -> Result<Response, Trouble> {
    Ok(said(&json!(shop.store.requests().await?)))
}

fn said(value: &Value) -> Response {
    Answer::json(StatusCode::OK, value).into_response()
}
