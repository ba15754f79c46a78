//! Rules that a test takes out on purpose, to see that the randomized run finds what each of them prevents.
//!
//! Promises: without the feature `mutants` nothing is ever taken out. Must not: be read by anything but the function that
//! is the rule.

use std::sync::atomic::{AtomicU8, Ordering};

/// A rule that can be taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Rule {
    /// Rule 9: what is kept to the end of a key's window.
    Margin = 1,
    /// Rule 9: `may_resume` judged again in the transaction that opens the attempt.
    SecondJudgement = 2,
    /// Rules 8 and 9, case C9: "refused" and "not sent" do not erase an earlier attempt's doubt, and the worker sends by
    /// itself only while there is none.
    Doubt = 3,
    /// Case C11: the longer of both versions' settle times and lags counts.
    Slower = 4,
    /// Rule 10: only answers out of the books that the order was submitted to count.
    OwnBooks = 5,
}

static TAKEN_OUT: AtomicU8 = AtomicU8::new(0);

/// Takes a rule out, for the whole process; nothing without the feature `mutants`.
pub fn take_out(rule: Option<Rule>) {
    TAKEN_OUT.store(rule.map_or(0, |rule| rule as u8), Ordering::Relaxed);
}

/// Whether the rule is taken out.
pub fn is_taken_out(rule: Rule) -> bool {
    crate::MUTANTS && TAKEN_OUT.load(Ordering::Relaxed) == rule as u8
}
