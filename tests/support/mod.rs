//! A house of real processes: the built program as web, worker and practice supplier, each on a free loopback port, with
//! fresh databases: files in a temporary folder, or on PostgreSQL (`database`). Everything is stopped by its own child handle when the house is dropped,
//! also after a panic; then the logs of the processes are printed too.
//!
//! Setting up (tenant, sites, people, tokens) goes through the command line once per test program; every house starts
//! from a copy of what that made, with a supplier added at its own address.

#![allow(dead_code, reason = "every test program uses its own part of these helpers")]
#![allow(
    clippy::disallowed_methods,
    reason = "a test waits on real processes and reads their files"
)]

pub mod cut;
pub mod database;
pub mod fill;
pub mod home;
pub mod post_office;
mod process;
pub mod session;

pub use process::{Process, Ran};
pub use session::Session;

pub use database::Backup;
use database::{Cluster, Database, either};
use process::{PATIENCE, first_file};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Every person's password.
pub const PASSWORD: &str = "correct horse battery";
/// May approve.
pub const BUYER: &str = "bea@example.com";
/// Owns cases, may not approve.
pub const RESOLVER: &str = "rolf@example.com";
/// May approve, and nobody could own a case without a manager.
pub const MANAGER: &str = "mara@example.com";

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

/// What the set-up made, once per test program and through the command line: a database, files beside it, secrets.
struct Template {
    database: Database,
    files: Vec<(String, Vec<u8>)>,
    intake: String,
    reading: String,
}

impl Template {
    fn get() -> &'static Self {
        static TEMPLATE: OnceLock<Template> = OnceLock::new();
        TEMPLATE.get_or_init(|| {
            let folder = TempDir::new().expect("a temporary folder");
            let database = Database::empty(folder.path());
            Self::make(folder, database)
        })
    }

    fn make(folder: TempDir, database: Database) -> Self {
        let settings: Vec<_> = database.setting().into_iter().collect();
        let run = |arguments: &[&str], input: &str| {
            let ran = process::run(folder.path(), &settings, arguments, input);
            assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.err);
            ran.last_line()
        };
        run(&["init", "--tenant", "House", "--zone", "Europe/Berlin"], "");
        for (code, name) in [("main-warehouse", "Main warehouse"), ("site-2", "Annex")] {
            run(&["site", "add", code, "--name", name], "");
        }
        for (name, email, role) in [
            ("Bea Buyer", BUYER, "buyer"),
            ("Rolf Resolver", RESOLVER, "resolver"),
            ("Mara Manager", MANAGER, "manager"),
        ] {
            let add = [
                "person",
                "add",
                name,
                "--email",
                email,
                "--role",
                role,
                "--password-stdin",
            ];
            run(&add, PASSWORD);
        }
        let intake = run(&["token", "create", "assistant", "--scope", "intake"], "");
        let reading = run(&["token", "create", "reports", "--scope", "read"], "");
        let files = std::fs::read_dir(folder.path()).expect("the folder");
        let files = files.map(|entry| {
            let path = entry.expect("an entry").path();
            let bytes = std::fs::read(&path).expect("a file of the set-up");
            (first_file(&path), bytes)
        });
        Self {
            database,
            files: files.collect(),
            intake,
            reading,
        }
    }
}

