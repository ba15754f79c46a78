//! Numbers in a note that stand nowhere in the order: a note that says 240 beside a line of 24 is worth a look (case P4).
//!
//! Points out, never decides. Numbers inside a word (`M8`, `A2`) are names and do not count.

use crate::domain::contents::OrderContents;
use crate::domain::money::parse_decimal;

/// Most numbers that are pointed out.
const MOST: usize = 5;

/// The numbers of the note that stand nowhere in the contents, in their order, each once.
pub fn unmatched(contents: &OrderContents) -> Vec<String> {
    let Some(note) = &contents.note_to_supplier else {
        return Vec::new();
    };
    let known = known_numbers(contents);
    let mut found: Vec<String> = Vec::new();
    for number in numbers(note) {
        let value = parse_decimal(&number).ok();
        if value.is_some_and(|value| !known.contains(&value.to_string())) && !found.contains(&number) {
            found.push(number);
        }
    }
    found.truncate(MOST);
    found
}

/// Numbers that stand by themselves, with a point for decimals and without the commas between thousands.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '.' || letter == ','))
        .map(|word| word.trim_matches(['.', ',']).replace(',', ""))
        .filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .filter(|word| word.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
}

/// Every number the facts show, in normal spelling.
fn known_numbers(contents: &OrderContents) -> Vec<String> {
    let mut known = vec![
        contents.total().amount().normalize().to_string(),
        contents.lines.len().to_string(),
    ];
    for line in &contents.lines {
        let total = line.total(contents.currency);
        let pack = line.pack.map(|pack| pack.quantity.to_string());
        known.extend([
            line.quantity.to_string(),
            line.unit_price.to_string(),
            line.price_per.to_string(),
        ]);
        known.push(total.rounded.amount().normalize().to_string());
        known.extend(total.exact.map(|exact| exact.normalize().to_string()));
        known.extend(pack);
        known.extend(
            [&line.sku, &line.description]
                .into_iter()
                .flatten()
                .flat_map(|text| numbers(text)),
        );
    }
    known.extend(contents.charges.iter().map(|charge| charge.amount.to_string()));
    known.extend(
        contents
            .needed_by
            .iter()
            .flat_map(|date| numbers(&date.format("%Y %-m %-d %m %d").to_string()).collect::<Vec<_>>()),
    );
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(note: &str) -> Vec<String> {
        let text = format!(
            r#"{{"supplier":"acme","currency":"EUR","deliver_to":"main","needed_by":"2026-12-04","note_to_supplier":{note:?},
            "lines":[{{"sku":"M8-40-A2","quantity":"24","unit":"EA","unit_price":"0.4375","price_per":"1"}}]}}"#
        );
        unmatched(&serde_json::from_str(&text).expect("contents"))
    }

    #[test]
    fn a_number_that_contradicts_the_lines_is_pointed_out() {
        assert_eq!(odd("Please send 240 pieces, not 24."), ["240"]);
        assert_eq!(odd("1,000 at 0.40 each, 1,000!"), ["1000", "0.40"]);
    }

    #[test]
    fn what_the_lines_say_is_no_contradiction() {
        for fine in [
            "24 pieces at €0.4375, together 10.50",
            "by 2026-12-04",
            "M8 bolts, A2 steel",
            "Thank you",
            "",
        ] {
            assert_eq!(odd(fine), [""; 0], "{fine}");
        }
    }
}
