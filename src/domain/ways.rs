//! The ways on from where an order stands: each open, or shut with its reason. The screen shows them, and every act asks
//! the same function that fills its place here (rule 14).

use super::contract::SupplierContract;
use super::look_up::may_look_up;
use super::order::{self, Hold, Life, OrderState};
use super::person::{Act, Role, may};
use super::refusal::Refusal;
use super::resume::{Ground, InDoubt, NoResume, may_ask_to_resume};
use super::suggestion::StandsBefore;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The holds that a person's release lifts; the others have acts of their own.
pub const LIFTED_BY_RELEASE: [Hold; 2] = [Hold::TooOld, Hold::Person];

/// What stands between this order and a different purchase for the same wish (rule 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherPurchase {
    /// It is being sent; wait for how it ends.
    WaitForIt,
    /// The supplier may have it, or has it without a yes: settle it first.
    SettleFirst,
    /// Nobody has sent it, or it is not there: withdraw it first.
    WithdrawFirst,
    /// It was bought; another purchase is a second one.
    SecondPurchase,
    /// Nothing stands in the way.
    Free,
}

/// What stands between an order in this state and a different purchase.
pub fn other_purchase(state: OrderState) -> OtherPurchase {
    match state {
        OrderState::Submitting => OtherPurchase::WaitForIt,
        OrderState::ConfirmationPending | OrderState::Acknowledged => OtherPurchase::SettleFirst,
        OrderState::Approved => OtherPurchase::WithdrawFirst,
        OrderState::Confirmed => OtherPurchase::SecondPurchase,
        OrderState::Refused | OrderState::Withdrawn => OtherPurchase::Free,
    }
}

/// Every act on an order, for one person, now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    pub look_up: Result<(), Refusal>,
    pub resume: Result<Ground, Refusal>,
    pub record_finding: Result<(), Refusal>,
    pub hold: Result<(), Refusal>,
    pub release: Result<(), Refusal>,
    pub withdraw: Result<(), Refusal>,
    pub assign: Result<(), Refusal>,
    pub other_purchase: OtherPurchase,
}

/// Whether this person may ask to send the order once more, and until when.
pub fn may_resume_now(life: &Life, roles: &[Role], about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<Ground, Refusal> {
    may(roles, Act::Resume)?;
    if life.holds.has(Hold::Restore) {
        // each hold is lifted only by its own act: this one by the order's release
        return Err(Refusal::NoResume(NoResume::Held(Hold::Restore)));
    }
    let ground = may_ask_to_resume(about, now).map_err(Refusal::NoResume)?;
    match &life.resume {
        Some(wanted) => Err(Refusal::NoResume(NoResume::AlreadyWanted { at: wanted.at })),
        None => Ok(ground),
    }
}

/// Whether this person may release the order. One that is held after a restore goes out only where the supplier can be
/// looked up right before, or somebody has just found that it is not there (rule 20).
pub fn may_release_now(life: &Life, roles: &[Role], about: &InDoubt<'_>, now: DateTime<Utc>) -> Result<(), Refusal> {
    may(roles, Act::ReleaseOrder)?;
    if about.later_order_live {
        // frozen while the successor lives (rule 5)
        return Err(Refusal::LaterOrderLive);
    }
    if about.before == StandsBefore::Bought {
        // releasing it says that both are wanted: that is as much as approving it (case C12)
        may(roles, Act::Approve)?;
    }
    if life.state != OrderState::Approved || !life.holds.has(Hold::Restore) {
        return order::release(life, &LIFTED_BY_RELEASE, now).map(|_| ());
    }
    if life.is_not_found() {
        // only the hold goes; the resume it still waits for has it looked up
        return Ok(());
    }
    if let Some(wanted) = &life.resume {
        return Err(Refusal::NoResume(NoResume::AlreadyWanted { at: wanted.at }));
    }
    let lifted = LIFTED_BY_RELEASE
        .iter()
        .fold(life.holds, |holds, hold| holds.without(*hold));
    let about = InDoubt {
        holds: lifted,
        ..*about
    };
    may_ask_to_resume(&about, now).map(|_| ()).map_err(Refusal::NoResume)
}

/// Whether the order can be taken back: not while somebody says that they have it.
pub fn may_withdraw(life: &Life, about: &InDoubt<'_>, open_doubt: bool) -> Result<(), Refusal> {
    if about.record_there {
        return Err(Refusal::RecordThere);
    }
    order::withdraw(life, open_doubt).map(|_| ())
}

/// The ways on, as these roles have them. `open_doubt` as in the machine.
pub fn ways(
    life: &Life,
    roles: &[Role],
    contract: &SupplierContract,
    about: &InDoubt<'_>,
    open_doubt: bool,
    now: DateTime<Utc>,
) -> Ways {
    let able = |act: Act| may(roles, act);
    Ways {
        look_up: able(Act::LookUp).and_then(|()| may_look_up(life, contract)),
        resume: may_resume_now(life, roles, about, now),
        record_finding: able(Act::RecordFinding).and_then(|()| order::may_find(life)),
        hold: able(Act::HoldOrder).and_then(|()| order::hold(life, Hold::Person).map(|_| ())),
        release: may_release_now(life, roles, about, now),
        withdraw: able(Act::Withdraw).and_then(|()| may_withdraw(life, about, open_doubt)),
        assign: able(Act::Assign),
        other_purchase: other_purchase(life.state),
    }
}
