//! What differs: between two versions of contents (rule 4), and between what was approved and what a supplier recorded
//! (rule 12, case W11).
//!
//! Promises: numbers are compared as numbers, references and articles as text, lines in any order. A difference is
//! named, never guessed away. Must not: decide what a difference means.

use super::contents::{Charge, ChargeKind, Line, OrderContents};
use super::money::parse_decimal;
use serde::{Deserialize, Serialize};

/// Where two orders differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Supplier,
    Currency,
    DeliverTo,
    NeededBy,
    Note,
    /// A field of a line, by the line's name.
    Line {
        line: String,
        field: LineField,
    },
    /// The line stands only in what was approved.
    LineMissing {
        line: String,
    },
    /// The line stands only on the other side.
    LineAdded {
        line: String,
    },
    Charges,
}

/// Which field of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineField {
    Article,
    Description,
    Quantity,
    Unit,
    Price,
    Pack,
}

/// One difference, both sides as text; an absent side is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub place: Place,
    /// What was shown or approved.
    pub approved: String,
    /// What stands now, or what the supplier recorded.
    pub other: String,
}

/// An order as a supplier recorded it. What the supplier does not tell is `None` and is not compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub currency: Option<String>,
    pub deliver_to: Option<String>,
    pub needed_by: Option<String>,
    pub lines: Vec<RecordedLine>,
    pub charges: Option<Vec<RecordedCharge>>,
}

/// A line as a supplier recorded it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedLine {
    pub sku: Option<String>,
    pub description: Option<String>,
    pub quantity: Option<String>,
    pub unit: Option<String>,
    pub unit_price: Option<String>,
    pub price_per: Option<String>,
}

/// A charge as a supplier recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCharge {
    pub kind: String,
    pub amount: String,
}

fn unlike(place: Place, approved: String, other: String) -> Option<Difference> {
    (approved != other).then_some(Difference { place, approved, other })
}

/// Everything that differs between the contents somebody saw and other contents.
pub fn between(seen: &OrderContents, now: &OrderContents) -> Vec<Difference> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let date = |contents: &OrderContents| contents.needed_by.map(|day| day.to_string()).unwrap_or_default();
    let mut found: Vec<Difference> = [
        unlike(Place::Supplier, seen.supplier.to_string(), now.supplier.to_string()),
        unlike(Place::Currency, seen.currency.to_string(), now.currency.to_string()),
        unlike(
            Place::DeliverTo,
            seen.deliver_to.to_string(),
            now.deliver_to.to_string(),
        ),
        unlike(Place::NeededBy, date(seen), date(now)),
        unlike(Place::Note, text(&seen.note_to_supplier), text(&now.note_to_supplier)),
        unlike(Place::Charges, charges_in_words(seen), charges_in_words(now)),
    ]
    .into_iter()
    .flatten()
    .collect();
    found.extend(between_lines(&seen.lines, &now.lines));
    found
}

fn charges_in_words(contents: &OrderContents) -> String {
    contents
        .charges
        .iter()
        .map(charge_in_words)
        .collect::<Vec<_>>()
        .join("; ")
}

fn charge_in_words(charge: &Charge) -> String {
    let sign = match charge.kind {
        ChargeKind::Charge => "+",
        ChargeKind::Allowance => "−",
    };
    format!(
        "{sign}{} {}",
        charge.amount,
        charge.reason.as_deref().unwrap_or_default()
    )
    .trim_end()
    .to_owned()
}

fn price_in_words(price: &str, per: &str) -> String {
    if per == "1" {
        price.to_owned()
    } else {
        format!("{price} per {per}")
    }
}

fn between_lines(seen: &[Line], now: &[Line]) -> Vec<Difference> {
    let mut found = Vec::new();
    for place in 0..seen.len().max(now.len()) {
        match (seen.get(place), now.get(place)) {
            (Some(a), Some(b)) => found.extend(between_two_lines(a, b)),
            (Some(a), None) => found.push(Difference {
                place: Place::LineMissing { line: a.name() },
                approved: a.quantity.to_string(),
                other: String::new(),
            }),
            (None, Some(b)) => found.push(Difference {
                place: Place::LineAdded { line: b.name() },
                approved: String::new(),
                other: b.quantity.to_string(),
            }),
            (None, None) => {}
        }
    }
    found
}

