//! Reads JSON bodies exactly: every number as it was written, duplicate and unknown fields refused, every fault named
//! at its JSON pointer at once (doors.md, cases P9 and I9).
//!
//! A derive would stop at the first fault, take the last of two equal keys, and turn numbers into floats.

use crate::desk::suggest::Proposal;
use crate::domain::contents::{ChargeDraft, ContentsDraft, Fault, LineDraft, PackDraft};
use crate::domain::suggestion::{Evidence, ProposedBy};
use crate::domain::text;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Most characters of a rationale and of one doubt, and most doubts.
const MOST_RATIONALE: usize = 50_000;
const MOST_DOUBT: usize = 2_000;
const MOST_DOUBTS: usize = 100;
const MOST_PURPOSE: usize = 2_000;

/// The members of an object, in order, not yet read.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Collect)
    }
}

/// An object being read: members are taken by name, and what is left over is unknown.
struct Object<'a> {
    at: String,
    members: Vec<(String, &'a RawValue)>,
}

/// Collects faults.
#[derive(Default)]
struct Reader {
    faults: Vec<Fault>,
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl<'a> Object<'a> {
    /// Takes a member; JSON's null counts as absent (case P9).
    fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let place = self.members.iter().position(|(member, _)| member == name)?;
        let (_, raw) = self.members.remove(place);
        (raw.get() != "null").then_some(raw)
    }
    fn at(&self, name: &str) -> String {
        format!("{}/{}", self.at, escaped(name))
    }
}

impl Reader {
    fn fault(&mut self, at: impl Into<String>, detail: impl fmt::Display) {
        self.faults.push(Fault::at(at, detail));
    }

    fn whole<'a>(&mut self, bytes: &'a [u8]) -> Option<Object<'a>> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| self.fault("", "the body is not UTF-8"))
            .ok()?;
        let raw = serde_json::from_str::<&RawValue>(text);
        let raw = raw
            .map_err(|error| self.fault("", format!("the body is not JSON: {error}")))
            .ok()?;
        self.object(String::new(), raw)
    }

    fn object<'a>(&mut self, at: String, raw: &'a RawValue) -> Option<Object<'a>> {
        let Ok(Members(members)) = serde_json::from_str::<Members<'a>>(raw.get()) else {
            self.fault(at, "must be an object");
            return None;
        };
        for (place, (name, _)) in members.iter().enumerate() {
            if members[..place].iter().any(|(before, _)| before == name) {
                self.fault(format!("{at}/{}", escaped(name)), "stands twice");
            }
        }
        Some(Object { at, members })
    }

    /// Whatever nobody took is unknown (its duplicates were named before).
    fn end(&mut self, object: Object<'_>) {
        for (name, _) in &object.members {
            let at = object.at(name);
            if !self.faults.iter().any(|fault| fault.pointer == at) {
                self.fault(at, "is not a field of this body");
            }
        }
    }

    fn text(&mut self, object: &mut Object<'_>, name: &str) -> Option<String> {
        let (at, raw) = (object.at(name), object.take(name)?);
        let read = serde_json::from_str::<String>(raw.get());
        read.map_err(|_| self.fault(at, "must be a text")).ok()
    }

    /// A decimal as text. A JSON number is taken only when it survives a round trip through a float, so that no client
    /// library has changed it before it got here.
    fn decimal(&mut self, object: &mut Object<'_>, name: &str) -> Option<String> {
        let (at, raw) = (object.at(name), object.take(name)?.get());
        if raw.starts_with('"') {
            return serde_json::from_str(raw)
                .map_err(|_| self.fault(at, "must be a decimal in a text"))
                .ok();
        }
        if !raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            self.fault(at, "must be a decimal in a text, such as \"12.5\"");
            return None;
        }
        let exact = crate::domain::money::parse_decimal(raw);
        let float = raw.parse::<f64>().ok().filter(|float| float.is_finite());
        let survives = float.is_some_and(|float| crate::domain::money::parse_decimal(&float.to_string()) == exact);
        if exact.is_ok() && survives {
            Some(raw.to_owned())
        } else {
            self.fault(
                at,
                "this number does not survive as a float; send it as a text, such as \"12.5\"",
            );
            None
        }
    }

    fn list<'a>(&mut self, object: &mut Object<'a>, name: &str) -> Option<Vec<&'a RawValue>> {
        let (at, raw) = (object.at(name), object.take(name)?);
        serde_json::from_str(raw.get())
            .map_err(|_| self.fault(at, "must be a list"))
            .ok()
    }

    fn objects<'a, T>(
        &mut self,
        object: &mut Object<'a>,
        name: &str,
        mut read: impl FnMut(&mut Self, Object<'a>) -> T,
    ) -> Option<Vec<T>> {
        let at = object.at(name);
        let list = self.list(object, name)?;
        let items = list.into_iter().enumerate();
        Some(
            items
                .filter_map(|(place, raw)| {
                    let item = self.object(format!("{at}/{place}"), raw)?;
                    Some(read(self, item))
                })
                .collect(),
        )
    }
}

