//! Orders of one intent: a record that nobody has judged, turned up at an earlier one, holds what nobody has sent of the
//! later ones (rule 5).
//!
//! Must not: lift any other hold.

use super::record::must_be_done;
use super::{Desk, DeskError};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{OrderId, TenantId};
use crate::domain::order::{self, Change, Hold, OrderState};
use crate::domain::resume::{NoResume, NotResumed};
use crate::store::orders::OrderRow;
use crate::store::{Conn, events, orders};
use chrono::{DateTime, Utc};

impl Desk {
    /// Holds every unsent successor of this order, or releases it, as its predecessors' cases now stand.
    pub(super) async fn successors_follow(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        id: &OrderId,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let order = orders::order_fetch(conn, tenant, id).await?;
        let order = order.ok_or(DeskError::Absent("order"))?;
        for successor in orders::order_successors_unsent(conn, &order).await? {
            let is_held = successor.life.holds.has(Hold::Predecessor);
            match (orders::order_predecessor_turned_up(conn, &successor).await?, is_held) {
                (true, false) => {
                    let reason = format!("a record of the earlier order {id} turned up at the supplier");
                    self.hold_in(conn, &successor, Hold::Predecessor, &reason, actor, now)
                        .await?;
                }
                (false, true) => {
                    let successor = self.wanted_twice_or_held(conn, successor, &order, actor, now).await?;
                    let reason = format!("what turned up of the earlier order {id} was judged");
                    self.release_in(conn, &successor, Hold::Predecessor, &reason, actor, now)
                        .await?;
                }
                (true, true) | (false, false) => {}
            }
        }
        Ok(())
    }

    /// The record was kept, and nobody had said that a second purchase is wanted: the successor waits for a person to say so
    /// by releasing it (case C12: one purchase unless somebody said twice).
    async fn wanted_twice_or_held(
        &self,
        conn: &mut Conn,
        successor: OrderRow,
        predecessor: &OrderRow,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<OrderRow, DeskError> {
        let is_wanted = successor.second_purchase || !predecessor.life.state.is_live();
        if is_wanted || successor.life.holds.has(Hold::Person) {
            return Ok(successor);
        }
        let reason = format!(
            "the earlier order {} was bought after all; release this one only if both are wanted",
            predecessor.id
        );
        self.hold_in(conn, &successor, Hold::Person, &reason, actor, now)
            .await?;
        let held = orders::order_fetch(conn, &successor.tenant, &successor.id).await?;
        held.ok_or(DeskError::Absent("order"))
    }

    /// The change, had a predecessor's record turned up meanwhile: what becomes sendable again waits until that is judged.
    pub(super) async fn under_predecessor(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: Change,
    ) -> Result<Change, DeskError> {
        let comes_back = order.life.state != OrderState::Approved && change.life.state == OrderState::Approved;
        if comes_back && orders::order_predecessor_turned_up(conn, order).await? {
            return Ok(order::with_hold(change, Hold::Predecessor));
        }
        Ok(change)
    }

    /// Puts one hold on an order that nobody has sent; a person's request that it voids is told so.
    pub(super) async fn hold_in(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        hold: Hold,
        reason: &str,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let change = order::hold(&order.life, hold)?;
        must_be_done(orders::order_record(conn, &order.id, &order.life, &change.life, now).await?)?;
        let subject = Subject::Order(order.id.clone());
        let happening = Happening::OrderHeld {
            hold,
            reason: reason.to_owned(),
        };
        events::event_append(conn, &order.tenant, actor, subject.clone(), happening, now).await?;
        if order.life.resume.is_some() {
            let why = match hold {
                Hold::Supplier => NoResume::SupplierHeld,
                Hold::NotFound | Hold::Restore | Hold::Predecessor | Hold::TooOld | Hold::Person => {
                    NoResume::Held(hold)
                }
            };
            let dropped = Happening::ResumeNotSent {
                why: NotResumed::Unsafe(why),
            };
            events::event_append(conn, &order.tenant, actor, subject, dropped, now).await?;
        }
        Ok(())
    }

    /// Lifts one hold; an order that nothing else holds becomes due.
    pub(super) async fn release_in(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        hold: Hold,
        reason: &str,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let change = order::release(&order.life, &[hold], now)?;
        must_be_done(orders::order_record(conn, &order.id, &order.life, &change.life, now).await?)?;
        let happening = Happening::OrderReleased {
            lifted: vec![hold],
            reason: reason.to_owned(),
        };
        let subject = Subject::Order(order.id.clone());
        events::event_append(conn, &order.tenant, actor, subject, happening, now).await?;
        Ok(())
    }
}
