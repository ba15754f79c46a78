//! Exact money, quantities and unit prices.
//!
//! Promises: no floats, no sums across currencies, every value in one normal spelling (rule 22). A line's total is
//! rounded half up to the currency once; the exact value stays beside it. Must not: convert currencies or units.

use iso_currency::Currency as Iso;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most significant digits a quantity, price or amount may have. Two of them multiply exactly inside the 28 digits
/// of the decimal type, so that no product is ever rounded unseen.
pub const MOST_DIGITS: u32 = 14;
/// The most decimals a quantity, price or amount may have.
pub const MOST_DECIMALS: u32 = 10;

/// Why a text is not a decimal we can keep exactly.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotADecimal {
    #[error("not a decimal number; write digits with a point, such as \"12.5\"")]
    Unreadable,
    #[error("more than {MOST_DIGITS} digits; it cannot be kept exactly")]
    TooManyDigits,
    #[error("more than {MOST_DECIMALS} decimals")]
    TooManyDecimals,
    #[error("must be greater than zero")]
    NotPositive,
    #[error("must not be negative")]
    Negative,
    #[error("{currency} has {exponent} decimals; this amount has more")]
    FinerThanCurrency { currency: &'static str, exponent: u32 },
}

/// Reads an exact decimal: ASCII digits, an optional sign, point and exponent (`1.2e1`); nothing else.
pub fn parse_decimal(text: &str) -> Result<Decimal, NotADecimal> {
    let allowed = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let starts_well = text
        .trim_start_matches('-')
        .starts_with(|first: char| first.is_ascii_digit());
    if text.is_empty() || text.len() > 64 || !text.bytes().all(allowed) || !starts_well || text.ends_with('.') {
        return Err(NotADecimal::Unreadable);
    }
    let value = if text.contains(['e', 'E']) {
        Decimal::from_scientific(text).map_err(|_| NotADecimal::Unreadable)?
    } else {
        Decimal::from_str_exact(text).map_err(|_| NotADecimal::TooManyDigits)?
    };
    within_limits(value.normalize())
}

fn within_limits(value: Decimal) -> Result<Decimal, NotADecimal> {
    if value.scale() > MOST_DECIMALS {
        return Err(NotADecimal::TooManyDecimals);
    }
    if value.mantissa().unsigned_abs() >= 10_u128.pow(MOST_DIGITS) {
        return Err(NotADecimal::TooManyDigits);
    }
    Ok(value)
}

fn positive(value: Decimal) -> Result<Decimal, NotADecimal> {
    if value > Decimal::ZERO {
        Ok(value)
    } else {
        Err(NotADecimal::NotPositive)
    }
}

/// Reads an exact amount that is not below zero.
pub fn not_negative(text: &str) -> Result<Decimal, NotADecimal> {
    let value = parse_decimal(text)?;
    if value.is_sign_negative() && !value.is_zero() {
        return Err(NotADecimal::Negative);
    }
    Ok(value)
}

/// How much of a unit: greater than zero, in normal spelling (`12`, never `12.0`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Quantity(Decimal);

impl Quantity {
    /// One of the unit.
    pub const ONE: Self = Self(Decimal::ONE);
    /// The exact number.
    pub fn value(self) -> Decimal {
        self.0
    }
}

impl std::str::FromStr for Quantity {
    type Err = NotADecimal;
    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        parse_decimal(text).and_then(positive).map(Self)
    }
}

/// What one price unit costs: zero or more, as precise as the supplier quotes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UnitPrice(Decimal);

impl UnitPrice {
    /// The exact number.
    pub fn value(self) -> Decimal {
        self.0
    }
}

impl std::str::FromStr for UnitPrice {
    type Err = NotADecimal;
    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let value = parse_decimal(text)?;
        if value.is_sign_negative() && !value.is_zero() {
            Err(NotADecimal::Negative)
        } else {
            Ok(Self(value.abs()))
        }
    }
}

macro_rules! decimal_as_text {
    ($($name:ident)+) => {$(
        impl TryFrom<String> for $name {
            type Error = NotADecimal;
            fn try_from(text: String) -> Result<Self, NotADecimal> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(number: $name) -> String {
                number.to_string()
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.normalize().fmt(f)
            }
        }
    )+};
}
decimal_as_text! { Quantity UnitPrice }

/// An ISO 4217 currency that has a minor unit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency(Iso);

/// Why a text is not a currency we can keep money in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a currency code of ISO 4217 with a minor unit; three capital letters such as EUR")]
pub struct NotACurrency;

