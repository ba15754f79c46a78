//! How a case closed, read off the log of what it is about: who or what did it, when, and what led to it.
//!
//! Promises: it tells what the log tells, and guesses nothing. Must not: read anything but the events it is given.

use super::event::{Actor, Event, Happening};
use super::ids::{AttemptId, CaseId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// How a case closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    pub at: DateTime<Utc>,
    /// Who or what closed it.
    pub by: Actor,
    /// A person's request that what closed it followed: to send it once more, or to ask the supplier.
    pub wanted: Option<Event>,
    /// What happened in the moment it closed; nothing where the log does not tell.
    pub because: Option<Event>,
    /// The attempts up to then, oldest first: people count them.
    pub attempts: Vec<AttemptId>,
}

impl Closing {
    /// What led to it, oldest first.
    pub fn story(&self) -> Vec<Event> {
        self.wanted.iter().chain(&self.because).cloned().collect()
    }

    /// Whoever wanted what closed it, where nobody closed it by hand.
    pub fn wanted_by(&self) -> Option<&str> {
        self.wanted.as_ref().and_then(|event| event.actor.person())
    }
}

/// How this case closed; nothing while it is open. `history` is everything that happened to what it is about, oldest first.
pub fn closing_of(history: &[Event], case: &CaseId) -> Option<Closing> {
    closed(
        history,
        |happening| matches!(happening, Happening::CaseClosed { case: one, .. } if one == case),
    )
}

/// How the case that closed last did so.
pub fn last_closing(history: &[Event]) -> Option<Closing> {
    closed(history, |happening| matches!(happening, Happening::CaseClosed { .. }))
}

fn closed(history: &[Event], is_it: impl Fn(&Happening) -> bool) -> Option<Closing> {
    let place = history.iter().rposition(|event| is_it(&event.happening))?;
    let (before, closed) = (history.get(..place)?, history.get(place)?);
    let moment = || before.iter().rev().take_while(|event| event.at == closed.at);
    let because = moment().find(|event| event.actor == closed.actor && closes(&event.happening));
    let asked = moment().find(|event| asks_the_supplier(event));
    let sent = because.and_then(|event| sent_for(before, event.happening.attempt()?));
    Some(Closing {
        at: closed.at,
        by: closed.actor.clone(),
        wanted: sent.or(asked).cloned(),
        because: because.cloned(),
        attempts: before.iter().filter_map(|event| opened(&event.happening)).collect(),
    })
}

/// What a case can close with.
fn closes(happening: &Happening) -> bool {
    matches!(
        happening,
        Happening::AttemptOpened { .. }
            | Happening::AttemptClosed { .. }
            | Happening::LateReply { .. }
            | Happening::LeaseLapsed { .. }
            | Happening::OrderReleased { .. }
            | Happening::ReleaseWanted { .. }
            | Happening::OrderWithdrawn { .. }
            | Happening::CaseDecided { .. }
            | Happening::FindingEstablished { .. }
            | Happening::LateRecord { .. }
            | Happening::SupplierReleased
    )
}

/// A look-up belongs to whoever wanted it; what follows from its answer is the worker's.
fn asks_the_supplier(event: &Event) -> bool {
    event.actor.person().is_some() && matches!(event.happening, Happening::LookedUp { .. })
}

fn opened(happening: &Happening) -> Option<AttemptId> {
    match happening {
        Happening::AttemptOpened { attempt } => Some(attempt.clone()),
        _ => None,
    }
}

/// The person's request that this attempt followed: made since the attempt before it.
fn sent_for<'a>(before: &'a [Event], attempt: &AttemptId) -> Option<&'a Event> {
    let opened_at = before
        .iter()
        .rposition(|event| opened(&event.happening).as_ref() == Some(attempt))?;
    let since = before.get(..opened_at)?.iter().rev();
    let mut since = since.take_while(|event| opened(&event.happening).is_none());
    since.find(|event| event.actor.person().is_some() && event.happening.wants_a_send())
}

#[cfg(test)]
mod tests {
    use super::super::attempt::ReplyWord;
    use super::super::case::CaseKind;
    use super::super::event::Subject;
    use super::super::ids::{OrderId, PersonId};
    use super::super::look_up::{AnswerWord, FindingWord, Source};
    use super::super::order::OrderState;
    use super::*;

