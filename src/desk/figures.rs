//! What is open at the moment, in numbers over all tenants, for whoever watches the machine.

use super::tally::Tally;
use super::{Desk, DeskError, clock};
use crate::domain::order::OrderState;
use crate::store::figures;
use chrono::TimeDelta;

/// A node that has said nothing for this long is not counted as one at work.
const ALIVE: TimeDelta = TimeDelta::seconds(60);
const A_DAY: TimeDelta = TimeDelta::days(1);

/// What is open at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// Orders that are not final, by state.
    pub open: Vec<(OrderState, u64)>,
    /// Orders whose time to be sent has come.
    pub due: u64,
    /// How long the oldest case about an order in doubt has been open; zero without one.
    pub oldest_doubt: TimeDelta,
    pub cases: u64,
    pub overdue: u64,
    /// Open cases whose owner is disabled or not there; rule 15 says there are none.
    pub unowned: u64,
    /// Nodes alive that submit and look up.
    pub workers: u64,
    /// Messages given up within a day that somebody should have got.
    pub mails_in_vain: u64,
    /// Tenants whose orders are held after a restore (rule 20).
    pub paused: u64,
}

impl Desk {
    /// Counts what is open, in one short read. What is final is not counted: that would cost more every day.
    pub async fn figures(&self) -> Result<Figures, DeskError> {
        let now = clock::now();
        let mut read = self.store.begin_read().await?;
        let oldest = figures::oldest_doubt(&mut read).await?;
        Ok(Figures {
            open: figures::open_orders(&mut read).await?,
            due: figures::due_orders(&mut read, now).await?,
            oldest_doubt: oldest.map_or(TimeDelta::zero(), |opened| now - opened),
            cases: figures::open_cases(&mut read).await?,
            overdue: figures::overdue_cases(&mut read, now).await?,
            unowned: figures::unowned_cases(&mut read).await?,
            workers: figures::workers_alive(&mut read, now - ALIVE).await?,
            mails_in_vain: figures::mails_in_vain(&mut read, now - A_DAY).await?,
            paused: figures::paused_tenants(&mut read).await?,
        })
    }

    /// What this process has done.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
