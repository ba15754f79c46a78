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

/// `GET /orders?reference=…`: the records with exactly this reference; without the parameter, all of them. With `limit` a page
/// of them, `{ "orders": […], "next": … }`, that goes on after the order numbered `after`; `next` is null at the end.
pub(super) async fn find_by_reference(shop: &Shop, arrival: &Arrival, uri: &Uri) -> Result<Ending, Trouble> {
    if let Some(ending) = before_looking(arrival).await {
        return Ok(ending);
    }
    let asked = match asked(uri) {
        Ok(asked) => asked,
        Err(error) => return Ok(Answer::bad_input(&[error]).into()),
    };
    let until = visible_until(arrival);
    let orders = shop.store.orders(asked.reference.as_deref(), until).await?;
    let mut shown = Vec::new();
    for order in orders.into_iter().filter(|order| may_see(arrival, order)) {
        match arrival.shows() {
            Some(Show::Nothing) => {}
            Some(Show::Twice) => shown.extend([order.shown(), twin_of(&order)]),
            Some(Show::NotFound) | None => shown.push(show(arrival, order)),
        }
    }
    let answer = match asked.limit {
        Some(limit) => page(shown, limit, asked.after.as_deref()),
        None => Value::Array(shown),
    };
    Ok(arrival.send(Answer::json(StatusCode::OK, &answer)).await)
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
            // a look-up stores nothing that could be forgotten
            Variation::Forgotten => {}
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

/// A page of records, and the number after which the next one begins.
fn page(all: Vec<Value>, limit: usize, after: Option<&str>) -> Value {
    let begin = after.map_or(0, |after| {
        let place = all.iter().position(|one| one["number"] == after);
        place.map_or(all.len(), |place| place + 1)
    });
    let orders: Vec<Value> = all[begin..].iter().take(limit).cloned().collect();
    let goes_on = all.len() > begin + orders.len();
    let next = orders.last().filter(|_| goes_on).map(|last| last["number"].clone());
    json!({ "orders": orders, "next": next })
}

/// What a query asks for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) reference: Option<String>,
    limit: Option<usize>,
    after: Option<String>,
}

/// Reads a query; an unknown parameter is refused, since a misspelt one would ask for everything.
pub(super) fn asked(uri: &Uri) -> Result<Asked, FieldError> {
    let parameters = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(parameters) = parameters.map_err(|error| FieldError::whole(error.to_string()))?;
    let mut asked = Asked::default();
    for (name, value) in parameters {
        let twice = match name.as_str() {
            "reference" => asked.reference.replace(value).is_some(),
            "after" => asked.after.replace(value).is_some(),
            "limit" => {
                let limit = value.parse().ok().filter(|limit| (1..=200).contains(limit));
                let limit = limit.ok_or_else(|| FieldError::at("", &name, "a number from 1 to 200"))?;
                asked.limit.replace(limit).is_some()
            }
            _ => return Err(FieldError::at("", &name, "there is no such parameter")),
        };
        if twice {
            return Err(FieldError::at("", &name, "this is asked twice"));
        }
    }
    asked.after = asked.after.filter(|after| !after.is_empty());
    Ok(asked)
}
