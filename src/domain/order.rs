//! THE machine: the life of an order at its supplier, one pure function per act.
//!
//! Promises: an edge that is not in brief.md's table does not exist here; every function answers with the whole change
//! (new life, event, cases) or with the reason why not. The store guards the same edges by expected state and version,
//! and CHECKs restate them. Must not: read a clock, do I/O, or let time alone close a doubt (rule 8).

use super::attempt::{NotSent, Reply};
use super::case::{CaseKind, CaseStep};
use super::difference::Difference;
use super::ids::PersonId;
use super::refusal::Refusal;
use super::resume::NoResume;
use super::taken_out::{Rule, is_taken_out};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderState {
    /// Approved, not sent yet; the worker moves it on as soon as nothing holds it.
    Approved,
    /// An attempt is open under a lease; its reply, or the sweep of leases, moves it on.
    Submitting,
    /// The supplier has it and has not said yes; a confirmation, a refusal or a person moves it on.
    Acknowledged,
    /// The supplier said yes to exactly what was approved, or with differences that have a case.
    Confirmed,
    /// Open doubt: the supplier may or may not have it; only a finding moves it on.
    ConfirmationPending,
    /// The supplier definitely said no.
    Refused,
    /// A person took it back, or it was cancelled at the supplier.
    Withdrawn,
}

impl OrderState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Approved,
        Self::Submitting,
        Self::Acknowledged,
        Self::Confirmed,
        Self::ConfirmationPending,
        Self::Refused,
        Self::Withdrawn,
    ];
    /// States in which nobody has to do anything more, unless a case is open.
    pub const FINAL: [Self; 3] = [Self::Confirmed, Self::Refused, Self::Withdrawn];

    /// The state's one word on the wire and in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Submitting => "submitting",
            Self::Acknowledged => "acknowledged",
            Self::Confirmed => "confirmed",
            Self::ConfirmationPending => "confirmation_pending",
            Self::Refused => "refused",
            Self::Withdrawn => "withdrawn",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
    /// Whether a later order of the intent keeps an earlier one from being sent (rule 5): not withdrawn or refused.
    pub fn is_live(self) -> bool {
        match self {
            Self::Refused | Self::Withdrawn => false,
            Self::Approved | Self::Submitting | Self::Acknowledged | Self::Confirmed | Self::ConfirmationPending => {
                true
            }
        }
    }
}

/// Something that keeps an approved order from being sent. Gravest first: `held_because` shows the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// Found not to be at the supplier; lifted only by resume.
    NotFound,
    /// Held after a restore; lifted by that order's own release.
    Restore,
    /// An earlier order of the intent has a late record; lifted when that case closes.
    Predecessor,
    /// Waited longer than `send_within`; lifted by release.
    TooOld,
    /// The supplier is on hold; lifted by releasing the supplier.
    Supplier,
    /// A person put it on hold; lifted by release.
    Person,
}

impl Hold {
    /// Every hold, gravest first.
    pub const ALL: [Self; 6] = [
        Self::NotFound,
        Self::Restore,
        Self::Predecessor,
        Self::TooOld,
        Self::Supplier,
        Self::Person,
    ];

    /// The hold's one word on the wire and in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Restore => "restore",
            Self::Predecessor => "predecessor",
            Self::TooOld => "too_old",
            Self::Supplier => "supplier",
            Self::Person => "person",
        }
    }
}

/// The set of holds of an order. As text: words in order of gravity, joined by a space; empty for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Holds(u8);

impl Holds {
    /// No hold.
    pub const NONE: Self = Self(0);

    fn bit(hold: Hold) -> u8 {
        1 << (hold as u8)
    }
    /// The set with this hold.
    #[must_use]
    pub fn with(self, hold: Hold) -> Self {
        Self(self.0 | Self::bit(hold))
    }
    /// The set without this hold.
    #[must_use]
    pub fn without(self, hold: Hold) -> Self {
        Self(self.0 & !Self::bit(hold))
    }
    /// Whether this hold is in the set.
    pub fn has(self, hold: Hold) -> bool {
        self.0 & Self::bit(hold) != 0
    }
    /// Whether nothing holds the order.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The gravest hold, in the order brief.md names them.
    pub fn gravest(self) -> Option<Hold> {
        Hold::ALL.into_iter().find(|hold| self.has(*hold))
    }
    /// The set as text for the table.
    pub fn to_text(self) -> String {
        let words: Vec<_> = Hold::ALL
            .into_iter()
            .filter(|hold| self.has(*hold))
            .map(Hold::word)
            .collect();
        words.join(" ")
    }
    /// Reads the text back; `None` for a word that is no hold.
    pub fn of(text: &str) -> Option<Self> {
        text.split_whitespace().try_fold(Self::NONE, |set, word| {
            Hold::ALL
                .into_iter()
                .find(|hold| hold.word() == word)
                .map(|hold| set.with(hold))
        })
    }
}

