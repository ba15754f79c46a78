//! The chain that the events of a tenant make (rule 16, case Q5): the hash of each goes over its predecessor's.
//!
//! Promises: what was changed, removed, put in another's place or cut off is named by its number, and the walk goes on
//! behind it. Must not: read events, or trust anything but their bytes and hashes.

use super::contents::Digest;
use super::ids::TenantId;
use super::restored::Head;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The hash of an event: SHA-256 over its predecessor's hash and its own bytes. The first has the empty predecessor.
pub fn chained(predecessor: &str, bytes: &str) -> Digest {
    Digest::of(format!("{predecessor}\n{bytes}").as_bytes())
}

/// The end of a tenant's log at one moment. Whoever keeps it outside of the house can tell later whether anything up to
/// there was changed, even by somebody who writes to the database and computes every hash anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub tenant: TenantId,
    /// Of the last event; 0 before the first.
    pub number: u64,
    /// Of the last event; empty before the first.
    pub hash: String,
}

impl Anchor {
    /// Without whose it is.
    pub fn head(&self) -> Head {
        Head {
            number: self.number,
            hash: self.hash.clone(),
        }
    }
}

/// Why a text names no event to hold a log against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("NUMBER:HASH, such as 212:sha256:9f3c…, as an export or `countersign verify` gave it")]
pub struct NotAnAnchor;

/// Reads `NUMBER:HASH`.
pub fn head_of(text: &str) -> Result<Head, NotAnAnchor> {
    let (number, hash) = text.trim().split_once(':').ok_or(NotAnAnchor)?;
    let hash: Digest = hash.parse().map_err(|_| NotAnAnchor)?;
    Ok(Head {
        number: number.parse().map_err(|_| NotAnAnchor)?,
        hash: hash.as_str().to_owned(),
    })
}

/// What does not hold at one place of a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Break {
    #[error("{} missing", are(.from, .to))]
    Missing { from: u64, to: u64 },
    #[error("event {number} does not fit its hash: it was changed, or the one before it was, together with its hash")]
    Changed { number: u64 },
    #[error("event {number} stands in the wrong place: it was written as event {written_as}")]
    Misplaced { number: u64, written_as: u64 },
    /// In a file: rows of a database come in their order.
    #[error("event {number} stands behind event {behind}")]
    OutOfOrder { number: u64, behind: u64 },
    #[error("{} missing at the end: event {to} is known to be the last", are(.from, .to))]
    CutOff { from: u64, to: u64 },
    #[error("the log goes on to event {number}, and event {last} is known to be the last")]
    Beyond { last: u64, number: u64 },
    #[error("event {number} is the last and has another hash than is known of it")]
    OtherHead { number: u64 },
    #[error("event {number}, which the anchor names, is missing")]
    AnchorMissing { number: u64 },
    #[error("event {number} has another hash than the anchor: what happened up to it was written anew")]
    AnchorDiffers { number: u64 },
}

impl Break {
    /// The first event it is about.
    pub fn number(&self) -> u64 {
        match self {
            Break::Missing { from, .. } | Break::CutOff { from, .. } => *from,
            Break::Beyond { last, .. } => *last + 1,
            Break::Changed { number }
            | Break::Misplaced { number, .. }
            | Break::OutOfOrder { number, .. }
            | Break::OtherHead { number }
            | Break::AnchorMissing { number }
            | Break::AnchorDiffers { number } => *number,
        }
    }
}

fn are(from: &u64, to: &u64) -> String {
    if from == to {
        format!("event {from} is")
    } else {
        format!("events {from} to {to} are")
    }
}

/// A walk along a chain, event by event, so that a long one need not be in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Number and hash of the event walked over last; 0 and empty before the first.
    pub number: u64,
    pub hash: String,
    /// The number of the first event that is missing or was changed.
    pub broken_at: Option<u64>,
    /// The hash that the last event should have by its bytes, where it has another.
    by_its_bytes: Option<String>,
    /// The last event stood in another's place, so its hash says nothing of the next.
    was_misplaced: bool,
    /// Hashes of events that stand in another's place, by the number they were written as.
    misplaced: BTreeMap<u64, String>,
    /// What is looked for on the way.
    anchor: Option<Head>,
    saw_anchor: bool,
}

