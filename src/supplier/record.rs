//! Reads a supplier's record out of its JSON, by the pointers of its file.
//!
//! Promises: what is mapped and missing shows as a difference. Must not: convert; text and numbers stay as they came.

use crate::domain::difference::{Recorded, RecordedCharge, RecordedLine};
use serde::Deserialize;
use serde_json::Value;

/// Where a record says what it says. A pointer that is absent is something this supplier does not tell.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordMap {
    pub number: String,
    pub currency: Option<String>,
    pub deliver_to: Option<String>,
    pub needed_by: Option<String>,
    pub lines: String,
    pub sku: Option<String>,
    pub description: Option<String>,
    pub quantity: String,
    pub unit: Option<String>,
    pub unit_price: Option<String>,
    pub price_per: Option<String>,
    pub charges: Option<String>,
    pub charge_kind: Option<String>,
    pub charge_amount: Option<String>,
}

/// Text or number as text, exactly. Nothing without a pointer: this supplier does not tell. What the file maps and the
/// record leaves out is empty, so that it shows as a difference instead of counting as agreed (rule 12).
fn text(value: &Value, pointer: Option<&String>) -> Option<String> {
    let told = match value.pointer(pointer?) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => String::new(),
    };
    Some(told)
}

impl RecordMap {
    /// Every pointer, by its field in the file.
    pub fn pointers(&self) -> Vec<(String, &str)> {
        let optional = [
            ("currency", &self.currency),
            ("deliver_to", &self.deliver_to),
            ("needed_by", &self.needed_by),
            ("sku", &self.sku),
            ("description", &self.description),
            ("unit", &self.unit),
            ("unit_price", &self.unit_price),
            ("price_per", &self.price_per),
            ("charges", &self.charges),
            ("charge_kind", &self.charge_kind),
            ("charge_amount", &self.charge_amount),
        ];
        let always = [
            ("number", &self.number),
            ("lines", &self.lines),
            ("quantity", &self.quantity),
        ];
        let optional = optional
            .into_iter()
            .filter_map(|(name, pointer)| Some((name, pointer.as_ref()?)));
        let all = always.into_iter().chain(optional);
        all.map(|(name, pointer)| (format!("record.{name}"), pointer.as_str()))
            .collect()
    }

    /// The supplier's own number; text, compared exactly (case I3). Nothing when there is none that could be kept:
    /// PostgreSQL's texts cannot hold U+0000.
    pub fn number(&self, answer: &Value) -> Option<String> {
        let number = text(answer, Some(&self.number))?;
        let keeps = !number.is_empty() && number.len() <= 500 && !number.contains('\0');
        keeps.then_some(number)
    }

    /// The record, or nothing when it has no readable lines: then it cannot be compared, and cannot confirm.
    pub fn record(&self, answer: &Value) -> Option<Recorded> {
        let lines = answer.pointer(&self.lines)?.as_array()?;
        Some(Recorded {
            currency: text(answer, self.currency.as_ref()),
            deliver_to: text(answer, self.deliver_to.as_ref()),
            needed_by: text(answer, self.needed_by.as_ref()),
            lines: lines.iter().map(|line| self.line(line)).collect(),
            charges: self.charges.as_ref().and_then(|pointer| self.charges(answer, pointer)),
        })
    }

    fn line(&self, line: &Value) -> RecordedLine {
        RecordedLine {
            sku: text(line, self.sku.as_ref()),
            description: text(line, self.description.as_ref()),
            quantity: text(line, Some(&self.quantity)),
            unit: text(line, self.unit.as_ref()),
            unit_price: text(line, self.unit_price.as_ref()),
            price_per: text(line, self.price_per.as_ref()),
        }
    }

    fn charges(&self, answer: &Value, pointer: &str) -> Option<Vec<RecordedCharge>> {
        let charges = answer
            .pointer(pointer)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let charge = |one: &Value| RecordedCharge {
            kind: text(one, self.charge_kind.as_ref()).unwrap_or_default(),
            amount: text(one, self.charge_amount.as_ref()).unwrap_or_default(),
        };
        Some(charges.iter().map(charge).collect())
    }
}
