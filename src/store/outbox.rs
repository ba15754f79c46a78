//! What people are told by e-mail: written in the transaction of what it tells of, claimed by one process at a time.

use super::dialect::{among, ask, done};
use super::{Conn, StoreError, Written, count, micros, moment, moment_if, parsed, to_json};
use crate::domain::ids::{CaseId, MessageId, PersonId, TenantId};
use crate::domain::message::{Letter, MessageKind, MessageState, Past, Since, Try, TryEnd, past};
use chrono::{DateTime, Utc};

/// A message to be written.
#[derive(Debug, Clone)]
pub struct NewMessage {
    pub id: MessageId,
    pub to: PersonId,
    pub kind: MessageKind,
    pub case: Option<CaseId>,
    pub letter: Letter,
}

/// A message as it is kept.
#[derive(Debug, Clone)]
pub struct MessageRow {
    pub id: MessageId,
    pub to: PersonId,
    pub to_name: String,
    pub kind: MessageKind,
    pub case: Option<CaseId>,
    pub subject: String,
    pub body: String,
    pub written_at: DateTime<Utc>,
    pub state: MessageState,
    /// Tries until now.
    pub attempts: u32,
    /// Those before somebody wanted it sent again.
    pub attempts_before: u32,
    /// When the first try after these began.
    pub tried_since: Option<DateTime<Utc>>,
    /// Whoever had it in hand last did not report back in time.
    pub left_open: bool,
    /// Why it is not sent, or sent again.
    pub past: Option<Past>,
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    person: String,
    to_name: String,
    kind: String,
    case_id: Option<String>,
    subject: String,
    body: String,
    created_at: i64,
    due_at: Option<i64>,
    lease_until: Option<i64>,
    sent_at: Option<i64>,
    given_up_at: Option<i64>,
    given_up_because: Option<String>,
    in_vain: i64,
    attempts: i64,
    attempts_before: i64,
    tried_since: Option<i64>,
    is_disabled: i64,
    later_digest: i64,
    case_owner: Option<String>,
    case_closed_at: Option<i64>,
}

macro_rules! message_columns {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.person, p.name AS to_name, m.kind, m.case_id, m.subject, m.body, m.created_at, m.due_at,
                    m.lease_until, m.sent_at, m.given_up_at, m.given_up_because, m.in_vain, m.attempts, m.attempts_before,
                    (SELECT t.at FROM outbox_attempts t WHERE t.message = m.id AND t.number = m.attempts_before + 1) AS tried_since,
                    CAST(CASE WHEN p.disabled_at IS NULL THEN 0 ELSE 1 END AS BIGINT) AS is_disabled,
                    CAST(CASE WHEN EXISTS (
                        SELECT 1 FROM digests d JOIN digests l ON l.tenant = d.tenant AND l.person = d.person AND l.day > d.day
                        WHERE d.message = m.id) THEN 1 ELSE 0 END AS BIGINT) AS later_digest,
                    k.owner AS case_owner, k.closed_at AS case_closed_at
             FROM outbox m JOIN people p ON p.id = m.person LEFT JOIN cases k ON k.id = m.case_id ",
            $rest
        )
    };
}

fn number(kept: i64) -> Result<u32, StoreError> {
    u32::try_from(kept).map_err(StoreError::corrupt)
}

impl Columns {
    fn state(&self, now: DateTime<Utc>) -> Result<MessageState, StoreError> {
        let lease = moment_if(self.lease_until)?;
        match (self.due_at, self.sent_at, self.given_up_at) {
            (Some(_), _, _) if lease.is_some_and(|until| until > now) => Ok(MessageState::Sending),
            (Some(until), _, _) => Ok(MessageState::Waiting { until: moment(until)? }),
            (None, Some(at), _) => Ok(MessageState::Sent { at: moment(at)? }),
            (None, None, Some(at)) => Ok(MessageState::GivenUp {
                at: moment(at)?,
                because: self.given_up_because.clone().unwrap_or_default(),
                in_vain: self.in_vain != 0,
            }),
            (None, None, None) => Err(StoreError::corrupt(format!("message {} is nowhere", self.id))),
        }
    }

    fn past(&self, kind: MessageKind, to: &PersonId) -> Result<Option<Past>, StoreError> {
        let owner: Option<PersonId> = self.case_owner.as_deref().map(parsed).transpose()?;
        let since = Since {
            reader_is_disabled: self.is_disabled != 0,
            case: owner.as_ref().map(|owner| (owner, self.case_closed_at.is_some())),
            later_digest: self.later_digest != 0,
        };
        Ok(past(kind, to, since))
    }

    fn read(self, now: DateTime<Utc>) -> Result<MessageRow, StoreError> {
        let kind = MessageKind::of(&self.kind).ok_or_else(|| StoreError::corrupt(&self.kind))?;
        let to = parsed(&self.person)?;
        Ok(MessageRow {
            past: self.past(kind, &to)?,
            state: self.state(now)?,
            tried_since: moment_if(self.tried_since)?,
            left_open: moment_if(self.lease_until)?.is_some_and(|until| until <= now),
            id: parsed(&self.id)?,
            to,
            to_name: self.to_name,
            kind,
            case: self.case_id.as_deref().map(parsed).transpose()?,
            subject: self.subject,
            body: self.body,
            written_at: moment(self.created_at)?,
            attempts: number(self.attempts)?,
            attempts_before: number(self.attempts_before)?,
        })
    }
}

