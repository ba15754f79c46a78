//! The wire to a supplier. Sorts what happened on it into a `Reply`; findings and states are the domain's.
//!
//! Promises: one request per submit, never repeated, never redirected, on a fresh connection (rule 11). Must not: touch
//! the database, read a clock for decisions (the caller brings the gate), or keep a secret anywhere.

pub mod example;
pub mod file;
pub mod http;
mod look_up;
mod parts;
pub mod record;
pub mod retry_after;

use crate::domain::attempt::Reply;
use crate::domain::classify::Meaning;
use crate::domain::contents::OrderContents;
use crate::domain::ids::OperationKey;
pub use file::{Supplier, SupplierFault};

/// A mutating request, ready to be committed and then sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub method: String,
    pub url: String,
    /// The exact bytes of the body.
    pub body: String,
}

/// What an order's request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Purchase<'a> {
    pub operation_key: OperationKey,
    pub contents: &'a OrderContents,
}

/// What came of a submit, with what people will want to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub reply: Reply,
    /// What it means, where it settles nothing and the contract tells.
    pub meaning: Option<Meaning>,
    pub http_status: Option<u16>,
    /// How it ended, as a sentence for people.
    pub detail: String,
    /// A short piece of the answer: no control characters, no secret.
    pub excerpt: Option<String>,
}

/// A secret that cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("the secret {reference} cannot be read: {why}")]
pub struct SecretFault {
    pub reference: String,
    pub why: String,
}

/// The secret that `env:NAME` or `file:/path` refers to, read where it is. Never stored, never logged.
pub fn secret_at(reference: &str) -> Result<String, SecretFault> {
    let fault = |why: String| SecretFault {
        reference: reference.to_owned(),
        why,
    };
    let secret = match reference.split_once(':') {
        Some(("env", name)) => std::env::var(name).map_err(|error| fault(error.to_string())),
        Some(("file", path)) => std::fs::read_to_string(path).map_err(|error| fault(error.to_string())),
        _ => Err(fault("neither env: nor file:".to_owned())),
    }?;
    Ok(secret.trim_end().to_owned())
}
