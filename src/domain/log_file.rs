//! The log as a file: JSON lines, one an event, oldest first, and the anchor as the last (docs/operations.md).
//!
//! Promises: an event's bytes stand there exactly as they were hashed, as a JSON string, so that the chain can be computed
//! anew from the file alone. Must not: read or write files.

use super::chain::Anchor;
use super::export::file_name;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// An event with its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventLine {
    pub number: u64,
    pub hash: String,
    /// The bytes that were stored and hashed.
    pub event: String,
}

/// The end of the log when the file was made; a file without it broke off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorLine {
    pub anchor: Anchor,
}

/// A line of such a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    Event(EventLine),
    Anchor(AnchorLine),
}

impl Line {
    /// The line with its end.
    pub fn text(&self) -> String {
        // a struct of strings and numbers always serialises
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads a line; nothing where it is none of such a file.
    pub fn of(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// The name under which a browser keeps it: `countersign-events-bolt-sons-2026-11-30.jsonl`.
pub fn name(tenant: &str, date: NaiveDate) -> String {
    file_name("events", tenant, date, ".jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let event = Line::Event(EventLine {
            number: 1,
            hash: "sha256:00".to_owned(),
            event: "{\"number\":1,\"name\":\"Bolt \\\"&\\\" Söhne\"}".to_owned(),
        });
        let anchor = Line::Anchor(AnchorLine {
            anchor: Anchor {
                tenant: "ten_000000000000".parse().expect("an id"),
                number: 1,
                hash: "sha256:00".to_owned(),
            },
        });
        for line in [&event, &anchor] {
            let text = line.text();
            assert_eq!(text.matches('\n').count(), 1);
            assert_eq!(Line::of(text.trim_end()).as_ref(), Some(line));
        }
        let written = "{\"anchor\":{\"tenant\":\"ten_000000000000\",\"number\":1,\"hash\":\"sha256:00\"}}\n";
        assert_eq!(anchor.text(), written);
        for text in [
            "",
            "{}",
            "[]",
            "{\"number\":1}",
            "{\"number\":1,\"hash\":\"\",\"event\":\"\",\"more\":1}",
        ] {
            assert_eq!(Line::of(text), None, "{text}");
        }
    }

    #[test]
    fn a_files_name_holds_what_every_disk_takes() {
        let date = NaiveDate::from_ymd_opt(2026, 11, 30).expect("a date");
        assert_eq!(
            name("Bolt & Sons", date),
            "countersign-events-bolt-sons-2026-11-30.jsonl"
        );
        assert_eq!(name("商社/\"..\"", date), "countersign-events-2026-11-30.jsonl");
    }
}
