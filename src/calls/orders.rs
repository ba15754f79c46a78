//! Orders.

use super::CallError;
use crate::domain::pages;
use leptos::prelude::*;

/// The list of orders; an unknown state shows all; `refused` names the draft of an act that named no order.
#[server(prefix = "/call", endpoint = "orders_page")]
pub async fn orders_page(
    state: Option<String>,
    after: Option<String>,
    refused: Option<String>,
) -> Result<pages::OrdersPage, CallError> {
    use crate::caller::{desk, person, shown};
    let state = state.as_deref().and_then(crate::domain::order::OrderState::of);
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(
        desk()?
            .orders_page(&person()?, state, after.as_deref(), draft.as_ref())
            .await,
    )
}

/// One order; `refused` names the draft of an act that was refused.
#[server(prefix = "/call", endpoint = "order_page")]
pub async fn order_page(id: String, refused: Option<String>) -> Result<pages::OrderPage, CallError> {
    use crate::caller::{desk, named, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.order_page(&person()?, &named(&id)?, draft.as_ref()).await)
}

/// The number of the last thing that happened to an order, for a page that waits for the next.
#[server(prefix = "/call", endpoint = "order_mark", input = server_fn::codec::GetUrl)]
pub async fn order_mark(id: String) -> Result<u64, CallError> {
    use crate::caller::{desk, named, person, shown};
    shown(desk()?.order_mark(&person()?, &named(&id)?).await)
}

/// The form that changes an order into a different purchase; `refused` names the draft of a change that was refused.
#[server(prefix = "/call", endpoint = "change_of_order")]
pub async fn change_of_order(id: String, refused: Option<String>) -> Result<pages::ChangePage, CallError> {
    use crate::caller::{desk, named, person, shown};
    let draft = refused.and_then(|draft| draft.parse().ok());
    shown(desk()?.change_of_order(&person()?, &named(&id)?, draft.as_ref()).await)
}