/// The part of an order that changes. `version` counts changes of state, holds, resume requests and findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    pub state: OrderState,
    pub holds: Holds,
    /// Confirmed, but not exactly what was approved.
    pub differences: bool,
    pub version: u64,
    /// The supplier's own number.
    pub supplier_reference: Option<String>,
    /// When the worker may send it next; only while approved.
    pub due_at: Option<DateTime<Utc>>,
    /// From when `send_within` counts: approval, or the last release.
    pub sendable_since: DateTime<Utc>,
    /// Attempts in a row that ended "not sent".
    pub not_sent: u32,
    /// A person asked to send it once more. Every other change voids it (rule 9).
    pub resume: Option<ResumeWanted>,
}

/// A request to send the approved purchase once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeWanted {
    /// Who asked; nobody where the supplier's file lets the worker do it by itself.
    pub by: Option<PersonId>,
    pub at: DateTime<Utc>,
}

/// A request to resume is void after this long (rule 9).
pub const RESUME_LASTS: TimeDelta = TimeDelta::minutes(15);

impl ResumeWanted {
    /// Whether nobody may act on it any more.
    pub fn is_void(&self, now: DateTime<Utc>) -> bool {
        now - self.at > RESUME_LASTS
    }
}

/// What an act does to an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub life: Life,
    pub cases: Vec<CaseStep>,
    /// The supplier itself goes on hold (401, 403).
    pub hold_supplier: bool,
}

/// Settings the machine needs, in the units of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Wait after the first "not sent", doubling.
    pub again_first: TimeDelta,
    /// The longest wait between two attempts.
    pub again_most: TimeDelta,
    /// This many "not sent" in a row open a case.
    pub case_after: u32,
}

/// What the machine must know beside the order's life to open an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeforeAttempt {
    /// An attempt of this order leaves open doubt.
    pub open_doubt: bool,
    /// A later order of the intent is live (rule 5).
    pub later_order_live: bool,
    /// `may_resume` holds in this very transaction (rule 9); counts only where a person asked for it.
    pub resume_granted: bool,
}

/// What the other attempts of an order have left when one of them closes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside<'a> {
    /// There was open doubt before this attempt, or there is by now: "refused" and "not sent" do not erase it (case C9).
    pub doubt: bool,
    /// The order was found not to be there before this attempt: what could not be sent waits for a person again, since
    /// only a person's resume looks it up right before the send (rule 9).
    pub was_not_found: bool,
    /// It was held after a restore: what could not be sent waits for a person again, for the same reason (rule 20).
    pub was_restored: bool,
    /// An acceptance that came after its own lease while this attempt was open: a finding that applies now.
    pub late_acceptance: Option<(&'a str, &'a [Difference])>,
}

impl Life {
    /// A fresh order, due at once unless something holds it.
    pub fn approved(holds: Holds, now: DateTime<Utc>) -> Self {
        Self {
            state: OrderState::Approved,
            holds,
            differences: false,
            version: 1,
            supplier_reference: None,
            due_at: Some(now),
            sendable_since: now,
            not_sent: 0,
            resume: None,
        }
    }

    /// Found not to be there, and waiting for a person.
    pub fn is_not_found(&self) -> bool {
        self.state == OrderState::Approved && self.holds.has(Hold::NotFound)
    }

    /// Held until the supplier was looked up right before a send: found not to be there (rule 9), or after a restore
    /// (rule 20).
    pub fn waits_for_look_up(&self) -> bool {
        self.is_not_found() || (self.state == OrderState::Approved && self.holds.has(Hold::Restore))
    }

    fn must_be(&self, states: &[OrderState]) -> Result<(), Refusal> {
        if states.contains(&self.state) {
            Ok(())
        } else {
            Err(Refusal::OrderIs(self.state))
        }
    }