fn result<T>(reader: Reader, value: Option<T>) -> Result<T, Vec<Fault>> {
    match value {
        Some(value) if reader.faults.is_empty() => Ok(value),
        _ => Err(reader.faults),
    }
}

/// `{ "purpose": "…" }`
pub fn purpose(bytes: &[u8]) -> Result<String, Vec<Fault>> {
    let mut reader = Reader::default();
    let purpose = reader.whole(bytes).and_then(|mut object| {
        let purpose = reader.text(&mut object, "purpose");
        if !object.members.iter().any(|(name, _)| name == "purpose") && purpose.is_none() && reader.faults.is_empty() {
            reader.fault("/purpose", "is required: one sentence on what the wish is");
        }
        reader.end(object);
        let read = purpose.map(|purpose| text::free_text(&purpose, MOST_PURPOSE));
        match read {
            Some(Ok(purpose)) if !purpose.trim().is_empty() => Some(purpose),
            Some(Ok(_)) => {
                reader.fault("/purpose", "must not be empty");
                None
            }
            Some(Err(fault)) => {
                reader.fault("/purpose", fault);
                None
            }
            None => None,
        }
    });
    result(reader, purpose)
}

/// The suggestion body of doors.md.
pub fn proposal(bytes: &[u8]) -> Result<Proposal, Vec<Fault>> {
    let mut reader = Reader::default();
    let proposal = reader.whole(bytes).and_then(|mut object| {
        let revision = revision(&mut reader, &mut object);
        let contents = contents(&mut reader, &mut object);
        let evidence = evidence(&mut reader, &mut object);
        reader.end(object);
        Some(Proposal {
            revision: revision?,
            contents,
            evidence,
        })
    });
    result(reader, proposal)
}

fn revision(reader: &mut Reader, object: &mut Object<'_>) -> Option<u32> {
    let Some(raw) = object.take("revision") else {
        reader.fault("/revision", "is required: 1 for the first");
        return None;
    };
    let read = raw
        .get()
        .parse::<u32>()
        .ok()
        .filter(|number| (1..=1_000_000).contains(number));
    if read.is_none() {
        reader.fault("/revision", "must be a whole number from 1");
    }
    read
}

fn contents(reader: &mut Reader, object: &mut Object<'_>) -> ContentsDraft {
    ContentsDraft {
        supplier: reader.text(object, "supplier"),
        currency: reader.text(object, "currency"),
        deliver_to: reader.text(object, "deliver_to"),
        needed_by: reader.text(object, "needed_by"),
        note_to_supplier: reader.text(object, "note_to_supplier"),
        lines: reader.objects(object, "lines", line),
        charges: reader.objects(object, "charges", charge).unwrap_or_default(),
    }
}

fn line(reader: &mut Reader, mut object: Object<'_>) -> LineDraft {
    let at = object.at("pack");
    let pack = object
        .take("pack")
        .and_then(|raw| reader.object(at, raw))
        .map(|mut pack| {
            let draft = PackDraft {
                quantity: reader.decimal(&mut pack, "quantity"),
                unit: reader.text(&mut pack, "unit"),
            };
            reader.end(pack);
            draft
        });
    let draft = LineDraft {
        sku: reader.text(&mut object, "sku"),
        description: reader.text(&mut object, "description"),
        quantity: reader.decimal(&mut object, "quantity"),
        unit: reader.text(&mut object, "unit"),
        unit_price: reader.decimal(&mut object, "unit_price"),
        price_per: reader.decimal(&mut object, "price_per"),
        pack,
    };
    reader.end(object);
    draft
}

fn charge(reader: &mut Reader, mut object: Object<'_>) -> ChargeDraft {
    let draft = ChargeDraft {
        kind: reader.text(&mut object, "kind"),
        reason: reader.text(&mut object, "reason"),
        amount: reader.decimal(&mut object, "amount"),
    };
    reader.end(object);
    draft
}

