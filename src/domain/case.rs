//! A case: something that needs a person. It has an owner and a deadline from the moment it opens (rule 15) and closes
//! only with a finding or a decision.

use super::ids::{CaseId, PersonId};
use super::person::Role;
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
    pub due_at: DateTime<Utc>,
    pub reason: String,
    pub opened_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
    /// Somebody is at it: nobody is reminded or told until then.
    pub quiet_until: Option<DateTime<Utc>>,
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

/// Somebody who could own a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub person: PersonId,
    pub roles: Vec<Role>,
    /// Cases open with this person now.
    pub open_cases: u64,
}

/// The owner of a new case: the least loaded resolver, else the least loaded manager (doors.md "Defaults"). Among equals
/// the lower id, so that two machines choose alike. `None` only for a tenant without either.
pub fn owner(candidates: &[Candidate]) -> Option<&PersonId> {
    let least_loaded = |role: Role| {
        let able = candidates.iter().filter(|one| one.roles.contains(&role));
        able.min_by(|a, b| (a.open_cases, &a.person).cmp(&(b.open_cases, &b.person)))
    };
    least_loaded(Role::Resolver)
        .or_else(|| least_loaded(Role::Manager))
        .map(|one| &one.person)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(number: u128, roles: &[Role], open_cases: u64) -> Candidate {
        Candidate {
            person: PersonId::from_random(number),
            roles: roles.to_vec(),
            open_cases,
        }
    }

    #[test]
    fn the_least_loaded_resolver_else_a_manager() {
        let resolvers = [
            candidate(1, &[Role::Resolver], 3),
            candidate(2, &[Role::Resolver, Role::Buyer], 1),
        ];
        let manager = candidate(3, &[Role::Manager], 0);
        let all: Vec<_> = resolvers.iter().cloned().chain([manager.clone()]).collect();
        assert_eq!(owner(&all), Some(&resolvers[1].person));
        assert_eq!(owner(std::slice::from_ref(&manager)), Some(&manager.person));
        assert_eq!(owner(&[candidate(4, &[Role::Buyer, Role::Admin], 0)]), None);
    }
}
