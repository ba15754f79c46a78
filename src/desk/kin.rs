//! Orders of one intent: a record that nobody has judged, turned up at an earlier one, holds what nobody has sent of the
//! later ones (rule 5).
//!
//! Must not: lift any other hold.

use super::doubt::before;
use super::record::must_be_done;
use super::{Desk, DeskError};
use crate::domain::case::CaseKind;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{OrderId, TenantId};
use crate::domain::order::{self, Change, Hold, OrderState};
use crate::domain::resume::{NoResume, NotResumed};
use crate::domain::suggestion::StandsBefore;
use crate::store::cases::About;
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
            match (before(conn, &successor).await?, is_held) {
                (StandsBefore::Unjudged, false) => {
                    let reason = format!("a record of the earlier order {id} turned up at the supplier");
                    self.hold_in(conn, &successor, Hold::Predecessor, &reason, actor, now)
                        .await?;
                }
                (StandsBefore::Bought, true) => {
                    let successor = self.held_as_bought(conn, successor, id, actor, now).await?;
                    self.judged(conn, &successor, id, actor, now).await?;
                }
                (StandsBefore::Nothing, true) => self.judged(conn, &successor, id, actor, now).await?,
                (StandsBefore::Unjudged, true) | (StandsBefore::Bought | StandsBefore::Nothing, false) => {}
            }
        }
        Ok(())
    }

    async fn judged(
        &self,
        conn: &mut Conn,
        successor: &OrderRow,
        id: &OrderId,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let reason = format!("what turned up of the earlier order {id} was judged");
        self.release_in(conn, successor, Hold::Predecessor, &reason, actor, now)
            .await
    }

    /// The record was kept, and nobody had said to want this order beside it: it waits for somebody who may approve to say so
    /// by releasing it, and somebody owns that (case C12: one purchase unless somebody said twice).
    async fn held_as_bought(
        &self,
        conn: &mut Conn,
        successor: OrderRow,
        id: &OrderId,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<OrderRow, DeskError> {
        let reason = format!("the earlier order {id} was bought after all; release this one only if both are wanted");
        if successor.life.holds.has(Hold::Person) {
            let hold = Hold::Person;
            let subject = Subject::Order(successor.id.clone());
            let happening = Happening::OrderHeld {
                hold,
                reason: reason.clone(),
            };
            events::event_append(conn, &successor.tenant, actor, subject, happening, now).await?;
        } else {
            self.hold_in(conn, &successor, Hold::Person, &reason, actor, now)
                .await?;
        }
        let (about, kind) = (About::Order(successor.id.clone()), CaseKind::NotSent);
        self.case_open(conn, &successor.tenant, &about, kind, &reason, actor, now)
            .await?;
        let held = orders::order_fetch(conn, &successor.tenant, &successor.id).await?;
        held.ok_or(DeskError::Absent("order"))
    }

    /// Whoever releases an order that waited for it says that it is wanted beside what was bought before.
    pub(super) async fn wanted_beside(&self, conn: &mut Conn, order: &OrderRow) -> Result<(), DeskError> {
        if before(conn, order).await? != StandsBefore::Bought {
            return Ok(());
        }
        let all = orders::order_predecessors(conn, &order.tenant, &order.intent, order.revision).await?;
        let bought = all.into_iter().filter(|one| one.state == OrderState::Confirmed);
        let bought: Vec<OrderId> = bought.map(|one| one.order).collect();
        Ok(orders::order_beside(conn, order, &bought).await?)
    }

    /// The change, had a predecessor's record turned up meanwhile: what becomes sendable again waits until that is judged,
    /// and where it was bought, for somebody who wants both.
    pub(super) async fn under_predecessor(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: Change,
    ) -> Result<Change, DeskError> {
        if order.life.state == OrderState::Approved || change.life.state != OrderState::Approved {
            return Ok(change);
        }
        Ok(match before(conn, order).await? {
            StandsBefore::Nothing => change,
            StandsBefore::Unjudged => order::with_hold(change, Hold::Predecessor),
            StandsBefore::Bought => order::bought_before(change),
        })
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
        let why = match hold {
            Hold::Supplier => NoResume::SupplierHeld,
            Hold::NotFound | Hold::Restore | Hold::Predecessor | Hold::TooOld | Hold::Person => NoResume::Held(hold),
        };
        voided(conn, order, why, actor, now).await
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
        voided(conn, order, NoResume::Held(hold), actor, now).await
    }
}

/// A change voids a request to send it; whoever made it is told.
async fn voided(
    conn: &mut Conn,
    order: &OrderRow,
    why: NoResume,
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<(), DeskError> {
    if order.life.resume.is_some() {
        let dropped = Happening::ResumeNotSent {
            why: NotResumed::Unsafe(why),
        };
        let subject = Subject::Order(order.id.clone());
        events::event_append(conn, &order.tenant, actor, subject, dropped, now).await?;
    }
    Ok(())
}
