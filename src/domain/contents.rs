//! The typed order: what will be bought, from whom, for how much.
//!
//! Promises: two bodies with the same meaning have the same normal form and so the same digest; the normal form is the
//! frozen contents, byte for byte (rules 4 and 5). `check` reports every fault at once, each with its JSON pointer.
//! Must not: know suppliers or sites (the caller says which exist), read a clock, or keep evidence (rationale, doubts).

use super::money::{Currency, LineTotal, Money, NotADecimal, Quantity, UnitPrice, line_total};
use super::text;
use super::unit::Unit;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A short name of ours for a supplier: `a–z 0–9 - _ .`, at most 64.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SupplierId(String);

/// A short name of ours for a place to deliver to: `A–Z a–z 0–9 - _ .`, at most 64.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteCode(String);

/// Why a text is not such a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("1 to 64 characters: letters and digits, and inside also - _ .")]
pub struct NotAName;

fn is_name(text: &str, letter: fn(&u8) -> bool) -> bool {
    let inner = |byte: &u8| letter(byte) || b"-_.".contains(byte);
    (1..=64).contains(&text.len()) && text.as_bytes().first().is_some_and(letter) && text.as_bytes().iter().all(inner)
}

macro_rules! names {
    ($($name:ident $letter:expr;)+) => {$(
        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl std::str::FromStr for $name {
            type Err = NotAName;
            fn from_str(text: &str) -> Result<Self, NotAName> {
                if is_name(text, $letter) { Ok(Self(text.to_owned())) } else { Err(NotAName) }
            }
        }
        impl TryFrom<String> for $name {
            type Error = NotAName;
            fn try_from(text: String) -> Result<Self, NotAName> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}
names! {
    SupplierId |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    SiteCode |byte| byte.is_ascii_alphanumeric();
}

/// One line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The supplier's article number; absent for free text and services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// What it is, in words; required without an article number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub quantity: Quantity,
    pub unit: Unit,
    /// Price of `price_per` units, without tax.
    pub unit_price: UnitPrice,
    pub price_per: Quantity,
    /// What one unit holds, such as 12 pieces in a case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<Pack>,
}

/// What one unit of a line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    pub quantity: Quantity,
    pub unit: Unit,
}

/// Whether a charge adds to the total or takes from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeKind {
    Charge,
    Allowance,
}

/// A document-level charge (freight) or allowance (discount), without tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    pub kind: ChargeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub amount: Quantity,
}

/// The purchase itself. Field order is the normal form's order: changing it would change every digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderContents {
    pub supplier: SupplierId,
    pub currency: Currency,
    pub deliver_to: SiteCode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed_by: Option<NaiveDate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note_to_supplier: Option<String>,
    pub lines: Vec<Line>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub charges: Vec<Charge>,
}

/// SHA-256 of the frozen contents, as `sha256:` and 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

/// Why a text is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: \"sha256:\" and 64 hexadecimal digits in lower case")]
pub struct NotADigest;

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = Sha256::digest(bytes);
        Self(
            hash.iter()
                .fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}")),
        )
    }
    /// The digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// For people: `sha256:9f3c…c41a`.
    pub fn short(&self) -> String {
        format!("{}…{}", &self.0[..11], &self.0[self.0.len() - 4..])
    }
}