/// Runs a verb in a folder that is no house.
pub fn run_in(folder: &Path, settings: &[(&'static str, String)], arguments: &[&str]) -> Ran {
    process::run(folder, settings, arguments, "")
}

/// Runs a shell's line in this folder, with the program as `$0`.
pub fn shell(folder: &Path, line: &str, program: &str) -> Ran {
    process::shell(folder, line, program)
}

/// Waits for the end of a verb whose outputs are piped.
pub fn process_ran(child: std::process::Child) -> Ran {
    process::ran(child.wait_with_output().expect("the program ends"))
}

/// How a house is to be built.
pub struct Plan {
    settings: Vec<(&'static str, String)>,
    worker: bool,
    supplier_listens: bool,
    web_address: String,
    supplier_address: String,
    cluster: Option<Arc<Cluster>>,
    edit: fn(String) -> String,
    files: Vec<(&'static str, &'static str)>,
}

impl Plan {
    /// A setting by its name in `config.default.toml`.
    pub fn setting(mut self, name: &'static str, value: &str) -> Self {
        self.settings.retain(|(known, _)| *known != name);
        self.settings.push((name, value.to_owned()));
        self
    }
    /// `serve --no-worker`: orders wait until `House::work`.
    pub fn no_worker(mut self) -> Self {
        self.worker = false;
        self
    }
    /// The supplier's address is one where nobody listens.
    pub fn nobody_listens(mut self) -> Self {
        self.supplier_listens = false;
        self
    }
    /// Its web and its supplier are at these addresses, also after they were away.
    pub fn at(mut self, web: String, supplier: String) -> Self {
        (self.web_address, self.supplier_address) = (web, supplier);
        self
    }
    /// Its database is on this server.
    pub fn on(mut self, cluster: &Arc<Cluster>) -> Self {
        self.cluster = Some(cluster.clone());
        self
    }
    /// Puts a file beside the database before anything starts.
    pub fn file(mut self, name: &'static str, text: &'static str) -> Self {
        self.files.push((name, text));
        self
    }
    /// Changes the supplier's file before it is added.
    pub fn supplier_file(mut self, edit: fn(String) -> String) -> Self {
        self.edit = edit;
        self
    }

    /// Builds the house and starts its processes.
    pub async fn start(self) -> House {
        let folder = TempDir::new().expect("a temporary folder");
        let own = self.cluster.as_ref().map(|cluster| {
            let folder = TempDir::new().expect("a temporary folder");
            Template::make(folder, Database::on(cluster))
        });
        let template = match &own {
            Some(own) => own,
            None => Template::get(),
        };
        for (name, bytes) in &template.files {
            std::fs::write(folder.path().join(name), bytes).expect("a copy of the set-up");
        }
        let database = Database::like(&template.database, folder.path());
        let mut settings = self.settings;
        settings.extend(database.setting());
        for (name, text) in &self.files {
            std::fs::write(folder.path().join(name), text).expect("a file of the plan");
        }
        let supplier = match self.supplier_listens {
            true => Some(Process::supplier(folder.path(), &self.supplier_address).await),
            false => None,
        };
        let supplier_base = supplier
            .as_ref()
            .map_or_else(|| "http://127.0.0.1:1".to_owned(), |running| running.base.clone());
        let mut house = House {
            web: None,
            supplier,
            base: String::new(),
            supplier_base,
            settings,
            worker: self.worker,
            // no pool: a connection to a process that was killed must not be met by the next request
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .pool_max_idle_per_host(0)
                .build()
                .expect("an HTTP client"),
            intake: template.intake.clone(),
            reading: template.reading.clone(),
            database,
            folder,
            _cluster: self.cluster,
        };
        house.add_supplier(self.edit);
        house.start_web(&self.web_address).await;
        house
    }
}

/// A running house.
pub struct House {
    // the processes go before their database and folder
    web: Option<Process>,
    supplier: Option<Process>,
    pub base: String,
    pub supplier_base: String,
    settings: Vec<(&'static str, String)>,
    worker: bool,
    pub http: reqwest::Client,
    intake: String,
    reading: String,
    database: Database,
    folder: TempDir,
    // the server goes after the database on it
    _cluster: Option<Arc<Cluster>>,
}

/// One HTTP answer, read whole.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub async fn of(request: reqwest::RequestBuilder) -> Self {
        Self::try_of(request).await.expect("an answer")
    }
    /// Where it may well be that nobody answers.
    pub async fn try_of(request: reqwest::RequestBuilder) -> reqwest::Result<Self> {
        let response = request.send().await?;
        Ok(Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await?,
        })
    }
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("a readable header"))
    }
    pub fn location(&self) -> &str {
        self.header("location")
    }
    /// The kind of problem, such as `bad-input`; every problem must be a whole RFC 9457 document.
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let body = self.json();
        assert_eq!(body["status"], self.status, "{self:?}");
        for member in ["title", "detail"] {
            let said = body[member].as_str().unwrap_or_default();
            assert!(!said.is_empty(), "{member} in {self:?}");
        }
        let kind = body["type"].as_str().expect("a type");
        kind.rsplit(':').next().unwrap_or_default().to_owned()
    }
    /// The pointers of a `bad-input` problem, in order.
    pub fn pointers(&self) -> Vec<String> {
        assert_eq!((self.status, &*self.problem()), (400, "bad-input"));
        let errors = self.json()["errors"].as_array().expect("errors").clone();
        let pointer = |error: &Value| {
            assert!(error["detail"].as_str().is_some_and(|said| !said.is_empty()));
            error["pointer"].as_str().expect("a pointer").to_owned()
        };
        errors.iter().map(pointer).collect()
    }
}