impl Currency {
    /// The three letters.
    pub fn code(self) -> &'static str {
        self.0.code()
    }
    /// Decimals of the currency: 2 for EUR, 0 for JPY, 3 for KWD.
    pub fn exponent(self) -> u32 {
        self.0.exponent().map_or(0, u32::from)
    }
    /// The sign people write, such as `€`; the code where several currencies share one (`$`, `kr`).
    pub fn sign(self) -> &'static str {
        match self.0 {
            Iso::EUR => "€",
            Iso::GBP => "£",
            Iso::JPY => "¥",
            Iso::USD => "US$",
            _ => "",
        }
    }
}

impl std::str::FromStr for Currency {
    type Err = NotACurrency;
    fn from_str(text: &str) -> Result<Self, NotACurrency> {
        Iso::from_code(text)
            .filter(|iso| iso.exponent().is_some() && iso.code() == text)
            .map(Self)
            .ok_or(NotACurrency)
    }
}

impl TryFrom<String> for Currency {
    type Error = NotACurrency;
    fn try_from(text: String) -> Result<Self, NotACurrency> {
        text.parse()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> String {
        currency.code().to_owned()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// An amount of one currency, never finer than the currency's exponent. On the wire
/// `{ "currency": "EUR", "amount": "10.50" }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    currency: Currency,
    #[serde(with = "amount_text")]
    amount: Decimal,
}

mod amount_text {
    use super::{Decimal, parse_decimal};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(amount: &Decimal, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(amount)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        let text = String::deserialize(from)?;
        Decimal::from_str_exact(&text)
            .or_else(|_| parse_decimal(&text))
            .map_err(D::Error::custom)
    }
}

impl Money {
    /// Nothing, in this currency.
    pub fn zero(currency: Currency) -> Self {
        Self::rounded(currency, Decimal::ZERO)
    }

    /// Out of the two texts it is kept as: the currency's code and `amount().to_string()`.
    pub fn of_texts(currency: &str, amount: &str) -> Option<Self> {
        Self::exact(currency.parse().ok()?, Decimal::from_str_exact(amount).ok()?).ok()
    }
    /// An amount that must fit the currency; `12.5` EUR is kept as `12.50`.
    pub fn exact(currency: Currency, amount: Decimal) -> Result<Self, NotADecimal> {
        let rounded = Self::rounded(currency, amount);
        if rounded.amount == amount {
            Ok(rounded)
        } else {
            Err(NotADecimal::FinerThanCurrency {
                currency: currency.code(),
                exponent: currency.exponent(),
            })
        }
    }

    /// Rounds half up (away from zero) to the currency, once (rule 22).
    pub fn rounded(currency: Currency, amount: Decimal) -> Self {
        let mut amount = amount.round_dp_with_strategy(currency.exponent(), RoundingStrategy::MidpointAwayFromZero);
        amount.rescale(currency.exponent());
        Self { currency, amount }
    }

    /// The currency.
    pub fn currency(self) -> Currency {
        self.currency
    }
    /// The amount, with the currency's own number of decimals.
    pub fn amount(self) -> Decimal {
        self.amount
    }

    /// The sum, or nothing when the currencies differ or the number would not fit.
    pub fn checked_add(self, other: Money) -> Option<Money> {
        let sum = self
            .amount
            .checked_add(other.amount)
            .filter(|_| self.currency == other.currency)?;
        Some(Self {
            currency: self.currency,
            amount: sum,
        })
    }

    /// The difference, or nothing when the currencies differ or the number would not fit.
    pub fn checked_sub(self, other: Money) -> Option<Money> {
        self.checked_add(Self {
            currency: other.currency,
            amount: -other.amount,
        })
    }
}

/// For people: `€1,234.50`, `SEK 6,525.00`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.amount.is_sign_negative() && !self.amount.is_zero() {
            "−"
        } else {
            ""
        };
        let digits = grouped(&self.amount.abs().to_string());
        match self.currency.sign() {
            "" => write!(f, "{sign}{}\u{a0}{digits}", self.currency),
            symbol => write!(f, "{sign}{symbol}{digits}"),
        }
    }
}

/// The sums of these, one a currency, in the order the currencies come (rule 22: none across).
pub fn sums(all: impl IntoIterator<Item = Money>) -> Vec<Money> {
    all.into_iter().fold(Vec::<Money>::new(), |mut sums, one| {
        match sums.iter_mut().find(|sum| sum.currency() == one.currency()) {
            Some(sum) => *sum = sum.checked_add(one).unwrap_or(*sum),
            None => sums.push(one),
        }
        sums
    })
}

/// Puts a comma between groups of three digits before the point.
pub fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut out = String::with_capacity(number.len() + 4);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// A line's total: rounded to the currency once, and the exact value beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTotal {
    /// Rounded half up to the currency.
    pub rounded: Money,
    /// Quantity × price ÷ price unit before rounding; nothing where the division does not end.
    pub exact: Option<Decimal>,
}

