//! What people are told by e-mail: subject and plain text out of facts, and what becomes of a message.
//!
//! Promises: a subject is one line, and so is every fact in a text, so that nothing anybody wrote begins a header or a
//! paragraph of its own; hidden characters are shown, and what others wrote makes no link. Must not: read a clock, or decide who
//! is told.

use super::calendar;
use super::case::Case;
use super::ids::{CaseId, MessageId, PersonId};
use super::money::{Money, sums};
use super::names;
use super::pages::{Stands, Target, sheet_path};
use super::person::{Act, Role, may};
use super::refusal::Refusal;
use super::text::{Piece, visible};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What there is to tell of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseNews {
    /// It is this person's now.
    Given,
    /// It is this person's, and its deadline is near or over.
    Reminder,
    /// It is late and nobody acted: a manager is told, for so many times now.
    Escalated { times: u32 },
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    Given,
    Reminder,
    Escalated,
    /// What a person's day begins with.
    Digest,
}

impl MessageKind {
    const ALL: [Self; 4] = [Self::Given, Self::Reminder, Self::Escalated, Self::Digest];

    /// The kind of message that tells this.
    pub fn of_news(news: CaseNews) -> Self {
        match news {
            CaseNews::Given => Self::Given,
            CaseNews::Reminder => Self::Reminder,
            CaseNews::Escalated { .. } => Self::Escalated,
        }
    }
    /// The kind's one word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Reminder => "reminder",
            Self::Escalated => "escalated",
            Self::Digest => "digest",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A message as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// One line.
    pub subject: String,
    /// Plain text.
    pub body: String,
}

/// When and for where something is written.
#[derive(Debug, Clone, Copy)]
pub struct Writing<'a> {
    pub now: DateTime<Utc>,
    pub zone: Tz,
    /// Scheme and host of the pages, without a slash at the end.
    pub links: &'a str,
}

/// What is bought, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goods {
    pub target: Target,
    pub headline: String,
    pub total: Money,
    pub stands: Stands,
}

/// A case, with what a reader wants to know of what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFacts {
    pub case: Case,
    /// Nothing where the case is about a supplier as a whole.
    pub goods: Option<Goods>,
    pub supplier: String,
}

/// An open case, as a digest lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCase {
    pub facts: CaseFacts,
    /// It fell to its owner because nobody else could be found, or its owner cannot act any more.
    pub is_unowned: bool,
}

/// Whose digest it is, of which day, and when it was to be written.
#[derive(Debug, Clone)]
pub struct Morning<'a> {
    pub reader: &'a PersonId,
    pub is_manager: bool,
    pub tenant: &'a str,
    pub day: NaiveDate,
    pub due_at: DateTime<Utc>,
}

/// A subject is cut here: longer ones are cut by mail programs anyway.
const MOST_SUBJECT: usize = 160;
/// So is a fact of a text; the page has the whole.
const MOST_FACT: usize = 400;
/// Cases in one list of a digest; the rest is counted.
const MOST_LISTED: usize = 20;
/// A digest that is written later than this after its time says so.
const LATE: TimeDelta = TimeDelta::hours(1);

/// Under every message.
const ONLY_LOOK: &str = "Links need sign-in, and opening one changes nothing.";

/// What somebody is told of a case.
pub fn case_letter(news: CaseNews, facts: &CaseFacts, writing: Writing<'_>) -> Letter {
    let (opening, first) = match news {
        CaseNews::Given => ("Yours".to_owned(), "This case is yours now.".to_owned()),
        CaseNews::Reminder => (
            "Reminder".to_owned(),
            match writing.is_late(facts.case.due_at) {
                true => "This case is yours, and its deadline has passed.".to_owned(),
                false => "This case is yours, and its deadline is near.".to_owned(),
            },
        ),
        CaseNews::Escalated { times } => (
            "Nobody has acted".to_owned(),
            format!("Nobody has acted on this case in time. {}", told(times)),
        ),
    };
    let kind = names::case_kind(facts.case.kind);
    let subject = cut(&format!("{opening}: {kind} – {}", facts.what()), MOST_SUBJECT);
    let body = format!(
        "{first}\n\n{}\n{}\n\nThe whole case on one sheet: {}{}\n\n{} {ONLY_LOOK}\n",
        facts.told(writing),
        facts.link(writing),
        writing.links,
        sheet_path(&facts.case.id),
        writing.as_it_stood(),
    );
    Letter { subject, body }
}

