//! The morning queue in words: its sections, how urgent a row is, and what was found.

use crate::domain::calendar;
use crate::domain::case::{Case, at_it_until};
use crate::domain::look_up::FindingWord;
use crate::domain::money::Money;
use crate::domain::queue::{Alike, Field, Matched, Section, Urgency, Word};
use crate::ui::moment::Here;
use chrono::{DateTime, TimeDelta, Utc};

/// A section's heading.
pub fn section(section: Section) -> &'static str {
    match section {
        Section::Attention => "Late, nobody at it, or about no order",
        Section::Pending => "Confirmation pending",
        Section::Differences => "Confirmed with differences, case open",
        Section::Acknowledged => "Acknowledged, not confirmed",
        Section::NotSent => "Approved, not sent or being sent",
        Section::Review => "Waiting for review",
        Section::SentBack => "Sent back to the assistant",
        Section::Settled => "Settled",
    }
}

/// A section's heading where its time is told: settled since when.
pub fn section_heading(which: Section, since: DateTime<Utc>, here: Here) -> String {
    let since = (which == Section::Settled).then(|| format!(" {}", settled_since(since, here)));
    format!("{}{}", section(which), since.unwrap_or_default())
}

/// The money of a section; of what is settled only what was bought is counted.
pub fn money_of(section: Section, total: &Money) -> String {
    match section {
        Section::Settled => format!("{total} confirmed"),
        Section::Attention
        | Section::Pending
        | Section::Differences
        | Section::Acknowledged
        | Section::NotSent
        | Section::Review
        | Section::SentBack => total.to_string(),
    }
}

/// That people were to be told, and were not.
pub fn mails_in_vain(mails: usize, since: DateTime<Utc>, here: Here) -> String {
    format!(
        "{} given up {}: nobody may have got it.",
        super::count(mails, "e-mail was", "e-mails were"),
        settled_since(since, here)
    )
}

/// How old the oldest of a section is.
pub fn oldest(age: TimeDelta) -> String {
    format!("oldest {}", calendar::span(age))
}

/// A section under its figure in the strip.
pub fn section_briefly(section: Section) -> &'static str {
    match section {
        Section::Attention => "look here first",
        Section::Pending => "confirmation pending",
        Section::Differences => "with differences",
        Section::Acknowledged => "acknowledged",
        Section::NotSent => "approved, not sent",
        Section::Review => "waiting for review",
        Section::SentBack => "sent back",
        Section::Settled => "settled",
    }
}

/// What an empty section says.
pub fn section_empty(section: Section) -> &'static str {
    match section {
        Section::Attention => "Nothing is late, and everything has somebody.",
        Section::Pending => "Every order sent has a clear answer.",
        Section::Differences => "What was confirmed is what was approved.",
        Section::Acknowledged => "No supplier owes a yes.",
        Section::NotSent => "Nothing approved is waiting to be sent.",
        Section::Review => "No suggestion waits for a decision.",
        Section::SentBack => "No suggestion is back with the assistant.",
        Section::Settled => "Nothing was settled since.",
    }
}

/// What a page says behind which there was something when it was asked for.
pub const NOTHING_BEHIND: &str = "Nothing stands behind it any more: it was settled, or moved, meanwhile.";

/// What a filtered section says that has nothing.
pub const NOTHING_LIKE_THIS: &str = "Nothing here is like what you asked for.";

/// Since when something is settled that is news: "since Friday", "since yesterday".
pub fn settled_since(since: DateTime<Utc>, here: Here) -> String {
    let day = calendar::date_there(since, here.zone);
    if here.today() - day == TimeDelta::days(1) {
        return "since yesterday".to_owned();
    }
    format!("since {}", day.format("%A"))
}

/// How urgent a row is, for its tag; nothing where nobody has to do anything by a certain time.
pub fn urgency(urgency: Urgency, here: Here) -> Option<String> {
    match urgency {
        Urgency::Late(due) => Some(super::sentence_case(&here.left(due))),
        Urgency::Unowned(_) => Some("Nobody at it".to_owned()),
        Urgency::OwnerAway(_) => Some("Owner is away".to_owned()),
        Urgency::Due(due) => Some(format!("Due {}", here.short(due))),
        Urgency::Waits(_) | Urgency::Over(_) => None,
    }
}

/// What stands under the tag, or in its place.
pub fn urgency_more(urgency: Urgency, here: Here) -> String {
    match urgency {
        Urgency::Late(due) => format!("due {}", here.short(due)),
        Urgency::Unowned(due) | Urgency::OwnerAway(due) => format!("due {}", here.short(due)),
        Urgency::Due(due) => here.left(due),
        Urgency::Waits(since) => format!("Waits {}", calendar::span(here.now - since)),
        Urgency::Over(at) => here.short(at),
    }
}

/// Who was told of an open case, and who is at it; nothing where nobody had to be.
pub fn told_of(case: &Case, here: Here) -> Option<String> {
    if case.closed_at.is_some() {
        return None;
    }
    let quiet = at_it_until(case.quiet_until, here.now);
    let who = case.quiet_by_name.as_deref().unwrap_or("Somebody");
    let quiet = quiet.map(|until| format!("{who} is on it: nobody is reminded until {}.", here.short(until)));
    let told = match case.escalated {
        0 => None,
        1 => Some("It is late, and was put before a manager.".to_owned()),
        times => Some(format!("It is late, and was put before a manager {times} times.")),
    };
    // what somebody is at is not nobody's
    let fell = (case.fell_to_manager && quiet.is_none())
        .then(|| "Nobody has taken it: it fell to a manager, as nobody else was there.".to_owned());
    let told: Vec<String> = [fell, told, quiet].into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// What waits for a second person.
pub fn proposed((finding, by): &(FindingWord, String)) -> String {
    format!(
        "{by} recorded: {}. A second person confirms it.",
        super::finding(*finding)
    )
}

/// How many cases there are beside the one that a row speaks of.
pub fn other_cases(many: usize, mine_is_another: bool) -> Option<String> {
    let yours = match (mine_is_another, many) {
        (false, _) => "",
        (true, 1) => ", which is yours",
        (true, _) => ", one of them yours",
    };
    (many > 0).then(|| format!("and {}{yours}", super::count(many, "more case", "more cases")))
}

/// What was found on a row.
pub fn matched(matched: &Matched) -> String {
    let what = match matched.what {
        Word::OrderId => "Order",
        Word::Reference => "Supplier’s number",
        Word::Sku => "Article",
        Word::IntentId => "Intent",
        Word::OperationKey => "Operation key",
        Word::SuggestionId => "Suggestion",
        Word::CaseId => "Case",
    };
    let how = match matched.alike {
        Alike::Exactly => "is",
        Alike::ButForCapitals => "is, but for capitals,",
        Alike::ItsBeginning => "begins so:",
    };
    format!("{what} {how} {}", matched.word)
}

/// A field of the filter that means nothing.
pub fn unreadable(field: Field) -> &'static str {
    match field {
        Field::Mine => "“Mine” is yes, or not asked for.",
        Field::Unowned => "“Nobody at it” is yes, or not asked for.",
        Field::Supplier => "There is no such supplier.",
        Field::Section => "There is no such section.",
        Field::Text => "The text cannot be looked for: 200 characters are the most, and none that nobody sees.",
    }
}
