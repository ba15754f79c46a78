//! A supplier is one file: contract and mapping. Reading it names every fault at once.
//!
//! Promises: the request is made of the frozen contents and the key alone; a secret is read where its reference says and
//! kept nowhere. Must not: assume what the file does not say.

use super::http::Http;
use super::parts::{Characters, ContractPart, HttpPart, KeyPart, LookUpPart, Predicate, SubmitPart};
use super::record::RecordMap;
use super::{Purchase, SecretFault, Step, secret_at};
use crate::domain::contents::{OrderContents, SupplierId};
use crate::domain::contract::{
    Carried, Duplicate, KeyPromise, Listed, LookUp, Means, PastWindow, ResumeBy, Scope, SupplierContract,
};
use crate::domain::look_up::Books;
use crate::domain::money::Currency;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use hyper::http::{HeaderName, Method, Uri};
use minijinja::{Environment, UndefinedBehavior, context};
use serde::de::DeserializeOwned;
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
/// Headers that a key cannot travel in.
const OUR_HEADERS: [&str; 8] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "transfer-encoding",
];
/// As many pages of a list are read where the file does not say.
const MOST_PAGES: u32 = 20;
/// An operation key is a UUID: so many characters, hyphens among them.
const KEY_LENGTH: usize = 36;

/// Reads a supplier's file.
impl std::str::FromStr for Supplier {
    type Err = SupplierFault;
    fn from_str(text: &str) -> Result<Self, SupplierFault> {
        read(text, false)
    }
}

fn read(text: &str, is_new: bool) -> Result<Supplier, SupplierFault> {
    let mut faults = Faults {
        told: Vec::new(),
        is_new,
    };
    let table: Table = toml::from_str(text).map_err(|error| SupplierFault(vec![error.to_string()]))?;
    let supplier = faults.supplier(table);
    match supplier {
        Some(supplier) if faults.told.is_empty() => Ok(supplier),
        _ => Err(SupplierFault(faults.told)),
    }
}

/// What is wrong so far; and whether the file is new. One that is kept was taken by the rules of its day, and its orders
/// must stay readable: what was added since is asked of new files alone.
struct Faults {
    told: Vec<String>,
    is_new: bool,
}

