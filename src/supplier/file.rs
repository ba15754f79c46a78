//! A supplier is one file: contract and mapping. Reading it names every fault at once.
//!
//! Promises: the request is made of the frozen contents and the key alone; a secret is read where its reference says and
//! kept nowhere. Must not: assume what the file does not say.

use super::http::Http;
use super::record::RecordMap;
use super::{Purchase, SecretFault, Step};
use crate::domain::contents::SupplierId;
use crate::domain::contract::{
    Carried, Duplicate, KeyPromise, Listed, LookUp, Means, PastWindow, ResumeBy, Scope, SupplierContract,
};
use crate::domain::look_up::{Books, Standing};
use crate::domain::money::Currency;
use chrono::{DateTime, SecondsFormat, Utc};
use hyper::http::{HeaderName, Method, Uri};
use minijinja::{Environment, UndefinedBehavior, context};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

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
    /// Absent: refused where our reference is unique, else a second order.
    #[serde(default)]
    duplicate_reference: Option<Duplicate>,
    /// Absent: a changed secret begins anew.
    #[serde(default)]
    scope: Option<Scope>,
    #[serde(default)]
    messages: bool,
    look_up: LookUp,
    #[serde(default)]
    look_up_lag: Option<String>,
    #[serde(default)]
    between_look_ups: Option<String>,
    settle_time: String,
    refusals: Vec<u16>,
    turned_away: Vec<u16>,
    #[serde(default)]
    answers: Vec<Listed>,
    #[serde(default)]
    read_back: bool,
    #[serde(default)]
    acknowledged_within: Option<String>,
    #[serde(default)]
    watch: Option<String>,
    #[serde(default)]
    resume: Option<ResumeBy>,
    #[serde(default)]
    send_within: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyPart {
    /// The header that carries it; absent where the body does.
    #[serde(default)]
    header: Option<String>,
    /// The body carries it, as `{{ operation_key }}`.
    #[serde(default)]
    in_body: bool,
    /// As a quoted string.
    #[serde(default)]
    quoted: bool,
    /// The longest key they take, in characters.
    #[serde(default)]
    max_length: Option<usize>,
    #[serde(default)]
    characters: Option<Characters>,
    #[serde(default)]
    past_window: Option<PastWindow>,
    #[serde(default)]
    replay_marker: Option<String>,
    /// Absent: not published, so nothing is assumed.
    #[serde(default)]
    window: Option<String>,
    replays_saved_errors: bool,
    checks_body: bool,
}

/// What a key may be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Characters {
    Any,
    /// Letters and digits alone.
    Alphanumeric,
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
    /// A readable 2xx that says so is a refusal (case W7).
    #[serde(default)]
    pub refused: Option<Predicate>,
    /// JSON pointer to the supplier's own code, for `contract.answers`.
    #[serde(default)]
    pub code: Option<String>,
}

impl SubmitPart {
    /// What an answer, or a record, says of itself. One that says two things at once says nothing.
    pub fn standing(&self, answer: &Value) -> Standing {
        let holds = |predicate: Option<&Predicate>| predicate.is_some_and(|predicate| predicate.holds(answer));
        match (
            self.confirmed.holds(answer),
            holds(self.acknowledged.as_ref()),
            holds(self.refused.as_ref()),
        ) {
            (true, false, false) => Standing::Confirmed,
            (false, true, false) => Standing::NotYet,
            (false, false, true) => Standing::Refused,
            _ => Standing::Unnamed,
        }
    }

