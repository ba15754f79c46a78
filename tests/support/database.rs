//! The database of a house: a SQLite file in its folder, or a database of its own on the PostgreSQL server that
//! `COUNTERSIGN_TEST_POSTGRES` names (`tools/postgres.sh run`). Every test runs on either; it asks here where it must
//! know on which.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a database is made and dropped by a name, which no statement takes as a value"
)]

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Connection, Executor, PgConnection};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The server's address with a slash at the end; nothing when the tests run on SQLite.
fn server() -> Option<String> {
    std::env::var("COUNTERSIGN_TEST_POSTGRES").ok()
}

/// Whether the tests run on PostgreSQL.
pub fn on_postgres() -> bool {
    server().is_some()
}

/// What only one database says so, for the one in use.
pub fn either<T>(sqlite: T, postgres: T) -> T {
    if on_postgres() { postgres } else { sqlite }
}

/// Whether the tests run on PostgreSQL; if not, says why this one is left out.
pub fn only_on_postgres(why: &str) -> bool {
    if !on_postgres() {
        // not by `eprintln!`, which is shown for failing tests only; that it cannot be told is no reason to fail
        let _ = writeln!(std::io::stderr(), "left out on SQLite: {why}");
    }
    on_postgres()
}

/// A test's own database; it goes with its handle.
#[derive(Debug)]
pub struct Database {
    pub url: String,
    /// Its server and its name there.
    on_server: Option<(String, String)>,
}

impl Database {
    /// Without any table. SQLite: `countersign.db` in the folder, and no file yet.
    pub fn empty(folder: &Path) -> Self {
        match server() {
            Some(server) => Self::made(server, ""),
            None => Self::file(folder),
        }
    }

    /// On this server, without any table.
    pub fn on(cluster: &Cluster) -> Self {
        Self::made(cluster.address.clone(), "")
    }

    /// Like another one, which nobody uses. SQLite: the file is there already.
    pub fn like(template: &Self, folder: &Path) -> Self {
        match &template.on_server {
            Some((server, name)) => Self::made(server.clone(), &format!("TEMPLATE {name}")),
            None => Self::file(folder),
        }
    }

    /// SQLite's, wherever the tests run.
    pub fn file(folder: &Path) -> Self {
        let url = format!("sqlite:{}", folder.join("countersign.db").display());
        Self { url, on_server: None }
    }

    fn made(server: String, like: &str) -> Self {
        let name = format!("house_{:016x}", RandomState::new().build_hasher().finish());
        administer(&server, format!("CREATE DATABASE {name} {like}")).expect("a database of its own");
        let url = format!("{server}{name}");
        Self {
            url,
            on_server: Some((server, name)),
        }
    }

    /// The setting with which the program finds it: none for a file that lies where a newcomer's does.
    pub fn setting(&self) -> Option<(&'static str, String)> {
        let named = |_| ("database_url", self.url.clone());
        self.on_server.as_ref().map(named)
    }

    /// Connections to it, for looking and for tampering.
    pub async fn pool(&self) -> AnyPool {
        sqlx::any::install_default_drivers();
        let pool = AnyPoolOptions::new().max_connections(2).connect(&self.url);
        pool.await.expect("the database")
    }

    /// A copy of everything in it, while nobody is connected.
    pub fn back_up(&self) -> Backup {
        match &self.on_server {
            Some((server, name)) => Backup::OnServer(Self::made(server.clone(), &format!("TEMPLATE {name}"))),
            None => {
                let file = self.path();
                // what is still in the write-ahead log belongs to it
                let url = self.url.clone();
                block_on(async move {
                    let mut connection = sqlx::SqliteConnection::connect(&url).await?;
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").await?;
                    connection.close().await
                })
                .expect("a checkpoint");
                Backup::Bytes(std::fs::read(file).expect("the file"))
            }
        }
    }

    /// Puts the copy in the place of what is there. SQLite: over the file, so that its number stays and only what it says
    /// goes back.
    pub fn put_back(&self, backup: &Backup) {
        match (&self.on_server, backup) {
            (Some((server, name)), Backup::OnServer(copy)) => {
                let (_, like) = copy.on_server.as_ref().expect("on the server");
                administer(server, format!("DROP DATABASE {name} WITH (FORCE)")).expect("dropped");
                administer(server, format!("CREATE DATABASE {name} TEMPLATE {like}")).expect("made again");
            }
            (None, Backup::Bytes(bytes)) => {
                for ending in ["-wal", "-shm"] {
                    // there may be none
                    let _ = std::fs::remove_file(format!("{}{ending}", self.path()));
                }
                std::fs::write(self.path(), bytes).expect("put back");
            }
            (Some(_), Backup::Bytes(_)) | (None, Backup::OnServer(_)) => panic!("a backup of another database"),
        }
    }

