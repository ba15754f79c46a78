//! The only place where the two databases differ: how one is opened, what durable means, how a write begins, what the
//! time is, how other processes are woken.
//!
//! One set of literal statements serves both (`$1`, `RETURNING`, `ON CONFLICT`); `ask!` and `done!` send a statement to
//! whichever is in use. Why an enum and not `sqlx::Any`: docs/decisions.md.

use super::StoreError;
use super::place::must_be_local;
use crate::domain::ids::TenantId;
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPool, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An open transaction of the database in use.
#[derive(Debug)]
pub enum Transaction {
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

/// What statements are sent through: always a transaction, so that what belongs together sees one moment.
pub type Conn = Transaction;

impl Transaction {
    /// Makes it last.
    pub async fn commit(self) -> Result<(), StoreError> {
        match self {
            Transaction::Sqlite(tx) => tx.commit().await?,
            Transaction::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }

    /// Wakes the workers of other processes once this is committed.
    pub async fn wake_others(&mut self) -> Result<(), StoreError> {
        if let Transaction::Postgres(tx) = self {
            sqlx::query("SELECT pg_notify($1, '')")
                .bind(CHANNEL)
                .execute(&mut **tx)
                .await?;
        }
        Ok(())
    }
}

/// Sends a statement and answers its rows. The statement names the transaction as its connection: `&mut *conn`.
macro_rules! ask {
    ($conn:ident, $statement:expr) => {
        match &mut *$conn {
            $crate::store::dialect::Transaction::Sqlite(tx) => {
                let $conn = &mut **tx;
                $statement.await
            }
            $crate::store::dialect::Transaction::Postgres(tx) => {
                let $conn = &mut **tx;
                $statement.await
            }
        }
    };
}

/// Sends a statement and answers how many rows it touched.
macro_rules! done {
    ($conn:ident, $statement:expr) => {
        match &mut *$conn {
            $crate::store::dialect::Transaction::Sqlite(tx) => {
                let $conn = &mut **tx;
                $statement.await.map(|done| done.rows_affected())
            }
            $crate::store::dialect::Transaction::Postgres(tx) => {
                let $conn = &mut **tx;
                $statement.await.map(|done| done.rows_affected())
            }
        }
    };
}
/// A statement about the rows whose id, last named in the first part, is in `$1`: a JSON list of texts.
macro_rules! among {
    ($conn:ident, $before:expr, $after:literal) => {
        match $conn {
            $crate::store::dialect::Transaction::Sqlite(_) => {
                concat!($before, " IN (SELECT value FROM json_each($1)) ", $after)
            }
            $crate::store::dialect::Transaction::Postgres(_) => {
                concat!(
                    $before,
                    " = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS jsonb)))) ",
                    $after
                )
            }
        }
    };
}
pub(crate) use {among, ask, done};

/// How long a write waits for another process's write before it gives up.
const BUSY: Duration = Duration::from_secs(20);
/// Readers never wait for the writer (WAL), so a handful serves many pages.
const READERS: u32 = 4;
/// Connections of one process to PostgreSQL.
const CONNECTIONS: u32 = 16;
/// How long a page or act waits for one of them, or for the server to come back.
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);
/// PostgreSQL ends a transaction that its process leaves alone for so long: a process that is frozen or cut off (case C2)
/// must not keep a tenant locked. Ours take milliseconds, and one that was ended is an error like any other.
const FORSAKEN: Duration = Duration::from_secs(5);
/// The channel on which processes wake each other's workers.
const CHANNEL: &str = "countersign_due";

/// SQLite: two pools over one file, many readers and one writer; writers queue in the process instead of colliding (case
/// C5). PostgreSQL: one pool.
#[derive(Debug, Clone)]
pub enum Pools {
    Sqlite { readers: SqlitePool, writer: SqlitePool },
    Postgres(PgPool),
}

/// Opens the database named by a URL such as `sqlite:countersign.db` (creating the file when asked to) or
/// `postgres://host/name`.
pub async fn open(url: &str, create: bool, connected: Arc<AtomicU64>) -> Result<Pools, StoreError> {
    let unusable = |error: String| StoreError::Url {
        url: without_password(url),
        error,
    };
    if url.starts_with("sqlite:") {
        let options = SqliteConnectOptions::from_str(url).map_err(|error| unusable(error.to_string()))?;
        return open_sqlite(options, create, &connected).await;
    }
    // sqlx would take any other text for a file's name, and `serve` would make that file
    if !is_postgres(url) {
        return Err(unusable("it must begin with sqlite: or postgres:".to_owned()));
    }
    let options = PgConnectOptions::from_str(url).map_err(|error| unusable(error.to_string()))?;
    let options = options.application_name("countersign").options([
        ("idle_in_transaction_session_timeout", FORSAKEN.as_millis()),
        ("lock_timeout", BUSY.as_millis()),
    ]);
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(CONNECTED_WITHIN)
        .after_connect(move |_, _| noted(&connected));
    Ok(Pools::Postgres(pool.connect_with(options).await?))
}

/// Whether this address names a PostgreSQL database.
pub fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

/// A database's address for people and logs.
pub fn without_password(url: &str) -> String {
    let Ok(mut parsed) = url::Url::parse(url) else {
        return url.to_owned();
    };
    if parsed.password().is_some() {
        // an address that had a password may have none
        let _ = parsed.set_password(None);
    }
    if parsed.query_pairs().any(|(name, _)| name == "password") {
        let kept: Vec<_> = parsed
            .query_pairs()
            .filter(|(name, _)| name != "password")
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        parsed.set_query(None);
        if !kept.is_empty() {
            parsed.query_pairs_mut().extend_pairs(kept);
        }
    }
    parsed.to_string()
}

/// Opens a SQLite file that nobody else uses.
pub async fn open_copy(file: &Path) -> Result<Pools, StoreError> {
    // a rollback journal goes when the connection does; a write-ahead log would be two files beside the copy
    let options = SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Delete)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(options)
        .await?;
    Ok(Pools::Sqlite {
        readers: pool.clone(),
        writer: pool,
    })
}

