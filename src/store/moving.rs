//! Carrying every table of a SQLite file over into PostgreSQL, and the mark that closes the file.
//!
//! Rows travel as JSON text: SQLite names and types each value, PostgreSQL's `json_populate_recordset` puts it into the
//! column of that name. So no column is listed here, and none can be forgotten; tables are, and `schema` tells when one
//! is missing. This is the one room besides `dialect` that knows which database it speaks to.

use super::dialect::{Pools, Transaction, ask, done};
use super::{Conn, Store, StoreError, count, micros, moment};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::sqlite::SqliteRow;
use sqlx::{Column, Row, TypeInfo, ValueRef};
use std::collections::BTreeSet;

/// A table that is carried over, with its statements.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub name: &'static str,
    read: &'static str,
    write: &'static str,
    count: &'static str,
}

macro_rules! tables {
    ($($name:literal)+) => {
        &[$(Table {
            name: $name,
            read: concat!("SELECT rowid AS row_number, * FROM ", $name, " WHERE rowid > $1 ORDER BY rowid LIMIT $2"),
            // identity columns keep the numbers they had
            write: concat!(
                "INSERT INTO ", $name, " OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::", $name,
                ", $1::json)"
            ),
            count: concat!("SELECT count(*) FROM ", $name),
        }),+]
    };
}

/// What is carried over; a table comes after those it refers to.
pub const CARRIED: &[Table] = tables!(
    "tenants" "sites" "people" "person_roles" "tokens" "suppliers" "supplier_versions" "intents" "suggestions" "orders"
    "attempts" "attempt_steps" "cases" "look_ups" "findings" "judgements" "second_person_above" "working_hours" "holidays"
    "owner_rules" "absences" "search_words" "proposed_findings"
    "reused_contents" "events" "drafts" "instances" "pauses" "outbox" "outbox_attempts" "digests"
);

/// What stays behind: sessions end with the place they were opened at (people sign in again), and no node that worked on
/// the file works on the new database.
pub const LEFT_BEHIND: &[&str] = &["nodes", "sessions"];

/// Rows in memory at a time; the largest may have a megabyte.
const PAGE: i64 = 200;

/// Where the books went on, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub to: String,
    pub at: DateTime<Utc>,
}

fn wrong_database() -> StoreError {
    StoreError::corrupt("this is not the kind of database that was expected here")
}

/// Begins a write to a file that may be closed already. Whoever writes as usual uses `Store::begin_write`.
pub async fn begin_on_old(old: &Store) -> Result<Transaction, StoreError> {
    let Pools::Sqlite { writer, .. } = &old.pools else {
        return Err(wrong_database());
    };
    Ok(Transaction::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?))
}

/// The mark of a file whose books went on elsewhere.
pub async fn mark(conn: &mut Conn) -> Result<Option<Mark>, StoreError> {
    let row: Option<(String, i64)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT moved_to, moved_at FROM instances WHERE moved_to IS NOT NULL ORDER BY number DESC LIMIT 1"
        )
        .fetch_optional(&mut *conn)
    )?;
    row.map(|(to, at)| Ok(Mark { to, at: moment(at)? })).transpose()
}

/// Closes the file: no write begins on it any more.
pub async fn mark_set(conn: &mut Conn, mark: &Mark) -> Result<(), StoreError> {
    let rows = done!(
        conn,
        sqlx::query(
            "UPDATE instances SET moved_to = $1, moved_at = $2 WHERE number = (SELECT max(number) FROM instances)"
        )
        .bind(&mark.to)
        .bind(micros(mark.at))
        .execute(&mut *conn)
    )?;
    match rows {
        1 => Ok(()),
        _ => Err(StoreError::corrupt("the history has no id to mark")),
    }
}

/// Opens it again.
pub async fn mark_clear(conn: &mut Conn) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE instances SET moved_to = NULL, moved_at = NULL").execute(&mut *conn)
    )?;
    Ok(())
}

/// Nodes that said since then that they live, as `id on host`.
pub async fn nodes_alive(conn: &mut Conn, since: DateTime<Utc>) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT id, host FROM nodes WHERE beat_at > $1 ORDER BY id")
            .bind(micros(since))
            .fetch_all(&mut *conn)
    )?;
    Ok(rows.into_iter().map(|(id, host)| format!("{id} on {host}")).collect())
}

/// Every column there is, as `table.column`.
pub async fn schema(conn: &mut Conn) -> Result<BTreeSet<String>, StoreError> {
    let columns: Vec<String> = match conn {
        Transaction::Sqlite(tx) => {
            let all = "SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c
                       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                       AND t.name <> '_sqlx_migrations'";
            sqlx::query_scalar(all).fetch_all(&mut **tx).await?
        }
        Transaction::Postgres(tx) => {
            let all = "SELECT table_name || '.' || column_name FROM information_schema.columns
                       WHERE table_schema = current_schema() AND table_name <> '_sqlx_migrations'";
            sqlx::query_scalar(all).fetch_all(&mut **tx).await?
        }
    };
    Ok(columns.into_iter().collect())
}

