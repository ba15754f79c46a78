//! What a person decides about a case, and what follows for the order and for the supplier's records (doors.md "Kinds of
//! case and what closes them").
//!
//! Promises: every kind of case has its way out, here or by a finding or an act on the order; a record is judged by its own
//! number. Must not: decide by itself.

use super::case::CaseKind;
use super::order::{self, Change, Finding, Life, OrderState};
use super::person::{Act, Role, may};
use super::refusal::Refusal;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The doubt is given up, with evidence; later records are still watched for.
    WrittenOff,
    /// What they confirmed is taken as it is.
    DifferencesAccepted,
    /// They cancelled it.
    CancelledAtSupplier,
    /// They cancelled the extra record.
    DuplicateCancelled,
    /// Both records are wanted.
    KeptBoth,
    /// The record is another's.
    NotOurOrder,
    /// The first stays as it is.
    KeptFirst,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 7] = [
        Self::WrittenOff,
        Self::DifferencesAccepted,
        Self::CancelledAtSupplier,
        Self::DuplicateCancelled,
        Self::KeptBoth,
        Self::NotOurOrder,
        Self::KeptFirst,
    ];

    /// The one word on the wire and in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::WrittenOff => "written_off",
            Self::DifferencesAccepted => "differences_accepted",
            Self::CancelledAtSupplier => "cancelled_at_supplier",
            Self::DuplicateCancelled => "duplicate_cancelled",
            Self::KeptBoth => "kept_both",
            Self::NotOurOrder => "not_our_order",
            Self::KeptFirst => "kept_first",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.word() == word)
    }
}

/// What closes a case of this kind, other than a finding or an act on the order: which kinds close by those alone is told by
/// an empty list.
pub fn decisions(kind: CaseKind) -> &'static [Decision] {
    match kind {
        CaseKind::Pending => &[Decision::WrittenOff],
        CaseKind::Differences => &[Decision::DifferencesAccepted, Decision::CancelledAtSupplier],
        CaseKind::SupplierDuplicate => &[Decision::DuplicateCancelled, Decision::KeptBoth, Decision::NotOurOrder],
        CaseKind::LateRecord => &[
            Decision::KeptFirst,
            Decision::CancelledAtSupplier,
            Decision::NotOurOrder,
        ],
        CaseKind::IntentReused => &[Decision::KeptFirst],
        CaseKind::AcknowledgedLate
        | CaseKind::NotSent
        | CaseKind::TooOld
        | CaseKind::Restore
        | CaseKind::SupplierHeld => &[],
    }
}

/// What a person judged a record of the supplier to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is the order, or wanted beside it.
    Kept,
    /// It was ours and they cancelled it.
    Cancelled,
    /// It is somebody else's.
    NotOurs,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Kept, Self::Cancelled, Self::NotOurs];

    /// The one word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Cancelled => "cancelled",
            Self::NotOurs => "not_ours",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
    /// Whether the record counts as a purchase of this order.
    pub fn is_kept(self) -> bool {
        match self {
            Self::Kept => true,
            Self::Cancelled | Self::NotOurs => false,
        }
    }
}

/// A record of the supplier, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Their number: text, compared exactly.
    pub reference: String,
    pub verdict: Verdict,
}

/// A judgement as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    pub at: DateTime<Utc>,
    pub judged: Judged,
    /// Who judged it, by name.
    pub by: String,
    pub evidence: String,
}

/// What is decided about.
#[derive(Debug, Clone, Copy)]
pub struct Deciding<'a> {
    pub kind: CaseKind,
    /// The order the case is about; none for a suggestion's case.
    pub life: Option<&'a Life>,
    /// The record that the person names.
    pub reference: Option<&'a str>,
    /// The order had been refused when the late record turned up: it stays refused.
    pub was_refused: bool,
}

/// What a decision brings about, beside the closing of its case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decided {
    /// The order's change, where it has one.
    pub change: Option<Change>,
    /// The record that is judged by it.
    pub judged: Option<Judged>,
    /// Every doubtful attempt is answered by it.
    pub answers_doubt: bool,
}

/// Whether these roles may take this decision at all.
pub fn may_decide(roles: &[Role], decision: Decision) -> Result<(), Refusal> {
    may(roles, Act::CloseCase)?;
    match decision {
        Decision::WrittenOff => may(roles, Act::WriteOff),
        Decision::DifferencesAccepted
        | Decision::CancelledAtSupplier
        | Decision::DuplicateCancelled
        | Decision::KeptBoth
        | Decision::NotOurOrder
        | Decision::KeptFirst => Ok(()),
    }
}

