//! The command line: verbs, settings, and who carries them out. Nothing else.

use clap::{Args, Parser, Subcommand};
use countersign::commands::{self, Against, CommandError, Form, Serve};
use countersign::config::{Config, LogFormat, Overrides};
use countersign::desk::away::AwayTyped;
use countersign::desk::house::Scope;
use countersign::desk::owners::RuleChange;
use countersign::domain::export::{Book, Reader, Table};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// One approval, exactly one purchase.
#[derive(Parser)]
#[command(name = "countersign", version, about, propagate_version = true)]
struct Line {
    /// Settings file (TOML); the environment (COUNTERSIGN_…, DATABASE_URL) wins over it.
    #[arg(long, global = true, value_name = "FILE", env = "COUNTERSIGN_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

/// Which tenant, where there are several.
#[derive(Args)]
struct Of {
    /// The tenant, by name; needed once there are two.
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
}

#[derive(Subcommand)]
enum Verb {
    /// Web and worker in one process.
    Serve {
        /// Web only; the worker is another process (`work`).
        #[arg(long)]
        no_worker: bool,
        /// Fill an empty database with a practice tenant, and print address and sign-ins.
        #[arg(long)]
        demo: bool,
        /// Address and port to serve on.
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<String>,
    },
    /// Worker only.
    Work {
        /// Serve /health, /ready and /metrics there; without it nothing is served.
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<SocketAddr>,
    },
    /// The practice supplier, as a program of its own.
    PracticeSupplier {
        #[arg(long, default_value = "127.0.0.1:3001")]
        listen: SocketAddr,
        #[arg(long, value_name = "URL", default_value = "sqlite:practice.db")]
        database: String,
    },
    /// Create the schema and the first tenant.
    Init {
        #[arg(long, value_name = "NAME")]
        tenant: String,
        /// Time zone, such as Europe/Berlin.
        #[arg(long)]
        zone: String,
    },
    /// Bring the schema up to date.
    Migrate,
    /// Check settings, database, suppliers and people; name every fault at once.
    Check,
    /// End the pause after a restore, once no order from before the gap is held.
    EndPause {
        /// What was done about the gap.
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        of: Of,
    },
    /// Copy the SQLite database into a new file, checked, while it is in use.
    Backup { file: PathBuf },
    /// Write the books to standard output: a JSON object a line, or a table as CSV.
    #[command(subcommand)]
    Export(Export),
    /// Hold every event against its hash, and say of each log whether it is whole and how it ends.
    Verify {
        /// Hold the log against this event too, as an earlier run or an export named it.
        #[arg(long, value_name = "NUMBER:HASH", conflicts_with = "export")]
        anchor: Option<String>,
        /// Verify this exported log, and hold the tenant's against its anchor.
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
        #[command(flatten)]
        of: Of,
    },
    /// Move everything from the SQLite file into an empty PostgreSQL database, for good.
    Move {
        /// The new database, such as postgres://desk@db.example/desk.
        #[arg(long, value_name = "URL")]
        to: String,
    },
    /// Further tenants.
    #[command(subcommand)]
    Tenant(Tenant),
    /// Delivery sites.
    #[command(subcommand)]
    Site(Site),
    /// Suppliers: contract and mapping in one file.
    #[command(subcommand)]
    Supplier(Supplier),
    /// People.
    #[command(subcommand)]
    Person(Person),
    /// Tokens for programs.
    #[command(subcommand)]
    Token(Token),
}

#[derive(Subcommand)]
enum Export {
    /// The log: every event with its hash, oldest first; as jsonl with the anchor as the last line.
    Events(Written),
    /// Every order, newest first; as jsonl the way the API shows it.
    Orders(Written),
    /// Every line, charge and allowance of every order; as csv alone.
    Lines(Written),
    /// Everything open, section by section as the queue has it; as csv alone.
    Queue(Written),
}

/// How an export is written.
#[derive(Args)]
struct Written {
    /// jsonl or csv.
    #[arg(long = "as", value_name = "FORM", value_parser = Form::of)]
    form: Form,
    /// machines (exact, the default) or people (guarded against their spreadsheets); with csv.
    #[arg(long = "for", value_name = "READER", value_parser = reader)]
    reader: Option<Reader>,
    #[command(flatten)]
    of: Of,
}

#[derive(Subcommand)]
enum Tenant {
    /// Add a further tenant.
    Add {
        name: String,
        #[arg(long)]
        zone: String,
    },
    /// When people work: deadlines are counted in it. Without an argument: what is set.
    Hours {
        /// Such as "mon-fri 08:00-18:00; sat 09:00-12:00".
        #[arg(long, value_name = "HOURS", conflicts_with = "off")]
        set: Option<String>,
        /// No working hours any more: time is counted as it passes.
        #[arg(long)]
        off: bool,
        #[command(flatten)]
        of: Of,
    },
    /// Days on which nobody works. Without an argument: those that are set.
    Holiday {
        /// Such as 2026-12-25.
        #[arg(requires = "holiday")]
        day: Option<String>,
        /// What it is called.
        #[arg(long, requires = "day", group = "holiday")]
        name: Option<String>,
        /// A working day again.
        #[arg(long, requires = "day", group = "holiday")]
        off: bool,
        #[command(flatten)]
        of: Of,
    },
    /// Whose new cases are first, and by when they are due. Without an argument: what is set.
    Owner {
        /// Of this supplier alone; without it: of all others.
        #[arg(long, value_name = "ID")]
        supplier: Option<String>,
        /// A resolver or manager, by e-mail or id; while they are away their deputy, else whoever has least to do.
        #[arg(long, value_name = "WHO", conflicts_with = "off")]
        owner: Option<String>,
        /// Such as 4h or 90m of working time, or "17:00 next working day".
        #[arg(long, value_name = "LIMIT", conflicts_with = "off")]
        within: Option<String>,
        /// No rule any more.
        #[arg(long)]
        off: bool,
        #[command(flatten)]
        of: Of,
    },
    /// Above this amount a second person, a manager, confirms what a person found out. Without an amount: what is set.
    SecondPerson {
        /// Such as EUR.
        #[arg(long, requires = "change")]
        currency: Option<String>,
        /// Such as 1000.00, in that currency.
        #[arg(long, group = "change", requires = "currency")]
        above: Option<String>,
        /// No amount in that currency any more.
        #[arg(long, group = "change", requires = "currency")]
        off: bool,
        #[command(flatten)]
        of: Of,
    },
}

#[derive(Subcommand)]
enum Site {
    /// Add a site, or rename it.
    Add {
        code: String,
        #[arg(long)]
        name: String,
        #[command(flatten)]
        of: Of,
    },
    /// List sites.
    List {
        #[command(flatten)]
        of: Of,
    },
}

#[derive(Subcommand)]
enum Supplier {
    /// Add a supplier, or a new version of one.
    Add {
        file: PathBuf,
        #[command(flatten)]
        of: Of,
    },
    /// List suppliers.
    List {
        #[command(flatten)]
        of: Of,
    },
    /// Put a supplier on hold: its orders wait.
    Hold {
        id: String,
        #[arg(long, default_value = "put on hold from the command line")]
        reason: String,
        #[command(flatten)]
        of: Of,
    },
    /// Release a supplier: what only it held is due.
    Release {
        id: String,
        #[command(flatten)]
        of: Of,
    },
    /// Print an example file.
    Example {
        which: String,
        #[arg(long)]
        url: String,
    },
}

#[derive(Subcommand)]
enum Person {
    /// Add a person.
    Add {
        name: String,
        #[arg(long)]
        email: String,
        /// buyer, resolver, manager, admin; several with commas.
        #[arg(long, value_delimiter = ',', required = true)]
        role: Vec<String>,
        /// Read the password from standard input.
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        of: Of,
    },
    /// List people.
    List {
        #[command(flatten)]
        of: Of,
    },
    /// Disable a person, by e-mail or id; their cases move to others.
    Disable {
        who: String,
        #[command(flatten)]
        of: Of,
    },
    /// Say that a person, by e-mail or id, is away: new cases go to who stands in.
    Away {
        who: String,
        /// The last day, such as 2026-12-04.
        #[arg(long, value_name = "DAY")]
        until: String,
        /// The first day; today without it.
        #[arg(long, value_name = "DAY")]
        from: Option<String>,
        /// Who stands in: a resolver or manager, by e-mail or id.
        #[arg(long, value_name = "WHO")]
        deputy: Option<String>,
        #[command(flatten)]
        of: Of,
    },
    /// Say that a person is there again, or does not go away after all.
    Back {
        who: String,
        #[command(flatten)]
        of: Of,
    },
}

#[derive(Subcommand)]
enum Token {
    /// Make a token; its secret is shown once, alone on the last line.
    Create {
        name: String,
        /// intake or read.
        #[arg(long, value_parser = scope)]
        scope: Scope,
        #[command(flatten)]
        of: Of,
    },
    /// List tokens.
    List {
        #[command(flatten)]
        of: Of,
    },
    /// Revoke a token.
    Revoke {
        id: String,
        #[command(flatten)]
        of: Of,
    },
}

fn reader(word: &str) -> Result<Reader, String> {
    Reader::named(word).ok_or_else(|| "either machines or people".to_owned())
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::of(word).ok_or_else(|| "either intake or read".to_owned())
}

/// Blocks of 128 KiB and more go back to the system when they are freed. Left to itself the system's allocator raises that
/// size by the largest block it ever saw freed (a password's check is 19 MB), and keeps what lies below
/// (docs/decisions.md "Memory goes back").
fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: a number of the allocator is set, before there is a second thread
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 * 1024);
    }
}