    /// The next version of this life in another state; leaving `Approved` drops holds and due time.
    fn moved(&self, state: OrderState) -> Life {
        let stays = state == OrderState::Approved;
        Life {
            state,
            version: self.version + 1,
            holds: if stays { self.holds } else { Holds::NONE },
            due_at: if stays { self.due_at } else { None },
            resume: None,
            ..self.clone()
        }
    }

    fn held(&self, holds: Holds) -> Life {
        Life {
            holds,
            ..self.moved(self.state)
        }
    }
}

impl Change {
    fn to(life: Life) -> Self {
        Self {
            life,
            cases: Vec::new(),
            hold_supplier: false,
        }
    }
    pub(super) fn opening(mut self, kind: CaseKind, reason: impl Into<String>) -> Self {
        self.cases.push(CaseStep::Open {
            kind,
            reason: reason.into(),
        });
        self
    }
    fn closing(mut self, kinds: &[CaseKind]) -> Self {
        self.cases.extend(kinds.iter().copied().map(CaseStep::Close));
        self
    }
}

/// The worker opens an attempt: `approved` (nothing holds it, no doubt), or a granted resume.
pub fn open_attempt(life: &Life, before: BeforeAttempt, now: DateTime<Utc>) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Approved, OrderState::ConfirmationPending])?;
    if before.later_order_live {
        return Err(Refusal::LaterOrderLive);
    }
    let others = life.holds.without(Hold::NotFound).without(Hold::Restore);
    let resumable = life.state == OrderState::ConfirmationPending || (life.waits_for_look_up() && others.is_empty());
    let asked = life.resume.as_ref().is_some_and(|wanted| !wanted.is_void(now));
    if !(before.resume_granted && asked && resumable) {
        life.must_be(&[OrderState::Approved])?;
        if !life.holds.is_empty() {
            return Err(Refusal::Held);
        }
        if before.open_doubt && !is_taken_out(Rule::Doubt) {
            return Err(Refusal::OpenDoubt);
        }
        if life.due_at.is_none_or(|due| due > now) {
            return Err(Refusal::NotDue);
        }
    }
    Ok(Change::to(life.moved(OrderState::Submitting)).closing(&[CaseKind::TooOld, CaseKind::Restore]))
}

/// The open attempt's own process brings its reply.
pub fn close_attempt(
    life: &Life,
    reply: &Reply,
    differences: &[Difference],
    beside: Beside<'_>,
    pace: &Pace,
    now: DateTime<Utc>,
) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Submitting])?;
    Ok(match (reply, beside.late_acceptance) {
        (Reply::Accepted { reference, .. }, Some((late, _))) if late != reference => {
            confirm(life, reference, differences).opening(CaseKind::SupplierDuplicate, second_record(late))
        }
        (Reply::Accepted { reference, .. }, _) => confirm(life, reference, differences),
        (_, Some((late, differences))) => confirm(life, late, differences),
        (Reply::Acknowledged { reference }, None) => acknowledge(life, reference.as_deref()),
        (Reply::Unknown { reference }, None) => doubt(
            life,
            reference.as_deref(),
            "no definite answer came back from the supplier",
        ),
        (Reply::Refused, None) if !beside.doubt => {
            Change::to(life.moved(OrderState::Refused)).closing(&[CaseKind::NotSent])
        }
        (Reply::NotSent(why), None) if !beside.doubt => {
            let mut change = again(life, *why, pace, now);
            if beside.was_not_found {
                change.life.holds = change.life.holds.with(Hold::NotFound);
                change = change.opening(CaseKind::NotSent, NOT_FOUND);
            }
            if beside.was_restored {
                change = after_restore(change);
            }
            change
        }
        (Reply::Refused | Reply::NotSent(_), None) => {
            let mut change = doubt(life, None, "an earlier attempt is still unanswered");
            change.hold_supplier = matches!(
                reply,
                Reply::NotSent(NotSent {
                    hold_supplier: true,
                    ..
                })
            );
            change
        }
    })
}

/// Why a second record of an order has a case.
pub(super) fn second_record(reference: &str) -> String {
    format!("the supplier has a record of it beside the number it was confirmed under: {reference}")
}

/// The lease lapsed or the process died: nobody knows (rule 7), unless another attempt's acceptance came meanwhile.
pub fn lapse(life: &Life, late_acceptance: Option<(&str, &[Difference])>) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Submitting])?;
    Ok(match late_acceptance {
        Some((reference, differences)) => confirm(life, reference, differences),
        None => doubt(life, None, "the process that sent it did not report back"),
    })
}