/// Writes a message; it is due at once.
pub async fn message_add(
    conn: &mut Conn,
    tenant: &TenantId,
    new: &NewMessage,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO outbox (id, tenant, person, kind, case_id, subject, body, created_at, due_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
        )
        .bind(new.id.as_str())
        .bind(tenant.as_str())
        .bind(new.to.as_str())
        .bind(new.kind.word())
        .bind(new.case.as_ref().map(CaseId::as_str))
        .bind(&new.letter.subject)
        .bind(&new.letter.body)
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// Messages that are due and that nobody has in hand, the one due first on top, at most so many; none of a paused tenant.
pub async fn message_due(
    conn: &mut Conn,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<(TenantId, MessageId)>, StoreError> {
    let found: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as(
            "SELECT tenant, id FROM outbox m
             WHERE due_at IS NOT NULL AND due_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
               AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.tenant = m.tenant AND p.ended_at IS NULL)
             ORDER BY due_at, id LIMIT $2"
        )
        .bind(micros(now))
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    found
        .iter()
        .map(|(tenant, id)| Ok((parsed(tenant)?, parsed(id)?)))
        .collect()
}

/// Takes a message in hand until then, from exactly so many tries, and opens its next; one that a process left open is lost.
/// Somebody faster is `NotInThatState`: then nothing was written.
pub async fn message_claim(
    conn: &mut Conn,
    id: &MessageId,
    attempts: u32,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let taken = done!(
        conn,
        sqlx::query(
            "UPDATE outbox SET lease_until = $1, attempts = attempts + 1
             WHERE id = $2 AND attempts = $3 AND due_at <= $4 AND (lease_until IS NULL OR lease_until <= $4)"
        )
        .bind(micros(until))
        .bind(id.as_str())
        .bind(i64::from(attempts))
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    if Written::of(taken) == Written::NotInThatState {
        return Ok(Written::NotInThatState);
    }
    try_lost(conn, id, now).await?;
    done!(
        conn,
        sqlx::query(
            "INSERT INTO outbox_attempts (message, number, at) SELECT id, attempts, $1 FROM outbox WHERE id = $2"
        )
        .bind(micros(now))
        .bind(id.as_str())
        .execute(&mut *conn)
    )?;
    Ok(Written::Done)
}

/// Whoever left a try open does not report back any more.
async fn try_lost(conn: &mut Conn, id: &MessageId, now: DateTime<Utc>) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("UPDATE outbox_attempts SET ended_at = $1, outcome = $2 WHERE message = $3 AND ended_at IS NULL")
            .bind(micros(now))
            .bind(TryEnd::Lost.word())
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Gives up a message that nobody has in hand, from exactly so many tries; one that a process left open is lost. `in_vain`:
/// somebody should have got it.
pub async fn message_give_up(
    conn: &mut Conn,
    id: &MessageId,
    attempts: u32,
    because: &str,
    in_vain: bool,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let given_up = done!(
        conn,
        sqlx::query(
            "UPDATE outbox SET due_at = NULL, given_up_at = $1, given_up_because = $2, in_vain = $5, lease_until = NULL
             WHERE id = $3 AND attempts = $4 AND due_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)"
        )
        .bind(micros(now))
        .bind(because)
        .bind(id.as_str())
        .bind(i64::from(attempts))
        .bind(i64::from(in_vain))
        .execute(&mut *conn)
    )?;
    if Written::of(given_up) == Written::Done {
        try_lost(conn, id, now).await?;
    }
    Ok(Written::of(given_up))
}

/// Closes a try. Once it counts as lost it stays so: somebody else has the message in hand.
pub async fn try_close(
    conn: &mut Conn,
    id: &MessageId,
    number: u32,
    end: TryEnd,
    detail: &str,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let closed = done!(
        conn,
        sqlx::query(
            "UPDATE outbox_attempts SET ended_at = $1, outcome = $2, detail = $3
             WHERE message = $4 AND number = $5 AND ended_at IS NULL"
        )
        .bind(micros(now))
        .bind(end.word())
        .bind(detail)
        .bind(id.as_str())
        .bind(i64::from(number))
        .execute(&mut *conn)
    )?;
    Ok(Written::of(closed))
}

/// Moves a message to where the last of exactly so many tries left it; whoever closed that try has it in hand.
pub async fn message_move(
    conn: &mut Conn,
    id: &MessageId,
    attempts: u32,
    to: &MessageState,
) -> Result<Written, StoreError> {
    let (due_at, sent_at, given_up) = match to {
        MessageState::Waiting { until } => (Some(*until), None, None),
        MessageState::Sent { at } => (None, Some(*at), None),
        MessageState::GivenUp { at, because, in_vain } => (None, None, Some((*at, because, *in_vain))),
        MessageState::Sending => return Err(StoreError::corrupt("a message is taken in hand by a claim alone")),
    };
    let moved = done!(
        conn,
        sqlx::query(
            "UPDATE outbox SET due_at = $1, sent_at = $2, given_up_at = $3, given_up_because = $4, in_vain = $7,
                               lease_until = NULL
             WHERE id = $5 AND attempts = $6 AND due_at IS NOT NULL"
        )
        .bind(due_at.map(micros))
        .bind(sent_at.map(micros))
        .bind(given_up.map(|(at, _, _)| micros(at)))
        .bind(given_up.map(|(_, because, _)| because))
        .bind(id.as_str())
        .bind(i64::from(attempts))
        .bind(i64::from(given_up.is_some_and(|(_, _, in_vain)| in_vain)))
        .execute(&mut *conn)
    )?;
    Ok(Written::of(moved))
}

/// Has a message tried again now, from exactly so many tries: what is counted before it is given up begins anew.
pub async fn message_again(
    conn: &mut Conn,
    id: &MessageId,
    attempts: u32,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let again = done!(
        conn,
        sqlx::query(
            "UPDATE outbox SET due_at = $1, sent_at = NULL, given_up_at = NULL, given_up_because = NULL,
                               in_vain = 0, lease_until = NULL, attempts_before = attempts
             WHERE id = $2 AND attempts = $3 AND (lease_until IS NULL OR lease_until <= $1)"
        )
        .bind(micros(now))
        .bind(id.as_str())
        .bind(i64::from(attempts))
        .execute(&mut *conn)
    )?;
    Ok(Written::of(again))
}

/// How many messages of the tenant were given up since then that somebody should have got.
pub async fn messages_in_vain(conn: &mut Conn, tenant: &TenantId, since: DateTime<Utc>) -> Result<u64, StoreError> {
    let many: i64 = ask!(
        conn,
        sqlx::query_scalar("SELECT count(*) FROM outbox WHERE in_vain = 1 AND given_up_at >= $1 AND tenant = $2")
            .bind(micros(since))
            .bind(tenant.as_str())
            .fetch_one(&mut *conn)
    )?;
    count(many)
}

/// A message, whoever's it is.
pub async fn message_read(conn: &mut Conn, id: &MessageId, now: DateTime<Utc>) -> Result<MessageRow, StoreError> {
    let row: Columns = ask!(
        conn,
        sqlx::query_as(message_columns!("WHERE m.id = $1"))
            .bind(id.as_str())
            .fetch_one(&mut *conn)
    )?;
    row.read(now)
}

/// A message of the tenant.
pub async fn message_fetch(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &MessageId,
    now: DateTime<Utc>,
) -> Result<Option<MessageRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(message_columns!("WHERE m.id = $1 AND m.tenant = $2"))
            .bind(id.as_str())
            .bind(tenant.as_str())
            .fetch_optional(&mut *conn)
    )?;
    row.map(|row| row.read(now)).transpose()
}

