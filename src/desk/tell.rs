//! Telling somebody of a case: written into the outbox in the caller's transaction, so that what happened and that it is told
//! are one.
//!
//! Promises: nothing is written where no mail server is set, and whoever wants to say that somebody was told hears whether they
//! were. Must not: speak to the mail server (`post` does), or decide whom a case belongs to.

use super::goods::{AboutWhat, about_what};
use super::working::zone_of;
use super::{Desk, DeskError, clock};
use crate::domain::case::Case;
use crate::domain::event::Actor;
use crate::domain::ids::{MessageId, PersonId, TenantId};
use crate::domain::message::{CaseFacts, CaseNews, MessageKind, Writing, case_letter};
use crate::store::Conn;
use crate::store::cases::About;
use crate::store::outbox::{NewMessage, message_add};
use chrono::{DateTime, Utc};

impl Desk {
    /// Tells this person of a case, in the caller's transaction: whether a message was written.
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
    ) -> Result<bool, DeskError> {
        let Some(mail) = &self.mail else { return Ok(false) };
        let writing = Writing {
            now,
            zone: zone_of(conn, tenant).await?,
            links: &mail.links,
        };
        let about = about_what(conn, tenant, &[about]).await?.pop();
        let AboutWhat { goods, supplier } = about.ok_or(DeskError::Absent("what a case is about"))?;
        let facts = CaseFacts {
            case: case.clone(),
            goods,
            supplier,
        };
        let message = NewMessage {
            id: MessageId::from_random(clock::random()),
            to: to.clone(),
            kind: MessageKind::of_news(news),
            case: Some(case.id.clone()),
            letter: case_letter(news, &facts, writing),
        };
        message_add(conn, tenant, &message, now).await?;
        Ok(true)
    }

    /// Tells the owner of a case that it is theirs now, and whether a message was written; nobody is told what they did
    /// themselves.
    pub(super) async fn tell_owner(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        (case, about): (&Case, &About),
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<bool, DeskError> {
        match actor {
            Actor::Person { id, .. } if *id == case.owner => Ok(false),
            Actor::Person { .. } | Actor::Program { .. } | Actor::Worker | Actor::CommandLine | Actor::System => {
                self.tell(conn, tenant, &case.owner, CaseNews::Given, case, about, now)
                    .await
            }
        }
    }
}
