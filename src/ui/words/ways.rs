//! The ways on from where an order stands: what each is called, and what it does or why it is shut. The order's page puts
//! forms to these words, the sheet of a case has the words alone.

use super::decisions as words;
use super::{home, refusals, things};
use crate::domain::case::CaseKind;
use crate::domain::decision::{self, Decision, fits, may_decide};
use crate::domain::look_up::FindingWord;
use crate::domain::order::{Hold, Life, OrderState, may_find};
use crate::domain::pages::{OrderPage, ReviewPage};
use crate::domain::person::Role;
use crate::domain::refusal::Refusal;
use crate::domain::resume::Ground;
use crate::domain::suggestion::SuggestionState;
use crate::domain::ways::OtherPurchase;
use crate::ui::moment::Here;
use chrono::{DateTime, Utc};

/// What a look-up does.
pub const ONLY_ASKS: &str = "Only asks. It changes nothing there.";
/// What a hold does.
pub const HOLD_DOES: &str = "Nothing is sent until somebody releases it.";
/// What withdrawing does.
pub const WITHDRAW_DOES: &str = "It is never sent after that, and this cannot be undone.";
/// What sending a suggestion back does.
pub const SEND_BACK_DOES: &str = "The assistant reads it and may bring a new version.";
/// What rejecting does.
pub const REJECT_DOES: &str = "This is final: the assistant may not bring it again under this intent.";
/// Somebody says that a case is being seen to.
pub const AT_IT: &str = "I am on it";
/// What that does.
pub const AT_IT_MEANS: &str = "Nobody is reminded for a while. Owner, deadline and order stay as they are.";
/// The same once more.
pub const STILL_AT_IT: &str = "I am still on it";
/// What that does.
pub const STILL_AT_IT_MEANS: &str = "Nobody is reminded for a while longer.";
/// Taking a case is handing it to oneself.
pub const HAND_OVER: &str = "Take or hand over";
/// The way of a person who asked them.
pub const FOUND_OUT: &str = "Record what you found out";

/// A way on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub name: String,
    /// What it does; or why it is shut for this person, now.
    pub does: Result<String, String>,
}

impl Way {
    fn of(name: impl Into<String>, does: Result<String, &Refusal>, here: Here) -> Self {
        Self {
            name: name.into(),
            does: does.map_err(|refusal| refusals::sentence(refusal, here)),
        }
    }
}

/// The ways that the order's page offers, in its order.
pub fn ways(page: &OrderPage, here: Here) -> Vec<Way> {
    let in_doubt = may_find(&page.life).is_ok();
    let unsent = page.life.state == OrderState::Approved;
    let asks = in_doubt.then(|| look_up(page, here));
    let finds = in_doubt.then(|| find_out(page, here));
    let withdraws = page.way_home.ways.other_purchase == OtherPurchase::WithdrawFirst;
    asks.into_iter()
        .chain(as_approved(page, here))
        .chain(finds)
        .chain(unsent.then(|| released(page, here)).flatten())
        .chain(unsent.then(|| held(page, here)).flatten())
        .chain(withdraws.then(|| withdrawn(page, here)))
        .chain([otherwise(page, here)])
        .collect()
}

/// The ways that a suggestion's page offers; none once it is decided.
pub fn review_ways(page: &ReviewPage, here: Here) -> Vec<Way> {
    let says = |does: &'static str| move |_: &()| does.to_owned();
    let approve = page.may_approve.as_ref().map(says(approve_does(page)));
    let send_back = page.may_send_back.as_ref().map(says(SEND_BACK_DOES));
    let reject = page.may_reject.as_ref().map(says(REJECT_DOES));
    let reject = Way::of("Reject", reject, here);
    let change = page.may_change.as_ref().map(says(CHANGE_DOES));
    let change = Way::of("Change it yourself", change, here);
    match page.suggestion.state {
        SuggestionState::InReview => vec![
            Way::of("Approve", approve, here),
            change,
            Way::of("Send back for a change", send_back, here),
            reject,
        ],
        SuggestionState::SentBack => vec![change, reject],
        SuggestionState::Rejected | SuggestionState::Approved | SuggestionState::Superseded => Vec::new(),
    }
}

/// What a person's change of a suggestion does.
const CHANGE_DOES: &str = "The changed version takes this one’s place and waits for review. Nothing is bought by it.";

