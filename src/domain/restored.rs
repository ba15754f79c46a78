//! Whether a database is the one a node worked on last, or a copy, an older state of it, or another one (rule 20, case C7).
//!
//! Promises: whatever may have sent orders that this database does not know of is named; a first start, a start after a
//! crash, and a second process beside a first one are not. Must not: read files or clocks.

use super::ids::TenantId;
use super::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The last event of a tenant: its number, and the hash that every event before it went into. Before the first: 0 and empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub number: u64,
    pub hash: String,
}

/// The last event of every tenant.
pub type Heads = BTreeMap<TenantId, Head>;

/// What a node knows of the database it works on, kept in a file beside it. Written before the first byte of every
/// submit leaves: no purchase is out that no file knows of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeFile {
    /// The history the database belonged to.
    pub instance: String,
    /// The machine this file was written on.
    pub host: String,
    /// The database's own mark on this machine: the file's number, or the number PostgreSQL gave it. A copy has another.
    pub place: String,
    /// The highest event this node has seen, for each tenant.
    pub heads: Heads,
}

impl NodeFile {
    /// Takes in a head that was seen; whether it is news. Numbers never go back.
    pub fn saw(&mut self, tenant: &TenantId, head: Head) -> bool {
        let known = self.heads.get(tenant).map_or(0, |known| known.number);
        let is_news = head.number > known;
        if is_news {
            self.heads.insert(tenant.clone(), head);
        }
        is_news
    }
}

/// The database as it is found.
#[derive(Debug, Clone)]
pub struct Present {
    /// The history it belongs to.
    pub instance: String,
    /// Histories before it: each ended in a pause, so somebody has looked.
    pub earlier: Vec<String>,
    pub host: String,
    pub place: String,
    /// The hashes of the events that the file names, as far as they are there.
    pub at_file: BTreeMap<TenantId, Option<String>>,
    /// It has orders.
    pub has_orders: bool,
    /// A pause is open: whatever is here is held until somebody has looked.
    pub is_paused: bool,
    /// Another node works on it, and nothing is paused: it would have noticed.
    pub another_node: bool,
}

/// Why a database is not taken for the one this node worked on last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strange {
    /// Events that this node has seen are missing, or are others: an older state of it, or one that went on without us.
    Behind,
    /// It belongs to another history.
    AnotherInstance,
    /// The node's file was written on another machine: somebody copied the data.
    AnotherHost,
    /// The database is a copy, or was put in the place of the one that was here.
    AnotherPlace,
    /// There are orders, and no file that says that this node knows them.
    Unknown,
}

impl Strange {
    /// The reason as the log, the pause and its event carry it.
    pub fn sentence(self) -> &'static str {
        match self {
            Strange::Behind => {
                "events are missing that this machine has seen: an older state of the database was restored"
            }
            Strange::AnotherInstance => "the database belongs to another history than the one this machine worked on",
            Strange::AnotherHost => "the database was copied from another machine",
            Strange::AnotherPlace => "the database is a copy, or was put in the place of the one that was here",
            Strange::Unknown => "there are orders, and this machine has never worked on this database",
        }
    }
}

/// Compares what is found with what the node's file says; nothing strange is `None`.
pub fn strange(file: Option<&NodeFile>, found: &Present) -> Option<Strange> {
    let Some(file) = file else {
        return (found.has_orders && !found.another_node).then_some(Strange::Unknown);
    };
    // a file without a history was written before the database had one
    if found.earlier.contains(&file.instance) {
        // a pause has begun since. Once it has ended, this file knows no more of what is here than none does
        return match found.has_orders {
            true if file.host != found.host => Some(Strange::AnotherHost),
            true if !found.is_paused && !found.another_node => Some(Strange::Unknown),
            true | false => None,
        };
    }
    if file.instance != found.instance {
        return Some(Strange::AnotherInstance);
    }
    let is_missing = |(tenant, head): (&TenantId, &Head)| {
        let hash = found.at_file.get(tenant).and_then(Option::as_ref);
        head.number > 0 && hash != Some(&head.hash)
    };
    if file.heads.iter().any(is_missing) {
        return Some(Strange::Behind);
    }
    // what has no orders can order nothing twice
    match found.has_orders {
        true if file.host != found.host => Some(Strange::AnotherHost),
        true if file.place != found.place => Some(Strange::AnotherPlace),
        true | false => None,
    }
}