fn main() -> ExitCode {
    give_memory_back();
    // what the ledger knows is its owner's alone, whatever the shell's mask is
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let line = Line::parse();
    match run(line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Said { error, as_json }) => {
            if as_json {
                tracing::error!("{error}");
            } else {
                eprintln!("countersign: {error}");
            }
            match error {
                CommandError::Usage(_) => ExitCode::from(2),
                CommandError::Failed(_) => ExitCode::FAILURE,
            }
        }
    }
}

fn run(line: Line) -> Result<(), Said> {
    if let Verb::Supplier(Supplier::Example { which, url }) = &line.verb {
        return Ok(commands::supplier_example(which, url)?);
    }
    let listen = match &line.verb {
        Verb::Serve { listen, .. } => listen.clone(),
        _ => None,
    };
    let config = Config::load(line.config.as_deref(), &Overrides { listen });
    let config = config.map_err(|fault| CommandError::Usage(fault.to_string()))?;
    log_to_stderr(config.log);
    let runtime = tokio::runtime::Runtime::new().map_err(|error| CommandError::Failed(error.to_string()))?;
    runtime.block_on(carry_out(line.verb, &config)).map_err(|error| Said {
        error,
        as_json: config.log == LogFormat::Json,
    })
}

/// Why it failed, and whether whoever reads standard error reads objects.
struct Said {
    error: CommandError,
    as_json: bool,
}

