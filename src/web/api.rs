//! `/api/v1`: programs with a bearer token. There is no way to approve, resume or settle here.

use super::problem::Problem;
use super::{MOST_BODY, Web, body, shapes};
use crate::desk::look::{OrderFilter, after};
use crate::desk::suggest::Taken;
use crate::desk::{Desk, Program};
use crate::domain::contents::Fault;
use crate::domain::ids::IntentId;
use crate::domain::order::OrderState;
use axum::extract::{FromRequestParts, Path, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header, request::Parts};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;

const ORDERS: u32 = 50;
const MOST_ORDERS: u32 = 200;

/// The routes under `/api/v1`.
pub fn routes() -> Router<Web> {
    Router::new()
        .route("/intents/{intent_id}", put(intent_put).get(intent_get))
        .route("/intents/{intent_id}/suggestion", put(suggestion_put))
        .route("/intents", put(nameless))
        .route("/intents/", put(nameless))
        .route("/intents//suggestion", put(nameless))
        .route("/orders", get(orders_get))
        .route("/orders/{order_id}", get(order_get))
        .fallback(|| async { absent("address") })
        .method_not_allowed_fallback(|| async {
            let detail = "This address exists, but not for this method.";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "Method not allowed", detail)
        })
}

fn absent(what: &str) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not-found",
        "Not found",
        format!("There is no such {what}."),
    )
}

/// A program that may put and get intents.
pub struct Intake(Program);
/// A program that may read everything of its tenant.
pub struct Reading(Program);

impl FromRequestParts<Web> for Intake {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Problem> {
        let program = program(parts, &web.desk).await?;
        if program.may_suggest() {
            Ok(Self(program))
        } else {
            Err(out_of_scope("intake"))
        }
    }
}

impl FromRequestParts<Web> for Reading {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Problem> {
        let program = program(parts, &web.desk).await?;
        if program.may_read() {
            Ok(Self(program))
        } else {
            Err(out_of_scope("read"))
        }
    }
}

fn out_of_scope(scope: &str) -> Problem {
    let detail = format!("This token does not have the scope \"{scope}\".");
    Problem::new(StatusCode::FORBIDDEN, "scope", "Not in this token's scope", detail)
}

async fn program(parts: &Parts, desk: &Desk) -> Result<Program, Problem> {
    let who = |detail: &str| Problem::new(StatusCode::UNAUTHORIZED, "token", "A valid token is needed", detail);
    let header = parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = header
        .and_then(|value| value.split_once(' '))
        .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
    let (_, secret) = token.ok_or_else(|| who("Send it as `Authorization: Bearer …`."))?;
    let program = desk.program(secret.trim()).await?;
    program.ok_or_else(|| who("This token is not known, or was revoked."))
}

/// A JSON body of at most `MOST_BODY` bytes, as bytes.
async fn json_bytes(request: Request) -> Result<Vec<u8>, Problem> {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let detail = "Send the body as application/json.";
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media-type",
            "Not JSON",
            detail,
        ));
    }
    match Limited::new(request.into_body(), MOST_BODY).collect().await {
        Ok(whole) => Ok(whole.to_bytes().to_vec()),
        Err(_) => {
            let detail = format!("The body must arrive whole and have at most {MOST_BODY} bytes.");
            Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too-large",
                "The body is too large or broke off",
                detail,
            ))
        }
    }
}

fn intent_id(text: &str) -> Result<IntentId, Fault> {
    text.parse().map_err(|error| Fault::at("/intent_id", error))
}

/// A program that left its identity out learns how one looks, not that the address is unknown (case I9).
async fn nameless(_: Intake) -> Problem {
    Problem::bad_input(intent_id("").err().into_iter().collect())
}

fn answer(status: StatusCode, value: Value) -> Response {
    (status, Json(value)).into_response()
}

