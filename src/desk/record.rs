//! Writes what the domain decided: the order's new life, its event and its cases, in the caller's transaction.

use super::owners::Owners;
use super::{Desk, DeskError, clock};
use crate::domain::attempt::Tried;
use crate::domain::case::{Case, CaseKind, CaseStep};
use crate::domain::contents::SupplierId;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{CaseId, TenantId};
use crate::domain::order::{self, Change, Hold, Life, OrderState};
use crate::domain::refusal::Refusal;
use crate::store::cases::About;
use crate::store::orders::{Asking, OrderRow};
use crate::store::{Conn, Written, attempts, cases, events, orders, owner_rules, people, suppliers};
use chrono::{DateTime, Utc};

/// What an act leaves in the log beside the change itself.
pub(super) struct Act<'a> {
    pub actor: &'a Actor,
    pub happening: Happening,
    pub now: DateTime<Utc>,
}

impl<'a> Act<'a> {
    /// Who did what, when.
    pub fn by(actor: &'a Actor, happening: Happening, now: DateTime<Utc>) -> Self {
        Self { actor, happening, now }
    }
}

impl Desk {
    /// Records a change that was decided from the order as this very transaction read it: nobody can be faster.
    pub(super) async fn record_now(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
        act: Act<'_>,
    ) -> Result<(), DeskError> {
        must_be_done(self.record(conn, order, change, act).await?)
    }

    /// Records a change of an order. Somebody faster is `Written::NotInThatState`: then nothing was written.
    pub(super) async fn record(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
        act: Act<'_>,
    ) -> Result<Written, DeskError> {
        let change = self.under_supplier_hold(conn, order, change).await?;
        let change = self.under_predecessor(conn, order, change).await?;
        let change = &self.under_pause(conn, order, change).await?;
        let written = orders::order_record(conn, &order.id, &order.life, &change.life, act.now).await?;
        if written == Written::NotInThatState {
            return Ok(written);
        }
        self.void_proposal(conn, order, act.actor, act.now).await?;
        if change.life.state != order.life.state {
            let tried = attempts::attempt_list(conn, &order.id).await?;
            let may_be_there = order.gap_at.is_some() || tried.iter().any(Tried::may_turn_up);
            let asking = self.asks_first(&change.life, (may_be_there, tried.len()), act.now);
            orders::order_ask(conn, &order.id, &asking).await?;
        }
        let subject = Subject::Order(order.id.clone());
        events::event_append(conn, &order.tenant, act.actor, subject.clone(), act.happening, act.now).await?;
        for (hold, reason) in HELD_AS_IT_COMES_BACK {
            if change.life.holds.has(hold) && order.life.state != OrderState::Approved {
                let reason = reason.to_owned();
                let held = Happening::OrderHeld { hold, reason };
                events::event_append(conn, &order.tenant, act.actor, subject.clone(), held, act.now).await?;
            }
        }
        let about = About::Order(order.id.clone());
        for step in &change.cases {
            self.case_step(conn, &order.tenant, &about, step, act.actor, act.now)
                .await?;
        }
        if change.hold_supplier {
            let reason = "the supplier does not accept our credentials";
            let supplier = &order.contents.supplier;
            let held = self
                .supplier_hold_in(conn, &order.tenant, supplier, reason, act.actor, act.now)
                .await?;
            tracing::warn!(%supplier, ?held, "{reason}");
        }
        Ok(written)
    }

    /// When an order that came into this state is asked about first. One whose answer was lost once or said "we have it", or
    /// that may have been sent in a gap, is watched also after the verdict: a record may turn up late, or a second one beside the one that
    /// confirmed it.
    fn asks_first(&self, life: &Life, (may_be_there, tried): (bool, usize), now: DateTime<Utc>) -> Asking {
        let asks = match life.state {
            OrderState::ConfirmationPending | OrderState::Acknowledged => true,
            OrderState::Approved => life.waits_for_look_up(),
            OrderState::Refused | OrderState::Withdrawn => may_be_there,
            OrderState::Confirmed => may_be_there && tried > 1,
            OrderState::Submitting => false,
        };
        Asking {
            at: asks.then(|| now + self.lengths.look_up_first),
            ..Asking::default()
        }
    }

    /// An order that comes back to be sent while its supplier is on hold is held too.
    async fn under_supplier_hold(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: &Change,
    ) -> Result<Change, DeskError> {
        if order.life.state == OrderState::Approved || change.life.state != OrderState::Approved {
            return Ok(change.clone());
        }
        let supplier = suppliers::supplier_fetch(conn, &order.tenant, &order.contents.supplier).await?;
        let held = supplier.is_some_and(|supplier| supplier.held_at.is_some());
        Ok(if held {
            order::with_hold(change.clone(), Hold::Supplier)
        } else {
            change.clone()
        })
    }

