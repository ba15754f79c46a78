//! What each verb of the command line does. Standard output carries the result alone; remarks go to standard error.
//!
//! Promises: 0 when it is done, 1 when it failed, 2 for arguments or settings that cannot be used. Must not: hold a rule;
//! every act is the desk's.

mod backup;
mod export;
mod move_to;
mod verify;

pub use backup::backup;
pub use export::{Form, export};
pub use move_to::move_to;
pub use verify::{Against, verify};

use crate::config::Config;
use crate::desk::clock;
use crate::desk::house::NewPerson;
use crate::desk::nodes::{Duties, Node};
use crate::desk::owners::RuleChange;
use crate::desk::{Desk, DeskError};
use crate::domain::ids::TenantId;
use crate::domain::person::Role;
use crate::store::{Store, StoreError};
use crate::supplier::example;
use crate::ui::moment::Here;
use crate::ui::words::refusals;
use crate::web::{self, Web};
use crate::worker::Worker;
use crate::{demo, practice};
use axum::Router;
use std::io::{BufRead, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Why a command failed; `Usage` is exit status 2, `Failed` 1.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Failed(String),
}

impl From<DeskError> for CommandError {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Faulty(faults) => {
                let lines: Vec<_> = faults
                    .iter()
                    .map(|fault| format!("{}: {}", fault.pointer, fault.detail))
                    .collect();
                CommandError::Usage(lines.join("\n"))
            }
            DeskError::Supplier(fault) => CommandError::Usage(fault.to_string()),
            DeskError::Refused(refusal) => {
                let here = Here {
                    now: clock::now(),
                    zone: chrono_tz::Tz::UTC,
                };
                CommandError::Failed(refusals::sentence(&refusal, here))
            }
            other => CommandError::Failed(other.to_string()),
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Url { .. } | StoreError::OnNetwork { .. } => CommandError::Usage(error.to_string()),
            other => CommandError::Failed(other.to_string()),
        }
    }
}

type Done = Result<(), CommandError>;

fn failed(error: impl std::fmt::Display) -> CommandError {
    CommandError::Failed(error.to_string())
}

/// What `serve` runs beside the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Serve {
    pub worker: bool,
    pub demo: bool,
}

/// The desk over a database that is there, schema current.
pub async fn open(config: &Config) -> Result<Desk, CommandError> {
    begin(Store::open(&config.database_url, false).await?, config).await
}

/// As `open`, for a program that writes and does not stay: a restored database is paused before (rule 20).
pub async fn open_to_write(config: &Config) -> Result<Desk, CommandError> {
    let desk = open(config).await?;
    desk.look_before_writing(config).await?;
    Ok(desk)
}

/// The desk over a database that is made when it is not there.
async fn open_or_create(config: &Config) -> Result<Desk, CommandError> {
    let store = Store::open(&config.database_url, true).await?;
    store.must_be_here().await?;
    if store.may_be_migrated_unasked().await? {
        store.migrate().await?;
    }
    begin(store, config).await
}

async fn begin(store: Store, config: &Config) -> Result<Desk, CommandError> {
    let faults = store.faults().await?;
    if !faults.is_empty() {
        return Err(failed(faults.join("\n")));
    }
    let desk = Desk::new(store, config);
    desk.take_time().await?;
    Ok(desk)
}

/// How long a process takes to end after everything it waits for has had its grace.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// SIGTERM and Ctrl-C, heard from the moment this is made.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn hear() -> Result<Self, CommandError> {
        let hear = |kind| signal(kind).map_err(|error| failed(format!("signals cannot be heard: {error}")));
        Ok(Self {
            terminate: hear(SignalKind::terminate())?,
            interrupt: hear(SignalKind::interrupt())?,
        })
    }

    /// Comes back when the process is told to stop, each time it is.
    async fn told(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// `serve`
pub async fn serve(config: &Config, what: Serve) -> Done {
    let slower = what.demo.then(|| demo::at_leisure(config));
    let config = slower.as_ref().unwrap_or(config);
    let desk = open_or_create(config).await?.watching(config).await?;
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| failed(format!("cannot listen on {}: {error}", config.listen)))?;
    let address = listener.local_addr().map_err(failed)?;
    let duties = Duties {
        serves: true,
        works: what.worker,
    };
    let mut process = Process::begin(&desk, duties, config).await?;
    if what.demo {
        let sign_ins = demo::fill(&desk, config, &mut process.tasks, &process.stop)
            .await
            .map_err(failed)?;
        println!("http://{address}");
        sign_ins.iter().for_each(|line| println!("{line}"));
    }
    if !web::assets::site_is_built() {
        tracing::warn!("this program was built without its site: pages have no styles and no scripts (`make build`)");
    }
    tracing::info!("serving http://{address}");
    let web = Web::new(desk, config.public_url.clone()).until(process.stop.clone());
    let router = web::router(web);
    let stopping = process.stop.clone();
    let pages = axum::serve(listener, router).with_graceful_shutdown(async move { stopping.cancelled().await });
    process.tasks.spawn(async move {
        if let Err(error) = pages.await {
            tracing::error!("pages are not served any more: {error}");
        }
    });
    process.run_until_told().await
}

