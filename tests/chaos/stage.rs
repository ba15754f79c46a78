//! What everybody in the play shares: the house, its two web nodes, the people, and what was promised to whom.

use super::support::database::{Cluster, free_address};
use super::support::{Answer, BUYER, House, MANAGER, Plan, RESOLVER};
use fastrand::Rng;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// So long a caller waits for one answer before it asks again.
const ONE_ANSWER: Duration = Duration::from_secs(8);
/// So long everybody may be away before the run is given up.
pub const AWAY: Duration = Duration::from_secs(60);

/// A person at a browser, signed in.
#[derive(Debug, Clone)]
pub struct Person {
    cookie: String,
}

/// Everybody who presses something.
pub struct People {
    pub buyer: Person,
    pub resolver: Person,
    pub manager: Person,
}

/// What callers were answered, which must be so for ever.
#[derive(Debug, Default)]
pub struct Promises {
    /// Intents that were answered as reserved.
    pub intents: BTreeSet<String>,
    /// The digest that was answered for an intent's suggestion.
    pub suggestions: BTreeMap<String, String>,
    /// Orders to whose page an approval led.
    pub approved: BTreeSet<String>,
    /// Orders that were seen in doubt and without an owner.
    pub unowned: BTreeSet<String>,
    /// Answers that nobody should get, whatever is down.
    pub strange: Vec<String>,
}

/// The stage.
pub struct Stage {
    pub house: House,
    pub cluster: Option<Arc<Cluster>>,
    pub webs: [String; 2],
    pub people: People,
    promises: Mutex<Promises>,
    until: OnceLock<Instant>,
}

/// Where a repeat is recognised by its key, and where it is not: there the supplier can only be asked.
pub const SUPPLIERS: [&str; 2] = ["practice", "asked-only"];

/// The file of the second: the same supplier, without a key.
fn asked_only(file: String) -> String {
    let file = edited(file).replace("id = \"practice\"", "id = \"asked-only\"");
    let (before, rest) = file.split_once("[contract.key]").expect("a key");
    let (_, after) = rest.split_once("[http]").expect("an address");
    format!("{before}[http]{after}")
}

fn edited(file: String) -> String {
    file.replace("settle_time = \"30s\"", "settle_time = \"5s\"")
}

/// Short waits. The supplier stores at most three and a half seconds after it read an order, which is within the settle
/// time it promises, so that what a person says by the telephone is true.
fn plan() -> Plan {
    House::plan()
        .no_worker()
        .setting("again_first", "300ms")
        .setting("again_most", "2s")
        .setting("look_up_first", "1500ms")
        .setting("look_up_most", "5s")
        .setting("grace", "3s")
        .supplier_file(edited)
}

impl Stage {
    /// A house whose processes are stopped again: the crew runs them at their addresses.
    pub async fn build(cluster: Option<Arc<Cluster>>) -> Self {
        let (web, other_web, supplier) = (free_address(), free_address(), free_address());
        let mut plan = plan().at(web.clone(), supplier);
        if let Some(cluster) = &cluster {
            plan = plan.on(cluster);
        }
        let mut house = plan.start().await;
        house.add_supplier(asked_only);
        let people = People {
            buyer: Person::sign_in(&house, BUYER).await,
            resolver: Person::sign_in(&house, RESOLVER).await,
            manager: Person::sign_in(&house, MANAGER).await,
        };
        house.kill_web();
        house.stop_supplier();
        Self {
            house,
            cluster,
            webs: [format!("http://{web}"), format!("http://{other_web}")],
            people,
            promises: Mutex::default(),
            until: OnceLock::new(),
        }
    }

    pub fn promises(&self) -> MutexGuard<'_, Promises> {
        self.promises.lock().expect("nobody panics with it")
    }

    /// It begins, and is over after so long.
    pub fn begin(&self, length: Duration) {
        self.until.get_or_init(|| Instant::now() + length);
    }

    /// Whether nobody begins anything new.
    pub fn is_over(&self) -> bool {
        self.until.get().is_some_and(|until| Instant::now() >= *until)
    }

    pub fn web(&self, rng: &mut Rng) -> &str {
        &self.webs[rng.usize(..2)]
    }

    /// Asks once; nothing where nobody answers, or answers that the database is away.
    pub async fn ask(&self, request: RequestBuilder) -> Option<Answer> {
        let answer = Answer::try_of(request.timeout(ONE_ANSWER)).await.ok()?;
        if answer.status == 500 {
            self.promises().strange.push(format!("{answer:?}"));
        }
        (answer.status != 503).then_some(answer)
    }

    /// Asks the API of either node until it answers, as real callers do.
    pub async fn call(&self, rng: &mut Rng, method: Method, path: &str, token: &str, body: Option<&Value>) -> Answer {
        let since = Instant::now();
        loop {
            let request = self
                .house
                .http
                .request(method.clone(), format!("{}{path}", self.web(rng)));
            let request = request.bearer_auth(token);
            let request = match body {
                Some(body) => request.json(body),
                None => request,
            };
            if let Some(answer) = self.ask(request).await.filter(|answer| answer.status < 500) {
                return answer;
            }
            assert!(since.elapsed() < AWAY, "nobody answers {path}");
            pause(rng, 50..300).await;
        }
    }

    pub async fn read(&self, rng: &mut Rng, path: &str) -> Answer {
        self.call(rng, Method::GET, path, self.house.reading(), None).await
    }

    /// A form of this person at a node.
    pub fn form(&self, person: &Person, web: &str, act: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let post = self.house.http.post(format!("{web}/act/{act}"));
        let post = post.header("Origin", web).header("Cookie", &person.cookie);
        post.header("Accept", "text/html").form(fields)
    }

    /// Some of the orders in this state.
    pub async fn orders(&self, rng: &mut Rng, state: &str, limit: u32) -> Vec<Value> {
        let path = format!("/api/v1/orders?state={state}&limit={limit}");
        let answer = self.read(rng, &path).await;
        answer.json()["orders"].as_array().cloned().unwrap_or_default()
    }

    /// Asks the supplier, which may be away.
    pub async fn ask_supplier(&self, path: &str) -> Option<Value> {
        let request = self.house.http.get(format!("{}{path}", self.house.supplier_base));
        let answer = Answer::try_of(request.timeout(ONE_ANSWER)).await.ok()?;
        (answer.status == 200)
            .then(|| serde_json::from_str(&answer.text).ok())
            .flatten()
    }

    /// Tells the supplier, which may be away.
    pub async fn tell_supplier(&self, path: &str, what: &Value) {
        let request = self.house.http.put(format!("{}{path}", self.house.supplier_base));
        // what is not told now is told another time
        let _ = Answer::try_of(request.timeout(ONE_ANSWER).json(what)).await;
    }

    /// The manager releases the suppliers, which go on hold when they do not know us; the database may be away.
    pub async fn release_suppliers(self: &Arc<Self>) {
        let stage = self.clone();
        let release = move || SUPPLIERS.map(|supplier| stage.house.run(&["supplier", "release", supplier]));
        tokio::task::spawn_blocking(release).await.expect("it runs");
    }

    pub async fn no_more_faults(&self) {
        self.house.faults(json!([])).await;
    }
}

impl Person {
    async fn sign_in(house: &House, email: &str) -> Self {
        let session = house.sign_in(email).await;
        Self { cookie: session.cookie }
    }
}

/// Waits this many milliseconds.
pub async fn pause(rng: &mut Rng, millis: std::ops::Range<u64>) {
    tokio::time::sleep(Duration::from_millis(rng.u64(millis))).await;
}