fn told(times: u32) -> String {
    match times {
        0 | 1 => "You are told because you are a manager, or stand in for one.".to_owned(),
        times => format!("You are told because you are a manager, or stand in for one, for the {times}. time."),
    }
}

/// What a person's day begins with: what is theirs and late or due today; for managers what is late and nobody's in the
/// whole house. Also with nothing open it is written, so that silence always means that something is wrong.
pub fn digest_letter(morning: &Morning<'_>, open: &[OpenCase], writing: Writing<'_>) -> Letter {
    let sorted = Sorted::of(morning, open, writing);
    let late_by = writing.now - morning.due_at;
    let is_late = late_by > LATE;
    let day = calendar::day(morning.day);
    let prefix = if is_late { "Sent late: " } else { "" };
    let subject = cut(&format!("{prefix}{day}: {}", sorted.briefly()), MOST_SUBJECT);
    let mut parts = vec![format!("{day}, {}", one_line(morning.tenant, MOST_FACT))];
    if is_late {
        parts.push(format!(
            "This comes late: it was due at {}, and could not be written then. It says how things stand at {}.",
            calendar::short(morning.due_at, writing.now, writing.zone),
            writing.moment(writing.now),
        ));
    }
    parts.extend(sorted.told(morning.is_manager, writing));
    parts.push(format!("The queue: {}/", writing.links));
    parts.push(format!("{} {ONLY_LOOK}", writing.as_it_stood()));
    let body = parts.join("\n\n") + "\n";
    Letter { subject, body }
}

impl Writing<'_> {
    fn is_late(self, due_at: DateTime<Utc>) -> bool {
        due_at <= self.now
    }
    fn moment(self, at: DateTime<Utc>) -> String {
        format!("{}, {}", calendar::whole(at, self.zone), names::zone(self.zone.name()))
    }
    /// A mail may be read, and sent, long after it was written.
    fn as_it_stood(self) -> String {
        format!("As it stood on {}.", self.moment(self.now))
    }
    fn left(self, due_at: DateTime<Utc>) -> String {
        let span = calendar::span(due_at - self.now);
        match self.is_late(due_at) {
            true => format!("late {span}"),
            false => format!("{span} left"),
        }
    }
}

impl CaseFacts {
    /// What it is about, in one line.
    fn what(&self) -> String {
        let supplier = one_line(&self.supplier, MOST_FACT);
        match &self.goods {
            Some(goods) => format!("{}, from {supplier}", one_line(&goods.headline, MOST_FACT)),
            None => supplier,
        }
    }

    /// Where it is seen to.
    fn link(&self, writing: Writing<'_>) -> String {
        let path = self
            .goods
            .as_ref()
            .map_or_else(|| sheet_path(&self.case.id), |goods| goods.target.path());
        format!("{}{path}", writing.links)
    }

    fn total(&self) -> Option<Money> {
        self.goods.as_ref().map(|goods| goods.total)
    }

    /// The facts, one a line.
    fn told(&self, writing: Writing<'_>) -> String {
        let case = &self.case;
        let mut lines = vec![("What", self.what())];
        if let Some(goods) = &self.goods {
            lines.push(("Amount", goods.total.to_string()));
            lines.push(("State", names::stands(goods.stands).to_owned()));
        }
        let due = format!("{} ({})", writing.moment(case.due_at), writing.left(case.due_at));
        lines.extend([
            ("Case", names::case_kind(case.kind).to_owned()),
            ("Owner", one_line(&case.owner_name, MOST_FACT)),
            ("Due", due),
            ("Why", one_line(&case.reason, MOST_FACT)),
        ]);
        let line = |(name, fact): (&str, String)| {
            let name = format!("{name}:");
            format!("{name:<8}{fact}\n")
        };
        lines.into_iter().map(line).collect()
    }

