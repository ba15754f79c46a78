//! A suggestion: what an assistant proposes for an intent. One id per revision; waits for review.
//!
//! Promises: one pure function per act; every other edge is refused. Must not: read evidence (rationale, doubts) to
//! decide anything (rule 19).

use super::contents::{Digest, OrderContents};
use super::difference;
use super::ids::{IntentId, OrderId, SuggestionId};
use super::order::{Holds, Life, OrderState};
use super::person::{Act, Role, may};
use super::refusal::Refusal;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Where a suggestion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionState {
    /// Waits for a person, who moves it on.
    InReview,
    /// A person wants a change; the assistant may bring the next revision, or a person rejects it.
    SentBack,
    /// A person said no. Final.
    Rejected,
    /// A person said yes; the order lives on. Final.
    Approved,
    /// A newer revision exists; can no longer be approved. Final.
    Superseded,
}

impl SuggestionState {
    /// Every state.
    pub const ALL: [Self; 5] = [
        Self::InReview,
        Self::SentBack,
        Self::Rejected,
        Self::Approved,
        Self::Superseded,
    ];
    /// States that still wait for somebody.
    pub const OPEN: [Self; 2] = [Self::InReview, Self::SentBack];

    /// The state's one word on the wire and in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::InReview => "in_review",
            Self::SentBack => "sent_back",
            Self::Rejected => "rejected",
            Self::Approved => "approved",
            Self::Superseded => "superseded",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// What the assistant wrote beside the contents: evidence, never contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    #[serde(default)]
    pub rationale: String,
    #[serde(default)]
    pub doubts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<ProposedBy>,
    /// The person whose change it is, by name; then no assistant wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
}

/// Which program proposed it, in which run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedBy {
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// One revision of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub id: SuggestionId,
    pub intent: IntentId,
    /// From 1; the next is one more.
    pub revision: u32,
    pub state: SuggestionState,
    pub contents: OrderContents,
    pub digest: Digest,
    pub evidence: Evidence,
    pub created_at: DateTime<Utc>,
}

/// Other contents that came under a known intent and revision (rule 3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reused {
    pub at: DateTime<Utc>,
    /// The program, by its token's name.
    pub sent_by: String,
    pub contents: OrderContents,
}

/// An act that moves a suggestion from exactly one set of states to one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewAct {
    Approve,
    SendBack,
    Reject,
    Supersede,
}

/// The suggestion's machine: the state after the act, or why not.
pub fn review(state: SuggestionState, act: ReviewAct) -> Result<SuggestionState, Refusal> {
    use SuggestionState::{Approved, InReview, Rejected, SentBack, Superseded};
    match (act, state) {
        (ReviewAct::Approve, InReview) => Ok(Approved),
        (ReviewAct::SendBack, InReview) => Ok(SentBack),
        (ReviewAct::Reject, InReview | SentBack) => Ok(Rejected),
        (ReviewAct::Supersede, InReview | SentBack) => Ok(Superseded),
        (ReviewAct::Approve | ReviewAct::SendBack, SentBack | Rejected | Approved | Superseded)
        | (ReviewAct::Reject | ReviewAct::Supersede, Rejected | Approved | Superseded) => {
            Err(Refusal::SuggestionIs(state))
        }
    }
}

/// Whether the assistant may bring this revision now: the first, or the next one after "sent back" (doors.md).
pub fn may_bring(revision: u32, latest: Option<(u32, SuggestionState)>) -> bool {
    match latest {
        None => revision == 1,
        Some((known, state)) => state == SuggestionState::SentBack && known.checked_add(1) == Some(revision),
    }
}

/// Whether a person may change an order into a different purchase: only the latest of its intent, and only while no other
/// change waits. `latest` is the intent's latest suggestion, `later` a later order of it (rule 5).
pub fn may_change_order(latest: (&SuggestionId, SuggestionState), later: Option<&OrderId>) -> Result<(), Refusal> {
    if let Some(order) = later {
        return Err(Refusal::LaterOrder { order: order.clone() });
    }
    match latest {
        (id, SuggestionState::InReview | SuggestionState::SentBack) => {
            Err(Refusal::ChangeWaits { suggestion: id.clone() })
        }
        (_, SuggestionState::Rejected | SuggestionState::Approved | SuggestionState::Superseded) => Ok(()),
    }
}

/// Whether a person may change what is suggested.
pub fn may_change(state: SuggestionState) -> Result<(), Refusal> {
    review(state, ReviewAct::Supersede).map(|_| ())
}

