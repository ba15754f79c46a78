//! The history that this database belongs to, and those before it (rule 20).

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros};
use chrono::{DateTime, Utc};

/// The histories' ids, the present one last; none in a database that no process has worked on.
pub async fn instance_list(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    Ok(ask!(
        conn,
        sqlx::query_scalar("SELECT id FROM instances ORDER BY number").fetch_all(&mut *conn)
    )?)
}

/// Begins a history after the `before` ones that are known. Somebody faster is `is_taken()`.
pub async fn instance_begin(
    conn: &mut Conn,
    before: usize,
    id: &str,
    because: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let number = i64::try_from(before + 1).map_err(StoreError::corrupt)?;
    done!(
        conn,
        sqlx::query("INSERT INTO instances (number, id, since, because) VALUES ($1, $2, $3, $4)")
            .bind(number)
            .bind(id)
            .bind(micros(now))
            .bind(because)
            .execute(&mut *conn)
    )?;
    Ok(())
}