fn evidence(reader: &mut Reader, object: &mut Object<'_>) -> Evidence {
    let rationale = reader.text(object, "rationale").unwrap_or_default();
    let rationale = free(reader, "/rationale", &rationale, MOST_RATIONALE);
    let doubts = reader.list(object, "doubts").unwrap_or_default();
    if doubts.len() > MOST_DOUBTS {
        reader.fault("/doubts", format!("at most {MOST_DOUBTS}"));
    }
    let doubts = doubts.into_iter().enumerate().filter_map(|(place, raw)| {
        let at = format!("/doubts/{place}");
        match serde_json::from_str::<String>(raw.get()) {
            Ok(doubt) => Some(free(reader, &at, &doubt, MOST_DOUBT)),
            Err(_) => {
                reader.fault(at, "must be a text");
                None
            }
        }
    });
    Evidence {
        rationale,
        doubts: doubts.collect(),
        proposed_by: proposed_by(reader, object),
        changed_by: None,
    }
}

fn free(reader: &mut Reader, at: &str, given: &str, most: usize) -> String {
    text::free_text(given, most).unwrap_or_else(|fault| {
        reader.fault(at, fault);
        String::new()
    })
}

fn proposed_by(reader: &mut Reader, object: &mut Object<'_>) -> Option<ProposedBy> {
    let raw = object.take("proposed_by")?;
    let mut inner = reader.object("/proposed_by".to_owned(), raw)?;
    let agent = reader.text(&mut inner, "agent");
    let run = reader.text(&mut inner, "run");
    reader.end(inner);
    let mut named = |at: &str, given: Option<String>| {
        let checked = text::identifier(&given?, 200);
        checked.map_err(|fault| reader.fault(at, fault)).ok()
    };
    let run = named("/proposed_by/run", run);
    // without an agent's name the token's stands for it
    let agent = named("/proposed_by/agent", agent).unwrap_or_default();
    Some(ProposedBy { agent, run })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"{"revision":1,"supplier":"acme","currency":"EUR","deliver_to":"main",
        "lines":[{"sku":"A","quantity":"12","unit":"EA","unit_price":0.1,"price_per":1}],"doubts":["old price"]}"#;

    fn pointers(body: &str) -> Vec<String> {
        let faults = proposal(body.as_bytes()).expect_err("refused");
        faults.into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn a_sound_body_is_read_exactly() {
        let proposal = proposal(SOUND.as_bytes()).expect("sound");
        let line = &proposal.contents.lines.as_ref().expect("lines")[0];
        assert_eq!(line.unit_price.as_deref(), Some("0.1"));
        assert_eq!(proposal.evidence.doubts, ["old price"]);
    }

    #[test]
    fn numbers_that_do_not_survive_a_float_are_refused() {
        for bad in [
            "9007199254740993",
            "1e400",
            "0.1000000000000000055511151231257827",
            "true",
            "[1]",
            "{}",
        ] {
            assert_eq!(pointers(&SOUND.replace("0.1", bad)), ["/lines/0/unit_price"], "{bad}");
        }
        for good in ["12", "12.0", "1.2e1", "0.30", "\"12\""] {
            assert!(proposal(SOUND.replace("0.1", good).as_bytes()).is_ok(), "{good}");
        }
    }

    #[test]
    fn every_fault_has_its_pointer() {
        assert_eq!(pointers(&SOUND.replace("\"revision\":1,", "")), ["/revision"]);
        assert_eq!(
            pointers(&SOUND.replace("\"revision\":1", "\"revision\":0")),
            ["/revision"]
        );
        assert_eq!(
            pointers(&SOUND.replace("\"revision\":1", "\"revision\":\"1\"")),
            ["/revision"]
        );
        assert_eq!(
            pointers(&SOUND.replace("\"sku\"", "\"colour\":\"red\",\"sku\"")),
            ["/lines/0/colour"]
        );
        assert_eq!(
            pointers(&SOUND.replace("\"sku\"", "\"sku\":\"B\",\"sku\"")),
            ["/lines/0/sku"]
        );
        assert_eq!(
            pointers(&SOUND.replace("\"revision\":1", "\"revision\":1,\"revision\":1")),
            ["/revision"]
        );
        assert_eq!(pointers(&SOUND.replace("\"a/b\"", "")[..1]), [""]);
        assert_eq!(pointers("[]"), [""]);
        assert_eq!(pointers(&SOUND.replace("\"old price\"", "7")), ["/doubts/0"]);
        assert_eq!(
            pointers(&SOUND.replace("\"doubts\"", "\"a/b~c\":1,\"doubts\"")),
            ["/a~1b~0c"]
        );
    }

    #[test]
    fn a_purpose_is_required_and_alone() {
        assert_eq!(purpose(br#"{"purpose":"restock"}"#).as_deref(), Ok("restock"));
        for bad in [
            "{}",
            r#"{"purpose":null}"#,
            r#"{"purpose":" "}"#,
            r#"{"purpose":7}"#,
            r#"{"purpose":"a","x":1}"#,
            "7",
        ] {
            assert!(purpose(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
