//! What happened, one sentence an event, and what somebody wrote beside it.

use crate::domain::event::{Actor, Event, Happening};
use crate::domain::ids::AttemptId;
use crate::domain::look_up::{AnswerWord, FindingWord, Source};
use crate::domain::order::{Hold, OrderState};
use crate::domain::suggestion::SuggestionState;
use crate::ui::moment::Here;

/// An event in words. `aside` was written by a person or a supplier and is shown as such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub sentence: String,
    pub aside: Option<String>,
}

/// Who acted.
pub fn actor(actor: &Actor) -> &str {
    match actor {
        Actor::Person { name, .. } | Actor::Program { name, .. } => name,
        Actor::Worker => "The worker",
        Actor::CommandLine => "The command line",
        Actor::System => "The system",
    }
}

/// The event in words. `attempts` are the order's, oldest first: people count them, they do not read their ids.
pub fn told(event: &Event, attempts: &[AttemptId], here: Here) -> Told {
    let aside = aside(&event.happening).filter(|words| !words.trim().is_empty());
    Told {
        sentence: sentence(event, attempts, here),
        aside,
    }
}

fn sentence(event: &Event, attempts: &[AttemptId], here: Here) -> String {
    let who = actor(&event.actor);
    let number = |id: &AttemptId| attempt_number(id, attempts);
    match &event.happening {
        Happening::TenantCreated { name } => format!("{who} created {name}."),
        Happening::SiteAdded { name } => format!("{who} added the site {name}."),
        Happening::SupplierAdded { version } => format!("{who} added version {version} of the supplier’s file."),
        Happening::SupplierHeld { .. } => format!("{who} put the supplier on hold."),
        Happening::SupplierReleased => format!("{who} released the supplier."),
        Happening::WorkingHoursSet { hours: Some(hours) } => format!("{who} set the working hours: {hours}."),
        Happening::WorkingHoursSet { hours: None } => {
            format!("{who} took the working hours away: time is counted as it passes.")
        }
        Happening::HolidaySet { day, name: Some(name) } => {
            format!("{who} set a holiday: {}, {name}.", crate::domain::calendar::day(*day))
        }
        Happening::HolidaySet { day, name: None } => {
            format!("{who} made {} a working day again.", crate::domain::calendar::day(*day))
        }
        Happening::SecondPersonAbove {
            amount: Some(amount), ..
        } => format!("{who} set that above {amount} a second person confirms a finding."),
        Happening::SecondPersonAbove { currency, amount: None } => {
            format!("{who} took the amount in {currency} away, above which a second person confirms a finding.")
        }
        Happening::PersonAdded { name, roles } => format!("{who} added {name} ({}).", super::roles(roles)),
        Happening::PersonDisabled => format!("{who} disabled a person."),
        Happening::TokenCreated { name } => format!("{who} created the token {name}."),
        Happening::TokenRevoked => format!("{who} revoked a token."),
        Happening::IntentReserved => format!("{who} reserved the intent."),
        Happening::SuggestionTaken { revision, .. } => format!("{who} suggested version {revision}."),
        Happening::SuggestionReused { revision, .. } => {
            format!("{who} sent other contents as version {revision} once more. Nothing changed.")
        }
        Happening::SuggestionRevised {
            revision,
            order,
            differences,
            ..
        } => {
            let of = if order.is_some() { "the order" } else { "the suggestion" };
            let places = super::count(*differences, "difference", "differences");
            format!("{who} changed {of}: version {revision}, with {places}.")
        }
        Happening::ChangeSuggested { .. } => format!("{who} put a different purchase up for review."),
        Happening::SuggestionMoved { to, .. } => format!("{who} {}", moved(*to)),
        Happening::OrderApproved {
            revision,
            second_purchase,
            accepted,
            ..
        } => {
            let twice = if *second_purchase { ", as a second purchase" } else { "" };
            let risk = if accepted.is_empty() {
                ""
            } else {
                ", accepting that an earlier order is not settled"
            };
            format!("{who} approved version {revision}{twice}{risk}.")
        }
        Happening::AttemptOpened { attempt } => format!("{} started.", number(attempt)),
        Happening::AttemptClosed { attempt, .. } => format!("{} ended.", number(attempt)),
        Happening::LateReply { attempt, .. } => format!("{} reported back after its time.", number(attempt)),
        Happening::LeaseLapsed { attempt, .. } => {
            format!(
                "{} did not report back in time. Nobody knows whether it arrived.",
                number(attempt)
            )
        }
        Happening::OrderHeld { hold, .. } => format!("{who} put it on hold: {}.", held(*hold)),
        Happening::OrderReleased { lifted, .. } => format!("{who} released it ({}).", held_all(lifted)),
        Happening::ReleaseWanted { .. } => {
            format!("{who} released it: it goes out once the supplier was looked up and has no record.")
        }
        Happening::Paused { gap_at, .. } => format!(
            "Everything was paused. What happened after {} is not known here.",
            here.precise(*gap_at)
        ),
        Happening::PauseEnded { .. } => format!("{who} ended the pause."),
        Happening::OrderWithdrawn { .. } => format!("{who} withdrew it."),
        Happening::CaseOpened { owner_name, due_at, .. } => {
            format!("Given to {owner_name}, due {}.", here.short(*due_at))
        }
        Happening::CaseDecided {
            case_kind,
            decision,
            reference,
            ..
        } => {
            let record = reference.as_ref().map(|reference| format!(" ({reference})"));
            format!(
                "{who} decided: {}{}.",
                super::lower(super::decisions::decision(*case_kind, *decision)),
                record.unwrap_or_default()
            )
        }
        Happening::CaseClosed { case_kind, .. } => {
            format!("Case closed: {}.", super::lower(super::case_kind(*case_kind)))
        }
        Happening::CaseMoved { owner_name, due_at, .. } => {
            let due = due_at
                .map(|due| format!(", due {}", here.short(due)))
                .unwrap_or_default();
            format!("{who} handed it to {owner_name}{due}.")
        }
        Happening::CaseReminded {
            owner_name,
            due_at,
            mailed,
            ..
        } => {
            let how = by_mail(*mailed);
            format!("{who} reminded {owner_name}{how}: due {}.", here.short(*due_at))
        }
        Happening::CaseEscalated {
            to_name, times, mailed, ..
        } => {
            let how = by_mail(*mailed);
            let again = (*times > 1).then(|| format!(" for the {} time", ordinal(*times)));
            let again = again.unwrap_or_default();
            format!("{who} put it before {to_name}{again}{how}: the deadline has passed.")
        }
        Happening::CaseAcknowledged { until, .. } => {
            format!("{who} is at it. Nobody is reminded until {}.", here.short(*until))
        }
        Happening::OwnerRuleSet { owner_name, within, .. } => rule_set(who, owner_name.as_deref(), within.as_deref()),
        Happening::PersonAway { name, deputy_name } => {
            let deputy = deputy_name.as_ref().map(|deputy| format!("; {deputy} stands in"));
            format!("{who} set that {name} is away{}.", deputy.unwrap_or_default())
        }
        Happening::PersonBack { name } => format!("{who} set that {name} is there."),
        Happening::SendAgainWanted { to_name, .. } => format!("{who} wanted a message to {to_name} sent again."),
        Happening::LookUpWanted => format!("{who} wanted the supplier asked."),
        Happening::LookedUp { answer, .. } => looked_up(&event.actor, *answer),
        Happening::FindingEstablished {
            finding,
            source,
            reference,
            from,
            to,
            ..
        } => established(who, *source, *finding, reference.as_deref()) + &moved_on(*finding, *from, *to),
        Happening::FindingProposed { finding, reference, .. } => {
            let found = established(who, Source::Person, *finding, reference.as_deref());
            format!("{found} It counts once a second person has confirmed it.")
        }
        Happening::FindingDeclined { .. } => format!("{who} declined what was found out; it does not count."),
        Happening::LateRecord { reference, .. } => {
            format!("The supplier has a record of it after all, {reference}. A person has to judge it.")
        }
        Happening::Compared {
            reference,
            differences: 0,
        } => {
            format!("The supplier’s record {reference} was compared with what was approved: they agree.")
        }
        Happening::Compared { reference, differences } => format!(
            "The supplier’s record {reference} was compared with what was approved: {}.",
            super::count(*differences, "difference", "differences")
        ),
        Happening::ResumeWanted => format!("{who} asked to send the approved purchase once more."),
        Happening::ResumeNotSent { why } => {
            format!(
                "The request was dropped and nothing was sent. {}",
                super::refusals::not_resumed(*why, here)
            )
        }
    }
}

