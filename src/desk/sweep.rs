//! What time brings about, swept by every process (rule 6): leases that lapsed, orders that waited too long,
//! requests to resume that nobody could follow.
//!
//! Promises: one broken order does not keep the others from being swept. Must not: close a doubt (rule 8).

use super::again::again;
use super::doubt::known;
use super::record::Act;
use super::submit::answer_doubt;
use super::{Desk, DeskError, clock};
use crate::domain::contract::SupplierContract;
use crate::domain::doubt::late_acceptance;
use crate::domain::event::{Actor, Happening};
use crate::domain::ids::{AttemptId, OrderId, TenantId};
use crate::domain::order::{self, Hold, Life, OrderState, RESUME_LASTS};
use crate::domain::resume::NotResumed;

use crate::store::cases::About;
use crate::store::{Written, attempts, orders, suppliers, tenants};
use crate::supplier::Supplier;
use chrono::{DateTime, TimeDelta, Utc};

/// Leases, and late orders of a supplier, swept at once; the rest comes with the next sweep.
pub(super) const MOST: u32 = 500;

impl Desk {
    /// Sweeps once. A fault in one order is logged and does not keep the others from being swept.
    pub async fn sweep(&self) -> Result<(), DeskError> {
        match self.remember_all().await {
            Ok(()) => {}
            Err(error @ DeskError::Exchanged) => return Err(error),
            // nothing is sent meanwhile; what lapses is swept all the same
            Err(error) => tracing::error!("what this node knows of the database was not kept: {error}"),
        }
        let mut read = self.store.begin_read().await?;
        let overdue = attempts::attempt_overdue(&mut read, clock::now(), MOST).await?;
        drop(read);
        for (attempt, order, tenant) in overdue {
            if let Err(error) = again(|| self.lapse(&attempt, &order, &tenant)).await {
                tracing::error!(%order, %attempt, "a lapsed lease was not swept: {error}");
            }
        }
        self.sweep_void_requests().await?;
        self.sweep_too_old().await?;
        self.sweep_acknowledged().await?;
        self.sweep_reminders().await?;
        self.write_digests().await?;
        self.forget_silent_nodes().await
    }

    /// Requests to send an order once more that nobody could follow within their time (rule 9).
    async fn sweep_void_requests(&self) -> Result<(), DeskError> {
        let mut read = self.store.begin_read().await?;
        let void = orders::order_resume_void(&mut read, clock::now() - RESUME_LASTS, MOST).await?;
        drop(read);
        for (tenant, id) in void {
            if let Err(error) = again(|| self.drop_void_request(&tenant, &id)).await {
                tracing::error!(order = %id, "a request to resume was not dropped: {error}");
            }
        }
        Ok(())
    }

