//! The JSON shapes of doors.md. More fields may come; these stay.
//!
//! Must not: ask or decide; everything here was read before.

use crate::desk::look::{OrderView, OrderViews};
use crate::desk::suggest::{IntentRow, IntentView};
use crate::domain::look_up::{Established, LookedUp};
use crate::domain::resume::{Ground, NoResume};
use crate::domain::second_person::Proposed;
use crate::domain::suggestion::{Suggestion, advice};
use serde_json::{Value, json};

/// The answer to a reservation: the same for every repeat.
pub fn reserved(intent: &IntentRow) -> Value {
    json!({ "intent_id": intent.id, "purpose": intent.purpose })
}

/// The first answer to a suggestion, whatever state it is in by now.
pub fn taken(suggestion: &Suggestion) -> Value {
    json!({
        "intent_id": suggestion.intent,
        "suggestion": {
            "id": suggestion.id,
            "revision": suggestion.revision,
            "state": "in_review",
            "digest": suggestion.digest,
        },
        "total": suggestion.contents.total(),
    })
}

/// `GET /api/v1/intents/{id}`. Whose wishes look like it only a reading token is told: the assistant gets its own intents.
pub fn intent(view: &IntentView, may_read: bool) -> Value {
    let (may_continue, do_not_resubmit) = advice(view.suggestion.as_ref().map(|one| one.state));
    json!({
        "intent_id": view.id,
        "purpose": view.purpose,
        "may_continue": may_continue,
        "do_not_resubmit": do_not_resubmit,
        "suggestion": view.suggestion.as_ref().map(|one| json!({
            "id": one.id, "revision": one.revision, "state": one.state, "digest": one.digest, "reason": view.reason,
        })),
        "order": view.order.as_ref().map(|order| json!({
            "id": order.id,
            "state": order.life.state,
            "held": !order.life.holds.is_empty(),
            "differences": order.life.differences,
            "supplier_reference": order.life.supplier_reference,
        })),
        "looks_like": looks_like(view, may_read),
        "pending_exposure": view.pending_exposure(),
    })
}

/// Others of the tenant that look like it: they prove nothing, and the assistant may want to know before it asks twice.
fn looks_like(view: &IntentView, may_read: bool) -> Vec<Value> {
    let orders = view.look_alikes.iter().map(|order| {
        let told = json!({
            "state": order.life.state,
            "approved_at": order.approved_at,
            "total": order.contents.total(),
        });
        let names = json!({
            "order": order.id,
            "intent_id": order.intent,
            "supplier_reference": order.life.supplier_reference,
        });
        named(told, names, may_read)
    });
    let waiting = view.waiting_alike.iter().map(|one| {
        let told = json!({
            "state": one.state,
            "created_at": one.created_at,
            "total": one.contents.total(),
        });
        let names = json!({ "suggestion": one.id, "intent_id": one.intent });
        named(told, names, may_read)
    });
    orders.chain(waiting).collect()
}

/// What is told, with its names for those who may read them.
fn named(mut told: Value, names: Value, may_read: bool) -> Value {
    if let (Value::Object(told), Value::Object(names), true) = (&mut told, names, may_read) {
        told.extend(names);
    }
    told
}

/// `GET /api/v1/orders/{id}`
pub fn order(view: &OrderView) -> Value {
    let order = &view.order;
    let attempts: Vec<Value> = view
        .attempts
        .iter()
        .map(|row| attempt(&row.attempt, &row.differences))
        .collect();
    let cases: Vec<Value> = view.cases.iter().map(case).collect();
    let open = view.cases.iter().position(|case| case.closed_at.is_none());
    json!({
        "id": order.id,
        "intent_id": order.intent,
        "revision": order.revision,
        "supplier": order.contents.supplier,
        "state": order.life.state,
        "held": !order.life.holds.is_empty(),
        "held_because": order.life.holds.gravest(),
        "differences": order.life.differences,
        "version": order.life.version,
        "digest": order.digest,
        "operation_key": order.operation_key,
        "supplier_reference": order.life.supplier_reference,
        "contents": order.contents,
        "total": order.contents.total(),
        "second_purchase": order.second_purchase,
        "approved_by": order.approved_by,
        "approved_by_name": view.approved_by_name,
        "approved_at": order.approved_at,
        "attempts": attempts,
        "look_ups": view.look_ups.iter().map(looked_up).collect::<Vec<_>>(),
        "proposed_finding": view.proposed.as_ref().map(proposed),
        "findings": view.findings.iter().map(finding).collect::<Vec<_>>(),
        "case": open.map(|place| cases[place].clone()),
        "cases": cases,
        "resume": resume(view),
    })
}

