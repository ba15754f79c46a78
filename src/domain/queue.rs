//! The morning queue: which section a thing stands in, how urgent it is, and which of them somebody wants to see (cases Q6,
//! P2).
//!
//! Promises: everything that is not final stands in exactly one section, the first that is true of it. Must not: read a
//! clock.

use super::case::Left;
use super::contents::SupplierId;
use super::ids::CaseId;
use super::order::OrderState;
use super::suggestion::SuggestionState;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A section of the queue, in the order a manager reads them: the first that is true of a thing is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// A case past its deadline, one that nobody is at, or one that belongs to no order.
    Attention,
    /// Sent, and nobody knows whether it arrived.
    Pending,
    /// The supplier's word is there, and a case about it is open: differences, or a second record.
    Differences,
    /// They have it, and have not said yes.
    Acknowledged,
    /// Approved, and not sent or being sent; kept apart from what was sent and not confirmed.
    NotSent,
    /// Suggestions that wait for a person's decision.
    Review,
    /// Suggestions that wait for the assistant.
    SentBack,
    /// Settled since the last working day: good news, and the end of what was open yesterday.
    Settled,
}

impl Section {
    /// Every section, in order.
    pub const ALL: [Self; 8] = [
        Self::Attention,
        Self::Pending,
        Self::Differences,
        Self::Acknowledged,
        Self::NotSent,
        Self::Review,
        Self::SentBack,
        Self::Settled,
    ];

    /// The section's one word, in addresses and exports.
    pub fn word(self) -> &'static str {
        match self {
            Section::Attention => "attention",
            Section::Pending => "pending",
            Section::Differences => "differences",
            Section::Acknowledged => "acknowledged",
            Section::NotSent => "not_sent",
            Section::Review => "review",
            Section::SentBack => "sent_back",
            Section::Settled => "settled",
        }
    }

    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.word() == word)
    }
}

/// An open case, as far as it places what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedCase {
    pub id: CaseId,
    pub due_at: DateTime<Utc>,
    /// Why nobody is at it.
    pub left: Option<Left>,
    /// Whoever looks owns it.
    pub is_mine: bool,
}

/// What the queue knows of a thing's open cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The case that its row shows and is placed by: one that is late, else one that nobody is at, else the one due first.
    pub first: PlacedCase,
    /// Open cases beside it.
    pub others: usize,
    /// Nobody is at one of them.
    pub is_unowned: bool,
    /// Whoever looks owns one of them.
    pub is_mine: bool,
}

impl Watched {
    /// Of these open cases of one thing; nothing where there is none.
    pub fn of(cases: Vec<PlacedCase>, now: DateTime<Utc>) -> Option<Self> {
        let rank = |case: &PlacedCase| match (case.due_at <= now, case.left) {
            (true, _) => 0,
            (false, Some(Left::FellToManager | Left::OwnerIsAway)) => 1,
            (false, None) => 2,
        };
        let is_unowned = cases.iter().any(|case| case.left.is_some());
        let is_mine = cases.iter().any(|case| case.is_mine);
        let others = cases.len().saturating_sub(1);
        let first = cases
            .into_iter()
            .min_by(|one, other| (rank(one), one.due_at, &one.id).cmp(&(rank(other), other.due_at, &other.id)))?;
        Some(Self {
            first,
            others,
            is_unowned,
            is_mine,
        })
    }

    fn is_for_now(&self, now: DateTime<Utc>) -> bool {
        self.first.due_at <= now || self.is_unowned
    }
}

/// The section of an order; none when it is final and was settled before the last working day.
pub fn section_of_order(
    state: OrderState,
    case: Option<&Watched>,
    settled_lately: bool,
    now: DateTime<Utc>,
) -> Option<Section> {
    if case.is_some_and(|case| case.is_for_now(now)) {
        return Some(Section::Attention);
    }
    match state {
        OrderState::ConfirmationPending => Some(Section::Pending),
        OrderState::Acknowledged => Some(Section::Acknowledged),
        OrderState::Approved | OrderState::Submitting => Some(Section::NotSent),
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn if case.is_some() => {
            Some(Section::Differences)
        }
        OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => {
            settled_lately.then_some(Section::Settled)
        }
    }
}