impl Walk {
    /// A walk that looks for this event on its way.
    pub fn past(anchor: Head) -> Self {
        Self {
            saw_anchor: anchor.number == 0,
            anchor: Some(anchor),
            ..Self::default()
        }
    }

    /// Goes on to the next stored event; what does not hold there.
    pub fn step(&mut self, number: u64, bytes: &str, hash: &str) -> Vec<Break> {
        let found = if number <= self.number {
            self.misplaced.insert(number, hash.to_owned());
            let behind = self.number;
            vec![Break::OutOfOrder { number, behind }]
        } else {
            self.forward(number, bytes, hash)
        };
        if let Some(first) = found.first() {
            self.broken_at.get_or_insert(first.number());
        }
        found
    }

    fn forward(&mut self, number: u64, bytes: &str, hash: &str) -> Vec<Break> {
        let (mut found, from) = (Vec::new(), self.number + 1);
        if number > from {
            found.push(Break::Missing { from, to: number - 1 });
        }
        let expected = self.expected(number, bytes, hash);
        let elsewhere = written_as(bytes).filter(|written_as| *written_as != number);
        match elsewhere {
            Some(written_as) => found.push(Break::Misplaced { number, written_as }),
            None if expected.is_some() => found.push(Break::Changed { number }),
            None => {}
        }
        found.extend(self.meet_anchor(number, hash));
        if let Some(written_as) = elsewhere {
            self.misplaced.insert(written_as, hash.to_owned());
        }
        (self.number, self.hash) = (number, hash.to_owned());
        (self.by_its_bytes, self.was_misplaced) = (expected, elsewhere.is_some());
        found
    }

    /// Nothing where the hash fits, or where the predecessor's is not known; else the hash that was expected.
    fn expected(&self, number: u64, bytes: &str, hash: &str) -> Option<String> {
        let follows = number == self.number + 1;
        let last = follows.then_some(self.hash.as_str());
        let by_its_bytes = self.by_its_bytes.as_deref().filter(|_| follows);
        let elsewhere = number.checked_sub(1).and_then(|before| self.misplaced.get(&before));
        let known = [last, by_its_bytes, elsewhere.map(String::as_str)];
        let fits = |predecessor: &str| chained(predecessor, bytes).as_str() == hash;
        if known.into_iter().flatten().any(fits) {
            return None;
        }
        let sure = last.filter(|_| !self.was_misplaced);
        let predecessor = elsewhere.map(String::as_str).or(sure)?;
        Some(chained(predecessor, bytes).as_str().to_owned())
    }

    fn meet_anchor(&mut self, number: u64, hash: &str) -> Option<Break> {
        let anchor = self.anchor.as_ref().filter(|anchor| anchor.number == number)?;
        self.saw_anchor = true;
        (anchor.hash != hash).then_some(Break::AnchorDiffers { number })
    }

    /// What does not hold at the end, where `head` is known to be the last event.
    pub fn end(&self, head: &Head) -> Vec<Break> {
        let (number, last) = (self.number, head.number);
        let by_head = if last > number {
            let from = number + 1;
            Some(Break::CutOff { from, to: last })
        } else if last < number {
            Some(Break::Beyond { last, number })
        } else {
            (head.hash != self.hash).then_some(Break::OtherHead { number })
        };
        let by_anchor = self.anchor.as_ref().filter(|_| !self.saw_anchor);
        let by_anchor = by_anchor.map(|anchor| Break::AnchorMissing { number: anchor.number });
        by_head.into_iter().chain(by_anchor).collect()
    }
}

/// The number that an event says it has, if it says one.
fn written_as(bytes: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Numbered {
        number: u64,
    }
    serde_json::from_str::<Numbered>(bytes).ok().map(|one| one.number)
}