/// What the assistant may do: `may_continue` is true except while sent back; `do_not_resubmit` while a suggestion exists
/// and is not sent back (doors.md).
pub fn advice(latest: Option<SuggestionState>) -> (bool, bool) {
    let sent_back = latest == Some(SuggestionState::SentBack);
    (!sent_back, latest.is_some() && !sent_back)
}

/// An earlier order of the same intent, as approval sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predecessor {
    pub order: OrderId,
    pub state: OrderState,
    pub version: u64,
}

/// What a person sent with the approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Digest of what the screen showed.
    pub digest: Digest,
    pub second_purchase: bool,
    /// Names of unsettled predecessors a manager accepts, with the version seen (rule 5).
    pub accept_unsettled: Vec<(OrderId, u64)>,
}

/// Approval: freezes the contents and makes a live order (rules 2, 4 and 5).
///
/// `shown` are the contents whose digest the screen showed, where they are known, for the difference view. The order
/// starts approved; `holds` are those it is born with (a supplier on hold, a pause after a restore).
pub fn approve(
    suggestion: &Suggestion,
    approval: &Approval,
    shown: Option<&OrderContents>,
    predecessors: &[Predecessor],
    look_alikes: usize,
    holds: Holds,
    now: DateTime<Utc>,
) -> Result<Life, Refusal> {
    review(suggestion.state, ReviewAct::Approve)?;
    if approval.digest != suggestion.digest {
        let differences = shown
            .map(|shown| difference::between(shown, &suggestion.contents))
            .unwrap_or_default();
        return Err(Refusal::ContentsChanged(differences));
    }
    for predecessor in predecessors {
        settled(predecessor, approval)?;
    }
    if needs_second_purchase(predecessors, look_alikes) && !approval.second_purchase {
        return Err(Refusal::SecondPurchaseNotAsked);
    }
    Ok(Life::approved(holds, now))
}

/// Whether approval must say that a second purchase is wanted: look-alikes, or an earlier order that was or may have
/// been placed (doors.md).
pub fn needs_second_purchase(predecessors: &[Predecessor], look_alikes: usize) -> bool {
    let placed = |one: &Predecessor| match one.state {
        OrderState::Confirmed | OrderState::ConfirmationPending | OrderState::Acknowledged => true,
        OrderState::Approved | OrderState::Submitting | OrderState::Refused | OrderState::Withdrawn => false,
    };
    look_alikes > 0 || predecessors.iter().any(placed)
}

/// What stands before an order of its predecessors, that nobody had said to want it beside (rule 5, case C12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandsBefore {
    Nothing,
    /// A record turned up of one, and nobody has judged it.
    Unjudged,
    /// One was bought after all.
    Bought,
}

/// What stands before an order: `beside` are the predecessors that whoever approved it saw as bought, or accepted unsettled.
pub fn stands_before(predecessors: &[Predecessor], beside: &[OrderId]) -> StandsBefore {
    let unforeseen = |one: &&Predecessor| one.state.is_live() && !beside.contains(&one.order);
    let mut unforeseen = predecessors.iter().filter(unforeseen).peekable();
    if unforeseen.peek().is_none() {
        return StandsBefore::Nothing;
    }
    match unforeseen.all(|one| one.state == OrderState::Confirmed) {
        true => StandsBefore::Bought,
        false => StandsBefore::Unjudged,
    }
}

/// How an earlier order stands in the way of a later one (rule 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InTheWay {
    No,
    /// A manager may accept it, by name and version.
    UnlessAccepted,
    Yes,
}

fn in_the_way(state: OrderState) -> InTheWay {
    match state {
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => InTheWay::No,
        OrderState::ConfirmationPending | OrderState::Acknowledged => InTheWay::UnlessAccepted,
        OrderState::Approved | OrderState::Submitting => InTheWay::Yes,
    }
}

fn unsettled(one: &Predecessor) -> Refusal {
    Refusal::PredecessorUnsettled {
        order: one.order.clone(),
        state: one.state,
    }
}

fn settled(predecessor: &Predecessor, approval: &Approval) -> Result<(), Refusal> {
    let named = (predecessor.order.clone(), predecessor.version);
    match in_the_way(predecessor.state) {
        InTheWay::No => Ok(()),
        InTheWay::UnlessAccepted if approval.accept_unsettled.contains(&named) => Ok(()),
        InTheWay::UnlessAccepted | InTheWay::Yes => Err(unsettled(predecessor)),
    }
}

