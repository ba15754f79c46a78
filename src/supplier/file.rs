//! A supplier is one file: contract and mapping. Reading it names every fault at once.
//!
//! Promises: the request is made of the frozen contents and the key alone; a secret is read where its reference says and
//! kept nowhere. Must not: assume what the file does not say.

use super::http::Http;
use super::record::RecordMap;
use super::{Purchase, SecretFault, Step};
use crate::domain::contents::SupplierId;
use crate::domain::contract::{KeyPromise, LookUp, ResumeBy, SupplierContract};
use crate::domain::look_up::Books;
use crate::domain::money::Currency;
use hyper::http::{HeaderName, Method, Uri};
use minijinja::{Environment, UndefinedBehavior, context};
use serde::Deserialize;

/// Everything that is wrong with a supplier's file.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct SupplierFault(pub Vec<String>);

/// A supplier, ready to be asked.
#[derive(Debug, Clone)]
pub struct Supplier {
    pub id: SupplierId,
    pub name: String,
    pub currencies: Vec<Currency>,
    pub contract: SupplierContract,
    pub(super) http: HttpPart,
    pub(super) submit: SubmitPart,
    pub(super) look_up: Option<LookUpPart>,
    pub(super) record: RecordMap,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: String,
    name: String,
    currencies: Vec<String>,
    contract: ContractPart,
    http: HttpPart,
    submit: SubmitPart,
    #[serde(default)]
    look_up: Option<LookUpPart>,
    record: RecordMap,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractPart {
    #[serde(default)]
    key: Option<KeyPart>,
    reference_unique: bool,
    look_up: LookUp,
    #[serde(default)]
    look_up_lag: Option<String>,
    settle_time: String,
    refusals: Vec<u16>,
    turned_away: Vec<u16>,
    #[serde(default)]
    resume: Option<ResumeBy>,
    #[serde(default)]
    send_within: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyPart {
    header: String,
    /// Absent: not published, so nothing is assumed.
    #[serde(default)]
    window: Option<String>,
    replays_saved_errors: bool,
    checks_body: bool,
}

/// Where the supplier is, and as whom we speak to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpPart {
    pub base_url: String,
    #[serde(default)]
    pub account: String,
    #[serde(default)]
    pub secret: Option<String>,
}

/// How an order is submitted.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmitPart {
    pub method: String,
    pub path: String,
    pub body: String,
    pub confirmed: Predicate,
    #[serde(default)]
    pub acknowledged: Option<Predicate>,
}

/// How the supplier is asked for our reference.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LookUpPart {
    /// A template over `operation_key`.
    pub path: String,
    /// JSON pointer to the list of records in the answer; empty for the answer itself.
    pub records: String,
    /// JSON pointer to our reference, inside a record.
    pub reference: String,
    /// A record that says so was refused or cancelled there.
    pub refused: Predicate,
}

/// Holds when the value at the pointer is one of these texts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Predicate {
    pub pointer: String,
    pub any_of: Vec<String>,
}

impl Predicate {
    pub fn holds(&self, answer: &serde_json::Value) -> bool {
        let value = answer.pointer(&self.pointer).and_then(serde_json::Value::as_str);
        value.is_some_and(|value| self.any_of.iter().any(|one| one == value))
    }
}

/// No promise of a supplier is longer: ten years, in seconds.
const LONGEST: i64 = 10 * 365 * 24 * 60 * 60;
/// Default of `send_within` (brief.md).
const SEND_WITHIN: &str = "24h";

/// Reads a supplier's file.
impl std::str::FromStr for Supplier {
    type Err = SupplierFault;
    fn from_str(text: &str) -> Result<Self, SupplierFault> {
        let file: File = toml::from_str(text).map_err(|error| SupplierFault(vec![error.to_string()]))?;
        let mut faults = Faults::default();
        let supplier = faults.supplier(file);
        match supplier {
            Some(supplier) if faults.0.is_empty() => Ok(supplier),
            _ => Err(SupplierFault(faults.0)),
        }
    }
}