fn confirm(life: &Life, reference: &str, differences: &[Difference]) -> Change {
    let mut confirmed = life.moved(OrderState::Confirmed);
    confirmed.supplier_reference = Some(reference.to_owned());
    confirmed.differences = !differences.is_empty();
    confirmed.not_sent = 0;
    let change = Change::to(confirmed).closing(&[
        CaseKind::NotSent,
        CaseKind::Pending,
        CaseKind::AcknowledgedLate,
        CaseKind::LateRecord,
    ]);
    if differences.is_empty() {
        change
    } else {
        change.opening(
            CaseKind::Differences,
            "the supplier confirmed something else than was approved",
        )
    }
}

fn acknowledge(life: &Life, reference: Option<&str>) -> Change {
    let mut acknowledged = life.moved(OrderState::Acknowledged);
    acknowledged.supplier_reference = reference.map(str::to_owned).or(acknowledged.supplier_reference);
    acknowledged.not_sent = 0;
    Change::to(acknowledged).closing(&[CaseKind::NotSent, CaseKind::Pending])
}

fn doubt(life: &Life, reference: Option<&str>, reason: &str) -> Change {
    let mut pending = life.moved(OrderState::ConfirmationPending);
    pending.supplier_reference = reference.map(str::to_owned).or(pending.supplier_reference);
    Change::to(pending)
        .closing(&[CaseKind::NotSent])
        .opening(CaseKind::Pending, reason)
}

/// Certainly not placed: due again after the longer of our back-off and what the supplier asked for.
fn again(life: &Life, why: NotSent, pace: &Pace, now: DateTime<Utc>) -> Change {
    let mut approved = life.moved(OrderState::Approved);
    approved.not_sent = life.not_sent.saturating_add(1);
    let doublings = (approved.not_sent - 1).min(20);
    let back_off = pace
        .again_first
        .checked_mul(1 << doublings)
        .unwrap_or(pace.again_most)
        .min(pace.again_most);
    approved.due_at = Some(now + why.retry_after.unwrap_or_default().max(back_off));
    let tried = approved.not_sent;
    let mut change = Change::to(approved);
    change.hold_supplier = why.hold_supplier;
    if tried >= pace.case_after {
        change = change.opening(
            CaseKind::NotSent,
            format!("{tried} attempts in a row could not be sent"),
        );
    }
    change
}

/// A reply that arrives after its lease lapsed. It stays on its own attempt (rule 13); an acceptance is a finding in any
/// state, and `not sent` lifts the doubt only when no other attempt leaves one. While another attempt is open it applies
/// when that one closes.
pub fn late_reply(
    life: &Life,
    reply: &Reply,
    differences: &[Difference],
    other_doubt: bool,
    now: DateTime<Utc>,
) -> Result<Change, Refusal> {
    use OrderState::{Acknowledged, Approved, ConfirmationPending, Confirmed, Refused, Submitting, Withdrawn};
    match (life.state, reply) {
        (ConfirmationPending | Acknowledged, Reply::Accepted { reference, .. }) => {
            Ok(confirm(life, reference, differences))
        }
        (ConfirmationPending, Reply::Acknowledged { reference }) => Ok(acknowledge(life, reference.as_deref())),
        (ConfirmationPending, Reply::NotSent(_)) if !other_doubt => Ok(not_at_supplier(life, now)),
        (Approved | Withdrawn | Refused, Reply::Accepted { reference, .. }) => late_record(life, Some(reference)),
        (Approved | Withdrawn | Refused, Reply::Acknowledged { reference }) => late_record(life, reference.as_deref()),
        (Confirmed, Reply::Accepted { reference, .. }) if life.supplier_reference.as_ref() != Some(reference) => {
            let confirmed = Change::to(life.moved(Confirmed));
            Ok(confirmed.opening(CaseKind::SupplierDuplicate, second_record(reference)))
        }
        (Confirmed, Reply::Accepted { .. } | Reply::Acknowledged { .. })
        | (Acknowledged, Reply::Acknowledged { .. }) => Err(Refusal::OrderIs(life.state)),
        (Submitting, _)
        | (
            Approved | Acknowledged | Confirmed | ConfirmationPending | Refused | Withdrawn,
            Reply::NotSent(_) | Reply::Refused | Reply::Unknown { .. },
        ) => Err(Refusal::OpenDoubt),
    }
}