/// Nobody reads or writes the new database until this transaction ends; so whoever asks it then gets the whole truth.
pub async fn lock_new(conn: &mut Conn) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("LOCK TABLE tenants, instances, nodes IN ACCESS EXCLUSIVE MODE").execute(&mut *conn)
    )?;
    Ok(())
}

/// Waits until nobody moves books in: PostgreSQL fixes what a transaction sees with its first question, and a lock is
/// none (https://www.postgresql.org/docs/current/sql-lock.html).
pub async fn wait_for_writer(conn: &mut Conn) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("LOCK TABLE tenants, instances IN ACCESS SHARE MODE").execute(&mut *conn)
    )?;
    Ok(())
}

/// An empty database may have been given an id by a start; the history that moves in brings its own.
pub async fn instances_clear(conn: &mut Conn) -> Result<(), StoreError> {
    done!(conn, sqlx::query("DELETE FROM instances").execute(&mut *conn))?;
    Ok(())
}

/// How many rows the table has.
pub async fn row_count(conn: &mut Conn, table: &Table) -> Result<u64, StoreError> {
    let rows: i64 = ask!(conn, sqlx::query_scalar(table.count).fetch_one(&mut *conn))?;
    count(rows)
}

/// Copies a table page by page; answers how many rows, and the number of the last.
pub async fn table_copy(from: &mut Conn, to: &mut Conn, table: &Table) -> Result<(u64, i64), StoreError> {
    let (mut rows, mut last) = (0, 0);
    loop {
        let page = page_read(from, table, last).await?;
        let Some((number, _)) = page.last() else {
            return Ok((rows, last));
        };
        last = *number;
        let batch: Vec<_> = page.into_iter().map(|(_, row)| row).collect();
        rows += page_write(to, table, &batch).await?;
    }
}

async fn page_read(from: &mut Conn, table: &Table, after: i64) -> Result<Vec<(i64, Map<String, Value>)>, StoreError> {
    let Transaction::Sqlite(tx) = from else {
        return Err(wrong_database());
    };
    let rows = sqlx::query(table.read)
        .bind(after)
        .bind(PAGE)
        .fetch_all(&mut **tx)
        .await?;
    rows.iter().map(as_json).collect()
}

async fn page_write(to: &mut Conn, table: &Table, rows: &[Map<String, Value>]) -> Result<u64, StoreError> {
    let Transaction::Postgres(tx) = to else {
        return Err(wrong_database());
    };
    let text = super::to_json(&rows)?;
    let written = sqlx::query(table.write).bind(text).execute(&mut **tx).await?;
    Ok(written.rows_affected())
}

/// A row with the names of its columns. The tables are STRICT, with whole numbers and texts alone.
fn as_json(row: &SqliteRow) -> Result<(i64, Map<String, Value>), StoreError> {
    let mut values = Map::new();
    for column in row.columns().iter().skip(1) {
        let at = column.ordinal();
        let raw = row.try_get_raw(at)?;
        let value = match (raw.is_null(), raw.type_info().name()) {
            (true, _) => Value::Null,
            (false, "INTEGER") => Value::from(row.try_get::<i64, _>(at)?),
            (false, "TEXT") => Value::from(row.try_get::<String, _>(at)?),
            (false, other) => {
                return Err(StoreError::corrupt(format!("{} holds a {other}", column.name())));
            }
        };
        values.insert(column.name().to_owned(), value);
    }
    Ok((row.try_get(0)?, values))
}

/// Columns that PostgreSQL numbers by itself, as table and column.
pub async fn numbered_columns(conn: &mut Conn) -> Result<Vec<(String, String)>, StoreError> {
    let Transaction::Postgres(tx) = conn else {
        return Err(wrong_database());
    };
    let all = "SELECT table_name::text, column_name::text FROM information_schema.columns
               WHERE table_schema = current_schema() AND is_identity = 'YES'";
    Ok(sqlx::query_as(all).fetch_all(&mut **tx).await?)
}

/// The next number of this column comes after `last`.
pub async fn number_on(conn: &mut Conn, table: &str, column: &str, last: i64) -> Result<(), StoreError> {
    let Transaction::Postgres(tx) = conn else {
        return Err(wrong_database());
    };
    sqlx::query("SELECT setval(pg_get_serial_sequence($1, $2), $3)")
        .bind(table)
        .bind(column)
        .bind(last)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Frozen contents after this id, at most a page: id, contents, digest.
pub async fn frozen_orders(conn: &mut Conn, after: &str) -> Result<Vec<(String, String, String)>, StoreError> {
    Ok(ask!(
        conn,
        sqlx::query_as("SELECT id, contents, digest FROM orders WHERE id > $1 ORDER BY id LIMIT $2")
            .bind(after)
            .bind(PAGE)
            .fetch_all(&mut *conn)
    )?)
}

/// As `frozen_orders`, of suggestions.
pub async fn frozen_suggestions(conn: &mut Conn, after: &str) -> Result<Vec<(String, String, String)>, StoreError> {
    Ok(ask!(
        conn,
        sqlx::query_as("SELECT id, contents, digest FROM suggestions WHERE id > $1 ORDER BY id LIMIT $2")
            .bind(after)
            .bind(PAGE)
            .fetch_all(&mut *conn)
    )?)
}
