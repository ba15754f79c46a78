//! The processes at work: each says every few seconds that it lives, so that others, and people, see who is there.
//!
//! Promises: with each beat the time is taken from the database. Must not: decide anything about an order; a process that
//! fell silent loses its leases by their own time.

use super::{Desk, DeskError, clock};
use crate::domain::ids::NodeId;
use crate::store::nodes;
use crate::store::nodes::NodeRow;
use chrono::TimeDelta;

/// A process that was silent for so long is removed.
const FORGOTTEN_AFTER: TimeDelta = TimeDelta::hours(1);

/// What a process does, besides sweeping, which all of them do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duties {
    /// Pages and API.
    pub serves: bool,
    /// Sending orders and asking suppliers.
    pub works: bool,
}

/// This process, as others see it.
#[derive(Debug, Clone)]
pub struct Node(NodeRow);

impl Node {
    fn new(duties: Duties) -> Self {
        let now = clock::now();
        Self(NodeRow {
            id: NodeId::from_random(clock::random()),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            serves: duties.serves,
            works: duties.works,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: now,
            beat_at: now,
        })
    }
}

impl Desk {
    /// Begins this process: takes the time from the database and enters it among those at work.
    pub async fn enter(&self, duties: Duties) -> Result<Node, DeskError> {
        self.take_time().await?;
        let node = Node::new(duties);
        self.beat(&node).await?;
        Ok(node)
    }

    /// Takes the time from the database's clock, where it has one.
    pub async fn take_time(&self) -> Result<(), DeskError> {
        if let Some(told) = self.store.clock().await? {
            clock::agree(told.micros, told.round_trip);
        }
        Ok(())
    }

    /// Says that this process lives.
    pub async fn beat(&self, node: &Node) -> Result<(), DeskError> {
        self.take_time().await?;
        let beat = NodeRow {
            beat_at: clock::now(),
            ..node.0.clone()
        };
        let mut tx = self.store.begin_write().await?;
        nodes::node_beat(&mut tx, &beat).await?;
        tx.commit().await?;
        Ok(())
    }

    /// This process ends orderly.
    pub async fn leave(&self, node: &Node) -> Result<(), DeskError> {
        let mut tx = self.store.begin_write().await?;
        nodes::node_remove(&mut tx, &node.0.id).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Removes processes that nobody has heard of for long: they did not end orderly.
    pub(super) async fn forget_silent_nodes(&self) -> Result<(), DeskError> {
        let before = clock::now() - FORGOTTEN_AFTER;
        let mut read = self.store.begin_read().await?;
        let known = nodes::node_list(&mut read).await?;
        drop(read);
        if known.iter().any(|node| node.beat_at < before) {
            let mut tx = self.store.begin_write().await?;
            let gone = nodes::nodes_forget(&mut tx, before).await?;
            tx.commit().await?;
            tracing::info!("{gone} processes that did not end orderly are forgotten");
        }
        Ok(())
    }
}
