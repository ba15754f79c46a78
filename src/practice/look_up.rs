//! The counter where orders are asked for.
//!
//! Promises exact text matches, the account's own records only (where accounts are asked for) and nothing younger than the
//! visibility lag; a look-up never changes a record, also where its fault shows another one.

use std::time::Duration;

use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use serde_json::{Value, json};

use super::arrival::Arrival;
use super::faults::{Deed, Show, Variation};
use super::store::Order;
use super::wire::{Answer, Ending, FieldError};
use super::{Moment, Shop, Trouble, now};

/// `GET /orders?reference=…`: the records with exactly this reference; without the parameter, all of them.
pub(super) async fn find_by_reference(shop: &Shop, arrival: &Arrival, uri: &Uri) -> Result<Ending, Trouble> {
    if let Some(ending) = before_looking(arrival).await {
        return Ok(ending);
    }
    let reference = match asked_reference(uri) {
        Ok(reference) => reference,
        Err(error) => return Ok(Answer::bad_input(&[error]).into()),
    };
    let until = visible_until(arrival);
    let orders = shop.store.orders(reference.as_deref(), until).await?;
    let mut shown = Vec::new();
    for order in orders.into_iter().filter(|order| may_see(arrival, order)) {
        match arrival.shows() {
            Some(Show::Nothing) => {}
            Some(Show::Twice) => shown.extend([order.shown(), twin_of(&order)]),
            Some(Show::NotFound) | None => shown.push(show(arrival, order)),
        }
    }
    Ok(arrival.send(Answer::json(StatusCode::OK, &Value::Array(shown))).await)
}

/// `GET /orders/{number}`: the record with exactly this number.
pub(super) async fn find_by_number(shop: &Shop, arrival: &Arrival, number: &str) -> Result<Ending, Trouble> {
    if let Some(ending) = before_looking(arrival).await {
        return Ok(ending);
    }
    let until = visible_until(arrival);
    let order = shop.store.order_numbered(number).await?;
    let order = order.filter(|order| order.created_at <= until && may_see(arrival, order));
    let answer = match order {
        Some(order) if arrival.shows() != Some(Show::Nothing) => Answer::json(StatusCode::OK, &show(arrival, order)),
        Some(_) | None => Answer::code(404, "not_found"),
    };
    Ok(arrival.send(answer).await)
}

/// What ends a look-up before anything is looked for: faults, look-up switched off, no account.
async fn before_looking(arrival: &Arrival) -> Option<Ending> {
    match arrival.deed() {
        Some(Deed::BreakOff(_)) => return Some(Ending::HangUp),
        Some(Deed::Refuse(status, code)) => return Some(Answer::code(status, code).into()),
        Some(Deed::Show(Show::NotFound)) => return Some(Answer::code(404, "not_found").into()),
        Some(Deed::SleepFirst) => arrival.sleep_first().await,
        Some(Deed::TurnAway(..) | Deed::Record(_) | Deed::Damage(_) | Deed::Show(Show::Nothing | Show::Twice))
        | None => {}
    }
    let no_lookup = || (!arrival.contract.lookup).then(|| Answer::code(404, "no_lookup"));
    let answer = arrival.turned_away().or_else(no_lookup).or_else(|| arrival.stranger());
    answer.map(Ending::from)
}

fn visible_until(arrival: &Arrival) -> Moment {
    now().earlier(arrival.contract.visibility_lag_seconds.span())
}

fn may_see(arrival: &Arrival, order: &Order) -> bool {
    !arrival.contract.accounts || order.account == arrival.account()
}

/// A record as this look-up shows it: as it is, or as the fault makes it look.
fn show(arrival: &Arrival, mut order: Order) -> Value {
    if let (Some(fault), Some(Deed::Record(variation))) = (&arrival.fault, arrival.deed()) {
        match variation {
            Variation::Differences => fault.differ(&mut order.recorded),
            Variation::InProgress => "in_progress".clone_into(&mut order.status),
        }
    }
    order.shown()
}

/// The second record of an order somebody there entered again, 40 minutes later (field case I7).
fn twin_of(order: &Order) -> Value {
    let mut twin = order.shown();
    let later = order.created_at.later(Duration::from_secs(40 * 60));
    if let Some(fields) = twin.as_object_mut() {
        fields.insert("number".to_owned(), json!(format!("{}-2", order.number())));
        fields.insert("created_at".to_owned(), json!(later.text()));
    }
    twin
}

/// The `reference` of a query; an unknown parameter is refused, since a misspelt one would ask for everything.
pub(super) fn asked_reference(uri: &Uri) -> Result<Option<String>, FieldError> {
    let parameters = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(parameters) = parameters.map_err(|error| FieldError::whole(error.to_string()))?;
    let mut reference = None;
    for (name, value) in parameters {
        if name != "reference" {
            return Err(FieldError::at("", &name, "there is no such parameter"));
        }
        if reference.replace(value).is_some() {
            return Err(FieldError::at("", &name, "this is asked twice"));
        }
    }
    Ok(reference)
}
