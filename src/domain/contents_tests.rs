//! What contents promise, on examples and on made-up orders.

use super::*;
use proptest::prelude::*;

pub fn known() -> Known {
    Known {
        suppliers: vec![(
            "acme".parse().expect("id"),
            vec!["EUR".parse().expect("EUR"), "JPY".parse().expect("JPY")],
        )],
        sites: vec!["main".parse().expect("site")],
    }
}

pub fn draft() -> ContentsDraft {
    ContentsDraft {
        supplier: Some("acme".into()),
        currency: Some("EUR".into()),
        deliver_to: Some("main".into()),
        lines: Some(vec![LineDraft {
            sku: Some("M8-40-A2".into()),
            description: Some("Hex bolt".into()),
            quantity: Some("24".into()),
            unit: Some("EA".into()),
            unit_price: Some("0.4375".into()),
            ..LineDraft::default()
        }]),
        ..ContentsDraft::default()
    }
}

fn faults_of(change: impl FnOnce(&mut ContentsDraft)) -> Vec<String> {
    let mut draft = draft();
    change(&mut draft);
    let faults = check(&draft, &known()).expect_err("refused");
    faults.into_iter().map(|fault| fault.pointer).collect()
}

fn line(draft: &mut ContentsDraft) -> &mut LineDraft {
    &mut draft.lines.as_mut().expect("lines")[0]
}

#[test]
fn other_spellings_are_the_same_contents() {
    let plain = check(&draft(), &known()).expect("sound");
    let mut other = draft();
    line(&mut other).quantity = Some("2.40e1".into());
    line(&mut other).price_per = Some("1.0".into());
    other.note_to_supplier = Some(String::new());
    assert_eq!(check(&other, &known()).expect("sound").digest(), plain.digest());
}

#[test]
fn every_fault_is_named_at_its_place() {
    assert_eq!(faults_of(|d| d.supplier = Some("nobody".into())), ["/supplier"]);
    assert_eq!(faults_of(|d| d.currency = Some("USD".into())), ["/currency"]);
    assert_eq!(faults_of(|d| d.currency = None), ["/currency"]);
    assert_eq!(faults_of(|d| d.deliver_to = Some("moon".into())), ["/deliver_to"]);
    assert_eq!(faults_of(|d| d.needed_by = Some("04.12.2026".into())), ["/needed_by"]);
    assert_eq!(faults_of(|d| d.needed_by = Some("2026-02-30".into())), ["/needed_by"]);
    assert_eq!(faults_of(|d| d.lines = Some(vec![])), ["/lines"]);
    assert_eq!(faults_of(|d| d.lines = None), ["/lines"]);
    assert_eq!(faults_of(|d| line(d).unit = Some("ea".into())), ["/lines/0/unit"]);
    assert_eq!(faults_of(|d| line(d).sku = Some("M8\u{202e}".into())), ["/lines/0/sku"]);
    assert_eq!(
        faults_of(|d| {
            line(d).quantity = Some("٢".into());
            line(d).unit_price = None;
        }),
        ["/lines/0/quantity", "/lines/0/unit_price"]
    );
    assert_eq!(
        faults_of(|d| {
            line(d).sku = None;
            line(d).description = Some("  ".into());
        }),
        ["/lines/0/description"]
    );
}

#[test]
fn charges_must_fit_the_currency_and_leave_a_total() {
    let allowance = |amount: &str| ChargeDraft {
        kind: Some("allowance".into()),
        amount: Some(amount.into()),
        reason: None,
    };
    assert_eq!(
        faults_of(|d| d.charges = vec![allowance("0.001")]),
        ["/charges/0/amount"]
    );
    assert_eq!(faults_of(|d| d.charges = vec![allowance("11")]), ["/charges"]);
    let mut sound = draft();
    sound.charges = vec![allowance("10.00")];
    let contents = check(&sound, &known()).expect("sound");
    assert_eq!(contents.total().amount().to_string(), "0.50");
}

#[test]
fn totals_that_do_not_fit_are_refused() {
    let huge = |d: &mut ContentsDraft| {
        line(d).quantity = Some("99999999999999".into());
        line(d).unit_price = Some("99999999999999".into());
    };
    assert_eq!(faults_of(huge), ["/lines/0"]);
}

#[test]
fn look_alikes_ignore_price_and_order_of_lines_but_not_quantity() {
    let one = check(&draft(), &known()).expect("sound");
    let mut dearer = draft();
    line(&mut dearer).unit_price = Some("9".into());
    let dearer = check(&dearer, &known()).expect("sound");
    let mut more = draft();
    line(&mut more).quantity = Some("25".into());
    let more = check(&more, &known()).expect("sound");
    assert_eq!(one.look_alike_key(), dearer.look_alike_key());
    assert_ne!(one.look_alike_key(), more.look_alike_key());
}

prop_compose! {
    fn any_line()(
        sku in proptest::option::of("[A-Z0-9][A-Z0-9-]{0,12}"),
        description in "[a-zäé×][a-zäé× \u{202e}]{0,20}",
        quantity in 1_u64..10_000_000,
        scale in 0_u32..4,
        price in 0_u64..10_000_000,
        per in prop_oneof![Just("1"), Just("100"), Just("1000")],
    ) -> LineDraft {
        LineDraft {
            sku,
            description: Some(description),
            quantity: Some(rust_decimal::Decimal::new(quantity.cast_signed(), scale).to_string()),
            unit: Some("EA".into()),
            unit_price: Some(rust_decimal::Decimal::new(price.cast_signed(), 4).to_string()),
            price_per: Some(per.into()),
            pack: None,
        }
    }
}

proptest! {
    #[test]
    fn the_digest_survives_json(lines in proptest::collection::vec(any_line(), 1..6)) {
        let contents = check(&ContentsDraft { lines: Some(lines), ..draft() }, &known()).expect("sound");
        let thawed = OrderContents::thaw(&contents.normal_form()).expect("reads back");
        prop_assert_eq!(&thawed, &contents);
        prop_assert_eq!(thawed.normal_form(), contents.normal_form());
        prop_assert_eq!(thawed.digest(), contents.digest());
        // also through a generic JSON value, as an API answer carries it
        let value: serde_json::Value = serde_json::from_slice(&contents.normal_form()).expect("JSON");
        let again: OrderContents = serde_json::from_value(value).expect("reads back");
        prop_assert_eq!(again.digest(), contents.digest());
    }
}