/// A rule about new cases.
fn rule_set(who: &str, owner: Option<&str>, within: Option<&str>) -> String {
    let owner = owner.map(|owner| format!("they are {owner}’s"));
    let within = within.map(|within| format!("they are due {}", super::people::limit(within)));
    let rule: Vec<String> = [owner, within].into_iter().flatten().collect();
    if rule.is_empty() {
        return format!("{who} took the rule for new cases away.");
    }
    format!("{who} set a rule for new cases: {}.", rule.join(" and "))
}

/// How somebody is told: where no mail goes out, the queue alone says it.
fn by_mail(mailed: bool) -> &'static str {
    if mailed { " by e-mail" } else { " in the queue" }
}

/// "2nd", "3rd", "11th".
fn ordinal(number: u32) -> String {
    let end = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        (_, _) => "th",
    };
    format!("{number}{end}")
}

/// The worker asks on its schedule; a person wanted to know.
fn looked_up(who: &Actor, answer: AnswerWord) -> String {
    let asked = match who {
        Actor::Person { name, .. } | Actor::Program { name, .. } => format!("{name} asked the supplier"),
        Actor::Worker | Actor::CommandLine | Actor::System => "Countersign asked the supplier".to_owned(),
    };
    format!("{asked}: {}.", super::answer(answer))
}

