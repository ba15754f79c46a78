//! The counter where orders are handed in.
//!
//! Promises the sequence written at the head of [`super`]: fault, account, body, key, order, damage. One honoured key makes
//! one order inside its retention, also when fifty requests with it come at once; an order and what its key stands for are
//! stored in one transaction. Reads no clock but the shop's and writes no answer to a socket itself.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use super::arrival::{Arrival, digest};
use super::contract::{DuplicateReference, WhileInFlight};
use super::faults::{BreakOff, Damage, Deed, Variation};
use super::in_flight::{Claim, Held};
use super::store::{self, KeyRecord, Order, Writing};
use super::wire::{self, Answer, Ending, FieldError, NotRead};
use super::{Moment, Shop, Trouble, now};

/// An order as it was sent.
struct Asked {
    reference: String,
    /// The whole document, as given.
    document: Map<String, Value>,
    /// Over the bytes: the same order written another way is another body.
    digest: String,
}

/// `POST /orders`.
pub(super) async fn submit(shop: &Shop, arrival: &Arrival, body: Body) -> Result<Ending, Trouble> {
    if arrival.deed() == Some(Deed::BreakOff(BreakOff::HalfRead)) {
        wire::read_half(body).await;
        return Ok(Ending::HangUp);
    }
    let bytes = match wire::read_whole(body).await {
        Ok(bytes) => bytes,
        Err(NotRead::TooLong) => return Ok(Answer::code(413, "too_large").into()),
        Err(NotRead::Gone) => return Ok(Ending::HangUp),
    };
    let asked = read_order(&bytes);
    if let Ok(asked) = &asked {
        shop.store.request_named(arrival.id, &asked.reference).await?;
    }
    if arrival.deed() == Some(Deed::BreakOff(BreakOff::WholeRead)) {
        return Ok(Ending::HangUp);
    }
    if let Some(answer) = arrival.turned_away().or_else(|| arrival.stranger()) {
        return Ok(answer.into());
    }
    match asked {
        Ok(asked) => treat(shop, arrival, &asked).await,
        Err(malformed) => Ok(malformed.into()),
    }
}

/// Reads the body; only `reference` must be there, everything else is recorded as it comes.
fn read_order(bytes: &[u8]) -> Result<Asked, Answer> {
    let refuse = |error: FieldError| Answer::bad_input(&[error]);
    let document: Value = serde_json::from_slice(bytes)
        .map_err(|error| refuse(FieldError::whole(format!("this is not JSON: {error}"))))?;
    let Value::Object(document) = document else {
        return Err(refuse(FieldError::whole("a JSON object is expected")));
    };
    match document.get("reference") {
        Some(Value::String(reference)) if !reference.is_empty() => Ok(Asked {
            reference: reference.clone(),
            digest: digest(bytes),
            document,
        }),
        _ => Err(refuse(FieldError::at(
            "",
            "reference",
            "a text that is not empty is required",
        ))),
    }
}

/// Treats a readable order under its key, if it has one that is honoured.
async fn treat(shop: &Shop, arrival: &Arrival, asked: &Asked) -> Result<Ending, Trouble> {
    if let Some(Deed::Refuse(status, code)) = arrival.deed() {
        return Ok(refuse(shop, arrival, asked, Answer::code(status, code)).await?.into());
    }
    // Held to the end of this function, so that a repeat finds the key in use until the answer is known.
    let _held = match hold_key(shop, arrival).await {
        Ok(held) => held,
        Err(in_flight) => return Ok(in_flight.into()),
    };
    arrival.sleep_first().await;
    let answer = run(shop, arrival, asked).await?;
    Ok(arrival.send(answer).await)
}

/// Claims the request's key; `None` when it has none, the 409 when another request has it and the contract does not wait.
async fn hold_key(shop: &Shop, arrival: &Arrival) -> Result<Option<Held>, Answer> {
    let Some(key) = &arrival.key else {
        return Ok(None);
    };
    loop {
        match shop.in_flight.claim(key) {
            Claim::Mine(held) => return Ok(Some(held)),
            Claim::Theirs(mut done) => match arrival.contract.in_flight {
                WhileInFlight::Conflict => return Err(Answer::code(409, "in_flight")),
                // Never sent to: it ends (an error here) when the holder is done, and then the key is free to claim.
                WhileInFlight::Wait => while done.changed().await.is_ok() {},
            },
        }
    }
}

/// Answers from the key, or makes the order.
async fn run(shop: &Shop, arrival: &Arrival, asked: &Asked) -> Result<Answer, Trouble> {
    if let Some(known) = key_record(shop, arrival).await? {
        if arrival.contract.checks_body && known.body_digest != asked.digest {
            return Ok(Answer::code(409, "key_reused"));
        }
        match (known.answer, known.order_id) {
            (Some((status, body)), _) if !wire::is_error(status) => {
                return Ok(Answer::replayed(status, body));
            }
            (Some((status, body)), _) if arrival.contract.replays_saved_errors => {
                return Ok(Answer::replayed(status, body));
            }
            // The first run ended in an error that is not replayed, and has left an order: this run takes it up.
            (_, Some(order_id)) => {
                return take_up(shop, arrival, asked, known.first_used_at, order_id).await;
            }
            (_, None) => {}
        }
    }
    tokio::time::sleep(arrival.contract.processing_seconds.span()).await;
    record(shop, arrival, asked).await
}

