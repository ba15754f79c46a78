//! Units of measure as orders and invoices write them.
//!
//! Promises: a [`Unit`] is always a code of the embedded table: UN/ECE Recommendation 20 (units of
//! measure, with `NAR` "number of articles") or Recommendation 21 (packages, each code prefixed
//! with `X`: `XBX` box, `XCS` case). A code is matched exactly as given, with its case and its
//! spaces; whatever else comes is an [`UnknownUnit`], which may say what was probably meant but
//! never puts it in place.
//!
//! Source: `units.tsv` beside this file, which names its lists. Names there are the lists' own.
//!
//! Must not: convert between units or compare their sizes, accept a near miss, or treat two codes
//! as one because a screen shows them with the same word (`NAR` and `H87` stay different units).

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const SOURCE: &str = include_str!("units.tsv");

/// The rows of `units.tsv`, `(code, name)`, sorted by code as the file is.
static TABLE: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    SOURCE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect()
});

/// Codes that purchases mostly need, for a list to choose from.
pub const COMMON: [&str; 22] = [
    "EA", "H87", "C62", "NAR", "SET", "PR", "DZN", "KGM", "GRM", "TNE", "LTR", "MTR", "MTK", "HUR", "DAY", "MON",
    "XBX", "XCS", "XCT", "XPK", "XPX", "XRO",
];

/// What people and other code lists write, in capitals, and the code that is probably meant, or
/// two with " or " between. Looked at only once the code as given has been refused: a key may
/// itself be a code (`PAL` is the pascal), so only its other spellings (`pal`) get here.
const MEANT: &[(&str, &str)] = &[
    // pieces
    ("EACH", "EA"),
    ("PC", "H87 or EA"),
    ("PCE", "H87 or EA"),
    ("PCS", "H87 or EA"),
    ("PIECE", "H87 or EA"),
    ("PIECES", "H87 or EA"),
    ("ST", "H87 or EA"),
    ("STK", "H87 or EA"),
    ("UN", "C62 or EA"),
    ("UNIT", "C62 or EA"),
    ("UNITS", "C62 or EA"),
    ("DOZ", "DZN"),
    ("DZ", "DZN"),
    ("PAIR", "PR"),
    // packages (two letters of Recommendation 21 are met by their X code below)
    ("BAG", "XBG"),
    ("BOX", "XBX"),
    ("CARTON", "XCT"),
    ("CASE", "XCS"),
    ("CTN", "XCT"),
    ("PACK", "XPK"),
    ("PAK", "XPK"),
    ("PAL", "XPX"),
    ("PALLET", "XPX"),
    ("PLT", "XPX"),
    ("ROLL", "XRO"),
    // time
    ("D", "DAY"),
    ("DAYS", "DAY"),
    ("H", "HUR"),
    ("HOUR", "HUR"),
    ("HOURS", "HUR"),
    ("HR", "HUR"),
    ("HRS", "HUR"),
    ("MONTH", "MON"),
    ("MTH", "MON"),
    ("WEEK", "WEE"),
    ("WK", "WEE"),
    ("YEAR", "ANN"),
    ("YR", "ANN"),
    // mass
    ("G", "GRM"),
    ("KG", "KGM"),
    ("LB", "LBR"),
    ("LBS", "LBR"),
    ("MG", "MGM"),
    ("T", "TNE"),
    ("TON", "TNE"),
    // length, area, volume
    ("CM", "CMT"),
    ("FT", "FOT"),
    ("IN", "INH"),
    ("KM", "KMT"),
    ("M", "MTR"),
    ("METER", "MTR"),
    ("METRE", "MTR"),
    ("MM", "MMT"),
    ("YD", "YRD"),
    ("M2", "MTK"),
    ("SQM", "MTK"),
    ("CBM", "MTQ"),
    ("M3", "MTQ"),
    ("CL", "CLT"),
    ("L", "LTR"),
    ("LITER", "LTR"),
    ("LITRE", "LTR"),
    ("ML", "MLT"),
];

/// A code of UN/ECE Recommendation 20, or of Recommendation 21 with its `X`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit(&'static str);

impl Unit {
    /// The unit whose code is exactly `code`: case counts, nothing is trimmed.
    pub fn of(code: &str) -> Result<Unit, UnknownUnit> {
        match row(code) {
            Some((code, _)) => Ok(Unit(code)),
            None => Err(UnknownUnit {
                given: code.to_owned(),
                hint: meant(code),
            }),
        }
    }

