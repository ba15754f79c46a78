//! The books as tables: which there are, who reads them, and how a cell is written for either.
//!
//! Promises: machines get every value exactly, people get the same guarded against their spreadsheets ([`super::guarded`])
//! and in their own zone. Must not: know what stands in which table, or write files.

use super::guarded::guarded;
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use chrono_tz::Tz;

/// What is read to its end, whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Book {
    /// Every order.
    Orders,
    /// Every line, charge and allowance of every order.
    Lines,
    /// The log.
    Events,
}

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Book(Book),
    /// What is open, as the queue has it.
    Queue,
}

impl Table {
    /// Every table.
    pub const ALL: [Self; 4] = [
        Self::Book(Book::Orders),
        Self::Book(Book::Lines),
        Self::Book(Book::Events),
        Self::Queue,
    ];

    /// Its one word, in addresses and names of files.
    pub fn word(self) -> &'static str {
        match self {
            Table::Book(Book::Orders) => "orders",
            Table::Book(Book::Lines) => "lines",
            Table::Book(Book::Events) => "events",
            Table::Queue => "queue",
        }
    }

    /// The path under which whoever is signed in gets it.
    pub fn path(self, reader: Reader) -> String {
        format!("/export/{}.csv?for={}", self.word(), reader.word())
    }
}

/// Who reads a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reader {
    /// A program: exact, nothing guarded.
    #[default]
    Machines,
    /// A person with a spreadsheet.
    People,
}

impl Reader {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Machines, Self::People];

    /// The word in addresses and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Reader::Machines => "machines",
            Reader::People => "people",
        }
    }

    /// Reads the word back.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reader| reader.word() == word)
    }

    /// How the name of such a file ends; people's says whose it is.
    pub fn ending(self) -> &'static str {
        match self {
            Reader::Machines => ".csv",
            Reader::People => "-for-people.csv",
        }
    }
}

/// A cell, before it is known who reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    Nothing,
    /// Text that somebody wrote, or an identifier.
    Text(String),
    /// A number or date of ours, in its one spelling; a spreadsheet may count with it.
    Number(String),
    Moment(DateTime<Utc>),
    /// A word of ours, and what people call it.
    Word {
        machines: String,
        people: String,
    },
}

impl Cell {
    /// A text, where there is one.
    pub fn text(text: Option<&str>) -> Self {
        text.map_or(Cell::Nothing, |text| Cell::Text(text.to_owned()))
    }
    /// A number or date of ours.
    pub fn number(number: impl ToString) -> Self {
        Cell::Number(number.to_string())
    }
    /// A moment, where there is one.
    pub fn moment(moment: Option<DateTime<Utc>>) -> Self {
        moment.map_or(Cell::Nothing, Cell::Moment)
    }

    /// The cell as it stands in the file.
    pub fn field(self, reader: Reader, zone: Tz) -> String {
        match (self, reader) {
            (Cell::Nothing, _) => String::new(),
            (Cell::Number(number), _) => number,
            (Cell::Text(text), Reader::Machines) => text,
            (Cell::Text(text), Reader::People) => guarded(&text).into_owned(),
            // as the API writes it
            (Cell::Moment(moment), Reader::Machines) => moment.to_rfc3339_opts(SecondsFormat::AutoSi, true),
            (Cell::Moment(moment), Reader::People) => {
                moment.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S").to_string()
            }
            (Cell::Word { machines, .. }, Reader::Machines) => machines,
            (Cell::Word { people, .. }, Reader::People) => guarded(&people).into_owned(),
        }
    }
}

/// The name under which a browser keeps a file: `countersign-events-bolt-sons-2026-11-30` and how it ends.
pub fn file_name(what: &str, tenant: &str, date: NaiveDate, ending: &str) -> String {
    let letters = tenant.to_lowercase();
    let words = letters.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let parts = ["countersign", what].into_iter().chain(words);
    let parts: Vec<&str> = parts.collect();
    format!("{}-{}{ending}", parts.join("-"), date.format("%Y-%m-%d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cell: &Cell) -> [String; 2] {
        Reader::ALL.map(|reader| cell.clone().field(reader, Tz::Europe__Berlin))
    }

    #[test]
    fn machines_get_what_is_kept_and_people_what_their_spreadsheet_leaves_alone() {
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(written(&text("-12A")), ["-12A", "'-12A"]);
        assert_eq!(written(&text("00123")), ["00123", "'00123"]);
        assert_eq!(written(&text("bolts")), ["bolts", "bolts"]);
        assert_eq!(written(&Cell::number("-5.00")), ["-5.00", "-5.00"]);
        assert_eq!(written(&Cell::Nothing), ["", ""]);
        let at = "2026-11-30T23:12:04.120331Z".parse().expect("a moment");
        assert_eq!(
            written(&Cell::Moment(at)),
            ["2026-11-30T23:12:04.120331Z", "2026-12-01 00:12:04"]
        );
    }

    #[test]
    fn a_files_name_says_whose_it_is() {
        let date = NaiveDate::from_ymd_opt(2026, 11, 30).expect("a date");
        let named = |reader: Reader| file_name("orders", "Bolt & Sons", date, reader.ending());
        assert_eq!(named(Reader::Machines), "countersign-orders-bolt-sons-2026-11-30.csv");
        assert_eq!(
            named(Reader::People),
            "countersign-orders-bolt-sons-2026-11-30-for-people.csv"
        );
    }
}