impl Pools {
    /// The SQLite file, where it is one.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Pools::Sqlite { writer, .. } => Some(writer.connect_options().get_filename().to_owned()),
            Pools::Postgres(_) => None,
        }
    }
    /// Closes every connection.
    pub async fn close(self) {
        match self {
            Pools::Sqlite { readers, writer } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

/// Every connection that is made is noted: what is behind it may be another database than before (rule 20).
fn noted<'a>(connected: &Arc<AtomicU64>) -> Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'a>> {
    connected.fetch_add(1, Ordering::SeqCst);
    Box::pin(async { Ok(()) })
}

async fn open_sqlite(
    options: SqliteConnectOptions,
    create: bool,
    connected: &Arc<AtomicU64>,
) -> Result<Pools, StoreError> {
    must_be_local(options.get_filename())?;
    let options = options
        .create_if_missing(create)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: an attempt that was committed must survive a power cut (rule 6); NORMAL can lose the last commits
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY);
    let pool = |most: u32| {
        let connected = connected.clone();
        SqlitePoolOptions::new()
            .max_connections(most)
            .acquire_timeout(BUSY * 2)
            .after_connect(move |_, _| noted(&connected))
            // on a full disk SQLite itself undoes the transaction, and sqlx believes for ever that it goes on
            .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
    };
    Ok(Pools::Sqlite {
        writer: pool(1).connect_with(options.clone()).await?,
        readers: pool(READERS).connect_with(options).await?,
    })
}

/// A write transaction. SQLite: immediate, it takes the write lock at once, so it never fails half-way with "locked".
pub async fn begin_write(pools: &Pools) -> Result<Transaction, StoreError> {
    Ok(match pools {
        Pools::Sqlite { writer, .. } => Transaction::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?),
        Pools::Postgres(pool) => {
            // whatever the server's default is: who waited for a lock must see what the one before committed
            let begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
            Transaction::Postgres(pool.begin_with(begin).await?)
        }
    })
}

/// While this is kept, nobody in this process writes to SQLite.
#[derive(Debug)]
pub struct NoWrite {
    _writer: Option<sqlx::pool::PoolConnection<sqlx::Sqlite>>,
}

/// Waits until nobody in this process writes to SQLite. PostgreSQL's transactions end without their process.
pub async fn no_write(pools: &Pools) -> Result<NoWrite, StoreError> {
    let _writer = match pools {
        Pools::Sqlite { writer, .. } => Some(writer.acquire().await?),
        Pools::Postgres(_) => None,
    };
    Ok(NoWrite { _writer })
}

/// A write transaction about this tenant's orders. PostgreSQL: the tenant's row, which is the head of its event chain, is
/// locked first, so that writers of one tenant come one after the other and each sees what the one before committed;
/// that also locks the intent (rule 5). Those of different tenants do not wait for each other.
pub async fn begin_write_in(pools: &Pools, tenant: &TenantId) -> Result<Transaction, StoreError> {
    let mut tx = begin_write(pools).await?;
    if let Transaction::Postgres(tx) = &mut tx {
        sqlx::query("SELECT id FROM tenants WHERE id = $1 FOR UPDATE")
            .bind(tenant.as_str())
            .fetch_optional(&mut **tx)
            .await?;
    }
    Ok(tx)
}