    pub fn code(self) -> &'static str {
        self.0
    }

    /// The list's name of it, in English: `KGM` is "kilogram".
    pub fn name(self) -> &'static str {
        row(self.0).map_or(self.0, |(_, name)| name)
    }

    /// What a screen says after an amount. The units met most have a word or a symbol of their
    /// own; for the others it is the name, which has no plural.
    pub fn short(self, plural: bool) -> String {
        let (one, many) = match self.0 {
            "EA" => ("each", "each"),
            "C62" | "H87" | "NAR" => ("piece", "pieces"),
            "XCS" => ("case", "cases"),
            "DAY" => ("day", "days"),
            "HUR" => ("hour", "hours"),
            "KGM" => ("kg", "kg"),
            "MTR" => ("m", "m"),
            "LTR" => ("l", "l"),
            _ => (self.name(), self.name()),
        };
        if plural { many } else { one }.to_owned()
    }
}

fn row(code: &str) -> Option<(&'static str, &'static str)> {
    TABLE
        .binary_search_by(|(known, _)| (*known).cmp(code))
        .ok()
        .map(|at| TABLE[at])
}

/// The code, or codes with " or " between, that was probably meant by one that is not in the table.
/// What people write for a unit goes before the same letters in capitals, and these before a
/// package without its `X`: "kg" is a kilogram and not a keg (`XKG`).
fn meant(given: &str) -> Option<&'static str> {
    let given = given.trim();
    // No code, and no spelling in `MEANT`, is longer: a long text is not searched for.
    if given.len() > 8 {
        return None;
    }
    let capitals = given.to_ascii_uppercase();
    if let Some((_, codes)) = MEANT.iter().find(|(written, _)| *written == capitals) {
        return Some(codes);
    }
    row(&capitals)
        .or_else(|| row(&format!("X{capitals}")))
        .map(|(code, _)| code)
}

/// A code that is in neither list, as it was given, and what was probably meant by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownUnit {
    given: String,
    hint: Option<&'static str>,
}

impl UnknownUnit {
    pub fn given(&self) -> &str {
        &self.given
    }

    /// One code of the table, or two with " or " between.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }
}

/// The most characters of a refused code that a message repeats.
const SHOWN: usize = 40;

impl fmt::Display for UnknownUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for (at, c) in self.given.chars().enumerate() {
            if at == SHOWN {
                f.write_str("…")?;
                break;
            }
            write!(f, "{}", c.escape_debug())?;
        }
        f.write_str("\" is not a UN/ECE unit code")?;
        let Some(hint) = self.hint else {
            return Ok(());
        };
        f.write_str("; did you mean ")?;
        for (at, code) in hint.split(" or ").enumerate() {
            if at > 0 {
                f.write_str(" or ")?;
            }
            write!(f, "\"{code}\"")?;
            if let Some((_, name)) = row(code) {
                write!(f, " ({name})")?;
            }
        }
        f.write_str("?")
    }
}

impl std::error::Error for UnknownUnit {}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unit, D::Error> {
        let code = String::deserialize(deserializer)?;
        Unit::of(&code).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_common_code_is_one() {
        for code in COMMON {
            assert!(Unit::of(code).is_ok(), "{code}");
        }
    }

    fn said(code: &str) -> String {
        Unit::of(code).unwrap_err().to_string()
    }

    #[test]
    fn every_line_is_a_row_sorted_and_no_code_is_there_twice() {
        let lines = SOURCE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(TABLE.len(), lines);
        assert_eq!(TABLE.len(), 2162);
        assert!(TABLE.windows(2).all(|two| two[0].0 < two[1].0));
        for (code, name) in TABLE.iter() {
            assert!((2..=3).contains(&code.len()), "{code}");
            assert!(
                code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
                "{code}"
            );
            assert!(!name.is_empty() && name.trim() == *name, "{code}");
            assert!(!name.contains(['\t', '\u{a0}']), "{code}");
        }
    }

    #[test]
    fn units_of_real_orders_are_there() {
        for (code, name) in [
            ("NAR", "number of articles"),
            ("EA", "each"),
            ("DAY", "day"),
            ("C62", "one"),
            ("H87", "piece"),
            ("HUR", "hour"),
            ("KGM", "kilogram"),
            ("MTR", "metre"),
            ("LTR", "litre"),
            ("XBX", "box"),
            ("XCS", "case"),
            ("XSX", "set"),
        ] {
            let unit = Unit::of(code).unwrap();
            assert_eq!(unit.code(), code);
            assert_eq!(unit.name(), name);
        }
    }