/// Where a chain does not hold: the number of the first event that is missing or was changed.
pub fn first_break<'a>(stored: impl IntoIterator<Item = (u64, &'a str, &'a str)>) -> Option<u64> {
    let mut walk = Walk::default();
    for (number, bytes, hash) in stored {
        walk.step(number, bytes, hash);
    }
    walk.broken_at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{Actor, Event, Happening, Subject};
    use crate::domain::ids::OrderId;
    use chrono::DateTime;

    type Stored = Vec<(u64, String, String)>;

    /// A sound chain of this many events.
    fn chain(many: u64) -> Stored {
        let mut chain = Stored::new();
        for number in 1..=many {
            let event = Event {
                number,
                at: DateTime::from_timestamp(1_800_000_000, 0).expect("in range"),
                actor: Actor::Worker,
                subject: Subject::Order(OrderId::from_random(u128::from(number))),
                happening: Happening::SupplierReleased,
            };
            let predecessor = chain.last().map_or("", |last| last.2.as_str()).to_owned();
            let hash = chained(&predecessor, &event.bytes());
            chain.push((number, event.bytes(), hash.to_string()));
        }
        chain
    }

    fn head(chain: &Stored) -> Head {
        let (number, _, hash) = chain.last().expect("an event");
        Head {
            number: *number,
            hash: hash.clone(),
        }
    }

    fn walked(mut walk: Walk, chain: &Stored, head: &Head) -> Vec<Break> {
        let step = |(number, bytes, hash): &(u64, String, String)| walk.step(*number, bytes, hash);
        let on_the_way: Vec<Break> = chain.iter().flat_map(step).collect();
        on_the_way.into_iter().chain(walk.end(head)).collect()
    }

    fn breaks(chain: &Stored, head: &Head) -> Vec<Break> {
        walked(Walk::default(), chain, head)
    }

    fn edit(bytes: &str) -> String {
        bytes.replace("worker", "command_line")
    }

    /// Every hash from this event on, computed anew.
    fn rehash(chain: &mut Stored, from: usize) {
        for at in from..chain.len() {
            let predecessor = at.checked_sub(1).map_or("", |before| &chain[before].2).to_owned();
            chain[at].2 = chained(&predecessor, &chain[at].1).to_string();
        }
    }

    #[test]
    fn a_sound_chain_is_whole() {
        let chain = chain(5);
        assert_eq!(breaks(&chain, &head(&chain)), []);
        assert_eq!(walked(Walk::past(head(&chain)), &chain, &head(&chain)), []);
        assert_eq!(walked(Walk::past(Head::default()), &Vec::new(), &Head::default()), []);
    }

    #[test]
    fn every_edit_is_named_and_nothing_behind_it() {
        let sound = chain(7);
        let mut chain = sound.clone();
        chain[2].1 = edit(&chain[2].1);
        chain[5].1 = edit(&chain[5].1);
        let named = [Break::Changed { number: 3 }, Break::Changed { number: 6 }];
        assert_eq!(breaks(&chain, &head(&sound)), named);
        // the hash alone
        let mut chain = sound.clone();
        chain[2].2 = chained("", "other").to_string();
        assert_eq!(breaks(&chain, &head(&sound)), [Break::Changed { number: 3 }]);
        // together with its hash: then it shows at the next
        let mut chain = sound.clone();
        chain[2].1 = edit(&chain[2].1);
        chain[2].2 = chained(&chain[1].2, &chain[2].1).to_string();
        assert_eq!(breaks(&chain, &head(&sound)), [Break::Changed { number: 4 }]);
    }

    #[test]
    fn what_is_missing_is_named_with_its_numbers() {
        let sound = chain(9);
        let mut chain = sound.clone();
        chain.retain(|(number, _, _)| ![2, 4, 5, 6].contains(number));
        let named = [Break::Missing { from: 2, to: 2 }, Break::Missing { from: 4, to: 6 }];
        assert_eq!(breaks(&chain, &head(&sound)), named);
        assert_eq!(named[0].to_string(), "event 2 is missing");
        assert_eq!(named[1].to_string(), "events 4 to 6 are missing");
        let mut chain = sound.clone();
        chain.remove(0);
        assert_eq!(breaks(&chain, &head(&sound)), [Break::Missing { from: 1, to: 1 }]);
    }

    #[test]
    fn events_that_changed_places_are_named_and_no_others() {
        let sound = chain(9);
        for (one, other) in [(2, 3), (2, 6)] {
            let swapped = |one: usize, other: usize| {
                let at = |here: usize, there: usize| Break::Misplaced {
                    number: here as u64 + 1,
                    written_as: there as u64 + 1,
                };
                vec![at(one, other), at(other, one)]
            };
            // rows with their hashes
            let mut rows = sound.clone();
            rows.swap(one, other);
            (rows[one].0, rows[other].0) = (rows[other].0, rows[one].0);
            assert_eq!(breaks(&rows, &head(&sound)), swapped(one, other));
            // bytes alone
            let mut bytes = sound.clone();
            (bytes[one].1, bytes[other].1) = (sound[other].1.clone(), sound[one].1.clone());
            assert_eq!(breaks(&bytes, &head(&sound)), swapped(one, other));
        }
        // the lines of a file
        let mut lines = sound.clone();
        lines.swap(3, 4);
        let named = [
            Break::Missing { from: 4, to: 4 },
            Break::OutOfOrder { number: 4, behind: 5 },
        ];
        assert_eq!(breaks(&lines, &head(&sound)), named);
    }

    #[test]
    fn numbers_that_were_closed_over_a_gap_do_not_hide_it() {
        let sound = chain(5);
        let mut chain = sound.clone();
        chain.remove(2);
        for (at, event) in chain.iter_mut().enumerate() {
            event.0 = at as u64 + 1;
        }
        let named = breaks(&chain, &head(&sound));
        let misplaced = |number, written_as| Break::Misplaced { number, written_as };
        assert_eq!(
            named,
            [misplaced(3, 4), misplaced(4, 5), Break::CutOff { from: 5, to: 5 }]
        );
    }

    #[test]
    fn a_log_that_was_cut_off_shows_by_its_head_and_by_the_anchor() {
        let sound = chain(6);
        let mut chain = sound.clone();
        chain.truncate(4);
        assert_eq!(breaks(&chain, &head(&sound)), [Break::CutOff { from: 5, to: 6 }]);
        // the head was written anew: only the anchor knows
        assert_eq!(breaks(&chain, &head(&chain)), []);
        let past = Walk::past(head(&sound));
        assert_eq!(
            walked(past, &chain, &head(&chain)),
            [Break::AnchorMissing { number: 6 }]
        );
        assert_eq!(breaks(&sound, &head(&chain)), [Break::Beyond { last: 4, number: 6 }]);
    }

    #[test]
    fn a_log_that_was_written_anew_shows_by_the_anchor_alone() {
        let sound = chain(6);
        let mut chain = sound.clone();
        chain[2].1 = edit(&chain[2].1);
        rehash(&mut chain, 2);
        assert_eq!(breaks(&chain, &head(&chain)), []);
        assert_eq!(breaks(&chain, &head(&sound)), [Break::OtherHead { number: 6 }]);
        let past = Walk::past(head(&sound));
        assert_eq!(
            walked(past, &chain, &head(&chain)),
            [Break::AnchorDiffers { number: 6 }]
        );
    }

    #[test]
    fn the_first_break_is_where_it_begins() {
        let sound = chain(5);
        let first =
            |chain: &Stored| first_break(chain.iter().map(|(number, bytes, hash)| (*number, &**bytes, &**hash)));
        assert_eq!(first(&sound), None);
        let mut changed = sound.clone();
        changed[2].1 = edit(&changed[2].1);
        assert_eq!(first(&changed), Some(3));
        let mut dropped = sound.clone();
        dropped.remove(1);
        assert_eq!(first(&dropped), Some(2));
        let mut swapped = sound.clone();
        swapped.swap(3, 4);
        assert_eq!(first(&swapped), Some(4));
    }

    #[test]
    fn an_anchor_is_read_as_it_is_printed() {
        let head = head(&chain(3));
        assert_eq!(head_of(&format!("{}:{}", head.number, head.hash)), Ok(head));
        for text in ["", "3", "3:", "3:abc", "x:sha256:00", "sha256:00"] {
            assert_eq!(head_of(text), Err(NotAnAnchor), "{text}");
        }
    }
}
