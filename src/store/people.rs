//! People, their roles and sessions, and programs' tokens. Secrets are kept as hashes only.

use super::dialect::{among, ask, done};
use super::{Conn, StoreError, Written, absences, count, micros, parsed, to_json};
use crate::domain::ids::{PersonId, TenantId, TokenId};
use crate::domain::ownership::Candidate;
use crate::domain::person::Role;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// A person as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRow {
    pub id: PersonId,
    pub tenant: TenantId,
    pub name: String,
    pub email: String,
    pub roles: Vec<Role>,
    pub disabled: bool,
}

type Columns = (String, String, String, String, Option<i64>, Option<String>);
/// Roles come as one text, so that a person is one row.
macro_rules! person_columns {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.tenant, p.name, p.email, p.disabled_at,
             (SELECT string_agg(role, ' ') FROM person_roles r WHERE r.person = p.id) FROM people p ",
            $rest
        )
    };
}

fn roles_of(text: Option<&str>) -> Result<Vec<Role>, StoreError> {
    let words = text.unwrap_or_default().split_whitespace();
    let mut roles: Vec<Role> = words
        .map(|word| Role::of(word).ok_or_else(|| StoreError::corrupt(word)))
        .collect::<Result<_, _>>()?;
    roles.sort_unstable();
    Ok(roles)
}

fn read((id, tenant, name, email, disabled_at, roles): Columns) -> Result<PersonRow, StoreError> {
    let roles = roles_of(roles.as_deref())?;
    Ok(PersonRow {
        id: parsed(&id)?,
        tenant: parsed(&tenant)?,
        name,
        email,
        roles,
        disabled: disabled_at.is_some(),
    })
}

/// Keeps a new person. An address that is taken is `is_taken()`.
pub async fn person_add(
    conn: &mut Conn,
    person: &PersonRow,
    password_hash: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO people (id, tenant, name, email, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(person.id.as_str())
        .bind(person.tenant.as_str())
        .bind(&person.name)
        .bind(&person.email)
        .bind(password_hash)
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    for role in &person.roles {
        done!(
            conn,
            sqlx::query("INSERT INTO person_roles (person, role) VALUES ($1, $2)")
                .bind(person.id.as_str())
                .bind(role.word())
                .execute(&mut *conn)
        )?;
    }
    Ok(())
}

/// The tenant's people, by name.
pub async fn person_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<PersonRow>, StoreError> {
    let rows: Vec<Columns> = ask!(
        conn,
        sqlx::query_as(person_columns!("WHERE p.tenant = $1 ORDER BY p.name, p.id"))
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read).collect()
}

/// Somebody, also who is disabled.
pub async fn person_read(conn: &mut Conn, id: &PersonId) -> Result<PersonRow, StoreError> {
    let row: Columns = ask!(
        conn,
        sqlx::query_as(person_columns!("WHERE p.id = $1"))
            .bind(id.as_str())
            .fetch_one(&mut *conn)
    )?;
    read(row)
}

/// Somebody by e-mail, with the password's hash.
pub async fn person_by_email(conn: &mut Conn, email: &str) -> Result<Option<(PersonRow, Option<String>)>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(person_columns!("WHERE p.email = $1"))
            .bind(email)
            .fetch_optional(&mut *conn)
    )?;
    let Some(person) = row.map(read).transpose()? else {
        return Ok(None);
    };
    let hash: Option<String> = ask!(
        conn,
        sqlx::query_scalar("SELECT password_hash FROM people WHERE id = $1")
            .bind(person.id.as_str())
            .fetch_one(&mut *conn)
    )?;
    Ok(Some((person, hash)))
}

