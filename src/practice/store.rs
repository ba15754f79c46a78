//! What the practice supplier remembers, in one SQLite file: orders, keys, waiting faults, the contract, the log.
//!
//! Promises that whatever a function here reports as written is on disk (WAL, `synchronous = FULL`), and that whoever
//! writes more than one row does it in one immediate transaction. Decides nothing: what a key or a duplicate means is said
//! in [`super::orders`].

use std::str::FromStr;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool};

use super::contract::Contract;
use super::faults::{Fault, Kind};
use super::{Moment, PracticeError, Trouble, now};

/// The tables; `id` counts orders from 1, and their number says `A-` and a thousand more.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS orders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    TEXT NOT NULL,
    reference  TEXT NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('confirmed', 'in_progress', 'refused', 'cancelled')),
    recorded   TEXT NOT NULL CHECK (json_valid(recorded)),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS orders_by_reference ON orders (reference, id);

-- A key with an order and without an answer: the answer was an error and errors are not saved.
CREATE TABLE IF NOT EXISTS keys (
    scope         TEXT NOT NULL,
    key           TEXT NOT NULL,
    body_digest   TEXT NOT NULL,
    first_used_at INTEGER NOT NULL,
    order_id      INTEGER REFERENCES orders (id),
    status        INTEGER,
    body          BLOB,
    PRIMARY KEY (scope, key),
    CHECK ((status IS NULL) = (body IS NULL)),
    CHECK (order_id IS NOT NULL OR status IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS faults (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    kind  TEXT NOT NULL CHECK (kind IN ('submit', 'look_up')),
    fault TEXT NOT NULL CHECK (json_valid(fault))
) STRICT;

CREATE TABLE IF NOT EXISTS contract (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    switches TEXT NOT NULL CHECK (json_valid(switches))
) STRICT;

CREATE TABLE IF NOT EXISTS requests (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    method    TEXT NOT NULL,
    path      TEXT NOT NULL,
    key       TEXT,
    reference TEXT,
    fault     TEXT,
    status    INTEGER
) STRICT;
";

/// A transaction that holds the write lock from its first statement on.
pub(super) type Writing = sqlx::Transaction<'static, Sqlite>;

/// The supplier's memory.
#[derive(Debug, Clone)]
pub(super) struct Store {
    pool: SqlitePool,
}

/// An order as the supplier holds it.
#[derive(Debug, Clone)]
pub(super) struct Order {
    id: i64,
    pub(super) account: String,
    pub(super) reference: String,
    pub(super) status: String,
    /// What was sent (or what was made of it), field by field.
    pub(super) recorded: Map<String, Value>,
    pub(super) created_at: Moment,
}

/// A request at the moment it arrives.
pub(super) struct NewRequest<'a> {
    pub(super) at: Moment,
    pub(super) kind: Option<Kind>,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) key: Option<&'a str>,
    pub(super) reference: Option<&'a str>,
}

/// A key within its scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct KeyName {
    pub(super) scope: String,
    pub(super) key: String,
}

/// What a key stands for.
#[derive(Debug, Clone)]
pub(super) struct KeyRecord {
    pub(super) body_digest: String,
    pub(super) first_used_at: Moment,
    pub(super) order_id: Option<i64>,
    /// Status and body, byte for byte.
    pub(super) answer: Option<(StatusCode, Vec<u8>)>,
}

impl Order {
    /// The supplier's number for it.
    pub(super) fn number(&self) -> String {
        format!("A-{}", self.id.saturating_add(1000))
    }

    /// The order as it is shown: what was recorded, under the supplier's own four fields.
    pub(super) fn shown(&self) -> Value {
        let mut shown = self.recorded.clone();
        shown.insert("number".to_owned(), json!(self.number()));
        shown.insert("status".to_owned(), json!(self.status));
        shown.insert("reference".to_owned(), json!(self.reference));
        shown.insert("created_at".to_owned(), json!(self.created_at.text()));
        Value::Object(shown)
    }

    pub(super) const fn id(&self) -> i64 {
        self.id
    }
}

/// The id behind a number; only the exact text of a number has one (`A-01001` is nobody's).
fn id_of(number: &str) -> Option<i64> {
    let id = number.strip_prefix("A-")?.parse::<i64>().ok()?.checked_sub(1000)?;
    (format!("A-{}", id.saturating_add(1000)) == number).then_some(id)
}

type OrderRow = (i64, String, String, String, String, i64);