/// Whether a decision is open where the order stands: a second record is wanted beside an order, and so the order itself has
/// to be known first.
pub fn fits(decision: Decision, state: Option<OrderState>) -> Result<(), Refusal> {
    match (decision, state) {
        (Decision::KeptBoth, Some(state)) if state != OrderState::Confirmed => Err(Refusal::OrderIs(state)),
        (
            Decision::KeptBoth
            | Decision::WrittenOff
            | Decision::DifferencesAccepted
            | Decision::CancelledAtSupplier
            | Decision::DuplicateCancelled
            | Decision::NotOurOrder
            | Decision::KeptFirst,
            _,
        ) => Ok(()),
    }
}

/// What a decision brings about.
pub fn decide(about: Deciding<'_>, decision: Decision, now: DateTime<Utc>) -> Result<Decided, Refusal> {
    fits(decision, about.life.map(|life| life.state))?;
    match (about.kind, decision) {
        (CaseKind::Pending, Decision::WrittenOff) => Ok(Decided {
            change: Some(order::write_off(of_order(about)?)?),
            judged: None,
            answers_doubt: true,
        }),
        (CaseKind::Differences, Decision::DifferencesAccepted) | (CaseKind::IntentReused, Decision::KeptFirst) => {
            Ok(Decided::default())
        }
        (CaseKind::Differences, Decision::CancelledAtSupplier) => cancelled(about),
        (CaseKind::SupplierDuplicate, Decision::DuplicateCancelled) => beside(about, Verdict::Cancelled),
        (CaseKind::SupplierDuplicate, Decision::KeptBoth) => beside(about, Verdict::Kept),
        (CaseKind::SupplierDuplicate, Decision::NotOurOrder) => beside(about, Verdict::NotOurs),
        (CaseKind::LateRecord, Decision::KeptFirst) => kept(about, now),
        (CaseKind::LateRecord, Decision::CancelledAtSupplier) => dismissed(about, Verdict::Cancelled),
        (CaseKind::LateRecord, Decision::NotOurOrder) => dismissed(about, Verdict::NotOurs),
        (kind, _) => Err(no_such(kind)),
    }
}

fn no_such(kind: CaseKind) -> Refusal {
    let able: Vec<_> = decisions(kind).iter().map(|one| one.word()).collect();
    let detail = match able.is_empty() {
        true => "no decision closes this case: a finding, or an act on the order, does".to_owned(),
        false => format!("this case closes with {}", able.join(", ")),
    };
    field("decision", detail)
}

fn field(name: &str, detail: impl Into<String>) -> Refusal {
    Refusal::Field {
        field: name.to_owned(),
        detail: detail.into(),
    }
}

fn of_order(about: Deciding<'_>) -> Result<&Life, Refusal> {
    about.life.ok_or_else(|| field("case", "it is about no order"))
}

/// What they confirmed was cancelled there.
fn cancelled(about: Deciding<'_>) -> Result<Decided, Refusal> {
    let life = of_order(about)?;
    let verdict = Verdict::Cancelled;
    let reference = life.supplier_reference.clone();
    Ok(Decided {
        change: Some(order::cancelled_at_supplier(life)?),
        judged: reference.map(|reference| Judged { reference, verdict }),
        answers_doubt: false,
    })
}

/// A record beside the order's own: which one has to be said.
fn beside(about: Deciding<'_>, verdict: Verdict) -> Result<Decided, Refusal> {
    let life = of_order(about)?;
    let reference = about
        .reference
        .ok_or_else(|| field("reference", "give the number of the record this is about"))?;
    let is_own = life.state == OrderState::Confirmed && life.supplier_reference.as_deref() == Some(reference);
    if is_own {
        return Err(field(
            "reference",
            "the order was confirmed by this record; name the other one",
        ));
    }
    let reference = reference.to_owned();
    Ok(Decided {
        change: None,
        judged: Some(Judged { reference, verdict }),
        answers_doubt: false,
    })
}

/// The late record is the order.
fn kept(about: Deciding<'_>, now: DateTime<Utc>) -> Result<Decided, Refusal> {
    let life = of_order(about)?;
    let reference = late(about).ok_or_else(|| field("reference", "give their number: they named none"))?;
    let at_supplier = Finding::AtSupplier {
        reference: reference.clone(),
        differences: Vec::new(),
    };
    Ok(Decided {
        change: Some(order::establish(life, &at_supplier, now)?),
        judged: Some(Judged {
            reference,
            verdict: Verdict::Kept,
        }),
        answers_doubt: true,
    })
}

