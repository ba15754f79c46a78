//! A person's change of what was suggested or ordered: the complete new list of lines, on top of what stood (rule 5,
//! doors.md "/act/revise").
//!
//! Promises: what the form does not carry is taken over; a fault is named by the field of the form it was typed into. Must
//! not: make an order; a change is a new revision that needs its own approval.

use super::contents::{ChargeDraft, ChargeKind, ContentsDraft, Fault, Line, LineDraft, OrderContents, PackDraft};
use serde::{Deserialize, Serialize};

/// A line as it was typed. A field that the form did not carry is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTyped {
    #[serde(default)]
    pub sku: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub quantity: Option<String>,
    #[serde(default)]
    pub unit: Option<String>,
    #[serde(default)]
    pub unit_price: Option<String>,
    #[serde(default)]
    pub price_per: Option<String>,
    /// `yes` where the line is to go.
    #[serde(default)]
    pub leave_out: Option<String>,
}

/// What a line's fields are called in the form.
pub const LINE_FIELDS: [&str; 6] = ["sku", "description", "quantity", "unit", "unit_price", "price_per"];

/// The name of a line's field in the form: `lines[0][quantity]`.
pub fn field_name(place: usize, field: &str) -> String {
    format!("lines[{place}][{field}]")
}

/// What a person typed into the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevisionTyped {
    pub lines: Vec<LineTyped>,
    /// Blank takes it away.
    pub note_to_supplier: Option<String>,
    /// Blank takes it away.
    pub needed_by: Option<String>,
}

/// The new contents, not checked yet, and which line of the form each of their lines was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revised {
    pub draft: ContentsDraft,
    places: Vec<usize>,
}

fn said(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

impl LineTyped {
    /// Every field that the form carried, as it was typed.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let values = [
            &self.sku,
            &self.description,
            &self.quantity,
            &self.unit,
            &self.unit_price,
            &self.price_per,
        ];
        let typed = LINE_FIELDS.into_iter().zip(values);
        let typed = typed.chain([("leave_out", &self.leave_out)]);
        typed.filter_map(|(name, value)| value.as_ref().map(|value| (name, value)))
    }

    /// A row that nobody wrote into is no line.
    fn is_empty(&self) -> bool {
        self.fields().all(|(_, value)| value.trim().is_empty())
    }

    fn is_left_out(&self) -> bool {
        self.leave_out.as_deref() == Some("yes")
    }

    /// Whether this is a line that stood before: the same article, or the same words without one, in the same unit.
    fn is_kept(&self, before: &Line) -> bool {
        let unit = said(self.unit.as_ref()).is_none_or(|unit| unit == before.unit.code());
        let article = match (said(self.sku.as_ref()), &before.sku) {
            (Some(sku), Some(known)) => sku == *known,
            (None, None) => said(self.description.as_ref()) == before.description,
            (Some(_), None) | (None, Some(_)) => false,
        };
        unit && article
    }

    /// The new line; what the form does not carry of a line that stood before is taken over.
    fn on_top_of(&self, before: Option<&Line>) -> LineDraft {
        let pack = before.and_then(|line| line.pack).map(|pack| PackDraft {
            quantity: Some(pack.quantity.to_string()),
            unit: Some(pack.unit.code().to_owned()),
        });
        let description = match &self.description {
            Some(_) => said(self.description.as_ref()),
            None => before.and_then(|line| line.description.clone()),
        };
        let price_per = match &self.price_per {
            Some(_) => said(self.price_per.as_ref()),
            None => before.map(|line| line.price_per.to_string()),
        };
        LineDraft {
            sku: said(self.sku.as_ref()),
            description,
            quantity: said(self.quantity.as_ref()),
            unit: said(self.unit.as_ref()),
            unit_price: said(self.unit_price.as_ref()),
            price_per,
            pack,
        }
    }
}

/// The standing line that this one is: the one at its place, if that is like it, else the first that is.
fn take<'a>(standing: &mut [Option<&'a Line>], place: usize, line: &LineTyped) -> Option<&'a Line> {
    let is_it = |before: &Option<&Line>| before.is_some_and(|before| line.is_kept(before));
    let here = standing.get(place).is_some_and(is_it).then_some(place);
    let found = here.or_else(|| standing.iter().position(is_it))?;
    standing.get_mut(found)?.take()
}

