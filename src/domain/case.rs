//! A case: something that needs a person. It has an owner and a deadline from the moment it opens (rule 15) and closes
//! only with a finding or a decision.

use super::ids::{CaseId, PersonId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Why a person is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// The supplier's answer was lost.
    Pending,
    /// They have it, and have not said yes in time.
    AcknowledgedLate,
    /// They confirmed something else.
    Differences,
    /// The supplier holds more than one record of the order.
    SupplierDuplicate,
    /// A record nobody has judged turned up.
    LateRecord,
    /// One identity was used for other contents (rule 3).
    IntentReused,
    /// Several attempts in a row could not be sent.
    NotSent,
    /// It waited longer than `send_within`.
    TooOld,
    /// Held after a restore (rule 20).
    Restore,
    /// The supplier does not take our credentials, or a manager put it on hold.
    SupplierHeld,
}

impl CaseKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::AcknowledgedLate,
        Self::Differences,
        Self::SupplierDuplicate,
        Self::LateRecord,
        Self::IntentReused,
        Self::NotSent,
        Self::TooOld,
        Self::Restore,
        Self::SupplierHeld,
    ];

    /// The kind's one word on the wire and in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::AcknowledgedLate => "acknowledged_late",
            Self::Differences => "differences",
            Self::SupplierDuplicate => "supplier_duplicate",
            Self::LateRecord => "late_record",
            Self::IntentReused => "intent_reused",
            Self::NotSent => "not_sent",
            Self::TooOld => "too_old",
            Self::Restore => "restore",
            Self::SupplierHeld => "supplier_held",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A case as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    pub id: CaseId,
    pub version: u64,
    pub kind: CaseKind,
    pub owner: PersonId,
    pub owner_name: String,
    /// Nobody else could be found when it became theirs: somebody should be given it.
    pub fell_to_manager: bool,
    pub due_at: DateTime<Utc>,
    pub reason: String,
    pub opened_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
    /// Somebody is at it: nobody is reminded or told until then.
    pub quiet_until: Option<DateTime<Utc>>,
    /// Who said so.
    pub quiet_by_name: Option<String>,
    /// How often a manager was told that its deadline has passed.
    pub escalated: u32,
}

/// What a change asks of an order's cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseStep {
    /// Opens a case of this kind, unless one is open: then that one stays, with its owner and deadline.
    Open { kind: CaseKind, reason: String },
    /// Closes the open case of this kind, if there is one.
    Close(CaseKind),
}

/// Why nobody is at an open case, though it has an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It fell to a manager because nobody else was there, and nobody has been given it since.
    FellToManager,
    OwnerIsAway,
}

impl Left {
    /// Of an open case; nothing while somebody has said that they are at it.
    pub fn of(
        fell_to_manager: bool,
        owner_is_away: bool,
        quiet_until: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let why = match (fell_to_manager, owner_is_away) {
            (true, _) => Some(Left::FellToManager),
            (false, true) => Some(Left::OwnerIsAway),
            (false, false) => None,
        };
        why.filter(|_| at_it_until(quiet_until, now).is_none())
    }
}

/// Until when somebody is at a case; nothing once that time is over.
pub fn at_it_until(quiet_until: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    quiet_until.filter(|until| *until > now)
}

/// Whether an open case is nobody's in truth.
pub fn is_unowned(case: &Case, owner_is_away: bool, now: DateTime<Utc>) -> bool {
    let left = Left::of(case.fell_to_manager, owner_is_away, case.quiet_until, now);
    case.closed_at.is_none() && left.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    #[test]
    fn a_case_is_nobodys_when_it_fell_to_a_manager_or_its_owner_is_away() {
        let moment: DateTime<Utc> = DateTime::from_timestamp(1_800_000_000, 0).expect("in range");
        let open = Case {
            id: CaseId::from_random(1),
            version: 1,
            kind: CaseKind::Pending,
            owner: PersonId::from_random(1),
            owner_name: "Rolf".to_owned(),
            fell_to_manager: false,
            due_at: moment,
            reason: "the answer was lost".to_owned(),
            opened_at: moment,
            closed_at: None,
            quiet_until: None,
            quiet_by_name: None,
            escalated: 0,
        };
        let fallen = Case {
            fell_to_manager: true,
            ..open.clone()
        };
        let closed = Case {
            closed_at: Some(moment),
            ..fallen.clone()
        };
        assert!(!is_unowned(&open, false, moment) && is_unowned(&open, true, moment));
        assert!(is_unowned(&fallen, false, moment) && !is_unowned(&closed, true, moment));
        let until = moment + TimeDelta::hours(2);
        let at_it = Case {
            quiet_until: Some(until),
            ..fallen
        };
        assert!(!is_unowned(&at_it, true, moment), "somebody is at it");
        assert!(is_unowned(&at_it, true, until), "for the set time only");
    }
}
