//! Text from outside: one normal spelling, identifiers without traps, hidden characters made visible (rule 19, case P3).
//!
//! Must not: format, link or interpret. What comes in as text is shown as text.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Why a text cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    #[error("must not be empty")]
    Empty,
    #[error("at most {most} characters; this has {found}")]
    TooLong { most: usize, found: usize },
    #[error("contains the hidden or control character U+{0:04X}, which is not allowed in an identifier")]
    Hidden(u32),
    #[error("contains the character U+0000, which cannot be kept")]
    Nul,
    #[error("begins or ends with a space")]
    OuterSpace,
    #[error("has more than two combining marks in a row")]
    Tower,
}

/// Unicode's canonical composition, line ends as `\n`: the one spelling that contents are compared and kept in (P9).
pub fn normal(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").nfc().collect()
}

/// Free text in normal spelling, at most `most` characters. Hidden characters stay; the screen marks them.
pub fn free_text(text: &str, most: usize) -> Result<String, TextFault> {
    let text = normal(text);
    let found = text.chars().count();
    if found > most {
        Err(TextFault::TooLong { most, found })
    } else if text.contains('\0') {
        Err(TextFault::Nul)
    } else {
        Ok(text)
    }
}

/// An identifier from outside (article number, agent, run): visible characters and single inner spaces only.
pub fn identifier(text: &str, most: usize) -> Result<String, TextFault> {
    let text = free_text(text, most)?;
    if text.is_empty() {
        return Err(TextFault::Empty);
    }
    if let Some(hidden) = text.chars().find(|letter| is_hidden(*letter)) {
        return Err(TextFault::Hidden(u32::from(hidden)));
    }
    if text.starts_with(' ') || text.ends_with(' ') {
        return Err(TextFault::OuterSpace);
    }
    if tower(&text) { Err(TextFault::Tower) } else { Ok(text) }
}

fn tower(text: &str) -> bool {
    let mut run = 0;
    text.chars().any(|letter| {
        run = if is_combining_mark(letter) { run + 1 } else { 0 };
        run > 2
    })
}

/// Whether a character shows nothing, or changes how its neighbours show: controls, direction marks, joiners, fillers,
/// tags, variation selectors (Unicode's Default_Ignorable_Code_Point and White_Space but for the plain space).
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || (letter.is_whitespace() && letter != ' ')
        || matches!(u32::from(letter),
            0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
            | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// A piece of text for the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Shown as it is.
    Plain(String),
    /// A hidden character, shown as its code point (and how many of it stand in a row).
    Hidden { code_point: u32, times: usize },
}

/// Splits free text into what is seen and what would not be. Line feeds and tabs stay plain; so do the variation
/// selector and the joiner inside ordinary emoji.
pub fn visible(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut marks = 0;
    for letter in text.chars() {
        marks = if is_combining_mark(letter) { marks + 1 } else { 0 };
        let plain = matches!(letter, '\n' | '\t' | '\u{a0}') || !(is_hidden(letter) || marks > 3);
        match (pieces.last_mut(), plain) {
            (Some(Piece::Plain(run)), true) => run.push(letter),
            (Some(Piece::Hidden { code_point, times }), false) if *code_point == u32::from(letter) => *times += 1,
            (_, true) => pieces.push(Piece::Plain(letter.to_string())),
            (_, false) => pieces.push(Piece::Hidden {
                code_point: u32::from(letter),
                times: 1,
            }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_refuse_what_cannot_be_seen() {
        for bad in [
            "M8\u{202e}04-8M",
            "\u{2066}M8\u{2069}",
            "M8\u{200b}",
            "M8\u{e0100}",
            "\u{115f}",
            "M8\n",
            "a\u{2003}b",
            " M8",
            "M8 ",
            "",
            "e\u{301}\u{302}\u{303}\u{304}",
        ] {
            assert!(identifier(bad, 80).is_err(), "{bad:?}");
        }
        for good in ["M8-40-A2", "05704066204093", "Größe 7", "=cmd|x", "品番"] {
            assert_eq!(identifier(good, 80).as_deref(), Ok(good));
        }
    }

    #[test]
    fn one_spelling() {
        assert_eq!(normal("a\u{308}\r\nb\rc"), "ä\nb\nc");
    }

    #[test]
    fn hidden_characters_are_named_and_counted() {
        let pieces = visible(&format!("a\u{202e}b{}", "\u{2003}".repeat(500)));
        assert_eq!(
            pieces[1],
            Piece::Hidden {
                code_point: 0x202e,
                times: 1
            }
        );
        assert_eq!(
            pieces[3],
            Piece::Hidden {
                code_point: 0x2003,
                times: 500
            }
        );
    }
}