fn between_two_lines(a: &Line, b: &Line) -> Vec<Difference> {
    let at = |field| Place::Line { line: a.name(), field };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let price = |line: &Line| price_in_words(&line.unit_price.to_string(), &line.price_per.to_string());
    let pack = |line: &Line| {
        line.pack
            .map(|pack| format!("{} {}", pack.quantity, pack.unit.code()))
            .unwrap_or_default()
    };
    [
        unlike(at(LineField::Article), text(&a.sku), text(&b.sku)),
        unlike(at(LineField::Description), text(&a.description), text(&b.description)),
        unlike(at(LineField::Quantity), a.quantity.to_string(), b.quantity.to_string()),
        unlike(at(LineField::Unit), a.unit.code().to_owned(), b.unit.code().to_owned()),
        unlike(at(LineField::Price), price(a), price(b)),
        unlike(at(LineField::Pack), pack(a), pack(b)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Compares a supplier's record with what was approved, line by line (rule 12). Lines may stand in any order: first
/// those that agree in everything are paired, then those of the same article, then what is left in its order.
pub fn with_record(approved: &OrderContents, record: &Recorded) -> Vec<Difference> {
    let mut found = header_differences(approved, record);
    let mut theirs: Vec<&RecordedLine> = record.lines.iter().collect();
    let mut ours: Vec<&Line> = approved.lines.iter().collect();
    let agrees = |line: &Line, other: &RecordedLine| with_recorded_line(line, other).is_empty();
    pair_off(&mut ours, &mut theirs, agrees, |_, _| {});
    let mut pairs = Vec::new();
    pair_off(&mut ours, &mut theirs, same_article, |line, other| {
        pairs.push((line, other))
    });
    let substitutes = ours.len().min(theirs.len());
    pairs.extend(ours.drain(..substitutes).zip(theirs.drain(..substitutes)));
    found.extend(
        pairs
            .into_iter()
            .flat_map(|(line, other)| with_recorded_line(line, other)),
    );
    found.extend(ours.into_iter().map(|line| Difference {
        place: Place::LineMissing { line: line.name() },
        approved: line.quantity.to_string(),
        other: String::new(),
    }));
    found.extend(theirs.into_iter().map(|line| Difference {
        place: Place::LineAdded {
            line: recorded_name(line),
        },
        approved: String::new(),
        other: added_in_words(line, record.currency.as_deref()),
    }));
    found
}

fn pair_off<'a>(
    ours: &mut Vec<&'a Line>,
    theirs: &mut Vec<&'a RecordedLine>,
    fits: impl Fn(&Line, &RecordedLine) -> bool,
    mut take: impl FnMut(&'a Line, &'a RecordedLine),
) {
    ours.retain(|line| match theirs.iter().position(|other| fits(line, other)) {
        Some(place) => {
            take(line, theirs.remove(place));
            false
        }
        None => true,
    });
}

fn same_article(line: &Line, other: &RecordedLine) -> bool {
    if line.sku.is_some() {
        line.sku == other.sku
    } else {
        line.description == other.description
    }
}

/// How many, and at what price: an added line costs money.
fn added_in_words(line: &RecordedLine, currency: Option<&str>) -> String {
    let quantity = line.quantity.clone().unwrap_or_default();
    match line.unit_price.as_deref().filter(|price| !price.is_empty()) {
        Some(price) => {
            let price = price_in_words(price, line.price_per.as_deref().unwrap_or("1"));
            format!("{quantity} at {} {price}", currency.unwrap_or_default()).replace("  ", " ")
        }
        None => quantity,
    }
}

fn recorded_name(line: &RecordedLine) -> String {
    [line.sku.as_deref(), line.description.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The same number, however it is spelled; what cannot be read as a number is compared as text.
fn same_number(ours: &str, theirs: &str) -> bool {
    ours == theirs
        || parse_decimal(ours)
            .ok()
            .is_some_and(|number| parse_decimal(theirs) == Ok(number))
}

fn told(place: Place, ours: String, theirs: Option<&String>, same: impl Fn(&str, &str) -> bool) -> Option<Difference> {
    let theirs = theirs?;
    (!same(&ours, theirs)).then(|| Difference {
        place,
        approved: ours,
        other: theirs.clone(),
    })
}

fn header_differences(approved: &OrderContents, record: &Recorded) -> Vec<Difference> {
    let exactly = |a: &str, b: &str| a == b;
    let needed_by = approved.needed_by.map(|day| day.to_string()).unwrap_or_default();
    [
        told(
            Place::Currency,
            approved.currency.to_string(),
            record.currency.as_ref(),
            exactly,
        ),
        told(
            Place::DeliverTo,
            approved.deliver_to.to_string(),
            record.deliver_to.as_ref(),
            exactly,
        ),
        told(Place::NeededBy, needed_by, record.needed_by.as_ref(), exactly),
        record
            .charges
            .as_ref()
            .and_then(|theirs| with_recorded_charges(approved, theirs)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn with_recorded_charges(approved: &OrderContents, theirs: &[RecordedCharge]) -> Option<Difference> {
    let kind = |kind: ChargeKind| match kind {
        ChargeKind::Charge => "charge",
        ChargeKind::Allowance => "allowance",
    };
    let number = |text: &str| parse_decimal(text).map_or_else(|_| text.to_owned(), |number| number.to_string());
    let mut ours: Vec<_> = approved
        .charges
        .iter()
        .map(|one| format!("{} {}", kind(one.kind), one.amount))
        .collect();
    let mut theirs: Vec<_> = theirs
        .iter()
        .map(|one| format!("{} {}", one.kind, number(&one.amount)))
        .collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    unlike(Place::Charges, ours.join("; "), theirs.join("; "))
}

/// What differs in a pair of lines. Without an article number of ours the description stands for the article.
fn with_recorded_line(line: &Line, other: &RecordedLine) -> Vec<Difference> {
    let at = |field| Place::Line {
        line: line.name(),
        field,
    };
    let exactly = |a: &str, b: &str| a == b;
    let article = match &line.sku {
        Some(sku) => unlike(
            at(LineField::Article),
            sku.clone(),
            other.sku.clone().unwrap_or_default(),
        ),
        None => {
            let words = line.description.clone().unwrap_or_default();
            unlike(
                at(LineField::Description),
                words,
                other.description.clone().unwrap_or_default(),
            )
        }
    };
    // a quantity that is not told cannot be taken for agreed
    let quantity = other.quantity.clone().unwrap_or_default();
    let quantity = told(
        at(LineField::Quantity),
        line.quantity.to_string(),
        Some(&quantity),
        same_number,
    );
    let unit = told(
        at(LineField::Unit),
        line.unit.code().to_owned(),
        other.unit.as_ref(),
        exactly,
    );
    [article, quantity, unit, with_recorded_price(line, other)]
        .into_iter()
        .flatten()
        .collect()
}

fn with_recorded_price(line: &Line, other: &RecordedLine) -> Option<Difference> {
    let price = other.unit_price.as_ref()?;
    let per = other.price_per.as_deref().unwrap_or("1");
    let ours = (line.unit_price.to_string(), line.price_per.to_string());
    let same = same_number(&ours.0, price) && same_number(&ours.1, per);
    (!same).then(|| Difference {
        place: Place::Line {
            line: line.name(),
            field: LineField::Price,
        },
        approved: price_in_words(&ours.0, &ours.1),
        other: price_in_words(price, per),
    })
}

impl Difference {
    /// `24 → 99`, with what it is about, for a case's reason.
    pub fn in_words(&self) -> String {
        let about = match &self.place {
            Place::Supplier => "supplier".to_owned(),
            Place::Currency => "currency".to_owned(),
            Place::DeliverTo => "deliver to".to_owned(),
            Place::NeededBy => "needed by".to_owned(),
            Place::Note => "note".to_owned(),
            Place::Charges => "charges".to_owned(),
            Place::Line { line, field } => format!("{} of {line}", field.word()),
            Place::LineMissing { line } => format!("no line {line}"),
            Place::LineAdded { line } => format!("a line {line}"),
        };
        let blank = |text: &str| {
            if text.is_empty() {
                "nothing".to_owned()
            } else {
                text.to_owned()
            }
        };
        format!("{about} {} → {}", blank(&self.approved), blank(&self.other))
    }
}

impl LineField {
    fn word(self) -> &'static str {
        match self {
            LineField::Article => "article",
            LineField::Description => "description",
            LineField::Quantity => "quantity",
            LineField::Unit => "unit",
            LineField::Price => "price",
            LineField::Pack => "pack",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contents::{ContentsDraft, Known, LineDraft, check};
    use super::*;

    fn approved() -> OrderContents {
        let line = |sku: &str, quantity: &str| LineDraft {
            sku: Some(sku.into()),
            quantity: Some(quantity.into()),
            unit: Some("EA".into()),
            unit_price: Some("1.50".into()),
            ..LineDraft::default()
        };
        let draft = ContentsDraft {
            supplier: Some("acme".into()),
            currency: Some("EUR".into()),
            deliver_to: Some("main".into()),
            needed_by: Some("2026-12-04".into()),
            lines: Some(vec![line("A", "10"), line("B", "5")]),
            ..ContentsDraft::default()
        };
        let known = Known {
            suppliers: vec![("acme".parse().expect("id"), vec!["EUR".parse().expect("EUR")])],
            sites: vec!["main".parse().expect("site")],
        };
        check(&draft, &known).expect("sound")
    }

    fn record() -> Recorded {
        let line = |sku: &str, quantity: &str| RecordedLine {
            sku: Some(sku.into()),
            quantity: Some(quantity.into()),
            unit: Some("EA".into()),
            unit_price: Some("1.5000".into()),
            ..RecordedLine::default()
        };
        Recorded {
            currency: Some("EUR".into()),
            deliver_to: Some("main".into()),
            needed_by: Some("2026-12-04".into()),
            lines: vec![line("B", "5.0"), line("A", "10")],
            charges: Some(vec![]),
        }
    }

    fn places(change: impl FnOnce(&mut Recorded)) -> Vec<Place> {
        let mut record = record();
        change(&mut record);
        with_record(&approved(), &record)
            .into_iter()
            .map(|difference| difference.place)
            .collect()
    }
    fn at(line: &str, field: LineField) -> Place {
        Place::Line {
            line: line.into(),
            field,
        }
    }

    #[test]
    fn lines_in_another_order_and_other_spellings_are_no_difference() {
        assert_eq!(places(|_| {}), []);
    }

    #[test]
    fn each_kind_of_difference_is_named() {
        // case W11
        assert_eq!(
            places(|r| r.lines[1].quantity = Some("7".into())),
            [at("A", LineField::Quantity)]
        );
        assert_eq!(places(|r| r.lines[1].quantity = None), [at("A", LineField::Quantity)]);
        assert_eq!(
            places(|r| r.lines[0].unit_price = Some("1.52".into())),
            [at("B", LineField::Price)]
        );
        assert_eq!(
            places(|r| r.lines[0].price_per = Some("100".into())),
            [at("B", LineField::Price)]
        );
        assert_eq!(
            places(|r| r.lines[0].sku = Some("B2".into())),
            [at("B", LineField::Article)]
        );
        assert_eq!(
            places(|r| drop(r.lines.remove(0))),
            [Place::LineMissing { line: "B".into() }]
        );
        assert_eq!(
            places(|r| r.lines.push(r.lines[0].clone())),
            [Place::LineAdded { line: "B".into() }]
        );
        assert_eq!(places(|r| r.currency = Some("USD".into())), [Place::Currency]);
        assert_eq!(places(|r| r.needed_by = Some("2027-01-15".into())), [Place::NeededBy]);
        let freight = RecordedCharge {
            kind: "charge".into(),
            amount: "5".into(),
        };
        assert_eq!(places(|r| r.charges = Some(vec![freight])), [Place::Charges]);
    }

    #[test]
    fn what_changed_between_two_versions_is_named() {
        let seen = approved();
        let mut now = approved();
        now.lines[0].quantity = "100".parse().expect("quantity");
        now.note_to_supplier = Some("gate 3".into());
        let places: Vec<_> = between(&seen, &now).into_iter().map(|one| one.place).collect();
        assert_eq!(places, [Place::Note, at("A", LineField::Quantity)]);
        assert!(between(&seen, &seen).is_empty());
    }
}
