use super::*;
use crate::domain::contract::Class;

fn practice() -> String {
    super::super::example::practice("http://127.0.0.1:3001/")
}

#[test]
fn the_practice_file_is_what_the_document_says() {
    let supplier: Supplier = practice().parse().expect("reads");
    assert!(practice().starts_with("id = \"practice\"\n"));
    assert_eq!(
        supplier.contract.key.as_ref().map(|key| key.window_seconds),
        Some(86_400)
    );
    assert_eq!(supplier.contract.class(), Class::A);
    let means = |status, code| supplier.contract.means(status, code);
    assert_eq!(means(422, None), Some(Means::Refused));
    assert_eq!(means(429, Some("slow_down")), Some(Means::TurnedAway));
    assert_eq!(means(409, Some("in_flight")), Some(Means::InFlight));
    assert_eq!(means(409, Some("key_reused")), Some(Means::OtherBody));
    assert_eq!(means(409, Some("reference_exists")), Some(Means::Exists));
    assert_eq!(means(409, Some("closed_for_stocktaking")), None);
    assert_eq!(means(409, None), None);
    assert_eq!(supplier.contract.settle_seconds, 30);
    assert_eq!(supplier.contract.send_within_seconds, 86_400);
    let codes: Vec<_> = supplier.currencies.iter().map(|currency| currency.code()).collect();
    assert_eq!(codes, ["EUR", "SEK", "NOK", "JPY", "USD"]);
}

#[test]
fn a_look_up_that_does_not_name_the_key_is_no_look_up() {
    for path in [
        "/orders",
        "/orders?reference={{ operation_kee }}",
        "orders?reference={{ operation_key }}",
    ] {
        let file = practice().replace("/orders?reference={{ operation_key }}", path);
        let SupplierFault(faults) = file.parse::<Supplier>().expect_err(path);
        assert!(
            faults.iter().all(|fault| fault.starts_with("look_up.path")),
            "{faults:?}"
        );
    }
}

#[test]
fn a_fault_in_one_part_hides_none_in_another() {
    let broken = practice()
        .replace("reference_unique = false", "reference_unique = \"no\"")
        .replace("window = \"24h\"", "window = \"for ever\"")
        .replace("method = \"POST\"", "methods = \"POST\"")
        .replace("number = \"/number\"", "number = \"number\"")
        .replace("reference = \"/reference\"", "reference = \"reference\"")
        .replace("name = \"Practice supplier\"", "nickname = \"Practice\"");
    let SupplierFault(faults) = broken.parse::<Supplier>().expect_err("refused");
    for part in [
        "contract.reference_unique:",
        "contract.key.window:",
        "submit.method: missing",
        "submit.methods: there is no such field",
        "record.number:",
        "look_up.reference:",
        "name: missing",
        "nickname: there is no such part",
    ] {
        assert!(
            faults.iter().any(|fault| fault.starts_with(part)),
            "{part} in {faults:?}"
        );
    }
}

#[test]
fn promises_that_do_not_go_together_are_named() {
    let file = practice()
        .replace("window = \"24h\"\n", "")
        .replace(
            "resume = \"person\"",
            "resume = \"automatic\"\nduplicate_reference = \"refused\"\nread_back = true",
        )
        .replace("look_up = \"exact\"", "look_up = \"none\"");
    let SupplierFault(faults) = file.parse::<Supplier>().expect_err("refused");
    let named = |word: &str| faults.iter().any(|fault| fault.starts_with(word));
    let all = ["contract.duplicate_reference", "contract.read_back", "look_up:"];
    assert!(all.iter().all(|word| named(word)), "{faults:?}");
    let file = practice()
        .replace("means = \"in_flight\"", "means = \"other_body\"")
        .replace(
            "resume = \"person\"",
            "resume = \"person\"\nin_flight = \"1h\"\ntwo_step = true",
        );
    let SupplierFault(faults) = file.parse::<Supplier>().expect_err("refused");
    let named = |word: &str| faults.iter().any(|fault| fault.starts_with(word));
    let all = ["contract.in_flight", "contract.two_step"];
    assert!(all.iter().all(|word| named(word)), "{faults:?}");
    let file = practice().replace("window = \"24h\"\n", "");
    let file = file.replace("resume = \"person\"", "resume = \"automatic\"");
    let SupplierFault(faults) = file.parse::<Supplier>().expect_err("refused");
    assert!(faults[0].starts_with("contract.resume"), "{faults:?}");
}

