//! Sending what people are told: who takes a message in hand, and what becomes of it.
//!
//! Promises: of all processes one has a message in hand; its try is committed before the mail server is spoken to, and no
//! transaction spans the network; a message that nobody took is tried again, less and less often, and then given up with its
//! reason; nothing goes out while its tenant is paused. A process that dies between sending and noting may send it twice: with
//! the same Message-ID. Must not: decide who is told of what.

use super::again::again;
use super::{Desk, DeskError, Person, clock, delta};
use crate::config::Mail;
use crate::domain::calendar;
use crate::domain::event::{Happening, Subject};
use crate::domain::ids::{DraftId, MessageId, TenantId};
use crate::domain::message::{MailPace, MailStop, MessageState, TryEnd, is_in_vain, may_send_again, may_send_now};
use crate::domain::pages::MessagesNow;
use crate::domain::refusal::Refusal;
use crate::mail::{Handed, Outgoing, hand_over};
use crate::store::outbox::{self, MessageRow};
use crate::store::pauses::pause_open;
use crate::store::{Conn, Written, events, people};
use crate::supplier::secret_at;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;

/// Due messages looked at in one claim.
const LOOK_AT: u32 = 16;

/// A message that this process has in hand; its try is committed.
#[derive(Debug)]
pub struct ClaimedMessage {
    id: MessageId,
    number: u32,
    /// Tries since it was written, or since somebody wanted it sent again; this one too.
    in_a_row: u32,
    /// When the first of these began.
    tried_since: DateTime<Utc>,
    /// It is in hand until then.
    until: DateTime<Utc>,
    outgoing: Outgoing,
    mail: Arc<Mail>,
}

fn pace(mail: &Mail) -> MailPace {
    MailPace {
        first: delta(mail.first),
        most: delta(mail.most),
        give_up: delta(mail.give_up),
    }
}

impl Desk {
    /// Takes the next message that is due in hand; nothing where none is, where no mail server is set, or while its tenant is
    /// paused.
    pub async fn claim_message(&self) -> Result<Option<ClaimedMessage>, DeskError> {
        let Some(mail) = &self.mail else { return Ok(None) };
        self.look_if_connected_anew().await?;
        let mut read = self.store.begin_read().await?;
        let due = outbox::message_due(&mut read, clock::now(), LOOK_AT).await?;
        drop(read);
        for (tenant, id) in due {
            if let Some(claimed) = again(|| self.claim_message_once(mail, &tenant, &id)).await? {
                return Ok(Some(claimed));
            }
        }
        Ok(None)
    }

    async fn claim_message_once(
        &self,
        mail: &Arc<Mail>,
        tenant: &TenantId,
        id: &MessageId,
    ) -> Result<Option<ClaimedMessage>, DeskError> {
        let mut tx = self.store.begin_write_in(tenant).await?;
        let now = clock::now();
        if !self.may_tell(&mut tx, tenant).await? {
            return Ok(None);
        }
        let row = outbox::message_read(&mut tx, id, now).await?;
        if !matches!(row.state, MessageState::Waiting { until } if until <= now) {
            return Ok(None);
        }
        let person = people::person_read(&mut tx, &row.to).await?;
        let past = row.past.map(|past| past.because().to_owned());
        let in_vain = is_in_vain(row.past, row.attempts > row.attempts_before);
        if let Some(because) = past.or_else(|| tried_in_vain(&row, mail, now)) {
            let given_up = outbox::message_give_up(&mut tx, id, row.attempts, &because, in_vain, now);
            if given_up.await? == Written::Done {
                tx.commit().await?;
            }
            return Ok(None);
        }
        // whoever is sent to has two deadlines' time: one for the call, and one to note what came of it
        let until = now + delta(mail.deadline * 2);
        if outbox::message_claim(&mut tx, id, row.attempts, now, until).await? == Written::NotInThatState {
            return Ok(None);
        }
        tx.commit().await?;
        Ok(Some(ClaimedMessage {
            id: id.clone(),
            number: row.attempts + 1,
            in_a_row: row.attempts - row.attempts_before + 1,
            tried_since: row.tried_since.unwrap_or(now),
            until,
            outgoing: Outgoing {
                id: id.to_string(),
                from: mail.from.clone(),
                to_name: person.name,
                to: person.email,
                subject: row.subject,
                body: row.body,
                written_at: row.written_at,
            },
            mail: mail.clone(),
        }))
    }

    /// Whether a message of this tenant may be sent, or a digest written: not while it is paused, for what waits may have been
    /// sent in the gap; nor before the database behind this very transaction was looked at (rule 20).
    pub(super) async fn may_tell(&self, conn: &mut Conn, tenant: &TenantId) -> Result<bool, DeskError> {
        let is_known = !self.must_look() && self.is_known(conn, tenant).await?;
        Ok(is_known && pause_open(conn, tenant).await?.is_none())
    }

    /// The tenant's messages with why none goes out, as `send_again` judges it.
    pub async fn messages_now(
        &self,
        person: &Person,
        after: Option<&MessageId>,
        refused: Option<&DraftId>,
    ) -> Result<MessagesNow, DeskError> {
        let mut page = self.messages_page(person, after, refused).await?;
        let mut read = self.store.begin_read().await?;
        let paused = pause_open(&mut read, person.tenant()).await?.is_some();
        let stop = MailStop::of(page.is_set_up, paused);
        for one in &mut page.messages {
            one.may_send_again = may_send_now(one.may_send_again.clone(), stop);
        }
        Ok(MessagesNow { page, stop })
    }

