//! The seven real orders of `tests/data/orders` go in, show the source's own totals, and stand at the supplier unchanged.

mod support;

use rust_decimal::Decimal;
use serde_json::{Value, json};
use support::{BUYER, House, data};

/// One file of the source.
struct Source {
    name: String,
    order: Value,
}

impl Source {
    fn all() -> Vec<Self> {
        let folder = std::fs::read_dir(data("orders")).expect("the orders");
        let paths = folder.map(|entry| entry.expect("an entry").path());
        let mut paths: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .collect();
        paths.sort();
        let read = |path: std::path::PathBuf| {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            Self {
                name: path.file_stem().expect("a name").to_string_lossy().into(),
                order: serde_json::from_str(&text).expect("JSON"),
            }
        };
        paths.into_iter().map(read).collect()
    }

    fn decimal(&self, name: &str) -> Decimal {
        decimal(&self.order[name])
    }

    fn list(&self, name: &str) -> &[Value] {
        self.order[name].as_array().expect(name)
    }

    /// Charges, less allowances.
    fn charged(&self) -> Decimal {
        let amounts = self.list("allowances_charges").iter().map(|one| {
            let amount = decimal(&one["amount"]);
            if is_charge(one) { amount } else { -amount }
        });
        amounts.sum()
    }

    /// What the assistant sends: the source's figures as they stand, `null` left out.
    fn body(&self) -> Value {
        let charges = self.list("allowances_charges").iter().map(|one| {
            let kind = if is_charge(one) { "charge" } else { "allowance" };
            json!({ "kind": kind, "reason": one["reason"], "amount": one["amount"] })
        });
        let mut body = json!({
            "revision": 1,
            "supplier": "practice",
            "currency": self.order["currency"],
            "deliver_to": "main-warehouse",
            "needed_by": self.order["needed_by"],
            "note_to_supplier": self.order["note"],
            "lines": self.order["lines"],
            "charges": charges.collect::<Vec<_>>(),
            "rationale": format!("buyer's reference {}", self.order["buyer_reference"]),
        });
        leave_out_null(&mut body);
        body
    }
}

fn is_charge(one: &Value) -> bool {
    match one["charge"].as_str() {
        Some("true") => true,
        Some("false") => false,
        other => panic!("neither charge nor allowance: {other:?}"),
    }
}

fn decimal(text: &Value) -> Decimal {
    let text = text.as_str().unwrap_or_else(|| panic!("no text: {text}"));
    text.parse().expect("a decimal")
}

fn leave_out_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(leave_out_null);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_null),
        _ => {}
    }
}

/// quantity × price / per of every line, added up: the sum the source calls `line_total`.
fn lines_total(lines: &Value) -> Decimal {
    let lines = lines.as_array().expect("lines").iter();
    let totals =
        lines.map(|line| decimal(&line["quantity"]) * decimal(&line["unit_price"]) / decimal(&line["price_per"]));
    totals.sum()
}

#[test]
fn there_are_seven_real_orders_with_what_invented_data_forgets() {
    let all = Source::all();
    assert_eq!(all.len(), 7);
    let any = |what: &dyn Fn(&Source) -> bool| all.iter().any(what);
    assert!(any(&|one| one.list("lines").iter().any(|line| line["sku"].is_null())));
    assert!(any(&|one| one.order["currency"] == "SEK"));
    assert!(any(&|one| one.list("allowances_charges").len() == 2));
    assert!(any(&|one| one.order["needed_by"].is_null()));
}

#[tokio::test]
async fn the_seven_real_orders_show_the_sources_totals_and_stand_at_the_supplier_unchanged() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    for source in Source::all() {
        let name = &source.name;
        house.put_intent(name).await;
        let body = source.body();
        let taken = house.put_suggestion(name, &body).await;
        assert_eq!(taken.status, 201, "{name}: {taken:?}");
        let total = source.decimal("line_total") + source.charged();
        assert_total(&source, &taken.json()["total"], total);

        let id = approve(&buyer, name, &taken.json()).await;
        let order = house.wait_for_state(&id, "confirmed").await;

        assert_eq!(order["differences"], false, "{name}: {order:#}");
        assert_total(&source, &order["total"], total);
        let lines = &order["contents"]["lines"];
        assert_eq!(lines_total(lines), source.decimal("line_total"), "{name}");
        house.assert_counts(&order, 1, 1, name).await;
        stands_unchanged(name, &body, &house.records(&order).await[0]);
    }
}

fn assert_total(source: &Source, total: &Value, wanted: Decimal) {
    assert_eq!(total["currency"], source.order["currency"], "{}", source.name);
    assert_eq!(decimal(&total["amount"]), wanted, "{}", source.name);
}

/// Some of the real orders look alike (`order_sc1` and `uc2_order` have the same lines), so a second purchase is said.
async fn approve(buyer: &support::Session<'_>, name: &str, taken: &Value) -> String {
    let text = |member: &str| taken["suggestion"][member].as_str().expect(member).to_owned();
    let suggested = support::Suggested {
        intent: name.to_owned(),
        id: text("id"),
        digest: text("digest"),
    };
    let wanted = [("second_purchase", "yes")];
    buyer.approve_with(&suggested, &wanted).await
}

/// The record has what was sent in: numbers as numbers, everything else as the same text.
fn stands_unchanged(name: &str, sent: &Value, record: &Value) {
    assert_eq!(record["currency"], sent["currency"], "{name}");
    assert_eq!(record["deliver_to"], sent["deliver_to"], "{name}");
    assert_eq!(record["needed_by"], sent["needed_by"], "{name}");
    assert_eq!(record["note"], sent["note_to_supplier"], "{name}");
    assert_same_list(name, "lines", sent, record);
    assert_same_list(name, "charges", sent, record);
}

fn assert_same_list(name: &str, list: &str, sent: &Value, record: &Value) {
    let (sent, record) = (&sent[list], &record[list]);
    let (sent, record) = (sent.as_array().expect(list), record.as_array().expect(list));
    assert_eq!(record.len(), sent.len(), "{name}: {list}");
    for (sent, recorded) in sent.iter().zip(record) {
        for field in ["quantity", "unit_price", "price_per", "amount"] {
            if let Some(text) = sent.get(field) {
                assert_eq!(decimal(&recorded[field]), decimal(text), "{name}: {list}");
            }
        }
        for field in ["sku", "description", "unit", "kind", "reason"] {
            assert_eq!(recorded[field], sent[field], "{name}: {list}: {field}");
        }
    }
}