/// Established: the supplier has no such order. A person resumes or withdraws it, and somebody owns that (rule 15).
fn not_at_supplier(life: &Life, now: DateTime<Utc>) -> Change {
    let mut approved = life.moved(OrderState::Approved);
    approved.due_at = Some(now);
    approved.sendable_since = now;
    approved.holds = Holds::NONE.with(Hold::NotFound);
    Change::to(approved)
        .closing(&[CaseKind::Pending, CaseKind::LateRecord])
        .opening(CaseKind::NotSent, NOT_FOUND)
}

/// Why an order that was found missing has a case.
const NOT_FOUND: &str = "the supplier has no record of it; somebody resumes or withdraws it";

/// What a finding establishes about an order in doubt, or acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// There, and confirmed by the success predicate.
    AtSupplier {
        reference: String,
        differences: Vec<Difference>,
    },
    /// There, not confirmed yet.
    NotYetConfirmed { reference: Option<String> },
    /// There, refused or cancelled.
    RefusedThere { reference: Option<String> },
    /// Not there.
    NotAtSupplier,
    /// A person looked and could not tell: kept, and settles nothing.
    CouldNotTell,
}

/// Whether something can be found out about this order: it is in doubt, acknowledged, or held until it was looked up.
pub fn may_find(life: &Life) -> Result<(), Refusal> {
    match life.state {
        OrderState::ConfirmationPending | OrderState::Acknowledged => Ok(()),
        OrderState::Approved if life.waits_for_look_up() => Ok(()),
        OrderState::Approved
        | OrderState::Submitting
        | OrderState::Confirmed
        | OrderState::Refused
        | OrderState::Withdrawn => Err(Refusal::OrderIs(life.state)),
    }
}

/// A finding settles the doubt (rule 8: only a finding does).
pub fn establish(life: &Life, finding: &Finding, now: DateTime<Utc>) -> Result<Change, Refusal> {
    may_find(life)?;
    if life.state == OrderState::Approved {
        return found_again(life, finding);
    }
    match (finding, life.state == OrderState::Acknowledged) {
        (Finding::AtSupplier { reference, differences }, _) => Ok(confirm(life, reference, differences)),
        (Finding::RefusedThere { .. }, _) => {
            let refused = Change::to(life.moved(OrderState::Refused));
            Ok(refused.closing(&[CaseKind::Pending, CaseKind::AcknowledgedLate, CaseKind::LateRecord]))
        }
        (Finding::NotYetConfirmed { reference }, false) => Ok(acknowledge(life, reference.as_deref())),
        (Finding::NotYetConfirmed { .. }, true) => Err(Refusal::OrderIs(life.state)),
        (Finding::NotAtSupplier, false) => Ok(not_at_supplier(life, now)),
        // "we have no such order" contradicts what they said before: that is doubt, not absence
        (Finding::NotAtSupplier, true) => {
            let doubt = doubt(
                life,
                None,
                "the supplier acknowledged the order and now has no record of it",
            );
            Ok(doubt.closing(&[CaseKind::AcknowledgedLate]))
        }
        (Finding::CouldNotTell, _) => Ok(Change::to(life.moved(life.state))),
    }
}

/// Found out about an order that is held until it was looked up: not there (a finding may be renewed, rule 9), or a late record.
fn found_again(life: &Life, finding: &Finding) -> Result<Change, Refusal> {
    match finding {
        Finding::NotAtSupplier | Finding::CouldNotTell => Ok(Change::to(life.moved(life.state))),
        Finding::AtSupplier { reference, .. } => late_record(life, Some(reference)),
        Finding::NotYetConfirmed { reference } => late_record(life, reference.as_deref()),
        Finding::RefusedThere { .. } => Err(Refusal::OrderIs(life.state)),
    }
}

/// A record was compared after a person's word had confirmed the order; `None` when it agrees.
pub fn compared(life: &Life, reference: &str, differences: &[Difference]) -> Result<Option<Change>, Refusal> {
    life.must_be(&[OrderState::Confirmed])?;
    let mut confirmed = life.moved(OrderState::Confirmed);
    if life.supplier_reference.as_deref() != Some(reference) {
        let change = Change::to(confirmed);
        return Ok(Some(
            change.opening(CaseKind::SupplierDuplicate, second_record(reference)),
        ));
    }
    if differences.is_empty() {
        return Ok(None);
    }
    confirmed.differences = true;
    let reason = "the supplier’s record is something else than was approved";
    Ok(Some(Change::to(confirmed).opening(CaseKind::Differences, reason)))
}