impl std::str::FromStr for Digest {
    type Err = NotADigest;
    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let hex = text.strip_prefix("sha256:").ok_or(NotADigest)?;
        let is_hex = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if is_hex {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotADigest)
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;
    fn try_from(text: String) -> Result<Self, NotADigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Frozen bytes that are not contents: the database was changed from outside.
#[derive(Debug, thiserror::Error)]
#[error("stored contents cannot be read: {0}")]
pub struct NotContents(String);

impl Line {
    /// What this line costs.
    pub fn total(&self, currency: Currency) -> LineTotal {
        line_total(currency, self.quantity, self.unit_price, self.price_per)
    }
    /// Article number and description, whichever there are.
    pub fn name(&self) -> String {
        match (&self.sku, &self.description) {
            (Some(sku), Some(description)) => format!("{sku} · {description}"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => String::new(),
        }
    }
}

impl OrderContents {
    /// The normal form: compact JSON with fixed field order and normal spellings. These bytes are frozen at approval.
    pub fn normal_form(&self) -> Vec<u8> {
        // a struct of strings, numbers as strings and lists always serialises
        serde_json::to_vec(self).unwrap_or_default()
    }
    /// Digest of the normal form.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.normal_form())
    }
    /// Reads frozen bytes back.
    pub fn thaw(bytes: &[u8]) -> Result<Self, NotContents> {
        serde_json::from_slice(bytes).map_err(|error| NotContents(error.to_string()))
    }
    /// Sum of the line totals, each rounded once. `check` refused contents whose sum does not fit.
    pub fn lines_total(&self) -> Money {
        let zero = Money::zero(self.currency);
        self.lines.iter().fold(zero, |sum, line| {
            sum.checked_add(line.total(self.currency).rounded).unwrap_or(sum)
        })
    }
    /// Lines, plus charges, less allowances; without tax.
    pub fn total(&self) -> Money {
        self.charges.iter().fold(self.lines_total(), |sum, charge| {
            let amount = Money::rounded(self.currency, charge.amount.value());
            match charge.kind {
                ChargeKind::Charge => sum.checked_add(amount),
                ChargeKind::Allowance => sum.checked_sub(amount),
            }
            .unwrap_or(sum)
        })
    }
    /// One line for a list: `24 × Hex bolt M8×40 A2`, and how many more.
    pub fn headline(&self) -> String {
        let first = self.lines.first().map_or(String::new(), |line| {
            let name = line
                .description
                .as_ref()
                .or(line.sku.as_ref())
                .cloned()
                .unwrap_or_default();
            format!("{} × {name}", line.quantity)
        });
        match self.lines.len() {
            0 | 1 => first,
            more => format!("{first} and {} more", more - 1),
        }
    }
    /// A value equal for all contents that look alike, so that an index finds them: the same supplier, site and lines
    /// (article, quantity, unit), in any order (brief.md "look-alike").
    pub fn look_alike_key(&self) -> String {
        let mut lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| {
                let article = line.sku.as_ref().map(|sku| format!("s{sku}"));
                let article = article
                    .or(line.description.as_ref().map(|words| format!("d{words}")))
                    .unwrap_or_default();
                format!("{article}\u{1f}{}\u{1f}{}", line.quantity, line.unit.code())
            })
            .collect();
        lines.sort_unstable();
        let all = format!(
            "{}\u{1e}{}\u{1e}{}",
            self.supplier,
            self.deliver_to,
            lines.join("\u{1e}")
        );
        Digest::of(all.as_bytes()).0
    }
}

/// One fault of a body, at its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// JSON pointer (RFC 6901), such as `/lines/0/quantity`; the empty pointer is the whole body.
    pub pointer: String,
    pub detail: String,
}

impl Fault {
    /// A fault at this place.
    pub fn at(pointer: impl Into<String>, detail: impl fmt::Display) -> Self {
        Self {
            pointer: pointer.into(),
            detail: detail.to_string(),
        }
    }
}

/// Contents as they come in, nothing checked: from the API, from MCP or from the revision form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentsDraft {
    pub supplier: Option<String>,
    pub currency: Option<String>,
    pub deliver_to: Option<String>,
    pub needed_by: Option<String>,
    pub note_to_supplier: Option<String>,
    pub lines: Option<Vec<LineDraft>>,
    pub charges: Vec<ChargeDraft>,
}

/// A line as it comes in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineDraft {
    pub sku: Option<String>,
    pub description: Option<String>,
    pub quantity: Option<String>,
    pub unit: Option<String>,
    pub unit_price: Option<String>,
    pub price_per: Option<String>,
    pub pack: Option<PackDraft>,
}

/// A pack as it comes in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackDraft {
    pub quantity: Option<String>,
    pub unit: Option<String>,
}

/// A charge as it comes in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargeDraft {
    pub kind: Option<String>,
    pub reason: Option<String>,
    pub amount: Option<String>,
}

/// What exists in the tenant: a contents check asks it, so that an unknown name is a fault with its pointer.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Suppliers and the currencies each takes.
    pub suppliers: Vec<(SupplierId, Vec<Currency>)>,
    pub sites: Vec<SiteCode>,
}

