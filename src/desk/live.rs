//! Whoever looks at a page hears that something has happened since it was read (case P2).
//!
//! Promises: while anybody of a tenant listens, one task of this process looks at the end of its log, once a second and by
//! primary key, however many listen; it ends with the last of them. What other processes write is heard too, since it is
//! the database that is looked at. Must not: tell anything of another tenant.

use super::{Desk, DeskError, Person};
use crate::domain::ids::{PersonId, TenantId};
use crate::domain::live::Touched;
use crate::store::events;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch::{self, Receiver, Sender};

/// How often the end of a log is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// One person listens no more often at a time, in one process: pages that nobody sees do not listen.
const MOST_OF_ONE: usize = 12;
/// Events in memory at a time.
const PAGE: u32 = 500;

/// Who listens in this process.
#[derive(Debug, Default)]
pub(super) struct Ears(Mutex<Heard>);

#[derive(Debug, Default)]
struct Heard {
    /// The number of the last event, by tenant.
    ends: HashMap<TenantId, Sender<u64>>,
    listening: HashMap<PersonId, usize>,
}

impl Ears {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        // counts and channels stay sound whoever died with the lock
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody listens, until this is dropped.
#[derive(Debug)]
pub struct Listening {
    desk: Desk,
    tenant: TenantId,
    person: PersonId,
    end: Receiver<u64>,
    touched: Touched,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut heard = self.desk.ears.lock();
        if let Some(times) = heard.listening.get_mut(&self.person) {
            *times -= 1;
            if *times == 0 {
                heard.listening.remove(&self.person);
            }
        }
    }
}

impl Desk {
    /// Begins to listen for what happens after this event; nothing where this person listens too often already.
    pub async fn listen_to_log(&self, person: &Person, since: u64) -> Result<Option<Listening>, DeskError> {
        let (tenant, id) = (person.tenant().clone(), person.0.id.clone());
        let end = self.log_end(&tenant).await?;
        let mut heard = self.ears.lock();
        let times = heard.listening.entry(id.clone()).or_default();
        if *times >= MOST_OF_ONE {
            return Ok(None);
        }
        *times += 1;
        let end_heard = match heard.ends.get(&tenant) {
            Some(known) => known.subscribe(),
            None => {
                let (known, first) = watch::channel(end);
                heard.ends.insert(tenant.clone(), known.clone());
                tokio::spawn(self.clone().look_at_end(tenant.clone(), known));
                first
            }
        };
        drop(heard);
        Ok(Some(Listening {
            desk: self.clone(),
            tenant,
            person: id,
            end: end_heard,
            // a page that was read before a restore may know events that are none any more
            touched: Touched::since(since.min(end)),
        }))
    }

    async fn log_end(&self, tenant: &TenantId) -> Result<u64, DeskError> {
        let mut read = self.store.begin_read().await?;
        let (end, _) = events::event_head(&mut read, tenant).await?;
        Ok(end)
    }

    /// Looks at the end of a log for as long as somebody listens.
    async fn look_at_end(self, tenant: TenantId, known: Sender<u64>) {
        let _gone = Gone {
            ears: self.ears.clone(),
            tenant: tenant.clone(),
            known: known.clone(),
        };
        let mut silent = false;
        loop {
            tokio::time::sleep(EVERY).await;
            if self.nobody_listens(&tenant, &known) {
                return;
            }
            match self.log_end(&tenant).await {
                Ok(end) => {
                    silent = false;
                    known.send_if_modified(|known| std::mem::replace(known, end) != end);
                }
                // said once: whoever listens finds out for themselves
                Err(_) if silent => {}
                Err(error) => {
                    tracing::warn!("pages do not hear what happens: {error}");
                    silent = true;
                }
            }
        }
    }

    /// Whether the last has gone; then the channel goes too, under the lock, so that nobody begins to listen to it.
    fn nobody_listens(&self, tenant: &TenantId, known: &Sender<u64>) -> bool {
        let mut heard = self.ears.lock();
        let nobody = known.receiver_count() == 0;
        if nobody {
            heard.ends.remove(tenant);
        }
        nobody
    }
}

/// Whoever looked is gone, also by a fault: the next who listens begins anew.
struct Gone {
    ears: Arc<Ears>,
    tenant: TenantId,
    known: Sender<u64>,
}

impl Drop for Gone {
    fn drop(&mut self) {
        let mut heard = self.ears.lock();
        let mine = heard
            .ends
            .get(&self.tenant)
            .is_some_and(|known| known.same_channel(&self.known));
        if mine {
            heard.ends.remove(&self.tenant);
        }
    }
}

impl Listening {
    /// How many things have changed, as far as is known by now; more than `domain::live::MOST` are all the same.
    pub async fn updates(&mut self) -> Result<u32, DeskError> {
        let end = *self.end.borrow_and_update();
        while self.touched.is_behind(end) {
            let after = self.touched.after();
            let mut read = self.desk.store.begin_read().await?;
            let next = events::event_subjects(&mut read, &self.tenant, after, PAGE).await?;
            drop(read);
            if next.is_empty() {
                break;
            }
            self.touched.look_at(next);
        }
        Ok(self.touched.count())
    }

    /// Waits until the log has grown.
    pub async fn grown(&mut self) {
        if self.end.changed().await.is_err() {
            // whoever looked is gone; whoever listens is told by their own rhythm, and begins anew
            std::future::pending().await
        }
    }
}
