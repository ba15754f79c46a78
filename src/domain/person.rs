//! People, roles and who may do what (brief.md "Who may"). Screen and server ask the same function.

use super::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// What a person may be; one person may be several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Buyer,
    Resolver,
    Manager,
    Admin,
}

impl Role {
    /// Every role, in the order screens name them.
    pub const ALL: [Role; 4] = [Role::Buyer, Role::Resolver, Role::Manager, Role::Admin];

    /// The role's one word, in code, table and screen.
    pub fn word(self) -> &'static str {
        match self {
            Role::Buyer => "buyer",
            Role::Resolver => "resolver",
            Role::Manager => "manager",
            Role::Admin => "admin",
        }
    }
    /// Reads the word back.
    pub fn of(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// What a person may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Approve,
    SendBack,
    Reject,
    Revise,
    Withdraw,
    HoldOrder,
    ReleaseOrder,
    LookUp,
    Resume,
    RecordFinding,
    /// The second person above the tenant's amount.
    ConfirmFinding,
    CloseCase,
    /// Giving a doubt up.
    WriteOff,
    Assign,
    /// Giving away what is somebody else's, several at once.
    HandOverOfOthers,
    /// Saying that one is away oneself.
    SayAway,
    SayAwayOfOthers,
    HoldSupplier,
    AcceptUnsettled,
    EndPause,
    /// Having a message to somebody else sent again; whoever it is for may anyway.
    SendAgain,
    Administer,
}

/// Whether somebody with these roles may do this.
pub fn may(roles: &[Role], act: Act) -> Result<(), Refusal> {
    let allowed: &[Role] = match act {
        Act::Approve | Act::SendBack | Act::Reject | Act::Withdraw => &[Role::Buyer, Role::Manager],
        Act::Revise | Act::HoldOrder | Act::ReleaseOrder | Act::LookUp => &[Role::Buyer, Role::Resolver, Role::Manager],
        Act::Resume | Act::RecordFinding | Act::CloseCase | Act::Assign | Act::SayAway => {
            &[Role::Resolver, Role::Manager]
        }
        Act::HoldSupplier
        | Act::AcceptUnsettled
        | Act::ConfirmFinding
        | Act::WriteOff
        | Act::EndPause
        | Act::HandOverOfOthers
        | Act::SayAwayOfOthers
        | Act::SendAgain => &[Role::Manager],
        Act::Administer => &[Role::Admin],
    };
    if roles.iter().any(|role| allowed.contains(role)) {
        Ok(())
    } else {
        Err(Refusal::NotYourRole(act))
    }
}

/// Whether somebody may say that a person is away, or there again: of oneself whoever may own cases, of others a manager.
pub fn may_say_away(roles: &[Role], of_oneself: bool) -> Result<(), Refusal> {
    may(roles, if of_oneself { Act::SayAway } else { Act::SayAwayOfOthers })
}

/// Whether somebody may hand all cases of a person over: their own whoever may assign, those of others a manager.
pub fn may_hand_over(roles: &[Role], of_oneself: bool) -> Result<(), Refusal> {
    may(roles, if of_oneself { Act::Assign } else { Act::HandOverOfOthers })
}

/// Whether somebody with these roles may own a case.
pub fn may_own(roles: &[Role]) -> bool {
    roles.contains(&Role::Resolver) || roles.contains(&Role::Manager)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_brief() {
        let who = |act| {
            Role::ALL
                .into_iter()
                .filter(|role| may(&[*role], act).is_ok())
                .collect::<Vec<_>>()
        };
        use Role::{Admin, Buyer, Manager, Resolver};
        assert_eq!(who(Act::Approve), [Buyer, Manager]);
        assert_eq!(who(Act::Withdraw), [Buyer, Manager]);
        assert_eq!(who(Act::Revise), [Buyer, Resolver, Manager]);
        assert_eq!(who(Act::Resume), [Resolver, Manager]);
        assert_eq!(who(Act::AcceptUnsettled), [Manager]);
        assert_eq!(who(Act::EndPause), [Manager]);
        assert_eq!(who(Act::SendAgain), [Manager]);
        assert_eq!(who(Act::Administer), [Admin]);
        assert!(may(&[], Act::LookUp).is_err());
        for of_oneself in [true, false] {
            let able = |may: fn(&[Role], bool) -> Result<(), Refusal>| {
                let roles = Role::ALL.into_iter().filter(|role| may(&[*role], of_oneself).is_ok());
                roles.collect::<Vec<_>>()
            };
            let expected: &[Role] = if of_oneself { &[Resolver, Manager] } else { &[Manager] };
            assert_eq!((&*able(may_say_away), &*able(may_hand_over)), (expected, expected));
        }
    }
}
