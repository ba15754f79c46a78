//! The words of the way home: what a supplier promises, what it answered, why a repeat is safe, and what stands in the
//! way of another purchase.

use crate::domain::calendar;
use crate::domain::contract::{
    Class, Duplicate, KeyPromise, LookUp, Notifies, PastWindow, ResumeBy, Scope, SupplierContract,
};
use crate::domain::look_up::{AnswerWord, FindingWord, LookedUp, Standing};
use crate::domain::order::OrderState;
use crate::domain::resume::Ground;
use crate::domain::ways::OtherPurchase;
use crate::ui::moment::Here;
use chrono::{DateTime, Utc};

/// A length as contracts state it: `24 hours`, `30 seconds`, `7 days`.
pub fn length(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (amount, one, many) = match seconds {
        seconds if seconds > 86_400 && seconds % 86_400 == 0 => (seconds / 86_400, "day", "days"),
        seconds if seconds >= 3_600 && seconds % 3_600 == 0 => (seconds / 3_600, "hour", "hours"),
        seconds if seconds >= 60 && seconds % 60 == 0 => (seconds / 60, "minute", "minutes"),
        seconds => (seconds, "second", "seconds"),
    };
    format!("{amount} {}", if amount == 1 { one } else { many })
}

/// What may be done about an order in doubt with a supplier of this class (docs/suppliers.md), in one sentence.
pub fn class(class: Class) -> &'static str {
    match class {
        Class::A => "A repeat with our key gets the first answer, for as long as the key is kept.",
        Class::ARepeats => {
            "A repeat with our key gets the first answer, whatever it contains; so that answer is compared with what was approved."
        }
        Class::B => "A second order with our reference is refused: a repeat is safe at any time.",
        Class::BExisting => {
            "A second order with our reference gets the first as its answer: a repeat is safe at any time, and is compared."
        }
        Class::D => "A repeat would be a second order. It has to be looked up first, and found missing.",
        Class::DList => {
            "A repeat would be a second order. Their whole list since the approval has to be read first, to its end, and show nothing."
        }
        Class::E => "The same message may be sent again; their business answer is waited for.",
        Class::F => "A repeat would be a second order, and only a person can ask them.",
    }
}

/// What a supplier promises, one sentence a promise.
pub fn promises(contract: &SupplierContract) -> Vec<String> {
    let mut said = vec![key_promise(contract.key.as_ref())];
    said.extend(scope_promise(contract));
    said.extend(duplicate_promise(contract.duplicate).map(str::to_owned));
    if contract.messages {
        said.push("Answers a submit with “received”; whether they take the order they say later.".to_owned());
    }
    said.push(look_up_promise(contract));
    if contract.in_flight_seconds > 0 {
        let length = length(contract.in_flight_seconds);
        said.push(format!(
            "Where it says that it works on an earlier request, that is over within {length}."
        ));
    }
    if contract.cancel_by_key {
        said.push("Can cancel an order by our reference: tell them that.".to_owned());
    }
    said.extend(contract.notifies_with.map(|with| {
        let by = match with {
            Notifies::Key => "our key",
            Notifies::Reference => "our reference",
            Notifies::Number => "its own number",
        };
        format!("Tells of changes by itself, by {by}; we do not listen yet, and look up instead.")
    }));
    if contract.read_back {
        said.push("A yes counts once their record has been read back.".to_owned());
    }
    if contract.settle_seconds > 0 {
        let length = length(contract.settle_seconds);
        said.push(format!(
            "May need {length} to work through an order; before that, “no record” says nothing."
        ));
    }
    said.push(format!(
        "A yes is waited for {} once they have it; after that somebody asks.",
        length(contract.acknowledged_within_seconds)
    ));
    if contract.resume == ResumeBy::Automatic {
        said.push("Where a repeat is safe, Countersign sends it once more by itself.".to_owned());
    }
    said
}

fn key_promise(key: Option<&KeyPromise>) -> String {
    match key {
        None => "Takes no key of ours.".to_owned(),
        Some(key) if key.window_seconds <= 0 => {
            "Takes our key, but does not say for how long; so no repeat counts as safe by it.".to_owned()
        }
        Some(key) => {
            let errors = if key.replays_saved_errors {
                ", also where that was an error"
            } else {
                ""
            };
            let after = match key.past_window {
                PastWindow::CreatesAnew => "",
                PastWindow::Refuses => " After that a repeat is refused.",
            };
            format!(
                "Keeps our key for {} from the first send; a repeat gets the first answer{errors}.{after}",
                length(key.window_seconds)
            )
        }
    }
}

/// What has to stay for a repeat to be recognised, where anything recognises it.
fn scope_promise(contract: &SupplierContract) -> Option<String> {
    let recognised = contract.is_reference_unique() || contract.key.is_some();
    let what = match contract.scope {
        Scope::Credential => "address, account and secret",
        Scope::Account | Scope::Endpoint | Scope::Region => "address and account",
    };
    recognised.then(|| format!("Recognises a repeat under the same {what} only."))
}