/// Whoever adds the first tenant is alone about it. SQLite's writers are alone anyway.
pub async fn lock_tenants(conn: &mut Conn) -> Result<(), StoreError> {
    if let Transaction::Postgres(tx) = conn {
        sqlx::query("LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE")
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// A read transaction: every statement in it sees the same moment.
pub async fn begin_read(pools: &Pools) -> Result<Transaction, StoreError> {
    Ok(match pools {
        Pools::Sqlite { readers, .. } => Transaction::Sqlite(readers.begin().await?),
        Pools::Postgres(pool) => {
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
            Transaction::Postgres(pool.begin_with(begin).await?)
        }
    })
}

/// What keeps a commit from being durable, in words; nothing when all is well (rule 6).
pub async fn durability_faults(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    match conn {
        Transaction::Sqlite(tx) => {
            let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut **tx).await?;
            let journal: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut **tx).await?;
            let mut faults = Vec::new();
            if synchronous < 2 {
                faults.push(format!("synchronous is {synchronous}; it must be FULL (2)"));
            }
            if !journal.eq_ignore_ascii_case("wal") {
                faults.push(format!("journal_mode is {journal}; it must be WAL"));
            }
            Ok(faults)
        }
        Transaction::Postgres(tx) => {
            let mut faults = Vec::new();
            let fsync: String = sqlx::query_scalar("SHOW fsync").fetch_one(&mut **tx).await?;
            if fsync != "on" {
                faults.push(format!("fsync is {fsync}; it must be on"));
            }
            let commit: String = sqlx::query_scalar("SHOW synchronous_commit")
                .fetch_one(&mut **tx)
                .await?;
            if commit == "off" {
                faults.push("synchronous_commit is off; it must be on".to_owned());
            }
            Ok(faults)
        }
    }
}

/// Brings the schema up to date.
pub async fn migrate(pools: &Pools) -> Result<(), StoreError> {
    match pools {
        Pools::Sqlite { writer, .. } => sqlx::migrate!("migrations/sqlite").run(writer).await,
        Pools::Postgres(pool) => sqlx::migrate!("migrations/postgres").run(pool).await,
    }
    .map_err(StoreError::Migration)
}

/// How the schema differs from what this program wants, in migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// Not applied yet.
    pub missing: usize,
    /// Applied by a newer program.
    pub unknown: usize,
}

/// How the schema differs from what this program wants.
pub async fn schema(conn: &mut Conn) -> Result<Schema, StoreError> {
    let wanted: Vec<i64> = match conn {
        Transaction::Sqlite(_) => sqlx::migrate!("migrations/sqlite")
            .iter()
            .map(|one| one.version)
            .collect(),
        Transaction::Postgres(_) => sqlx::migrate!("migrations/postgres")
            .iter()
            .map(|one| one.version)
            .collect(),
    };
    let applied: Vec<i64> = if has_no_schema(conn).await? {
        Vec::new()
    } else {
        ask!(
            conn,
            sqlx::query_scalar("SELECT version FROM _sqlx_migrations WHERE success").fetch_all(&mut *conn)
        )?
    };
    let not_in = |these: &[i64], those: &[i64]| these.iter().filter(|one| !those.contains(one)).count();
    Ok(Schema {
        missing: not_in(&wanted, &applied),
        unknown: not_in(&applied, &wanted),
    })
}

/// Whether no migration was ever applied.
pub async fn has_no_schema(conn: &mut Conn) -> Result<bool, StoreError> {
    let table: Option<String> = match conn {
        Transaction::Sqlite(tx) => {
            let named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'";
            sqlx::query_scalar(named).fetch_optional(&mut **tx).await?
        }
        Transaction::Postgres(tx) => {
            let named = "SELECT to_regclass('_sqlx_migrations')::text";
            sqlx::query_scalar(named).fetch_one(&mut **tx).await?
        }
    };
    Ok(table.is_none())
}

/// Whether this is a SQLite file that does not have this table (yet).
pub async fn is_sqlite_without_table(conn: &mut Conn, table: &str) -> Result<bool, StoreError> {
    let Transaction::Sqlite(tx) = conn else {
        return Ok(false);
    };
    let named = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1";
    let tables: i64 = sqlx::query_scalar(named).bind(table).fetch_one(&mut **tx).await?;
    Ok(tables == 0)
}