    /// The case in a list.
    fn listed(&self, writing: Writing<'_>, with_owner: bool) -> String {
        let case = &self.case;
        let total = self.total().map(|total| format!(", {total}")).unwrap_or_default();
        let owner = match with_owner {
            true => format!(" Owner: {}.", one_line(&case.owner_name, MOST_FACT)),
            false => String::new(),
        };
        format!(
            "- {}: {}{total}. Due {}, {}.{owner}\n  {}",
            names::case_kind(case.kind),
            self.what(),
            calendar::whole(case.due_at, writing.zone),
            writing.left(case.due_at),
            self.link(writing),
        )
    }
}

/// Open cases as they concern the reader.
struct Sorted<'a> {
    own_late: Vec<&'a CaseFacts>,
    own_today: Vec<&'a CaseFacts>,
    own_later: Vec<&'a CaseFacts>,
    all: Vec<&'a CaseFacts>,
    others_late: Vec<&'a CaseFacts>,
    unowned: Vec<&'a CaseFacts>,
}

impl<'a> Sorted<'a> {
    fn of(morning: &Morning<'_>, open: &'a [OpenCase], writing: Writing<'_>) -> Self {
        let is_late = |facts: &CaseFacts| writing.is_late(facts.case.due_at);
        let is_own = |facts: &CaseFacts| facts.case.owner == *morning.reader;
        let of_today =
            |facts: &CaseFacts| calendar::date_there(facts.case.due_at, writing.zone) == morning.day && !is_late(facts);
        let pick = |wanted: &dyn Fn(&OpenCase) -> bool| {
            let mut picked: Vec<&CaseFacts> = open.iter().filter(|one| wanted(one)).map(|one| &one.facts).collect();
            picked.sort_by_key(|facts| facts.case.due_at);
            picked
        };
        Self {
            own_late: pick(&|one| is_own(&one.facts) && is_late(&one.facts)),
            own_today: pick(&|one| is_own(&one.facts) && of_today(&one.facts)),
            own_later: pick(&|one| is_own(&one.facts) && !is_late(&one.facts) && !of_today(&one.facts)),
            all: pick(&|_| true),
            others_late: pick(&|one| !is_own(&one.facts) && is_late(&one.facts)),
            unowned: match morning.is_manager {
                true => pick(&|one| one.is_unowned),
                false => Vec::new(),
            },
        }
    }

    fn briefly(&self) -> String {
        match (self.own_late.len(), self.own_today.len()) {
            (0, 0) => "nothing of yours is late or due today".to_owned(),
            (late, 0) => format!("{late} of yours late"),
            (0, today) => format!("{today} of yours due today"),
            (late, today) => format!("{late} of yours late, {today} due today"),
        }
    }

    fn told(&self, is_manager: bool, writing: Writing<'_>) -> Vec<String> {
        let mut parts = Vec::new();
        if self.own_late.is_empty() && self.own_today.is_empty() && self.own_later.is_empty() {
            parts.push("Nothing is open with you.".to_owned());
        }
        parts.extend(listed("Yours and late", &self.own_late, writing, false));
        parts.extend(listed("Yours and due today", &self.own_today, writing, false));
        parts.extend(counted("Yours and due later", &self.own_later));
        if is_manager {
            match self.all.is_empty() {
                true => parts.push("Nothing is open in the whole house.".to_owned()),
                false => parts.extend(counted("Open in the whole house", &self.all)),
            }
            parts.extend(listed("Late with others", &self.others_late, writing, true));
            parts.extend(listed("Nobody’s: give them to somebody", &self.unowned, writing, true));
        }
        parts
    }
}

/// How many, and how much money stands on them: one sum a currency (rule 22), each order once.
fn counted(heading: &str, cases: &[&CaseFacts]) -> Option<String> {
    if cases.is_empty() {
        return None;
    }
    let mut counted = HashSet::new();
    let goods = cases.iter().filter_map(|facts| facts.goods.as_ref());
    let goods = goods.filter(|goods| counted.insert(&goods.target));
    let totals: Vec<String> = sums(goods.map(|goods| goods.total))
        .iter()
        .map(Money::to_string)
        .collect();
    let money = match totals.is_empty() {
        true => String::new(),
        false => format!(" ({})", totals.join(", ")),
    };
    Some(format!("{heading}: {}{money}", cases.len()))
}

