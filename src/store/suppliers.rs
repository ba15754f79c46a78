//! Suppliers: each a file, with versions; and their holds.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written, micros, moment_if, parsed};
use crate::domain::contents::SupplierId;
use crate::domain::ids::TenantId;
use chrono::{DateTime, Utc};

/// A supplier with the file of its current version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierRow {
    pub id: SupplierId,
    pub name: String,
    pub version: u32,
    pub file: String,
    pub held_at: Option<DateTime<Utc>>,
    pub held_because: Option<String>,
    /// The contract's rate: it is not asked about any order before then.
    pub next_look_up_at: Option<DateTime<Utc>>,
}

type Columns = (String, String, i64, String, Option<i64>, Option<String>, Option<i64>);

fn read((id, name, version, file, held_at, held_because, next_look_up_at): Columns) -> Result<SupplierRow, StoreError> {
    let version = u32::try_from(version).map_err(StoreError::corrupt)?;
    Ok(SupplierRow {
        id: parsed(&id)?,
        name,
        version,
        file,
        held_at: moment_if(held_at)?,
        held_because,
        next_look_up_at: moment_if(next_look_up_at)?,
    })
}

macro_rules! supplier_columns {
    ($rest:literal) => {
        concat!(
            "SELECT s.id, s.name, s.version, v.file, s.held_at, s.held_because, s.next_look_up_at FROM suppliers s
             JOIN supplier_versions v ON v.tenant = s.tenant AND v.supplier = s.id AND v.version = s.version ",
            $rest
        )
    };
}

/// Adds a supplier, or a new version of one; answers the version.
pub async fn supplier_put(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SupplierId,
    name: &str,
    file: &str,
    now: DateTime<Utc>,
) -> Result<u32, StoreError> {
    let version: i64 = ask!(
        conn,
        sqlx::query_scalar(
            "INSERT INTO suppliers (tenant, id, name, version) VALUES ($1, $2, $3, 1)
         ON CONFLICT (tenant, id) DO UPDATE SET name = excluded.name, version = suppliers.version + 1
         RETURNING version",
        )
        .bind(tenant.as_str())
        .bind(id.as_str())
        .bind(name)
        .fetch_one(&mut *conn)
    )?;
    done!(
        conn,
        sqlx::query(
            "INSERT INTO supplier_versions (tenant, supplier, version, file, added_at) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(tenant.as_str())
        .bind(id.as_str())
        .bind(version)
        .bind(file)
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    u32::try_from(version).map_err(StoreError::corrupt)
}

/// The tenant's suppliers, by id.
pub async fn supplier_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<SupplierRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(supplier_columns!("WHERE s.tenant = $1 ORDER BY s.id"))
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// What the tenant's suppliers are called, by name.
pub async fn supplier_names(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<(SupplierId, String)>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT id, name FROM suppliers WHERE tenant = $1 ORDER BY name, id")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    let read = |(id, name): (String, String)| Ok((parsed(&id)?, name));
    rows.into_iter().map(read).collect()
}

/// One supplier.
pub async fn supplier_fetch(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SupplierId,
) -> Result<Option<SupplierRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(supplier_columns!("WHERE s.tenant = $1 AND s.id = $2"))
            .bind(tenant.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// The file of one version of a supplier.
pub async fn supplier_file(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SupplierId,
    version: u32,
) -> Result<Option<String>, StoreError> {
    let file = ask!(
        conn,
        sqlx::query_scalar("SELECT file FROM supplier_versions WHERE tenant = $1 AND supplier = $2 AND version = $3")
            .bind(tenant.as_str())
            .bind(id.as_str())
            .bind(i64::from(version))
            .fetch_optional(&mut *conn)
    )?;
    Ok(file)
}

/// The supplier is not asked about any order before this moment.
pub async fn supplier_rest(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SupplierId,
    until: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE suppliers SET next_look_up_at = $1 WHERE tenant = $2 AND id = $3")
            .bind(micros(until))
            .bind(tenant.as_str())
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Puts a supplier on hold.
pub async fn supplier_hold(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SupplierId,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let done =
        done!(conn, sqlx::query(
        "UPDATE suppliers SET held_at = $1, held_because = $2 WHERE tenant = $3 AND id = $4 AND held_at IS NULL",
    )
    .bind(micros(now))
    .bind(reason)
    .bind(tenant.as_str())
    .bind(id.as_str())
    .execute(&mut *conn))?;
    Ok(Written::of(done))
}

/// Releases a supplier.
pub async fn supplier_release(conn: &mut Conn, tenant: &TenantId, id: &SupplierId) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query(
            "UPDATE suppliers SET held_at = NULL, held_because = NULL
         WHERE tenant = $1 AND id = $2 AND held_at IS NOT NULL",
        )
        .bind(tenant.as_str())
        .bind(id.as_str())
        .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}