fn order_of_row((id, account, reference, status, recorded, created_at): OrderRow) -> Result<Order, Trouble> {
    let recorded = serde_json::from_str(&recorded).map_err(|error| unreadable("order", &error))?;
    Ok(Order {
        id,
        account,
        reference,
        status,
        recorded,
        created_at: Moment(created_at),
    })
}

fn unreadable(what: &'static str, detail: &dyn std::fmt::Display) -> Trouble {
    Trouble::Unreadable {
        what,
        detail: detail.to_string(),
    }
}

impl Store {
    /// Opens the file, creating it and its tables when missing.
    pub(super) async fn open(url: &str) -> Result<Self, PracticeError> {
        let open = |source| PracticeError::Open {
            url: url.to_owned(),
            source,
        };
        let options = SqliteConnectOptions::from_str(url)
            .map_err(open)?
            .create_if_missing(true)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(10));
        // SQLite has one writer. With one connection nobody here is told "locked"; the timeout is for outsiders.
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options)
            .await
            .map_err(open)?;
        let prepared = sqlx::raw_sql(SCHEMA).execute(&pool).await;
        prepared.map_err(|source| PracticeError::Prepare {
            url: url.to_owned(),
            source,
        })?;
        Ok(Self { pool })
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    pub(super) async fn begin(&self) -> Result<Writing, Trouble> {
        Ok(self.pool.begin_with("BEGIN IMMEDIATE").await?)
    }

    // Requests: written when they arrive, completed when the answer is known.

    /// Logs a request, takes the first waiting fault of its kind, and reads the contract: all or nothing.
    pub(super) async fn request_arrived(
        &self,
        request: &NewRequest<'_>,
    ) -> Result<(i64, Option<Fault>, Contract), Trouble> {
        let mut writing = self.begin().await?;
        let fault = match request.kind {
            Some(kind) => fault_take(&mut writing, kind).await?,
            None => None,
        };
        let contract = contract_read(&mut *writing).await?;
        let id = sqlx::query_scalar::<_, i64>(
            "INSERT INTO requests (at, method, path, key, reference, fault) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(request.at.0)
        .bind(request.method)
        .bind(request.path)
        .bind(request.key)
        .bind(request.reference)
        .bind(fault.as_ref().map(|fault| fault.name))
        .fetch_one(&mut *writing)
        .await?;
        writing.commit().await?;
        Ok((id, fault, contract))
    }

    /// Adds the reference to a logged request, once its body has been read.
    pub(super) async fn request_named(&self, id: i64, reference: &str) -> Result<(), Trouble> {
        let update = sqlx::query("UPDATE requests SET reference = ? WHERE id = ?");
        update.bind(reference).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// Adds the status of the answer to a logged request.
    pub(super) async fn request_answered(&self, id: i64, status: u16) -> Result<(), Trouble> {
        let update = sqlx::query("UPDATE requests SET status = ? WHERE id = ?");
        update.bind(status).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    /// The log, oldest first.
    pub(super) async fn requests(&self) -> Result<Vec<Value>, Trouble> {
        type Row = (
            i64,
            String,
            String,
            Option<String>,
            Option<String>,
            Option<String>,
            Option<i64>,
        );
        let rows: Vec<Row> =
            sqlx::query_as("SELECT at, method, path, key, reference, fault, status FROM requests ORDER BY id")
                .fetch_all(&self.pool)
                .await?;
        let shown = |(at, method, path, key, reference, fault, status): Row| {
            json!({
                "at": Moment(at).text(), "method": method, "path": path, "key": key,
                "reference": reference, "fault": fault, "status": status,
            })
        };
        Ok(rows.into_iter().map(shown).collect())
    }

    // Faults and the contract.

    /// Replaces the queue of every kind named in `next`; an empty list clears them all.
    pub(super) async fn faults_put(&self, next: &[(Fault, &Value)]) -> Result<(), Trouble> {
        let mut writing = self.begin().await?;
        for kind in [Kind::Submit, Kind::LookUp] {
            if next.is_empty() || next.iter().any(|(fault, _)| fault.on == kind) {
                let delete = sqlx::query("DELETE FROM faults WHERE kind = ?");
                delete.bind(kind.name()).execute(&mut *writing).await?;
            }
        }
        for (fault, document) in next {
            let insert = sqlx::query("INSERT INTO faults (kind, fault) VALUES (?, ?)");
            let insert = insert.bind(fault.on.name()).bind(document.to_string());
            insert.execute(&mut *writing).await?;
        }
        writing.commit().await?;
        Ok(())
    }

    /// The faults still waiting, in the order in which they will be taken.
    pub(super) async fn faults(&self) -> Result<Vec<Value>, Trouble> {
        let waiting: Vec<String> = sqlx::query_scalar("SELECT fault FROM faults ORDER BY id")
            .fetch_all(&self.pool)
            .await?;
        let parsed = waiting.iter().map(|fault| serde_json::from_str(fault));
        parsed
            .collect::<Result<_, _>>()
            .map_err(|error| unreadable("fault", &error))
    }

    pub(super) async fn contract(&self) -> Result<Contract, Trouble> {
        contract_read(&self.pool).await
    }

    /// Changes the contract in one transaction: two people changing different switches both win.
    pub(super) async fn contract_change<E>(
        &self,
        change: impl FnOnce(Contract) -> Result<Contract, E>,
    ) -> Result<Result<Contract, E>, Trouble> {
        let mut writing = self.begin().await?;
        let changed = match change(contract_read(&mut *writing).await?) {
            Ok(changed) => changed,
            Err(refused) => return Ok(Err(refused)),
        };
        let switches = serde_json::to_string(&changed).map_err(|error| unreadable("contract", &error))?;
        sqlx::query("INSERT INTO contract (id, switches) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET switches = excluded.switches")
            .bind(switches)
            .execute(&mut *writing)
            .await?;
        writing.commit().await?;
        Ok(Ok(changed))
    }

    // Orders.

    /// How many records there are for a reference, of whatever account and status, visible or not.
    pub(super) async fn order_count(&self, reference: &str) -> Result<i64, Trouble> {
        let count = sqlx::query_scalar("SELECT count(*) FROM orders WHERE reference = ?");
        Ok(count.bind(reference).fetch_one(&self.pool).await?)
    }

    /// Orders stored at or before `until`, oldest first: those of a reference (exact text), or all.
    pub(super) async fn orders(&self, reference: Option<&str>, until: Moment) -> Result<Vec<Order>, Trouble> {
        let rows: Vec<OrderRow> = sqlx::query_as(
            "SELECT id, account, reference, status, recorded, created_at FROM orders \
             WHERE (?1 IS NULL OR reference = ?1) AND created_at <= ?2 ORDER BY id",
        )
        .bind(reference)
        .bind(until.0)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(order_of_row).collect()
    }

    /// One order by its number (exact text).
    pub(super) async fn order_numbered(&self, number: &str) -> Result<Option<Order>, Trouble> {
        match id_of(number) {
            Some(id) => order_fetch(&self.pool, id).await,
            None => Ok(None),
        }
    }

    /// Changes one order by its number in one transaction; `None` when there is none.
    pub(super) async fn order_change<E>(
        &self,
        number: &str,
        change: impl FnOnce(&mut Order) -> Result<(), E>,
    ) -> Result<Option<Result<Order, E>>, Trouble> {
        let mut writing = self.begin().await?;
        let Some(id) = id_of(number) else {
            return Ok(None);
        };
        let Some(mut order) = order_fetch(&mut *writing, id).await? else {
            return Ok(None);
        };
        if let Err(refused) = change(&mut order) {
            return Ok(Some(Err(refused)));
        }
        let update = sqlx::query("UPDATE orders SET status = ?, recorded = ? WHERE id = ?");
        let update = update.bind(&order.status).bind(recorded_text(&order.recorded)).bind(id);
        update.execute(&mut *writing).await?;
        writing.commit().await?;
        Ok(Some(Ok(order)))
    }

    /// What a key stands for, if it was first used after `since`.
    pub(super) async fn key_fetch(&self, name: &KeyName, since: Moment) -> Result<Option<KeyRecord>, Trouble> {
        type Row = (String, i64, Option<i64>, Option<u16>, Option<Vec<u8>>);
        let row: Option<Row> = sqlx::query_as(
            "SELECT body_digest, first_used_at, order_id, status, body FROM keys \
             WHERE scope = ? AND key = ? AND first_used_at > ?",
        )
        .bind(&name.scope)
        .bind(&name.key)
        .bind(since.0)
        .fetch_optional(&self.pool)
        .await?;
        row.map(key_of_row).transpose()
    }
}

fn key_of_row(
    (body_digest, first_used_at, order_id, status, body): (String, i64, Option<i64>, Option<u16>, Option<Vec<u8>>),
) -> Result<KeyRecord, Trouble> {
    let answer = match (status, body) {
        (Some(status), Some(body)) => {
            let status = StatusCode::from_u16(status).map_err(|error| unreadable("status", &error))?;
            Some((status, body))
        }
        _ => None,
    };
    Ok(KeyRecord {
        body_digest,
        first_used_at: Moment(first_used_at),
        order_id,
        answer,
    })
}

async fn fault_take(writing: &mut Writing, kind: Kind) -> Result<Option<Fault>, Trouble> {
    let taken: Option<String> =
        sqlx::query_scalar("DELETE FROM faults WHERE id = (SELECT min(id) FROM faults WHERE kind = ?) RETURNING fault")
            .bind(kind.name())
            .fetch_optional(&mut **writing)
            .await?;
    let Some(text) = taken else { return Ok(None) };
    let document: Value = serde_json::from_str(&text).map_err(|error| unreadable("fault", &error))?;
    let fault = Fault::read(&document, "").map_err(|errors| unreadable("fault", &format!("{errors:?}")))?;
    Ok(Some(fault))
}

async fn contract_read(from: impl sqlx::SqliteExecutor<'_>) -> Result<Contract, Trouble> {
    let switches: Option<String> = sqlx::query_scalar("SELECT switches FROM contract WHERE id = 1")
        .fetch_optional(from)
        .await?;
    let Some(switches) = switches else {
        return Ok(Contract::default());
    };
    let switches: Value = serde_json::from_str(&switches).map_err(|error| unreadable("contract", &error))?;
    let read = Contract::default().changed_by(&switches);
    read.map_err(|errors| unreadable("contract", &format!("{errors:?}")))
}

/// One order by its id.
pub(super) async fn order_fetch(from: impl sqlx::SqliteExecutor<'_>, id: i64) -> Result<Option<Order>, Trouble> {
    let row: Option<OrderRow> =
        sqlx::query_as("SELECT id, account, reference, status, recorded, created_at FROM orders WHERE id = ?")
            .bind(id)
            .fetch_optional(from)
            .await?;
    row.map(order_of_row).transpose()
}

/// The oldest order of an account with this reference.
pub(super) async fn order_of_reference(
    writing: &mut Writing,
    account: &str,
    reference: &str,
) -> Result<Option<Order>, Trouble> {
    let row: Option<OrderRow> = sqlx::query_as(
        "SELECT id, account, reference, status, recorded, created_at FROM orders \
         WHERE account = ? AND reference = ? ORDER BY id LIMIT 1",
    )
    .bind(account)
    .bind(reference)
    .fetch_optional(&mut **writing)
    .await?;
    row.map(order_of_row).transpose()
}

/// Stores a new order and gives it its number.
pub(super) async fn order_insert(
    writing: &mut Writing,
    account: &str,
    reference: &str,
    status: &str,
    recorded: Map<String, Value>,
) -> Result<Order, Trouble> {
    let created_at = now();
    let id = sqlx::query_scalar(
        "INSERT INTO orders (account, reference, status, recorded, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(account)
    .bind(reference)
    .bind(status)
    .bind(recorded_text(&recorded))
    .bind(created_at.0)
    .fetch_one(&mut **writing)
    .await?;
    let (account, reference, status) = (account.to_owned(), reference.to_owned(), status.to_owned());
    Ok(Order {
        id,
        account,
        reference,
        status,
        recorded,
        created_at,
    })
}

/// Saves what a key stands for; an older record of it has expired, or was an answer that is not replayed.
pub(super) async fn key_save(writing: &mut Writing, name: &KeyName, record: &KeyRecord) -> Result<(), Trouble> {
    let (status, body) = record
        .answer
        .as_ref()
        .map(|(status, body)| (status.as_u16(), body.as_slice()))
        .unzip();
    sqlx::query(
        "INSERT INTO keys (scope, key, body_digest, first_used_at, order_id, status, body) VALUES (?, ?, ?, ?, ?, ?, ?) \
         ON CONFLICT (scope, key) DO UPDATE SET body_digest = excluded.body_digest, \
         first_used_at = excluded.first_used_at, order_id = excluded.order_id, status = excluded.status, \
         body = excluded.body",
    )
    .bind(&name.scope)
    .bind(&name.key)
    .bind(&record.body_digest)
    .bind(record.first_used_at.0)
    .bind(record.order_id)
    .bind(status)
    .bind(body)
    .execute(&mut **writing)
    .await?;
    Ok(())
}

fn recorded_text(recorded: &Map<String, Value>) -> String {
    Value::Object(recorded.clone()).to_string()
}