/// The contents that a person's change comes to.
pub fn revised(base: &OrderContents, typed: &RevisionTyped) -> Revised {
    let mut standing: Vec<Option<&Line>> = base.lines.iter().map(Some).collect();
    let (mut lines, mut places) = (Vec::new(), Vec::new());
    for (place, line) in typed.lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        // one that is left out is that line too, and leaves the next like it to the next
        let before = take(&mut standing, place, line);
        if !line.is_left_out() {
            lines.push(line.on_top_of(before));
            places.push(place);
        }
    }
    let over = |given: &Option<String>, before: Option<String>| match given {
        Some(_) => said(given.as_ref()),
        None => before,
    };
    let draft = ContentsDraft {
        supplier: Some(base.supplier.to_string()),
        currency: Some(base.currency.code().to_owned()),
        deliver_to: Some(base.deliver_to.to_string()),
        needed_by: over(&typed.needed_by, base.needed_by.map(|day| day.to_string())),
        note_to_supplier: over(&typed.note_to_supplier, base.note_to_supplier.clone()),
        lines: Some(lines),
        charges: base.charges.iter().map(charge).collect(),
    };
    Revised { draft, places }
}

fn charge(charge: &super::contents::Charge) -> ChargeDraft {
    let kind = match charge.kind {
        ChargeKind::Charge => "charge",
        ChargeKind::Allowance => "allowance",
    };
    ChargeDraft {
        kind: Some(kind.to_owned()),
        reason: charge.reason.clone(),
        amount: Some(charge.amount.to_string()),
    }
}