    async fn drop_void_request(&self, tenant: &TenantId, id: &OrderId) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let order = orders::order_fetch(&mut tx, tenant, id)
            .await?
            .ok_or(DeskError::Absent("order"))?;
        if order.life.resume.as_ref().is_some_and(|wanted| wanted.is_void(now)) {
            self.drop_resume(&mut tx, &order, NotResumed::Void, now).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// The process that sent it died or is frozen: nobody knows, so the order is confirmation pending.
    async fn lapse(&self, attempt: &AttemptId, id: &OrderId, tenant: &TenantId) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        if attempts::attempt_lapse(&mut tx, attempt, now).await? == Written::NotInThatState {
            return Ok(());
        }
        let order = orders::order_fetch(&mut tx, tenant, id)
            .await?
            .ok_or(DeskError::Absent("order"))?;
        let tried = attempts::attempt_list(&mut tx, id).await?;
        let (mine, others): (Vec<_>, Vec<_>) = tried.into_iter().partition(|row| row.attempt.id == *attempt);
        let known = known(&mut tx, &order).await?;
        let late = mine.first().and_then(|mine| late_acceptance(&known, &others, mine));
        let change = order::lapse(&order.life, late)?;
        let happening = Happening::LeaseLapsed {
            attempt: attempt.clone(),
            from: order.life.state,
            to: change.life.state,
        };
        self.record_now(&mut tx, &order, &change, Act::by(&Actor::Worker, happening, now))
            .await?;
        answer_doubt(&mut tx, &order, change.life.state).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn sweep_too_old(&self) -> Result<(), DeskError> {
        let mut read = self.store.begin_read().await?;
        let (now, mut waiting) = (clock::now(), Vec::new());
        for tenant in tenants::tenant_list(&mut read).await? {
            for row in suppliers::supplier_list(&mut read, &tenant.id).await? {
                let Ok(Supplier { contract, .. }) = row.file.parse() else {
                    tracing::error!(supplier = %row.id, "its file cannot be read, so its orders are not swept");
                    continue;
                };
                let cutoff = now - TimeDelta::seconds(contract.send_within_seconds);
                let old = orders::order_waiting_since(&mut read, &tenant.id, &row.id, cutoff, MOST).await?;
                waiting.extend(
                    old.into_iter()
                        .map(|order| (tenant.id.clone(), order, contract.clone())),
                );
            }
        }
        drop(read);
        for (tenant, order, contract) in waiting {
            if let Err(error) = again(|| self.hold_too_old(&tenant, &order, &contract)).await {
                tracing::error!(%order, "an order that waited too long was not held: {error}");
            }
        }
        Ok(())
    }

    /// Orders that a supplier has had for longer than its contract allows without a yes (case W7).
    async fn sweep_acknowledged(&self) -> Result<(), DeskError> {
        let mut read = self.store.begin_read().await?;
        let (now, mut late) = (clock::now(), Vec::new());
        for tenant in tenants::tenant_list(&mut read).await? {
            for row in suppliers::supplier_list(&mut read, &tenant.id).await? {
                // one that cannot be read was told of by the sweep before
                let Ok(Supplier { contract, .. }) = row.file.parse() else {
                    continue;
                };
                let cutoff = now - TimeDelta::seconds(contract.acknowledged_within_seconds);
                let orders = orders::order_acknowledged_before(&mut read, &tenant.id, &row.id, cutoff, MOST).await?;
                late.extend(orders.into_iter().map(|order| (tenant.id.clone(), order)));
            }
        }
        drop(read);
        for (tenant, order) in late {
            if let Err(error) = again(|| self.call_late(&tenant, &order)).await {
                tracing::error!(%order, "an order without a yes in time got no case: {error}");
            }
        }
        Ok(())
    }

    async fn call_late(&self, tenant: &TenantId, id: &OrderId) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write_in(tenant).await?;
        let order = orders::order_fetch(&mut tx, tenant, id)
            .await?
            .ok_or(DeskError::Absent("order"))?;
        let Ok(step) = order::acknowledged_late(&order.life) else {
            return Ok(());
        };
        let about = About::Order(order.id);
        self.case_step(&mut tx, tenant, &about, &step, &Actor::Worker, clock::now())
            .await?;
        tx.commit().await?;
        Ok(())
    }

    async fn hold_too_old(
        &self,
        tenant: &TenantId,
        id: &OrderId,
        contract: &SupplierContract,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let order = orders::order_fetch(&mut tx, tenant, id)
            .await?
            .ok_or(DeskError::Absent("order"))?;
        if !is_too_old(&order.life, contract, now) {
            return Ok(());
        }
        let change = order::hold(&order.life, Hold::TooOld)?;
        let reason = "it was not sent within the time allowed after its approval".to_owned();
        let happening = Happening::OrderHeld {
            hold: Hold::TooOld,
            reason,
        };
        self.record_now(&mut tx, &order, &change, Act::by(&Actor::Worker, happening, now))
            .await?;
        tx.commit().await?;
        Ok(())
    }
}

fn is_too_old(life: &Life, contract: &SupplierContract, now: DateTime<Utc>) -> bool {
    life.state == OrderState::Approved
        && !life.holds.has(Hold::TooOld)
        && contract.too_old_at(life.sendable_since) <= now
}
