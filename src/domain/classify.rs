//! Sorting a supplier's whole answer to a submit into a reply (rules 7 and 12, cases W3 to W9).
//!
//! Promises: only what the contract lists, or its success predicate, is definite; everything else is unknown. Must not:
//! read the wire, or settle a doubt. What a reply does to the order is `domain::order`'s.

use super::attempt::{NotSent, Reply};
use super::calendar::span;
use super::contract::{Means, SupplierContract};
use super::difference::Recorded;
use super::look_up::Standing;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// However long a supplier asks us to wait, we look again after a day (case W9).
pub const MOST_WAIT: TimeDelta = TimeDelta::days(1);

/// A whole answer, as the wire brought it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    pub status: u16,
    /// The supplier's own code for what happened, where its file says where that stands.
    pub code: Option<String>,
    /// What it says of the order; nothing when it cannot be read.
    pub said: Option<Said>,
    /// Where it points to.
    pub location: Option<String>,
    /// How long it asks us to wait, already clamped.
    pub retry_after: Option<TimeDelta>,
    /// It carries the contract's replay marker.
    pub is_replay: bool,
    /// The piece of it that is kept for people.
    pub excerpt: Option<String>,
}

/// What a readable answer says of the order, by the predicates of the supplier's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub standing: Standing,
    pub number: Option<String>,
    pub record: Option<Recorded>,
}

/// What was known when the attempt opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Before {
    /// An earlier attempt was in doubt: what is definite else may now be a saved answer.
    pub doubt: bool,
    /// Status and kept piece of the answer that the attempt before got, when it settled nothing.
    pub last: Option<(u16, Option<String>)>,
}

/// What an answer that settles nothing meant, where the contract tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// An earlier request with this key is still being worked on (case W6).
    InFlight,
    /// This key was used with another body.
    OtherBody,
    /// Our reference exists there.
    Exists,
    /// The answer that was saved for the key: no new attempt was made there (case W5).
    SavedAnswer,
}

impl Meaning {
    /// Every meaning.
    pub const ALL: [Self; 4] = [Self::InFlight, Self::OtherBody, Self::Exists, Self::SavedAnswer];
    /// The word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::OtherBody => "other_body",
            Self::Exists => "exists",
            Self::SavedAnswer => "saved_answer",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|meaning| meaning.word() == word)
    }
}

/// An answer, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    pub reply: Reply,
    pub meaning: Option<Meaning>,
    /// As a sentence for people.
    pub detail: String,
}

impl Sorted {
    fn definite(reply: Reply, detail: String) -> Self {
        Self {
            reply,
            meaning: None,
            detail,
        }
    }
    fn unknown(meaning: Option<Meaning>, reference: Option<String>, detail: String) -> Self {
        Self {
            reply: Reply::Unknown { reference },
            meaning,
            detail,
        }
    }
}

/// Sorts a whole answer. What the contract lists keeps its word also after a doubtful attempt, and its sentence says that
/// it does not answer that one; the machine does not let it erase the doubt (case C9).
pub fn classify(heard: &Heard, contract: &SupplierContract, before: &Before) -> Sorted {
    let status = heard.status;
    let mut sorted = match contract.means(status, heard.code.as_deref()) {
        Some(means) => named(means, heard),
        None if (200..300).contains(&status) => success(heard, contract),
        None => Sorted::unknown(None, None, unlisted(heard)),
    };
    let is_definite = matches!(sorted.reply, Reply::Refused | Reply::NotSent(_));
    if is_definite && before.doubt {
        sorted.detail.push_str(" That does not answer the attempt before it.");
    }
    if is_saved(heard, &sorted, contract, before) {
        sorted.meaning = Some(Meaning::SavedAnswer);
        sorted.detail = format!("The supplier gave its saved answer ({status}); no new attempt was made there.");
    }
    sorted
}