#[test]
fn every_fault_is_named_at_once() {
    let broken = practice()
        .replace("id = \"practice\"", "id = \"Practice!\"")
        .replace("settle_time = \"30s\"", "settle_time = \"soon\"")
        .replace("refusals = [422]", "refusals = [409, 500]")
        .replace("http://127.0.0.1:3001", "ftp://x")
        .replace("# secret = \"env:PRACTICE_SECRET\"", "secret = \"hunter2\"");
    let SupplierFault(faults) = broken.parse::<Supplier>().expect_err("refused");
    let named = |word: &str| faults.iter().any(|fault| fault.contains(word));
    assert!(
        ["id:", "settle_time", "409", "500", "base_url", "secret"]
            .iter()
            .all(|word| named(word)),
        "{faults:?}"
    );
    assert!(
        !faults.iter().any(|fault| fault.contains("hunter2")),
        "a secret is not repeated"
    );
}

/// The faults of a file that is to be added.
fn faults_of_new(file: &str) -> Vec<String> {
    match Supplier::of_new_file(file) {
        Ok(_) => Vec::new(),
        Err(SupplierFault(faults)) => faults,
    }
}

#[test]
fn what_an_order_is_recognised_by_has_to_be_in_what_is_sent() {
    assert_eq!(faults_of_new(&practice()), Vec::<String>::new());
    let nameless = practice().replace("\"reference\": {{ operation_key | tojson }}", "\"reference\": \"ours\"");
    assert_ne!(nameless, practice());
    let faults = faults_of_new(&nameless);
    let named = faults.iter().any(|fault| fault.starts_with("submit.body: must name"));
    assert!(named, "{faults:?}");
    let kept = nameless.parse::<Supplier>();
    assert!(kept.is_ok(), "one that was kept stays readable");
}

#[test]
fn more_is_asked_of_a_new_file_each_fault_by_its_field() {
    for (line, wrong, field) in [
        ("method = \"POST\"", "method = \"GET\"", "submit.method"),
        (
            "header = \"Idempotency-Key\"",
            "header = \"Authorization\"",
            "contract.key.header",
        ),
        ("code = \"/code\"", "# no code", "contract.answers: codes are listed"),
        (
            "any_of = [\"in_progress\"]",
            "any_of = [\"confirmed\"]",
            "submit.acknowledged: an answer could say this",
        ),
        ("any_of = [\"confirmed\"]", "any_of = []", "submit.confirmed.any_of"),
    ] {
        let file = practice().replace(line, wrong);
        assert_ne!(file, practice(), "{line}");
        let faults = faults_of_new(&file);
        assert!(
            faults.iter().any(|fault| fault.starts_with(field)),
            "{field}: {faults:?}"
        );
    }
}

#[test]
fn every_field_of_a_section_is_read_by_itself() {
    let file = practice()
        .replace("reference_unique = false", "reference_unique = \"maybe\"")
        .replace("look_up = \"exact\"", "look_up = \"fuzzy\"")
        .replace("settle_time = \"30s\"", "settle_time = 30")
        .replace("resume = \"person\"", "resume = \"robot\"")
        .replace("refusals = [422]", "refusals = [\"x\"]")
        .replace("checks_body = true", "checks_body = \"yes\"\ncolour = 1");
    let faults = faults_of_new(&file);
    for field in [
        "contract.reference_unique:",
        "contract.look_up:",
        "contract.settle_time:",
        "contract.resume:",
        "contract.refusals:",
        "contract.key.checks_body:",
        "contract.key.colour: there is no such field",
    ] {
        assert!(
            faults.iter().any(|fault| fault.starts_with(field)),
            "{field} in {faults:?}"
        );
    }
}
