//! Copying a SQLite file while others use it. PostgreSQL has its own programs for that.

use super::dialect::{Pools, Transaction, done, is_sqlite_without_table};
use super::{Conn, StoreError};
use std::path::Path;

fn only_sqlite() -> StoreError {
    StoreError::corrupt("only a SQLite file can be copied like this")
}

/// Writes a copy of one moment. The file may be there if it is empty. The copy is not durable yet.
pub(super) async fn copy_into(pools: &Pools, file: &Path) -> Result<(), StoreError> {
    let Pools::Sqlite { readers, .. } = pools else {
        return Err(only_sqlite());
    };
    let name = file
        .to_str()
        .ok_or_else(|| StoreError::corrupt(format!("{}: not a file name in UTF-8", file.display())))?;
    // a reader's snapshot: writers go on meanwhile
    sqlx::query("VACUUM INTO $1").bind(name).execute(readers).await?;
    Ok(())
}

/// A copy from before the table was made has none.
pub(super) async fn forget_nodes(conn: &mut Conn) -> Result<(), StoreError> {
    if !is_sqlite_without_table(conn, "nodes").await? {
        done!(conn, sqlx::query("DELETE FROM nodes").execute(&mut *conn))?;
    }
    Ok(())
}

/// Everything that `integrity_check` and `foreign_key_check` find.
pub(super) async fn file_faults(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let Transaction::Sqlite(tx) = conn else {
        return Err(only_sqlite());
    };
    let mut faults: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_all(&mut **tx)
        .await?;
    faults.retain(|line| line != "ok");
    let astray: Vec<(String, i64)> =
        sqlx::query_as("SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY \"table\"")
            .fetch_all(&mut **tx)
            .await?;
    faults.extend(
        astray
            .into_iter()
            .map(|(table, rows)| format!("{rows} rows of {table} refer to something that is not there")),
    );
    Ok(faults)
}
