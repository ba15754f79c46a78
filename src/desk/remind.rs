//! Telling people that a case waits: swept by every process, and held off by whoever says that they are at it.
//!
//! Promises: each step is one event by the system and is taken once, however many processes sweep. Must not: change an
//! order, whose a case is, or when it is due.

use super::again::again;
use super::own::target_of;
use super::owners::today_in;
use super::record::subject_of;
use super::settle::{Doing, case_at, last_doer};
use super::sweep::MOST;
use super::working::{walls_of, worked_after};
use super::{Desk, DeskError, Person, clock};
use crate::domain::case::Case;
use crate::domain::event::{Actor, Happening};
use crate::domain::ids::{CaseId, TenantId};
use crate::domain::message::CaseNews;
use crate::domain::pages::Target;
use crate::domain::person::{self, may};
use crate::domain::reminding::{Step, again_at, manager_to_tell, reminder_at, step};
use crate::store::cases::{About, case_acknowledge, case_fetch, case_to_remind, case_watch, case_watched};
use crate::store::{Conn, Written, events, people};
use chrono::{DateTime, Utc};

impl Desk {
    /// Everything that somebody has to be told of by now. A fault in one case is logged and keeps no other.
    pub(super) async fn sweep_reminders(&self) -> Result<(), DeskError> {
        let mut read = self.store.begin_read().await?;
        let waiting = case_to_remind(&mut read, clock::now(), MOST).await?;
        drop(read);
        for (tenant, case) in waiting {
            if let Err(error) = again(|| self.remind(&tenant, &case)).await {
                tracing::error!(%case, "nobody was told of a case that waits: {error}");
            }
        }
        Ok(())
    }

    async fn remind(&self, tenant: &TenantId, id: &CaseId) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let found = case_fetch(&mut tx, tenant, id).await?;
        let (Some((case, about)), Some(was)) = (found, case_watch(&mut tx, id).await?) else {
            return Ok(());
        };
        let walls = walls_of(&mut tx, tenant).await?;
        let (step, mut is) = (step(&was, &walls, now), was);
        match step {
            Step::Wait(until) => is.remind_at = until,
            Step::Remind => (is.reminded, is.remind_at) = (true, was.due_at),
            Step::Escalate { times } => (is.escalated, is.remind_at) = (times, again_at(&walls, now)),
        }
        // somebody else's sweep was faster: it told them
        if is == was || case_watched(&mut tx, id, &was, &is).await? == Written::NotInThatState {
            return Ok(());
        }
        self.tell_of_step(&mut tx, tenant, (&case, &about), step, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The event of a step, and whoever is told.
    async fn tell_of_step(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        (case, about): (&Case, &About),
        step: Step,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let happening = match step {
            Step::Wait(_) => return Ok(()),
            Step::Remind => {
                let news = CaseNews::Reminder;
                let mailed = self.tell(conn, tenant, &case.owner, news, case, about, now).await?;
                Happening::CaseReminded {
                    mailed,
                    case: case.id.clone(),
                    owner_name: case.owner_name.clone(),
                    due_at: case.due_at,
                }
            }
            Step::Escalate { times } => {
                let candidates = people::owner_candidates(conn, tenant).await?;
                let today = today_in(conn, tenant, now).await?;
                let to = manager_to_tell(&candidates, &case.owner, today).ok_or(DeskError::NoManager)?;
                let news = CaseNews::Escalated { times };
                let mailed = self.tell(conn, tenant, to, news, case, about, now).await?;
                Happening::CaseEscalated {
                    mailed,
                    case: case.id.clone(),
                    to: to.clone(),
                    to_name: people::person_name(conn, to).await?,
                    times,
                }
            }
        };
        events::event_append(conn, tenant, &Actor::System, subject_of(about), happening, now).await?;
        Ok(())
    }

    /// When the owner of a case is reminded of a deadline that is set now.
    pub(super) async fn reminder_at(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        due_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<DateTime<Utc>, DeskError> {
        let walls = walls_of(conn, tenant).await?;
        Ok(reminder_at(due_at, self.lengths.remind_before, &walls, now))
    }

    /// Somebody is at a case: nobody is reminded or told for a set time. Answers the page of what it is about.
    pub async fn acknowledge(&self, person: &Person, id: &CaseId, version: u64) -> Result<Target, DeskError> {
        may(person.roles(), person::Act::Assign)?;
        again(|| self.acknowledge_once(person, id, version)).await
    }

    async fn acknowledge_once(&self, person: &Person, id: &CaseId, version: u64) -> Result<Target, DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(person.tenant()).await?;
        let (case, about) = case_at(&mut tx, person, id, version).await?;
        let subject = subject_of(&about);
        let until = worked_after(&mut tx, person.tenant(), None, self.lengths.acknowledge_lasts, now).await?;
        if case_acknowledge(&mut tx, &case, &person.0.id, until).await? == Written::NotInThatState {
            return Err(last_doer(&mut tx, person, &subject.id(), Doing::OfCase).await?.into());
        }
        let target = target_of(about, &case.id);
        let happening = Happening::CaseAcknowledged { case: case.id, until };
        events::event_append(&mut tx, person.tenant(), &person.actor(), subject, happening, now).await?;
        tx.commit().await?;
        Ok(target)
    }
}
