//! Reading for screens and for the API: one moment of the database, nothing changed, nothing asked of a supplier.

mod activity;
mod change;
mod kin;
mod messages;
mod open_things;
mod queue;
mod results;
mod rows;
mod search;
mod sheet;
mod way_home;
pub(super) mod who;

use super::decide::LOOK_ALIKE;
use super::own::able_owners;
use super::pause::pause_view;
use super::{Desk, DeskError, Person, Program, clock};
use crate::domain::attempt::Tried;
use crate::domain::case::Case;
use crate::domain::contents::SupplierId;
use crate::domain::difference;
use crate::domain::ids::{DraftId, OrderId, PersonId, SuggestionId, TenantId};
use crate::domain::look_up::{Established, LookedUp};
use crate::domain::order::{Hold, OrderState, may_find};
use crate::domain::pages::{
    AttemptShown, Draft, Giving, LookAlike, OrderPage, OrdersPage, Paused, ReviewPage, Stands, SuggestionsPage, Target,
    Viewer,
};
use crate::domain::person::{Act, may};
use crate::domain::restored::may_end_pause;
use crate::domain::resume::{Ground, NoResume, may_ask_to_resume, was_not_found};
use crate::domain::second_person::Proposed;
use crate::domain::suggestion::{ReviewAct, SuggestionState, needs_second_purchase, review, to_accept};
use crate::store::cases::{About, case_list, cases_of};
pub use crate::store::orders::OrderFilter;
use crate::store::orders::OrderRow;
use crate::store::queue::in_review_after;
use crate::store::suggestions::SuggestionRow;
use crate::store::{
    Conn, attempts, drafts, events, findings, intents, look_ups, orders, people, reused, second_person, suggestions,
    suppliers, tenants,
};
use chrono::{DateTime, Utc};
pub use open_things::OpenThing;
use queue::list_rows;
pub use who::JustDone;

/// Orders, or suggestions, on a page of their list.
const PAGE: u32 = 50;

/// An order with everything the API tells of it.
#[derive(Debug, Clone)]
pub struct OrderView {
    pub order: OrderRow,
    pub approved_by_name: String,
    pub attempts: Vec<Tried>,
    pub look_ups: Vec<LookedUp>,
    pub findings: Vec<Established>,
    /// Whether a person may have it sent once more, and until when.
    pub resume: Result<Ground, NoResume>,
    /// What a person found out and a second one has to confirm.
    pub proposed: Option<Proposed>,
    pub cases: Vec<Case>,
}

/// A page of orders, and where the next begins.
#[derive(Debug, Clone)]
pub struct OrderViews {
    pub orders: Vec<OrderView>,
    pub next: Option<String>,
}

/// Where a keyset page ends, as text for the next request: moment and id of its last order.
fn cursor(order: &OrderRow) -> String {
    format!("{}~{}", order.approved_at.timestamp_micros(), order.id)
}

/// Reads a cursor back.
pub fn after(text: &str) -> Option<(DateTime<Utc>, OrderId)> {
    let (micros, id) = text.split_once('~')?;
    Some((DateTime::from_timestamp_micros(micros.parse().ok()?)?, id.parse().ok()?))
}

impl Desk {
    /// Who looks.
    async fn viewer(&self, conn: &mut Conn, person: &Person) -> Result<Viewer, DeskError> {
        let tenant = tenants::tenant_fetch(conn, person.tenant())
            .await?
            .ok_or(DeskError::Absent("tenant"))?;
        Ok(Viewer {
            id: person.0.id.clone(),
            name: person.0.name.clone(),
            roles: person.0.roles.clone(),
            tenant: tenant.name,
            zone: tenant.zone,
            now: clock::now(),
        })
    }

