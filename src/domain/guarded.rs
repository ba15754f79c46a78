//! Text as a spreadsheet keeps it: an apostrophe before whatever it would carry out or change (case Q4).
//!
//! Promises: total, and no guarded text begins with anything that a spreadsheet takes for a formula, nor does a piece of it
//! that a spreadsheet with other separators would make a cell of. Text without such a beginning that is neither number,
//! date nor time is left as it is. Must not: be used on what machines read.

use super::text::is_hidden;
use std::borrow::Cow;

/// What a formula begins with: ASCII, full width, small forms, and the minus sign.
const FORMULA: [char; 13] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];

/// What ends a cell in files of others: where one of these is the separator, what follows it is a cell of its own.
const ENDS_A_CELL: [char; 4] = [';', '\t', '\n', '\r'];

/// What stands in numbers, dates and times beside digits and letters.
const IN_NUMBERS: &str = ".,:;/-+%'’()$€£¥₹−_";

/// The letters of numbers and times: exponents, hours before and after noon, ISO 8601.
const IN_TIMES: [&str; 8] = ["e", "d", "a", "p", "am", "pm", "t", "z"];

/// How months begin in the languages that spreadsheets are used in most here.
const MONTHS: &[&str] = &[
    "jan", "gen", "ene", "feb", "fév", "fev", "mar", "mär", "maa", "mrt", "apr", "avr", "abr", "mai", "may", "mag",
    "mei", "maj", "jun", "jui", "giu", "jul", "lug", "aug", "aoû", "ago", "sep", "set", "oct", "okt", "ott", "out",
    "nov", "dec", "dez", "dic", "déc",
];

/// Words that become a truth value.
const TRUTHS: [&str; 8] = ["true", "false", "wahr", "falsch", "vrai", "faux", "vero", "falso"];

/// Digits that a spreadsheet keeps: it counts with fifteen.
const MOST_DIGITS: usize = 15;

/// The text with an apostrophe before it, where a spreadsheet would take it for a formula or change it; a text that begins
/// with an apostrophe gets another, so that taking one away gives back what was there. Inside, an apostrophe stands before
/// what would be a formula in a cell of its own.
pub fn guarded(text: &str) -> Cow<'_, str> {
    let first = begins_a_formula(text) || begins_with_control(text) || text.starts_with('\'') || would_change(text);
    let inside: Vec<usize> = formulas_inside(text).collect();
    if !first && inside.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 1 + inside.len());
    if first {
        out.push('\'');
    }
    let mut from = 0;
    for place in inside {
        out.push_str(&text[from..place]);
        out.push('\'');
        from = place;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Where, behind what may end a cell, a formula would begin.
fn formulas_inside(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().filter(|(_, letter)| ENDS_A_CELL.contains(letter));
    let after = ends.map(|(place, letter)| place + letter.len_utf8());
    after.filter(|place| begins_a_formula(&text[*place..]))
}

/// Whether the first thing that shows begins a formula. White space, hidden characters and quotation marks before it do
/// not count: some programs take them away.
fn begins_a_formula(text: &str) -> bool {
    let passed_over = |letter: char| letter.is_whitespace() || is_hidden(letter) || letter == '"';
    let first = text.chars().find(|letter| !passed_over(*letter));
    first.is_some_and(|first| FORMULA.contains(&first))
}

/// Whether a tab, a line end or another control character stands before the first thing that shows.
fn begins_with_control(text: &str) -> bool {
    let mut before = text
        .chars()
        .take_while(|letter| letter.is_whitespace() || is_hidden(*letter));
    before.any(char::is_control)
}

/// Whether a spreadsheet would make a number, date, time or truth value of it and show something else: `00123`, `1e5`,
/// `1-2`, `MAR1`, `true`. A plain number of up to fifteen digits stays what it is.
fn would_change(text: &str) -> bool {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || is_hidden(letter));
    let small = text.to_lowercase();
    if TRUTHS.contains(&&*small) {
        return true;
    }
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= MOST_DIGITS;
    if is_plain && (text == "0" || !text.starts_with('0')) {
        return false;
    }
    let fits = |letter: char| letter.is_alphanumeric() || letter.is_whitespace() || IN_NUMBERS.contains(letter);
    let words = || {
        small
            .split(|letter: char| !letter.is_alphabetic())
            .filter(|word| !word.is_empty())
    };
    let begins_with_digit = small
        .chars()
        .find(|letter| letter.is_alphanumeric())
        .is_some_and(char::is_numeric);
    text.contains(char::is_numeric)
        && text.chars().all(fits)
        && (begins_with_digit || words().next().is_some_and(is_month))
        && words().all(|word| is_month(word) || IN_TIMES.contains(&word))
}

fn is_month(word: &str) -> bool {
    MONTHS.iter().any(|month| word.starts_with(month))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_spreadsheet_would_carry_out_or_change_has_an_apostrophe_before_it() {
        for text in [
            "=cmd|' /C calc'!A0",
            "-12A",
            "@x",
            "+7",
            "＝1+1",
            "－12A",
            "＠SUM(1)",
            "−5",
            "  =1",
            "\u{feff}=1",
            "\u{a0}\u{200b}@x",
            "\"=1\"",
            "\tplain words",
            " \nplain words",
            "\rx",
            "'quoted",
            "00123",
            "1e5",
            "2E7",
            "1-2",
            "3/4",
            "10:30",
            "MAR1",
            "1 März",
            "5 Sept 2026",
            "12.50",
            "1,5",
            "5%",
            "(5)",
            "1234567890123456",
            "2026-11-30T09:12:04Z",
            "true",
            "FALSCH",
            "12 pm",
            "００１２３",
        ] {
            assert_eq!(guarded(text), format!("'{text}"), "{text:?}");
        }
    }

    #[test]
    fn what_a_spreadsheet_leaves_alone_is_left_alone() {
        for text in [
            "",
            "Hex bolt M8×40 A2",
            "M8-40-A2",
            "A2-70",
            "24 × Hex bolt M8×40 A2",
            "4711",
            "0",
            "123456789012345",
            "po_7h2m4k8q1xyz",
            "practice",
            "a = b",
            "Größe 7",
            "two\nlines",
            "sha256:9f3c41",
            "品番",
        ] {
            assert_eq!(guarded(text), text);
        }
    }

    #[test]
    fn a_cell_that_other_separators_would_cut_out_is_guarded_too() {
        assert_eq!(guarded("bolts;=cmd|x"), "bolts;'=cmd|x");
        assert_eq!(guarded("bolts\n \"@x"), "bolts\n' \"@x");
        assert_eq!(guarded("=1;=2"), "'=1;'=2");
    }

    proptest! {
        #[test]
        fn nothing_guarded_begins_a_formula(text in ".{0,40}", lead in "[ \t\n\r\u{a0}\u{200b}\"';]{0,4}[=+@−＝|-]?") {
            let text = lead + &text;
            let out = guarded(&text);
            prop_assert!(!begins_a_formula(&out) && !begins_with_control(&out), "{out:?}");
            prop_assert!(formulas_inside(&out).next().is_none(), "{out:?}");
        }

        #[test]
        fn an_apostrophe_taken_away_gives_back_what_was_there(text in "[^;\t\n\r]{0,40}") {
            let out = guarded(&text);
            let back = out.strip_prefix('\'').unwrap_or(&out);
            prop_assert_eq!(back, &text);
        }
    }
}
