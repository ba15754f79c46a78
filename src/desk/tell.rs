//! Telling somebody of a case: written into the outbox in the caller's transaction, so that what happened and that it is told
//! are one.
//!
//! Promises: nothing is written where no mail server is set. Must not: speak to the mail server (`post` does), or decide whom a
//! case belongs to.

use super::working::zone_of;
use super::{Desk, DeskError, clock};
use crate::domain::case::Case;
use crate::domain::contents::SupplierId;
use crate::domain::event::Actor;
use crate::domain::ids::{MessageId, PersonId, TenantId};
use crate::domain::message::{CaseFacts, CaseNews, Goods, MessageKind, Writing, case_letter};
use crate::domain::pages::{Stands, Target};
use crate::store::cases::About;
use crate::store::outbox::{NewMessage, message_add};
use crate::store::{Conn, orders, suggestions, suppliers};
use chrono::{DateTime, Utc};

impl Desk {
    /// Tells this person of a case, in the caller's transaction.
    #[expect(
        clippy::too_many_arguments,
        reason = "who is told what of which case of whom; a struct would be used only here"
    )]
    pub(super) async fn tell(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        to: &PersonId,
        news: CaseNews,
        case: &Case,
        about: &About,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let Some(mail) = &self.mail else { return Ok(()) };
        let writing = Writing {
            now,
            zone: zone_of(conn, tenant).await?,
            links: &mail.links,
        };
        let facts = case_facts(conn, tenant, case, about).await?;
        let message = NewMessage {
            id: MessageId::from_random(clock::random()),
            to: to.clone(),
            kind: MessageKind::of_news(news),
            case: Some(case.id.clone()),
            letter: case_letter(news, &facts, writing),
        };
        Ok(message_add(conn, tenant, &message, now).await?)
    }

    /// Tells the owner of a case that it is theirs now; nobody is told what they did themselves.
    pub(super) async fn tell_owner(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        (case, about): (&Case, &About),
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        match actor {
            Actor::Person { id, .. } if *id == case.owner => Ok(()),
            Actor::Person { .. } | Actor::Program { .. } | Actor::Worker | Actor::CommandLine | Actor::System => {
                self.tell(conn, tenant, &case.owner, CaseNews::Given, case, about, now)
                    .await
            }
        }
    }
}

async fn case_facts(conn: &mut Conn, tenant: &TenantId, case: &Case, about: &About) -> Result<CaseFacts, DeskError> {
    let (goods, supplier) = match about {
        About::Order(id) => {
            let order = orders::order_fetch(conn, tenant, id)
                .await?
                .ok_or(DeskError::Absent("order"))?;
            let goods = Goods {
                headline: order.contents.headline(),
                total: order.contents.total(),
                stands: Stands::of_order(&order.life),
                target: Target::Order(order.id),
            };
            (Some(goods), order.contents.supplier)
        }
        About::Suggestion(id) => {
            let row = suggestions::suggestion_fetch(conn, tenant, id)
                .await?
                .ok_or(DeskError::Absent("suggestion"))?;
            let known = row.suggestion;
            let goods = Goods {
                headline: known.contents.headline(),
                total: known.contents.total(),
                stands: Stands::Suggestion(known.state),
                target: Target::Suggestion(known.id),
            };
            (Some(goods), known.contents.supplier)
        }
        About::Supplier(id) => {
            let id: SupplierId = id.parse().map_err(|_| DeskError::Absent("supplier"))?;
            (None, id)
        }
    };
    let supplier = suppliers::supplier_fetch(conn, tenant, &supplier)
        .await?
        .ok_or(DeskError::Absent("supplier"))?;
    Ok(CaseFacts {
        case: case.clone(),
        goods,
        supplier: supplier.name,
    })
}
