//! Signing in and out, and programs' tokens. Passwords are hashed with argon2id; secrets are kept as hashes only.
//!
//! Promises: a wrong address and a wrong password cannot be told apart. Must not: keep or log a secret.

use super::{Desk, DeskError, Person, Program, clock};
use crate::domain::contents::Digest;
use crate::domain::text;
use crate::store::people;
use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use tokio::sync::Semaphore;

/// A fresh session's secret, for the cookie.
pub struct Session {
    pub secret: String,
    /// Seconds it lasts.
    pub seconds: i64,
}

fn hash_of(secret: &str) -> String {
    Digest::of(secret.as_bytes()).to_string()
}

/// Hashes a password, off the threads that serve pages.
pub(super) async fn hash_password(password: String) -> Result<String, DeskError> {
    off_thread(move || {
        let salt = SaltString::generate(&mut OsRng);
        let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
        hash.map(|hash| hash.to_string())
            .map_err(|error| DeskError::Broken(error.to_string()))
    })
    .await?
}

/// Hashing takes 19 MiB and a core for a moment each time; more at once would starve the pages.
static HASHING: Semaphore = Semaphore::const_new(4);

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, DeskError> {
    let place = HASHING.acquire().await;
    let _place = place.map_err(|error| DeskError::Broken(error.to_string()))?;
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| DeskError::Broken(error.to_string()))
}

/// Checks a password. Without a hash the same work is done, so that time tells nobody who has an account.
async fn is_password(password: String, hash: Option<String>) -> Result<bool, DeskError> {
    off_thread(move || match hash.as_deref().map(PasswordHash::new) {
        Some(Ok(hash)) => Argon2::default().verify_password(password.as_bytes(), &hash).is_ok(),
        Some(Err(_)) | None => {
            let salt = SaltString::generate(&mut OsRng);
            // the result is of no use; the time it took is
            let _ = Argon2::default().hash_password(password.as_bytes(), &salt);
            false
        }
    })
    .await
}

impl Desk {
    /// Signs somebody in; nothing for a wrong address or password, without saying which.
    pub async fn sign_in(&self, email: &str, password: &str) -> Result<Option<Session>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let email = email.trim().to_lowercase();
        // no such address was ever added, and PostgreSQL cannot even be asked about one with U+0000
        let found = match email.contains(text::is_hidden) {
            true => None,
            false => people::person_by_email(&mut read, &email).await?,
        };
        drop(read);
        let hash = found.as_ref().and_then(|(_, hash)| hash.clone());
        let right = is_password(password.to_owned(), hash).await?;
        let Some((person, _)) = found.filter(|(person, _)| right && !person.disabled) else {
            return Ok(None);
        };
        let (now, secret) = (clock::now(), clock::secret());
        let mut tx = self.store.begin_write().await?;
        people::session_add(&mut tx, &hash_of(&secret), &person.id, now, now + self.lengths.session).await?;
        tx.commit().await?;
        Ok(Some(Session {
            secret,
            seconds: self.lengths.session.num_seconds(),
        }))
    }

    /// Who a session's secret belongs to.
    pub async fn session(&self, secret: &str) -> Result<Option<Person>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let person = people::session_person(&mut read, &hash_of(secret), clock::now()).await?;
        Ok(person.map(Person))
    }

    /// Who a session belonged to, also after it ran out.
    pub(super) async fn session_owner(&self, secret: &str) -> Result<Option<Person>, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(people::session_owner(&mut read, &hash_of(secret)).await?.map(Person))
    }

    /// Ends a session.
    pub async fn sign_out(&self, secret: &str) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write().await?;
        people::session_end(&mut tx, &hash_of(secret)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Which program a token's secret belongs to.
    pub async fn program(&self, secret: &str) -> Result<Option<Program>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let token = people::token_by_secret(&mut read, &hash_of(secret)).await?;
        Ok(token.map(Program))
    }
}

/// The hash under which a token's secret is kept.
pub(super) fn token_hash(secret: &str) -> String {
    hash_of(secret)
}