fn listed(heading: &str, cases: &[&CaseFacts], writing: Writing<'_>, with_owner: bool) -> Option<String> {
    let mut lines = vec![counted(heading, cases)?];
    lines.extend(
        cases
            .iter()
            .take(MOST_LISTED)
            .map(|facts| facts.listed(writing, with_owner)),
    );
    if cases.len() > MOST_LISTED {
        lines.push(format!("- and {} more in the queue", cases.len() - MOST_LISTED));
    }
    Some(lines.join("\n"))
}

/// What others wrote, on one line: hidden characters shown, nothing that a mail program would make a link of, cut when long.
pub fn one_line(text: &str, most: usize) -> String {
    let piece = |piece: Piece| match piece {
        Piece::Plain(words) => words.replace(['\n', '\t'], " "),
        Piece::Hidden { code_point, times: 1 } => format!("[U+{code_point:04X}]"),
        Piece::Hidden { code_point, times } => format!("[U+{code_point:04X} ×{times}]"),
    };
    let line: String = visible(text).into_iter().map(piece).collect();
    cut(&unlinked(line.trim()), most)
}

/// A space goes where a name on the net or the beginning of an address would be.
fn unlinked(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        let next = letters.peek().copied().unwrap_or(' ');
        let is_name = letter == '.' && before.is_alphanumeric() && next.is_alphabetic();
        let is_scheme = letter == ':' && before.is_alphanumeric() && (next == '/' || next.is_alphabetic());
        if is_name || is_scheme {
            out.push(' ');
        }
        before = letter;
    }
    out
}

fn cut(line: &str, most: usize) -> String {
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    kept.trim_end().to_owned() + "…"
}

/// Why a message is not sent, or sent again: it would say what is not so any more, or say it to nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Past {
    CaseClosed,
    /// Somebody else has the case by now.
    CaseMoved,
    /// A later day's digest was written to the same person.
    LaterDigest,
    ReaderDisabled,
}

impl Past {
    /// In words, after a colon.
    pub fn because(self) -> &'static str {
        match self {
            Past::CaseClosed => "the case is closed by now",
            Past::CaseMoved => "somebody else has the case by now",
            Past::LaterDigest => "a later digest was written since",
            Past::ReaderDisabled => "whoever it is for is disabled, and is told nothing",
        }
    }
}

/// What has become since of whom and what a message is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Since<'a> {
    pub reader_is_disabled: bool,
    /// Whose the case is, and whether it is closed.
    pub case: Option<(&'a PersonId, bool)>,
    pub later_digest: bool,
}

/// Whether a message is past. Judged when it goes out, and when somebody wants it sent again. A digest says of which moment it
/// is, and is past with the next one: after days without a mail server nobody gets a morning for each.
pub fn past(kind: MessageKind, to: &PersonId, since: Since<'_>) -> Option<Past> {
    if since.reader_is_disabled {
        return Some(Past::ReaderDisabled);
    }
    match (kind, since.case) {
        (MessageKind::Digest, _) => since.later_digest.then_some(Past::LaterDigest),
        (MessageKind::Given | MessageKind::Reminder | MessageKind::Escalated, None) => None,
        (MessageKind::Given | MessageKind::Reminder | MessageKind::Escalated, Some((_, true))) => {
            Some(Past::CaseClosed)
        }
        (MessageKind::Given | MessageKind::Reminder, Some((owner, false))) => (owner != to).then_some(Past::CaseMoved),
        (MessageKind::Escalated, Some((_, false))) => None,
    }
}

/// Whether a message that is given up should have reached somebody. A digest that was tried until the next one was written
/// should have: else a house whose mail goes nowhere would never say so.
pub fn is_in_vain(past: Option<Past>, was_tried: bool) -> bool {
    match past {
        None => true,
        Some(Past::LaterDigest) => was_tried,
        Some(Past::CaseClosed | Past::CaseMoved | Past::ReaderDisabled) => false,
    }
}