/// Starts a session.
pub async fn session_add(
    conn: &mut Conn,
    secret_hash: &str,
    person: &PersonId,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    // whoever signs in sweeps what ran out a while ago, so the table does not grow; a session that ended just now
    // still tells whose half-typed decision it was (case P10)
    done!(
        conn,
        sqlx::query("DELETE FROM sessions WHERE person = $1 AND expires_at <= $2")
            .bind(person.as_str())
            .bind(micros(now - chrono::TimeDelta::days(1)))
            .execute(&mut *conn)
    )?;
    done!(
        conn,
        sqlx::query("INSERT INTO sessions (secret_hash, person, created_at, expires_at) VALUES ($1, $2, $3, $4)")
            .bind(secret_hash)
            .bind(person.as_str())
            .bind(micros(now))
            .bind(micros(expires_at))
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Who a session belongs to, while it lasts and the person is not disabled.
pub async fn session_person(
    conn: &mut Conn,
    secret_hash: &str,
    now: DateTime<Utc>,
) -> Result<Option<PersonRow>, StoreError> {
    let row: Option<Columns> = ask!(conn, sqlx::query_as(person_columns!(
        "JOIN sessions s ON s.person = p.id WHERE s.secret_hash = $1 AND s.expires_at > $2 AND p.disabled_at IS NULL"
    ))
    .bind(secret_hash)
    .bind(micros(now))
    .fetch_optional(&mut *conn))?;
    row.map(read).transpose()
}

/// Who a session belonged to, also after it ran out; nobody who is disabled.
pub async fn session_owner(conn: &mut Conn, secret_hash: &str) -> Result<Option<PersonRow>, StoreError> {
    let row: Option<Columns> = ask!(
        conn,
        sqlx::query_as(person_columns!(
            "JOIN sessions s ON s.person = p.id WHERE s.secret_hash = $1 AND p.disabled_at IS NULL"
        ))
        .bind(secret_hash)
        .fetch_optional(&mut *conn)
    )?;
    row.map(read).transpose()
}

/// Ends a session.
pub async fn session_end(conn: &mut Conn, secret_hash: &str) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("DELETE FROM sessions WHERE secret_hash = $1")
            .bind(secret_hash)
            .execute(&mut *conn)
    )?;
    Ok(())
}

/// Disables a person and ends every session of theirs.
pub async fn person_disable(conn: &mut Conn, id: &PersonId, now: DateTime<Utc>) -> Result<Written, StoreError> {
    done!(
        conn,
        sqlx::query("DELETE FROM sessions WHERE person = $1")
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    let done = done!(
        conn,
        sqlx::query("UPDATE people SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL")
            .bind(micros(now))
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}

type CandidateColumns = (String, String, i64, Option<String>, Option<String>, Option<String>);

/// Everybody who could own a case of the tenant, with how many they own now and when they are away.
pub async fn owner_candidates(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<Candidate>, StoreError> {
    let rows: Vec<CandidateColumns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT p.id, string_agg(r.role, ' '),
                (SELECT count(*) FROM cases c WHERE c.owner = p.id AND c.closed_at IS NULL),
                a.begins, a.ends, a.deputy
         FROM people p JOIN person_roles r ON r.person = p.id LEFT JOIN absences a ON a.person = p.id
         WHERE p.tenant = $1 AND p.disabled_at IS NULL AND r.role IN ('resolver', 'manager')
         GROUP BY p.id, a.begins, a.ends, a.deputy",
        )
        .bind(tenant.as_str())
        .fetch_all(&mut *conn)
    )?;
    let candidate = |(id, roles, open, begins, ends, deputy): CandidateColumns| {
        Ok(Candidate {
            person: parsed(&id)?,
            roles: roles_of(Some(&roles))?,
            open_cases: count(open)?,
            absence: absences::read((begins, ends, deputy))?,
        })
    };
    rows.into_iter().map(candidate).collect()
}

/// Whether the tenant has a manager who is not disabled, other than `except` (rule 15).
pub async fn has_manager(conn: &mut Conn, tenant: &TenantId, except: Option<&PersonId>) -> Result<bool, StoreError> {
    let found: Option<i64> = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT CAST(1 AS BIGINT) FROM people p JOIN person_roles r ON r.person = p.id
         WHERE p.tenant = $1 AND r.role = 'manager' AND p.disabled_at IS NULL AND p.id <> $2 LIMIT 1",
        )
        .bind(tenant.as_str())
        .bind(except.map(PersonId::as_str).unwrap_or_default())
        .fetch_optional(&mut *conn)
    )?;
    Ok(found.is_some())
}