impl Revised {
    /// The form's field that a fault of the contents is about.
    pub fn field_of(&self, fault: &Fault) -> String {
        let parts: Vec<&str> = fault.pointer.split('/').skip(1).collect();
        match parts[..] {
            ["lines", place, field, ..] => {
                let place = place.parse().ok().and_then(|place: usize| self.places.get(place));
                place.map_or_else(|| "lines".to_owned(), |place| field_name(*place, field))
            }
            ["lines", place] => {
                let place = place.parse().ok().and_then(|place: usize| self.places.get(place));
                place.map_or_else(|| "lines".to_owned(), |place| field_name(*place, "quantity"))
            }
            [field, ..] => field.to_owned(),
            [] => "lines".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contents::{Known, check};

    fn base() -> OrderContents {
        let text = r#"{"supplier":"acme","currency":"EUR","deliver_to":"main","needed_by":"2026-12-04","note_to_supplier":"ring twice",
            "lines":[{"sku":"M8","description":"Bolt","quantity":"24","unit":"EA","unit_price":"43.75","price_per":"100","pack":{"quantity":"12","unit":"EA"}},
                     {"description":"Fitting","quantity":"1","unit":"HUR","unit_price":"80","price_per":"1"}],
            "charges":[{"kind":"allowance","reason":"discount","amount":"1"}]}"#;
        OrderContents::thaw(text.as_bytes()).expect("contents")
    }

    fn known() -> Known {
        Known {
            suppliers: vec![(
                "acme".parse().expect("a name"),
                vec!["EUR".parse().expect("a currency")],
            )],
            sites: vec!["main".parse().expect("a code")],
        }
    }

    fn line(fields: &[(&str, &str)]) -> LineTyped {
        let value = |name: &str| {
            let found = fields.iter().find(|(field, _)| *field == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        LineTyped {
            sku: value("sku"),
            description: value("description"),
            quantity: value("quantity"),
            unit: value("unit"),
            unit_price: value("unit_price"),
            price_per: value("price_per"),
            leave_out: value("leave_out"),
        }
    }

    fn contents_of(typed: &RevisionTyped) -> OrderContents {
        check(&revised(&base(), typed).draft, &known()).expect("sound contents")
    }

    #[test]
    fn what_the_form_does_not_carry_is_taken_over() {
        let bolts = line(&[
            ("sku", "M8"),
            ("quantity", "36"),
            ("unit", "EA"),
            ("unit_price", "43.75"),
        ]);
        let fitting = line(&[
            ("description", "Fitting"),
            ("quantity", "1"),
            ("unit", "HUR"),
            ("unit_price", "80"),
        ]);
        let typed = RevisionTyped {
            lines: vec![bolts, fitting, LineTyped::default()],
            ..RevisionTyped::default()
        };
        let mut expected = base();
        expected.lines[0].quantity = "36".parse().expect("a quantity");
        assert_eq!(contents_of(&typed), expected);
    }

    #[test]
    fn a_blank_note_or_date_takes_it_away_and_a_line_is_left_out_by_saying_so() {
        let bolts = line(&[
            ("sku", "M8"),
            ("quantity", "24"),
            ("unit", "EA"),
            ("unit_price", "43.75"),
        ]);
        let fitting = line(&[("description", "Fitting"), ("leave_out", "yes")]);
        let typed = RevisionTyped {
            lines: vec![fitting, bolts],
            note_to_supplier: Some(" ".to_owned()),
            needed_by: Some(String::new()),
        };
        let contents = contents_of(&typed);
        assert_eq!(contents.lines, base().lines[..1]);
        assert_eq!((contents.needed_by, contents.note_to_supplier), (None, None));
    }

    #[test]
    fn of_two_lines_alike_each_keeps_its_own_pack_also_when_the_first_is_left_out() {
        let mut base = base();
        let mut fifty = base.lines[0].clone();
        fifty.pack = fifty.pack.map(|pack| super::super::contents::Pack {
            quantity: "50".parse().expect("a quantity"),
            ..pack
        });
        base.lines[1] = fifty.clone();
        let alike = [
            ("sku", "M8"),
            ("quantity", "24"),
            ("unit", "EA"),
            ("unit_price", "43.75"),
        ];
        let gone = LineTyped {
            leave_out: Some("yes".to_owned()),
            ..line(&alike)
        };
        let typed = RevisionTyped {
            lines: vec![gone, line(&alike)],
            ..RevisionTyped::default()
        };
        let contents = check(&revised(&base, &typed).draft, &known()).expect("sound contents");
        assert_eq!(contents.lines, [fifty]);
    }

    #[test]
    fn another_article_or_unit_takes_nothing_over() {
        for other in [
            [("sku", "M10"), ("quantity", "24"), ("unit", "EA"), ("unit_price", "1")],
            [("sku", "M8"), ("quantity", "2"), ("unit", "XCS"), ("unit_price", "1")],
        ] {
            let typed = RevisionTyped {
                lines: vec![line(&other)],
                ..RevisionTyped::default()
            };
            let contents = contents_of(&typed);
            let only = &contents.lines[0];
            assert_eq!(
                (only.pack, only.price_per.to_string().as_str()),
                (None, "1"),
                "{other:?}"
            );
        }
    }

    #[test]
    fn a_fault_is_named_by_the_field_it_was_typed_into() {
        let gone = line(&[("sku", "M8"), ("leave_out", "yes")]);
        let wrong = line(&[
            ("sku", "M8"),
            ("quantity", "-1"),
            ("unit", "piece"),
            ("unit_price", "1"),
        ]);
        let typed = RevisionTyped {
            lines: vec![gone, wrong],
            needed_by: Some("soon".to_owned()),
            ..RevisionTyped::default()
        };
        let revised = revised(&base(), &typed);
        let faults = check(&revised.draft, &known()).expect_err("three faults");
        let mut fields: Vec<String> = faults.iter().map(|fault| revised.field_of(fault)).collect();
        fields.sort();
        assert_eq!(fields, ["lines[1][quantity]", "lines[1][unit]", "needed_by"]);
        let nothing = revised_nothing();
        let faults = check(&nothing.draft, &known()).expect_err("no lines");
        assert_eq!(nothing.field_of(&faults[0]), "lines");
    }

    fn revised_nothing() -> Revised {
        revised(&base(), &RevisionTyped::default())
    }
}