/// Quantity × unit price ÷ "price per".
pub fn line_total(currency: Currency, quantity: Quantity, price: UnitPrice, per: Quantity) -> LineTotal {
    // 14 + 14 digits always fit (MOST_DIGITS); dividing by at least 10^-10 can overflow, then it saturates and the
    // contents are refused for their size
    let product = quantity.0 * price.0;
    let value = product.checked_div(per.0).unwrap_or(Decimal::MAX).normalize();
    let ends = value.checked_mul(per.0).is_some_and(|back| back == product) && value.scale() <= 2 * MOST_DECIMALS;
    LineTotal {
        rounded: Money::rounded(currency, value),
        exact: ends.then_some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn currency(code: &str) -> Currency {
        code.parse().expect("a currency")
    }
    fn total(code: &str, quantity: &str, price: &str, per: &str) -> (String, String) {
        let parse = |text: &str| text.parse().expect("a quantity");
        let total = line_total(
            currency(code),
            parse(quantity),
            price.parse().expect("a price"),
            parse(per),
        );
        let exact = total.exact.map_or("no end".to_owned(), |exact| exact.to_string());
        (total.rounded.amount().to_string(), exact)
    }

    #[test]
    fn line_totals_are_exact_and_rounded_half_up_once() {
        // case P7
        assert_eq!(
            total("EUR", "1000000", "0.004375", "1"),
            ("4375.00".into(), "4375".into())
        );
        assert_eq!(total("EUR", "3", "12.3456", "1"), ("37.04".into(), "37.0368".into()));
        assert_eq!(total("EUR", "24", "0.4375", "1"), ("10.50".into(), "10.5".into()));
        assert_eq!(total("EUR", "1", "0.005", "1"), ("0.01".into(), "0.005".into()));
        assert_eq!(total("JPY", "1", "1234.5", "1"), ("1235".into(), "1234.5".into()));
        assert_eq!(total("KWD", "1", "2.755", "1"), ("2.755".into(), "2.755".into()));
        assert_eq!(total("EUR", "250", "12", "100"), ("30.00".into(), "30".into()));
        assert_eq!(total("EUR", "10", "1", "3"), ("3.33".into(), "no end".into()));
    }

    #[test]
    fn an_amount_finer_than_its_currency_is_refused() {
        let amount = |text| parse_decimal(text).expect("a decimal");
        assert!(Money::exact(currency("JPY"), amount("1234.5")).is_err());
        assert!(Money::exact(currency("EUR"), amount("2.755")).is_err());
        assert!(Money::exact(currency("KWD"), amount("2.755")).is_ok());
        assert_eq!(
            Money::exact(currency("EUR"), amount("12.5"))
                .expect("fits")
                .amount()
                .to_string(),
            "12.50"
        );
    }

    #[test]
    fn every_spelling_of_a_number_is_the_same_number() {
        for text in ["12", "12.0", "1.2e1", "12.000", "120e-1"] {
            assert_eq!(text.parse::<Quantity>().expect(text).to_string(), "12");
        }
        for bad in [
            "", " 12", "12 ", "1,2", "١٢", "12.", ".5", "NaN", "inf", "0x10", "--1", "1e400", "1_000", "+12",
        ] {
            assert!(bad.parse::<Quantity>().is_err(), "{bad:?}");
        }
        for bad in ["0", "0.0", "-1", "-0"] {
            assert_eq!(bad.parse::<Quantity>(), Err(NotADecimal::NotPositive), "{bad:?}");
        }
        assert_eq!("9007199254740993".parse::<Quantity>(), Err(NotADecimal::TooManyDigits));
    }

    #[test]
    fn currencies_are_exact_codes_with_a_minor_unit() {
        for bad in ["eur", "EU", "XXX", "XAU", "", "EUR "] {
            assert!(bad.parse::<Currency>().is_err(), "{bad:?}");
        }
        assert_eq!(currency("JPY").exponent(), 0);
    }

    #[test]
    fn money_reads_as_people_write_it() {
        let show = |code, text| {
            Money::exact(currency(code), parse_decimal(text).expect("decimal"))
                .expect("fits")
                .to_string()
        };
        assert_eq!(show("EUR", "1234567.5"), "€1,234,567.50");
        assert_eq!(show("SEK", "6525"), "SEK\u{a0}6,525.00");
        assert_eq!(show("EUR", "-10"), "−€10.00");
    }

    #[test]
    fn no_sum_across_currencies() {
        assert_eq!(
            Money::zero(currency("EUR")).checked_add(Money::zero(currency("USD"))),
            None
        );
    }
}