/// What the contract names by its status or code.
fn named(means: Means, heard: &Heard) -> Sorted {
    let status = heard.status;
    match means {
        Means::TurnedAway => {
            let why = NotSent {
                retry_after: heard.retry_after,
                hold_supplier: matches!(status, 401 | 403),
            };
            let asked = heard.retry_after.filter(|wait| !wait.is_zero()).map(asked_to_wait);
            let detail = format!("The supplier turned it away ({status}).{}", asked.unwrap_or_default());
            Sorted::definite(Reply::NotSent(why), detail)
        }
        Means::Refused => Sorted::definite(Reply::Refused, format!("The supplier refused it ({status}).")),
        Means::InFlight => Sorted::unknown(
            Some(Meaning::InFlight),
            None,
            format!("The supplier is still working on an earlier request with our key ({status})."),
        ),
        Means::OtherBody => Sorted::unknown(
            Some(Meaning::OtherBody),
            None,
            format!("The supplier says that our key was used with other contents ({status})."),
        ),
        Means::Exists => Sorted::unknown(
            Some(Meaning::Exists),
            None,
            format!("The supplier says that it has an order with our reference ({status})."),
        ),
    }
}

/// A 2xx: its success predicate decides, not the status (case W7).
fn success(heard: &Heard, contract: &SupplierContract) -> Sorted {
    let status = heard.status;
    let Some(said) = &heard.said else {
        let detail = format!("The supplier answered {status}, but the answer cannot be read.");
        return Sorted::unknown(None, heard.location.clone(), detail);
    };
    let number = said.number.clone();
    match (said.standing, number, said.record.clone()) {
        (Standing::Confirmed | Standing::NotYet, number, _) if contract.messages => {
            let detail = format!("The supplier received it ({status}); its business answer is awaited.");
            Sorted::definite(Reply::Acknowledged { reference: number }, detail)
        }
        (Standing::Confirmed, Some(reference), Some(_)) if contract.read_back => {
            let detail =
                format!("The supplier confirmed it as {reference}; its record is read back before that counts.");
            let reference = Some(reference);
            Sorted::definite(Reply::Acknowledged { reference }, detail)
        }
        (Standing::Confirmed, Some(reference), Some(record)) => {
            let again = if heard.is_replay {
                " This is the answer it had saved."
            } else {
                ""
            };
            let detail = format!("The supplier confirmed it as {reference}.{again}");
            Sorted::definite(Reply::Accepted { reference, record }, detail)
        }
        (Standing::NotYet, number, _) => {
            let detail = format!("The supplier has it and has not confirmed it yet ({status}).");
            Sorted::definite(Reply::Acknowledged { reference: number }, detail)
        }
        (Standing::Refused, _, _) => {
            let detail = format!("The supplier answered {status}, and says in it that the order is refused.");
            Sorted::definite(Reply::Refused, detail)
        }
        (Standing::Confirmed | Standing::Unnamed, number, _) => {
            let detail = format!("The supplier answered {status}, but did not say that the order is placed.");
            Sorted::unknown(None, number.or_else(|| heard.location.clone()), detail)
        }
    }
}

/// Whether an answer that settles nothing is the one saved for the key: marked so, or word for word the one before. A
/// gateway's words are always the same, and without words nothing can be compared.
fn is_saved(heard: &Heard, sorted: &Sorted, contract: &SupplierContract, before: &Before) -> bool {
    let saves = contract.key.as_ref().is_some_and(|key| key.replays_saved_errors);
    let settles_nothing = matches!(sorted.reply, Reply::Unknown { .. }) && sorted.meaning.is_none();
    let is_gateway = matches!(heard.status, 502..=504);
    let same = before.last.as_ref() == Some(&(heard.status, heard.excerpt.clone()));
    let same = same && heard.excerpt.is_some() && !is_gateway;
    saves && settles_nothing && heard.status >= 400 && (heard.is_replay || same)
}

/// What they asked for, in words; what is longer than we obey is said as such (case W9).
fn asked_to_wait(wait: TimeDelta) -> String {
    if wait >= MOST_WAIT {
        " It asked us to wait a day or longer.".to_owned()
    } else {
        format!(" It asked us to wait {}.", span(wait))
    }
}

