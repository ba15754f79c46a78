//! Every act of people, programs and worker: one function, one transaction each.
//!
//! Promises: an act asks `domain` what changes, and writes exactly that, guarded by the state it was decided from. No
//! transaction spans the network (rule 6). Must not: hold SQL, or words for the screen.

mod again;
pub mod ask;
pub mod away;
pub mod backup;
mod chain;
pub mod claim;
pub mod clock;
pub mod close;
pub mod decide;
mod digest;
mod doubt;
pub mod export;
pub mod figures;
mod goods;
pub mod hand_over;
pub mod house;
mod kin;
pub mod live;
pub mod log;
pub mod look;
pub mod moving;
pub mod nodes;
pub mod own;
pub mod owners;
pub mod pause;
pub mod people;
pub mod post;
pub mod ready;
mod record;
mod remind;
pub mod revise;
mod second_person;
pub mod settle;
pub mod submit;
pub mod suggest;
pub mod sweep;
pub mod tally;
mod tell;
pub mod verify;
mod working;

use crate::config::{Config, Mail, StopPoint};
use crate::domain::contents::Fault;
use crate::domain::event::Actor;
use crate::domain::ids::TenantId;
use crate::domain::order::Pace;
use crate::domain::person::Role;
use crate::domain::refusal::Refusal;
use crate::store::people::{PersonRow, Scope, TokenRow};
use crate::store::{Store, StoreError, Transaction};
use crate::supplier::{SecretFault, SupplierFault};
use chrono::TimeDelta;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Why an act did not happen. What a person may read and what the log needs are kept apart: `ui::words` and `web` have
/// a sentence for every variant but `Broken`, whose inside nobody outside sees.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The domain says no.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// The input has faults, each at its place.
    #[error("{}", .0.iter().map(|fault| format!("{}: {}", fault.pointer, fault.detail)).collect::<Vec<_>>().join("; "))]
    Faulty(Vec<Fault>),
    /// What was asked for does not exist in this tenant.
    #[error("no such {0}")]
    Absent(&'static str),
    /// The intent is not reserved.
    #[error("the intent is not reserved")]
    IntentUnknown,
    /// A known revision with other contents: nothing changed, a case is open (rule 3).
    #[error("the intent's revision is known with other contents")]
    IntentReused,
    /// A new revision that was not asked for.
    #[error("a new revision was not asked for")]
    IntentClosed,
    /// The tenant has no manager who could own a case (rule 15).
    #[error("the tenant has no manager")]
    NoManager,
    /// A name or address that must be unique is taken.
    #[error("{0} is taken")]
    Taken(&'static str),
    /// The input is sound, and what stands does not allow it; said to who set the house up.
    #[error("{0}")]
    Stands(&'static str),
    /// A supplier's file has faults.
    #[error("{0}")]
    Supplier(#[from] SupplierFault),
    /// A supplier's secret cannot be had.
    #[error("{0}")]
    Secret(#[from] SecretFault),
    /// The database undid it because it crossed another transaction, each time it was tried: nothing was done.
    #[error("{0}")]
    Crossed(String),
    /// The database cannot be reached, or did not come to it in time.
    #[error("{0}")]
    Away(String),
    /// The database's file was exchanged while this process worked on it.
    #[error(
        "the database's file was exchanged while this process worked on it; it stops, and looks at it when it is started again"
    )]
    Exchanged,
    /// Something of ours does not work.
    #[error("{0}")]
    Broken(String),
}

impl DeskError {
    /// Whether it is the database that could not do it now: the same may go well in a moment.
    pub fn is_away(&self) -> bool {
        matches!(self, DeskError::Crossed(_) | DeskError::Away(_))
    }
}

impl From<StoreError> for DeskError {
    fn from(error: StoreError) -> Self {
        let why = error.to_string();
        match (error.is_crossed(), error.is_away()) {
            (true, _) => DeskError::Crossed(why),
            (false, true) => DeskError::Away(why),
            (false, false) => DeskError::Broken(why),
        }
    }
}

impl From<Refusal> for DeskError {
    fn from(refusal: Refusal) -> Self {
        DeskError::Refused(refusal)
    }
}

impl From<sqlx::Error> for DeskError {
    fn from(error: sqlx::Error) -> Self {
        StoreError::from(error).into()
    }
}

/// Lengths of time the desk works with.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    pub request_deadline: Duration,
    pub lease: TimeDelta,
    pub send_by: Duration,
    pub case_due: TimeDelta,
    /// The owner of a case is reminded so long before its deadline.
    pub remind_before: TimeDelta,
    /// Somebody who says they are at it is not disturbed for so long.
    pub acknowledge_lasts: TimeDelta,
    pub look_up_first: TimeDelta,
    pub look_up_most: TimeDelta,
    pub session: TimeDelta,
}

/// The desk: the database, the settings, and a bell that wakes the worker of this process.
#[derive(Debug, Clone)]
pub struct Desk {
    pub(crate) store: Store,
    pub(crate) pace: Pace,
    pub(crate) lengths: Lengths,
    due: Arc<Notify>,
    /// What this node knows of the database; nothing for a verb that soon ends.
    watch: Option<Arc<pause::Watch>>,
    tally: Arc<tally::Tally>,
    ears: Arc<live::Ears>,
    /// How people are told by e-mail; absent: not at all.
    mail: Option<Arc<Mail>>,
    stop_at: Option<StopPoint>,
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person(pub(crate) PersonRow);

impl Person {
    /// What this person may be.
    pub fn roles(&self) -> &[Role] {
        &self.0.roles
    }
    fn tenant(&self) -> &TenantId {
        &self.0.tenant
    }
    fn actor(&self) -> Actor {
        Actor::Person {
            id: self.0.id.clone(),
            name: self.0.name.clone(),
        }
    }
}

/// A program with a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(pub(crate) TokenRow);

impl Program {
    /// Whether it may put and get intents.
    pub fn may_suggest(&self) -> bool {
        self.0.scope == Scope::Intake
    }
    /// Whether it may read everything of its tenant.
    pub fn may_read(&self) -> bool {
        self.0.scope == Scope::Read
    }
    fn tenant(&self) -> &TenantId {
        &self.0.tenant
    }
    fn actor(&self) -> Actor {
        Actor::Program {
            token: self.0.id.clone(),
            name: self.0.name.clone(),
        }
    }
}

fn delta(length: Duration) -> TimeDelta {
    TimeDelta::from_std(length).unwrap_or(TimeDelta::MAX)
}

impl Desk {
    /// A desk over this database.
    pub fn new(store: Store, config: &Config) -> Self {
        Self {
            store,
            pace: Pace {
                again_first: delta(config.again_first),
                again_most: delta(config.again_most),
                case_after: config.not_sent_case_after,
            },
            lengths: Lengths {
                request_deadline: config.request_deadline,
                lease: delta(config.lease),
                send_by: config.send_by,
                case_due: delta(config.case_due),
                remind_before: delta(config.remind_before),
                acknowledge_lasts: delta(config.acknowledge_lasts),
                look_up_first: delta(config.look_up_first),
                look_up_most: delta(config.look_up_most),
                session: delta(config.session),
            },
            due: Arc::new(Notify::new()),
            watch: None,
            tally: Arc::default(),
            ears: Arc::default(),
            mail: config.mail.clone().map(Arc::new),
            stop_at: config.stop_at,
        }
    }

    /// Waits until an act made an order due: one of this process, or of another that was heard.
    pub async fn order_became_due(&self) {
        self.due.notified().await;
    }

    /// Hears what other processes make due, and wakes the worker of this one, for as long as the connection lasts; comes
    /// back at once where there are no others to hear. What is missed meanwhile is found by the worker's own rhythm.
    pub async fn hear_others(&self, connected: impl FnOnce()) -> Result<(), DeskError> {
        let Some(mut listener) = self.store.listen().await? else {
            return Ok(());
        };
        connected();
        loop {
            // something may have been missed while nobody listened
            self.ring();
            listener.heard().await?;
        }
    }

    /// Commits what made something due, and wakes the workers: this process's, and those of others.
    pub(crate) async fn commit_and_ring(&self, mut tx: Transaction) -> Result<(), DeskError> {
        tx.wake_others().await?;
        tx.commit().await?;
        self.ring();
        Ok(())
    }

    /// Wakes the worker of this process.
    fn ring(&self) {
        self.due.notify_one();
    }

    /// Freezes the process when a test wants it frozen here, and not while another of its tasks writes: that would freeze
    /// every writer of the file. The stop reaches the other threads a moment later, so this
    /// one waits for it; whoever thaws the process finds it exactly here.
    pub(super) async fn reach(&self, point: StopPoint) {
        if self.stop_at == Some(point) {
            let _no_write = self.store.no_write().await;
            let _no_keeping = match &self.watch {
                Some(watch) => Some(watch.no_keeping().await),
                None => None,
            };
            tracing::warn!("frozen at {point:?}");
            if let Err(error) = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)
            {
                tracing::error!("could not freeze: {error}");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Refuses to work where the books went on in another database.
    pub async fn must_be_here(&self) -> Result<(), DeskError> {
        Ok(self.store.must_be_here().await?)
    }
}