impl From<CommandError> for Said {
    fn from(error: CommandError) -> Self {
        Self { error, as_json: false }
    }
}

fn log_to_stderr(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,countersign=info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => {
            log.json().flatten_event(true).init();
            // a panic's own words are lines of text; whoever reads objects gets one
            std::panic::set_hook(Box::new(|panic| {
                tracing::error!("a part of this process died: {panic}")
            }));
        }
    }
}

async fn carry_out(verb: Verb, config: &Config) -> Result<(), CommandError> {
    match verb {
        Verb::Serve {
            no_worker,
            demo,
            listen: _,
        } => {
            commands::serve(
                config,
                Serve {
                    worker: !no_worker,
                    demo,
                },
            )
            .await
        }
        Verb::Work { listen } => commands::work(config, listen).await,
        Verb::PracticeSupplier { listen, database } => commands::practice_supplier(listen, &database).await,
        Verb::Init { tenant, zone } => commands::tenant_add(config, &tenant, &zone, true).await,
        Verb::Migrate => commands::migrate(config).await,
        Verb::Check => commands::check(config).await,
        Verb::EndPause { reason, of } => {
            let desk = commands::open_to_write(config).await?;
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            commands::end_pause(&desk, &tenant, &reason).await
        }
        Verb::Move { to } => commands::move_to(config, &to).await,
        Verb::Backup { file } => commands::backup(config, &file).await,
        Verb::Export(verb) => export(verb, config).await,
        Verb::Verify { anchor, export, of } => {
            let against = match (&anchor, &export) {
                (Some(anchor), _) => Against::Anchor(anchor),
                (None, Some(file)) => Against::Export(file),
                (None, None) => Against::Itself,
            };
            commands::verify(config, of.tenant.as_deref(), against).await
        }
        Verb::Tenant(verb) => tenant(verb, config).await,
        Verb::Site(verb) => site(verb, config).await,
        Verb::Supplier(verb) => supplier(verb, config).await,
        Verb::Person(verb) => person(verb, config).await,
        Verb::Token(verb) => token(verb, config).await,
    }
}