fn duplicate_promise(duplicate: Duplicate) -> Option<&'static str> {
    match duplicate {
        Duplicate::Second => Some("Takes a second order with our reference as a second order."),
        Duplicate::Updates => Some("Changes the first order when a second one comes with our reference."),
        Duplicate::Refused => Some("Refuses a second order with our reference."),
        Duplicate::Existing => Some("Answers a second order with our reference with the first one."),
    }
}

fn look_up_promise(contract: &SupplierContract) -> String {
    let how = match contract.look_up {
        LookUp::None => return "Cannot be asked by us: somebody has to call or write.".to_owned(),
        LookUp::Exact => "Can be asked by our reference",
        LookUp::Substring => "Can be searched for our reference; only exactly ours counts",
        LookUp::List => {
            "Has lists alone; they are read to the end, and what is not read to the end counts as not checked"
        }
    };
    match contract.look_up_lag_seconds {
        ..=0 => format!("{how}; a new order shows up at once."),
        lag => format!("{how}; a new order shows up within {}.", length(lag)),
    }
}

/// What sending it once more leads to, by the ground it stands on.
pub fn resume_leads_to(ground: Ground, supplier: &str, contract: &SupplierContract) -> String {
    match ground {
        Ground::Key { .. } => format!("If {supplier} has it already, it answers with that one."),
        Ground::UniqueReference => match contract.duplicate {
            Duplicate::Existing => format!("If {supplier} has it already, it answers with that one."),
            Duplicate::Refused | Duplicate::Second | Duplicate::Updates => {
                format!("{supplier} refuses a second order with our reference: it cannot be bought twice.")
            }
        },
        Ground::NotFound if contract.look_up.can_ask() => {
            "It is looked up once more right before the send, and only sent if there is still no record.".to_owned()
        }
        Ground::NotFound => format!(
            "{supplier} cannot be looked up: it is sent on the word of whoever asked them, for 15 minutes after."
        ),
    }
}

/// What a repeat carries that the first send carried, in the supplier's words: a key, where it takes one.
pub fn key_or_reference(contract: &SupplierContract) -> &'static str {
    if contract.key.is_some() { "key" } else { "reference" }
}

/// Who may have an order in doubt sent once more, after the lead.
pub fn sends_again(contract: &SupplierContract) -> &'static str {
    match contract.resume {
        ResumeBy::Person => " Nothing is sent again unless a person says so.",
        ResumeBy::Automatic => {
            " It is sent again only where that is safe: by itself a few times, or when a person says so."
        }
    }
}

/// Why a repeat is safe until then: how long the key is kept, and what is kept of that.
pub fn safe_because(
    window: Option<i64>,
    key_until: Option<DateTime<Utc>>,
    until: DateTime<Utc>,
    supplier: &str,
) -> String {
    match key_until.filter(|end| *end > until) {
        Some(end) => format!(
            "{supplier} keeps the key for {} from the first send, less {} margin.",
            length(window.unwrap_or(0)),
            calendar::span(end - until)
        ),
        None => format!("that is as long as {supplier} promised to know the key."),
    }
}

/// What stands between this order and a different purchase.
pub fn other_purchase(other: OtherPurchase, supplier: &str) -> String {
    match other {
        OtherPurchase::WaitForIt => "This one is being sent now. Wait for how that ends.".to_owned(),
        OtherPurchase::SettleFirst => {
            format!("Blocked until this order is settled: {supplier} may have it, and both could be delivered.")
        }
        OtherPurchase::WithdrawFirst => {
            "Blocked until this order is withdrawn; else both could go out. A withdrawn order is never sent.".to_owned()
        }
        OtherPurchase::SecondPurchase => "This one was bought. Another is a second purchase.".to_owned(),
        OtherPurchase::Free => "Nothing of this order stands in the way.".to_owned(),
    }
}

/// How a changed purchase is started, and what it waits for.
pub fn start_of_change(other: OtherPurchase) -> &'static str {
    match other {
        OtherPurchase::WaitForIt | OtherPurchase::SettleFirst | OtherPurchase::WithdrawFirst => {
            "It gets an approval and an order of its own. Write the change now; it can be approved once this one is settled."
        }
        OtherPurchase::SecondPurchase => {
            "It gets an approval and an order of its own, and whoever approves says that both are wanted."
        }
        OtherPurchase::Free => "It gets an approval and an order of its own.",
    }
}

/// What a record at the supplier says of itself.
pub fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Confirmed => "confirmed there",
        Standing::NotYet => "not confirmed there yet",
        Standing::Refused => "refused or cancelled there",
        Standing::Unnamed => "with a status we do not know",
    }
}

/// Who asked: a person, or the worker on its schedule.
pub fn asked_by(one: &LookedUp) -> String {
    match &one.by {
        Some(name) => format!("by {name}"),
        None => "by Countersign itself".to_owned(),
    }
}

