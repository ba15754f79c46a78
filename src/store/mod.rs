//! SQL, and nothing but SQL: rows in, rows out. Functions are named noun first, verb second; every UPDATE that
//! moves an order, suggestion, attempt or case names the state or version it expects, and answers `Written`.
//!
//! Must not: decide. What may follow what is `domain`'s; the tables' CHECKs only restate it.

pub mod absences;
pub mod attempts;
mod backup;
pub mod calendars;
pub mod cases;
pub mod dialect;
pub mod digests;
pub mod drafts;
pub mod events;
pub mod exports;
pub mod figures;
pub mod findings;
pub mod instances;
pub mod intents;
pub mod judgements;
pub mod look_ups;
pub mod moving;
pub mod node_file;
pub mod nodes;
pub mod orders;
pub mod outbox;
pub mod owner_rules;
pub mod pauses;
pub mod people;
mod place;
pub mod queue;
pub mod reused;
pub mod search;
pub mod second_person;
pub mod suggestions;
pub mod suppliers;
pub mod tenants;

use crate::domain::ids::TenantId;
use chrono::{DateTime, Utc};
use dialect::Schema;
pub use dialect::{Conn, Transaction, is_postgres, without_password};
pub use place::network_file_system;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why the database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the database address {url} cannot be used: {error}")]
    Url { url: String, error: String },
    #[error(
        "the node's file {path} cannot be used: {error}; if it is damaged, remove it: the house then starts paused"
    )]
    NodeFile { path: String, error: String },
    #[error("another process of this machine keeps {path} locked; if it is frozen, let it go on or end it")]
    NodeFileLocked { path: String },
    #[error(
        "{} is on a network file system ({kind}), where SQLite cannot work safely: put it on a disk of this machine, \
         or use PostgreSQL",
        .file.display()
    )]
    OnNetwork { file: PathBuf, kind: &'static str },
    #[error("this database was moved to {to} on {}; nothing is written here any more", .at.format("%Y-%m-%d %H:%M UTC"))]
    Moved { to: String, at: DateTime<Utc> },
    #[error("the schema could not be brought up to date: {0}")]
    Migration(#[source] sqlx::migrate::MigrateError),
    #[error("the database holds a value that cannot be read: {0}")]
    Corrupt(String),
    #[error("the database did not answer: {0}")]
    Database(#[from] sqlx::Error),
}

impl StoreError {
    /// A stored value that is none of ours.
    pub fn corrupt(what: impl std::fmt::Display) -> Self {
        Self::Corrupt(what.to_string())
    }
    /// Whether a unique key refused the write: somebody was faster.
    pub fn is_taken(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.is_unique_violation(),
            Self::Url { .. }
            | Self::NodeFile { .. }
            | Self::NodeFileLocked { .. }
            | Self::OnNetwork { .. }
            | Self::Moved { .. }
            | Self::Migration(_)
            | Self::Corrupt(_)
            | Self::Database(_) => false,
        }
    }
    /// Whether the database undid the transaction because it crossed another one (serialization failure, deadlock):
    /// nothing of it was done, and the same may be tried again.
    pub fn is_crossed(&self) -> bool {
        self.sql_state().is_some_and(|state| CROSSED.contains(&&*state))
    }
    /// Whether the database cannot be reached, has no connection to give, or did not come to it in time. What was under
    /// way was not done, unless it was its commit that broke off: then nobody knows.
    pub fn is_away(&self) -> bool {
        let Self::Database(error) = self else { return false };
        let no_connection = matches!(
            error,
            sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed
        );
        let says_so = |state: String| AWAY.iter().any(|away| state.starts_with(away));
        no_connection || self.sql_state().is_some_and(says_so)
    }
    /// PostgreSQL's five characters; SQLite's are shorter numbers.
    fn sql_state(&self) -> Option<String> {
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.code().map(|code| code.into_owned()),
            Self::Url { .. }
            | Self::NodeFile { .. }
            | Self::NodeFileLocked { .. }
            | Self::OnNetwork { .. }
            | Self::Moved { .. }
            | Self::Migration(_)
            | Self::Corrupt(_)
            | Self::Database(_) => None,
        }
    }
}