/// `work`; with an address: health, readiness and metrics are served there.
pub async fn work(config: &Config, listen: Option<SocketAddr>) -> Done {
    let desk = open(config).await?;
    desk.must_be_here().await?;
    let desk = desk.watching(config).await?;
    let duties = Duties {
        serves: false,
        works: true,
    };
    let mut process = Process::begin(&desk, duties, config).await?;
    if let Some(listen) = listen {
        let instruments = web::instruments_of(Web::new(desk, None));
        let address = process.serve(listen, instruments).await?;
        tracing::info!("watched at http://{address}");
    }
    tracing::info!("working");
    process.run_until_told().await
}

/// A process that runs on: what it is known as, and everything it does at the same time.
struct Process {
    desk: Desk,
    node: Node,
    tasks: JoinSet<()>,
    stop: CancellationToken,
    signals: Signals,
    grace: Duration,
}

impl Process {
    async fn begin(desk: &Desk, duties: Duties, config: &Config) -> Result<Self, CommandError> {
        let signals = Signals::hear()?;
        let node = desk.enter(duties).await?;
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let worker = Worker::new(desk.clone(), node.clone(), config);
        tasks.spawn(worker.clone().beat(stop.clone()));
        tasks.spawn(worker.clone().sweep(stop.clone()));
        if duties.works {
            tasks.spawn(worker.clone().hear_others(stop.clone()));
            if config.mail.is_some() {
                tasks.spawn(worker.clone().tell_people(stop.clone()));
            }
            tasks.spawn(worker.submit(stop.clone()));
        }
        Ok(Self {
            desk: desk.clone(),
            node,
            tasks,
            stop,
            signals,
            grace: config.grace,
        })
    }

    /// Serves this there until told to stop; answers the address.
    async fn serve(&mut self, listen: SocketAddr, router: Router) -> Result<SocketAddr, CommandError> {
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|error| failed(format!("cannot listen on {listen}: {error}")))?;
        let address = listener.local_addr().map_err(failed)?;
        let stopping = self.stop.clone();
        let served = axum::serve(listener, router).with_graceful_shutdown(async move { stopping.cancelled().await });
        self.tasks.spawn(async move {
            if let Err(error) = served.await {
                tracing::error!("nothing is served any more: {error}");
            }
        });
        Ok(address)
    }

    /// Runs until told to stop, then lets everything end, within its grace. A task that ends unasked is a failure: nobody
    /// would sweep leases or send orders, and the program must not look well.
    async fn run_until_told(mut self) -> Done {
        let ended = tokio::select! {
            () = self.signals.told() => Ok(()),
            Some(task) = self.tasks.join_next() => match task {
                Ok(()) => Err(failed("a part of this process ended by itself; the log says more")),
                Err(error) => Err(failed(format!("a part of this process died: {error}"))),
            },
        };
        self.stop.cancel();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        tokio::select! {
            () = all => {}
            () = self.signals.told() => {
                return Err(failed("told a second time to stop: what was under way is abandoned to the sweep"));
            }
            () = tokio::time::sleep(self.grace + LAST_MOMENTS) => {
                tracing::warn!("ended with something under way that did not end in time");
            }
        }
        self.leave().await;
        ended
    }

    /// A node that stays listed is forgotten later, so the end does not wait for it.
    async fn leave(&self) {
        match tokio::time::timeout(LAST_MOMENTS, self.desk.leave(&self.node)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("this process stays listed: {error}"),
            Err(_) => tracing::warn!("this process stays listed: the database did not answer in time"),
        }
    }
}