fn unlisted(heard: &Heard) -> String {
    let status = heard.status;
    match &heard.location {
        Some(to) if (300..400).contains(&status) => {
            let to: String = to.chars().take(200).collect();
            format!("The supplier answered {status} and pointed to {to}; that was not followed.")
        }
        Some(_) | None => format!("The supplier answered {status}, which does not say whether the order is placed."),
    }
}

#[cfg(test)]
mod tests {
    use super::super::attempt::ReplyWord;
    use super::super::contract::{Carried, KeyPromise, Listed, PastWindow};
    use super::*;

    fn contract() -> SupplierContract {
        let listed = |status, code: Option<&str>, means| Listed {
            status,
            code: code.map(str::to_owned),
            means,
        };
        SupplierContract {
            key: Some(KeyPromise {
                carried: Carried::Body,
                window_seconds: 86_400,
                past_window: PastWindow::CreatesAnew,
                replays_saved_errors: true,
                checks_body: true,
                replay_marker: Some("idempotent-replayed".to_owned()),
            }),
            answers: vec![
                listed(422, None, Means::Refused),
                listed(402, Some("declined"), Means::Refused),
                listed(429, None, Means::TurnedAway),
                listed(401, None, Means::TurnedAway),
                listed(409, Some("in_flight"), Means::InFlight),
                listed(409, Some("key_reused"), Means::OtherBody),
                listed(409, Some("exists"), Means::Exists),
            ],
            ..SupplierContract::nothing()
        }
    }

    fn heard(status: u16, code: Option<&str>) -> Heard {
        Heard {
            status,
            code: code.map(str::to_owned),
            said: None,
            location: None,
            retry_after: None,
            is_replay: false,
            excerpt: Some("words".to_owned()),
        }
    }

    fn telling(status: u16, standing: Standing, number: Option<&str>) -> Heard {
        Heard {
            said: Some(Said {
                standing,
                number: number.map(str::to_owned),
                record: Some(Recorded::default()),
            }),
            ..heard(status, None)
        }
    }

    fn sorts(heard: &Heard, contract: &SupplierContract) -> (ReplyWord, Option<Meaning>) {
        let sorted = classify(heard, contract, &Before::default());
        (sorted.reply.word(), sorted.meaning)
    }

    #[test]
    fn only_what_the_contract_lists_or_its_predicate_is_definite() {
        use ReplyWord::{Accepted, Acknowledged, NotSent, Refused, Unknown};
        let table = [
            // listed, by status, and by status and code (case W6)
            (heard(422, Some("whatever")), Refused, None),
            (heard(402, Some("declined")), Refused, None),
            (heard(402, Some("other")), Unknown, None),
            (heard(402, None), Unknown, None),
            (heard(429, None), NotSent, None),
            (heard(401, None), NotSent, None),
            (heard(409, Some("in_flight")), Unknown, Some(Meaning::InFlight)),
            (heard(409, Some("key_reused")), Unknown, Some(Meaning::OtherBody)),
            (heard(409, Some("exists")), Unknown, Some(Meaning::Exists)),
            (heard(409, Some("stocktaking")), Unknown, None),
            (heard(409, None), Unknown, None),
            // not listed (rule 7, cases W4 and W8)
            (heard(301, None), Unknown, None),
            (heard(400, None), Unknown, None),
            (heard(403, None), Unknown, None),
            (heard(408, None), Unknown, None),
            (heard(500, None), Unknown, None),
            (heard(502, None), Unknown, None),
            (heard(503, None), Unknown, None),
            (heard(504, None), Unknown, None),
            // unreadable (case W3)
            (heard(200, None), Unknown, None),
            (heard(204, None), Unknown, None),
            // the success predicate decides, not the status (case W7)
            (telling(200, Standing::Confirmed, Some("A-1")), Accepted, None),
            (telling(201, Standing::Confirmed, Some("A-1")), Accepted, None),
            (telling(201, Standing::Confirmed, None), Unknown, None),
            (telling(202, Standing::NotYet, Some("A-1")), Acknowledged, None),
            (telling(200, Standing::NotYet, None), Acknowledged, None),
            (telling(200, Standing::Refused, Some("A-1")), Refused, None),
            (telling(200, Standing::Unnamed, Some("A-1")), Unknown, None),
        ];
        for (heard, reply, meaning) in table {
            assert_eq!(sorts(&heard, &contract()), (reply, meaning), "{heard:?}");
        }
    }