/// The section of a suggestion, or none when it is final and has no open case. A case about a suggestion is about no order.
pub fn section_of_suggestion(state: SuggestionState, has_open_case: bool) -> Option<Section> {
    match (state, has_open_case) {
        (_, true) => Some(Section::Attention),
        (SuggestionState::InReview, false) => Some(Section::Review),
        (SuggestionState::SentBack, false) => Some(Section::SentBack),
        (SuggestionState::Rejected | SuggestionState::Approved | SuggestionState::Superseded, false) => None,
    }
}

/// How urgent a row is, beside how it stands: the two are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Its deadline has passed.
    Late(DateTime<Utc>),
    /// Nobody is at it: it fell to a manager; when it is due all the same.
    Unowned(DateTime<Utc>),
    /// Its owner is away; when it is due all the same.
    OwnerAway(DateTime<Utc>),
    /// Somebody has it, until then.
    Due(DateTime<Utc>),
    /// Nobody has to do anything by a certain time; it stands since then.
    Waits(DateTime<Utc>),
    /// Over, since then.
    Over(DateTime<Utc>),
}

/// How urgent it is. Late counts more than unowned.
pub fn urgency(section: Section, case: Option<&PlacedCase>, since: DateTime<Utc>, now: DateTime<Utc>) -> Urgency {
    match case {
        Some(case) => deadline(case.due_at, case.left, now),
        None if section == Section::Settled => Urgency::Over(since),
        None => Urgency::Waits(since),
    }
}

/// How urgent a case is that is due then.
pub fn deadline(due_at: DateTime<Utc>, left: Option<Left>, now: DateTime<Utc>) -> Urgency {
    match left {
        Some(_) | None if due_at <= now => Urgency::Late(due_at),
        Some(Left::FellToManager) => Urgency::Unowned(due_at),
        Some(Left::OwnerIsAway) => Urgency::OwnerAway(due_at),
        None => Urgency::Due(due_at),
    }
}

/// Where a row stands within its section: what is due comes first, by its deadline, then what waits, oldest first; what is
/// settled stands newest first. The id makes it one place, so that a page can go on behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    waits: bool,
    micros: i64,
    id: String,
}

impl Place {
    /// The place of a row.
    pub fn of(urgency: Urgency, id: &str) -> Self {
        let (waits, micros) = match urgency {
            Urgency::Late(at) | Urgency::Unowned(at) | Urgency::OwnerAway(at) | Urgency::Due(at) => {
                (false, at.timestamp_micros())
            }
            Urgency::Waits(at) => (true, at.timestamp_micros()),
            Urgency::Over(at) => (true, -at.timestamp_micros()),
        };
        let id = id.to_owned();
        Self { waits, micros, id }
    }

    /// Reads back what an address carries.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '~');
        let waits = match parts.next()? {
            "w" => true,
            "d" => false,
            _ => return None,
        };
        let micros = parts.next()?.parse().ok()?;
        let id = parts.next()?.to_owned();
        Some(Self { waits, micros, id })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let first = if self.waits { 'w' } else { 'd' };
        write!(f, "{first}~{}~{}", self.micros, self.id)
    }
}

/// A word as words are compared by their beginning: ASCII letters small, so that every database folds alike.
pub fn folded(word: &str) -> String {
    word.to_ascii_lowercase()
}

/// Where something stands that a text found: whole ids first, then words that are exactly it, the newest first, then words
/// that begin so, by their letters. A place does not change while its thing stands in the list, so that a page goes on behind it
/// whatever has left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundPlace {
    rank: u8,
    folded: String,
    word: String,
    at: i64,
    number: i64,
}

impl FoundPlace {
    /// Of a thing that has this id, or is of the intent that has it; the thing's own id tells it from others of the intent.
    pub fn id(thing: &str) -> Self {
        Self::ranked(0, thing, 0, 0)
    }

    /// Of a word kept then, in microseconds, under this number.
    pub fn exact(at: i64, number: i64) -> Self {
        Self::ranked(1, "", -at, -number)
    }

    /// Of a longer word.
    pub fn begins(word: &str, at: i64, number: i64) -> Self {
        Self::ranked(2, word, at, number)
    }

    fn ranked(rank: u8, word: &str, at: i64, number: i64) -> Self {
        Self {
            folded: folded(word),
            word: word.to_owned(),
            rank,
            at,
            number,
        }
    }