    /// Suggestions that wait for a decision.
    pub async fn suggestions_page(
        &self,
        person: &Person,
        after: Option<&str>,
        refused: Option<&DraftId>,
    ) -> Result<SuggestionsPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        let tenant = person.tenant();
        let after = after.and_then(|after| after.parse().ok());
        let mut waiting = in_review_after(&mut read, tenant, after.as_ref(), PAGE + 1).await?;
        let more = waiting.len() > PAGE as usize;
        waiting.truncate(PAGE as usize);
        let next = waiting.last().filter(|_| more).map(SuggestionId::to_string);
        let waiting: Vec<Target> = waiting.into_iter().map(Target::Suggestion).collect();
        let rows = list_rows(&mut read, person, &viewer, &waiting).await?;
        let count = suggestions::suggestion_count(&mut read, tenant, SuggestionState::InReview).await?;
        let draft = draft_of(&mut read, person, refused).await?;
        Ok(SuggestionsPage {
            viewer,
            rows,
            count,
            next,
            draft,
        })
    }

    /// A suggestion, for its review.
    pub async fn review_page(
        &self,
        person: &Person,
        id: &SuggestionId,
        refused: Option<&DraftId>,
    ) -> Result<ReviewPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        self.review_page_in(&mut read, person, viewer, id, refused).await
    }

    async fn review_page_in(
        &self,
        conn: &mut Conn,
        person: &Person,
        viewer: Viewer,
        id: &SuggestionId,
        refused: Option<&DraftId>,
    ) -> Result<ReviewPage, DeskError> {
        let tenant = person.tenant();
        let row = suggestions::suggestion_fetch(conn, tenant, id)
            .await?
            .ok_or(DeskError::Absent("suggestion"))?;
        let known = &row.suggestion;
        let intent = intents::intent_fetch(conn, tenant, &known.intent)
            .await?
            .ok_or(DeskError::IntentUnknown)?;
        let (supplier_name, supplier_held) = supplier_of(conn, tenant, &known.contents.supplier).await?;
        let predecessors = orders::order_predecessors(conn, tenant, &known.intent, known.revision).await?;
        let look_alikes = look_alikes(conn, tenant, &row, viewer.now).await?;
        let latest = suggestions::suggestion_latest(conn, tenant, &known.intent).await?;
        let newer = latest
            .map(|row| row.suggestion)
            .filter(|latest| latest.revision > known.revision);
        let before = match known.revision.checked_sub(1).filter(|revision| *revision > 0) {
            Some(revision) => suggestions::suggestion_revision(conn, tenant, &known.intent, revision).await?,
            None => None,
        };
        let changes = before.map(|before| difference::between(&before.suggestion.contents, &known.contents));
        let order = orders::order_of_suggestion(conn, id).await?;
        let earlier_orders = kin::earlier(conn, tenant, &known.intent, known.revision).await?;
        let to_accept = to_accept(person.roles(), &predecessors);
        let may_do = |act, review_act| may(person.roles(), act).and(review(known.state, review_act).map(|_| ()));
        Ok(ReviewPage {
            site_name: site_of(conn, tenant, known.contents.deliver_to.as_str()).await?,
            needs_second_purchase: needs_second_purchase(&predecessors, look_alikes.len()),
            giving: giving(conn, person).await?,
            cases: case_list(conn, tenant, &About::Suggestion(id.clone())).await?,
            reused: reused::reused_list(conn, id).await?,
            draft: draft_of(conn, person, refused).await?,
            may_approve: may_do(Act::Approve, ReviewAct::Approve).and(to_accept.clone().map(|_| ())),
            to_accept: to_accept.unwrap_or_default(),
            may_send_back: may_do(Act::SendBack, ReviewAct::SendBack),
            may_reject: may_do(Act::Reject, ReviewAct::Reject),
            may_change: may_do(Act::Revise, ReviewAct::Supersede),
            purpose: intent.purpose,
            repeated: row.repeated,
            decided_by: row.decided_by,
            decided_at: row.decided_at,
            decision: row.decision,
            changes: changes.unwrap_or_default(),
            newer: newer.map(|newer| newer.id),
            order: order.map(|order| order.id),
            suggestion: row.suggestion,
            viewer,
            supplier_name,
            supplier_held,
            look_alikes,
            earlier_orders,
        })
    }

    /// An order, for life.
    pub async fn order_page(
        &self,
        person: &Person,
        id: &OrderId,
        refused: Option<&DraftId>,
    ) -> Result<OrderPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        self.order_page_in(&mut read, person, viewer, id, refused).await
    }

    async fn order_page_in(
        &self,
        conn: &mut Conn,
        person: &Person,
        viewer: Viewer,
        id: &OrderId,
        refused: Option<&DraftId>,
    ) -> Result<OrderPage, DeskError> {
        let tenant = person.tenant();
        let order = orders::order_fetch(conn, tenant, id)
            .await?
            .ok_or(DeskError::Absent("order"))?;
        let intent = intents::intent_fetch(conn, tenant, &order.intent)
            .await?
            .ok_or(DeskError::IntentUnknown)?;
        let (supplier_name, supplier_held) = supplier_of(conn, tenant, &order.contents.supplier).await?;
        let cases = order_cases(conn, &order).await?;
        let (facts, way_home) = self.way_home(conn, person, &order, viewer.now).await?;
        let attempts = facts.tried.into_iter().map(|row| AttemptShown {
            attempt: row.attempt,
            recorded: row.recorded,
            differences: row.differences,
        });
        let history = events::event_list(conn, tenant, id.as_str()).await?;
        let (kin, may_change) = kin::kin(conn, person, &order).await?;
        Ok(OrderPage {
            kin,
            may_change,
            attempts: attempts.collect(),
            way_home,
            mark: history.last().map_or(0, |event| event.number),
            site_name: site_of(conn, tenant, order.contents.deliver_to.as_str()).await?,
            approved_by: people::person_name(conn, &order.approved_by).await?,
            cases,
            history,
            draft: draft_of(conn, person, refused).await?,
            id: order.id,
            intent: order.intent,
            revision: order.revision,
            suggestion: order.suggestion,
            purpose: intent.purpose,
            life: order.life,
            contents: order.contents,
            digest: order.digest,
            operation_key: order.operation_key.to_string(),
            second_purchase: order.second_purchase,
            approved_at: order.approved_at,
            changed_at: order.changed_at,
            viewer,
            supplier_name,
            supplier_held,
        })
    }

    /// The list of orders, newest first.
    pub async fn orders_page(
        &self,
        person: &Person,
        state: Option<OrderState>,
        cursor_text: Option<&str>,
        refused: Option<&DraftId>,
    ) -> Result<OrdersPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        let filter = OrderFilter {
            state,
            after: cursor_text.and_then(after),
            ..OrderFilter::default()
        };
        let (orders, next) = order_rows(&mut read, person.tenant(), &filter, PAGE).await?;
        let orders: Vec<Target> = orders.into_iter().map(|order| Target::Order(order.id)).collect();
        let rows = list_rows(&mut read, person, &viewer, &orders).await?;
        let draft = draft_of(&mut read, person, refused).await?;
        Ok(OrdersPage {
            viewer,
            state,
            rows,
            next,
            draft,
        })
    }

    /// The number of the last thing that happened to an order, for a page that waits for the next; 0 for no order.
    pub async fn order_mark(&self, person: &Person, id: &OrderId) -> Result<u64, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(events::event_last(&mut read, person.tenant(), id.as_str()).await?)
    }

    /// An order, for a program.
    pub async fn order(&self, program: &Program, id: &OrderId) -> Result<OrderView, DeskError> {
        let mut read = self.store.begin_read().await?;
        let order = orders::order_fetch(&mut read, program.tenant(), id)
            .await?
            .ok_or(DeskError::Absent("order"))?;
        let view = self.with_what_is_around(&mut read, vec![order]).await?.pop();
        view.ok_or(DeskError::Absent("order"))
    }

    /// A page of orders, for a program.
    pub async fn orders(&self, program: &Program, filter: &OrderFilter, limit: u32) -> Result<OrderViews, DeskError> {
        self.order_views(program.tenant(), filter, limit).await
    }

    /// A page of orders of a tenant.
    pub async fn order_views(
        &self,
        tenant: &TenantId,
        filter: &OrderFilter,
        limit: u32,
    ) -> Result<OrderViews, DeskError> {
        let mut read = self.store.begin_read().await?;
        let (rows, next) = order_rows(&mut read, tenant, filter, limit).await?;
        let orders = self.with_what_is_around(&mut read, rows).await?;
        Ok(OrderViews { orders, next })
    }

    /// These orders with everything the API tells of them. What every order has is read at once for all of them; what only a
    /// doubt has, order by order for those that are or were in doubt.
    async fn with_what_is_around(&self, conn: &mut Conn, orders: Vec<OrderRow>) -> Result<Vec<OrderView>, DeskError> {
        let ids: Vec<&OrderId> = orders.iter().map(|order| &order.id).collect();
        let buyers: Vec<&PersonId> = orders.iter().map(|order| &order.approved_by).collect();
        let names = people::names_of(conn, &buyers).await?;
        let mut cases = cases_of(conn, &ids).await?;
        let mut attempts = attempts::attempts_of(conn, &ids).await?;
        let doubted = orders::ever_in_doubt(conn, &ids).await?;
        let mut views = Vec::new();
        for order in orders {
            let (look_ups, findings) = match doubted.contains(&order.id) {
                true => (
                    look_ups::look_up_list(conn, &order.id).await?,
                    findings::finding_list(conn, &order.id).await?,
                ),
                false => (Vec::new(), Vec::new()),
            };
            views.push(OrderView {
                approved_by_name: names
                    .get(&order.approved_by)
                    .cloned()
                    .ok_or_else(|| DeskError::Broken(format!("{} is missing", order.approved_by)))?,
                cases: cases.remove(&order.id).unwrap_or_default(),
                attempts: attempts.remove(&order.id).unwrap_or_default(),
                look_ups,
                findings,
                resume: self.resume_of(conn, &order).await?,
                proposed: match may_find(&order.life) {
                    Ok(()) => second_person::proposal_open(conn, &order.id, order.life.version).await?,
                    Err(_) => None,
                },
                order,
            });
        }
        Ok(views)
    }

    /// Whether a person may have it sent once more. Most orders are settled: what that is judged by is gathered for the others
    /// only.
    async fn resume_of(&self, conn: &mut Conn, order: &OrderRow) -> Result<Result<Ground, NoResume>, DeskError> {
        Ok(match was_not_found(order.life.state, order.life.holds) {
            Ok(_) => {
                let facts = self.doubt_facts(conn, order).await?;
                may_ask_to_resume(&facts.about(&order.life), clock::now())
            }
            Err(why) => Err(why),
        })
    }
}