/// `serialization_failure` and `deadlock_detected`.
const CROSSED: [&str; 2] = ["40001", "40P01"];
/// Connection failures, a server that shuts down or starts, too many connections, a session that was ended, a lock that
/// was not to be had in time.
const AWAY: [&str; 5] = ["08", "57P0", "53300", "25P03", "55P03"];

/// What became of an UPDATE that named the state and version it expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Written {
    Done,
    /// It is not, or no longer, as expected: somebody was faster (rule 14).
    NotInThatState,
}

impl Written {
    fn of(rows: u64) -> Self {
        if rows == 1 {
            Written::Done
        } else {
            Written::NotInThatState
        }
    }
}

/// The database.
#[derive(Debug, Clone)]
pub struct Store {
    pools: dialect::Pools,
    connected: Arc<AtomicU64>,
}

impl Store {
    /// Opens the database; `create` makes the SQLite file when there is none.
    pub async fn open(url: &str, create: bool) -> Result<Self, StoreError> {
        let connected = Arc::new(AtomicU64::new(1));
        Ok(Self {
            pools: dialect::open(url, create, connected.clone()).await?,
            connected,
        })
    }
    /// Opens a copy that nobody else uses: one connection, and no files beside it once it is closed.
    pub async fn open_copy(file: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            pools: dialect::open_copy(file).await?,
            connected: Arc::default(),
        })
    }
    /// Closes every connection.
    pub async fn close(self) {
        self.pools.close().await;
    }
    /// Writes a copy of one moment into this file, while others read and write. SQLite only.
    pub async fn copy_into(&self, file: &Path) -> Result<(), StoreError> {
        backup::copy_into(&self.pools, file).await
    }
    /// Takes out of a copy what is not true of it: no process works on it.
    pub async fn forget_nodes(&self) -> Result<(), StoreError> {
        // also of a copy of a file that was moved away
        let mut tx = dialect::begin_write(&self.pools).await?;
        backup::forget_nodes(&mut tx).await?;
        tx.commit().await
    }
    /// What is wrong with the file itself, in the database's own words.
    pub async fn file_faults(&self) -> Result<Vec<String>, StoreError> {
        let mut read = self.begin_read().await?;
        backup::file_faults(&mut read).await
    }
    /// Brings the schema up to date.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        dialect::migrate(&self.pools).await
    }
    /// Begins a write transaction. A file that was moved away takes none, whoever has had it open since before.
    pub async fn begin_write(&self) -> Result<Transaction, StoreError> {
        not_moved(dialect::begin_write(&self.pools).await?).await
    }
    /// Waits until nobody in this process writes to a file: one that stands still in the midst of a write would have every
    /// other process wait.
    pub async fn no_write(&self) -> Result<dialect::NoWrite, StoreError> {
        dialect::no_write(&self.pools).await
    }
    /// Begins a write transaction about this tenant's orders.
    pub async fn begin_write_in(&self, tenant: &TenantId) -> Result<Transaction, StoreError> {
        not_moved(dialect::begin_write_in(&self.pools, tenant).await?).await
    }
    /// Refuses a file that was moved away, also one whose schema is not current.
    pub async fn must_be_here(&self) -> Result<(), StoreError> {
        let mut read = self.begin_read().await?;
        if dialect::is_sqlite_without_table(&mut read, "instances").await? {
            return Ok(());
        }
        not_moved(read).await.map(drop)
    }
    /// The SQLite file, where it is one.
    pub fn file(&self) -> Option<PathBuf> {
        self.pools.file()
    }
    /// Begins a read transaction.
    pub async fn begin_read(&self) -> Result<Transaction, StoreError> {
        dialect::begin_read(&self.pools).await
    }
    /// Begins to hear what other processes make due; nothing where there are no others to hear.
    pub async fn listen(&self) -> Result<Option<dialect::Listener>, StoreError> {
        dialect::listen(&self.pools).await
    }
    /// What time it is by the database's clock; nothing where it has none of its own.
    pub async fn clock(&self) -> Result<Option<dialect::ToldTime>, StoreError> {
        dialect::clock(&self.pools).await
    }
    /// How many connections were made until now: behind each new one may be another database (rule 20).
    pub fn connections_made(&self) -> u64 {
        self.connected.load(Ordering::SeqCst)
    }
    /// Whether nodes may stand on machines of their own, each with its own file.
    pub fn nodes_have_files_of_their_own(&self) -> bool {
        matches!(self.pools, dialect::Pools::Postgres(_))
    }
    /// Where this node's file stands when no setting says so.
    pub fn node_file(&self) -> PathBuf {
        dialect::node_file(&self.pools)
    }
    /// What tells this database from a copy of it on the same machine.
    pub async fn place(&self) -> Result<String, StoreError> {
        dialect::place(&self.pools).await
    }
    /// Whether the database was not exchanged under its open connections.
    pub fn is_in_place(&self, place: &str) -> bool {
        dialect::is_in_place(&self.pools, place)
    }
    /// What is wrong with the database as a place to keep money: durability, schema.
    pub async fn faults(&self) -> Result<Vec<String>, StoreError> {
        let mut read = self.begin_read().await?;
        let mut faults = dialect::durability_faults(&mut read).await?;
        let Schema { missing, unknown } = dialect::schema(&mut read).await?;
        if missing > 0 {
            faults.push(format!("{missing} migrations are missing; run `countersign migrate`"));
        }
        if unknown > 0 {
            faults.push(format!(
                "{unknown} migrations are there that this program does not know: a newer one made them"
            ));
        }
        Ok(faults)
    }
    /// Whether a start may bring the schema up to date: a file, which is one machine's, or a database that has none yet.
    /// On a server other processes may be at work with the schema they know.
    pub async fn may_be_migrated_unasked(&self) -> Result<bool, StoreError> {
        if self.file().is_some() {
            return Ok(true);
        }
        let mut read = self.begin_read().await?;
        dialect::has_no_schema(&mut read).await
    }
}