/// What was asked so far and came to nothing, in one sentence for the lead; nothing to say where a record was seen.
pub fn asked_so_far(look_ups: &[LookedUp], here: Here) -> Option<String> {
    let last = look_ups.last()?;
    let nones: Vec<&LookedUp> = look_ups.iter().filter(|one| one.answer == AnswerWord::None).collect();
    let at = here.short(last.at);
    let before = match nones[..] {
        [] => None,
        [one] => Some(format!("at {}", here.short(one.at))),
        [one, other] if here.short(one.at) == here.short(other.at) => {
            Some(format!("at {} and {}", here.precise(one.at), here.precise(other.at)))
        }
        [one, other] => Some(format!("at {} and {}", here.short(one.at), here.short(other.at))),
        [.., one] => Some(format!("{} times, last at {}", nones.len(), here.short(one.at))),
    };
    match (last.answer, before) {
        (AnswerWord::Found, _) | (AnswerWord::None, None) => None,
        (AnswerWord::None, Some(when)) => Some(format!("Asked {when}: no record yet.")),
        (AnswerWord::CouldNotCheck, None) => Some(format!("Asked at {at}: it could not be checked.")),
        (AnswerWord::CouldNotCheck, Some(when)) => Some(format!(
            "Asked {when}: no record yet; asked again at {at}, it could not be checked."
        )),
    }
}

/// A person's finding in a form: what it is called there, and what recording it does to an order in this state.
pub struct Choice {
    pub finding: FindingWord,
    pub label: String,
    pub does: String,
}

/// The findings that a person may record about an order in this state.
pub fn choices(state: OrderState, supplier: &str, look_up: LookUp) -> Vec<Choice> {
    FindingWord::ALL
        .into_iter()
        .filter_map(|finding| {
            let does = finding_does(finding, state, look_up)?;
            Some(Choice {
                finding,
                label: finding_label(finding, supplier),
                does: does.to_owned(),
            })
        })
        .collect()
}

fn finding_label(finding: FindingWord, supplier: &str) -> String {
    match finding {
        FindingWord::AtSupplier => format!("{supplier} has it"),
        FindingWord::NotYetConfirmed => format!("{supplier} has it and has not said yes"),
        FindingWord::RefusedThere => format!("{supplier} refused or cancelled it"),
        FindingWord::NotAtSupplier => format!("{supplier} has no such order"),
        FindingWord::CouldNotTell => "I could not find out".to_owned(),
    }
}

/// Nothing for what a person does not record, or what an order in this state cannot take.
fn finding_does(finding: FindingWord, state: OrderState, look_up: LookUp) -> Option<&'static str> {
    let is_not_found = state == OrderState::Approved;
    match finding {
        FindingWord::AtSupplier if look_up.can_ask() => Some(
            "Confirms the order at once, under their number, marked “not compared”; then it is looked up and compared.",
        ),
        FindingWord::AtSupplier => Some("Confirms the order at once, under their number, marked “not compared”."),
        FindingWord::RefusedThere if is_not_found => None,
        FindingWord::RefusedThere => Some("Closes the order as refused. It is never sent again."),
        FindingWord::NotAtSupplier if is_not_found => {
            Some("Keeps it on hold, unsent, with what you found out. A release or resume sends it.")
        }
        FindingWord::NotAtSupplier if state == OrderState::Acknowledged => {
            Some("They said before that they have it: the order goes back to “Confirmation pending”.")
        }
        FindingWord::NotAtSupplier => Some("Puts it on hold, unsent. Then a person resumes or withdraws it."),
        FindingWord::CouldNotTell => Some("Keeps what you write, and changes nothing else."),
        FindingWord::NotYetConfirmed => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::look_up::Books;
    use chrono::DateTime;
    use chrono_tz::Tz;

    #[test]
    fn lengths_read_as_contracts_state_them() {
        for (seconds, words) in [
            (86_400, "24 hours"),
            (604_800, "7 days"),
            (1_800, "30 minutes"),
            (3_600, "1 hour"),
            (90, "90 seconds"),
        ] {
            assert_eq!(length(seconds), words);
        }
    }

    #[test]
    fn could_not_be_checked_is_never_told_as_no_record() {
        let at = |minute: i64| DateTime::from_timestamp(1_800_000_000 + 60 * minute, 0).expect("in range");
        let here = Here {
            now: at(30),
            zone: Tz::UTC,
        };
        let told = |answers: &[AnswerWord]| {
            let asked = answers.iter().zip(13..).map(|(answer, minute)| LookedUp {
                at: at(minute),
                answer: *answer,
                books: Books::default(),
                detail: String::new(),
                records: vec![],
                by: None,
            });
            asked_so_far(&asked.collect::<Vec<_>>(), here)
        };
        use AnswerWord::{CouldNotCheck, Found, None as NoRecord};
        assert_eq!(told(&[]), None);
        assert_eq!(
            told(&[NoRecord, NoRecord]).as_deref(),
            Some("Asked at 08:13 and 08:14: no record yet.")
        );
        assert_eq!(
            told(&[CouldNotCheck]).as_deref(),
            Some("Asked at 08:13: it could not be checked.")
        );
        assert_eq!(
            told(&[NoRecord, CouldNotCheck]).as_deref(),
            Some("Asked at 08:13: no record yet; asked again at 08:14, it could not be checked.")
        );
        assert_eq!(told(&[NoRecord, Found]), None);
    }
}
