//! Refusals in words: what was not done, why, and what to do next.

use crate::domain::order::Hold;
use crate::domain::refusal::Refusal;
use crate::domain::resume::{NoResume, NotResumed};
use crate::domain::suggestion::SuggestionState;
use crate::ui::moment::Here;

/// How a refusal is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Somebody was faster, or it is done already: nothing is wrong.
    Calm,
    /// What was asked for was not done, and the person has something to do.
    Firm,
}

/// Whether a refusal is news or a fault.
pub fn manner(refusal: &Refusal) -> Manner {
    match refusal {
        Refusal::OrderIs(_)
        | Refusal::SuggestionIs(_)
        | Refusal::AlreadyDecided { .. }
        | Refusal::AlreadyDone { .. }
        | Refusal::NoResume(NoResume::AlreadyWanted { .. } | NoResume::StillSending)
        | Refusal::NotPaused
        | Refusal::LaterOrder { .. }
        | Refusal::FindingWaits { .. }
        | Refusal::NothingWaits
        | Refusal::ChangeWaits { .. }
        | Refusal::CasesChanged(_)
        | Refusal::MessageOnItsWay
        | Refusal::SignedOut => Manner::Calm,
        Refusal::NotYourRole(_)
        | Refusal::ContentsChanged(_)
        | Refusal::Field { .. }
        | Refusal::Fields(_)
        | Refusal::NothingChanged
        | Refusal::OwnFinding
        | Refusal::SecondPurchaseNotAsked
        | Refusal::PredecessorUnsettled { .. }
        | Refusal::Held
        | Refusal::OpenDoubt
        | Refusal::LaterOrderLive
        | Refusal::NotDue
        | Refusal::NothingIsSent(_)
        | Refusal::MessagePast(_)
        | Refusal::CannotAsk
        | Refusal::RecordThere
        | Refusal::HeldFromBeforeGap { .. }
        | Refusal::NoResume(_)
        | Refusal::NobodyElse { .. }
        | Refusal::NotSettledYet { .. } => Manner::Firm,
    }
}

/// The heading of the summary.
pub fn heading(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NotYourRole(_) => "You may not do this",
        Refusal::OrderIs(_) | Refusal::SuggestionIs(_) => "This has moved on",
        Refusal::AlreadyDecided { .. } => "Already decided",
        Refusal::SignedOut => "You were signed out",
        Refusal::ContentsChanged(_) => "Not done: it is no longer what you saw",
        Refusal::Field { .. } | Refusal::Fields(_) => "Something is missing or not right",
        Refusal::NothingChanged => "Nothing was changed",
        Refusal::FindingWaits { .. } | Refusal::OwnFinding => "It waits for a second person",
        Refusal::NothingWaits => "Nothing waits any more",
        Refusal::LaterOrder { .. } => "A later order took its place",
        Refusal::ChangeWaits { .. } => "A change waits already",
        Refusal::SecondPurchaseNotAsked => "Not approved: do you want it twice?",
        Refusal::PredecessorUnsettled { .. } => "Not approved: an earlier order is not settled",
        Refusal::Held => "It is on hold",
        Refusal::OpenDoubt => "The supplier may have it already",
        Refusal::LaterOrderLive => "A later order took its place",
        Refusal::NotDue => "Not now",
        Refusal::AlreadyDone { .. } => "Already done",
        Refusal::CannotAsk => "This supplier cannot be asked",
        Refusal::RecordThere => "The supplier has a record of it",
        Refusal::NoResume(NoResume::AlreadyWanted { .. } | NoResume::StillSending) => "Already under way",
        Refusal::NoResume(_) => "Nothing was sent",
        Refusal::NotSettledYet { .. } => "Too early to say",
        Refusal::MessageOnItsWay => "On its way already",
        Refusal::NothingIsSent(_) => "Nothing is sent now",
        Refusal::MessagePast(_) => "It is past",
        Refusal::NotPaused => "The pause has ended already",
        Refusal::HeldFromBeforeGap { .. } => "The pause cannot end yet",
        Refusal::CasesChanged(_) => "Nothing was handed over: it is not what you saw",
        Refusal::NobodyElse { .. } => "Nothing was handed over",
    }
}

