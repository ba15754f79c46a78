//! The processes at work on this database.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, moment, moment_if, parsed};
use crate::domain::ids::NodeId;
use chrono::{DateTime, Utc};

/// A process as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    pub id: NodeId,
    pub host: String,
    /// It serves pages and the API.
    pub serves: bool,
    /// It sends orders and asks suppliers.
    pub works: bool,
    pub version: String,
    pub started_at: DateTime<Utc>,
    pub beat_at: DateTime<Utc>,
}

type Columns = (String, String, i64, i64, String, i64, i64);

fn read((id, host, serves, works, version, started_at, beat_at): Columns) -> Result<NodeRow, StoreError> {
    Ok(NodeRow {
        id: parsed(&id)?,
        host,
        serves: serves != 0,
        works: works != 0,
        version,
        started_at: moment(started_at)?,
        beat_at: moment(beat_at)?,
    })
}

/// The process lives: its row is made, also when it had been removed meanwhile, or beats.
pub async fn node_beat(conn: &mut Conn, node: &NodeRow) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO nodes (id, host, serves, works, version, started_at, beat_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at",
        )
        .bind(node.id.as_str())
        .bind(&node.host)
        .bind(i64::from(node.serves))
        .bind(i64::from(node.works))
        .bind(&node.version)
        .bind(micros(node.started_at))
        .bind(micros(node.beat_at))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// The process stopped orderly.
pub async fn node_remove(conn: &mut Conn, id: &NodeId) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("DELETE FROM nodes WHERE id = $1")
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Removes processes that were last heard of before this moment; answers how many.
pub async fn nodes_forget(conn: &mut Conn, before: DateTime<Utc>) -> Result<u64, StoreError> {
    Ok(done!(
        conn,
        sqlx::query("DELETE FROM nodes WHERE beat_at < $1")
            .bind(micros(before))
            .execute(&mut *conn)
    )?)
}

/// Every process that is known, longest at work first.
pub async fn node_list(conn: &mut Conn) -> Result<Vec<NodeRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT id, host, serves, works, version, started_at, beat_at FROM nodes ORDER BY started_at, id"
        )
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// When a worker was last heard of.
pub async fn worker_last_beat(conn: &mut Conn) -> Result<Option<DateTime<Utc>>, StoreError> {
    let last: Option<i64> = ask!(
        conn,
        sqlx::query_scalar("SELECT max(beat_at) FROM nodes WHERE works = 1").fetch_one(&mut *conn)
    )?;
    moment_if(last)
}
