//! The keys of requests being worked on right now.
//!
//! Promises that at most one request at a time holds a key, and that a key is free again when its request ends in whatever
//! way. In memory on purpose: when the process dies, its requests die with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::store::KeyName;

/// The keys in use; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlight(Arc<Mutex<HashMap<KeyName, watch::Receiver<()>>>>);

/// Whether a key could be claimed.
pub(super) enum Claim {
    /// It is the caller's until the [`Held`] is dropped.
    Mine(Held),
    /// Another request has it; the receiver ends when that one is done.
    Theirs(watch::Receiver<()>),
}

/// A claimed key; dropping it sets the key free and wakes whoever waits.
pub(super) struct Held {
    keys: InFlight,
    name: KeyName,
    /// Dropped after the key is set free: fields go after [`Drop::drop`].
    _done: watch::Sender<()>,
}

impl InFlight {
    /// Claims a key, or says who to wait for.
    pub(super) fn claim(&self, name: &KeyName) -> Claim {
        let mut keys = self.keys();
        if let Some(done) = keys.get(name) {
            return Claim::Theirs(done.clone());
        }
        let (sender, receiver) = watch::channel(());
        keys.insert(name.clone(), receiver);
        Claim::Mine(Held {
            keys: self.clone(),
            name: name.clone(),
            _done: sender,
        })
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<KeyName, watch::Receiver<()>>> {
        // Nothing is ever left half-changed in the map, so what another thread's panic left is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.keys.keys().remove(&self.name);
    }
}
