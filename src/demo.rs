//! `serve --demo`: a practice tenant with people, suppliers and a morning's worth of orders.
//!
//! Promises: everything is made through the same acts that people and programs use, against a practice supplier that is
//! reached over a socket and lost on purpose; nothing is written past the desk. Must not: touch a database that holds
//! anything else.

mod morning;

use crate::config::Config;
use crate::desk::house::NewPerson;
use crate::desk::suggest::{Proposal, Taken};
use crate::desk::{Desk, DeskError, Person, Program};
use crate::domain::contents::Digest;
use crate::domain::ids::{IntentId, OrderId, SuggestionId, TenantId};
use crate::domain::order::OrderState;
use crate::domain::person::Role;
use crate::domain::suggestion::Approval;
use crate::practice;
use crate::supplier::example;
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The practice tenant's name: a database with other tenants is left alone.
const TENANT: &str = "Practice Office";
/// Where the practice supplier is looked for first; any free port otherwise.
const PRACTICE_PORT: u16 = 3001;
/// How long one order may take to reach its state.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the demo could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("this database holds something else than a demo; name an empty one with DATABASE_URL")]
    NotADemo,
    #[error(
        "the demo signs in with well-known passwords, so it listens on this machine only; leave --listen at 127.0.0.1"
    )]
    NotLoopback,
    #[error("the practice supplier cannot be reached: {0}")]
    Practice(String),
    #[error("{0} did not come to its state in time")]
    Late(&'static str),
    #[error("the demo could not be filled: {0}")]
    Desk(#[from] DeskError),
}

/// A person of the demo.
struct Somebody {
    name: &'static str,
    email: &'static str,
    role: Role,
}

const PEOPLE: [Somebody; 4] = [
    Somebody {
        name: "Bea Buyer",
        email: "bea@practice.example",
        role: Role::Buyer,
    },
    Somebody {
        name: "Rolf Resolver",
        email: "rolf@practice.example",
        role: Role::Resolver,
    },
    Somebody {
        name: "Mia Manager",
        email: "mia@practice.example",
        role: Role::Manager,
    },
    Somebody {
        name: "Ada Admin",
        email: "ada@practice.example",
        role: Role::Admin,
    },
];
const PASSWORD: &str = "practice-only";

/// How long the demo leaves a pending order to whoever reads about it, before it is looked up by itself.
const LEISURE: Duration = Duration::from_secs(15 * 60);
/// The default that this stands in for; another setting is somebody's wish.
const FIRST_LOOK_UP: Duration = Duration::from_secs(60);

/// The settings with a later first look-up, so that the demo's pending order does not come home before anybody saw it.
pub fn at_leisure(config: &Config) -> Config {
    let mut config = config.clone();
    if config.look_up_first == FIRST_LOOK_UP {
        config.look_up_first = LEISURE;
    }
    config
}

/// Starts the practice supplier, fills an empty database, and answers one line a role: role, e-mail, password.
pub async fn fill(
    desk: &Desk,
    config: &Config,
    tasks: &mut JoinSet<()>,
    stop: &CancellationToken,
) -> Result<Vec<String>, DemoError> {
    if !config.listen.ip().is_loopback() {
        return Err(DemoError::NotLoopback);
    }
    let is_new = desk.is_empty().await?;
    let tenant = match desk.tenant_named(Some(TENANT)).await {
        Ok(tenant) => tenant,
        Err(DeskError::Absent(_)) if is_new => desk.tenant_add(TENANT, "Europe/Berlin", true).await?,
        Err(DeskError::Absent(_)) => return Err(DemoError::NotADemo),
        Err(error) => return Err(error.into()),
    };
    let url = start_practice(config, tasks, stop).await?;
    point_suppliers_at(desk, &tenant, &url).await?;
    if is_new {
        Morning::prepare(desk, &tenant, &url).await?.happens().await?;
    }
    Ok(PEOPLE
        .iter()
        .map(|one| format!("{:<9} {:<22} {PASSWORD}", one.role.word(), one.email))
        .collect())
}

/// The practice supplier of the demo: its own port, its own file, beside the desk's where that is a file.
async fn start_practice(
    config: &Config,
    tasks: &mut JoinSet<()>,
    stop: &CancellationToken,
) -> Result<String, DemoError> {
    let fault = |error: std::io::Error| DemoError::Practice(error.to_string());
    let listener = match TcpListener::bind(("127.0.0.1", PRACTICE_PORT)).await {
        Ok(listener) => listener,
        Err(_) => TcpListener::bind(("127.0.0.1", 0)).await.map_err(fault)?,
    };
    let url = format!("http://{}", listener.local_addr().map_err(fault)?);
    let database = match config.database_url.split('?').next() {
        Some(file) if file.starts_with("sqlite:") => format!("{file}.practice"),
        Some(_) | None => "sqlite:countersign-demo.practice".to_owned(),
    };
    let stop = stop.clone();
    tasks.spawn(async move {
        if let Err(error) = practice::serve(listener, &database, stop.cancelled_owned()).await {
            tracing::error!("the practice supplier stopped: {error}");
        }
    });
    Ok(url)
}

/// Three suppliers, all played by the practice supplier; a new version of their files when its port changed.
async fn point_suppliers_at(desk: &Desk, tenant: &TenantId, url: &str) -> Result<(), DemoError> {
    let named = |file: String, id: &str, name: &str| {
        file.replace("id = \"practice\"", &format!("id = \"{id}\""))
            .replace("name = \"Practice supplier\"", &format!("name = \"{name}\""))
    };
    let files = [
        ("practice", named(example::practice(url), "practice", "Acme Fasteners")),
        ("nordform", named(example::practice(url), "nordform", "Nordform")),
        (
            "papierhaus",
            named(example::promises_nothing(url), "papierhaus", "Papierhaus Berlin"),
        ),
    ];
    let known = desk.supplier_list(tenant).await?;
    for (id, file) in files {
        if !known.iter().any(|row| row.id.as_str() == id && row.file == file) {
            desk.supplier_add(tenant, &file).await?;
        }
    }
    Ok(())
}

/// Who and what the morning needs.
struct Morning<'a> {
    desk: &'a Desk,
    tenant: &'a TenantId,
    buyer: Person,
    assistant: Program,
    practice: String,
}