    /// Reads back what an address carries.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('f')?.splitn(4, '~');
        let rank = parts.next()?.parse().ok()?;
        let (at, number) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Self::ranked(rank, parts.next()?, at, number))
    }
}

impl std::fmt::Display for FoundPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            rank,
            word,
            at,
            number,
            folded: _,
        } = self;
        write!(f, "f{rank}~{at}~{number}~{word}")
    }
}

/// What somebody asks the queue for, as it stands in the address. An empty field asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// "yes": cases whose owner looks.
    pub mine: Option<String>,
    /// "yes": cases that nobody is at: fallen to a manager, or with an owner who is away, and nobody has said that they are at it.
    pub unowned: Option<String>,
    pub supplier: Option<String>,
    pub section: Option<String>,
    /// A supplier's number, an order's id, an article.
    pub text: Option<String>,
    /// The place of the last row of the page before; only with a section or a text.
    pub after: Option<String>,
}

/// A field of the queue's filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    Mine,
    Unowned,
    Supplier,
    Section,
    Text,
}

impl Field {
    /// Every field, in the order of the form.
    pub const ALL: [Self; 5] = [Self::Text, Self::Section, Self::Supplier, Self::Mine, Self::Unowned];

    /// Its name in the address.
    pub fn name(self) -> &'static str {
        match self {
            Field::Mine => "mine",
            Field::Unowned => "unowned",
            Field::Supplier => "supplier",
            Field::Section => "section",
            Field::Text => "q",
        }
    }
}

/// What is looked for; what is absent is not asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub mine: bool,
    pub unowned: bool,
    pub supplier: Option<SupplierId>,
    pub section: Option<Section>,
    pub text: Option<String>,
    pub after: Option<Place>,
    /// The place of what was found last, on the page before.
    pub found_after: Option<FoundPlace>,
}

impl Filter {
    /// Whether what was settled of late can be among what is looked for: nobody's case is open there, and a text finds it
    /// without its section.
    pub fn wants_settled(&self) -> bool {
        let asks_for_it = self.section == Some(Section::Settled);
        let asks_for_all = self.section.is_none() && self.text.is_none();
        (asks_for_it || asks_for_all) && !self.mine && !self.unowned
    }
}

/// Nobody looks for a longer text; the longest that has a meaning is an intent's id.
const LONGEST: usize = 200;

impl Asked {
    /// What an address asks for; `named` answers what stands under a name.
    pub fn of(named: impl Fn(&str) -> Option<String>) -> Self {
        let field = |field: Field| named(field.name());
        Self {
            mine: field(Field::Mine),
            unowned: field(Field::Unowned),
            supplier: field(Field::Supplier),
            section: field(Field::Section),
            text: field(Field::Text),
            after: named("after"),
        }
    }

    /// What was asked for in this field; nothing where only blanks were.
    pub fn field(&self, field: Field) -> Option<&str> {
        let text = match field {
            Field::Mine => &self.mine,
            Field::Unowned => &self.unowned,
            Field::Supplier => &self.supplier,
            Field::Section => &self.section,
            Field::Text => &self.text,
        };
        text.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Whether it asks for everything.
    pub fn is_empty(&self) -> bool {
        Field::ALL.into_iter().all(|field| self.field(field).is_none())
    }

    /// What is looked for, or the fields that mean nothing.
    pub fn filter(&self) -> Result<Filter, Vec<Field>> {
        let mut wrong = Vec::new();
        let mut read = |field: Field, is_readable: &dyn Fn(&str) -> bool| {
            let text = self.field(field);
            if text.is_some_and(|text| !is_readable(text)) {
                wrong.push(field);
            }
            text
        };
        let filter = Filter {
            mine: read(Field::Mine, &|text| text == "yes").is_some(),
            unowned: read(Field::Unowned, &|text| text == "yes").is_some(),
            supplier: read(Field::Supplier, &|text| text.parse::<SupplierId>().is_ok())
                .and_then(|text| text.parse().ok()),
            section: read(Field::Section, &|text| Section::of(text).is_some()).and_then(Section::of),
            text: read(Field::Text, &|text| {
                text.chars().count() <= LONGEST && !text.contains(char::is_control)
            })
            .map(str::to_owned),
            after: self.after.as_deref().and_then(Place::read),
            found_after: self.after.as_deref().and_then(FoundPlace::read),
        };
        if wrong.is_empty() { Ok(filter) } else { Err(wrong) }
    }
}

/// What of a thing was looked for and found; exact ones come first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    pub what: Word,
    /// As it stands there.
    pub word: String,
    pub alike: Alike,
}