/// A suggestion that was taken in.
#[derive(Debug, Clone)]
pub struct Suggested {
    pub intent: String,
    pub id: String,
    pub digest: String,
}

impl House {
    /// A plan with short waits; leases stay longer than requests.
    pub fn plan() -> Plan {
        Plan {
            settings: Vec::new(),
            worker: true,
            supplier_listens: true,
            web_address: "127.0.0.1:0".to_owned(),
            supplier_address: "127.0.0.1:0".to_owned(),
            cluster: None,
            edit: |file| file,
            files: Vec::new(),
        }
        .setting("request_deadline", "2s")
        .setting("send_by", "1500ms")
        .setting("lease", "4s")
        .setting("sweep", "300ms")
        .setting("wake", "100ms")
    }

    pub async fn start() -> Self {
        Self::plan().start().await
    }

    // Processes.

    /// The folder with everything of this house.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a verb of the command line on this house's database.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with_input(arguments, "")
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        process::run(self.folder(), &self.settings, arguments, input)
    }

    /// Writes the practice supplier's file, edited, and adds it.
    pub fn add_supplier(&self, edit: impl Fn(String) -> String) -> Ran {
        let file = self.supplier_file(edit);
        let ran = self.run(&["supplier", "add", &file]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran
    }

    /// Writes the practice supplier's file, edited; answers its path.
    pub fn supplier_file(&self, edit: impl Fn(String) -> String) -> String {
        let example = ["supplier", "example", "practice", "--url", &self.supplier_base];
        let text = edit(self.run(&example).out);
        let path = self.folder().join("supplier.toml");
        std::fs::write(&path, text).expect("the supplier's file");
        path.display().to_string()
    }

    async fn start_web(&mut self, listen: &str) {
        let mut arguments = vec!["serve", "--listen", listen];
        if !self.worker {
            arguments.push("--no-worker");
        }
        let web = Process::start(self.folder(), &self.settings, &arguments, "serving http://").await;
        self.base.clone_from(&web.base);
        self.web = Some(web);
    }

    /// Stops the web process (SIGKILL) and starts it again at the same address.
    pub async fn restart_web(&mut self) {
        let address = self.base.trim_start_matches("http://").to_owned();
        self.web = None;
        self.start_web(&address).await;
    }

    /// What the commands of docs/operations.md have in their environment here.
    pub fn run_shell_variables(&self) -> [(&'static str, String); 2] {
        [
            ("COUNTERSIGN", PROGRAM.to_owned()),
            ("DATABASE_URL", self.database.url.clone()),
        ]
    }

    /// Runs commands as somebody types them, in the house's folder.
    pub fn shell(&self, commands: &str, variables: &[(&'static str, String)]) {
        let ran = std::process::Command::new("sh")
            .args(["-c", commands])
            .envs(variables.iter().map(|(name, value)| (*name, value)))
            .current_dir(self.folder())
            .output()
            .expect("a shell");
        assert!(
            ran.status.success(),
            "{commands}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }

    /// Stops the web process (SIGKILL).
    pub fn kill_web(&mut self) {
        self.web = None;
    }

    /// The running web process.
    pub fn web(&mut self) -> &mut Process {
        self.web.as_mut().expect("it runs")
    }

    /// From the next start on, a setting by its name in `config.default.toml`.
    pub fn set(&mut self, name: &'static str, value: &str) {
        self.settings.retain(|(known, _)| *known != name);
        self.settings.push((name, value.to_owned()));
    }

    /// A copy of the database as it is now, taken while no process runs.
    pub fn back_up(&mut self) -> Backup {
        assert!(self.web.is_none(), "stop it first");
        self.database.back_up()
    }

    /// Puts the copy in the place of what is there, as somebody who restores does.
    pub fn put_back(&self, backup: &Backup) {
        self.database.put_back(backup);
    }

    /// As `put_back`, by another file or database: its number is another one.
    pub fn put_back_as_copy(&self, backup: &Backup) {
        self.database.put_back_as_copy(backup);
    }

    /// How many records the supplier has of this order.
    pub async fn assert_counts_there(&self, order: &Value, records: i64) {
        assert_eq!(self.count(order).await, records, "records at the supplier of {order:#}");
    }

    /// The file in which this machine keeps what it knows of the database.
    pub fn node_file(&self) -> PathBuf {
        self.folder().join(either("countersign.db.node", "countersign.node"))
    }

    /// Stops the web process as a person does (SIGTERM), and waits for its end.
    pub async fn stop_web(&mut self) {
        if let Some(mut web) = self.web.take() {
            web.terminate();
            assert_eq!(web.ended().await, Some(0), "{}", web.log());
        }
    }

    /// Starts the supplier where its file says it is.
    pub async fn restart_supplier(&mut self) {
        let address = self.supplier_base.trim_start_matches("http://").to_owned();
        self.supplier = None;
        self.supplier = Some(Process::supplier(self.folder(), &address).await);
    }

    /// Stops the supplier (SIGKILL).
    pub fn stop_supplier(&mut self) {
        self.supplier = None;
    }

    /// What the web process has logged so far.
    pub fn web_log(&self) -> String {
        self.web.as_ref().map(Process::log).unwrap_or_default()
    }

    /// A verb that runs on beside the others, until its handle is dropped.
    pub async fn start_verb(&self, arguments: &[&str], ready: &str) -> Process {
        Process::start(self.folder(), &self.settings, arguments, ready).await
    }

    /// A worker process of its own; it ends when the handle is dropped.
    pub async fn work(&self) -> Process {
        Process::start(self.folder(), &self.settings, &["work"], "working").await
    }

    /// A process of this house, which may fail to start while its database is away.
    pub async fn try_process(&self, arguments: &[&str], ready: &str) -> Result<Process, String> {
        Process::try_start(self.folder(), &self.settings, arguments, ready).await
    }

    /// As `work`, but it freezes itself at this point of its first submit; empty: nowhere.
    pub async fn work_until(&self, stop_at: &str) -> Process {
        let mut settings = self.settings.clone();
        settings.push(("stop_at", stop_at.to_owned()));
        Process::start(self.folder(), &settings, &["work"], "working").await
    }

    /// As `work`, with these settings of its own.
    pub async fn work_with(&self, own: &[(&'static str, &str)]) -> Process {
        Process::start(self.folder(), &self.settings_with(own), &["work"], "working").await
    }

    /// A worker whose way to the database is this wire.
    pub async fn work_over(&self, wire: &cut::Wire) -> Process {
        self.work_with(&[("database_url", &wire.url)]).await
    }

    /// Another web node of this house, with these settings of its own.
    pub async fn serve(&self, arguments: &[&str], own: &[(&'static str, &str)]) -> Process {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        Process::start(self.folder(), &self.settings_with(own), &all, "serving http://").await
    }

    fn settings_with(&self, own: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let mut settings = self.settings.clone();
        settings.extend(own.iter().map(|(name, value)| (*name, (*value).to_owned())));
        settings
    }

    /// Where its database is.
    pub fn database_url(&self) -> &str {
        &self.database.url
    }

    // The API.

    pub async fn api(&self, method: Method, path: &str, token: &str, body: Option<&Value>) -> Answer {
        let request = self.http.request(method, format!("{}{path}", self.base));
        let request = request.bearer_auth(token);
        Answer::of(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    pub fn intake(&self) -> &str {
        &self.intake
    }

    pub fn reading(&self) -> &str {
        &self.reading
    }

    pub async fn read(&self, path: &str) -> Answer {
        self.api(Method::GET, path, self.reading(), None).await
    }

    pub async fn put_intent(&self, intent: &str) -> Answer {
        let body = json!({ "purpose": "restock for Monday" });
        let path = format!("/api/v1/intents/{intent}");
        self.api(Method::PUT, &path, self.intake(), Some(&body)).await
    }

    pub async fn put_suggestion(&self, intent: &str, body: &Value) -> Answer {
        let path = format!("/api/v1/intents/{intent}/suggestion");
        self.api(Method::PUT, &path, self.intake(), Some(body)).await
    }

    /// Reserves the intent (if it is not) and has the suggestion taken in.
    pub async fn suggest(&self, intent: &str, body: &Value) -> Suggested {
        let reserved = self.put_intent(intent).await;
        assert!(matches!(reserved.status, 200 | 201), "{reserved:?}");
        let taken = self.put_suggestion(intent, body).await;
        assert_eq!(taken.status, 201, "{taken:?}");
        let suggestion = &taken.json()["suggestion"];
        let text = |name: &str| suggestion[name].as_str().expect(name).to_owned();
        Suggested {
            intent: intent.to_owned(),
            id: text("id"),
            digest: text("digest"),
        }
    }

    pub async fn intent(&self, intent: &str) -> Value {
        let answer = self.read(&format!("/api/v1/intents/{intent}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    pub async fn order(&self, order: &str) -> Value {
        let answer = self.read(&format!("/api/v1/orders/{order}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Every order, whatever its state.
    pub async fn orders(&self) -> Vec<Value> {
        let answer = self.read("/api/v1/orders?limit=200").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["orders"].as_array().expect("orders").clone()
    }

    /// Waits until the order fulfils this, and answers it as it is then.
    pub async fn wait_for(&self, order: &str, what: &str, fulfils: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let found = self.order(order).await;
            if fulfils(&found) {
                return found;
            }
            assert!(since.elapsed() < PATIENCE, "{order} did not become {what}: {found:#}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    pub async fn wait_for_state(&self, order: &str, state: &str) -> Value {
        self.wait_for(order, state, |found| found["state"] == state).await
    }

    // People.

    pub async fn sign_in(&self, email: &str) -> Session<'_> {
        Session::open(self, email, PASSWORD).await
    }

    /// The id of the person with this address.
    pub async fn person(&self, email: &str) -> String {
        let pool = self.database().await;
        let id = sqlx::query_scalar("SELECT id FROM people WHERE email = $1")
            .bind(email)
            .fetch_one(&pool)
            .await
            .expect("a person");
        pool.close().await;
        id
    }

    // The supplier: the truth to count by.

    pub async fn ask_supplier(&self, path: &str) -> Value {
        let answer = Answer::of(self.http.get(format!("{}{path}", self.supplier_base))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Records the supplier holds for this order.
    pub async fn count(&self, order: &Value) -> i64 {
        let key = order["operation_key"].as_str().expect("an operation key");
        let counted = self.ask_supplier(&format!("/count?reference={key}")).await;
        counted["count"].as_i64().expect("a count")
    }

    /// Every submit the supplier has received, oldest first.
    pub async fn submits(&self) -> Vec<Value> {
        let all = self.ask_supplier("/requests").await;
        let all = all.as_array().expect("requests").clone();
        all.into_iter()
            .filter(|request| request["method"] == "POST" && request["path"] == "/orders")
            .collect()
    }

    /// Submits with this order's operation key: in the header, which is there even when half a body came, or as reference
    /// where the supplier has no key.
    pub async fn submits_of(&self, order: &Value) -> usize {
        let ours = &order["operation_key"];
        let mine =
            |request: &&Value| request["key"] == *ours || (request["key"].is_null() && request["reference"] == *ours);
        self.submits().await.iter().filter(mine).count()
    }

    /// What the supplier recorded for this order.
    pub async fn records(&self, order: &Value) -> Vec<Value> {
        let key = order["operation_key"].as_str().expect("an operation key");
        let found = self.ask_supplier(&format!("/orders?reference={key}")).await;
        found.as_array().expect("a list").clone()
    }

    /// Replaces the queue of what goes wrong next.
    pub async fn faults(&self, next: Value) {
        let put = self.http.put(format!("{}/faults", self.supplier_base));
        let answer = Answer::of(put.json(&json!({ "next": next }))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// Waits until the supplier has received so many submits in all.
    pub async fn wait_for_submits(&self, wanted: usize) {
        let since = Instant::now();
        loop {
            let submits = self.submits().await;
            if submits.len() >= wanted {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "{wanted} submits: {submits:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The rule of every fault: one request at the supplier for each attempt that is not "not sent before the first
    /// byte", and never more than one record.
    pub async fn assert_counts(&self, order: &Value, attempts: usize, records: i64, about: &str) {
        let listed = order["attempts"].as_array().expect("attempts").len();
        assert_eq!(listed, attempts, "{about}: attempts of {order:#}");
        assert_eq!(
            self.submits_of(order).await,
            attempts,
            "{about}: requests at the supplier"
        );
        assert_eq!(self.count(order).await, records, "{about}: records at the supplier");
    }

    // The database.

    /// Connections to the database, for looking and for tampering.
    pub async fn database(&self) -> sqlx::AnyPool {
        self.database.pool().await
    }

    /// Takes a trigger away, so that what it guards can be tampered with.
    pub async fn drop_trigger(&self, trigger: &str, table: &str) {
        self.database.drop_trigger(trigger, table).await;
    }

    /// One number out of the database.
    pub async fn number(&self, sql: &'static str) -> i64 {
        let pool = self.database().await;
        let number = sqlx::query_scalar(sql).fetch_one(&pool).await.expect(sql);
        pool.close().await;
        number
    }

    /// How many rows there are of everything that tells of purchases; drafts and sessions are not counted.
    pub async fn stored(&self) -> Stored {
        let pool = self.database().await;
        let row: (i64, i64, i64, i64, i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM intents), (SELECT count(*) FROM suggestions),
                    (SELECT count(*) FROM orders), (SELECT count(*) FROM attempts),
                    (SELECT count(*) FROM cases), (SELECT count(*) FROM events)",
        )
        .fetch_one(&pool)
        .await
        .expect("the counts");
        pool.close().await;
        let (intents, suggestions, orders, attempts, cases, events) = row;
        Stored {
            intents,
            suggestions,
            orders,
            attempts,
            cases,
            events,
        }
    }
}

/// Rows in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    pub intents: i64,
    pub suggestions: i64,
    pub orders: i64,
    pub attempts: i64,
    pub cases: i64,
    pub events: i64,
}

/// A sound suggestion body: 24 of this article. Articles of its own keep a test's orders from looking alike.
pub fn body(sku: &str) -> Value {
    json!({
        "revision": 1,
        "supplier": "practice",
        "currency": "EUR",
        "lines": [{
            "sku": sku, "description": "Hex bolt M8×40 A2", "quantity": "24", "unit": "EA",
            "unit_price": "0.4375", "price_per": "1",
        }],
        "deliver_to": "main-warehouse",
        "rationale": "stock 6, weekly use 20",
    })
}

/// Two lines, so that one can go missing; a date, so that it can change.
pub fn two_lines(sku: &str) -> Value {
    let mut order = body(sku);
    order["needed_by"] = json!("2026-12-04");
    let lines = order["lines"].as_array_mut().expect("lines");
    lines.push(json!({
        "description": "Cutting to length", "quantity": "1.5", "unit": "HUR", "unit_price": "40",
    }));
    order
}

/// The same body with this replaced or added at the JSON pointer; `null` takes the member out.
pub fn with(mut body: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let parent = body.pointer_mut(parent).expect("a parent");
    match (parent, value) {
        (Value::Object(members), Value::Null) => {
            members.remove(name);
        }
        (Value::Object(members), value) => {
            members.insert(name.to_owned(), value);
        }
        (other, _) => panic!("no object: {other}"),
    }
    body
}

/// A path beside the test files.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}