/// What approving does.
pub fn approve_does(page: &ReviewPage) -> &'static str {
    match &page.supplier_held {
        Some(_) => "The supplier is on hold: the order waits until it is released.",
        None => "It is sent at once. You will see on the order’s page how it ends.",
    }
}

/// The decisions that close a case of this kind, for these roles; `state` is where its order stands.
pub fn decisions(kind: CaseKind, roles: &[Role], state: Option<OrderState>, here: Here) -> Vec<Way> {
    let way = |one: &Decision| {
        let may = may_decide(roles, *one).and_then(|()| fits(*one, state));
        let does = may.as_ref().map(|()| words::does(kind, *one).to_owned());
        Way::of(words::decision(kind, *one), does, here)
    };
    decision::decisions(kind).iter().map(way).collect()
}

/// Giving the case to somebody.
pub fn hand_over(page: &OrderPage, here: Here) -> Way {
    let does = page.way_home.ways.assign.as_ref();
    let does =
        does.map(|()| "Gives the case to somebody who may settle it, until a deadline, with a reason.".to_owned());
    Way::of(HAND_OVER, does, here)
}

/// Whether one of these is open, and where on a sheet they stand.
pub fn decide_below(decisions: &[Way]) -> Option<Way> {
    decisions.iter().any(|way| way.does.is_ok()).then(|| Way {
        name: "Decide".to_owned(),
        does: Ok(format!("see “{}”.", super::sheet::WHAT_CLOSES_IT)),
    })
}

/// The button that asks them.
pub fn look_up_name(supplier: &str) -> String {
    format!("Look up at {supplier}")
}

fn look_up(page: &OrderPage, here: Here) -> Way {
    let does = page.way_home.ways.look_up.as_ref();
    let name = look_up_name(&page.supplier_name);
    Way::of(name, does.map(|()| ONLY_ASKS.to_owned()), here)
}

/// The purchase as it was approved; nothing once it is finished.
fn as_approved(page: &OrderPage, here: Here) -> Option<Way> {
    let way = |name, does| Some(Way::of(name, Ok(does), here));
    match page.life.state {
        OrderState::Approved if !page.life.is_not_found() => {
            way("Send the approved purchase", goes_out(&page.life).to_owned())
        }
        OrderState::Acknowledged => way("Wait for the approved purchase", waits_for_yes(&page.supplier_name)),
        OrderState::Approved | OrderState::Submitting | OrderState::ConfirmationPending => Some(resume(page, here)),
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => None,
    }
}

fn resume(page: &OrderPage, here: Here) -> Way {
    let does = page.way_home.ways.resume.as_ref().map(|ground| {
        let leads_to = home::resume_leads_to(*ground, &page.supplier_name, &page.way_home.contract);
        let until = match ground {
            Ground::Key { until } => {
                let why = key_until(page, *until);
                format!(" Safe until {}: {why}", here.short(*until))
            }
            Ground::UniqueReference | Ground::NotFound => String::new(),
        };
        format!("{} {leads_to}{until}", sends_again(page))
    });
    Way::of("Resume the approved purchase", does, here)
}

/// What a resume sends.
pub fn sends_again(page: &OrderPage) -> String {
    format!(
        "Sends the same {} for {} again, under the same {}.",
        things::how_much(&page.contents),
        page.contents.total(),
        home::key_or_reference(&page.way_home.contract)
    )
}

/// Why a resume is safe until then.
pub fn key_until(page: &OrderPage, until: DateTime<Utc>) -> String {
    let way_home = &page.way_home;
    home::safe_because(way_home.key_window, way_home.key_until, until, &page.supplier_name)
}

/// What becomes of an order that nobody has sent.
pub fn goes_out(life: &Life) -> &'static str {
    if life.holds.is_empty() {
        "Nothing has to be pressed: it goes out by itself, once."
    } else if life.holds.has(Hold::Restore) {
        "It waits for its release. Then it is looked up once more, and goes out only if there is still no record."
    } else {
        "It waits until nothing holds it any more; then it goes out by itself, once."
    }
}

/// What becomes of an order that they have and have not said yes to.
pub fn waits_for_yes(supplier: &str) -> String {
    format!("{supplier} has it. Nothing is sent again; it is theirs to say yes or no.")
}

