//! A person's acts on an order or a case. Every field is optional on the wire, because a missing field must be an answer
//! that names it, never a default and never an error page. Each act ends in a redirect.

use super::CallError;
use leptos::prelude::*;

/// Has the supplier asked about the order; then the order's page.
#[server(prefix = "/act", endpoint = "look_up")]
pub async fn look_up(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, look_up};
    look_up(Typed::new("look_up", [("order", order), ("version", version)])).await
}

/// Has the approved purchase sent once more; then the order's page.
#[server(prefix = "/act", endpoint = "resume")]
pub async fn resume(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, resume};
    resume(Typed::new("resume", [("order", order), ("version", version)])).await
}

/// Keeps what a person found out; then the order's page.
#[server(prefix = "/act", endpoint = "record_finding")]
pub async fn record_finding(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] finding: Option<String>,
    #[server(default)] reference: Option<String>,
    #[server(default)] evidence: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, record_finding};
    let fields = [
        ("order", order),
        ("version", version),
        ("finding", finding),
        ("reference", reference),
        ("evidence", evidence),
    ];
    record_finding(Typed::new("record_finding", fields)).await
}

/// What waits for a second person does not count; then the order's page.
#[server(prefix = "/act", endpoint = "decline_finding")]
pub async fn decline_finding(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] finding: Option<String>,
    #[server(default)] reference: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, decline_finding};
    let fields = [
        ("order", order),
        ("version", version),
        ("finding", finding),
        ("reference", reference),
        ("reason", reason),
    ];
    decline_finding(Typed::new("decline_finding", fields)).await
}

/// Puts an order on hold that nobody has sent; then its page.
#[server(prefix = "/act", endpoint = "hold")]
pub async fn hold(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, with_order};
    use crate::desk::own::WithOrder::Hold;
    let fields = [("order", order), ("version", version), ("reason", reason)];
    with_order(Typed::new(Hold.word(), fields), Hold).await
}

/// Releases an order; then its page.
#[server(prefix = "/act", endpoint = "release")]
pub async fn release(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, with_order};
    use crate::desk::own::WithOrder::Release;
    let fields = [("order", order), ("version", version), ("reason", reason)];
    with_order(Typed::new(Release.word(), fields), Release).await
}

/// Takes an order back that nobody has sent; then its page.
#[server(prefix = "/act", endpoint = "withdraw")]
pub async fn withdraw(
    #[server(default)] order: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] reason: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, with_order};
    use crate::desk::own::WithOrder::Withdraw;
    let fields = [("order", order), ("version", version), ("reason", reason)];
    with_order(Typed::new(Withdraw.word(), fields), Withdraw).await
}

/// Hands a case over; then the page of what it is about. `order` only says whose page the form stood on.
#[server(prefix = "/act", endpoint = "assign")]
pub async fn assign(
    #[server(default)] case: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] owner: Option<String>,
    #[server(default)] due_at: Option<String>,
    #[server(default)] reason: Option<String>,
    #[server(default)] order: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, assign};
    let fields = [
        ("case", case),
        ("version", version),
        ("owner", owner),
        ("due_at", due_at),
        ("reason", reason),
        ("order", order),
    ];
    assign(Typed::new("assign", fields)).await
}

/// Somebody is at a case; then the page of what it is about. `order` only says whose page the form stood on.
#[server(prefix = "/act", endpoint = "acknowledge")]
pub async fn acknowledge(
    #[server(default)] case: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] order: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, acknowledge};
    let fields = [("case", case), ("version", version), ("order", order)];
    acknowledge(Typed::new("acknowledge", fields)).await
}

/// Closes a case by a decision; then the page of what it is about.
#[server(prefix = "/act", endpoint = "close_case")]
pub async fn close_case(
    #[server(default)] case: Option<String>,
    #[server(default)] version: Option<String>,
    #[server(default)] decision: Option<String>,
    #[server(default)] reason: Option<String>,
    #[server(default)] reference: Option<String>,
) -> Result<(), CallError> {
    use crate::caller::order_acts::{Typed, close_case};
    let fields = [
        ("case", case),
        ("version", version),
        ("decision", decision),
        ("reason", reason),
        ("reference", reference),
    ];
    close_case(Typed::new("close_case", fields)).await
}