/// Why, in a sentence that also stands beside a disabled button.
pub fn sentence(refusal: &Refusal, here: Here) -> String {
    match refusal {
        Refusal::NotYourRole(act) => format!("Your roles do not let you {}.", super::act(*act)),
        Refusal::OrderIs(state) => {
            format!(
                "The order stands at “{}” now; from there this cannot be done.",
                super::order_state(*state)
            )
        }
        Refusal::SuggestionIs(state) => suggestion_is(*state).to_owned(),
        Refusal::AlreadyDecided { by, at, state } => {
            let what = decided(*state);
            format!("{by} {what} at {}. Your press changed nothing.", here.short(*at))
        }
        Refusal::SignedOut => {
            "Your session had ended, so nothing was done. What you typed is here; press again.".to_owned()
        }
        Refusal::ContentsChanged(_) => "Nothing was bought. Look at what stands here now, and decide again.".to_owned(),
        Refusal::Field { field, detail } => about_field(field, detail),
        Refusal::Fields(fields) => format!(
            "{} to be put right. What you typed is kept.",
            super::count(fields.len(), "field has", "fields have")
        ),
        Refusal::NothingChanged => {
            "What you sent says the same as what stands. Change a line, the note or the date, or go back.".to_owned()
        }
        Refusal::FindingWaits { by, at } => format!(
            "{by} recorded a finding at {} that waits for a second person. A manager confirms or declines it first.",
            here.precise(*at)
        ),
        Refusal::OwnFinding => {
            "Nobody confirms what they found out themselves. Another manager has to; where there is none, decline it, and a \
             manager confirms what a colleague records."
                .to_owned()
        }
        Refusal::NothingWaits => {
            "No finding waits for a second person: it was confirmed or declined, or the order moved on.".to_owned()
        }
        Refusal::LaterOrder { .. } => {
            "A later order of the same wish exists. Change that one: its page knows what became of it.".to_owned()
        }
        Refusal::ChangeWaits { .. } => {
            "A change of this order was put up for review already. Change or decide that one.".to_owned()
        }
        Refusal::SecondPurchaseNotAsked => {
            "Nothing was bought. The same lines were suggested or ordered before, or an earlier order of the same wish was \
             bought. If you want both, say that this is a second purchase."
                .to_owned()
        }
        Refusal::PredecessorUnsettled { state, .. } => format!(
            "An earlier order of the same wish stands at “{}”. Until it is settled this could buy the same thing twice.",
            super::order_state(*state)
        ),
        Refusal::Held => "The order has a hold that this does not lift.".to_owned(),
        Refusal::OpenDoubt => {
            "An attempt is still unanswered: the supplier may or may not have the order. Find out first.".to_owned()
        }
        Refusal::LaterOrderLive => {
            "A later order of the same wish is under way. Sending this one too could buy the same thing twice."
                .to_owned()
        }
        Refusal::NotDue => "It is not due yet, or the request to send it again has lapsed.".to_owned(),
        Refusal::AlreadyDone { by, at } => format!(
            "This has changed since you opened the page: already done by {by} at {}. Your press changed nothing.",
            here.precise(*at)
        ),
        Refusal::RecordThere => {
            "The supplier has a record of this order, or somebody recorded that they have it, and that is not judged yet: it \
             cannot be said to be missing."
                .to_owned()
        }
        Refusal::CannotAsk => {
            "This supplier cannot be asked by a program. Somebody has to call or write, and record what they say."
                .to_owned()
        }
        Refusal::NoResume(why) => no_resume(*why, here),
        Refusal::NotPaused => "Nothing is paused. Your press changed nothing.".to_owned(),
        Refusal::HeldFromBeforeGap { orders } => format!(
            "{} still held. Open each, and release it, withdraw it, or record what was found.",
            super::count(
                usize::try_from(*orders).unwrap_or(usize::MAX),
                "order from before the gap is",
                "orders from before the gap are"
            )
        ),
        Refusal::CasesChanged(changed) => super::people::changed(changed.len()),
        Refusal::NobodyElse { name } => {
            format!("The rules find nobody but {name}: nobody else is there. Choose a person.")
        }
        Refusal::MessageOnItsWay => {
            "The message goes out within a moment, or is being sent now. There is nothing to press.".to_owned()
        }
        Refusal::MessagePast(past) => format!("The message is not sent again: {}.", past.because()),
        Refusal::NothingIsSent(stop) => super::messages::stopped(*stop).to_owned(),
        Refusal::NotSettledYet { at } => format!(
            "The supplier may still be working on it until {}. Before that nobody can say that it is not there. What you \
             typed is kept below.",
            here.precise(*at)
        ),
    }
}