#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn note<T, E: std::fmt::Display>(&mut self, field: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|error| self.0.push(format!("{field}: {error}"))).ok()
    }

    fn seconds(&mut self, field: &str, text: &str) -> Option<i64> {
        let length = self.note(field, humantime::parse_duration(text))?;
        let seconds = i64::try_from(length.as_secs())
            .ok()
            .filter(|seconds| *seconds <= LONGEST);
        self.note(field, seconds.ok_or("longer than ten years"))
    }

    fn supplier(&mut self, file: File) -> Option<Supplier> {
        let id = self.note("id", file.id.parse());
        if file.name.trim().is_empty() || file.name.chars().any(crate::domain::text::is_hidden) {
            self.0.push("name: a visible name without hidden characters".to_owned());
        }
        let currencies: Vec<_> = file
            .currencies
            .iter()
            .filter_map(|code| self.note("currencies", code.parse()))
            .collect();
        if file.currencies.is_empty() {
            self.0.push("currencies: at least one".to_owned());
        }
        let contract = self.contract(file.contract);
        self.http(&file.http);
        self.submit(&file.submit);
        self.look_up(contract.as_ref(), file.look_up.as_ref());
        let name = file.name;
        Some(Supplier {
            id: id?,
            name,
            currencies,
            contract: contract?,
            http: file.http,
            submit: file.submit,
            look_up: file.look_up,
            record: file.record,
        })
    }

    fn contract(&mut self, part: ContractPart) -> Option<SupplierContract> {
        let key = part.key.map(|key| self.key(key));
        let lag = self.seconds("contract.look_up_lag", part.look_up_lag.as_deref().unwrap_or("0s"));
        let settle = self.seconds("contract.settle_time", &part.settle_time);
        let send_within = self.seconds(
            "contract.send_within",
            part.send_within.as_deref().unwrap_or(SEND_WITHIN),
        );
        for status in part.refusals.iter().chain(&part.turned_away) {
            self.certainly_not_placed(*status);
        }
        if part.refusals.iter().any(|status| part.turned_away.contains(status)) {
            self.0
                .push("contract: a status is either a refusal or turned away".to_owned());
        }
        Some(SupplierContract {
            key: match key {
                Some(key) => Some(key?),
                None => None,
            },
            reference_unique: part.reference_unique,
            look_up: part.look_up,
            look_up_lag_seconds: lag?,
            settle_seconds: settle?,
            refusals: part.refusals,
            turned_away: part.turned_away,
            resume: part.resume.unwrap_or(ResumeBy::Person),
            send_within_seconds: send_within?,
        })
    }

    /// Never: 2xx, 3xx, 408, 409, and any 5xx but 503 (docs/suppliers.md "certainly not placed").
    fn certainly_not_placed(&mut self, status: u16) {
        let may = (400..500).contains(&status) && status != 408 && status != 409 || status == 503;
        if !may {
            self.0
                .push(format!("contract: {status} can never mean \"certainly not placed\""));
        }
    }

    fn key(&mut self, part: KeyPart) -> Option<KeyPromise> {
        let header = self.note("contract.key.header", part.header.parse::<HeaderName>());
        let window = part
            .window
            .as_deref()
            .map_or(Some(0), |text| self.seconds("contract.key.window", text));
        Some(KeyPromise {
            header: header?.to_string(),
            window_seconds: window?,
            replays_saved_errors: part.replays_saved_errors,
            checks_body: part.checks_body,
        })
    }

    fn http(&mut self, part: &HttpPart) {
        if let Some(uri) = self.note("http.base_url", part.base_url.parse::<Uri>())
            && (!matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none())
        {
            self.0.push("http.base_url: an http or https address".to_owned());
        }
        let is_reference = |text: &String| text.starts_with("env:") || text.starts_with("file:");
        if part.secret.as_ref().is_some_and(|secret| !is_reference(secret)) {
            self.0
                .push("http.secret: a reference, \"env:NAME\" or \"file:/path\", never the secret".to_owned());
        }
    }

    fn look_up(&mut self, contract: Option<&SupplierContract>, part: Option<&LookUpPart>) {
        let promised = contract.is_some_and(|contract| contract.look_up == LookUp::Exact);
        if contract.is_some() && promised != part.is_some() {
            self.0
                .push("look_up: the section stands if and only if contract.look_up is \"exact\"".to_owned());
        }
        if let Some(part) = part {
            // asked without our key it would answer about other orders
            match self.note("look_up.path", path_for(part, PROBE)) {
                Some(path) if !path.contains(PROBE) => {
                    self.0.push("look_up.path: must name {{ operation_key }}".to_owned());
                }
                Some(path) if !path.starts_with('/') => self.0.push("look_up.path: begins with /".to_owned()),
                Some(_) | None => {}
            }
        }
    }

    fn submit(&mut self, part: &SubmitPart) {
        self.note("submit.method", part.method.parse::<Method>());
        if !part.path.starts_with('/') {
            self.0.push("submit.path: begins with /".to_owned());
        }
        let mut templates = Environment::new();
        self.note("submit.body", templates.add_template("body", &part.body));
    }
}