/// The late record is no purchase of this order.
fn dismissed(about: Deciding<'_>, verdict: Verdict) -> Result<Decided, Refusal> {
    let change = order::dismiss_late_record(of_order(about)?, about.was_refused)?;
    Ok(Decided {
        change: Some(change),
        judged: late(about).map(|reference| Judged { reference, verdict }),
        answers_doubt: true,
    })
}

/// The record that turned up stands in the order itself; where they named no number, the person may.
fn late(about: Deciding<'_>) -> Option<String> {
    let known = about.life.and_then(|life| life.supplier_reference.clone());
    known.or_else(|| about.reference.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::super::order::Holds;
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).expect("in range")
    }

    fn life(state: OrderState) -> Life {
        Life {
            state,
            due_at: None,
            supplier_reference: Some("A-1".to_owned()),
            ..Life::approved(Holds::NONE, at(0))
        }
    }

    /// The state in which an order has an open case of this kind.
    fn state_of(kind: CaseKind) -> OrderState {
        match kind {
            CaseKind::Pending | CaseKind::LateRecord => OrderState::ConfirmationPending,
            CaseKind::Differences | CaseKind::SupplierDuplicate | CaseKind::IntentReused => OrderState::Confirmed,
            CaseKind::AcknowledgedLate => OrderState::Acknowledged,
            CaseKind::NotSent | CaseKind::TooOld | CaseKind::Restore | CaseKind::SupplierHeld => OrderState::Approved,
        }
    }

    #[test]
    fn each_kind_closes_with_its_own_decisions_and_with_no_other() {
        for kind in CaseKind::ALL {
            let life = life(state_of(kind));
            for decision in Decision::ALL {
                let about = Deciding {
                    kind,
                    life: Some(&life),
                    reference: Some("A-2"),
                    was_refused: false,
                };
                let decided = decide(about, decision, at(1));
                assert_eq!(
                    decided.is_ok(),
                    decisions(kind).contains(&decision),
                    "{kind:?} {decision:?}: {decided:?}"
                );
            }
        }
    }

    #[test]
    fn a_late_record_that_is_no_purchase_withdraws_the_order_and_a_refused_one_stays_refused() {
        let life = life(OrderState::ConfirmationPending);
        for (was_refused, state) in [(false, OrderState::Withdrawn), (true, OrderState::Refused)] {
            let about = Deciding {
                kind: CaseKind::LateRecord,
                life: Some(&life),
                reference: None,
                was_refused,
            };
            let decided = decide(about, Decision::NotOurOrder, at(1)).expect("decided");
            assert_eq!(decided.change.map(|change| change.life.state), Some(state));
            let judged = decided.judged.expect("the record is judged");
            assert_eq!((&*judged.reference, judged.verdict), ("A-1", Verdict::NotOurs));
        }
    }

    #[test]
    fn a_second_record_is_named_and_is_not_the_one_that_confirmed_the_order() {
        let life = life(OrderState::Confirmed);
        let about = |reference| Deciding {
            kind: CaseKind::SupplierDuplicate,
            life: Some(&life),
            reference,
            was_refused: false,
        };
        for reference in [None, Some("A-1")] {
            assert!(matches!(
                decide(about(reference), Decision::DuplicateCancelled, at(1)),
                Err(Refusal::Field { .. })
            ));
        }
        let decided = decide(about(Some("A-2")), Decision::DuplicateCancelled, at(1)).expect("decided");
        assert_eq!((decided.change, decided.answers_doubt), (None, false));
    }

    #[test]
    fn both_are_kept_once_it_is_known_which_is_the_order() {
        let pending = life(OrderState::ConfirmationPending);
        let about = Deciding {
            kind: CaseKind::SupplierDuplicate,
            life: Some(&pending),
            reference: Some("A-2"),
            was_refused: false,
        };
        let refused = Refusal::OrderIs(OrderState::ConfirmationPending);
        assert_eq!(decide(about, Decision::KeptBoth, at(1)), Err(refused));
        assert!(decide(about, Decision::NotOurOrder, at(1)).is_ok());
    }

    #[test]
    fn only_a_manager_gives_a_doubt_up() {
        assert!(may_decide(&[Role::Resolver], Decision::DifferencesAccepted).is_ok());
        assert!(may_decide(&[Role::Resolver], Decision::WrittenOff).is_err());
        assert!(may_decide(&[Role::Manager], Decision::WrittenOff).is_ok());
        assert!(may_decide(&[Role::Buyer], Decision::DifferencesAccepted).is_err());
    }
}
