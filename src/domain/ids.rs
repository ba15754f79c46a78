//! Typed, prefixed ids. An id says what it names, and one kind never stands where another is meant.
//!
//! Promises: an id parsed from text has the right prefix and only the alphabet below; nothing here draws random
//! numbers (the desk does). Must not: derive an id from contents or from an attempt.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

/// Crockford's base 32 in lower case: no i, l, o, u, so that an id can be read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 12 characters of 5 bits: 60 random bits. A clash would be refused by the primary key, not merged.
const LENGTH: usize = 12;

/// Why a text is not an id of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {kind} id: it begins with \"{prefix}\" and has {LENGTH} characters after it")]
pub struct NotAnId {
    kind: &'static str,
    prefix: &'static str,
}

fn encode(prefix: &str, random: u128) -> String {
    let digits = (0..LENGTH).map(|place| {
        let five_bits = (random >> (5 * place)) & 0b1_1111;
        char::from(ALPHABET[five_bits as usize])
    });
    prefix.chars().chain(digits).collect()
}

fn is_id(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| rest.len() == LENGTH && rest.bytes().all(|byte| ALPHABET.contains(&byte)))
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal $kind:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Makes an id of 60 of the given random bits.
            pub fn from_random(random: u128) -> Self {
                Self(encode($prefix, random))
            }
            /// The id as text, prefix included.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl std::str::FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                if is_id($prefix, text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(NotAnId { kind: $kind, prefix: $prefix })
                }
            }
        }
        impl TryFrom<String> for $name {
            type Error = NotAnId;
            fn try_from(text: String) -> Result<Self, NotAnId> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// One organisation; every row belongs to one.
    TenantId "ten_" "tenant";
    /// One revision of a suggestion.
    SuggestionId "sug_" "suggestion";
    /// An approved purchase.
    OrderId "po_" "order";
    /// One try to submit an order.
    AttemptId "try_" "attempt";
    /// Something that needs a person.
    CaseId "case_" "case";
    /// A person who signs in.
    PersonId "per_" "person";
    /// A program's token (not its secret).
    TokenId "tok_" "token";
    /// What somebody typed into an act that was refused.
    DraftId "dr_" "draft";
    /// Something that a person is told by e-mail.
    MessageId "msg_" "message";
    /// A process at work on the database.
    NodeId "node_" "node";
    /// The history that a database belongs to.
    InstanceId "ins_" "instance";
}

/// The caller's name of one business wish: 1–128 characters of `A–Z a–z 0–9 . _ : -` (doors.md, case I9).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IntentId(String);

/// Why a text is not an intent id; the sentence tells an agent how to make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an intent_id has 1 to 128 characters of A-Z a-z 0-9 . _ : - ; choose one per business wish, before the model runs, and keep it through every retry"
)]
pub struct NotAnIntentId;

impl IntentId {
    /// The intent id exactly as the caller gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for IntentId {
    type Err = NotAnIntentId;
    fn from_str(text: &str) -> Result<Self, NotAnIntentId> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        // "." and ".." would be folded away by clients that tidy a path
        let dots = text == "." || text == "..";
        if (1..=128).contains(&text.len()) && text.bytes().all(allowed) && !dots {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAnIntentId)
        }
    }
}

impl TryFrom<String> for IntentId {
    type Error = NotAnIntentId;
    fn try_from(text: String) -> Result<Self, NotAnIntentId> {
        text.parse()
    }
}

impl From<IntentId> for String {
    fn from(id: IntentId) -> String {
        id.0
    }
}

impl fmt::Display for IntentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The idempotency key and external reference of an order.
///
/// UUIDv5 over tenant, intent id and revision (brief.md "operation key"): 36 characters, never derived from an attempt, a
/// payload or a model, so that the same approval made again after a restore gets the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OperationKey(Uuid);

/// Namespace of operation keys, drawn once for this product; changing it would change every key.
const OPERATION_NAMESPACE: Uuid = Uuid::from_u128(0x6f1d_2f0c_9a3e_4b57_8c41_d5e0_72ab_39f6);

impl OperationKey {
    /// The key of the purchase that approving `revision` of `intent` makes.
    pub fn of(tenant: &TenantId, intent: &IntentId, revision: u32) -> Self {
        // no separator can be forged: neither a tenant id nor an intent id may contain a line feed
        let name = format!("{tenant}\n{intent}\n{revision}");
        Self(Uuid::new_v5(&OPERATION_NAMESPACE, name.as_bytes()))
    }
}

impl std::str::FromStr for OperationKey {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Self)
    }
}

impl fmt::Display for OperationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_text_and_refuses_another_kind() {
        let id = OrderId::from_random(0x1234_5678_9abc_def0);
        assert_eq!(id.as_str().parse::<OrderId>(), Ok(id.clone()));
        assert!(id.as_str().parse::<SuggestionId>().is_err());
        assert!("po_".parse::<OrderId>().is_err());
        assert!("po_ILOUilou0000".parse::<OrderId>().is_err());
    }

    #[test]
    fn intent_ids_are_exactly_the_documented_alphabet() {
        for good in ["a", "restock:m8-2026.11_30", &"x".repeat(128)] {
            assert!(good.parse::<IntentId>().is_ok(), "{good}");
        }
        for bad in ["", " ", "a b", "ä", "a/b", "a\u{200b}", ".", "..", &"x".repeat(129)] {
            assert!(bad.parse::<IntentId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_operation_key_depends_on_tenant_intent_and_revision_alone() {
        let (a, b) = (TenantId::from_random(1), TenantId::from_random(2));
        let intent: IntentId = "restock".parse().expect("valid");
        let key = OperationKey::of(&a, &intent, 1);
        assert_eq!(key, OperationKey::of(&a, &intent, 1));
        assert_ne!(key, OperationKey::of(&b, &intent, 1));
        assert_ne!(key, OperationKey::of(&a, &intent, 2));
        assert_eq!(key.to_string().len(), 36);
        // pinned: a changed derivation would make a restored database order again
        let pinned = OperationKey::of(&"ten_000000000000".parse().expect("valid"), &intent, 1);
        assert_eq!(pinned.to_string(), PINNED);
    }
    const PINNED: &str = "cf465ba3-6f46-5bdd-9db3-8406a96d96d8";
}