/// Most lines of one order.
pub const MOST_LINES: usize = 1_000;
const MOST_TEXT: usize = 50_000;
const MOST_DESCRIPTION: usize = 2_000;
const MOST_NAME: usize = 120;

/// Collects faults while a draft becomes typed contents.
struct Check<'a> {
    known: &'a Known,
    faults: Vec<Fault>,
}

/// Makes typed contents of a draft, or names every fault at once.
pub fn check(draft: &ContentsDraft, known: &Known) -> Result<OrderContents, Vec<Fault>> {
    let mut check = Check {
        known,
        faults: Vec::new(),
    };
    let contents = check.contents(draft);
    match (contents, check.faults) {
        (Some(contents), faults) if faults.is_empty() => whole(contents),
        (_, faults) => Err(faults),
    }
}

/// What only shows once every field is sound: sums.
fn whole(contents: OrderContents) -> Result<OrderContents, Vec<Fault>> {
    let limit = Money::rounded(contents.currency, rust_decimal::Decimal::from(10_i64.pow(15)));
    let too_large = |money: Money| money.amount() >= limit.amount();
    let large = contents
        .lines
        .iter()
        .position(|line| too_large(line.total(contents.currency).rounded));
    if let Some(place) = large {
        return Err(vec![Fault::at(
            format!("/lines/{place}"),
            "the line's total is too large to keep exactly",
        )]);
    }
    if too_large(contents.lines_total()) {
        return Err(vec![Fault::at("/lines", "the total is too large to keep exactly")]);
    }
    if contents.total().amount().is_sign_negative() && !contents.total().amount().is_zero() {
        return Err(vec![Fault::at(
            "/charges",
            "the allowances are more than everything else together",
        )]);
    }
    Ok(contents)
}

