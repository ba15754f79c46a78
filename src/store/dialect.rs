//! The only place where the databases differ: how one is opened, what durable means, how a write begins.
//!
//! SQLite alone today. Statements elsewhere keep to the subset that PostgreSQL shares (`$1`, `RETURNING`,
//! `ON CONFLICT`), so that the second database joins here.

use super::StoreError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use std::str::FromStr;
use std::time::Duration;

/// A connection of the database in use.
pub type Conn = sqlx::SqliteConnection;
/// An open transaction.
pub type Transaction = sqlx::Transaction<'static, sqlx::Sqlite>;

/// How long a write waits for another process's write before it gives up.
const BUSY: Duration = Duration::from_secs(20);
/// Readers never wait for the writer (WAL), so a handful serves many pages.
const READERS: u32 = 8;

/// Two pools over one file: many readers, one writer. Writers queue in the process instead of colliding (case C5).
#[derive(Debug, Clone)]
pub struct Pools {
    pub readers: SqlitePool,
    pub writer: SqlitePool,
}

/// Opens the database named by a URL such as `sqlite:countersign.db`, creating the file when asked to.
pub async fn open(url: &str, create: bool) -> Result<Pools, StoreError> {
    let unusable = |error: String| StoreError::Url {
        url: url.to_owned(),
        error,
    };
    // sqlx would take any other text for a file's name, and `serve` would make that file
    if !url.starts_with("sqlite:") {
        return Err(unusable("it must begin with sqlite:".to_owned()));
    }
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|error| unusable(error.to_string()))?
        .create_if_missing(create)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: an attempt that was committed must survive a power cut (rule 6); NORMAL can lose the last commits
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY);
    let pool = |most: u32| SqlitePoolOptions::new().max_connections(most).acquire_timeout(BUSY * 2);
    Ok(Pools {
        writer: pool(1).connect_with(options.clone()).await?,
        readers: pool(READERS).connect_with(options).await?,
    })
}

/// A write transaction. Immediate: it takes the write lock at once, so it never fails half-way with "locked".
pub async fn begin_write(pools: &Pools) -> Result<Transaction, StoreError> {
    Ok(pools.writer.begin_with("BEGIN IMMEDIATE").await?)
}

/// A read transaction: every statement in it sees the same moment.
pub async fn begin_read(pools: &Pools) -> Result<Transaction, StoreError> {
    Ok(pools.readers.begin().await?)
}

/// What keeps a commit from being durable, in words; nothing when all is well (rule 6).
pub async fn durability_faults(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut *conn).await?;
    let journal: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *conn).await?;
    let mut faults = Vec::new();
    if synchronous < 2 {
        faults.push(format!("synchronous is {synchronous}; it must be FULL (2)"));
    }
    if !journal.eq_ignore_ascii_case("wal") {
        faults.push(format!("journal_mode is {journal}; it must be WAL"));
    }
    Ok(faults)
}

/// Brings the schema up to date.
pub async fn migrate(pools: &Pools) -> Result<(), StoreError> {
    sqlx::migrate!("migrations/sqlite")
        .run(&pools.writer)
        .await
        .map_err(StoreError::Migration)
}

/// Whether the schema is as this program wants it: number of migrations not applied yet.
pub async fn missing_migrations(conn: &mut Conn) -> Result<usize, StoreError> {
    let table: Option<String> =
        sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'")
            .fetch_optional(&mut *conn)
            .await?;
    let applied: i64 = match table {
        None => 0,
        Some(_) => {
            sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success")
                .fetch_one(conn)
                .await?
        }
    };
    let known = sqlx::migrate!("migrations/sqlite").iter().count();
    Ok(known.saturating_sub(usize::try_from(applied).unwrap_or(0)))
}
