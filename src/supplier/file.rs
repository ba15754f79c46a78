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
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;
use toml::Table;

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
struct ContractPart {
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
/// Pages of a list that take longer to ask for, in milliseconds, do not fit into one question.
const LONGEST_READ: i64 = 20_000;
/// An operation key is a UUID: so many characters, hyphens among them.
const KEY_LENGTH: usize = 36;

/// Reads a supplier's file.
impl std::str::FromStr for Supplier {
    type Err = SupplierFault;
    fn from_str(text: &str) -> Result<Self, SupplierFault> {
        let table: Table = toml::from_str(text).map_err(|error| SupplierFault(vec![error.to_string()]))?;
        let mut faults = Faults::default();
        let supplier = faults.supplier(table);
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

    /// A part of the file that may be left out. Each part is read by itself, so that a fault in one hides none in another.
    fn part_if<T: DeserializeOwned>(&mut self, table: &mut Table, name: &str) -> Option<T> {
        let value = table.remove(name.rsplit('.').next().unwrap_or(name))?;
        self.note(name, value.try_into())
    }

    /// A part that has to be there.
    fn part<T: DeserializeOwned>(&mut self, table: &mut Table, name: &str) -> Option<T> {
        if !table.contains_key(name) {
            self.0.push(format!("{name}: missing"));
        }
        self.part_if(table, name)
    }

    fn supplier(&mut self, mut file: Table) -> Option<Supplier> {
        let id = self.part(&mut file, "id");
        let name: Option<String> = self.part(&mut file, "name");
        let currencies = self.part(&mut file, "currencies");
        let mut contract: Option<Table> = self.part(&mut file, "contract");
        let has_key = contract.as_ref().is_some_and(|contract| contract.contains_key("key"));
        let key = contract
            .as_mut()
            .and_then(|contract| self.part_if(contract, "contract.key"));
        let key = key.and_then(|key| self.key(key));
        let contract = contract.and_then(|contract| self.note("contract", toml::Value::Table(contract).try_into()));
        let http: Option<HttpPart> = self.part(&mut file, "http");
        let submit: Option<SubmitPart> = self.part(&mut file, "submit");
        let look_up: Option<LookUpPart> = self.part_if(&mut file, "look_up");
        let record: Option<RecordMap> = self.part(&mut file, "record");
        self.0
            .extend(file.keys().map(|name| format!("{name}: there is no such part")));

        let id = id.and_then(|id: String| self.note("id", id.parse()));
        let name = name.inspect(|name| self.name(name));
        let currencies = currencies.map(|codes: Vec<String>| self.currencies(&codes));
        let contract = contract.and_then(|contract| self.contract(contract, key, has_key));
        let in_body = contract.as_ref().and_then(|contract| contract.key.as_ref());
        let in_body = in_body.is_some_and(|key| key.carried == Carried::Body);
        if let Some(http) = &http {
            self.http(http);
        }
        if let Some(submit) = &submit {
            self.submit(submit, in_body);
        }
        self.look_up(contract.as_ref(), look_up.as_ref());
        if let Some(record) = &record {
            self.pointers(record.pointers());
        }
        Some(Supplier {
            id: id?,
            name: name?,
            currencies: currencies?,
            contract: contract?,
            http: http?,
            submit: submit?,
            look_up,
            record: record?,
        })
    }

    fn name(&mut self, name: &str) {
        if name.trim().is_empty() || name.chars().any(crate::domain::text::is_hidden) {
            self.0.push("name: a visible name without hidden characters".to_owned());
        }
    }

    fn currencies(&mut self, codes: &[String]) -> Vec<Currency> {
        if codes.is_empty() {
            self.0.push("currencies: at least one".to_owned());
        }
        let read = codes.iter().filter_map(|code| self.note("currencies", code.parse()));
        read.collect()
    }

    /// A JSON pointer is empty, for the whole, or begins with a slash (RFC 6901); any other finds nothing, ever.
    fn pointers<'a>(&mut self, named: impl IntoIterator<Item = (String, &'a str)>) {
        for (field, pointer) in named {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                self.0.push(format!("{field}: a JSON pointer, such as \"/{pointer}\""));
            }
        }
    }

    /// A length that cannot be read is noted, and the rest is looked at all the same.
    fn contract(&mut self, part: ContractPart, key: Option<KeyPromise>, has_key: bool) -> Option<SupplierContract> {
        let duplicate = self.duplicate(&part);
        let answers = self.answers(&part);
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
            key,
            scope: part.scope.unwrap_or(Scope::Credential),
            duplicate,
            messages: part.messages,
            look_up: part.look_up,
            look_up_lag_seconds: lag.unwrap_or(0),
            settle_seconds: settle.unwrap_or(0),
            answers,
            read_back: part.read_back,
            acknowledged_within_seconds: within.unwrap_or(0),
            watch_seconds: watch.unwrap_or(0),
            between_look_ups_ms: between.unwrap_or(0),
            resume: part.resume.unwrap_or(ResumeBy::Person),
            send_within_seconds: send_within.unwrap_or(0),
        };
        // a key that cannot be read was told of; what it promises is not known
        if has_key == contract.key.is_some() {
            self.fits_together(&contract);
        }
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
        self.pointers([
            ("look_up.records".to_owned(), &*part.records),
            ("look_up.reference".to_owned(), &*part.reference),
            ("look_up.refused.pointer".to_owned(), &*part.refused.pointer),
        ]);
        self.pointers(part.next.iter().map(|next| ("look_up.next".to_owned(), &**next)));
        let between = contract.map_or(0, |contract| contract.between_look_ups_ms);
        if part.next.is_some() && between * i64::from(part.pages.saturating_sub(1)) > LONGEST_READ {
            self.0.push(format!(
                "look_up.pages: at the rate of contract.between_look_ups {} pages take longer than a question may",
                part.pages
            ));
        }
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

    fn submit(&mut self, part: &SubmitPart, key_in_body: bool) {
        self.note("submit.method", part.method.parse::<Method>());
        if !part.path.starts_with('/') {
            self.0.push("submit.path: begins with /".to_owned());
        }
        let mut templates = Environment::new();
        self.note("submit.body", templates.add_template("body", &part.body));
        if key_in_body && !part.body.contains("operation_key") {
            self.0
                .push("submit.body: must name {{ operation_key }}, since the key travels in it".to_owned());
        }
        let predicates = [
            ("confirmed", Some(&part.confirmed)),
            ("acknowledged", part.acknowledged.as_ref()),
            ("refused", part.refused.as_ref()),
        ];
        for (name, predicate) in predicates {
            self.pointers(predicate.map(|one| (format!("submit.{name}.pointer"), &*one.pointer)));
        }
        self.pointers(part.code.iter().map(|code| ("submit.code".to_owned(), &**code)));
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
            url: self.submit_url(),
            body: value.to_string(),
        })
    }

    /// Where orders go.
    pub fn submit_url(&self) -> String {
        self.url(&self.submit.path)
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

    /// How many requests one question may be.
    pub fn pages(&self) -> u32 {
        let paged = self.look_up.as_ref().filter(|part| part.next.is_some());
        paged.map_or(1, |part| part.pages)
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
            "contract:",
            "contract.key.window:",
            "submit:",
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
}