impl Check<'_> {
    fn fault(&mut self, pointer: &str, detail: impl fmt::Display) {
        self.faults.push(Fault::at(pointer, detail));
    }

    fn required<T, E: fmt::Display>(
        &mut self,
        pointer: &str,
        value: Option<&String>,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        if value.is_none() {
            self.fault(pointer, "is required");
        }
        self.optional(pointer, value, read)
    }

    fn optional<T, E: fmt::Display>(
        &mut self,
        pointer: &str,
        value: Option<&String>,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        read(value?).map_err(|error| self.fault(pointer, error)).ok()
    }

    /// Free text; empty or blank counts as absent.
    fn words(&mut self, pointer: &str, value: Option<&String>, most: usize) -> Option<String> {
        self.optional(pointer, value, |given| text::free_text(given, most))
            .filter(|words| !words.trim().is_empty())
    }

    fn contents(&mut self, draft: &ContentsDraft) -> Option<OrderContents> {
        let supplier = self.required("/supplier", draft.supplier.as_ref(), str::parse::<SupplierId>);
        let currency = self.required("/currency", draft.currency.as_ref(), str::parse::<Currency>);
        self.taken_by_supplier(supplier.as_ref(), currency);
        let deliver_to = self.required("/deliver_to", draft.deliver_to.as_ref(), str::parse::<SiteCode>);
        if let Some(site) = deliver_to.as_ref().filter(|site| !self.known.sites.contains(site)) {
            self.fault("/deliver_to", format!("there is no site \"{site}\""));
        }
        let needed_by = self.optional("/needed_by", draft.needed_by.as_ref(), date);
        let note_to_supplier = self.words("/note_to_supplier", draft.note_to_supplier.as_ref(), MOST_TEXT);
        let lines = self.lines(draft.lines.as_deref());
        let charges = draft.charges.iter().enumerate();
        let charges: Vec<_> = charges
            .map(|(place, charge)| self.charge(place, charge, currency))
            .collect();
        Some(OrderContents {
            supplier: supplier?,
            currency: currency?,
            deliver_to: deliver_to?,
            needed_by,
            note_to_supplier,
            lines: lines?,
            charges: charges.into_iter().collect::<Option<_>>()?,
        })
    }

    fn taken_by_supplier(&mut self, supplier: Option<&SupplierId>, currency: Option<Currency>) {
        let Some(supplier) = supplier else { return };
        let Some((_, currencies)) = self.known.suppliers.iter().find(|(id, _)| id == supplier) else {
            return self.fault("/supplier", format!("there is no supplier \"{supplier}\""));
        };
        if let Some(currency) = currency.filter(|currency| !currencies.contains(currency)) {
            let taken: Vec<_> = currencies.iter().map(|one| one.code()).collect();
            self.fault(
                "/currency",
                format!("{supplier} does not take {currency}; it takes {}", taken.join(", ")),
            );
        }
    }

    fn lines(&mut self, lines: Option<&[LineDraft]>) -> Option<Vec<Line>> {
        let Some(lines) = lines else {
            self.fault("/lines", "is required");
            return None;
        };
        if lines.is_empty() || lines.len() > MOST_LINES {
            self.fault("/lines", format!("between 1 and {MOST_LINES} lines"));
            return None;
        }
        let read: Vec<_> = lines
            .iter()
            .enumerate()
            .map(|(place, line)| self.line(place, line))
            .collect();
        read.into_iter().collect()
    }

    fn line(&mut self, place: usize, draft: &LineDraft) -> Option<Line> {
        let at = |field: &str| format!("/lines/{place}/{field}");
        let faults_before = self.faults.len();
        let sku = self.optional(&at("sku"), draft.sku.as_ref(), |text| text::identifier(text, MOST_NAME));
        let description = self.words(&at("description"), draft.description.as_ref(), MOST_DESCRIPTION);
        if draft.sku.is_none() && description.is_none() && self.faults.len() == faults_before {
            self.fault(&at("description"), "is required when there is no sku");
        }
        let quantity = self.required(&at("quantity"), draft.quantity.as_ref(), str::parse::<Quantity>);
        let unit = self.required(&at("unit"), draft.unit.as_ref(), Unit::of);
        let unit_price = self.required(&at("unit_price"), draft.unit_price.as_ref(), str::parse::<UnitPrice>);
        let price_per = match &draft.price_per {
            None => Some(Quantity::ONE),
            given => self.optional(&at("price_per"), given.as_ref(), str::parse::<Quantity>),
        };
        let pack = draft.pack.as_ref().map(|pack| self.pack(place, pack));
        Some(Line {
            sku,
            description,
            quantity: quantity?,
            unit: unit?,
            unit_price: unit_price?,
            price_per: price_per?,
            pack: pack.flatten(),
        })
    }

    fn pack(&mut self, place: usize, draft: &PackDraft) -> Option<Pack> {
        let at = |field: &str| format!("/lines/{place}/pack/{field}");
        let quantity = self.required(&at("quantity"), draft.quantity.as_ref(), str::parse::<Quantity>);
        let unit = self.required(&at("unit"), draft.unit.as_ref(), Unit::of);
        Some(Pack {
            quantity: quantity?,
            unit: unit?,
        })
    }

    fn charge(&mut self, place: usize, draft: &ChargeDraft, currency: Option<Currency>) -> Option<Charge> {
        let at = |field: &str| format!("/charges/{place}/{field}");
        let kind = self.required(&at("kind"), draft.kind.as_ref(), |text| match text {
            "charge" => Ok(ChargeKind::Charge),
            "allowance" => Ok(ChargeKind::Allowance),
            other => Err(format!("\"{other}\" is neither \"charge\" nor \"allowance\"")),
        });
        let reason = self.words(&at("reason"), draft.reason.as_ref(), MOST_DESCRIPTION);
        let amount = self.required(&at("amount"), draft.amount.as_ref(), |text| {
            let amount: Quantity = text.parse()?;
            match currency {
                Some(currency) => Money::exact(currency, amount.value()).map(|_| amount),
                None => Ok::<_, NotADecimal>(amount),
            }
        });
        Some(Charge {
            kind: kind?,
            reason,
            amount: amount?,
        })
    }
}

fn date(text: &str) -> Result<NaiveDate, &'static str> {
    let fault = "not a date; write YYYY-MM-DD";
    let shape = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if shape {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| fault)
    } else {
        Err(fault)
    }
}

#[cfg(test)]
#[path = "contents_tests.rs"]
mod tests;