async fn key_record(shop: &Shop, arrival: &Arrival) -> Result<Option<KeyRecord>, Trouble> {
    match &arrival.key {
        Some(key) => {
            let since = now().earlier(arrival.contract.retention_seconds.span());
            shop.store.key_fetch(key, since).await
        }
        None => Ok(None),
    }
}

/// Answers with the order an earlier run of the key has stored.
async fn take_up(
    shop: &Shop,
    arrival: &Arrival,
    asked: &Asked,
    first_used_at: Moment,
    order_id: i64,
) -> Result<Answer, Trouble> {
    let mut writing = shop.store.begin().await?;
    let Some(order) = store::order_fetch(&mut *writing, order_id).await? else {
        return Err(Trouble::Unreadable {
            what: "order",
            detail: format!("a key names {order_id}, which is not there"),
        });
    };
    let answer = Answer::json(StatusCode::CREATED, &order.shown());
    save(&mut writing, arrival, asked, first_used_at, Some(order_id), &answer).await?;
    writing.commit().await?;
    Ok(answer)
}

/// Stores the order and what its key stands for, in one transaction.
async fn record(shop: &Shop, arrival: &Arrival, asked: &Asked) -> Result<Answer, Trouble> {
    let duplicates = arrival.contract.duplicate_reference;
    let mut writing = shop.store.begin().await?;
    let existing = match duplicates {
        DuplicateReference::Second => None,
        DuplicateReference::Refused | DuplicateReference::Existing => {
            store::order_of_reference(&mut writing, arrival.account(), &asked.reference).await?
        }
    };
    let (answer, order_id) = match existing {
        Some(_) if duplicates == DuplicateReference::Refused => (Answer::code(409, "reference_exists"), None),
        Some(order) => (Answer::json(StatusCode::OK, &order.shown()), Some(order.id())),
        None => {
            let (order, status) = insert(&mut writing, arrival, asked).await?;
            (Answer::json(status, &order.shown()), Some(order.id()))
        }
    };
    if arrival.deed() == Some(Deed::Record(Variation::Forgotten)) {
        // said, and not kept: neither the order nor what its key stands for
        return Ok(answer);
    }
    save(&mut writing, arrival, asked, arrival.at, order_id, &answer).await?;
    writing.commit().await?;
    Ok(answer)
}

/// Inserts the order, as it was sent or as the fault makes of it; with the status it is answered with.
async fn insert(writing: &mut Writing, arrival: &Arrival, asked: &Asked) -> Result<(Order, StatusCode), Trouble> {
    let mut recorded = asked.document.clone();
    let (mut status, mut answered) = ("confirmed", StatusCode::CREATED);
    if let (Some(fault), Some(Deed::Record(variation))) = (&arrival.fault, arrival.deed()) {
        match variation {
            Variation::Differences => fault.differ(&mut recorded),
            Variation::InProgress => (status, answered) = ("in_progress", StatusCode::ACCEPTED),
            Variation::Forgotten => {}
        }
    }
    let order = store::order_insert(writing, arrival.account(), &asked.reference, status, recorded).await?;
    Ok((order, answered))
}

/// Saves for the key what the run answered. A run that crashed after storing has answered 500, and an error that is not
/// saved leaves the key with its order alone, or unknown.
async fn save(
    writing: &mut Writing,
    arrival: &Arrival,
    asked: &Asked,
    first_used_at: Moment,
    order_id: Option<i64>,
    answer: &Answer,
) -> Result<(), Trouble> {
    let Some(key) = &arrival.key else {
        return Ok(());
    };
    let crashed = arrival.deed() == Some(Deed::Damage(Damage::Crash));
    let answer = if crashed {
        Answer::internal_error()
    } else {
        answer.clone()
    };
    let kept =
        (!answer.is_error() || arrival.contract.replays_saved_errors).then(|| (answer.status, answer.body.to_vec()));
    if kept.is_none() && order_id.is_none() {
        return Ok(());
    }
    let body_digest = asked.digest.clone();
    store::key_save(
        writing,
        key,
        &KeyRecord {
            body_digest,
            first_used_at,
            order_id,
            answer: kept,
        },
    )
    .await
}

/// Refuses outright. The refusal is saved for a key that is new; what is known or in flight keeps its own answer.
async fn refuse(shop: &Shop, arrival: &Arrival, asked: &Asked, answer: Answer) -> Result<Answer, Trouble> {
    if let Some(key) = &arrival.key
        && let Claim::Mine(_held) = shop.in_flight.claim(key)
        && key_record(shop, arrival).await?.is_none()
    {
        let mut writing = shop.store.begin().await?;
        save(&mut writing, arrival, asked, arrival.at, None, &answer).await?;
        writing.commit().await?;
    }
    Ok(answer)
}
