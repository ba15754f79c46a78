//! Rules for whose a new case is first and by when it is due: one a supplier, and one for all others of the tenant.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written, parsed};
use crate::domain::ids::{PersonId, TenantId};
use crate::domain::ownership::OwnerRule;
use crate::domain::working::TimeLimit;
use crate::store::cases::About;

/// What stands for "all others" where a supplier's id is kept.
const ALL_OTHERS: &str = "";

/// The tenant's rules; the one for all others comes first.
pub async fn rule_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<OwnerRule>, StoreError> {
    let rows: Vec<(String, Option<String>, Option<String>)> = ask!(
        conn,
        sqlx::query_as("SELECT supplier, owner, within FROM owner_rules WHERE tenant = $1 ORDER BY supplier")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    let read = |(supplier, owner, within): (String, Option<String>, Option<String>)| {
        let within = within.map(|text| TimeLimit::of(&text).map_err(StoreError::corrupt));
        Ok(OwnerRule {
            supplier: (supplier != ALL_OTHERS).then_some(supplier),
            owner: owner.map(|id| parsed::<PersonId>(&id)).transpose()?,
            within: within.transpose()?,
        })
    };
    rows.into_iter().map(read).collect()
}

/// Puts this rule in the place of the one that was there.
pub async fn rule_put(conn: &mut Conn, tenant: &TenantId, rule: &OwnerRule) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO owner_rules (tenant, supplier, owner, within) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, supplier) DO UPDATE SET owner = excluded.owner, within = excluded.within",
        )
        .bind(tenant.as_str())
        .bind(rule.supplier.as_deref().unwrap_or(ALL_OTHERS))
        .bind(rule.owner.as_ref().map(PersonId::as_str))
        .bind(rule.within.map(|within| within.to_string()))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// Takes the rule of this supplier away; without one that for all others.
pub async fn rule_remove(conn: &mut Conn, tenant: &TenantId, supplier: Option<&str>) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("DELETE FROM owner_rules WHERE tenant = $1 AND supplier = $2")
            .bind(tenant.as_str())
            .bind(supplier.unwrap_or(ALL_OTHERS))
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}

/// The supplier whose rule a case about this goes by.
pub async fn supplier_of(conn: &mut Conn, about: &About) -> Result<String, StoreError> {
    let found: Option<String> = match about {
        About::Order(id) => ask!(
            conn,
            sqlx::query_scalar("SELECT supplier FROM orders WHERE id = $1")
                .bind(id.as_str())
                .fetch_optional(&mut *conn)
        )?,
        About::Suggestion(id) => ask!(
            conn,
            sqlx::query_scalar("SELECT supplier FROM suggestions WHERE id = $1")
                .bind(id.as_str())
                .fetch_optional(&mut *conn)
        )?,
        About::Supplier(id) => Some(id.clone()),
    };
    found.ok_or_else(|| StoreError::corrupt(format!("{about:?} is missing")))
}
