//! A restored or copied database: noticing it, holding every order, and ending that (rule 20, case C7).
//!
//! Promises: nothing is sent over a connection before the database behind it was looked at; no first byte leaves before
//! this node's file knows of its attempt. Must not: lift an order's hold; each has its own release.

use super::again::again;
use super::decide::reason_given;
use super::record::{Act, must_be_done};
use super::{Desk, DeskError, Person, clock};
use crate::config::Config;
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{InstanceId, TenantId};
use crate::domain::order::{self, Change, Hold, Holds, OrderState};
use crate::domain::person::{self, may};
use crate::domain::restored::{Head, Heads, NodeFile, Present, Strange, may_end_pause, strange};
use crate::domain::resume::{NoResume, NotResumed};
use crate::store::node_file::{node_file_probe, node_file_read, node_file_write};
use crate::store::orders::{Asking, OrderRow};
use crate::store::pauses::PauseRow;
use crate::store::{Conn, Store, Written, events, instances, nodes, orders, pauses, tenants};
use chrono::{DateTime, TimeDelta, Utc};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A node whose heartbeat is younger than this is at work (rule 20).
const AT_WORK: TimeDelta = TimeDelta::minutes(1);
/// Why a pause ended that nobody ended.
const ANOTHER_GAP: &str = "another gap was found; a new pause began";
/// What whoever ends a pause has to say.
const SAY_WHAT_WAS_DONE: &str = "say what was done about the gap, so that your colleagues know";

/// What this process knows of its database, and the file it keeps it in.
#[derive(Debug)]
pub(super) struct Watch {
    file: PathBuf,
    host: String,
    /// Nothing before the database was looked at for the first time.
    known: Mutex<Option<NodeFile>>,
    /// What the file says; writers take turns, and one write serves all who wait.
    written: tokio::sync::Mutex<Heads>,
    /// The database was looked at after so many connections had been made.
    looked: AtomicU64,
    /// The last write of the file failed: nothing is sent meanwhile.
    is_unwritable: AtomicBool,
}

/// The database as it was found, and why it is not taken for the one this node knows.
struct Found {
    place: String,
    /// The present one last.
    histories: Vec<String>,
    heads: Heads,
    why: Option<Strange>,
}

impl Watch {
    /// What this node's file says.
    fn of(store: &Store, config: &Config) -> Result<Self, DeskError> {
        let file = config.node_file.clone().unwrap_or_else(|| store.node_file());
        Ok(Self {
            known: Mutex::new(node_file_read(&file)?),
            file,
            host: config.host.clone().unwrap_or_else(this_host),
            written: tokio::sync::Mutex::default(),
            looked: AtomicU64::new(0),
            is_unwritable: AtomicBool::new(false),
        })
    }

    /// Takes the database for known, and has the file say so.
    async fn take_for_known(&self, instance: Option<String>, place: String, heads: Heads) -> Result<(), DeskError> {
        self.learn(NodeFile {
            instance: instance.unwrap_or_default(),
            host: self.host.clone(),
            place,
            heads,
        });
        *self.written.lock().await = Heads::new();
        self.keep().await
    }

    fn known(&self) -> Option<NodeFile> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the database for known. What another look has seen of the same history meanwhile stays.
    fn learn(&self, mut found: NodeFile) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = known.take().filter(|before| before.instance == found.instance) {
            for (tenant, head) in before.heads {
                found.saw(&tenant, head);
            }
        }
        *known = Some(found);
    }

    /// Takes in heads that were seen.
    fn saw(&self, heads: Heads) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_mut() {
            for (tenant, head) in heads {
                known.saw(&tenant, head);
            }
        }
    }

    /// Waits until nobody in this process writes the file: while this is kept, one that is frozen keeps no other out of it.
    pub(super) async fn no_keeping(&self) -> tokio::sync::MutexGuard<'_, Heads> {
        self.written.lock().await
    }

    /// Has the file know everything that is known; on the disk when this returns.
    async fn keep(&self) -> Result<(), DeskError> {
        let mut written = self.written.lock().await;
        let Some(known) = self.known().filter(|known| known.heads != *written) else {
            return Ok(());
        };
        let heads = known.heads.clone();
        let kept = node_file_write(&self.file, known).await;
        self.is_unwritable.store(kept.is_err(), Ordering::Relaxed);
        kept?;
        *written = heads;
        Ok(())
    }
}

