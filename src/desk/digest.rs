//! The digest: what each resolver's and manager's day begins with.
//!
//! Promises: one a person and day of the tenant, whatever dies and however many processes look; that it was written and its
//! message are one transaction. After a time in which nobody could write it only today's is written, and it says that it is late.
//! Must not: be written where no mail server is set.

use super::again::again;
use super::working::zone_of;
use super::{Desk, DeskError, clock};
use crate::config::Mail;
use crate::domain::calendar;
use crate::domain::case::{Case, is_unowned};
use crate::domain::ids::{MessageId, OrderId, SuggestionId, TenantId};
use crate::domain::message::{CaseFacts, Goods, MessageKind, Morning, OpenCase, Writing, digest_letter};
use crate::domain::pages::{Stands, Target};
use crate::domain::working::work_begins;
use crate::store::cases::{About, case_open_list};
use crate::store::outbox::{NewMessage, message_add};
use crate::store::queue::{shown_orders, shown_suggestions};
use crate::store::{Conn, absences, calendars, digests, suppliers, tenants};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use std::collections::HashMap;

/// The day it is at a tenant, and since when its digest is due.
struct Today {
    day: NaiveDate,
    due_at: DateTime<Utc>,
    zone: Tz,
}

/// Today, where its digest is due.
async fn today(conn: &mut Conn, tenant: &TenantId, now: DateTime<Utc>) -> Result<Option<Today>, DeskError> {
    let zone = zone_of(conn, tenant).await?;
    let day = calendar::date_there(now, zone);
    let calendar = calendars::calendar_fetch(conn, tenant).await?;
    let due_at = work_begins(calendar.as_ref(), day, zone).filter(|due_at| *due_at <= now);
    Ok(due_at.map(|due_at| Today { day, due_at, zone }))
}

impl Desk {
    /// Writes the digests that are due. A fault of one tenant is logged and does not keep the others from theirs.
    pub(super) async fn write_digests(&self) -> Result<(), DeskError> {
        let Some(mail) = &self.mail else { return Ok(()) };
        let mut read = self.store.begin_read().await?;
        let (now, mut due) = (clock::now(), Vec::new());
        for tenant in tenants::tenant_list(&mut read).await? {
            let Some(today) = today(&mut read, &tenant.id, now).await? else {
                continue;
            };
            let missing = digests::digest_missing(&mut read, &tenant.id, today.day, today.due_at).await?;
            due.extend((!missing.is_empty()).then_some(tenant.id));
        }
        drop(read);
        for tenant in due {
            if let Err(error) = again(|| self.write_digests_of(mail, &tenant)).await {
                tracing::error!(%tenant, "today's digests were not written: {error}");
            }
        }
        Ok(())
    }

    async fn write_digests_of(&self, mail: &Mail, id: &TenantId) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(id).await?;
        let tenant = tenants::tenant_fetch(&mut tx, id)
            .await?
            .ok_or(DeskError::Absent("tenant"))?;
        let Some(today) = today(&mut tx, id, now).await? else {
            return Ok(());
        };
        let missing = digests::digest_missing(&mut tx, id, today.day, today.due_at).await?;
        let open = open_cases(&mut tx, id, today.day).await?;
        let writing = Writing {
            now,
            zone: today.zone,
            links: &mail.links,
        };
        for (reader, is_manager) in missing {
            let morning = Morning {
                reader: &reader,
                is_manager,
                tenant: &tenant.name,
                day: today.day,
                due_at: today.due_at,
            };
            let message = NewMessage {
                id: MessageId::from_random(clock::random()),
                to: reader.clone(),
                kind: MessageKind::Digest,
                case: None,
                letter: digest_letter(&morning, &open, writing),
            };
            message_add(&mut tx, id, &message, now).await?;
            digests::digest_add(&mut tx, id, &reader, today.day, &message.id).await?;
        }
        Ok(tx.commit().await?)
    }
}

/// Every open case with what it is about; read together, since there may be many.
async fn open_cases(conn: &mut Conn, tenant: &TenantId, day: NaiveDate) -> Result<Vec<OpenCase>, DeskError> {
    let rows = case_open_list(conn, tenant).await?;
    let away = absences::away_on(conn, tenant, day).await?;
    let goods = goods(conn, tenant, &rows).await?;
    let names = suppliers::supplier_names(conn, tenant).await?;
    let names: HashMap<String, String> = names.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    let open = rows.into_iter().map(|(case, about)| {
        let (goods, supplier) = match &about {
            About::Order(id) => goods.get(id.as_str()).cloned().unzip(),
            About::Suggestion(id) => goods.get(id.as_str()).cloned().unzip(),
            About::Supplier(id) => (None, names.get(id).cloned()),
        };
        let is_unowned = is_unowned(&case, away.contains(&case.owner));
        let supplier = supplier.unwrap_or_default();
        OpenCase {
            facts: CaseFacts { case, goods, supplier },
            is_unowned,
        }
    });
    Ok(open.collect())
}

/// What the cases' orders and suggestions buy, and from whom, by id.
async fn goods(
    conn: &mut Conn,
    tenant: &TenantId,
    rows: &[(Case, About)],
) -> Result<HashMap<String, (Goods, String)>, DeskError> {
    let (mut orders, mut suggestions): (Vec<&OrderId>, Vec<&SuggestionId>) = (Vec::new(), Vec::new());
    for (_, about) in rows {
        match about {
            About::Order(id) => orders.push(id),
            About::Suggestion(id) => suggestions.push(id),
            About::Supplier(_) => {}
        }
    }
    let mut found = HashMap::new();
    for one in shown_orders(conn, tenant, &orders).await? {
        let goods = Goods {
            headline: one.contents.headline(),
            total: one.contents.total(),
            stands: Stands::Order {
                state: one.state,
                held: one.holds.gravest(),
                differences: one.differences,
            },
            target: Target::Order(one.id.clone()),
        };
        found.insert(one.id.to_string(), (goods, one.supplier_name));
    }
    for one in shown_suggestions(conn, tenant, &suggestions).await? {
        let goods = Goods {
            headline: one.contents.headline(),
            total: one.contents.total(),
            stands: Stands::Suggestion(one.state),
            target: Target::Suggestion(one.id.clone()),
        };
        found.insert(one.id.to_string(), (goods, one.supplier_name));
    }
    Ok(found)
}
