//! What else there is of an intent: earlier and later orders, and a change that waits.
//!
//! Must not: decide.

use super::super::revise::may_change_order_now;
use super::super::{DeskError, Person};
use crate::domain::ids::{IntentId, TenantId};
use crate::domain::pages::{Kin, OtherOrder, Stands};
use crate::domain::person::{Act, may};
use crate::domain::refusal::Refusal;
use crate::domain::suggestion::SuggestionState;
use crate::store::orders::{OrderRow, order_of_intent};
use crate::store::{Conn, suggestions};

fn other(order: OrderRow) -> OtherOrder {
    OtherOrder {
        revision: order.revision,
        stands: Stands::of_order(&order.life),
        total: order.contents.total(),
        supplier_reference: order.life.supplier_reference,
        order: order.id,
    }
}

/// The orders of an intent before this revision, oldest first.
pub(super) async fn earlier(
    conn: &mut Conn,
    tenant: &TenantId,
    intent: &IntentId,
    revision: u32,
) -> Result<Vec<OtherOrder>, DeskError> {
    let all = order_of_intent(conn, tenant, intent).await?.into_iter();
    Ok(all.filter(|one| one.revision < revision).map(other).collect())
}

/// What else there is of this order's intent, and whether this person may change it into a different purchase.
pub(super) async fn kin(
    conn: &mut Conn,
    person: &Person,
    order: &OrderRow,
) -> Result<(Kin, Result<(), Refusal>), DeskError> {
    let all = order_of_intent(conn, &order.tenant, &order.intent).await?.into_iter();
    let others = all.filter(|one| one.id != order.id).map(other);
    let (earlier, later) = others.partition(|one| one.revision < order.revision);
    let latest = suggestions::suggestion_latest(conn, &order.tenant, &order.intent).await?;
    let latest = latest.ok_or(DeskError::Absent("suggestion"))?;
    let may_change = may(person.roles(), Act::Revise).and(may_change_order_now(conn, order, &latest).await?);
    let latest = latest.suggestion;
    let waits = SuggestionState::OPEN.contains(&latest.state) && latest.revision > order.revision;
    let waiting = waits.then_some((latest.id, latest.state));
    let kin = Kin {
        earlier,
        later,
        waiting,
    };
    Ok((kin, may_change))
}