/// A person's name, also of somebody disabled.
pub async fn person_name(conn: &mut Conn, id: &PersonId) -> Result<String, StoreError> {
    let name: Option<String> = ask!(
        conn,
        sqlx::query_scalar("SELECT name FROM people WHERE id = $1")
            .bind(id.as_str())
            .fetch_optional(&mut *conn)
    )?;
    name.ok_or_else(|| StoreError::corrupt(format!("person {id} is missing")))
}

/// The names of these people.
pub async fn names_of(conn: &mut Conn, these: &[&PersonId]) -> Result<HashMap<PersonId, String>, StoreError> {
    let statement = among!(conn, "SELECT id, name FROM people WHERE id", "");
    let these = to_json(&these)?;
    let rows: Vec<(String, String)> = ask!(conn, sqlx::query_as(statement).bind(these).fetch_all(&mut *conn))?;
    rows.into_iter().map(|(id, name)| Ok((parsed(&id)?, name))).collect()
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Put and get its intents.
    Intake,
    /// Get everything of its tenant.
    Read,
}

impl Scope {
    /// The scope's word.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Intake => "intake",
            Scope::Read => "read",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Self> {
        [Scope::Intake, Scope::Read]
            .into_iter()
            .find(|scope| scope.word() == word)
    }
}

/// A program's token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    pub id: TokenId,
    pub tenant: TenantId,
    pub name: String,
    pub scope: Scope,
    pub revoked: bool,
}

type TokenColumns = (String, String, String, String, Option<i64>);

fn read_token((id, tenant, name, scope, revoked_at): TokenColumns) -> Result<TokenRow, StoreError> {
    let scope = Scope::of(&scope).ok_or_else(|| StoreError::corrupt(scope))?;
    Ok(TokenRow {
        id: parsed(&id)?,
        tenant: parsed(&tenant)?,
        name,
        scope,
        revoked: revoked_at.is_some(),
    })
}

/// Keeps a new token.
pub async fn token_add(
    conn: &mut Conn,
    token: &TokenRow,
    secret_hash: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO tokens (id, tenant, name, scope, secret_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(token.id.as_str())
        .bind(token.tenant.as_str())
        .bind(&token.name)
        .bind(token.scope.word())
        .bind(secret_hash)
        .bind(micros(now))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// The token with this secret, unless it was revoked.
pub async fn token_by_secret(conn: &mut Conn, secret_hash: &str) -> Result<Option<TokenRow>, StoreError> {
    let row: Option<TokenColumns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT id, tenant, name, scope, revoked_at FROM tokens WHERE secret_hash = $1 AND revoked_at IS NULL",
        )
        .bind(secret_hash)
        .fetch_optional(&mut *conn)
    )?;
    row.map(read_token).transpose()
}

/// The tenant's tokens, by name.
pub async fn token_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<TokenRow>, StoreError> {
    let rows: Vec<TokenColumns> = ask!(
        conn,
        sqlx::query_as("SELECT id, tenant, name, scope, revoked_at FROM tokens WHERE tenant = $1 ORDER BY name, id")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read_token).collect()
}

/// Revokes a token of the tenant.
pub async fn token_revoke(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &TokenId,
    now: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("UPDATE tokens SET revoked_at = $1 WHERE tenant = $2 AND id = $3 AND revoked_at IS NULL")
            .bind(micros(now))
            .bind(tenant.as_str())
            .bind(id.as_str())
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}
