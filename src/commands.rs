//! What each verb of the command line does. Standard output carries the result alone; remarks go to standard error.
//!
//! Promises: 0 when it is done, 1 when it failed, 2 for arguments or settings that cannot be used. Must not: hold a rule;
//! every act is the desk's.

use crate::config::Config;
use crate::desk::house::NewPerson;
use crate::desk::{Desk, DeskError};
use crate::domain::ids::TenantId;
use crate::domain::person::Role;
use crate::store::{Store, StoreError};
use crate::supplier::example;
use crate::web::{self, Web};
use crate::worker::Worker;
use crate::{demo, practice};
use std::io::{BufRead, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use tokio::net::TcpListener;
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
            other => CommandError::Failed(other.to_string()),
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Url { .. } => CommandError::Usage(error.to_string()),
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
    let store = Store::open(&config.database_url, false).await?;
    let faults = store.faults().await?;
    if !faults.is_empty() {
        return Err(failed(faults.join("\n")));
    }
    Ok(Desk::new(store, config))
}

/// The desk over a database that is made when it is not there.
async fn open_or_create(config: &Config) -> Result<Desk, CommandError> {
    let store = Store::open(&config.database_url, true).await?;
    store.migrate().await?;
    let faults = store.faults().await?;
    if !faults.is_empty() {
        return Err(failed(faults.join("\n")));
    }
    Ok(Desk::new(store, config))
}

/// Stops on SIGTERM and on Ctrl-C.
async fn told_to_stop() {
    let mut terminate = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(signal) => signal,
        Err(error) => return tracing::error!("SIGTERM cannot be listened for: {error}"),
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// `serve`
pub async fn serve(config: &Config, what: Serve) -> Done {
    let slower = what.demo.then(|| demo::at_leisure(config));
    let config = slower.as_ref().unwrap_or(config);
    let desk = open_or_create(config).await?;
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| failed(format!("cannot listen on {}: {error}", config.listen)))?;
    let address = listener.local_addr().map_err(failed)?;
    let stop = CancellationToken::new();
    let mut tasks = JoinSet::new();
    start_worker(&mut tasks, &desk, config, what.worker, &stop);
    if what.demo {
        let sign_ins = demo::fill(&desk, config, &mut tasks, &stop).await.map_err(failed)?;
        println!("http://{address}");
        sign_ins.iter().for_each(|line| println!("{line}"));
    }
    if !web::assets::site_is_built() {
        tracing::warn!("this program was built without its site: pages have no styles and no scripts (`make build`)");
    }
    tracing::info!("serving http://{address}");
    let router = web::router(Web::new(desk, config.public_url.clone()));
    let stopping = stop.clone();
    let pages = axum::serve(listener, router).with_graceful_shutdown(async move { stopping.cancelled().await });
    let pages = tokio::spawn(pages.into_future());
    let ended = run_until_told(&mut tasks, &stop).await;
    pages.await.map_err(failed)?.map_err(failed)?;
    ended
}

/// Runs until told to stop, then lets everything end. A task that ends unasked is a failure: nobody would sweep leases
/// or send orders, and the program must not look well.
async fn run_until_told(tasks: &mut JoinSet<()>, stop: &CancellationToken) -> Done {
    let ended = tokio::select! {
        () = told_to_stop() => Ok(()),
        Some(task) = tasks.join_next() => match task {
            Ok(()) => Err(failed("a part of this process ended by itself; the log says more")),
            Err(error) => Err(failed(format!("a part of this process died: {error}"))),
        },
    };
    stop.cancel();
    while tasks.join_next().await.is_some() {}
    ended
}

fn start_worker(tasks: &mut JoinSet<()>, desk: &Desk, config: &Config, submits: bool, stop: &CancellationToken) {
    let worker = Worker::new(desk.clone(), config);
    tasks.spawn(worker.clone().sweep(stop.clone()));
    if submits {
        tasks.spawn(worker.submit(stop.clone()));
    }
}

/// `work`
pub async fn work(config: &Config) -> Done {
    let desk = open(config).await?;
    let stop = CancellationToken::new();
    let mut tasks = JoinSet::new();
    start_worker(&mut tasks, &desk, config, true, &stop);
    tracing::info!("working");
    run_until_told(&mut tasks, &stop).await
}

/// `practice-supplier`
pub async fn practice_supplier(listen: SocketAddr, database: &str) -> Done {
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| failed(format!("cannot listen on {listen}: {error}")))?;
    let address = listener.local_addr().map_err(failed)?;
    tracing::info!("practice supplier on http://{address}");
    practice::serve(listener, database, told_to_stop())
        .await
        .map_err(failed)
}

/// `init` and `tenant add`
pub async fn tenant_add(config: &Config, name: &str, zone: &str, first: bool) -> Done {
    let desk = if first {
        open_or_create(config).await?
    } else {
        open(config).await?
    };
    println!("{}", desk.tenant_add(name, zone, first).await?);
    Ok(())
}

/// `migrate`
pub async fn migrate(config: &Config) -> Done {
    let store = Store::open(&config.database_url, true).await?;
    store.migrate().await?;
    eprintln!("the schema is current");
    Ok(())
}

/// `check`: every fault at once.
pub async fn check(config: &Config) -> Done {
    let store = Store::open(&config.database_url, false).await?;
    let faults = Desk::new(store, config).check().await?;
    if faults.is_empty() {
        eprintln!("configuration, database, suppliers and people are in order");
        Ok(())
    } else {
        Err(failed(faults.join("\n")))
    }
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
    for person in desk.person_list(tenant).await? {
        let roles: Vec<_> = person.roles.iter().map(|role| role.word()).collect();
        let disabled = if person.disabled { "disabled" } else { "" };
        println!(
            "{}\t{}\t{}\t{}\t{disabled}",
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