async fn intent_put(
    State(desk): State<Desk>,
    Intake(program): Intake,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let purpose = body::purpose(&json_bytes(request).await?);
    let (id, purpose) = match (intent_id(&id), purpose) {
        (Ok(id), Ok(purpose)) => (id, purpose),
        (id, purpose) => {
            let faults = id.err().into_iter().chain(purpose.err().into_iter().flatten());
            return Err(Problem::bad_input(faults.collect()));
        }
    };
    let (now, intent) = desk.intent_reserve(&program, &id, &purpose).await?;
    let status = if now.is_new() {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok(answer(status, shapes::reserved(&intent)))
}

async fn suggestion_put(
    State(desk): State<Desk>,
    Intake(program): Intake,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let proposal = body::proposal(&json_bytes(request).await?);
    let id = intent_id(&id);
    let taken = desk
        .suggest(
            &program,
            id.as_ref().map_err(Clone::clone),
            proposal.as_ref().map_err(Clone::clone),
        )
        .await?;
    Ok(match taken {
        Taken::In(suggestion) => answer(StatusCode::CREATED, shapes::taken(&suggestion)),
        Taken::Before(suggestion) => {
            let mut headers = HeaderMap::new();
            headers.insert("idempotency-replayed", axum::http::HeaderValue::from_static("true"));
            (headers, answer(StatusCode::OK, shapes::taken(&suggestion))).into_response()
        }
    })
}

async fn intent_get(
    State(desk): State<Desk>,
    parts: Parts,
    State(web): State<Web>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    // both scopes may ask how an intent stands
    let program = program(&parts, &web.desk).await?;
    let id = intent_id(&id).map_err(|fault| Problem::bad_input(vec![fault]))?;
    let view = desk.intent(&program, &id).await?;
    Ok(answer(StatusCode::OK, shapes::intent(&view, program.may_read())))
}

async fn order_get(
    State(desk): State<Desk>,
    Reading(program): Reading,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let id = id.parse().map_err(|_| absent("order"))?;
    let view = desk.order(&program, &id).await?;
    Ok(answer(StatusCode::OK, shapes::order(&view)))
}

async fn orders_get(
    State(desk): State<Desk>,
    Reading(program): Reading,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let (filter, limit) = order_query(query.as_deref().unwrap_or_default()).map_err(Problem::bad_input)?;
    let views = desk.orders(&program, &filter, limit).await?;
    Ok(answer(StatusCode::OK, shapes::orders(&views)))
}

/// `?state=&supplier=&owner=&after=&limit=`; an empty value counts as absent.
fn order_query(query: &str) -> Result<(OrderFilter, u32), Vec<Fault>> {
    let (mut filter, mut limit, mut faults) = (OrderFilter::default(), ORDERS, Vec::new());
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty()) {
        let mut fault = |detail: String| faults.push(Fault::at(format!("/{name}"), detail));
        match &*name {
            "state" => match OrderState::of(&value) {
                Some(state) => filter.state = Some(state),
                None => fault(format!("one of {}", OrderState::ALL.map(OrderState::word).join(", "))),
            },
            "supplier" => match value.parse() {
                Ok(supplier) => filter.supplier = Some(supplier),
                Err(error) => fault(error.to_string()),
            },
            "owner" => match value.parse() {
                Ok(owner) => filter.owner = Some(owner),
                Err(error) => fault(error.to_string()),
            },
            "after" => match after(&value) {
                Some(place) => filter.after = Some(place),
                None => fault("the \"next\" of the page before".to_owned()),
            },
            "limit" => match value.parse().ok().filter(|number| (1..=MOST_ORDERS).contains(number)) {
                Some(number) => limit = number,
                None => fault(format!("a whole number from 1 to {MOST_ORDERS}")),
            },
            _ => fault("is not a parameter of this address".to_owned()),
        }
    }
    if faults.is_empty() {
        Ok((filter, limit))
    } else {
        Err(faults)
    }
}