/// Only a SQLite file is ever moved away: PostgreSQL is spared the question.
async fn not_moved(mut tx: Transaction) -> Result<Transaction, StoreError> {
    let mark = match &tx {
        Transaction::Sqlite(_) => moving::mark(&mut tx).await?,
        Transaction::Postgres(_) => None,
    };
    match mark {
        None => Ok(tx),
        Some(moving::Mark { to, at }) => Err(StoreError::Moved { to, at }),
    }
}

/// A moment as it is kept: microseconds since 1970, UTC.
pub(crate) fn micros(moment: DateTime<Utc>) -> i64 {
    moment.timestamp_micros()
}

/// A kept moment, read back.
pub(crate) fn moment(micros: i64) -> Result<DateTime<Utc>, StoreError> {
    DateTime::from_timestamp_micros(micros).ok_or_else(|| StoreError::corrupt(format!("moment {micros}")))
}

/// An optional kept moment, read back.
pub(crate) fn moment_if(micros: Option<i64>) -> Result<Option<DateTime<Utc>>, StoreError> {
    micros.map(moment).transpose()
}

/// A kept text, read back as what it names.
pub(crate) fn parsed<T: std::str::FromStr>(text: &str) -> Result<T, StoreError>
where
    T::Err: std::fmt::Display,
{
    text.parse()
        .map_err(|error| StoreError::corrupt(format!("{text:?}: {error}")))
}

/// The same, of what may be absent.
pub(crate) fn parsed_if<T: std::str::FromStr>(text: Option<&str>) -> Result<Option<T>, StoreError>
where
    T::Err: std::fmt::Display,
{
    text.map(parsed).transpose()
}

/// A kept JSON text, read back.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(StoreError::corrupt)
}

/// A value as JSON text.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::corrupt)
}

/// A kept count or version, read back.
pub(crate) fn count(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(StoreError::corrupt)
}

/// A count or version as it is kept.
pub(crate) fn kept(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(StoreError::corrupt)
}
