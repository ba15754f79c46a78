//! What cases are about: what is bought, where it stands, and from whom. For whoever tells of a case.
//!
//! Promises: many are read as one. Must not: decide what is told of them.

use super::DeskError;
use crate::domain::ids::{OrderId, SuggestionId, TenantId};
use crate::domain::message::Goods;
use crate::domain::pages::{Stands, Target};
use crate::store::cases::About;
use crate::store::queue::{shown_orders, shown_suggestions};
use crate::store::{Conn, suppliers};
use std::collections::HashMap;

/// What a case is about.
#[derive(Debug, Clone)]
pub(super) struct AboutWhat {
    /// Nothing where it is about a supplier as a whole.
    pub goods: Option<Goods>,
    /// What the supplier is called.
    pub supplier: String,
}

/// What each of these is about, in their order.
pub(super) async fn about_what(
    conn: &mut Conn,
    tenant: &TenantId,
    abouts: &[&About],
) -> Result<Vec<AboutWhat>, DeskError> {
    let (mut orders, mut suggestions, mut any_supplier) = (Vec::new(), Vec::new(), false);
    for about in abouts {
        match about {
            About::Order(id) => orders.push(id),
            About::Suggestion(id) => suggestions.push(id),
            About::Supplier(_) => any_supplier = true,
        }
    }
    let mut found = of_orders(conn, tenant, &orders).await?;
    found.extend(of_suggestions(conn, tenant, &suggestions).await?);
    let names: HashMap<String, String> = match any_supplier {
        true => {
            let names = suppliers::supplier_names(conn, tenant).await?.into_iter();
            names.map(|(id, name)| (id.to_string(), name)).collect()
        }
        false => HashMap::new(),
    };
    let what = |about: &&About| match about {
        About::Order(id) => found.get(id.as_str()).cloned(),
        About::Suggestion(id) => found.get(id.as_str()).cloned(),
        About::Supplier(id) => names.get(id).map(|name| AboutWhat {
            goods: None,
            supplier: name.clone(),
        }),
    };
    let all = abouts
        .iter()
        .map(|about| what(about).ok_or(DeskError::Absent("what a case is about")));
    all.collect()
}

async fn of_orders(
    conn: &mut Conn,
    tenant: &TenantId,
    these: &[&OrderId],
) -> Result<HashMap<String, AboutWhat>, DeskError> {
    let mut found = HashMap::new();
    if these.is_empty() {
        return Ok(found);
    }
    for one in shown_orders(conn, tenant, these).await? {
        let goods = Goods {
            headline: one.contents.headline(),
            total: one.contents.total(),
            stands: one.stands(),
            target: Target::Order(one.id.clone()),
        };
        found.insert(one.id.to_string(), AboutWhat::of(goods, one.supplier_name));
    }
    Ok(found)
}

async fn of_suggestions(
    conn: &mut Conn,
    tenant: &TenantId,
    these: &[&SuggestionId],
) -> Result<HashMap<String, AboutWhat>, DeskError> {
    let mut found = HashMap::new();
    if these.is_empty() {
        return Ok(found);
    }
    for one in shown_suggestions(conn, tenant, these).await? {
        let goods = Goods {
            headline: one.contents.headline(),
            total: one.contents.total(),
            stands: Stands::Suggestion(one.state),
            target: Target::Suggestion(one.id.clone()),
        };
        found.insert(one.id.to_string(), AboutWhat::of(goods, one.supplier_name));
    }
    Ok(found)
}

impl AboutWhat {
    fn of(goods: Goods, supplier: String) -> Self {
        Self {
            goods: Some(goods),
            supplier,
        }
    }
}