    #[test]
    fn a_yes_is_only_receipt_where_messages_go_and_only_a_claim_where_it_is_read_back() {
        let yes = telling(201, Standing::Confirmed, Some("A-1"));
        let messages = SupplierContract {
            messages: true,
            ..contract()
        };
        assert_eq!(sorts(&yes, &messages), (ReplyWord::Acknowledged, None));
        let unnamed = telling(200, Standing::Unnamed, None);
        assert_eq!(
            sorts(&unnamed, &messages),
            (ReplyWord::Unknown, None),
            "anybody can answer with JSON"
        );
        let refused = telling(200, Standing::Refused, None);
        assert_eq!(sorts(&refused, &messages).0, ReplyWord::Refused);
        assert_eq!(sorts(&heard(200, None), &messages).0, ReplyWord::Unknown, "unreadable");
        let read_back = SupplierContract {
            read_back: true,
            ..contract()
        };
        assert_eq!(sorts(&yes, &read_back), (ReplyWord::Acknowledged, None));
    }

    #[test]
    fn a_saved_answer_is_told_by_its_marker_or_by_its_very_words() {
        // case W5
        let before = |status| Before {
            doubt: true,
            last: Some((status, Some("words".to_owned()))),
        };
        let saved = |heard: &Heard, contract: &SupplierContract, before: &Before| {
            classify(heard, contract, before).meaning == Some(Meaning::SavedAnswer)
        };
        assert!(saved(&heard(500, None), &contract(), &before(500)));
        assert!(
            !saved(&heard(500, None), &contract(), &Before::default()),
            "the first time"
        );
        assert!(!saved(&heard(500, None), &contract(), &before(400)), "another answer");
        assert!(!saved(&heard(502, None), &contract(), &before(502)), "a gateway");
        let silent = Heard {
            excerpt: None,
            ..heard(500, None)
        };
        let before_silent = Before {
            doubt: true,
            last: Some((500, None)),
        };
        assert!(!saved(&silent, &contract(), &before_silent), "nothing to compare");
        let marked = Heard {
            is_replay: true,
            ..heard(500, None)
        };
        assert!(saved(&marked, &contract(), &Before::default()));
        let forgetful = SupplierContract {
            key: None,
            ..contract()
        };
        assert!(!saved(&heard(500, None), &forgetful, &before(500)), "runs again");
    }

    #[test]
    fn what_is_definite_answers_its_own_attempt_alone() {
        // case C9
        let before = Before {
            doubt: true,
            last: None,
        };
        for (status, reply) in [(422, ReplyWord::Refused), (429, ReplyWord::NotSent)] {
            let sorted = classify(&heard(status, None), &contract(), &before);
            assert_eq!(sorted.reply.word(), reply);
            assert!(
                sorted.detail.ends_with("does not answer the attempt before it."),
                "{}",
                sorted.detail
            );
        }
    }

    #[test]
    fn the_sentences_name_what_they_asked_for_and_where_they_pointed() {
        let said = |heard: &Heard| classify(heard, &contract(), &Before::default()).detail;
        let waiting = |wait| Heard {
            retry_after: Some(wait),
            ..heard(429, None)
        };
        assert!(said(&waiting(TimeDelta::minutes(2))).contains("2 min"));
        assert!(said(&waiting(TimeDelta::days(1))).contains("a day or longer"));
        let redirect = Heard {
            location: Some("https://login.example/".to_owned()),
            ..heard(302, None)
        };
        assert!(said(&redirect).contains("login.example") && said(&redirect).contains("not followed"));
    }
}
