//! Quantities, units and prices in words.

use crate::domain::contents::{Line, OrderContents};
use crate::domain::money::{Currency, LineTotal, Quantity, UnitPrice, grouped};
use crate::domain::unit::Unit;

/// A number as people write it: `25,000`.
pub fn number(quantity: Quantity) -> String {
    grouped(&quantity.to_string())
}

/// A unit after an amount: `cases`, `kg`, `boxes`.
pub fn unit(unit: Unit, plural: bool) -> String {
    let word = unit.short(plural);
    let is_noun = unit.code().starts_with('X') || ["PR", "SET", "RO"].contains(&unit.code());
    let is_one_word = word == unit.name() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !(plural && is_noun && is_one_word) {
        return word;
    }
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end));
    word + if hisses { "es" } else { "s" }
}

/// `24 each`, `2 cases`, `12.5 kg`.
pub fn quantity(amount: Quantity, of: Unit) -> String {
    format!("{} {}", number(amount), unit(of, amount != Quantity::ONE))
}

/// `€0.4375 each`, `€1.90 per 100 pieces`, `€48.20 per case`.
pub fn price(currency: Currency, price: UnitPrice, per: Quantity, of: Unit) -> String {
    let amount = amount(currency, price);
    match (per == Quantity::ONE, of.code()) {
        (true, "EA") => format!("{amount} each"),
        (true, _) => format!("{amount} per {}", unit(of, false)),
        (false, "EA") => format!("{amount} per {}", number(per)),
        (false, _) => format!("{amount} per {}", quantity(per, of)),
    }
}

/// A price with at least the currency's decimals, and all it has beyond them.
fn amount(currency: Currency, price: UnitPrice) -> String {
    let mut value = price.value().normalize();
    value.rescale(value.scale().max(currency.exponent()));
    let digits = grouped(&value.to_string());
    match currency.sign() {
        "" => format!("{currency}\u{a0}{digits}"),
        sign => format!("{sign}{digits}"),
    }
}

/// The exact value beside a total that was rounded.
pub fn exact(total: &LineTotal) -> Option<String> {
    let exact = total.exact?.normalize();
    (exact != total.rounded.amount().normalize()).then(|| format!("exactly {}", grouped(&exact.to_string())))
}

/// What a line's pack makes of its quantity: `2 cases = 24 each`.
pub fn pack(line: &Line) -> Option<String> {
    let pack = line.pack?;
    let one = quantity(pack.quantity, pack.unit);
    if pack.unit == line.unit {
        let packs = line.quantity.value().checked_div(pack.quantity.value())?.normalize();
        return Some(if packs.is_integer() {
            format!(
                "= {} of {one}",
                if packs == rust_decimal::Decimal::ONE {
                    "1 pack".to_owned()
                } else {
                    format!("{} packs", grouped(&packs.to_string()))
                }
            )
        } else {
            format!("not a whole number of packs of {one}")
        });
    }
    let all = line.quantity.value().checked_mul(pack.quantity.value())?.normalize();
    let pieces = unit(pack.unit, true);
    Some(format!(
        "{} = {} {pieces}",
        quantity(line.quantity, line.unit),
        grouped(&all.to_string())
    ))
}

/// How much approving buys: `3 lines`, or the quantity of the only line. No free text: it stands in a button (case P3).
pub fn how_much(contents: &OrderContents) -> String {
    match contents.lines.as_slice() {
        [only] => quantity(only.quantity, only.unit),
        lines => super::count(lines.len(), "line", "lines"),
    }
}

/// What a line is called where there is room for one name.
pub fn short_name(line: &Line) -> String {
    line.description
        .as_ref()
        .or(line.sku.as_ref())
        .cloned()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how_much_of(amount: &str, unit: &str) -> String {
        let line = line(amount, unit, None);
        quantity(line.quantity, line.unit)
    }

    fn line(quantity: &str, unit: &str, pack: Option<(&str, &str)>) -> Line {
        let pack = pack.map(|(quantity, unit)| format!(r#","pack":{{"quantity":"{quantity}","unit":"{unit}"}}"#));
        let pack = pack.unwrap_or_default();
        let text = format!(
            r#"{{"sku":"A","quantity":"{quantity}","unit":"{unit}","unit_price":"0.4375","price_per":"1"{pack}}}"#
        );
        serde_json::from_str(&text).expect("a line")
    }

    #[test]
    fn prices_say_what_they_are_for() {
        let say = |price_text: &str, per: &str, of: &str| {
            let euro = "EUR".parse().expect("a currency");
            let per = per.parse().expect("a quantity");
            price(
                euro,
                price_text.parse().expect("a price"),
                per,
                Unit::of(of).expect("a unit"),
            )
        };
        assert_eq!(say("0.4375", "1", "EA"), "€0.4375 each");
        assert_eq!(say("1.9", "100", "EA"), "€1.90 per 100");
        assert_eq!(say("1.9", "100", "H87"), "€1.90 per 100 pieces");
        assert_eq!(say("48.2", "1", "XCS"), "€48.20 per case");
        assert_eq!(say("1234", "1", "KGM"), "€1,234.00 per kg");
    }

    #[test]
    fn packs_are_counted_in_words() {
        assert_eq!(
            pack(&line("2", "XCS", Some(("12", "EA")))).as_deref(),
            Some("2 cases = 24 each")
        );
        assert_eq!(
            pack(&line("24", "EA", Some(("12", "EA")))).as_deref(),
            Some("= 2 packs of 12 each")
        );
        assert_eq!(
            pack(&line("25", "EA", Some(("12", "EA")))).as_deref(),
            Some("not a whole number of packs of 12 each")
        );
        assert_eq!(pack(&line("24", "EA", None)), None);
    }

    #[test]
    fn quantities_stand_before_a_name() {
        assert_eq!(how_much_of("25000", "EA"), "25,000 each");
        assert_eq!(how_much_of("1", "XBX"), "1 box");
        assert_eq!(how_much_of("40", "XBX"), "40 boxes");
        assert_eq!(how_much_of("12.5", "KGM"), "12.5 kg");
    }
}