async fn tenant(verb: Tenant, config: &Config) -> Result<(), CommandError> {
    match verb {
        Tenant::Add { name, zone } => commands::tenant_add(config, &name, &zone, false).await,
        Tenant::Hours { set, off, of } => {
            let change = (off || set.is_some()).then_some(set.as_deref());
            commands::working_hours(config, of.tenant.as_deref(), change).await
        }
        Tenant::Holiday { day, name, of, .. } => {
            let change = day.as_deref().map(|day| (day, name.as_deref()));
            commands::holidays(config, of.tenant.as_deref(), change).await
        }
        Tenant::Owner {
            supplier,
            owner,
            within,
            off,
            of,
        } => {
            let is_asked = supplier.is_none() && owner.is_none() && within.is_none() && !off;
            let change = match off {
                true => RuleChange::Off,
                false => RuleChange::Set { owner, within },
            };
            let change = (!is_asked).then_some((supplier.as_deref(), &change));
            commands::owner_rules(config, of.tenant.as_deref(), change).await
        }
        Tenant::SecondPerson {
            currency,
            above,
            off: _,
            of,
        } => {
            let change = currency.map(|currency| (currency, above));
            commands::second_person(config, of.tenant.as_deref(), change).await
        }
    }
}

async fn export(verb: Export, config: &Config) -> Result<(), CommandError> {
    let (table, Written { form, reader, of }) = match verb {
        Export::Events(written) => (Table::Book(Book::Events), written),
        Export::Orders(written) => (Table::Book(Book::Orders), written),
        Export::Lines(written) => (Table::Book(Book::Lines), written),
        Export::Queue(written) => (Table::Queue, written),
    };
    commands::export(config, table, form, reader, of.tenant.as_deref()).await
}

async fn site(verb: Site, config: &Config) -> Result<(), CommandError> {
    let desk = commands::open_to_write(config).await?;
    match verb {
        Site::Add { code, name, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            commands::site_add(&desk, &tenant, &code, &name).await
        }
        Site::List { of } => commands::site_list(&desk, &desk.tenant_named(of.tenant.as_deref()).await?).await,
    }
}

async fn supplier(verb: Supplier, config: &Config) -> Result<(), CommandError> {
    let desk = commands::open_to_write(config).await?;
    match verb {
        Supplier::Add { file, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            commands::supplier_add(&desk, &tenant, &file).await
        }
        Supplier::List { of } => commands::supplier_list(&desk, &desk.tenant_named(of.tenant.as_deref()).await?).await,
        Supplier::Hold { id, reason, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            Ok(desk.supplier_hold(&tenant, &id, &reason).await?)
        }
        Supplier::Release { id, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            Ok(desk.supplier_release(&tenant, &id).await?)
        }
        Supplier::Example { which, url } => commands::supplier_example(&which, &url),
    }
}

async fn person(verb: Person, config: &Config) -> Result<(), CommandError> {
    let desk = commands::open_to_write(config).await?;
    match verb {
        Person::Add {
            name,
            email,
            role,
            password_stdin,
            of,
        } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            commands::person_add(&desk, &tenant, (name, email), &role, password_stdin).await
        }
        Person::List { of } => commands::person_list(&desk, &desk.tenant_named(of.tenant.as_deref()).await?).await,
        Person::Disable { who, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            Ok(desk.person_disable(&tenant, &who).await?)
        }
        Person::Away {
            who,
            until,
            from,
            deputy,
            of,
        } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            let away = AwayTyped {
                from: from.unwrap_or_default(),
                until,
                deputy: deputy.unwrap_or_default(),
            };
            Ok(desk.person_away(&tenant, &who, &away).await?)
        }
        Person::Back { who, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            Ok(desk.person_back(&tenant, &who).await?)
        }
    }
}

async fn token(verb: Token, config: &Config) -> Result<(), CommandError> {
    let desk = commands::open_to_write(config).await?;
    match verb {
        Token::Create { name, scope, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            commands::token_create(&desk, &tenant, &name, scope).await
        }
        Token::List { of } => commands::token_list(&desk, &desk.tenant_named(of.tenant.as_deref()).await?).await,
        Token::Revoke { id, of } => {
            let tenant = desk.tenant_named(of.tenant.as_deref()).await?;
            Ok(desk.token_revoke(&tenant, &id).await?)
        }
    }
}