    /// The supplier's own code in an answer.
    pub fn code_in(&self, answer: &Value) -> Option<String> {
        match answer.pointer(self.code.as_deref()?)? {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// How the supplier is asked for our reference.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LookUpPart {
    /// A template over `operation_key`, `since` (the order's approval, RFC 3339) and `after` (where a page begins; empty
    /// for the first).
    pub path: String,
    /// JSON pointer to where the next page begins; null or empty at the end. Absent: an answer is the whole list.
    #[serde(default)]
    pub next: Option<String>,
    /// A list is not read further than so many pages; then it could not be checked.
    #[serde(default = "most_pages")]
    pub pages: u32,
    /// JSON pointer to the list of records in the answer; empty for the answer itself.
    pub records: String,
    /// JSON pointer to our reference, inside a record.
    pub reference: String,
    /// A record that says so was refused or cancelled there.
    pub refused: Predicate,
}

impl LookUpPart {
    /// Where the next page begins: `Some(None)` at the end, nothing when the answer does not say.
    pub fn next_page(&self, answer: &Value) -> Option<Option<String>> {
        let Some(pointer) = &self.next else { return Some(None) };
        match answer.pointer(pointer)? {
            Value::Null => Some(None),
            Value::String(text) if text.is_empty() => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            Value::Number(number) => Some(Some(number.to_string())),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

fn most_pages() -> u32 {
    20
}

/// Holds when the value at the pointer is one of these texts; without texts, when something stands there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Predicate {
    pub pointer: String,
    #[serde(default)]
    pub any_of: Option<Vec<String>>,
}

impl Predicate {
    pub fn holds(&self, answer: &Value) -> bool {
        let value = answer.pointer(&self.pointer);
        match &self.any_of {
            Some(texts) => value
                .and_then(Value::as_str)
                .is_some_and(|value| texts.iter().any(|one| one == value)),
            None => value.is_some_and(is_something),
        }
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

/// No promise of a supplier is longer: ten years, in seconds.
const LONGEST: i64 = 10 * 365 * 24 * 60 * 60;
/// Default of `send_within` (brief.md).
const SEND_WITHIN: &str = "24h";
/// Default of `acknowledged_within`.
const ACKNOWLEDGED_WITHIN: &str = "24h";
/// Default of `watch`.
const WATCH: &str = "7d";
/// An operation key is a UUID: so many characters, hyphens among them.
const KEY_LENGTH: usize = 36;

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

    fn millis(&mut self, field: &str, text: &str) -> Option<i64> {
        let length = self.note(field, humantime::parse_duration(text))?;
        let millis = i64::try_from(length.as_millis())
            .ok()
            .filter(|millis| *millis <= 3_600_000);
        self.note(field, millis.ok_or("longer than an hour"))
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
        let in_body = contract.as_ref().and_then(|contract| contract.key.as_ref());
        if in_body.is_some_and(|key| key.carried == Carried::Body) && !file.submit.body.contains("operation_key") {
            self.0
                .push("submit.body: must name {{ operation_key }}, since the key travels in it".to_owned());
        }
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
        let duplicate = self.duplicate(&part);
        let answers = self.answers(&part);
        let key = part.key.map(|key| self.key(key));
        let mut length = |name: &str, text: Option<&str>, default: &str| {
            self.seconds(&format!("contract.{name}"), text.unwrap_or(default))
        };
        let lag = length("look_up_lag", part.look_up_lag.as_deref(), "0s");
        let settle = length("settle_time", Some(&part.settle_time), "");
        let within = length(
            "acknowledged_within",
            part.acknowledged_within.as_deref(),
            ACKNOWLEDGED_WITHIN,
        );
        let watch = length("watch", part.watch.as_deref(), WATCH);
        let send_within = length("send_within", part.send_within.as_deref(), SEND_WITHIN);
        let between = self.millis(
            "contract.between_look_ups",
            part.between_look_ups.as_deref().unwrap_or("0s"),
        );
        let contract = SupplierContract {
            key: match key {
                Some(key) => Some(key?),
                None => None,
            },
            scope: part.scope.unwrap_or(Scope::Credential),
            duplicate,
            messages: part.messages,
            look_up: part.look_up,
            look_up_lag_seconds: lag?,
            settle_seconds: settle?,
            answers,
            read_back: part.read_back,
            acknowledged_within_seconds: within?,
            watch_seconds: watch?,
            between_look_ups_ms: between?,
            resume: part.resume.unwrap_or(ResumeBy::Person),
            send_within_seconds: send_within?,
        };
        self.fits_together(&contract);
        Some(contract)
    }

    /// What a second order with our reference gets; it has to say the same as `reference_unique`.
    fn duplicate(&mut self, part: &ContractPart) -> Duplicate {
        let unsaid = if part.reference_unique {
            Duplicate::Refused
        } else {
            Duplicate::Second
        };
        let said = part.duplicate_reference.unwrap_or(unsaid);
        let is_unique = matches!(said, Duplicate::Refused | Duplicate::Existing);
        if is_unique != part.reference_unique {
            self.0.push(
                "contract.duplicate_reference: \"refused\" and \"existing\" go with reference_unique = true, \"second\" and \
                 \"updates\" with false"
                    .to_owned(),
            );
        }
        said
    }

    /// Promises that only make sense together.
    fn fits_together(&mut self, contract: &SupplierContract) {
        if contract.read_back && !contract.look_up.can_ask() {
            self.0
                .push("contract.read_back: needs a look_up; a record cannot be read back without one".to_owned());
        }
        let recognised =
            contract.is_reference_unique() || contract.key.as_ref().is_some_and(|key| key.window_seconds > 0);
        if contract.resume == ResumeBy::Automatic && !recognised {
            self.0.push(
                "contract.resume: \"automatic\" needs a key with a window, or a unique reference; without one only a person \
                 sends an order in doubt again"
                    .to_owned(),
            );
        }
    }

    /// Every answer that the file names, each once.
    fn answers(&mut self, part: &ContractPart) -> Vec<Listed> {
        let short = |statuses: &[u16], means: Means| -> Vec<Listed> {
            let listed = |status: &u16| Listed {
                status: *status,
                code: None,
                means,
            };
            statuses.iter().map(listed).collect()
        };
        let mut all = short(&part.refusals, Means::Refused);
        all.extend(short(&part.turned_away, Means::TurnedAway));
        all.extend(part.answers.iter().cloned());
        for (place, one) in all.iter().enumerate() {
            match one.means {
                Means::Refused | Means::TurnedAway => self.certainly_not_placed(one.status),
                Means::InFlight | Means::OtherBody | Means::Exists if !(400..600).contains(&one.status) => {
                    self.0.push(format!(
                        "contract.answers: {} is not an answer that refuses",
                        one.status
                    ));
                }
                Means::InFlight | Means::OtherBody | Means::Exists => {}
            }
            let same = |other: &Listed| (other.status, &other.code) == (one.status, &one.code);
            if all[..place].iter().any(same) {
                let code = one.code.as_deref().map_or(String::new(), |code| format!(" {code:?}"));
                self.0.push(format!(
                    "contract: {}{code} is listed twice; an answer means one thing, a refusal or turned away",
                    one.status
                ));
            }
        }
        all
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
        let window = part
            .window
            .as_deref()
            .map_or(Some(0), |text| self.seconds("contract.key.window", text));
        if part.max_length.is_some_and(|most| most < KEY_LENGTH) {
            self.0.push(format!(
                "contract.key.max_length: an operation key has {KEY_LENGTH} characters"
            ));
        }
        if part.characters == Some(Characters::Alphanumeric) {
            self.0
                .push("contract.key.characters: an operation key has hyphens".to_owned());
        }
        let carried = match (&part.header, part.in_body) {
            (Some(header), false) => {
                let name = self.note("contract.key.header", header.parse::<HeaderName>());
                name.map(|name| Carried::Header {
                    name: name.to_string(),
                    quoted: part.quoted,
                })
            }
            (None, true) => Some(Carried::Body),
            (Some(_), true) | (None, false) => {
                self.0
                    .push("contract.key: either `header` or `in_body = true` says how it travels".to_owned());
                None
            }
        };
        let marker = part.replay_marker.as_ref();
        let marker = marker.map(|name| self.note("contract.key.replay_marker", name.parse::<HeaderName>()));
        Some(KeyPromise {
            carried: carried?,
            window_seconds: window?,
            past_window: part.past_window.unwrap_or(PastWindow::CreatesAnew),
            replays_saved_errors: part.replays_saved_errors,
            checks_body: part.checks_body,
            replay_marker: match marker {
                Some(marker) => Some(marker?.to_string()),
                None => None,
            },
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
        let look_up = contract.map(|contract| contract.look_up);
        if look_up.is_some_and(|look_up| look_up.can_ask() != part.is_some()) {
            self.0
                .push("look_up: the section stands if and only if contract.look_up is not \"none\"".to_owned());
        }
        let Some(part) = part else { return };
        let first = self.note("look_up.path", path_for(part, PROBE, DateTime::UNIX_EPOCH, ""));
        let Some(first) = first else { return };
        if !first.starts_with('/') {
            self.0.push("look_up.path: begins with /".to_owned());
        } else if look_up != Some(LookUp::List) && !first.contains(PROBE) {
            // asked without our key it would answer about other orders
            self.0.push("look_up.path: must name {{ operation_key }}".to_owned());
        }
        let second = path_for(part, PROBE, DateTime::UNIX_EPOCH, PROBE).ok();
        if part.next.is_some() && second.as_ref() == Some(&first) {
            self.0
                .push("look_up.path: must name {{ after }}, or every page would be the first".to_owned());
        }
        if part.pages == 0 {
            self.0.push("look_up.pages: at least one".to_owned());
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

    /// The address that asks for our reference.
    pub(super) fn look_up_url(
        &self,
        part: &LookUpPart,
        operation_key: &str,
        since: DateTime<Utc>,
        after: &str,
    ) -> Result<String, SupplierFault> {
        let path = path_for(part, operation_key, since, after);
        let path = path.map_err(|error| SupplierFault(vec![format!("look_up.path: {error}")]))?;
        Ok(self.url(&path))
    }

    /// The least time between two questions (the contract's rate).
    pub(super) fn between_look_ups(&self) -> Duration {
        Duration::from_millis(self.contract.between_look_ups_ms.unsigned_abs())
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
fn path_for(
    part: &LookUpPart,
    operation_key: &str,
    since: DateTime<Utc>,
    after: &str,
) -> Result<String, minijinja::Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    let since = since.to_rfc3339_opts(SecondsFormat::Secs, true);
    templates.render_str(&part.path, context! { operation_key, since, after })
}

#[cfg(test)]
mod tests {
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