/// Where a node's file stands when no setting says so: beside the SQLite file, else in the working folder.
pub fn node_file(pools: &Pools) -> PathBuf {
    match pools.file() {
        Some(file) => {
            let mut name = file.into_os_string();
            name.push(".node");
            name.into()
        }
        None => "countersign.node".into(),
    }
}

/// What tells this database from a copy of it on the same machine: the file's own number, or the number PostgreSQL gave
/// it. Moving the file keeps it; copying it, or putting another in its place, does not.
pub async fn place(pools: &Pools) -> Result<String, StoreError> {
    match pools {
        Pools::Sqlite { writer, .. } => file_number(writer.connect_options().get_filename()),
        Pools::Postgres(pool) => {
            let number = "SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database()";
            let number: i64 = sqlx::query_scalar(number).fetch_one(pool).await?;
            Ok(format!("{number}{}", cluster_mark(pool).await?))
        }
    }
}

/// What tells one PostgreSQL server's data from another's: databases made alike get the same number. Nothing where we may
/// not ask for it.
async fn cluster_mark(pool: &PgPool) -> Result<String, StoreError> {
    let may_ask = "SELECT has_function_privilege('pg_control_system()', 'execute')";
    let may_ask: bool = sqlx::query_scalar(may_ask).fetch_one(pool).await?;
    if !may_ask {
        return Ok(String::new());
    }
    let mark = "SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()";
    let mark: String = sqlx::query_scalar(mark).fetch_one(pool).await?;
    Ok(format!("@{mark}"))
}

/// Whether every connection is to the file that stands at its name now; SQLite goes on writing to a file that was
/// exchanged, and nobody would see it. PostgreSQL cuts its connections.
pub fn is_in_place(pools: &Pools, place: &str) -> bool {
    pools
        .file()
        .is_none_or(|file| file_number(&file).is_ok_and(|number| number == place))
}

fn file_number(file: &Path) -> Result<String, StoreError> {
    let about = std::fs::metadata(file).map_err(|error| StoreError::Url {
        url: file.display().to_string(),
        error: error.to_string(),
    })?;
    Ok(about.ino().to_string())
}

/// What the database's clock said.
#[derive(Debug, Clone, Copy)]
pub struct ToldTime {
    /// Microseconds since 1970.
    pub micros: i64,
    /// From the question to the answer.
    pub round_trip: Duration,
}

/// The database's clock; nothing where the database has none of its own (SQLite is in the process).
pub async fn clock(pools: &Pools) -> Result<Option<ToldTime>, StoreError> {
    match pools {
        Pools::Sqlite { .. } => Ok(None),
        Pools::Postgres(pool) => {
            // the wait for a connection is no part of the question
            let mut connection = pool.acquire().await?;
            let statement = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";
            let asked = Instant::now();
            let micros = sqlx::query_scalar(statement).fetch_one(&mut *connection).await?;
            let round_trip = asked.elapsed();
            Ok(Some(ToldTime { micros, round_trip }))
        }
    }
}

/// Hears when other processes made something due.
#[derive(Debug)]
pub struct Listener(PgListener);

/// Begins to listen; nothing where there are no others to hear.
pub async fn listen(pools: &Pools) -> Result<Option<Listener>, StoreError> {
    match pools {
        Pools::Sqlite { .. } => Ok(None),
        Pools::Postgres(pool) => {
            let mut listener = PgListener::connect_with(pool).await?;
            // whoever listens decides when to try again, and looks at what it missed
            listener.eager_reconnect(false);
            listener.listen(CHANNEL).await?;
            Ok(Some(Listener(listener)))
        }
    }
}

impl Listener {
    /// Comes back when something was made due; an error when the connection is lost.
    pub async fn heard(&mut self) -> Result<(), StoreError> {
        match self.0.try_recv().await? {
            Some(_) => Ok(()),
            None => Err(sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into()).into()),
        }
    }
}