/// Whether a person may have it sent once more, why or why not, and until when.
fn resume(view: &OrderView) -> Value {
    let wanted = view.order.life.resume.as_ref();
    let (offered, reason, until) = match (&view.resume, wanted) {
        (Ok(_), Some(_)) => (
            false,
            "a person asked for it; it is judged again and sent as soon as it can be",
            None,
        ),
        (Ok(Ground::Key { until }), None) => (
            true,
            "the supplier answers a repeat under the same key with the first result",
            Some(*until),
        ),
        (Ok(Ground::UniqueReference), None) => (true, "the supplier refuses a second order with our reference", None),
        (Ok(Ground::NotFound), None) => (
            true,
            "it was found not to be at the supplier; where that can be looked up, it is, right before the send",
            None,
        ),
        (Err(why), _) => (false, why_not(*why), None),
    };
    json!({ "offered": offered, "reason": reason, "until": until })
}

fn why_not(why: NoResume) -> &'static str {
    match why {
        NoResume::NotInDoubt => "the order is not in doubt",
        NoResume::StillSending => "the order is being sent",
        NoResume::AlreadyWanted { .. } => "a person asked for it; it is judged again and sent as soon as it can be",
        NoResume::RecordThere => "the supplier has a record that nobody has judged",
        NoResume::Held(_) => "the order is on hold",
        NoResume::SupplierHeld => "the supplier is on hold",
        NoResume::TooSoonAfterRestore { .. } => {
            "the database was restored a moment ago; what was sent just before does not show yet"
        }
        NoResume::LaterOrderLive => "a later order of the intent is live",
        NoResume::BoughtBefore => "an earlier order of the intent was bought after all",
        NoResume::ScopeChanged => "address, account or secret are not those it was sent with",
        NoResume::WindowOver { askable: true, .. } => {
            "the supplier may have forgotten the key; look the order up first"
        }
        NoResume::WindowOver { askable: false, .. } => {
            "the supplier may have forgotten the key and has no look-up; someone must ask them"
        }
        NoResume::SavedAnswer { .. } => "the supplier repeats its saved answer; a repeat makes no new attempt there",
        NoResume::InFlight { .. } => "the supplier said that it still works on an earlier request",
        NoResume::KeyUsedOtherwise { .. } => "the supplier says that the key was used with other contents",
        NoResume::SaysItExists { .. } => "the supplier says that it has an order with our reference",
        NoResume::FindFirst { askable: true } => "the supplier does not recognise a repeat; look the order up first",
        NoResume::FindFirst { askable: false } => "the supplier has no key and no look-up; someone must ask them",
        NoResume::LeftToPerson => "the worker does not send it again by itself; a person decides",
        NoResume::AskByHand => "the supplier cannot be looked up; a person must ask it first",
    }
}

fn looked_up(one: &LookedUp) -> Value {
    json!({
        "at": one.at,
        "answer": one.answer,
        "detail": one.detail,
        "references": one.records.iter().map(|record| &record.reference).collect::<Vec<_>>(),
        "by": one.by,
    })
}

fn finding(one: &Established) -> Value {
    json!({
        "at": one.at,
        "finding": one.finding,
        "source": one.source,
        "by": one.by,
        "confirmed_by": one.confirmed_by,
        "reference": one.reference,
        "evidence": one.evidence,
    })
}

/// It changes nothing until a second person confirmed it.
fn proposed(one: &Proposed) -> Value {
    json!({
        "at": one.at,
        "finding": one.finding,
        "by": one.by_name,
        "reference": one.reference,
        "evidence": one.evidence,
    })
}

fn attempt(attempt: &crate::domain::attempt::Attempt, differences: &[crate::domain::difference::Difference]) -> Value {
    json!({
        "id": attempt.id,
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
        "reply": attempt.reply,
        "http_status": attempt.http_status,
        "reference": attempt.reference,
        "detail": attempt.detail,
        "differences": differences,
    })
}

fn case(case: &crate::domain::case::Case) -> Value {
    json!({
        "id": case.id,
        "version": case.version,
        "kind": case.kind,
        "owner": case.owner,
        "owner_name": case.owner_name,
        "due_at": case.due_at,
        "reason": case.reason,
        "opened_at": case.opened_at,
        "closed_at": case.closed_at,
        "fell_to_manager": case.fell_to_manager,
        "quiet_until": case.quiet_until,
        "quiet_by_name": case.quiet_by_name,
        "escalated": case.escalated,
    })
}

/// `GET /api/v1/orders`
pub fn orders(views: &OrderViews) -> Value {
    json!({ "orders": views.orders.iter().map(order).collect::<Vec<_>>(), "next": views.next })
}