/// A pause as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseView {
    pub pause: PauseRow,
    /// Orders from before the gap that are still held.
    pub held: u64,
}

/// This machine: its name, and its id where it has one; a copy of the data on another machine is noticed by it.
fn this_host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    // not every machine has an id; the name has to do there
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    format!("{name} {}", id.trim()).trim().to_owned()
}

impl Desk {
    /// The desk of a process that works on the database for long: it looks at it first, and again whenever it was
    /// connected to anew. A database that may not know of purchases is paused before anything is sent.
    pub async fn watching(mut self, config: &Config) -> Result<Self, DeskError> {
        self.take_time().await?;
        let watch = Watch::of(&self.store, config)?;
        // a process that could not keep what it sees must not pause the others before it fails
        node_file_probe(&watch.file).await?;
        self.watch = Some(Arc::new(watch));
        self.look_at_database().await?;
        Ok(self)
    }

    /// Whether the database has to be looked at before anything is sent.
    pub(super) fn must_look(&self) -> bool {
        let looked = self.watch.as_ref().map(|watch| watch.looked.load(Ordering::SeqCst));
        looked.is_some_and(|looked| self.store.connections_made() > looked)
    }

    /// Looks at the database where a connection was made since the last look.
    pub async fn look_if_connected_anew(&self) -> Result<(), DeskError> {
        self.still_in_place()?;
        if self.must_look() {
            self.look_at_database().await?;
        }
        Ok(())
    }

    /// A file that was exchanged under the process would be written to without anybody seeing it.
    fn still_in_place(&self) -> Result<(), DeskError> {
        let known = self.watch.as_ref().and_then(|watch| watch.known());
        match known {
            Some(known) if !self.store.is_in_place(&known.place) => Err(DeskError::Exchanged),
            Some(_) | None => Ok(()),
        }
    }

    /// Compares the database with what this node knows of it; pauses everything where it is not the same.
    async fn look_at_database(&self) -> Result<(), DeskError> {
        let Some(watch) = &self.watch else { return Ok(()) };
        // nothing is claimed before the look has come to its end; a connection made meanwhile has to be looked at too
        let made = self.store.connections_made();
        self.compare(watch).await?;
        watch.looked.fetch_max(made, Ordering::SeqCst);
        Ok(())
    }

    /// Whether the database behind this very transaction is the one that was looked at: an address may lead elsewhere by
    /// now, and the look may have gone over another connection. If it is not, it has to be looked at again.
    pub(super) async fn is_known(&self, conn: &mut Conn, tenant: &TenantId) -> Result<bool, DeskError> {
        let Some(watch) = &self.watch else { return Ok(true) };
        let Some(known) = watch.known() else { return Ok(false) };
        let instance = instances::instance_list(conn).await?.pop();
        let (number, _) = events::event_head(conn, tenant).await?;
        let least = known.heads.get(tenant).map_or(0, |head| head.number);
        let is_known = instance.as_deref() == Some(&*known.instance) && number >= least;
        if !is_known {
            watch.looked.store(0, Ordering::SeqCst);
        }
        Ok(is_known)
    }

    /// Why nothing is sent by this process, though it could be: its file cannot be written.
    pub(super) fn cannot_remember(&self) -> bool {
        let watch = self.watch.as_ref();
        watch.is_some_and(|watch| watch.is_unwritable.load(Ordering::Relaxed))
    }