/// The tenant's messages behind this one, newest first; from the newest on without one.
pub async fn message_page(
    conn: &mut Conn,
    tenant: &TenantId,
    after: Option<&MessageId>,
    now: DateTime<Utc>,
    most: u32,
) -> Result<Vec<MessageRow>, StoreError> {
    let mark: Option<(i64, String)> = match after {
        Some(after) => ask!(
            conn,
            sqlx::query_as("SELECT created_at, id FROM outbox WHERE id = $1 AND tenant = $2")
                .bind(after.as_str())
                .bind(tenant.as_str())
                .fetch_optional(&mut *conn)
        )?,
        None => None,
    };
    let (written, id) = mark.unwrap_or((i64::MAX, String::new()));
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(message_columns!(
            "WHERE m.tenant = $1 AND (m.created_at, m.id) < ($2, $3) ORDER BY m.created_at DESC, m.id DESC LIMIT $4"
        ))
        .bind(tenant.as_str())
        .bind(written)
        .bind(id)
        .bind(i64::from(most))
        .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(|row| row.read(now)).collect()
}

/// Every try of these messages, by message and oldest first.
pub async fn try_list(conn: &mut Conn, messages: &[&MessageId]) -> Result<Vec<(MessageId, Try)>, StoreError> {
    let statement = among!(
        conn,
        "SELECT message, number, at, ended_at, outcome, detail FROM outbox_attempts WHERE message",
        "ORDER BY message, number"
    );
    type Tried = (String, i64, i64, Option<i64>, Option<String>, Option<String>);
    let messages = to_json(&messages)?;
    let rows: Vec<Tried> = ask!(conn, sqlx::query_as(statement).bind(messages).fetch_all(&mut *conn))?;
    let read = |(message, place, at, ended_at, outcome, detail): Tried| {
        let end = |word: &String| TryEnd::of(word).ok_or_else(|| StoreError::corrupt(word));
        let tried = Try {
            number: number(place)?,
            at: moment(at)?,
            ended: moment_if(ended_at)?.zip(outcome.as_ref().map(end).transpose()?),
            detail,
        };
        Ok((parsed(&message)?, tried))
    };
    rows.into_iter().map(read).collect()
}