/// What is wrong with a field. What nobody types, or what is chosen and not typed, needs no words of the wire.
fn about_field(field: &str, detail: &str) -> String {
    match field {
        "order" | "case" | "version" | "message" => {
            "The form came without what it is about. Nothing was done; open the page anew and press again.".to_owned()
        }
        "finding" => "Say what you found out: choose one of the answers.".to_owned(),
        "decision" => "Say what you decide: choose one of the answers.".to_owned(),
        "owner" => "Choose who gets it: a resolver or manager who is not disabled.".to_owned(),
        other => format!("{}: {detail}", field_label(other)),
    }
}

/// Why sending it once more is not offered.
pub fn no_resume(why: NoResume, here: Here) -> String {
    match why {
        NoResume::NotInDoubt => "The order is not in doubt: there is nothing to send again.".to_owned(),
        NoResume::StillSending => "It is being sent at this moment. See how that ends.".to_owned(),
        NoResume::AlreadyWanted { at } => {
            format!("Somebody asked for it at {} already. One request is enough.", here.precise(at))
        }
        NoResume::RecordThere => {
            "The supplier has a record of it. Sending it again could buy it twice; somebody has to judge the record first."
                .to_owned()
        }
        NoResume::Held(Hold::Restore) => {
            "The order is held after a restore. Release it: it then goes out once, if the supplier has no record.".to_owned()
        }
        NoResume::Held(hold) => super::hold(hold).to_owned(),
        NoResume::TooSoonAfterRestore { at } => format!(
            "What was sent just before the restore may not show at the supplier before {}. Until then “no record” says nothing.",
            here.precise(at)
        ),
        NoResume::SupplierHeld => "The supplier is on hold.".to_owned(),
        NoResume::LaterOrderLive => {
            "A later order of the same wish is under way. Sending this one too could buy the same thing twice."
                .to_owned()
        }
        NoResume::BoughtBefore => {
            "An earlier order of the same wish was bought after all, and nobody said that both are wanted. Find out \
             whether this one is at the supplier."
                .to_owned()
        }
        NoResume::ScopeChanged => {
            "Address, account or secret of the supplier are not those it was first sent with. Under the new ones the \
             supplier may not recognise the repeat. Look up the record first."
                .to_owned()
        }
        NoResume::WindowOver { since, askable } => format!(
            "Since {} the supplier may have forgotten the key: a repeat could become a second order. {}",
            here.short(since),
            find_out(askable)
        ),
        NoResume::SavedAnswer { times, askable } => format!(
            "The supplier gave its saved answer {} more: a repeat makes no new attempt there. {}",
            super::count(usize::try_from(times).unwrap_or(usize::MAX), "time", "times"),
            find_out(askable)
        ),
        NoResume::InFlight { until } => format!(
            "The supplier said that it is still working on an earlier request. That is over by {}; until then a repeat \
             would only hear so again.",
            here.precise(until)
        ),
        NoResume::KeyUsedOtherwise { askable } => format!(
            "The supplier says that our key was used with other contents: what stands there is not what was approved. {}",
            find_out(askable)
        ),
        NoResume::SaysItExists { askable } => format!(
            "The supplier says that it has an order with our reference; a repeat would only say so again. {}",
            find_out(askable)
        ),
        NoResume::FindFirst { askable: true } => {
            "The supplier does not recognise a repeat: sending it again could buy it twice. It has to be found missing \
             there first."
                .to_owned()
        }
        NoResume::FindFirst { askable: false } => {
            "The supplier has no key and no look-up: someone must ask them.".to_owned()
        }
        NoResume::LeftToPerson => {
            "The worker does not send it again by itself any more: by the supplier's file, or by what the supplier said, \
             a person decides."
                .to_owned()
        }
        NoResume::AskByHand => {
            "The supplier cannot be asked by a program. Ask them again and record what they say; “no such order” then \
             stands for 15 minutes."
                .to_owned()
        }
    }
}