/// `practice-supplier`
pub async fn practice_supplier(listen: SocketAddr, database: &str) -> Done {
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| failed(format!("cannot listen on {listen}: {error}")))?;
    let address = listener.local_addr().map_err(failed)?;
    let mut signals = Signals::hear()?;
    tracing::info!("practice supplier on http://{address}");
    practice::serve(listener, database, async move { signals.told().await })
        .await
        .map_err(failed)
}

/// `tenant hours`: sets them, takes them away, and prints what is set.
pub async fn working_hours(config: &Config, tenant: Option<&str>, change: Option<Option<&str>>) -> Done {
    let desk = open_to_write(config).await?;
    let tenant = desk.tenant_named(tenant).await?;
    if let Some(hours) = change {
        desk.working_hours_set(&tenant, hours).await?;
    }
    if let Some(hours) = desk.working_hours(&tenant).await? {
        println!("{hours}");
    }
    Ok(())
}

/// `tenant holiday`: sets one, takes it away, and prints what is set.
pub async fn holidays(config: &Config, tenant: Option<&str>, change: Option<(&str, Option<&str>)>) -> Done {
    let desk = open_to_write(config).await?;
    let tenant = desk.tenant_named(tenant).await?;
    if let Some((day, name)) = change {
        desk.holiday_set(&tenant, day, name).await?;
    }
    let holidays = desk.holidays(&tenant).await?;
    if holidays.is_empty() {
        eprintln!("there is no holiday; `countersign tenant holiday 2027-01-01 --name …` adds one");
    }
    for (day, name) in holidays {
        println!("{day} {name}");
    }
    Ok(())
}

/// `tenant owner`: sets a rule, takes it away, and prints what is set.
pub async fn owner_rules(config: &Config, tenant: Option<&str>, change: Option<(Option<&str>, &RuleChange)>) -> Done {
    let desk = open_to_write(config).await?;
    let tenant = desk.tenant_named(tenant).await?;
    if let Some((supplier, change)) = change {
        desk.owner_rule(&tenant, supplier, change).await?;
    }
    let rules = desk.owner_rules(&tenant).await?;
    if rules.is_empty() {
        eprintln!("no rule is set: a case goes to whichever resolver who is there has least to do");
    }
    for rule in rules {
        let said = |text: Option<String>| text.unwrap_or_default();
        let supplier = rule.supplier.unwrap_or_else(|| "all others".to_owned());
        let (owner, within, remark) = (said(rule.owner), said(rule.within), said(rule.remark));
        println!("{supplier}\t{owner}\t{within}\t{remark}");
    }
    Ok(())
}

/// `tenant second-person`: sets an amount, takes it away, and prints what is set.
pub async fn second_person(config: &Config, tenant: Option<&str>, change: Option<(String, Option<String>)>) -> Done {
    let desk = open_to_write(config).await?;
    let tenant = desk.tenant_named(tenant).await?;
    if let Some((currency, above)) = change {
        let amount = above.as_deref();
        desk.second_person_above(&tenant, &currency, amount).await?;
    }
    let amounts = desk.second_person_amounts(&tenant).await?;
    if amounts.is_empty() {
        eprintln!("no amount is set: one person's word is enough");
    }
    for amount in amounts {
        println!("{} {}", amount.currency().code(), amount.amount());
    }
    Ok(())
}

/// `init` and `tenant add`
pub async fn tenant_add(config: &Config, name: &str, zone: &str, first: bool) -> Done {
    let desk = if first {
        open_or_create(config).await?
    } else {
        open_to_write(config).await?
    };
    println!("{}", desk.tenant_add(name, zone, first).await?);
    Ok(())
}

/// `migrate`
pub async fn migrate(config: &Config) -> Done {
    let store = Store::open(&config.database_url, true).await?;
    store.must_be_here().await?;
    store.migrate().await?;
    eprintln!("the schema is current");
    Ok(())
}

/// `check`: every fault at once.
pub async fn check(config: &Config) -> Done {
    let store = Store::open(&config.database_url, false).await?;
    let desk = Desk::new(store, config);
    desk.take_time().await?;
    let mut faults = desk.check().await?;
    let (fault, remark) = match faults.is_empty() {
        true => desk.look_only(config).await?,
        false => (None, None),
    };
    faults.extend(fault);
    if faults.is_empty() {
        if let Some(remark) = remark {
            eprintln!("remark: {remark}");
        }
        for remark in desk.remarks().await? {
            eprintln!("remark: {remark}");
        }
        eprintln!("configuration, database, suppliers and people are in order");
        Ok(())
    } else {
        Err(failed(faults.join("\n")))
    }
}

