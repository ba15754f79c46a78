//! Tenants and their sites.

use super::dialect::{ask, done};
use super::{Conn, StoreError, micros, parsed};
use crate::domain::contents::SiteCode;
use crate::domain::ids::TenantId;
use chrono::{DateTime, Utc};

/// A tenant as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRow {
    pub id: TenantId,
    pub name: String,
    pub zone: String,
    pub salt: String,
}

type Columns = (String, String, String, String);

fn read((id, name, zone, salt): Columns) -> Result<TenantRow, StoreError> {
    Ok(TenantRow {
        id: parsed(&id)?,
        name,
        zone,
        salt,
    })
}

/// Nobody else adds a tenant until this transaction ends.
pub async fn tenant_lock_all(conn: &mut Conn) -> Result<(), StoreError> {
    super::dialect::lock_tenants(conn).await
}

/// Keeps a new tenant. A name that is taken is `is_taken()`.
pub async fn tenant_add(conn: &mut Conn, tenant: &TenantRow, now: DateTime<Utc>) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("INSERT INTO tenants (id, name, zone, salt, created_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(tenant.id.as_str())
            .bind(&tenant.name)
            .bind(&tenant.zone)
            .bind(&tenant.salt)
            .bind(micros(now))
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Every tenant, by name.
pub async fn tenant_list(conn: &mut Conn) -> Result<Vec<TenantRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as("SELECT id, name, zone, salt FROM tenants ORDER BY name").fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// One tenant.
pub async fn tenant_fetch(conn: &mut Conn, id: &TenantId) -> Result<Option<TenantRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as("SELECT id, name, zone, salt FROM tenants WHERE id = $1")
            .bind(id.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// Adds a delivery site, or renames it.
pub async fn site_put(
    conn: &mut Conn,
    tenant: &TenantId,
    code: &SiteCode,
    name: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO sites (tenant, code, name, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, code) DO UPDATE SET name = excluded.name",
        )
        .bind(tenant.as_str())
        .bind(code.as_str())
        .bind(name)
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// The tenant's sites with their names, by code.
pub async fn site_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<(SiteCode, String)>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT code, name FROM sites WHERE tenant = $1 ORDER BY code")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter()
        .map(|(code, name)| Ok((parsed(&code)?, name)))
        .collect()
}