/// Tenant and id of orders that may be sent, longest due first. Of each supplier that is not busy the first few are
/// looked up in the index: however many orders wait for a busy one, they are not read.
///
/// `busy` as in `orders::order_due`.
pub async fn due(conn: &mut Conn, busy: &str, now: i64, most: i64) -> Result<Vec<(String, String)>, StoreError> {
    let found = match conn {
        Transaction::Sqlite(tx) => {
            let due = "SELECT o.tenant, o.id FROM suppliers s CROSS JOIN orders o
                WHERE replace($2, '|' || s.tenant || '/' || s.id || '|', '') = $2
                AND o.id IN (SELECT d.id FROM orders d
                             WHERE d.tenant = s.tenant AND d.supplier = s.id AND d.state = 'approved' AND d.holds = ''
                             AND d.due_at <= $1
                             AND NOT EXISTS (SELECT 1 FROM orders later
                                             WHERE later.tenant = d.tenant AND later.intent = d.intent
                                             AND later.revision > d.revision
                                             AND later.state NOT IN ('refused', 'withdrawn'))
                             ORDER BY d.due_at LIMIT $3)
                ORDER BY o.due_at LIMIT $3";
            let due = sqlx::query_as(due).bind(now).bind(busy).bind(most);
            due.fetch_all(&mut **tx).await?
        }
        Transaction::Postgres(tx) => {
            let due = "SELECT o.tenant, o.id FROM suppliers s CROSS JOIN LATERAL (
                    SELECT d.tenant, d.id, d.due_at FROM orders d
                    WHERE d.tenant = s.tenant AND d.supplier = s.id AND d.state = 'approved' AND d.holds = ''
                    AND d.due_at <= $1
                    AND NOT EXISTS (SELECT 1 FROM orders later
                                    WHERE later.tenant = d.tenant AND later.intent = d.intent
                                    AND later.revision > d.revision
                                    AND later.state NOT IN ('refused', 'withdrawn'))
                    ORDER BY d.due_at LIMIT $3) o
                WHERE replace($2, '|' || s.tenant || '/' || s.id || '|', '') = $2
                ORDER BY o.due_at LIMIT $3";
            let due = sqlx::query_as(due).bind(now).bind(busy).bind(most);
            due.fetch_all(&mut **tx).await?
        }
    };
    Ok(found)
}

/// The first of these orders of one tenant, in the order given, that may still be sent and that nobody else has in hand.
///
/// PostgreSQL: its row is locked, and rows that somebody else has locked are passed over; so a worker that waited for its
/// turn does not spend it on an order that another has just claimed. The tenant's row must be locked before
/// (`begin_write_in`): orders first would deadlock. SQLite: the first of them; the guarded write decides.
pub async fn first_due(conn: &mut Conn, orders: &[String], now: i64) -> Result<Option<String>, StoreError> {
    match conn {
        Transaction::Sqlite(_) => Ok(orders.first().cloned()),
        Transaction::Postgres(tx) => {
            let first = "SELECT id FROM orders
                WHERE id = ANY($1) AND (state = 'approved' AND holds = '' AND due_at <= $2 OR resume_at IS NOT NULL)
                ORDER BY array_position($1, id) LIMIT 1 FOR UPDATE SKIP LOCKED";
            let found = sqlx::query_scalar(first).bind(orders).bind(now);
            Ok(found.fetch_optional(&mut **tx).await?)
        }
    }
}

/// As `first_due`, of orders to be asked about.
pub async fn first_asked(conn: &mut Conn, orders: &[String], now: i64) -> Result<Option<String>, StoreError> {
    match conn {
        Transaction::Sqlite(_) => Ok(orders.first().cloned()),
        Transaction::Postgres(tx) => {
            let first = "SELECT id FROM orders WHERE id = ANY($1) AND look_up_at <= $2
                ORDER BY array_position($1, id) LIMIT 1 FOR UPDATE SKIP LOCKED";
            let found = sqlx::query_scalar(first).bind(orders).bind(now);
            Ok(found.fetch_optional(&mut **tx).await?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case C1: the disk is full, and later it is not.
    #[tokio::test]
    async fn after_a_full_disk_it_can_be_written_again_without_a_restart() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("full.db").display());
        let pools = open(&url, true, Arc::default()).await.expect("a database");
        migrate(&pools).await.expect("its schema");
        let mut full = begin_write(&pools).await.expect("a transaction");
        let Transaction::Sqlite(tx) = &mut full else {
            panic!("this is SQLite");
        };
        // not less than what there is: no page more
        let limit = sqlx::query("PRAGMA max_page_count = 1").execute(&mut **tx).await;
        limit.expect("a limit");
        let row = "INSERT INTO tenants (id, name, zone, salt, created_at)
                   VALUES (hex(randomblob(500)), hex(randomblob(500)), 'UTC', 'salt', 0)";
        let filled = async {
            loop {
                if let Err(error) = sqlx::query(row).execute(&mut **tx).await {
                    return error;
                }
            }
        };
        assert!(filled.await.to_string().contains("full"));
        drop(full);

        let mut again = begin_write(&pools).await.expect("a transaction again");

        let conn = &mut again;
        let wrote = done!(conn, sqlx::query(row).execute(&mut *conn));
        assert_eq!(wrote.expect("written"), 1);
        again.commit().await.expect("kept");
    }
}