/// What was found out, and by whom: a person's word and the machine's conclusion are told apart.
pub(super) fn established(who: &str, source: Source, finding: FindingWord, reference: Option<&str>) -> String {
    let number = reference.map(|number| format!(", as {number}")).unwrap_or_default();
    let what = super::finding(finding);
    match source {
        Source::Person => format!("{who} found out: {what}{number}."),
        Source::LookUp => format!("The look-ups settled it: {what}{number}."),
        Source::Reply => format!("A late answer settled it: {what}{number}."),
    }
}

fn moved_on(finding: FindingWord, from: OrderState, to: OrderState) -> String {
    match (finding, to) {
        (_, to) if from == to => String::new(),
        (FindingWord::NotAtSupplier, OrderState::Approved) => " It is on hold now, unsent.".to_owned(),
        (_, to) => format!(" It stands at “{}” now.", super::order_state(to)),
    }
}

/// What a person, a supplier or a rule wrote beside it.
fn aside(happening: &Happening) -> Option<String> {
    match happening {
        Happening::SupplierHeld { reason }
        | Happening::OrderHeld { reason, .. }
        | Happening::OrderReleased { reason, .. }
        | Happening::ReleaseWanted { reason, .. }
        | Happening::Paused { reason, .. }
        | Happening::PauseEnded { reason }
        | Happening::OrderWithdrawn { reason }
        | Happening::FindingDeclined { reason, .. }
        | Happening::CaseDecided { reason, .. }
        | Happening::CaseMoved { reason, .. } => Some(reason.clone()),
        Happening::CaseOpened { reason, .. } => Some(super::sentence_case(reason)),
        Happening::AttemptClosed { detail, .. } | Happening::LateReply { detail, .. } => Some(detail.clone()),
        Happening::SuggestionMoved { reason, .. } | Happening::OrderApproved { reason, .. } => reason.clone(),
        // "no record" is the whole answer
        Happening::LookedUp {
            answer: AnswerWord::None,
            ..
        } => None,
        Happening::LookedUp { detail, .. } => Some(detail.clone()),
        Happening::FindingEstablished { evidence, .. } => evidence.clone(),
        Happening::FindingProposed { evidence, .. } => Some(evidence.clone()),
        Happening::TenantCreated { .. }
        | Happening::SiteAdded { .. }
        | Happening::SupplierAdded { .. }
        | Happening::SupplierReleased
        | Happening::SecondPersonAbove { .. }
        | Happening::WorkingHoursSet { .. }
        | Happening::HolidaySet { .. }
        | Happening::PersonAdded { .. }
        | Happening::PersonDisabled
        | Happening::TokenCreated { .. }
        | Happening::TokenRevoked
        | Happening::IntentReserved
        | Happening::SuggestionTaken { .. }
        | Happening::SuggestionReused { .. }
        | Happening::SuggestionRevised { .. }
        | Happening::ChangeSuggested { .. }
        | Happening::AttemptOpened { .. }
        | Happening::LeaseLapsed { .. }
        | Happening::CaseClosed { .. }
        | Happening::CaseReminded { .. }
        | Happening::CaseEscalated { .. }
        | Happening::CaseAcknowledged { .. }
        | Happening::OwnerRuleSet { .. }
        | Happening::PersonAway { .. }
        | Happening::PersonBack { .. }
        | Happening::SendAgainWanted { .. }
        | Happening::LateRecord { .. }
        | Happening::Compared { .. }
        | Happening::LookUpWanted
        | Happening::ResumeWanted
        | Happening::ResumeNotSent { .. } => None,
    }
}

fn attempt_number(id: &AttemptId, attempts: &[AttemptId]) -> String {
    match attempts.iter().position(|one| one == id) {
        Some(place) => format!("Attempt {}", place + 1),
        None => "An attempt".to_owned(),
    }
}

fn held_all(holds: &[Hold]) -> String {
    holds.iter().copied().map(held).collect::<Vec<_>>().join(", ")
}

fn moved(to: SuggestionState) -> &'static str {
    match to {
        SuggestionState::InReview => "put it up for review.",
        SuggestionState::SentBack => "sent it back.",
        SuggestionState::Rejected => "rejected it.",
        SuggestionState::Approved => "approved it.",
        SuggestionState::Superseded => "replaced it by a newer version.",
    }
}

fn held(hold: Hold) -> &'static str {
    match hold {
        Hold::NotFound => "not found at the supplier",
        Hold::Restore => "the database was restored",
        Hold::Predecessor => "an earlier order turned up",
        Hold::TooOld => "it waited too long",
        Hold::Supplier => "the supplier is on hold",
        Hold::Person => "by hand",
    }
}