/// `end-pause`
pub async fn end_pause(desk: &Desk, tenant: &TenantId, reason: &str) -> Done {
    desk.end_pause_by_hand(tenant, reason).await?;
    eprintln!("the pause has ended");
    Ok(())
}

/// `site add`
pub async fn site_add(desk: &Desk, tenant: &TenantId, code: &str, name: &str) -> Done {
    Ok(desk.site_add(tenant, code, name).await?)
}

/// `site list`
pub async fn site_list(desk: &Desk, tenant: &TenantId) -> Done {
    desk.site_list(tenant)
        .await?
        .iter()
        .for_each(|(code, name)| println!("{code}\t{name}"));
    Ok(())
}

/// `supplier add`
pub async fn supplier_add(desk: &Desk, tenant: &TenantId, file: &Path) -> Done {
    let text =
        std::fs::read_to_string(file).map_err(|error| CommandError::Usage(format!("{}: {error}", file.display())))?;
    let (id, version) = desk.supplier_add(tenant, &text).await?;
    println!("{id}");
    eprintln!("{id} is now at version {version}");
    Ok(())
}

/// `supplier list`
pub async fn supplier_list(desk: &Desk, tenant: &TenantId) -> Done {
    for row in desk.supplier_list(tenant).await? {
        let held = row
            .held_because
            .map(|why| format!("on hold: {why}"))
            .unwrap_or_default();
        println!("{}\t{}\tversion {}\t{held}", row.id, row.name, row.version);
    }
    Ok(())
}

/// `supplier example practice`
pub fn supplier_example(which: &str, url: &str) -> Done {
    if which != "practice" {
        return Err(CommandError::Usage(format!(
            "there is no example \"{which}\"; there is \"practice\""
        )));
    }
    print!("{}", example::practice(url));
    Ok(())
}

/// `person add`
pub async fn person_add(
    desk: &Desk,
    tenant: &TenantId,
    (name, email): (String, String),
    roles: &[String],
    password_stdin: bool,
) -> Done {
    let roles: Result<Vec<Role>, _> = roles.iter().map(|word| Role::of(word.trim()).ok_or(word)).collect();
    let roles = roles.map_err(|word| {
        CommandError::Usage(format!("--role: \"{word}\" is none of buyer, resolver, manager, admin"))
    })?;
    let password = if password_stdin {
        Some(first_line()?)
    } else if std::io::stdin().is_terminal() {
        Some(rpassword::prompt_password("Password: ").map_err(failed)?)
    } else {
        eprintln!("no password given (--password-stdin), so this person cannot sign in with one");
        None
    };
    println!(
        "{}",
        desk.person_add(
            tenant,
            NewPerson {
                name,
                email,
                roles,
                password
            }
        )
        .await?
    );
    Ok(())
}

fn first_line() -> Result<String, CommandError> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// `person list`
pub async fn person_list(desk: &Desk, tenant: &TenantId) -> Done {
    for (person, absence) in desk.person_list(tenant).await? {
        let roles: Vec<_> = person.roles.iter().map(|role| role.word()).collect();
        let there = match (person.disabled, absence) {
            (true, _) => "disabled".to_owned(),
            (false, Some(away)) => format!("away {} to {}", away.from, away.until),
            (false, None) => String::new(),
        };
        println!(
            "{}\t{}\t{}\t{}\t{there}",
            person.id,
            person.name,
            person.email,
            roles.join(",")
        );
    }
    Ok(())
}

/// `token create`: the secret alone on the last line of standard output.
pub async fn token_create(desk: &Desk, tenant: &TenantId, name: &str, scope: crate::desk::house::Scope) -> Done {
    let (id, secret) = desk.token_create(tenant, name, scope).await?;
    eprintln!("token {id}; its secret is shown this once");
    println!("{secret}");
    Ok(())
}

/// `token list`
pub async fn token_list(desk: &Desk, tenant: &TenantId) -> Done {
    for token in desk.token_list(tenant).await? {
        let revoked = if token.revoked { "revoked" } else { "" };
        println!("{}\t{}\t{}\t{revoked}", token.id, token.name, token.scope.word());
    }
    Ok(())
}