    fn rolf() -> Actor {
        Actor::Person {
            id: PersonId::from_random(1),
            name: "Rolf".to_owned(),
        }
    }

    /// A log of so many moments, each of what one actor did.
    fn log(told: Vec<(i64, Actor, Happening)>) -> Vec<Event> {
        let event = |((second, actor, happening), number)| Event {
            number,
            at: DateTime::from_timestamp(1_800_000_000 + second, 0).expect("in range"),
            actor,
            subject: Subject::Order(OrderId::from_random(1)),
            happening,
        };
        told.into_iter().zip(1..).map(event).collect()
    }

    fn case(number: u128) -> CaseId {
        CaseId::from_random(number)
    }

    fn closed(number: u128) -> Happening {
        Happening::CaseClosed {
            case: case(number),
            case_kind: CaseKind::Pending,
        }
    }

    fn attempt(number: u128) -> AttemptId {
        AttemptId::from_random(number)
    }

    fn opens(number: u128) -> Happening {
        Happening::AttemptOpened {
            attempt: attempt(number),
        }
    }

    fn ends(number: u128, reply: ReplyWord) -> Happening {
        Happening::AttemptClosed {
            attempt: attempt(number),
            reply,
            detail: String::new(),
            from: OrderState::Submitting,
            to: OrderState::Confirmed,
        }
    }

    fn found(source: Source) -> Happening {
        Happening::FindingEstablished {
            finding: FindingWord::AtSupplier,
            source,
            reference: Some("A-1".to_owned()),
            evidence: None,
            from: OrderState::ConfirmationPending,
            to: OrderState::Confirmed,
        }
    }

    #[test]
    fn a_case_that_is_open_has_not_closed() {
        let history = log(vec![(1, Actor::Worker, opens(1))]);
        assert_eq!(last_closing(&history), None);
        assert_eq!(closing_of(&history, &case(1)), None);
    }

    #[test]
    fn a_persons_finding_closes_it_by_hand() {
        let history = log(vec![
            (1, Actor::Worker, opens(1)),
            (2, Actor::Worker, ends(1, ReplyWord::Unknown)),
            (9, rolf(), found(Source::Person)),
            (9, rolf(), closed(1)),
        ]);
        let closing = closing_of(&history, &case(1)).expect("it closed");
        assert_eq!((closing.by.clone(), closing.wanted_by()), (rolf(), None));
        assert_eq!(closing.because.as_ref(), history.get(2));
        assert_eq!(closing.attempts, [attempt(1)]);
        assert_eq!(closing_of(&history, &case(2)), None, "another case");
    }

    #[test]
    fn what_a_look_up_settles_is_told_with_whoever_wanted_it() {
        let asked = |who| {
            let looked_up = Happening::LookedUp {
                answer: AnswerWord::Found,
                detail: String::new(),
            };
            log(vec![
                (9, who, looked_up),
                (9, Actor::Worker, found(Source::LookUp)),
                (9, Actor::Worker, closed(1)),
            ])
        };
        let closing = last_closing(&asked(rolf())).expect("it closed");
        assert_eq!((closing.by.clone(), closing.wanted_by()), (Actor::Worker, Some("Rolf")));
        let closing = last_closing(&asked(Actor::Worker)).expect("it closed");
        assert_eq!(closing.wanted_by(), None, "by itself");
        assert_eq!(closing.story().len(), 1);
    }

    #[test]
    fn an_attempt_that_settles_it_is_told_with_the_request_that_it_followed_and_no_older_one() {
        let history = log(vec![
            (1, Actor::Worker, opens(1)),
            (2, Actor::Worker, ends(1, ReplyWord::Unknown)),
            (5, rolf(), Happening::ResumeWanted),
            (6, Actor::Worker, opens(2)),
            (7, Actor::Worker, ends(2, ReplyWord::Accepted)),
            (7, Actor::Worker, closed(1)),
            (8, Actor::Worker, opens(3)),
            (9, Actor::Worker, ends(3, ReplyWord::Accepted)),
            (9, Actor::Worker, closed(2)),
        ]);
        let first = closing_of(&history, &case(1)).expect("it closed");
        assert_eq!((first.wanted_by(), first.story().len()), (Some("Rolf"), 2));
        assert_eq!(first.attempts, [attempt(1), attempt(2)]);
        let second = last_closing(&history).expect("it closed");
        assert_eq!((second.wanted_by(), second.story().len()), (None, 1));
    }
}
