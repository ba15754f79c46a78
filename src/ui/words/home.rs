//! The words of the way home: what a supplier promises, what it answered, why a repeat is safe, and what stands in the
//! way of another purchase.

use crate::domain::contract::{Ground, KeyPromise, LookUp, SupplierContract};
use crate::domain::look_up::{AnswerWord, FindingWord, LookedUp, Standing};
use crate::domain::order::OrderState;
use crate::domain::ways::OtherPurchase;
use crate::ui::moment::Here;

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

/// What a supplier promises, one sentence a promise.
pub fn promises(contract: &SupplierContract) -> Vec<String> {
    let mut said = vec![key_promise(contract.key.as_ref())];
    if contract.reference_unique {
        said.push("Refuses a second order with our reference.".to_owned());
    }
    said.push(look_up_promise(contract));
    if contract.settle_seconds > 0 {
        let length = length(contract.settle_seconds);
        said.push(format!(
            "May need {length} to work through an order; before that, “no record” says nothing."
        ));
    }
    said
}

fn key_promise(key: Option<&KeyPromise>) -> String {
    match key {
        None => "Does not recognise a repeat: the same order sent twice may be bought twice.".to_owned(),
        Some(key) if key.window_seconds <= 0 => {
            "Takes our key, but does not say for how long; so no repeat counts as safe.".to_owned()
        }
        Some(key) => {
            let errors = if key.replays_saved_errors {
                ", also where that was an error"
            } else {
                ""
            };
            format!(
                "Keeps our key for {} from the first send; a repeat gets the first answer{errors}.",
                length(key.window_seconds)
            )
        }
    }
}

fn look_up_promise(contract: &SupplierContract) -> String {
    match (contract.look_up, contract.look_up_lag_seconds) {
        (LookUp::None, _) => "Cannot be asked by us: somebody has to call or write.".to_owned(),
        (LookUp::Exact, ..=0) => "Can be asked by our reference; a new order shows up at once.".to_owned(),
        (LookUp::Exact, lag) => {
            format!(
                "Can be asked by our reference; a new order shows up within {}.",
                length(lag)
            )
        }
    }
}

/// What sending it once more leads to, by the ground it stands on.
pub fn resume_leads_to(ground: Ground, supplier: &str, look_up: LookUp) -> String {
    match (ground, look_up) {
        (Ground::Key { .. }, _) => format!("If {supplier} has it already, it answers with that one."),
        (Ground::UniqueReference, _) => {
            format!("{supplier} refuses a second order with our reference: it cannot be bought twice.")
        }
        (Ground::NotFound, LookUp::Exact) => {
            "It is looked up once more right before the send, and only sent if there is still no record.".to_owned()
        }
        (Ground::NotFound, LookUp::None) => {
            format!(
                "{supplier} cannot be looked up: it is sent on the word of whoever asked them, for 15 minutes after."
            )
        }
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

/// How a changed purchase is started, once nothing stands in its way.
pub fn start_of_change(other: OtherPurchase) -> &'static str {
    match other {
        OtherPurchase::WaitForIt | OtherPurchase::SettleFirst | OtherPurchase::WithdrawFirst => {
            "It gets an approval and an order of its own. Once this one is settled, the assistant can suggest it."
        }
        OtherPurchase::SecondPurchase | OtherPurchase::Free => "The assistant can suggest it as a new wish.",
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
        FindingWord::AtSupplier => Some(match look_up {
            LookUp::Exact => {
                "Confirms the order at once, under their number, marked “not compared”; then it is looked up and compared."
            }
            LookUp::None => "Confirms the order at once, under their number, marked “not compared”.",
        }),
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
