//! The log and what is looked for in it.

use crate::domain::activity::{By, Field, Kind, Unreadable};
use crate::domain::event::Subject;

/// A kind of what happened, in the list to choose from.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Suggestions => "Suggestions taken in",
        Kind::Approvals => "Approvals and other decisions",
        Kind::Sending => "Sending",
        Kind::Findings => "Look-ups and findings",
        Kind::Cases => "Cases",
        Kind::Holds => "Holds, releases and withdrawals",
        Kind::House => "People and settings",
    }
}

/// Who acted, where it was no person with a name.
pub fn by(by: &By) -> &'static str {
    match by {
        By::Person(_) => "A person",
        By::Program => "A program",
        By::Worker => "The worker",
        By::CommandLine => "The command line",
        By::System => "The system",
    }
}

/// What an event is about, before its id or name.
pub fn subject(subject: &Subject) -> &'static str {
    match subject {
        Subject::Tenant => "Everything",
        Subject::Intent(_) => "Intent",
        Subject::Suggestion(_) => "Suggestion",
        Subject::Order(_) => "Order",
        Subject::Supplier(_) => "Supplier",
        Subject::Site(_) => "Site",
        Subject::Person(_) => "Person",
        Subject::Token(_) => "Token",
    }
}

/// Why the log cannot be looked through like this, and how it can.
pub fn unreadable(why: Unreadable) -> &'static str {
    match why {
        Unreadable::Field(Field::About) => {
            "About: this is no id. Write the id of an order (po_…), a suggestion (sug_…), a supplier, an intent or a person, \
             as its page or the list below names it."
        }
        Unreadable::Field(Field::By) => "By: nobody goes by this name here. Choose somebody from the list.",
        Unreadable::Field(Field::Kind) => "Kind: there is no such kind. Choose one from the list.",
        Unreadable::Field(Field::From) => "From: this is no date. Write it as 2026-11-30.",
        Unreadable::Field(Field::To) => "To: this is no date. Write it as 2026-11-30.",
        Unreadable::Backwards => "The first day is after the last one.",
    }
}