    /// As `put_back`, by another file.
    pub fn put_back_as_copy(&self, backup: &Backup) {
        if self.on_server.is_none() {
            std::fs::rename(self.path(), format!("{}.before", self.path())).expect("moved away");
        }
        self.put_back(backup);
    }

    fn path(&self) -> String {
        self.url.trim_start_matches("sqlite:").to_owned()
    }

    /// Takes a trigger away, so that what it guards can be tampered with.
    pub async fn drop_trigger(&self, trigger: &str, table: &str) {
        let drop = either(
            format!("DROP TRIGGER {trigger}"),
            format!("DROP TRIGGER {trigger} ON {table}"),
        );
        let pool = self.pool().await;
        pool.execute(sqlx::AssertSqlSafe(drop)).await.expect("the trigger");
        pool.close().await;
    }
}

/// A copy of a database.
#[derive(Debug)]
pub enum Backup {
    Bytes(Vec<u8>),
    OnServer(Database),
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some((server, name)) = &self.on_server
            && let Err(error) = administer(server, format!("DROP DATABASE {name} WITH (FORCE)"))
        {
            eprintln!("{name} stays: {error}");
        }
    }
}

/// Does this on the server.
fn administer(server: &str, statement: String) -> Result<(), sqlx::Error> {
    let url = format!("{server}postgres");
    block_on(async move {
        let mut connection = PgConnection::connect(&url).await?;
        connection.execute(sqlx::AssertSqlSafe(statement)).await?;
        connection.close().await
    })
}

/// Waits for it in a thread, since neither a test without a runtime nor a handle that is dropped can await.
fn block_on(work: impl Future<Output = Result<(), sqlx::Error>> + Send + 'static) -> Result<(), sqlx::Error> {
    let there = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(work)
    });
    there.join().expect("it ends")
}

/// Where nobody listened a moment ago, for a process that is to come back at its address; outside the range that the
/// system gives to those who ask for any port, so that nobody takes it meanwhile.
pub fn free_address() -> String {
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let begin = (RandomState::new().build_hasher().finish() % 15_000) as u16;
    let port = (15_000 + begin..30_000).find(free).expect("a free port");
    format!("127.0.0.1:{port}")
}

/// A PostgreSQL server of a test's own, which may be restarted or misconfigured. It is stopped with its handle.
pub struct Cluster {
    folder: TempDir,
    /// Its address, to be followed by a database's name.
    pub address: String,
}

impl Cluster {
    /// With these settings of `postgresql.conf`, such as `fsync=off`. In memory where there is some: it syncs each commit
    /// there too, and it costs nothing.
    pub fn start(settings: &[&str]) -> Self {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        Self::start_in(folder.expect("a temporary folder"), settings)
    }

    /// As `start`, in this folder.
    pub fn start_in(folder: TempDir, settings: &[&str]) -> Self {
        let address = Self::script("start", &folder, settings).trim().to_owned();
        Self { folder, address }
    }

    /// Stops and starts it at the same address; `immediate` is how a power cut ends it.
    pub fn restart(&self, mode: &str) {
        Self::script("restart", &self.folder, &[mode]);
    }

    /// Cuts the connection at this place of the list of those that somebody has, counted round and round. Answers whether
    /// there was one.
    pub async fn cut_one(&self, at: usize) -> bool {
        // the server may be starting
        self.try_cut_one(at).await.unwrap_or(false)
    }

    async fn try_cut_one(&self, at: usize) -> Result<bool, sqlx::Error> {
        let mut connection = PgConnection::connect(&format!("{}postgres", self.address)).await?;
        let others = "SELECT pid FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid";
        let others: Vec<i32> = sqlx::query_scalar(others).fetch_all(&mut connection).await?;
        let Some(pid) = others.get(at % others.len().max(1)) else {
            return Ok(false);
        };
        let cut = sqlx::query_scalar("SELECT pg_terminate_backend($1)").bind(pid);
        let cut = cut.fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(cut)
    }

    fn script(verb: &str, folder: &TempDir, more: &[&str]) -> String {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/postgres.sh");
        let mut command = Command::new(script);
        let ran = command.arg(verb).arg(folder.path()).args(more).output().expect("runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{verb}: {said}");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        Self::script("stop", &self.folder, &[]);
    }
}
