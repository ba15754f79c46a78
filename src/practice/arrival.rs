//! A request at the moment it arrives: written down, with its fault, its contract, and who sent it under which key.
//!
//! Promises that a request is in the log before anything is done about it, and that the fault it took is gone from the
//! queue. Says what the fault asks of each stage; the stages themselves are in [`super::orders`] and [`super::look_up`].

use axum::http::header;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};

use super::contract::{Contract, KeyScope};
use super::faults::{Deed, Fault, Kind, Show};
use super::store::{KeyName, NewRequest};
use super::wire::{Answer, Ending};
use super::{Call, Moment, Shop, Trouble, look_up, now};

/// A request that has been written down, with the fault it took and the contract it is treated under.
pub(super) struct Arrival {
    /// Its row in the log.
    pub(super) id: i64,
    pub(super) at: Moment,
    pub(super) fault: Option<Fault>,
    pub(super) contract: Contract,
    /// The ACCOUNT of `Bearer ACCOUNT.SECRET`, also while nobody asks for it.
    account: Option<String>,
    /// The key, if it is a submit that has one and keys are honoured.
    pub(super) key: Option<KeyName>,
}

impl Arrival {
    /// Writes the request down and takes its fault, in one transaction.
    pub(super) async fn log(shop: &Shop, call: &Call, parts: &Parts) -> Result<Self, Trouble> {
        let kind = match call {
            Call::Submit => Some(Kind::Submit),
            Call::FindByReference | Call::FindByNumber(_) => Some(Kind::LookUp),
            Call::Change(_) | Call::SignIn | Call::Elsewhere => None,
        };
        let key = header_text(parts, "idempotency-key");
        let reference = match call {
            Call::FindByReference => look_up::asked(&parts.uri).ok().and_then(|asked| asked.reference),
            Call::Submit | Call::FindByNumber(_) | Call::Change(_) | Call::SignIn | Call::Elsewhere => None,
        };
        let at = now();
        let request = NewRequest {
            at,
            kind,
            method: parts.method.as_str(),
            path: parts.uri.path(),
            key: key.as_deref(),
            reference: reference.as_deref(),
        };
        let (id, fault, contract) = shop.store.request_arrived(&request).await?;
        let credential = header_text(parts, header::AUTHORIZATION.as_str());
        let account = credential.as_deref().and_then(account_of);
        let key = key
            .filter(|_| contract.key_honoured && kind == Some(Kind::Submit))
            .map(|key| KeyName {
                scope: key_scope(&contract, account.as_deref(), credential.as_deref()),
                key,
            });
        Ok(Self {
            id,
            at,
            fault,
            contract,
            account,
            key,
        })
    }

    pub(super) fn deed(&self) -> Option<Deed> {
        self.fault.as_ref().map(|fault| fault.deed)
    }

    pub(super) fn account(&self) -> &str {
        self.account.as_deref().unwrap_or_default()
    }

    /// 401 where accounts are asked for and none is named.
    pub(super) fn stranger(&self) -> Option<Answer> {
        let unknown = self.contract.accounts && self.account.is_none();
        unknown.then(|| Answer::code(401, "unauthorized"))
    }

    /// The door's answer, where the fault is one that turns away.
    pub(super) fn turned_away(&self) -> Option<Answer> {
        match (&self.fault, self.deed()) {
            (Some(fault), Some(Deed::TurnAway(status, code))) => Some(fault.turn_away(status, code)),
            _ => None,
        }
    }

    /// What else a look-up is to show than what is there.
    pub(super) fn shows(&self) -> Option<Show> {
        match self.deed() {
            Some(Deed::Show(show)) => Some(show),
            _ => None,
        }
    }

    pub(super) async fn sleep_first(&self) {
        if let (Some(fault), Some(Deed::SleepFirst)) = (&self.fault, self.deed()) {
            fault.sleep().await;
        }
    }

    /// Sends the answer out, past the fault where that is one for answers.
    pub(super) async fn send(&self, answer: Answer) -> Ending {
        match (&self.fault, self.deed()) {
            (Some(fault), Some(Deed::Damage(damage))) => fault.damage(damage, answer).await,
            _ => answer.into(),
        }
    }
}

/// A header as text; absent when there is none or only blanks. Bytes that are no UTF-8 are kept apart by their replacement.
fn header_text(parts: &Parts, name: &str) -> Option<String> {
    let value = parts.headers.get(name)?;
    let text = String::from_utf8_lossy(value.as_bytes());
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The account of `Bearer ACCOUNT.SECRET`; any secret will do, since this supplier has nothing to steal.
fn account_of(credential: &str) -> Option<String> {
    let (scheme, token) = credential.split_once(' ')?;
    let (account, secret) = token.trim().split_once('.')?;
    let named = scheme.eq_ignore_ascii_case("bearer") && !account.is_empty() && !secret.is_empty();
    named.then(|| account.to_owned())
}

/// What the key is unique within. Of a credential only a hash is kept: the file must not hold secrets.
fn key_scope(contract: &Contract, account: Option<&str>, credential: Option<&str>) -> String {
    match contract.key_scope {
        KeyScope::Account => format!("account:{}", account.unwrap_or_default()),
        KeyScope::Credential => format!("credential:{}", digest(credential.unwrap_or_default().as_bytes())),
    }
}

/// SHA-256 in hex.
pub(super) fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