    #[test]
    fn every_code_is_found() {
        for (code, name) in TABLE.iter() {
            let unit = Unit::of(code).unwrap();
            assert_eq!((unit.code(), unit.name()), (*code, *name));
        }
    }

    #[test]
    fn a_screen_says_short_words() {
        let short = |code: &str, plural| Unit::of(code).unwrap().short(plural);
        assert_eq!(short("EA", true), "each");
        for code in ["C62", "H87", "NAR"] {
            assert_eq!(short(code, false), "piece");
            assert_eq!(short(code, true), "pieces");
        }
        assert_eq!(short("XCS", true), "cases");
        assert_eq!(short("DAY", false), "day");
        assert_eq!(short("HUR", true), "hours");
        assert_eq!(short("KGM", true), "kg");
        assert_eq!(short("MTR", false), "m");
        assert_eq!(short("LTR", false), "l");
        assert_eq!(short("DZN", true), "dozen");
    }

    #[test]
    fn every_hint_is_in_the_table_and_can_be_reached() {
        for (written, codes) in MEANT {
            assert!(written.len() <= 8, "{written}");
            assert_eq!(*written, written.to_ascii_uppercase());
            for code in codes.split(" or ") {
                assert!(Unit::of(code).is_ok(), "{written}: {code}");
            }
            let small = written.to_ascii_lowercase();
            assert_eq!(Unit::of(&small).unwrap_err().hint(), Some(*codes));
        }
        let mut written: Vec<_> = MEANT.iter().map(|(written, _)| written).collect();
        written.sort();
        assert!(written.windows(2).all(|two| two[0] != two[1]));
    }

    #[test]
    fn an_unknown_code_is_refused_with_a_hint() {
        assert_eq!(
            said("ea"),
            "\"ea\" is not a UN/ECE unit code; did you mean \"EA\" (each)?"
        );
        assert_eq!(
            said("pcs"),
            "\"pcs\" is not a UN/ECE unit code; did you mean \"H87\" (piece) or \"EA\" (each)?"
        );
        for (given, hint) in [
            (" EA", "EA"),
            ("PCE", "H87 or EA"),
            ("ST", "H87 or EA"),
            ("CS", "XCS"),
            ("BX", "XBX"),
            ("CT", "XCT"),
            ("PK", "XPK"),
            ("pal", "XPX"),
            ("PX", "XPX"),
            ("HR", "HUR"),
            ("KG", "KGM"),
            ("M", "MTR"),
            ("L", "LTR"),
            ("xcs", "XCS"),
        ] {
            assert_eq!(Unit::of(given).unwrap_err().hint(), Some(hint), "{given}");
        }
    }

    #[test]
    fn an_unknown_code_with_nothing_near_is_refused_without_a_hint() {
        assert_eq!(said(""), "\"\" is not a UN/ECE unit code");
        assert_eq!(said("Q?"), "\"Q?\" is not a UN/ECE unit code");
        assert_eq!(said("a\n"), "\"a\\n\" is not a UN/ECE unit code");
        assert_eq!(
            said(&"é".repeat(5000)),
            format!("\"{}…\" is not a UN/ECE unit code", "é".repeat(40))
        );
        // comment lines and whole rows of the file are no codes
        assert!(Unit::of("#").is_err());
        assert!(Unit::of("EA\teach").is_err());
    }

    #[test]
    fn serde_writes_the_code_and_reads_only_codes() {
        use serde::de::IntoDeserializer;
        use serde::de::value::{Error, StrDeserializer};
        let read = |code: &'static str| {
            let from: StrDeserializer<Error> = code.into_deserializer();
            Unit::deserialize(from)
        };
        assert_eq!(read("NAR").unwrap().code(), "NAR");
        assert_eq!(read("nar").unwrap_err().to_string(), said("nar"));
        // a `Formatter` is the serializer at hand without another crate
        struct Written(Unit);
        impl fmt::Display for Written {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.serialize(f)
            }
        }
        assert_eq!(Written(Unit::of("XBX").unwrap()).to_string(), "XBX");
    }
}
