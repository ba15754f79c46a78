//! What a person found out about an order above the tenant's amount counts once a second person has confirmed it
//! (brief.md "Who may").
//!
//! Promises: screen and server ask these. Must not: let anybody confirm what they found out themselves.

use super::ids::PersonId;
use super::look_up::FindingWord;
use super::money::Money;
use super::person::{Act, Role, may};
use super::refusal::Refusal;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Whether an order of this total needs the second person. Above the amount in its own currency; once there is any amount,
/// an order in a currency without one always does: amounts in two currencies are never compared (rule 22).
pub fn is_needed(above: &[Money], total: Money) -> bool {
    match above.iter().find(|amount| amount.currency() == total.currency()) {
        Some(amount) => total.amount() > amount.amount(),
        None => !above.is_empty(),
    }
}

/// What a person found out, until a second one has confirmed or declined it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposed {
    pub at: DateTime<Utc>,
    pub finding: FindingWord,
    pub reference: Option<String>,
    pub evidence: String,
    pub by: PersonId,
    pub by_name: String,
}

impl Proposed {
    /// Whether this person may confirm it.
    pub fn may_confirm(&self, roles: &[Role], person: &PersonId) -> Result<(), Refusal> {
        if self.by == *person {
            return Err(Refusal::OwnFinding);
        }
        may(roles, Act::ConfirmFinding)
    }

    /// Whether this person may decline it: a manager, or whoever found it out and was wrong.
    pub fn may_decline(&self, roles: &[Role], person: &PersonId) -> Result<(), Refusal> {
        if self.by == *person {
            return Ok(());
        }
        may(roles, Act::ConfirmFinding)
    }

    /// Whether somebody else found out the same.
    pub fn is_same(&self, finding: FindingWord, reference: Option<&str>) -> bool {
        self.finding == finding && self.reference.as_deref() == reference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(currency: &str, amount: &str) -> Money {
        Money::of_texts(currency, amount).expect("money")
    }

    #[test]
    fn above_the_amount_of_its_currency_and_always_where_a_currency_was_forgotten() {
        let above = [money("EUR", "100.00")];
        assert!(!is_needed(&[], money("EUR", "1000000.00")), "nobody asked for it");
        assert!(!is_needed(&above, money("EUR", "100.00")), "not above");
        assert!(is_needed(&above, money("EUR", "100.01")));
        assert!(is_needed(&above, money("JPY", "1")), "no amount in this currency");
    }

    #[test]
    fn a_manager_confirms_and_nobody_their_own() {
        let (mine, another) = (PersonId::from_random(1), PersonId::from_random(2));
        let proposed = Proposed {
            at: DateTime::from_timestamp(1_800_000_000, 0).expect("in range"),
            finding: FindingWord::AtSupplier,
            reference: Some("A-1".to_owned()),
            evidence: "called".to_owned(),
            by: mine.clone(),
            by_name: "Rolf".to_owned(),
        };
        assert_eq!(proposed.may_confirm(&[Role::Manager], &mine), Err(Refusal::OwnFinding));
        assert!(proposed.may_confirm(&[Role::Resolver, Role::Buyer], &another).is_err());
        assert_eq!(proposed.may_confirm(&[Role::Manager], &another), Ok(()));
        assert_eq!(proposed.may_decline(&[Role::Resolver], &mine), Ok(()));
        assert!(proposed.may_decline(&[Role::Resolver], &another).is_err());
    }
}