impl Faults {
    fn note<T, E: std::fmt::Display>(&mut self, field: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|error| self.told.push(format!("{field}: {error}"))).ok()
    }

    fn length(&mut self, field: &str, text: &str) -> Option<Duration> {
        let length = humantime::parse_duration(text);
        self.note(
            field,
            length.map_err(|error| format!("{text:?} is no length such as \"30s\" or \"24h\": {error}")),
        )
    }

    fn millis(&mut self, field: &str, text: &str) -> Option<i64> {
        let length = self.length(field, text)?;
        let millis = i64::try_from(length.as_millis())
            .ok()
            .filter(|millis| *millis <= 3_600_000);
        self.note(field, millis.ok_or("longer than an hour"))
    }

    fn seconds(&mut self, field: &str, text: &str) -> Option<i64> {
        let length = self.length(field, text)?;
        let seconds = i64::try_from(length.as_secs())
            .ok()
            .filter(|seconds| *seconds <= LONGEST);
        self.note(field, seconds.ok_or("longer than ten years"))
    }

    /// A part of the file that may be left out. Each part is read by itself, so that a fault in one hides none in another.
    fn part_if<T: DeserializeOwned>(&mut self, table: &mut Table, name: &str) -> Option<T> {
        let value = table.remove(name.rsplit('.').next().unwrap_or(name))?;
        let read: Result<T, toml::de::Error> = value.try_into();
        self.note(name, read.map_err(|error| error.message().trim().to_owned()))
    }

    /// A part that has to be there.
    fn part<T: DeserializeOwned>(&mut self, table: &mut Table, name: &str) -> Option<T> {
        if !table.contains_key(name.rsplit('.').next().unwrap_or(name)) {
            self.told.push(format!("{name}: missing"));
        }
        self.part_if(table, name)
    }

    /// What is left of a section once its fields were read is not known.
    fn rest(&mut self, section: &str, table: &Table) {
        let unknown = table
            .keys()
            .map(|name| format!("{section}.{name}: there is no such field"));
        self.told.extend(unknown);
    }

    fn contract_part(&mut self, mut of: Table) -> ContractPart {
        let (reference_unique, look_up) = (
            self.part(&mut of, "contract.reference_unique"),
            self.part(&mut of, "contract.look_up"),
        );
        let settle_time = self.part(&mut of, "contract.settle_time");
        let (refusals, turned_away) = (
            self.part(&mut of, "contract.refusals"),
            self.part(&mut of, "contract.turned_away"),
        );
        let part = ContractPart {
            reference_unique: reference_unique.unwrap_or_default(),
            duplicate_reference: self.part_if(&mut of, "contract.duplicate_reference"),
            scope: self.part_if(&mut of, "contract.scope"),
            messages: self.part_if(&mut of, "contract.messages").unwrap_or_default(),
            look_up: look_up.unwrap_or(LookUp::None),
            look_up_lag: self.part_if(&mut of, "contract.look_up_lag"),
            between_look_ups: self.part_if(&mut of, "contract.between_look_ups"),
            settle_time: settle_time.unwrap_or_else(|| "0s".to_owned()),
            refusals: refusals.unwrap_or_default(),
            turned_away: turned_away.unwrap_or_default(),
            answers: self.part_if(&mut of, "contract.answers").unwrap_or_default(),
            in_flight: self.part_if(&mut of, "contract.in_flight"),
            two_step: self.part_if(&mut of, "contract.two_step").unwrap_or_default(),
            cancel_by_key: self.part_if(&mut of, "contract.cancel_by_key").unwrap_or_default(),
            notifies_with: self.part_if(&mut of, "contract.notifies_with"),
            read_back: self.part_if(&mut of, "contract.read_back").unwrap_or_default(),
            acknowledged_within: self.part_if(&mut of, "contract.acknowledged_within"),
            watch: self.part_if(&mut of, "contract.watch"),
            resume: self.part_if(&mut of, "contract.resume"),
            send_within: self.part_if(&mut of, "contract.send_within"),
        };
        self.rest("contract", &of);
        part
    }

    fn key_part(&mut self, mut of: Table) -> KeyPart {
        let part = KeyPart {
            header: self.part_if(&mut of, "contract.key.header"),
            in_body: self.part_if(&mut of, "contract.key.in_body").unwrap_or_default(),
            quoted: self.part_if(&mut of, "contract.key.quoted").unwrap_or_default(),
            max_length: self.part_if(&mut of, "contract.key.max_length"),
            characters: self.part_if(&mut of, "contract.key.characters"),
            past_window: self.part_if(&mut of, "contract.key.past_window"),
            replay_marker: self.part_if(&mut of, "contract.key.replay_marker"),
            window: self.part_if(&mut of, "contract.key.window"),
            replays_saved_errors: self
                .part(&mut of, "contract.key.replays_saved_errors")
                .unwrap_or_default(),
            checks_body: self.part(&mut of, "contract.key.checks_body").unwrap_or_default(),
        };
        self.rest("contract.key", &of);
        part
    }

    fn http_part(&mut self, mut of: Table) -> Option<HttpPart> {
        let base_url = self.part(&mut of, "http.base_url");
        let account = self.part_if(&mut of, "http.account");
        let secret = self.part_if(&mut of, "http.secret");
        self.rest("http", &of);
        Some(HttpPart {
            base_url: base_url?,
            account: account.unwrap_or_default(),
            secret,
        })
    }

    fn submit_part(&mut self, mut of: Table) -> Option<SubmitPart> {
        let method = self.part(&mut of, "submit.method");
        let path = self.part(&mut of, "submit.path");
        let body = self.part(&mut of, "submit.body");
        let confirmed = self.part(&mut of, "submit.confirmed");
        let acknowledged = self.part_if(&mut of, "submit.acknowledged");
        let refused = self.part_if(&mut of, "submit.refused");
        let code = self.part_if(&mut of, "submit.code");
        self.rest("submit", &of);
        Some(SubmitPart {
            method: method?,
            path: path?,
            body: body?,
            confirmed: confirmed?,
            acknowledged,
            refused,
            code,
        })
    }

    fn look_up_part(&mut self, mut of: Table) -> Option<LookUpPart> {
        let path = self.part(&mut of, "look_up.path");
        let next = self.part_if(&mut of, "look_up.next");
        let pages = self.part_if(&mut of, "look_up.pages");
        let records = self.part(&mut of, "look_up.records");
        let reference = self.part(&mut of, "look_up.reference");
        let refused = self.part(&mut of, "look_up.refused");
        self.rest("look_up", &of);
        Some(LookUpPart {
            path: path?,
            next,
            pages: pages.unwrap_or(MOST_PAGES),
            records: records?,
            reference: reference?,
            refused: refused?,
        })
    }

    fn supplier(&mut self, mut file: Table) -> Option<Supplier> {
        let id = self.part(&mut file, "id");
        let name: Option<String> = self.part(&mut file, "name");
        let currencies = self.part(&mut file, "currencies");
        let mut contract: Option<Table> = self.part(&mut file, "contract");
        let key: Option<Table> = contract
            .as_mut()
            .and_then(|contract| self.part_if(contract, "contract.key"));
        let has_key = key.is_some();
        let key = key.map(|key| self.key_part(key)).and_then(|key| self.key(key));
        let before = self.told.len();
        let contract = contract.map(|contract| self.contract_part(contract));
        // what one section says is not held against another while its own fields are not readable
        let is_readable = self.told.len() == before;
        let http = self.part(&mut file, "http").and_then(|part| self.http_part(part));
        let submit = self.part(&mut file, "submit").and_then(|part| self.submit_part(part));
        let has_look_up = file.contains_key("look_up");
        let look_up = self
            .part_if(&mut file, "look_up")
            .and_then(|part| self.look_up_part(part));
        let record: Option<RecordMap> = self.part(&mut file, "record");
        self.told
            .extend(file.keys().map(|name| format!("{name}: there is no such part")));

        let id = id.and_then(|id: String| self.note("id", id.parse()));
        let name = name.inspect(|name| self.name(name));
        let currencies = currencies.map(|codes: Vec<String>| self.currencies(&codes));
        let is_whole = is_readable && has_key == key.is_some();
        let contract = contract.map(|contract| self.contract(contract, key, is_whole));
        if let Some(http) = &http {
            self.http(http);
        }
        if let Some(submit) = &submit {
            self.submit(submit, contract.as_ref());
        }
        let can_ask = contract
            .as_ref()
            .filter(|_| is_readable)
            .map(|contract| contract.look_up.can_ask());
        if can_ask.is_some_and(|can_ask| can_ask != has_look_up) {
            self.told
                .push("look_up: the section stands if and only if contract.look_up is not \"none\"".to_owned());
        }
        self.look_up(contract.as_ref(), look_up.as_ref());
        if let Some(record) = &record {
            self.pointers(record.pointers());
        }
        let supplier = Supplier {
            id: id?,
            name: name?,
            currencies: currencies?,
            contract: contract?,
            http: http?,
            submit: submit?,
            look_up,
            record: record?,
        };
        if self.is_new {
            self.body(&supplier);
        }
        Some(supplier)
    }

    /// What a body is made of, seen on a sample: what looks an order up, or recognises a repeat, has to be in it.
    fn body(&mut self, supplier: &Supplier) {
        let (Ok(contents), Ok(operation_key)) = (OrderContents::thaw(SAMPLE), PROBE.parse()) else {
            return;
        };
        let purchase = Purchase {
            operation_key,
            contents: &contents,
        };
        let step = match supplier.submit_step(&purchase) {
            Ok(step) => step,
            Err(SupplierFault(faults)) => return self.told.extend(faults),
        };
        let contract = &supplier.contract;
        let by_reference = contract.is_reference_unique() || contract.look_up.can_ask();
        let in_body = contract.key.as_ref().is_some_and(|key| key.carried == Carried::Body);
        if (by_reference || in_body) && !step.body.contains(PROBE) {
            self.told.push(
                "submit.body: must name {{ operation_key }}: it is the reference that an order is looked up by, and a repeat \
                 recognised by"
                    .to_owned(),
            );
        }
        if !step.body.contains("SAMPLE-0815") && !step.body.contains("Sample article") {
            self.told.push(
                "submit.body: must carry the lines: neither article nor description of a sample order is in it"
                    .to_owned(),
            );
        }
    }

    fn name(&mut self, name: &str) {
        if name.trim().is_empty() || name.chars().any(crate::domain::text::is_hidden) {
            self.told
                .push("name: a visible name without hidden characters".to_owned());
        }
    }

    fn currencies(&mut self, codes: &[String]) -> Vec<Currency> {
        if codes.is_empty() {
            self.told.push("currencies: at least one".to_owned());
        }
        let read = codes
            .iter()
            .filter_map(|code| self.note(&format!("currencies: {code:?}"), code.parse()));
        read.collect()
    }

    /// A JSON pointer is empty, for the whole, or begins with a slash (RFC 6901); any other finds nothing, ever.
    fn pointers<'a>(&mut self, named: impl IntoIterator<Item = (String, &'a str)>) {
        for (field, pointer) in named {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                self.told
                    .push(format!("{field}: a JSON pointer, such as \"/{pointer}\""));
            }
        }
    }

    /// A length that cannot be read is noted, and the rest is looked at all the same.
    fn contract(&mut self, part: ContractPart, key: Option<KeyPromise>, is_whole: bool) -> SupplierContract {
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
        let in_flight = length("in_flight", part.in_flight.as_deref(), "0s");
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
            // it includes the lag, whatever the file says
            settle_seconds: settle.unwrap_or(0).max(lag.unwrap_or(0)),
            answers,
            in_flight_seconds: in_flight.unwrap_or(0),
            cancel_by_key: part.cancel_by_key,
            notifies_with: part.notifies_with,
            read_back: part.read_back,
            acknowledged_within_seconds: within.unwrap_or(0),
            watch_seconds: watch.unwrap_or(0),
            between_look_ups_ms: between.unwrap_or(0),
            resume: part.resume.unwrap_or(ResumeBy::Person),
            send_within_seconds: send_within.unwrap_or(0),
        };
        if part.two_step {
            self.told.push(
                "contract.two_step: an order is one request here; draft and confirm have no connector yet".to_owned(),
            );
        }
        // what cannot be read was told of; what it promises is not known
        if is_whole {
            self.fits_together(&contract);
        }
        contract
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
            self.told.push(
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
            self.told
                .push("contract.read_back: needs a look_up; a record cannot be read back without one".to_owned());
        }
        let names_it = contract.answers.iter().any(|one| one.means == Means::InFlight);
        if contract.in_flight_seconds > 0 && !names_it {
            self.told
                .push("contract.in_flight: no answer is listed that means \"in_flight\"".to_owned());
        }
        let recognised =
            contract.is_reference_unique() || contract.key.as_ref().is_some_and(|key| key.window_seconds > 0);
        if self.is_new && contract.messages && !recognised {
            self.told.push(
                "contract.messages: the same document must be recognised when it comes again: reference_unique = true, or a \
                 key with a window"
                    .to_owned(),
            );
        }
        if contract.resume == ResumeBy::Automatic && !recognised {
            self.told.push(
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
                    self.told.push(format!(
                        "contract.answers: {} is not an answer that refuses",
                        one.status
                    ));
                }
                Means::InFlight | Means::OtherBody | Means::Exists => {}
            }
            let same = |other: &Listed| (other.status, &other.code) == (one.status, &one.code);
            if all[..place].iter().any(same) {
                let code = one.code.as_deref().map_or(String::new(), |code| format!(" {code:?}"));
                self.told.push(format!(
                    "contract.answers: {}{code} is listed twice; an answer means one thing",
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
            self.told
                .push(format!("contract: {status} can never mean \"certainly not placed\""));
        }
    }

    fn key(&mut self, part: KeyPart) -> Option<KeyPromise> {
        let window = part
            .window
            .as_deref()
            .map_or(Some(0), |text| self.seconds("contract.key.window", text));
        if part.max_length.is_some_and(|most| most < KEY_LENGTH) {
            self.told.push(format!(
                "contract.key.max_length: an operation key has {KEY_LENGTH} characters"
            ));
        }
        if part.characters == Some(Characters::Alphanumeric) {
            self.told
                .push("contract.key.characters: an operation key has hyphens".to_owned());
        }
        let carried = match (&part.header, part.in_body) {
            (Some(header), false) => {
                let name = self.note("contract.key.header", header.parse::<HeaderName>());
                let taken = self.is_new && name.as_ref().is_some_and(|name| OUR_HEADERS.contains(&name.as_str()));
                if taken {
                    self.told.push(format!(
                        "contract.key.header: {header} has a meaning of its own in every request"
                    ));
                }
                name.map(|name| Carried::Header {
                    name: name.to_string(),
                    quoted: part.quoted,
                })
            }
            (None, true) => Some(Carried::Body),
            (Some(_), true) | (None, false) => {
                self.told
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
            self.told.push("http.base_url: an http or https address".to_owned());
        }
        let is_reference = |text: &String| text.starts_with("env:") || text.starts_with("file:");
        if part.secret.as_ref().is_some_and(|secret| !is_reference(secret)) {
            self.told
                .push("http.secret: a reference, \"env:NAME\" or \"file:/path\", never the secret".to_owned());
        }
    }

    fn look_up(&mut self, contract: Option<&SupplierContract>, part: Option<&LookUpPart>) {
        let look_up = contract.map(|contract| contract.look_up);
        let Some(part) = part else { return };
        self.pointers([
            ("look_up.records".to_owned(), &*part.records),
            ("look_up.reference".to_owned(), &*part.reference),
        ]);
        self.predicate("look_up.refused", &part.refused);
        self.pointers(part.next.iter().map(|next| ("look_up.next".to_owned(), &**next)));
        let between = contract.map_or(0, |contract| contract.between_look_ups_ms);
        if part.next.is_some() && between * i64::from(part.pages.saturating_sub(1)) > LONGEST_READ {
            self.told.push(format!(
                "look_up.pages: at the rate of contract.between_look_ups {} pages take longer than a question may",
                part.pages
            ));
        }
        let first = self.note("look_up.path", path_for(part, PROBE, DateTime::UNIX_EPOCH, ""));
        let Some(first) = first else { return };
        if !first.starts_with('/') {
            self.told.push("look_up.path: begins with /".to_owned());
        } else if look_up != Some(LookUp::List) && !first.contains(PROBE) {
            // asked without our key it would answer about other orders
            self.told.push("look_up.path: must name {{ operation_key }}".to_owned());
        }
        let second = path_for(part, PROBE, DateTime::UNIX_EPOCH, PROBE).ok();
        if part.next.is_some() && second.as_ref() == Some(&first) {
            self.told
                .push("look_up.path: must name {{ after }}, or every page would be the first".to_owned());
        }
        if part.pages == 0 {
            self.told.push("look_up.pages: at least one".to_owned());
        }
    }

    fn submit(&mut self, part: &SubmitPart, contract: Option<&SupplierContract>) {
        let method = self.note("submit.method", part.method.parse::<Method>());
        if self.is_new && method.is_some_and(|method| ![Method::POST, Method::PUT, Method::PATCH].contains(&method)) {
            self.told
                .push("submit.method: POST, PUT or PATCH; others change nothing, or take something away".to_owned());
        }
        if !part.path.starts_with('/') {
            self.told.push("submit.path: begins with /".to_owned());
        }
        let predicates = [
            ("confirmed", Some(&part.confirmed)),
            ("acknowledged", part.acknowledged.as_ref()),
            ("refused", part.refused.as_ref()),
        ];
        for (place, (name, predicate)) in predicates.iter().enumerate() {
            let Some(one) = predicate else { continue };
            self.predicate(&format!("submit.{name}"), one);
            if !self.is_new {
                continue;
            }
            let others = predicates[..place]
                .iter()
                .filter_map(|(other, predicate)| Some((other, (*predicate)?)));
            for (other, _) in others.filter(|(_, other)| other.may_hold_with(one)) {
                self.told.push(format!(
                    "submit.{name}: an answer could say this and submit.{other} at once; then it says nothing"
                ));
            }
        }
        self.pointers(part.code.iter().map(|code| ("submit.code".to_owned(), &**code)));
        let has_codes = contract.is_some_and(|contract| contract.answers.iter().any(|one| one.code.is_some()));
        if self.is_new && has_codes && part.code.is_none() {
            self.told.push(
                "contract.answers: codes are listed, and submit.code does not say where an answer has one".to_owned(),
            );
        }
    }

    fn predicate(&mut self, name: &str, one: &Predicate) {
        self.pointers([(format!("{name}.pointer"), &*one.pointer)]);
        if self.is_new && one.any_of.as_ref().is_some_and(Vec::is_empty) {
            self.told.push(format!(
                "{name}.any_of: at least one text; leave it out where anything there counts"
            ));
        }
    }
}

impl Supplier {
    /// Reads a file that is to be kept from now on: more is asked of it than of one that was kept before.
    pub fn of_new_file(text: &str) -> Result<Self, SupplierFault> {
        read(text, true)
    }

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
        self.http.secret.as_deref().map(secret_at).transpose()
    }

    /// The connection to this supplier.
    pub fn http(&self) -> Result<Http<'_>, SecretFault> {
        Ok(Http {
            supplier: self,
            secret: self.secret()?,
        })
    }
}

/// A key that stands nowhere else, to see whether a path or a body names the key.
const PROBE: &str = "00000000-0000-5000-8000-00000000c0de";
/// An order to see what a body is made of.
const SAMPLE: &[u8] = br#"{"currency":"EUR","deliver_to":"sample-site","lines":[{"description":"Sample article",
    "price_per":"1","quantity":"3","sku":"SAMPLE-0815","unit":"EA","unit_price":"1.25"}],"supplier":"sample"}"#;
/// How far the supplier's clock may be behind ours: lists are read from so much earlier on.
const CLOCKS_APART: TimeDelta = TimeDelta::hours(1);

/// The path that asks for this key; a name that the template does not know is an error.
fn path_for(
    part: &LookUpPart,
    operation_key: &str,
    since: DateTime<Utc>,
    after: &str,
) -> Result<String, minijinja::Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    let since = (since - CLOCKS_APART).to_rfc3339_opts(SecondsFormat::Secs, true);
    templates.render_str(&part.path, context! { operation_key, since, after })
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