impl<'a> Morning<'a> {
    async fn prepare(desk: &'a Desk, tenant: &'a TenantId, url: &str) -> Result<Self, DemoError> {
        for (code, name) in [
            ("main-warehouse", "Main warehouse"),
            ("office", "Office, Kantstraße 12"),
        ] {
            desk.site_add(tenant, code, name).await?;
        }
        for one in &PEOPLE {
            let (name, email) = (one.name.to_owned(), one.email.to_owned());
            let new = NewPerson {
                name,
                email,
                roles: vec![one.role],
                password: Some(PASSWORD.to_owned()),
            };
            desk.person_add(tenant, new).await?;
        }
        let (_, secret) = desk
            .token_create(tenant, "stock-watch", crate::desk::house::Scope::Intake)
            .await?;
        let assistant = desk.program(&secret).await?.ok_or(DeskError::Absent("token"))?;
        let session = desk
            .sign_in(PEOPLE[0].email, PASSWORD)
            .await?
            .ok_or(DeskError::Absent("person"))?;
        let buyer = desk
            .session(&session.secret)
            .await?
            .ok_or(DeskError::Absent("session"))?;
        desk.sign_out(&session.secret).await?;
        Ok(Self {
            desk,
            tenant,
            buyer,
            assistant,
            practice: url.to_owned(),
        })
    }

    /// Reserves an intent and suggests its order.
    async fn suggest(
        &self,
        intent: &str,
        purpose: &str,
        proposal: &Proposal,
    ) -> Result<(SuggestionId, Digest), DemoError> {
        let id: IntentId = intent.parse().map_err(|_| DeskError::Absent("intent"))?;
        self.desk.intent_reserve(&self.assistant, &id, purpose).await?;
        match self.desk.suggest(&self.assistant, Ok(&id), Ok(proposal)).await? {
            Taken::In(suggestion) | Taken::Before(suggestion) => Ok((suggestion.id, suggestion.digest)),
        }
    }

    /// Approves a suggestion while the supplier is told what to do with it, and waits until that has happened.
    async fn approve(
        &self,
        (suggestion, digest): (SuggestionId, Digest),
        fault: Option<&str>,
        until: fn(OrderState, u32) -> bool,
    ) -> Result<OrderId, DemoError> {
        if let Some(fault) = fault {
            self.supplier_will(fault).await?;
        }
        let approval = Approval {
            digest,
            second_purchase: false,
            accept_unsettled: Vec::new(),
        };
        let approved = self.desk.approve(&self.buyer, &suggestion, &approval, None).await?;
        let order = approved.order();
        self.wait(&order, until).await?;
        Ok(order)
    }

    async fn wait(&self, order: &OrderId, until: fn(OrderState, u32) -> bool) -> Result<(), DemoError> {
        let reached = async {
            loop {
                let life = self.desk.order_page(&self.buyer, order, None).await?.life;
                if until(life.state, life.not_sent) {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, reached)
            .await
            .unwrap_or(Err(DemoError::Late("an order")))
    }

    /// Puts a fault into the practice supplier's queue, over its own door.
    async fn supplier_will(&self, fault: &str) -> Result<(), DemoError> {
        let body = format!("{{\"next\":[{{\"on\":\"submit\",{fault}}}]}}");
        let broken = |error: &dyn std::fmt::Display| DemoError::Practice(error.to_string());
        let address = self.practice.trim_start_matches("http://");
        let stream = TcpStream::connect(address).await.map_err(|error| broken(&error))?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| broken(&error))?;
        let request = Request::put("/faults")
            .header("host", address)
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| broken(&error))?;
        let answer = async { sender.send_request(request).await };
        let (answer, _) = tokio::join!(answer, async {
            let mut connection = std::pin::pin!(connection);
            let _ = tokio::time::timeout(Duration::from_millis(200), &mut connection).await;
        });
        let status = answer.map_err(|error| broken(&error))?.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(broken(&status))
        }
    }
}