impl Supplier {
    /// The request that submits this purchase: rendered from the frozen contents alone, so that a repeat has the same
    /// bytes.
    pub fn submit_step(&self, purchase: &Purchase<'_>) -> Result<Step, SupplierFault> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Lenient);
        let text = templates
            .render_str(
                &self.submit.body,
                context! {
                    operation_key => purchase.operation_key.to_string(),
                    contents => purchase.contents,
                },
            )
            .map_err(|error| SupplierFault(vec![format!("submit.body: {error}")]))?;
        // through a JSON value: what is no JSON is found here, not at the supplier
        let value: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| SupplierFault(vec![format!("submit.body does not make JSON: {error}")]))?;
        Ok(Step {
            method: self.submit.method.clone(),
            url: self.url(&self.submit.path),
            body: value.to_string(),
        })
    }

    /// The address that asks for our reference; nothing for a supplier that cannot be asked.
    pub(super) fn look_up_url(&self, operation_key: &str) -> Result<Option<String>, SupplierFault> {
        let Some(part) = &self.look_up else { return Ok(None) };
        let path =
            path_for(part, operation_key).map_err(|error| SupplierFault(vec![format!("look_up.path: {error}")]))?;
        Ok(Some(self.url(&path)))
    }

    /// The books that this file's look-ups ask.
    pub fn books(&self) -> Books {
        Books {
            base_url: self.http.base_url.clone(),
            account: self.http.account.clone(),
        }
    }

    /// Base address, account and secret's reference: what a key's scope may depend on.
    pub fn base_url(&self) -> &str {
        &self.http.base_url
    }
    /// The account we speak as; empty for none.
    pub fn account(&self) -> &str {
        &self.http.account
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.http.base_url.trim_end_matches('/'))
    }

    /// The secret itself, read where the file says. Never stored, never logged.
    pub fn secret(&self) -> Result<Option<String>, SecretFault> {
        let Some(reference) = &self.http.secret else {
            return Ok(None);
        };
        let fault = |why: String| SecretFault {
            reference: reference.clone(),
            why,
        };
        let secret = match reference.split_once(':') {
            Some(("env", name)) => std::env::var(name).map_err(|error| fault(error.to_string())),
            Some(("file", path)) => std::fs::read_to_string(path).map_err(|error| fault(error.to_string())),
            _ => Err(fault("neither env: nor file:".to_owned())),
        }?;
        Ok(Some(secret.trim_end().to_owned()))
    }

    /// The connection to this supplier.
    pub fn http(&self) -> Result<Http<'_>, SecretFault> {
        Ok(Http {
            supplier: self,
            secret: self.secret()?,
        })
    }
}

/// A key that stands nowhere else, to see whether a path names the key.
const PROBE: &str = "00000000-0000-5000-8000-00000000c0de";

/// The path that asks for this key; a name that the template does not know is an error.
fn path_for(part: &LookUpPart, operation_key: &str) -> Result<String, minijinja::Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.render_str(&part.path, context! { operation_key })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(supplier.contract.refusals, [422]);
        assert_eq!(supplier.contract.turned_away, [429]);
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
}
