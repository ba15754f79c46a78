//! The digest: what each resolver's and manager's day begins with.
//!
//! Promises: one a person and day of the tenant, whatever dies and however many processes look; that it was written and its
//! message are one transaction. After a time in which nobody could write it only today's is written, and it says that it is late.
//! Must not: be written where no mail server is set, in a paused house, or again where a gap opened since it was due (rule 20).

use super::again::again;
use super::goods::about_what;
use super::working::zone_of;
use super::{Desk, DeskError, clock};
use crate::config::Mail;
use crate::domain::calendar;
use crate::domain::case::is_unowned;
use crate::domain::ids::{MessageId, PersonId, TenantId};
use crate::domain::message::{CaseFacts, MessageKind, Morning, OpenCase, Writing, digest_letter};
use crate::domain::working::work_begins;
use crate::store::cases::{About, case_open_list};
use crate::store::outbox::{NewMessage, message_add};
use crate::store::{Conn, absences, calendars, digests, pauses, tenants};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use std::collections::HashSet;

/// The day it is at a tenant, and since when its digest is due.
struct Today {
    day: NaiveDate,
    due_at: DateTime<Utc>,
    zone: Tz,
}

/// Today, where its digest is due. Not in a paused house, nor where a gap opened since: then it may have been written in it.
async fn today(conn: &mut Conn, tenant: &TenantId, now: DateTime<Utc>) -> Result<Option<Today>, DeskError> {
    let zone = zone_of(conn, tenant).await?;
    let day = calendar::date_there(now, zone);
    let calendar = calendars::calendar_fetch(conn, tenant).await?;
    let Some(due_at) = work_begins(calendar.as_ref(), day, zone).filter(|due_at| *due_at <= now) else {
        return Ok(None);
    };
    if pauses::pause_open(conn, tenant).await?.is_some() || pauses::gap_after(conn, tenant, due_at).await?.is_some() {
        return Ok(None);
    }
    Ok(Some(Today { day, due_at, zone }))
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

    /// Reads and writes them before anything is locked; then those are kept that nobody else has written meanwhile.
    async fn write_digests_of(&self, mail: &Mail, id: &TenantId) -> Result<(), DeskError> {
        let now = clock::now();
        let mut read = self.store.begin_read().await?;
        let Some(today) = today(&mut read, id, now).await? else {
            return Ok(());
        };
        let letters = letters(&mut read, id, &today, mail, now).await?;
        drop(read);
        let mut tx = self.store.begin_write_in(id).await?;
        if !self.may_tell(&mut tx, id).await? {
            return Ok(());
        }
        let missing = digests::digest_missing(&mut tx, id, today.day, today.due_at).await?;
        let missing: HashSet<PersonId> = missing.into_iter().map(|(reader, _)| reader).collect();
        for message in letters.iter().filter(|message| missing.contains(&message.to)) {
            message_add(&mut tx, id, message, now).await?;
            digests::digest_add(&mut tx, id, &message.to, today.day, &message.id).await?;
        }
        Ok(tx.commit().await?)
    }
}

/// What is to be written to each who has no digest of today yet.
async fn letters(
    conn: &mut Conn,
    id: &TenantId,
    today: &Today,
    mail: &Mail,
    now: DateTime<Utc>,
) -> Result<Vec<NewMessage>, DeskError> {
    let tenant = tenants::tenant_fetch(conn, id)
        .await?
        .ok_or(DeskError::Absent("tenant"))?;
    let missing = digests::digest_missing(conn, id, today.day, today.due_at).await?;
    let open = open_cases(conn, id, today.day, now).await?;
    let writing = Writing {
        now,
        zone: today.zone,
        links: &mail.links,
    };
    let letter = |(reader, is_manager): (PersonId, bool)| {
        let morning = Morning {
            reader: &reader,
            is_manager,
            tenant: &tenant.name,
            day: today.day,
            due_at: today.due_at,
        };
        let letter = digest_letter(&morning, &open, writing);
        NewMessage {
            id: MessageId::from_random(clock::random()),
            to: reader,
            kind: MessageKind::Digest,
            case: None,
            letter,
        }
    };
    Ok(missing.into_iter().map(letter).collect())
}

/// Every open case with what it is about; read together, since there may be many.
async fn open_cases(
    conn: &mut Conn,
    tenant: &TenantId,
    day: NaiveDate,
    now: DateTime<Utc>,
) -> Result<Vec<OpenCase>, DeskError> {
    let rows = case_open_list(conn, tenant).await?;
    let away = absences::away_on(conn, tenant, day).await?;
    let abouts: Vec<&About> = rows.iter().map(|(_, about)| about).collect();
    let abouts = about_what(conn, tenant, &abouts).await?;
    let open = rows.into_iter().zip(abouts).map(|((case, _), about)| OpenCase {
        is_unowned: is_unowned(&case, away.contains(&case.owner), now),
        facts: CaseFacts {
            case,
            goods: about.goods,
            supplier: about.supplier,
        },
    });
    Ok(open.collect())
}