/// Why a request to send it once more came to nothing.
pub fn not_resumed(why: NotResumed, here: Here) -> String {
    match why {
        NotResumed::Unsafe(why) => no_resume(why, here),
        NotResumed::CouldNotCheck => {
            "The look-up right before the send did not say whether the supplier has it. Try again in a while."
                .to_owned()
        }
        NotResumed::Void => {
            "It could not go out within 15 minutes, so the request lapsed. Ask again if it is still wanted.".to_owned()
        }
    }
}

/// What somebody did to a suggestion that now stands so.
fn decided(state: SuggestionState) -> &'static str {
    match state {
        SuggestionState::InReview => "put this up for review",
        SuggestionState::SentBack => "sent this back",
        SuggestionState::Rejected => "rejected this",
        SuggestionState::Approved => "approved this",
        SuggestionState::Superseded => "replaced this by a newer version",
    }
}

fn suggestion_is(state: SuggestionState) -> &'static str {
    match state {
        SuggestionState::InReview => "The suggestion waits for review. Nothing was changed by your press.",
        SuggestionState::SentBack => {
            "The suggestion was sent back before you pressed. Nothing was bought by your press."
        }
        SuggestionState::Rejected => {
            "The suggestion was rejected before you pressed. Nothing was bought by your press."
        }
        SuggestionState::Approved => {
            "The suggestion was approved before you pressed. Nothing was bought a second time."
        }
        SuggestionState::Superseded => {
            "A newer version took its place before you pressed. Nothing was bought by your press."
        }
    }
}

/// What a form's field is called on the screen.
pub fn field_label(field: &str) -> String {
    match field {
        "email" => "E-mail".to_owned(),
        "password" => "Password".to_owned(),
        "reason" => "Reason".to_owned(),
        "digest" => "What the page showed".to_owned(),
        "suggestion" => "Suggestion".to_owned(),
        "second_purchase" => "Second purchase".to_owned(),
        "accept_unsettled" => "Accepted order".to_owned(),
        "finding" => "What did you find out?".to_owned(),
        "decision" => "What do you decide?".to_owned(),
        "reference" => "Their number".to_owned(),
        "evidence" => "Evidence".to_owned(),
        "owner" => "To whom".to_owned(),
        "due_at" => "Due".to_owned(),
        "sku" => "Article number".to_owned(),
        "unit_price" => "Price".to_owned(),
        "price_per" => "Price is for".to_owned(),
        "note_to_supplier" => "Note to the supplier".to_owned(),
        other => match line_field(other) {
            Some((number, field)) => format!("Line {number}: {}", super::lower(&field_label(field))),
            None => super::sentence_case(&other.replace('_', " ")),
        },
    }
}

/// `lines[0][unit_price]` is the price of line 1.
fn line_field(field: &str) -> Option<(usize, &str)> {
    let (place, field) = field.strip_prefix("lines[")?.split_once("][")?;
    Some((place.parse::<usize>().ok()? + 1, field.strip_suffix(']')?))
}

fn find_out(askable: bool) -> &'static str {
    if askable {
        "Look up the record first."
    } else {
        "It has no look-up: someone must ask them."
    }
}