/// A person, or the worker by itself, asks to send it once more. Whether that is safe `may_resume` has said, and says
/// again when the attempt opens (rule 9).
pub fn want_resume(life: &Life, by: Option<&PersonId>, now: DateTime<Utc>) -> Result<Change, Refusal> {
    if life.state != OrderState::ConfirmationPending && !life.is_not_found() {
        return Err(Refusal::NoResume(NoResume::NotInDoubt));
    }
    if let Some(wanted) = &life.resume {
        return Err(Refusal::NoResume(NoResume::AlreadyWanted { at: wanted.at }));
    }
    let mut wanted = life.moved(life.state);
    wanted.resume = Some(ResumeWanted {
        by: by.cloned(),
        at: now,
    });
    Ok(Change::to(wanted))
}

/// A request to resume that cannot be followed is dropped, and whoever asked is told.
pub fn drop_resume(life: &Life) -> Result<Change, Refusal> {
    match life.resume {
        Some(_) => Ok(Change::to(life.moved(life.state))),
        None => Err(Refusal::NotDue),
    }
}

/// A person takes back an order that nobody has sent.
pub fn withdraw(life: &Life, open_doubt: bool) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Approved])?;
    if open_doubt {
        return Err(Refusal::OpenDoubt);
    }
    let withdrawn = Change::to(life.moved(OrderState::Withdrawn));
    Ok(withdrawn.closing(&[CaseKind::NotSent, CaseKind::TooOld, CaseKind::Restore]))
}

/// Manager's decision `written_off` on an order in doubt, with evidence; later records are still watched for.
pub fn write_off(life: &Life) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::ConfirmationPending])?;
    Ok(Change::to(life.moved(OrderState::Withdrawn)).closing(&[CaseKind::Pending, CaseKind::LateRecord]))
}

/// A late record was judged cancelled there, or not ours: the order is withdrawn, and one that had been refused stays so.
pub fn dismiss_late_record(life: &Life, was_refused: bool) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::ConfirmationPending])?;
    let state = if was_refused {
        OrderState::Refused
    } else {
        OrderState::Withdrawn
    };
    let mut dismissed = life.moved(state);
    dismissed.supplier_reference = None;
    Ok(Change::to(dismissed).closing(&[CaseKind::Pending, CaseKind::LateRecord]))
}

/// Decision `cancelled_at_supplier` on a confirmed order.
pub fn cancelled_at_supplier(life: &Life) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Confirmed])?;
    Ok(Change::to(life.moved(OrderState::Withdrawn)).closing(&[CaseKind::Differences]))
}

/// Puts a hold on an order that nobody has sent.
pub fn hold(life: &Life, hold: Hold) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Approved])?;
    if life.holds.has(hold) {
        return Err(Refusal::Held);
    }
    let change = Change::to(life.held(life.holds.with(hold)));
    Ok(match hold {
        Hold::TooOld => change.opening(
            CaseKind::TooOld,
            "it was not sent within the time allowed after its approval",
        ),
        Hold::Restore => change.opening(CaseKind::Restore, RESTORED),
        Hold::NotFound | Hold::Predecessor | Hold::Supplier | Hold::Person => change,
    })
}

/// Why an order that is held after a restore has a case.
const RESTORED: &str = "the database was restored or copied, so it may have been sent already; look it up first";

/// The case of an order that is held after a restore.
pub fn restored() -> CaseStep {
    CaseStep::Open {
        kind: CaseKind::Restore,
        reason: RESTORED.to_owned(),
    }
}

/// The change, where the order was held after a restore, or the house is paused: what becomes sendable again waits until it
/// was looked up (rule 20).
pub fn after_restore(mut change: Change) -> Change {
    if change.life.state != OrderState::Approved || change.life.holds.has(Hold::Restore) {
        return change;
    }
    change.life.holds = change.life.holds.with(Hold::Restore);
    change.opening(CaseKind::Restore, RESTORED)
}

/// The change, where this hold keeps what becomes sendable again: its supplier is on hold, or an earlier order's record
/// turned up.
pub fn with_hold(mut change: Change, hold: Hold) -> Change {
    if change.life.state == OrderState::Approved {
        change.life.holds = change.life.holds.with(hold);
    }
    change
}