/// The earlier orders that somebody with these roles has to accept by name and version to approve; or why it cannot be
/// approved while they stand so (rule 5).
pub fn to_accept(roles: &[Role], predecessors: &[Predecessor]) -> Result<Vec<(OrderId, u64)>, Refusal> {
    let is = |way| move |one: &&Predecessor| in_the_way(one.state) == way;
    if let Some(one) = predecessors.iter().find(is(InTheWay::Yes)) {
        return Err(unsettled(one));
    }
    let mut waiting = predecessors.iter().filter(is(InTheWay::UnlessAccepted)).peekable();
    if let (Some(one), Err(_)) = (waiting.peek(), may(roles, Act::AcceptUnsettled)) {
        return Err(unsettled(one));
    }
    Ok(waiting.map(|one| (one.order.clone(), one.version)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_edges_of_the_brief_exist() {
        use ReviewAct::{Approve, Reject, SendBack, Supersede};
        let mut legal = Vec::new();
        for act in [Approve, SendBack, Reject, Supersede] {
            for state in SuggestionState::ALL {
                if let Ok(after) = review(state, act) {
                    legal.push((state.word(), after.word()));
                }
            }
        }
        assert_eq!(
            legal,
            [
                ("in_review", "approved"),
                ("in_review", "sent_back"),
                ("in_review", "rejected"),
                ("sent_back", "rejected"),
                ("in_review", "superseded"),
                ("sent_back", "superseded"),
            ]
        );
    }

    #[test]
    fn what_is_in_the_way_of_a_later_order_and_what_a_manager_alone_accepts() {
        let earlier = |state| {
            [Predecessor {
                order: OrderId::from_random(1),
                state,
                version: 7,
            }]
        };
        for state in OrderState::ALL {
            let (buyer, manager) = (
                to_accept(&[Role::Buyer], &earlier(state)),
                to_accept(&[Role::Manager], &earlier(state)),
            );
            match state {
                OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => {
                    assert_eq!((buyer, manager), (Ok(Vec::new()), Ok(Vec::new())), "{state:?}");
                }
                OrderState::ConfirmationPending | OrderState::Acknowledged => {
                    assert!(buyer.is_err(), "{state:?}");
                    assert_eq!(manager, Ok(vec![(OrderId::from_random(1), 7)]), "{state:?}");
                }
                OrderState::Approved | OrderState::Submitting => {
                    assert!(buyer.is_err() && manager.is_err(), "{state:?}");
                }
            }
        }
    }

    #[test]
    fn what_turned_up_of_an_earlier_order_stands_before_a_later_one_unless_it_was_wanted_beside() {
        use OrderState::{Acknowledged, ConfirmationPending, Confirmed, Refused, Withdrawn};
        let earlier = |states: &[OrderState]| -> Vec<Predecessor> {
            let one = |(number, state): (u128, &OrderState)| Predecessor {
                order: OrderId::from_random(number),
                state: *state,
                version: 3,
            };
            (1..).zip(states).map(one).collect()
        };
        let first = [OrderId::from_random(1)];
        for (states, beside, expected) in [
            (&[][..], &[][..], StandsBefore::Nothing),
            (&[Refused, Withdrawn], &[], StandsBefore::Nothing),
            (&[Confirmed], &first, StandsBefore::Nothing),
            (&[ConfirmationPending], &first, StandsBefore::Nothing),
            (&[ConfirmationPending], &[], StandsBefore::Unjudged),
            (&[Acknowledged], &[], StandsBefore::Unjudged),
            (&[Confirmed], &[], StandsBefore::Bought),
            (&[Confirmed, Withdrawn], &[], StandsBefore::Bought),
            (&[Confirmed, ConfirmationPending], &[], StandsBefore::Unjudged),
            (&[Confirmed, Confirmed], &first, StandsBefore::Bought),
        ] {
            assert_eq!(
                stands_before(&earlier(states), beside),
                expected,
                "{states:?} {beside:?}"
            );
        }
    }

    #[test]
    fn a_new_revision_comes_only_after_it_was_asked_for() {
        assert!(may_bring(1, None));
        assert!(!may_bring(2, None));
        assert!(may_bring(2, Some((1, SuggestionState::SentBack))));
        assert!(!may_bring(3, Some((1, SuggestionState::SentBack))));
        for state in SuggestionState::ALL
            .into_iter()
            .filter(|state| *state != SuggestionState::SentBack)
        {
            assert!(!may_bring(2, Some((1, state))), "{state:?}");
        }
    }
}