/// One row more is asked for than shown: so the end is known without counting.
async fn order_rows(
    conn: &mut Conn,
    tenant: &TenantId,
    filter: &OrderFilter,
    limit: u32,
) -> Result<(Vec<OrderRow>, Option<String>), DeskError> {
    let mut rows = orders::order_page(conn, tenant, filter, limit + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(cursor);
    Ok((rows, next))
}

/// An order's cases; while its supplier's hold keeps it, also the supplier's.
async fn order_cases(conn: &mut Conn, order: &OrderRow) -> Result<Vec<Case>, DeskError> {
    let mut cases = case_list(conn, &order.tenant, &About::Order(order.id.clone())).await?;
    if order.life.holds.has(Hold::Supplier) {
        let supplier = About::Supplier(order.contents.supplier.to_string());
        let held = case_list(conn, &order.tenant, &supplier).await?;
        cases.extend(held.into_iter().filter(|case| case.closed_at.is_none()));
    }
    Ok(cases)
}

/// The tenant's pause, and whether this person may end it.
async fn paused(conn: &mut Conn, person: &Person) -> Result<Option<Paused>, DeskError> {
    let view = pause_view(conn, person.tenant()).await?;
    Ok(view.map(|view| Paused {
        may_end: may(person.roles(), Act::EndPause).and(may_end_pause(true, view.held)),
        since: view.pause.since,
        because: view.pause.because,
        gap_at: view.pause.gap_at,
        held: view.held,
    }))
}

async fn supplier_of(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &SupplierId,
) -> Result<(String, Option<String>), DeskError> {
    let row = suppliers::supplier_fetch(conn, tenant, id)
        .await?
        .ok_or(DeskError::Absent("supplier"))?;
    Ok((row.name, row.held_because))
}

/// To whom this person could give a case.
async fn giving(conn: &mut Conn, person: &Person) -> Result<Giving, DeskError> {
    Ok(Giving {
        owners: able_owners(conn, person).await?,
        may: may(person.roles(), Act::Assign),
    })
}

async fn site_of(conn: &mut Conn, tenant: &TenantId, code: &str) -> Result<String, DeskError> {
    let sites = tenants::site_list(conn, tenant).await?;
    let named = sites.into_iter().find(|(site, _)| site.as_str() == code);
    Ok(named.map_or_else(|| code.to_owned(), |(_, name)| name))
}

async fn draft_of(conn: &mut Conn, person: &Person, refused: Option<&DraftId>) -> Result<Option<Draft>, DeskError> {
    let Some(id) = refused else { return Ok(None) };
    let found = drafts::draft_fetch(conn, id, &person.0.id).await?;
    Ok(found.map(|(fields, refusal)| Draft { fields, refusal }))
}

async fn look_alikes(
    conn: &mut Conn,
    tenant: &TenantId,
    row: &SuggestionRow,
    now: DateTime<Utc>,
) -> Result<Vec<LookAlike>, DeskError> {
    let (contents, intent) = (&row.suggestion.contents, &row.suggestion.intent);
    let key = contents.look_alike_key();
    let orders = orders::order_look_alikes(conn, tenant, &key, intent, now - LOOK_ALIKE).await?;
    let waiting = suggestions::suggestion_look_alikes(conn, tenant, &key, intent).await?;
    let of_order = |order: OrderRow| LookAlike {
        stands: Stands::of_order(&order.life),
        since: order.approved_at,
        total: order.contents.total(),
        target: Target::Order(order.id),
    };
    let of_suggestion = |row: SuggestionRow| LookAlike {
        stands: Stands::Suggestion(row.suggestion.state),
        since: row.suggestion.created_at,
        total: row.suggestion.contents.total(),
        target: Target::Suggestion(row.suggestion.id),
    };
    Ok(orders
        .into_iter()
        .map(of_order)
        .chain(waiting.into_iter().map(of_suggestion))
        .collect())
}