/// Where a message is on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// It is tried then.
    Waiting { until: DateTime<Utc> },
    /// A process speaks to the mail server about it.
    Sending,
    /// The mail server took it.
    Sent { at: DateTime<Utc> },
    /// It is not tried any more.
    GivenUp {
        at: DateTime<Utc>,
        because: String,
        /// Somebody should have got it; not where it was past, or its reader is disabled.
        in_vain: bool,
    },
}

/// How a try ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TryEnd {
    /// The mail server took it.
    Accepted,
    /// It did not, or could not be reached: it is tried again.
    Failed,
    /// It never will.
    Refused,
    /// The process that tried did not report back, or the mail server did not once it had the message: it may have arrived.
    Lost,
}

impl TryEnd {
    const ALL: [Self; 4] = [Self::Accepted, Self::Failed, Self::Refused, Self::Lost];

    /// The one word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Lost => "lost",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.word() == word)
    }
}

/// A try to send a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    pub number: u32,
    pub at: DateTime<Utc>,
    pub ended: Option<(DateTime<Utc>, TryEnd)>,
    /// What the mail server said, or why it could not be spoken to.
    pub detail: Option<String>,
}

/// A message as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageShown {
    pub id: MessageId,
    pub kind: MessageKind,
    pub to_name: String,
    pub subject: String,
    pub body: String,
    pub case: Option<CaseId>,
    pub written_at: DateTime<Utc>,
    pub state: MessageState,
    /// Oldest first.
    pub tries: Vec<Try>,
    pub may_send_again: Result<(), Refusal>,
}

/// How often a message is tried, and how long between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailPace {
    /// After the first try; doubling.
    pub first: TimeDelta,
    /// At most.
    pub most: TimeDelta,
    /// Since its first try, before it is given up.
    pub give_up: TimeDelta,
}

impl MailPace {
    /// How long to wait after so many tries that failed, the first of them so long ago; nothing when that was long enough.
    pub fn next(self, failed: u32, tried_for: TimeDelta) -> Option<TimeDelta> {
        if tried_for >= self.give_up {
            return None;
        }
        let doublings = failed.saturating_sub(1).min(30);
        let wait = self.first.checked_mul(1 << doublings).unwrap_or(self.most);
        Some(wait.min(self.most))
    }
}

/// Why no message of a house goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailStop {
    /// No mail server is set.
    NoServer,
    /// It is paused after a restore or a copy: what waits may have been sent already (rule 20).
    Paused,
}

impl MailStop {
    /// What stops them.
    pub fn of(is_set_up: bool, is_paused: bool) -> Option<Self> {
        match (is_set_up, is_paused) {
            (false, _) => Some(Self::NoServer),
            (true, true) => Some(Self::Paused),
            (true, false) => None,
        }
    }
}

/// What `may_send_again` says, where perhaps nothing goes out at all: then that is why, for whoever may.
pub fn may_send_now(may: Result<(), Refusal>, stop: Option<MailStop>) -> Result<(), Refusal> {
    match (may, stop) {
        (Ok(()) | Err(Refusal::MessageOnItsWay), Some(stop)) => Err(Refusal::NothingIsSent(stop)),
        (may, Some(_) | None) => may,
    }
}

/// Whether somebody may have a message sent again: whoever it is for, and managers; not while it is on its way, nor when it is
/// past: what was sent stays sent.
pub fn may_send_again(
    state: &MessageState,
    past: Option<Past>,
    roles: &[Role],
    is_own: bool,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    if !is_own {
        may(roles, Act::SendAgain)?;
    }
    match (state, past) {
        (MessageState::Sending, _) => Err(Refusal::MessageOnItsWay),
        (MessageState::Waiting { until }, _) if *until <= now => Err(Refusal::MessageOnItsWay),
        (MessageState::Waiting { .. } | MessageState::Sent { .. } | MessageState::GivenUp { .. }, Some(past)) => {
            Err(Refusal::MessagePast(past))
        }
        (MessageState::Waiting { .. } | MessageState::Sent { .. } | MessageState::GivenUp { .. }, None) => Ok(()),
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
