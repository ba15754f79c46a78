//! How many things have changed since a page was read.
//!
//! Promises: a thing counts once, however often it changed; no more is kept or read than it takes to say "many". Must not:
//! tell what changed, or ask the database.

use super::event::Subject;
use std::collections::BTreeSet;

/// More than this is told as "99+".
pub const MOST: u32 = 99;
/// More happenings than this are not read: a page that old is told the same.
const MOST_READ: usize = 5_000;

/// The things that changed after one event.
#[derive(Debug, Clone)]
pub struct Touched {
    /// The last event that was looked at.
    after: u64,
    read: usize,
    things: BTreeSet<String>,
}

impl Touched {
    /// Nothing yet, after this event.
    pub fn since(event: u64) -> Self {
        Self {
            after: event,
            read: 0,
            things: BTreeSet::new(),
        }
    }

    /// The last event that was looked at.
    pub fn after(&self) -> u64 {
        self.after
    }

    /// Whether what happened up to this event has to be looked at.
    pub fn is_behind(&self, head: u64) -> bool {
        self.after < head && !self.is_many()
    }

    /// Looks at what the next events are about.
    pub fn look_at(&mut self, next: impl IntoIterator<Item = (u64, Subject)>) {
        for (number, subject) in next {
            self.after = number;
            self.read += 1;
            self.things.extend(thing(&subject));
        }
    }

    /// How many there are; more than [`MOST`] are all the same.
    pub fn count(&self) -> u32 {
        let count = u32::try_from(self.things.len()).unwrap_or(u32::MAX);
        if self.is_many() { MOST + 1 } else { count }
    }

    fn is_many(&self) -> bool {
        self.things.len() > MOST as usize || self.read > MOST_READ
    }
}

/// What a queue shows: orders, suggestions, suppliers.
fn thing(subject: &Subject) -> Option<String> {
    match subject {
        Subject::Order(id) => Some(id.to_string()),
        Subject::Suggestion(id) => Some(id.to_string()),
        Subject::Supplier(id) => Some(format!("supplier {id}")),
        Subject::Tenant | Subject::Intent(_) | Subject::Site(_) | Subject::Person(_) | Subject::Token(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supplier(number: u64) -> Subject {
        Subject::Supplier(format!("s-{number}"))
    }

    #[test]
    fn a_thing_counts_once_and_what_no_queue_shows_does_not() {
        let mut touched = Touched::since(7);
        assert!(!touched.is_behind(7) && touched.is_behind(8));
        touched.look_at([
            (8, supplier(1)),
            (9, supplier(2)),
            (10, supplier(1)),
            (11, Subject::Tenant),
        ]);
        assert_eq!((touched.count(), touched.after()), (2, 11));
        assert!(!touched.is_behind(11));
    }

    #[test]
    fn many_are_many_and_no_more_is_read() {
        let mut touched = Touched::since(0);
        touched.look_at((1..=100).map(|number| (number, supplier(number))));
        assert_eq!(touched.count(), MOST + 1);
        assert!(!touched.is_behind(u64::MAX));
        let mut busy = Touched::since(0);
        busy.look_at((1..=6_000).map(|number| (number, supplier(1))));
        assert_eq!(busy.count(), MOST + 1);
    }
}