/// Whether the pause may end: no order from before the gap is held any more (rule 20). `held`: how many are.
pub fn may_end_pause(is_paused: bool, held: u64) -> Result<(), Refusal> {
    match (is_paused, held) {
        (false, _) => Err(Refusal::NotPaused),
        (true, 0) => Ok(()),
        (true, held) => Err(Refusal::HeldFromBeforeGap { orders: held }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant() -> TenantId {
        TenantId::from_random(7)
    }

    fn head(number: u64) -> Head {
        Head {
            number,
            hash: format!("hash of {number}"),
        }
    }

    fn file() -> NodeFile {
        NodeFile {
            instance: "first".into(),
            host: "here".into(),
            place: "17".into(),
            heads: BTreeMap::from([(tenant(), head(40))]),
        }
    }

    /// The database as this node left it, or with more events by now.
    fn same() -> Present {
        Present {
            instance: "first".into(),
            earlier: Vec::new(),
            host: "here".into(),
            place: "17".into(),
            at_file: BTreeMap::from([(tenant(), Some("hash of 40".into()))]),
            has_orders: true,
            is_paused: false,
            another_node: false,
        }
    }

    #[test]
    fn a_normal_start_is_not_strange() {
        assert_eq!(
            strange(Some(&file()), &same()),
            None,
            "as it was left, or after a crash"
        );
        let first = Present {
            has_orders: false,
            ..same()
        };
        assert_eq!(strange(None, &first), None, "the very first start");
        let beside = Present {
            another_node: true,
            ..same()
        };
        assert_eq!(strange(None, &beside), None, "a new node beside one that works");
    }

    #[test]
    fn what_may_not_know_of_a_purchase_is_strange() {
        let behind = Present {
            at_file: BTreeMap::from([(tenant(), None)]),
            has_orders: false,
            ..same()
        };
        assert_eq!(
            strange(Some(&file()), &behind),
            Some(Strange::Behind),
            "even without orders"
        );
        let went_on = Present {
            at_file: BTreeMap::from([(tenant(), Some("another event 40".into()))]),
            ..same()
        };
        assert_eq!(strange(Some(&file()), &went_on), Some(Strange::Behind));
        let dropped = Present {
            at_file: BTreeMap::new(),
            ..same()
        };
        assert_eq!(
            strange(Some(&file()), &dropped),
            Some(Strange::Behind),
            "the tenant is gone"
        );
        let other = Present {
            instance: "second".into(),
            has_orders: false,
            ..same()
        };
        assert_eq!(strange(Some(&file()), &other), Some(Strange::AnotherInstance));
        let host = Present {
            host: "there".into(),
            ..same()
        };
        assert_eq!(strange(Some(&file()), &host), Some(Strange::AnotherHost));
        let copy = Present {
            place: "18".into(),
            ..same()
        };
        assert_eq!(strange(Some(&file()), &copy), Some(Strange::AnotherPlace));
        assert_eq!(strange(None, &same()), Some(Strange::Unknown));
    }

    #[test]
    fn a_copy_without_orders_is_like_a_new_one() {
        let copy = Present {
            host: "there".into(),
            place: "18".into(),
            has_orders: false,
            ..same()
        };
        assert_eq!(strange(Some(&file()), &copy), None);
    }

    #[test]
    fn a_node_that_comes_late_knows_that_somebody_has_looked() {
        let later = Present {
            instance: "second".into(),
            earlier: vec!["first".into()],
            place: "18".into(),
            at_file: BTreeMap::from([(tenant(), None)]),
            is_paused: true,
            ..same()
        };
        assert_eq!(strange(Some(&file()), &later), None);
        let ended = Present {
            is_paused: false,
            ..later.clone()
        };
        assert_eq!(
            strange(Some(&file()), &ended),
            Some(Strange::Unknown),
            "what went on after the pause may have been restored too"
        );
        let beside = Present {
            another_node: true,
            ..ended
        };
        assert_eq!(strange(Some(&file()), &beside), None, "another node works on it");
        let elsewhere = Present {
            host: "there".into(),
            ..later
        };
        assert_eq!(strange(Some(&file()), &elsewhere), Some(Strange::AnotherHost));
    }

    #[test]
    fn a_pause_ends_when_nothing_from_before_the_gap_is_held() {
        assert_eq!(may_end_pause(true, 0), Ok(()));
        assert_eq!(may_end_pause(true, 2), Err(Refusal::HeldFromBeforeGap { orders: 2 }));
        assert_eq!(may_end_pause(false, 0), Err(Refusal::NotPaused));
    }

    #[test]
    fn a_number_seen_never_goes_back() {
        let mut file = file();
        assert!(!file.saw(&tenant(), head(40)));
        assert!(!file.saw(&tenant(), head(3)));
        assert!(file.saw(&tenant(), head(41)));
        assert_eq!(file.heads[&tenant()], head(41));
    }
}