    /// Sends a message and notes what became of it. Whatever goes wrong, it is tried again.
    pub async fn send_message(&self, claimed: &ClaimedMessage) {
        let handed = self.hand_over_in_time(claimed).await;
        if let Err(error) = again(|| self.note_handed(claimed, &handed)).await {
            tracing::error!(message = %claimed.id, "what became of a message was not noted: {error}");
        }
    }

    async fn hand_over_in_time(&self, claimed: &ClaimedMessage) -> Handed {
        let mail = &claimed.mail;
        let password = match mail.password.as_deref().map(secret_at).transpose() {
            Ok(password) => password,
            Err(fault) => {
                tracing::error!("no message can be sent: {fault}");
                return Handed::Later("the mail server's password cannot be read; the log says why".to_owned());
            }
        };
        // a process that stood still meanwhile must not send what another may have in hand before this call ends
        if clock::now() + delta(mail.deadline) > claimed.until {
            return Handed::Later("this process stood still; nothing was sent".to_owned());
        }
        hand_over(&mail.server, password, &claimed.outgoing, mail.deadline).await
    }

    async fn note_handed(&self, claimed: &ClaimedMessage, handed: &Handed) -> Result<(), DeskError> {
        let now = clock::now();
        let (end, detail, state) = outcome(claimed, handed, now);
        let mut tx = self.store.begin_write().await?;
        let closed = outbox::try_close(&mut tx, &claimed.id, claimed.number, end, detail, now).await?;
        // it counted as lost meanwhile, and another process has the message in hand
        if closed == Written::NotInThatState
            || outbox::message_move(&mut tx, &claimed.id, claimed.number, &state).await? != Written::Done
        {
            tracing::warn!(message = %claimed.id, "a message was seen to after its time; it may arrive twice");
            return Ok(());
        }
        tx.commit().await?;
        if let MessageState::GivenUp { because, .. } = state {
            tracing::warn!(message = %claimed.id, "a message was given up: {because}");
        }
        Ok(())
    }

    /// Has a message sent again now. Refused while it is on its way.
    pub async fn send_again(&self, person: &Person, id: &MessageId) -> Result<(), DeskError> {
        again(|| self.send_again_once(person, id)).await
    }

    async fn send_again_once(&self, person: &Person, id: &MessageId) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let row = outbox::message_fetch(&mut tx, person.tenant(), id, now)
            .await?
            .ok_or(DeskError::Absent("message"))?;
        let paused = pause_open(&mut tx, person.tenant()).await?.is_some();
        let may = may_send_again(&row.state, row.past, person.roles(), row.to == person.0.id, now);
        may_send_now(may, MailStop::of(self.mail.is_some(), paused))?;
        if outbox::message_again(&mut tx, id, row.attempts, now).await? == Written::NotInThatState {
            return Err(Refusal::MessageOnItsWay.into());
        }
        let wanted = Happening::SendAgainWanted {
            message: row.id,
            to_name: row.to_name,
        };
        let subject = Subject::Person(row.to);
        events::event_append(&mut tx, person.tenant(), &person.actor(), subject, wanted, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// What is wrong with the settings for mail that shows only here: the password cannot be read.
    pub(super) fn mail_fault(&self) -> Option<String> {
        let password = self.mail.as_ref()?.password.as_deref()?;
        secret_at(password).err().map(|fault| format!("mail_password: {fault}"))
    }
}

/// Why a message that a process left open is given up without another try.
fn tried_in_vain(row: &MessageRow, mail: &Mail, now: DateTime<Utc>) -> Option<String> {
    // what waited while nobody worked is tried once more; but if it is what processes die of, that has an end
    let tried_since = row.tried_since.filter(|_| row.left_open)?;
    let in_a_row = row.attempts - row.attempts_before;
    match pace(mail).next(in_a_row, now - tried_since) {
        Some(_) => None,
        None => Some(in_vain(now - tried_since)),
    }
}

fn in_vain(tried_for: TimeDelta) -> String {
    format!(
        "it was tried for {}, and no mail server said that it took it",
        calendar::span(tried_for)
    )
}

/// What a try came to, and where the message is after it.
fn outcome<'a>(claimed: &ClaimedMessage, handed: &'a Handed, now: DateTime<Utc>) -> (TryEnd, &'a str, MessageState) {
    match handed {
        Handed::Taken(said) => (TryEnd::Accepted, said, MessageState::Sent { at: now }),
        Handed::Refused(said) => {
            let state = MessageState::GivenUp {
                at: now,
                because: said.clone(),
                in_vain: true,
            };
            (TryEnd::Refused, said, state)
        }
        Handed::Later(said) | Handed::Unknown(said) => {
            let end = match handed {
                Handed::Unknown(_) => TryEnd::Lost,
                Handed::Later(_) | Handed::Taken(_) | Handed::Refused(_) => TryEnd::Failed,
            };
            let tried_for = now - claimed.tried_since;
            let state = match pace(&claimed.mail).next(claimed.in_a_row, tried_for) {
                Some(wait) => MessageState::Waiting { until: now + wait },
                None => MessageState::GivenUp {
                    at: now,
                    because: in_vain(tried_for),
                    in_vain: true,
                },
            };
            (end, said, state)
        }
    }
}