fn find_out(page: &OrderPage, here: Here) -> Way {
    let settled_at = page.way_home.settled_at;
    let choices = home::choices(page.life.state, &page.supplier_name, page.way_home.contract.look_up);
    let choices = choices.into_iter().map(|choice| {
        let early = choice.finding == FindingWord::NotAtSupplier && settled_at > here.now;
        let from = early.then(|| format!(" (from {} on)", here.precise(settled_at)));
        format!("“{}”{}", choice.label, from.unwrap_or_default())
    });
    let choices = choices.collect::<Vec<_>>().join(", ");
    let does = page.way_home.ways.record_finding.as_ref();
    Way::of(
        FOUND_OUT,
        does.map(|()| format!("With evidence, one of {choices}.")),
        here,
    )
}

/// Lifting holds; nothing where no hold is a release's to lift.
fn released(page: &OrderPage, here: Here) -> Option<Way> {
    let does = page.way_home.ways.release.as_ref();
    let offered = if page.life.is_not_found() {
        does.is_ok()
    } else {
        !page.life.holds.is_empty()
    };
    let does = does.map(|()| release_does(page).to_owned());
    offered.then(|| Way::of("Release this order", does, here))
}

/// What a release does.
pub fn release_does(page: &OrderPage) -> &'static str {
    if page.life.is_not_found() {
        "Lifts this hold alone. It still waits for a resume, or to be withdrawn."
    } else if !page.life.holds.has(Hold::Restore) {
        "It goes out by itself once nothing else holds it."
    } else if page.way_home.contract.look_up.can_ask() {
        "It is looked up right before the send. If they have it, nothing is sent, and a person judges their record."
    } else {
        "It is sent on the word of whoever asked them, for 15 minutes after."
    }
}

/// What is on hold by hand is released, and not held twice.
fn held(page: &OrderPage, here: Here) -> Option<Way> {
    let may = &page.way_home.ways.hold;
    let does = may.as_ref().map(|()| HOLD_DOES.to_owned());
    (*may != Err(Refusal::Held)).then(|| Way::of("Put this order on hold", does, here))
}

fn withdrawn(page: &OrderPage, here: Here) -> Way {
    let does = page.way_home.ways.withdraw.as_ref();
    Way::of("Withdraw this order", does.map(|()| WITHDRAW_DOES.to_owned()), here)
}

/// Something else than was approved.
fn otherwise(page: &OrderPage, here: Here) -> Way {
    let other = page.way_home.ways.other_purchase;
    let does = page.may_change.as_ref().map(|()| {
        let says = home::other_purchase(other, &page.supplier_name);
        format!("{} {says}", home::start_of_change(other))
    });
    Way::of("Change it and approve a different purchase", does, here)
}

/// What is not safe while this order is not settled, each with its reason.
pub fn not_safe(page: &OrderPage) -> Vec<String> {
    let supplier = &page.supplier_name;
    match page.life.state {
        OrderState::ConfirmationPending => vec![
            format!("Ordering it again by telephone or in {supplier}’s shop: they may have it already."),
            "Having it suggested once more before this order is settled: that is another purchase.".to_owned(),
        ],
        OrderState::Acknowledged => vec!["Ordering it again: they have it.".to_owned()],
        OrderState::Approved if page.life.is_not_found() => vec![format!(
            "Ordering it at {supplier} by hand while it waits here: a resume would buy it twice. Withdraw it first."
        )],
        OrderState::Approved if page.life.waits_for_look_up() => vec![format!(
            "Ordering it at {supplier} by hand: they may have it already, and a release here could buy it twice."
        )],
        OrderState::Approved => vec![format!(
            "Ordering it at {supplier} by hand while it waits here: once it goes out it is bought twice. Withdraw it first."
        )],
        OrderState::Submitting => vec![format!(
            "Ordering it at {supplier} by hand: it is on its way to them now."
        )],
        OrderState::Confirmed => vec![format!(
            "Ordering it again to put it right: {supplier} has this one, and would deliver both. Change or cancel theirs with them."
        )],
        OrderState::Refused | OrderState::Withdrawn => vec![format!(
            "Ordering it again before this case is closed: {supplier} may still deliver what it has on record."
        )],
    }
}