    /// What keeps a process with this configuration from starting, and what the next start would do: nothing is written.
    pub async fn look_only(&self, config: &Config) -> Result<(Option<String>, Option<String>), DeskError> {
        if let Err(moved) = self.must_be_here().await {
            return Ok((Some(moved.to_string()), None));
        }
        let watch = match Watch::of(&self.store, config) {
            Ok(watch) => watch,
            Err(error) => return Ok((Some(error.to_string()), None)),
        };
        let folder = watch.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let fault = format!(
                "the node's file {} has no folder {}",
                watch.file.display(),
                folder.display()
            );
            return Ok((Some(fault), None));
        }
        let why = self.find(&watch).await?.why;
        Ok((
            None,
            why.map(|why| format!("the next start pauses everything: {}", why.sentence())),
        ))
    }

    /// A look by a program that writes and does not stay: it leaves no file, and what it has never seen may be new to it.
    /// A database that is known to be another, or an older state, is paused before it is written to, so that the gap is
    /// counted from its last event and not from ours.
    pub async fn look_before_writing(&self, config: &Config) -> Result<(), DeskError> {
        let watch = Watch::of(&self.store, config)?;
        match self.find(&watch).await?.why {
            None | Some(Strange::Unknown) => Ok(()),
            Some(Strange::Behind | Strange::AnotherInstance | Strange::AnotherHost | Strange::AnotherPlace) => {
                self.compare(&watch).await
            }
        }
    }

    async fn compare(&self, watch: &Watch) -> Result<(), DeskError> {
        let began = clock::now();
        let found = self.find(watch).await?;
        let (why, mut histories) = (found.why, found.histories);
        if let Some(why) = why {
            tracing::warn!("paused: {}", why.sentence());
            self.pause_all(why, began).await?;
        }
        if why.is_some() || histories.is_empty() {
            let because = why.map_or("the database was created", Strange::sentence);
            histories.push(self.begin_history(histories.len(), because).await?);
        }
        watch.take_for_known(histories.pop(), found.place, found.heads).await
    }

    /// Looks, and changes nothing.
    async fn find(&self, watch: &Watch) -> Result<Found, DeskError> {
        let place = self.store.place().await?;
        let known = watch.known();
        let mut read = self.store.begin_read().await?;
        let histories = instances::instance_list(&mut read).await?;
        let heads = events::event_heads(&mut read).await?;
        let why = match histories.split_last() {
            Some((instance, earlier)) => {
                let present = Present {
                    instance: instance.clone(),
                    earlier: earlier.to_vec(),
                    host: watch.host.clone(),
                    place: place.clone(),
                    at_file: hashes(&mut read, known.as_ref()).await?,
                    has_orders: orders::order_exists(&mut read).await?,
                    is_paused: pauses::pause_any(&mut read).await?,
                    another_node: another_node(&mut read, &self.store).await?,
                };
                strange(known.as_ref(), &present)
            }
            // no process has worked on this database yet: whatever the file says is about another
            None => known.as_ref().map(|_| Strange::AnotherInstance),
        };
        Ok(Found {
            place,
            histories,
            heads,
            why,
        })
    }

    /// Whether this node would pause the house, should it begin to work on the database.
    pub async fn would_pause(&self, config: &Config) -> Result<Option<Strange>, DeskError> {
        Ok(self.find(&Watch::of(&self.store, config)?).await?.why)
    }

    /// The books were moved into this database by this very program: this node knows it from the first.
    pub async fn arrive(&self, config: &Config) -> Result<(), DeskError> {
        let watch = Watch::of(&self.store, config)?;
        let mut found = self.find(&watch).await?;
        watch
            .take_for_known(found.histories.pop(), found.place, found.heads)
            .await
    }

    /// Begins a history; the one that somebody else began at the same moment serves as well.
    async fn begin_history(&self, before: usize, because: &str) -> Result<String, DeskError> {
        let mut tx = self.store.begin_write().await?;
        let id = InstanceId::from_random(clock::random()).to_string();
        match instances::instance_begin(&mut tx, before, &id, because, clock::now()).await {
            Ok(()) => {
                tx.commit().await?;
                Ok(id)
            }
            Err(error) if error.is_taken() => {
                drop(tx);
                let mut read = self.store.begin_read().await?;
                let begun = instances::instance_list(&mut read).await?.pop();
                begun.ok_or_else(|| DeskError::Broken("a history was begun and is not there".to_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Pauses every tenant, each in a transaction of its own. `began`: when this node began to look.
    async fn pause_all(&self, why: Strange, began: DateTime<Utc>) -> Result<(), DeskError> {
        let mut read = self.store.begin_read().await?;
        let all = tenants::tenant_list(&mut read).await?;
        drop(read);
        for tenant in all {
            again(|| self.pause(&tenant.id, why, began)).await?;
        }
        Ok(())
    }

    /// A pause that is open when another gap is found ends with it: a new one begins, which counts from the new gap.
    async fn pause(&self, tenant: &TenantId, why: Strange, began: DateTime<Utc>) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        match pauses::pause_open(&mut tx, tenant).await? {
            // another node has just noticed the same; and one that has never been here knows of no other gap
            Some(open) if open.since >= began || why == Strange::Unknown => return Ok(()),
            Some(_) => must_be_done(pauses::pause_end(&mut tx, tenant, None, ANOTHER_GAP, now).await?)?,
            None => {}
        }
        let (number, _) = events::event_head(&mut tx, tenant).await?;
        let last = events::event_at(&mut tx, tenant, number).await?;
        let gap_at = last.map_or(now, |(event, _)| event.at);
        let pause = PauseRow {
            since: now,
            because: why.sentence().to_owned(),
            gap_at,
        };
        pauses::pause_begin(&mut tx, tenant, &pause).await?;
        let paused = Happening::Paused {
            reason: pause.because.clone(),
            gap_at,
        };
        events::event_append(&mut tx, tenant, &Actor::Worker, Subject::Tenant, paused, now).await?;
        for order in orders::order_unfinished(&mut tx, tenant).await? {
            self.under_gap(&mut tx, &order, &pause).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// What nobody knows of in the gap may have been done to every order that is not final: its windows count from the
    /// gap, "no record" counts anew, and one that could be sent is held.
    async fn under_gap(&self, conn: &mut Conn, order: &OrderRow, pause: &PauseRow) -> Result<(), DeskError> {
        orders::order_gap(conn, &order.id, pause.gap_at).await?;
        match order.life.state {
            OrderState::Approved => self.hold_after_restore(conn, order, pause).await?,
            OrderState::ConfirmationPending => {
                let why = NotResumed::Unsafe(NoResume::Held(Hold::Restore));
                self.drop_resume(conn, order, why, pause.since).await?;
            }
            OrderState::Submitting => return Ok(()),
            OrderState::Acknowledged | OrderState::Confirmed | OrderState::Refused | OrderState::Withdrawn => {}
        }
        // looked up at once: whoever opens the page wants to know (case C7)
        Ok(orders::order_ask(conn, &order.id, &Asking::at(pause.since)).await?)
    }

    async fn hold_after_restore(&self, conn: &mut Conn, order: &OrderRow, pause: &PauseRow) -> Result<(), DeskError> {
        if order.life.holds.has(Hold::Restore) {
            // a release that was asked for before this gap has to be asked for again
            let why = NotResumed::Unsafe(NoResume::Held(Hold::Restore));
            return self.drop_resume(conn, order, why, pause.since).await;
        }
        let change = order::hold(&order.life, Hold::Restore)?;
        let held = Happening::OrderHeld {
            hold: Hold::Restore,
            reason: pause.because.clone(),
        };
        self.record_now(conn, order, &change, Act::by(&Actor::Worker, held, pause.since))
            .await
    }

    /// The change as it is in a paused house: what becomes sendable is held, and counts from the gap (rule 20).
    pub(super) async fn under_pause(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        change: Change,
    ) -> Result<Change, DeskError> {
        if order.life.state == OrderState::Approved || change.life.state != OrderState::Approved {
            return Ok(change);
        }
        let Some(pause) = pauses::pause_open(conn, &order.tenant).await? else {
            return Ok(change);
        };
        orders::order_gap(conn, &order.id, pause.gap_at).await?;
        Ok(order::after_restore(change))
    }

    /// What a fresh order is held by in a paused house, and the gap it counts from. One for a wish that was there
    /// before a restore may have been approved and sent in the gap, also when the pause has ended since.
    pub(super) async fn holds_of_pause(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        wished_at: DateTime<Utc>,
        holds: Holds,
    ) -> Result<(Holds, Option<DateTime<Utc>>), DeskError> {
        Ok(match pauses::pause_open(conn, tenant).await? {
            Some(_) => {
                let gap_at = pauses::gap_first(conn, tenant, ANOTHER_GAP).await?;
                (holds.with(Hold::Restore), gap_at)
            }
            None => match pauses::gap_after(conn, tenant, wished_at).await? {
                Some(gap_at) => (holds.with(Hold::Restore), Some(gap_at)),
                None => (holds, None),
            },
        })
    }

    /// Right before a first byte leaves: this node's file knows of the attempt, on the disk.
    pub(super) async fn remember(&self, tenant: &TenantId) -> Result<(), DeskError> {
        let Some(watch) = &self.watch else { return Ok(()) };
        let mut read = self.store.begin_read().await?;
        let (number, hash) = events::event_head(&mut read, tenant).await?;
        drop(read);
        watch.saw(Heads::from([(tenant.clone(), Head { number, hash })]));
        watch.keep().await
    }

    /// Takes in what happened since, with every sweep.
    pub(super) async fn remember_all(&self) -> Result<(), DeskError> {
        let Some(watch) = &self.watch else { return Ok(()) };
        self.look_if_connected_anew().await?;
        let mut read = self.store.begin_read().await?;
        let heads = events::event_heads(&mut read).await?;
        drop(read);
        watch.saw(heads);
        watch.keep().await
    }

    /// A manager ends the pause, once no order from before the gap is held.
    pub async fn end_pause(&self, person: &Person, reason: &str) -> Result<(), DeskError> {
        may(person.roles(), person::Act::EndPause)?;
        self.end_pause_of(person.tenant(), Some(person), reason).await
    }

    /// As `end_pause`, from the command line.
    pub async fn end_pause_by_hand(&self, tenant: &TenantId, reason: &str) -> Result<(), DeskError> {
        self.end_pause_of(tenant, None, reason).await
    }

    async fn end_pause_of(&self, tenant: &TenantId, person: Option<&Person>, reason: &str) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let view = pause_view(&mut tx, tenant).await?;
        may_end_pause(view.is_some(), view.map_or(0, |view| view.held))?;
        let reason = reason_given("reason", reason, SAY_WHAT_WAS_DONE)?;
        let by = person.map(|person| &person.0.id);
        if pauses::pause_end(&mut tx, tenant, by, &reason, now).await? == Written::NotInThatState {
            may_end_pause(false, 0)?;
        }
        let actor = person.map_or(Actor::CommandLine, Person::actor);
        let ended = Happening::PauseEnded { reason };
        events::event_append(&mut tx, tenant, &actor, Subject::Tenant, ended, now).await?;
        tx.commit().await?;
        self.ring();
        Ok(())
    }
}

/// The tenant's open pause, and what still keeps it from ending.
pub(super) async fn pause_view(conn: &mut Conn, tenant: &TenantId) -> Result<Option<PauseView>, DeskError> {
    Ok(match pauses::pause_open(conn, tenant).await? {
        Some(pause) => Some(PauseView {
            held: orders::order_held_from_before(conn, tenant, pause.gap_at).await?,
            pause,
        }),
        None => None,
    })
}

/// Whether another node works on the database unpaused. On SQLite every process shares the file of this one.
async fn another_node(conn: &mut Conn, store: &Store) -> Result<bool, DeskError> {
    if !store.nodes_have_files_of_their_own() || pauses::pause_any(conn).await? {
        return Ok(false);
    }
    let since = clock::now() - AT_WORK;
    let known = nodes::node_list(conn).await?;
    Ok(known.iter().any(|node| node.beat_at > since))
}

/// The hashes of the events that the node's file names.
async fn hashes(
    conn: &mut Conn,
    known: Option<&NodeFile>,
) -> Result<std::collections::BTreeMap<TenantId, Option<String>>, DeskError> {
    let mut hashes = std::collections::BTreeMap::new();
    for (tenant, head) in known.iter().flat_map(|known| &known.heads) {
        let event = events::event_at(conn, tenant, head.number).await?;
        hashes.insert(tenant.clone(), event.map(|(_, hash)| hash));
    }
    Ok(hashes)
}