/// How much of a word was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alike {
    Exactly,
    /// All of it, with other capitals: of a supplier's number that is another number.
    ButForCapitals,
    ItsBeginning,
}

impl Alike {
    /// How a word is like a text that it begins with, capitals aside.
    pub fn of(word: &str, text: &str) -> Self {
        if word == text {
            Alike::Exactly
        } else if word.len() == text.len() {
            Alike::ButForCapitals
        } else {
            Alike::ItsBeginning
        }
    }
}

/// By what a thing is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    OrderId,
    /// The supplier's number: text, compared exactly.
    Reference,
    Sku,
    IntentId,
    OperationKey,
    SuggestionId,
    CaseId,
}

impl Word {
    /// Every word.
    pub const ALL: [Self; 7] = [
        Self::OrderId,
        Self::Reference,
        Self::Sku,
        Self::IntentId,
        Self::OperationKey,
        Self::SuggestionId,
        Self::CaseId,
    ];

    /// What it is called where words are kept.
    pub fn word(self) -> &'static str {
        match self {
            Word::OrderId => "order",
            Word::Reference => "reference",
            Word::Sku => "sku",
            Word::IntentId => "intent",
            Word::OperationKey => "operation_key",
            Word::SuggestionId => "suggestion",
            Word::CaseId => "case",
        }
    }

    /// Reads it back.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000, 0).expect("a moment")
    }

    fn open(id: u128, due_in: i64, left: Option<Left>) -> PlacedCase {
        PlacedCase {
            id: CaseId::from_random(id),
            due_at: now() + TimeDelta::minutes(due_in),
            left,
            is_mine: false,
        }
    }

    fn case(due_in: i64, is_unowned: bool) -> Option<Watched> {
        let left = is_unowned.then_some(Left::FellToManager);
        Watched::of(vec![open(1, due_in, left)], now())
    }

    /// A row with several cases says of one of them when it is due, whose it is and why: never of two at once.
    #[test]
    fn a_row_shows_the_case_it_is_placed_by() {
        let (away, fell) = (Some(Left::OwnerIsAway), Some(Left::FellToManager));
        let first = |cases: &[PlacedCase]| {
            let watched = Watched::of(cases.to_vec(), now()).expect("open cases");
            assert_eq!(watched.others, cases.len() - 1);
            let urgency = urgency(Section::Attention, Some(&watched.first), now(), now());
            (watched.first.id, urgency)
        };
        let (late, soon, left) = (open(1, -5, None), open(2, 5, None), open(3, 60, away));
        let all = [left.clone(), soon.clone(), late.clone()];
        assert_eq!(first(&all), (late.id.clone(), Urgency::Late(late.due_at)));
        let unowned = [soon.clone(), left.clone()];
        assert_eq!(first(&unowned), (left.id.clone(), Urgency::OwnerAway(left.due_at)));
        let watched = Watched::of(unowned.to_vec(), now());
        assert_eq!(
            section_of_order(OrderState::Acknowledged, watched.as_ref(), false, now()),
            Some(Section::Attention)
        );
        let both_left = [open(4, 90, fell), left.clone()];
        assert_eq!(
            first(&both_left),
            (left.id, Urgency::OwnerAway(left.due_at)),
            "due first"
        );
        assert_eq!(
            first(&[soon.clone(), open(5, 6, None)]),
            (soon.id, Urgency::Due(soon.due_at))
        );
        assert_eq!(Watched::of(Vec::new(), now()), None);
    }

    #[test]
    fn everything_that_is_not_final_stands_in_a_section() {
        for state in OrderState::ALL {
            let without = section_of_order(state, None, false, now());
            assert_eq!(without.is_none(), OrderState::FINAL.contains(&state), "{state:?}");
            assert!(section_of_order(state, case(5, false).as_ref(), false, now()).is_some());
            for attention in [case(-5, false), case(0, false), case(5, true)] {
                let section = section_of_order(state, attention.as_ref(), true, now());
                assert_eq!(section, Some(Section::Attention), "{state:?}");
            }
        }
        for state in SuggestionState::ALL {
            assert_eq!(
                section_of_suggestion(state, false).is_some(),
                SuggestionState::OPEN.contains(&state),
                "{state:?}"
            );
            assert_eq!(section_of_suggestion(state, true), Some(Section::Attention));
        }
    }

    #[test]
    fn what_is_final_and_has_a_case_is_not_among_what_is_settled() {
        for state in OrderState::FINAL {
            assert_eq!(
                section_of_order(state, case(5, false).as_ref(), true, now()),
                Some(Section::Differences)
            );
            assert_eq!(section_of_order(state, None, true, now()), Some(Section::Settled));
            assert_eq!(section_of_order(state, None, false, now()), None);
        }
    }

    #[test]
    fn words_and_places_are_read_back() {
        for section in Section::ALL {
            assert_eq!(Section::of(section.word()), Some(section));
        }
        let (late, waits) = (Urgency::Late(now()), Urgency::Waits(now() - TimeDelta::days(9)));
        let (first, second) = (Place::of(late, "po_a~b"), Place::of(waits, "sug_c"));
        assert!(first < second, "what is due comes before what only waits");
        for place in [first, second] {
            assert_eq!(Place::read(&place.to_string()), Some(place));
        }
        for wrong in ["", "x~1~po_a", "w~one~po_a", "w~1"] {
            assert_eq!(Place::read(wrong), None, "{wrong}");
        }
        let (id, begins) = (FoundPlace::id("po_a"), FoundPlace::begins("M8~x", 5, 1));
        assert!(id < FoundPlace::id("po_b"), "two orders of one intent have two places");
        let (newer, older) = (FoundPlace::exact(6, 2), FoundPlace::exact(5, 9));
        let in_order = [id, newer, older, begins.clone(), FoundPlace::begins("m8~x", 4, 2)];
        assert!(in_order.is_sorted());
        for place in in_order {
            assert_eq!(FoundPlace::read(&place.to_string()), Some(place.clone()));
            assert_eq!(Place::read(&place.to_string()), None);
        }
        assert_eq!(FoundPlace::read(&Place::of(late, "po_a").to_string()), None);
        let over = |days: i64| Place::of(Urgency::Over(now() - TimeDelta::days(days)), "po_a");
        assert!(over(0) < over(1), "what was settled last comes first");
    }

    #[test]
    fn a_word_is_like_a_text_exactly_or_but_for_capitals_or_at_its_beginning() {
        let alike = |word: &str| Alike::of(word, "A-1003");
        assert_eq!(alike("A-1003"), Alike::Exactly);
        assert_eq!(alike("a-1003"), Alike::ButForCapitals);
        assert_eq!(alike("A-1003x"), Alike::ItsBeginning);
    }

    #[test]
    fn every_field_that_means_nothing_is_named() {
        let wrong = Asked {
            mine: Some("perhaps".to_owned()),
            unowned: Some("no".to_owned()),
            supplier: Some("two words".to_owned()),
            section: Some("gossip".to_owned()),
            text: Some("x".repeat(LONGEST + 1)),
            after: None,
        };
        let named = wrong.filter().expect_err("all wrong");
        assert_eq!(named.len(), Field::ALL.len(), "{named:?}");
        let blank = Asked {
            text: Some("  ".to_owned()),
            ..Asked::default()
        };
        assert!(blank.is_empty());
        assert_eq!(blank.filter(), Ok(Filter::default()));
    }

    #[test]
    fn what_is_settled_is_read_only_where_it_may_be_shown() {
        let asked = |section: &str, text: &str, mine: &str| {
            let some = |text: &str| Some(text.to_owned());
            let asked = Asked {
                section: some(section),
                text: some(text),
                mine: some(mine),
                ..Asked::default()
            };
            asked.filter().expect("all of it means something").wants_settled()
        };
        assert!(asked("", "", "") && asked("settled", "", "") && asked("settled", "M8", ""));
        assert!(!asked("pending", "", "") && !asked("", "M8", "") && !asked("", "", "yes"));
    }
}