    /// Opens or closes a case; opening one that is open leaves it as it is. A late record's case holds the order's
    /// successors for as long as it is open.
    pub(super) async fn case_step(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        about: &About,
        step: &CaseStep,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let kind = match step {
            CaseStep::Open { kind, reason } => {
                self.case_open(conn, tenant, about, *kind, reason, actor, now).await?;
                *kind
            }
            CaseStep::Close(kind) => {
                case_close(conn, tenant, about, *kind, actor, now).await?;
                *kind
            }
        };
        match about {
            About::Order(id) if kind == CaseKind::LateRecord => {
                self.successors_follow(conn, tenant, id, actor, now).await
            }
            About::Order(_) | About::Suggestion(_) | About::Supplier(_) => Ok(()),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a case is all of these at once; a struct would be used only here"
    )]
    pub(super) async fn case_open(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        about: &About,
        kind: CaseKind,
        reason: &str,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        if cases::case_find(conn, tenant, about, kind).await?.is_some() {
            return Ok(());
        }
        // rule 15: never nobody; a tenant without resolver and manager takes no suggestions, so this does not happen
        let owners = Owners::load(conn, tenant, now).await?;
        let rule = owners.rule(&owner_rules::supplier_of(conn, about).await?);
        let keeper = owners.keeper(cases::case_keeper(conn, tenant, about, now).await?);
        let first = keeper.map_or_else(|| owners.first(&rule), Ok)?;
        let owner = first.person;
        let owner_name = people::person_name(conn, &owner).await?;
        let opened = Case {
            id: CaseId::from_random(clock::random()),
            version: 1,
            kind,
            owner: owner.clone(),
            owner_name: owner_name.clone(),
            fell_to_manager: first.fell_to_manager,
            due_at: self.case_due_at(conn, tenant, rule.within, now).await?,
            reason: reason.to_owned(),
            opened_at: now,
            closed_at: None,
            quiet_until: None,
            quiet_by_name: None,
            escalated: 0,
        };
        let remind_at = self.reminder_at(conn, tenant, opened.due_at, now).await?;
        cases::case_open(conn, tenant, about, &opened, remind_at).await?;
        self.tell_owner(conn, tenant, (&opened, about), actor, now).await?;
        let happening = Happening::CaseOpened {
            case: opened.id,
            case_kind: kind,
            owner,
            owner_name,
            due_at: opened.due_at,
            reason: opened.reason,
        };
        events::event_append(conn, tenant, actor, subject_of(about), happening, now).await?;
        Ok(())
    }

    /// Puts a supplier on hold, and with it every order of it that nobody has sent.
    pub(super) async fn supplier_hold_in(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        supplier: &SupplierId,
        reason: &str,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<Written, DeskError> {
        let written = suppliers::supplier_hold(conn, tenant, supplier, reason, now).await?;
        if written == Written::NotInThatState {
            return Ok(written);
        }
        let held = Happening::SupplierHeld {
            reason: reason.to_owned(),
        };
        events::event_append(conn, tenant, actor, Subject::Supplier(supplier.to_string()), held, now).await?;
        let about = About::Supplier(supplier.to_string());
        let open = CaseStep::Open {
            kind: CaseKind::SupplierHeld,
            reason: reason.to_owned(),
        };
        self.case_step(conn, tenant, &about, &open, actor, now).await?;
        let orders = orders::order_of_supplier(conn, tenant, supplier.as_str()).await?;
        for order in orders.iter().filter(|order| !order.life.holds.has(Hold::Supplier)) {
            self.hold_in(conn, order, Hold::Supplier, reason, actor, now).await?;
        }
        Ok(written)
    }

    /// Releases a supplier, and every order that only it held becomes due.
    pub(super) async fn supplier_release_in(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        supplier: &SupplierId,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<Written, DeskError> {
        let written = suppliers::supplier_release(conn, tenant, supplier).await?;
        if written == Written::NotInThatState {
            return Ok(written);
        }
        let subject = Subject::Supplier(supplier.to_string());
        events::event_append(conn, tenant, actor, subject, Happening::SupplierReleased, now).await?;
        let about = About::Supplier(supplier.to_string());
        self.case_step(
            conn,
            tenant,
            &about,
            &CaseStep::Close(CaseKind::SupplierHeld),
            actor,
            now,
        )
        .await?;
        let orders = orders::order_of_supplier(conn, tenant, supplier.as_str()).await?;
        for order in orders.iter().filter(|order| order.life.holds.has(Hold::Supplier)) {
            let reason = "the supplier was released";
            self.release_in(conn, order, Hold::Supplier, reason, actor, now).await?;
        }
        Ok(written)
    }
}

/// What holds an order that comes back to be sent, beside what it was held by, and why.
const HELD_AS_IT_COMES_BACK: [(Hold, &str); 3] = [
    (Hold::Person, order::BOUGHT_BEFORE),
    (Hold::Supplier, "the supplier is on hold"),
    (
        Hold::Predecessor,
        "a record of an earlier order turned up at the supplier",
    ),
];

async fn case_close(
    conn: &mut Conn,
    tenant: &TenantId,
    about: &About,
    kind: CaseKind,
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<(), DeskError> {
    let Some(open) = cases::case_find(conn, tenant, about, kind).await? else {
        return Ok(());
    };
    if cases::case_close(conn, &open.id, now).await? == Written::Done {
        let closed = Happening::CaseClosed {
            case: open.id,
            case_kind: kind,
        };
        events::event_append(conn, tenant, actor, subject_of(about), closed, now).await?;
    }
    Ok(())
}

/// Inside a write transaction nobody can be faster: if the guard fails there, the transaction is dropped whole.
pub(super) fn must_be_done(written: Written) -> Result<(), DeskError> {
    match written {
        Written::Done => Ok(()),
        Written::NotInThatState => Err(DeskError::Refused(Refusal::Held)),
    }
}

pub(super) fn subject_of(about: &About) -> Subject {
    match about {
        About::Order(id) => Subject::Order(id.clone()),
        About::Suggestion(id) => Subject::Suggestion(id.clone()),
        About::Supplier(id) => Subject::Supplier(id.clone()),
    }
}