/// Why an order waits beside an earlier one that was bought after all.
pub const BOUGHT_BEFORE: &str =
    "an earlier order of the same wish was bought after all; release it only if both are wanted";

/// The change, where an earlier order was bought after all: what becomes sendable again waits for somebody who wants both.
pub fn bought_before(change: Change) -> Change {
    with_hold(change, Hold::Person).opening(CaseKind::NotSent, BOUGHT_BEFORE)
}

/// Lifts holds that this act may lift; `NotFound` is lifted by resume alone, and `Restore` by `want_release` where
/// nothing else has it looked up before the send.
pub fn release(life: &Life, lifted: &[Hold], now: DateTime<Utc>) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Approved])?;
    let lifting: Vec<Hold> = lifted
        .iter()
        .copied()
        .filter(|hold| *hold != Hold::NotFound && life.holds.has(*hold))
        .collect();
    if lifting.is_empty() {
        return Err(Refusal::Held);
    }
    let mut released = life.held(lifting.iter().fold(life.holds, |holds, hold| holds.without(*hold)));
    released.sendable_since = now;
    released.due_at = released.due_at.map(|due| due.max(now));
    let mut settled = cases_of(&lifting);
    if released.is_not_found() {
        // what was found missing is still somebody's to resume or withdraw (rule 15)
        settled.retain(|kind| *kind != CaseKind::NotSent);
    }
    Ok(Change::to(released).closing(&settled))
}

/// The cases that lifting these holds closes.
fn cases_of(lifting: &[Hold]) -> Vec<CaseKind> {
    let settled = |hold: &Hold| match hold {
        Hold::TooOld => Some(CaseKind::TooOld),
        Hold::Restore => Some(CaseKind::Restore),
        // an order is held by a person's hand, or because its supplier moved; the latter has a case
        Hold::Person => Some(CaseKind::NotSent),
        Hold::NotFound | Hold::Predecessor | Hold::Supplier => None,
    };
    lifting.iter().filter_map(settled).collect()
}

/// A person releases an order that is held after a restore: its other holds that a release lifts go at once, `Restore`
/// when the attempt opens, after a look-up that says "none" (rule 20). One that was also found not to be there only loses
/// the hold: the resume it waits for has it looked up.
pub fn want_release(life: &Life, lifted: &[Hold], by: &PersonId, now: DateTime<Utc>) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Approved])?;
    if !life.holds.has(Hold::Restore) {
        return release(life, lifted, now);
    }
    if life.holds.has(Hold::NotFound) {
        let lifted: Vec<Hold> = lifted.iter().copied().chain([Hold::Restore]).collect();
        return release(life, &lifted, now);
    }
    if let Some(wanted) = &life.resume {
        return Err(Refusal::NoResume(NoResume::AlreadyWanted { at: wanted.at }));
    }
    let others: Vec<Hold> = lifted.iter().copied().filter(|hold| life.holds.has(*hold)).collect();
    let mut change = match others.is_empty() {
        true => Change::to(life.moved(OrderState::Approved)),
        false => release(life, &others, now)?,
    };
    change.life.sendable_since = now;
    change.life.resume = Some(ResumeWanted {
        by: Some(by.clone()),
        at: now,
    });
    Ok(change)
}

/// They have had it for long without a yes: a person asks what became of it. The order stays as it is.
pub fn acknowledged_late(life: &Life) -> Result<CaseStep, Refusal> {
    life.must_be(&[OrderState::Acknowledged])?;
    Ok(CaseStep::Open {
        kind: CaseKind::AcknowledgedLate,
        reason: "the supplier has it and has not confirmed it in time".to_owned(),
    })
}

/// A record that nobody has judged turned up at the supplier for an order that was thought settled; what they only said
/// they have, has no number yet.
pub fn late_record(life: &Life, reference: Option<&str>) -> Result<Change, Refusal> {
    life.must_be(&[OrderState::Approved, OrderState::Withdrawn, OrderState::Refused])?;
    let mut pending = life.moved(OrderState::ConfirmationPending);
    pending.supplier_reference = reference.map(str::to_owned);
    // what differed was the record that is gone
    pending.differences = false;
    Ok(Change::to(pending)
        .closing(&[CaseKind::NotSent, CaseKind::TooOld, CaseKind::Restore])
        .opening(
            CaseKind::LateRecord,
            match reference {
                Some(reference) => format!("the supplier has a record {reference} of it"),
                None => "the supplier says that it has it, and named no number".to_owned(),
            },
        ))
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
