//! The log for people: what happened, newest first, with names for what it is about.

use super::PAGE;
use crate::desk::log::anchor;
use crate::desk::{Desk, DeskError, Person};
use crate::domain::activity::{Asked, Filter};
use crate::domain::calendar;
use crate::domain::event::Event;
use crate::domain::ids::{AttemptId, OrderId, PersonId, SuggestionId, TenantId};
use crate::domain::pages::{ActivityPage, Happened};
use crate::store::queue::{shown_orders, shown_suggestions};
use crate::store::{Conn, attempts, events, people};
use chrono_tz::Tz;
use std::collections::HashMap;

impl Desk {
    /// What happened in the tenant. Everybody of it may read all of it: the facts are on their pages anyway. A filter that
    /// cannot be read finds nothing, and the page says why.
    pub async fn activity_page(&self, person: &Person, asked: Asked) -> Result<ActivityPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let (conn, tenant) = (&mut read, person.tenant());
        let viewer = self.viewer(conn, person).await?;
        let people = people::person_list(conn, tenant).await?;
        let people: Vec<_> = people.into_iter().map(|one| (one.id, one.name)).collect();
        let zone = calendar::zone(&viewer.zone).unwrap_or(Tz::UTC);
        let (found, older, unreadable) = match asked.filter(zone) {
            Ok(filter) => {
                let (found, older) = search(conn, tenant, &filter, asked.place()).await?;
                (found, older, Vec::new())
            }
            Err(unreadable) => (Vec::new(), None, unreadable),
        };
        Ok(ActivityPage {
            happened: with_names(conn, tenant, &people, found).await?,
            anchor: anchor(conn, tenant).await?,
            viewer,
            asked,
            unreadable,
            people,
            older,
        })
    }
}

/// One event more is asked for than shown: so the end is known without counting.
async fn search(
    conn: &mut Conn,
    tenant: &TenantId,
    filter: &Filter,
    older: Option<u64>,
) -> Result<(Vec<Event>, Option<u64>), DeskError> {
    let behind = match older {
        Some(number) => events::event_place(conn, tenant, number).await?,
        None => None,
    };
    let mut found = events::event_search(conn, tenant, filter, behind, PAGE + 1).await?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let older = found.last().filter(|_| more).map(|last| last.number);
    Ok((found, older))
}

async fn with_names(
    conn: &mut Conn,
    tenant: &TenantId,
    people: &[(PersonId, String)],
    found: Vec<Event>,
) -> Result<Vec<Happened>, DeskError> {
    let goods = goods(conn, tenant, &found).await?;
    let tried = tried(conn, &found).await?;
    let happened = found.into_iter().map(|event| {
        let id = event.subject.id();
        let person = people.iter().find(|(person, _)| person.as_str() == id);
        Happened {
            goods: goods.get(&id).cloned(),
            name: person.map(|(_, name)| name.clone()),
            attempts: tried.get(&id).cloned().unwrap_or_default(),
            event,
        }
    });
    Ok(happened.collect())
}

/// What each order and suggestion buys, and from whom, by its id.
async fn goods(
    conn: &mut Conn,
    tenant: &TenantId,
    found: &[Event],
) -> Result<HashMap<String, (String, String)>, DeskError> {
    let (orders, suggestions) = (orders_of(found), suggestions_of(found));
    let orders = shown_orders(conn, tenant, &orders).await?;
    let orders = orders
        .into_iter()
        .map(|one| (one.id.to_string(), (one.contents.headline(), one.supplier_name)));
    let suggestions = shown_suggestions(conn, tenant, &suggestions).await?;
    let suggestions = suggestions
        .into_iter()
        .map(|one| (one.id.to_string(), (one.contents.headline(), one.supplier_name)));
    Ok(orders.chain(suggestions).collect())
}

/// The attempts of each order, oldest first.
async fn tried(conn: &mut Conn, found: &[Event]) -> Result<HashMap<String, Vec<AttemptId>>, DeskError> {
    let mut tried: HashMap<String, Vec<AttemptId>> = HashMap::new();
    for (order, attempt) in attempts::attempt_ids(conn, &orders_of(found)).await? {
        tried.entry(order.to_string()).or_default().push(attempt);
    }
    Ok(tried)
}

fn orders_of(found: &[Event]) -> Vec<&OrderId> {
    let mut orders: Vec<&OrderId> = found.iter().filter_map(|event| event.subject.order()).collect();
    orders.sort_unstable();
    orders.dedup();
    orders
}

fn suggestions_of(found: &[Event]) -> Vec<&SuggestionId> {
    let mut suggestions: Vec<&SuggestionId> = found.iter().filter_map(|event| event.subject.suggestion()).collect();
    suggestions.sort_unstable();
    suggestions.dedup();
    suggestions
}
