//! The loop: submit what is due, ask about what is in doubt, tell people, sweep what time brought about. Every act is the
//! desk's; here is only the rhythm.
//!
//! Promises: one claimed order is one call; a slow supplier never takes more than half of the places; a stopping
//! process claims nothing more, and waits for what is under way. Must not: decide anything about an order.

use crate::config::Config;
use crate::desk::nodes::Node;
use crate::desk::{Desk, DeskError};
use std::collections::HashMap;
use std::time::Duration;
use tokio::task::{self, JoinSet};
use tokio_util::sync::CancellationToken;

/// Between two beats of a process: with each sweep, at least every five seconds, and no more than every second.
const BEATS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// Messages that one process sends at the same time.
const MESSAGES: usize = 4;

/// After the connection on which other processes are heard is lost: again after the first wait, doubling to the longest.
const LISTEN_AGAIN: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));

/// The rhythm of this process.
#[derive(Debug, Clone)]
pub struct Worker {
    desk: Desk,
    node: Node,
    wake: Duration,
    sweep: Duration,
    parallel: usize,
    grace: Duration,
}

/// Requests under way, by supplier as `tenant/supplier`.
#[derive(Debug, Default)]
struct UnderWay {
    calls: JoinSet<()>,
    suppliers: HashMap<task::Id, String>,
}

impl UnderWay {
    fn begin(&mut self, supplier: String, call: impl Future<Output = ()> + Send + 'static) {
        let call = self.calls.spawn(call);
        self.suppliers.insert(call.id(), supplier);
    }

    /// Waits for the next call to end.
    async fn next_end(&mut self) {
        let ended = match self.calls.join_next_with_id().await {
            Some(Ok((id, ()))) => id,
            Some(Err(error)) => {
                // the call's own task died: its lease lapses, and the sweep says so
                tracing::error!("a call ended badly: {error}");
                error.id()
            }
            None => return std::future::pending().await,
        };
        self.suppliers.remove(&ended);
    }

    /// Suppliers that have their share, as the claim wants them named.
    fn busy(&self, share: usize) -> String {
        let mut running: HashMap<&str, usize> = HashMap::new();
        for supplier in self.suppliers.values() {
            *running.entry(supplier).or_default() += 1;
        }
        let full = running.into_iter().filter(|(_, calls)| *calls >= share);
        full.fold("|".to_owned(), |text, (supplier, _)| text + supplier + "|")
    }
}

impl Worker {
    /// A worker over this desk.
    pub fn new(desk: Desk, node: Node, config: &Config) -> Self {
        Self {
            desk,
            node,
            wake: config.wake,
            sweep: config.sweep,
            parallel: config.parallel,
            grace: config.grace,
        }
    }

    /// Submits what is due and asks about what is in doubt until told to stop; then waits for what is being submitted.
    pub async fn submit(self, stop: CancellationToken) {
        let (mut under_way, mut asking) = (UnderWay::default(), UnderWay::default());
        while !stop.is_cancelled() {
            self.claim_all(&mut under_way).await;
            self.ask_all(&mut asking).await;
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.desk.order_became_due() => {}
                () = tokio::time::sleep(self.wake) => {}
                () = under_way.next_end() => {}
                () = asking.next_end() => {}
            }
        }
        // a question that is not answered is asked again by whoever comes next
        drop(asking);
        let waiting = under_way.calls.len();
        if waiting > 0 {
            tracing::info!("stopping: waiting for {waiting} calls under way");
        }
        let all = async { while under_way.calls.join_next().await.is_some() {} };
        if tokio::time::timeout(self.grace, all).await.is_err() {
            tracing::warn!("stopped with calls under way; their orders will be confirmation pending");
        }
    }

    async fn claim_all(&self, under_way: &mut UnderWay) {
        let share = (self.parallel / 2).max(1);
        while under_way.calls.len() < self.parallel {
            match self.desk.claim(&under_way.busy(share)).await {
                Ok(Some(claimed)) => {
                    let desk = self.desk.clone();
                    let supplier = format!("{}/{}", claimed.tenant, claimed.supplier_id);
                    under_way.begin(supplier, async move { desk.submit(&claimed).await });
                }
                Ok(None) => return,
                Err(error) => return tracing::error!("no order could be claimed: {error}"),
            }
        }
    }

    /// Questions have places of their own, so that a supplier that does not answer them keeps nothing from being sent.
    async fn ask_all(&self, asking: &mut UnderWay) {
        let share = (self.parallel / 4).max(1);
        while asking.calls.len() < self.parallel {
            match self.desk.claim_look_up(&asking.busy(share)).await {
                Ok(Some(question)) => {
                    let desk = self.desk.clone();
                    let supplier = format!("{}/{}", question.tenant, question.supplier_id);
                    asking.begin(supplier, async move { desk.ask(&question).await });
                }
                Ok(None) => return,
                Err(error) => return tracing::error!("no order could be asked about: {error}"),
            }
        }
    }

    /// Sends what people are told until told to stop; then waits for what is being sent.
    pub async fn tell_people(self, stop: CancellationToken) {
        let mut sending = JoinSet::new();
        while !stop.is_cancelled() {
            self.claim_messages(&mut sending).await;
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.wake) => {}
                Some(ended) = sending.join_next() => sent(ended),
            }
        }
        let all = async {
            while let Some(ended) = sending.join_next().await {
                sent(ended);
            }
        };
        if tokio::time::timeout(self.grace, all).await.is_err() {
            tracing::warn!("stopped while messages were being sent; they may arrive twice");
        }
    }

    async fn claim_messages(&self, sending: &mut JoinSet<()>) {
        while sending.len() < MESSAGES {
            match self.desk.claim_message().await {
                Ok(Some(claimed)) => {
                    let desk = self.desk.clone();
                    sending.spawn(async move { desk.send_message(&claimed).await });
                }
                Ok(None) => return,
                Err(error) => return tracing::error!("no message could be sent: {error}"),
            }
        }
    }

    /// Sweeps leases and deadlines until told to stop.
    pub async fn sweep(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match self.desk.sweep().await {
                Ok(()) => {}
                // going on would write where nobody looks; a part that ends by itself ends the process
                Err(error @ DeskError::Exchanged) => return tracing::error!("{error}"),
                Err(error) => tracing::error!("the sweep failed: {error}"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.sweep) => {}
            }
        }
    }

    /// Wakes this worker when other processes make something due, until told to stop. While nothing can be heard, the
    /// worker finds what is due in its own rhythm.
    pub async fn hear_others(self, stop: CancellationToken) {
        let (mut pause, mut said) = (LISTEN_AGAIN.0, false);
        while !stop.is_cancelled() {
            let mut heard = false;
            let ended = tokio::select! {
                () = stop.cancelled() => return,
                ended = self.desk.hear_others(|| heard = true) => ended,
            };
            match ended {
                // there are no others
                Ok(()) => return stop.cancelled().await,
                Err(_) if said && !heard => {}
                Err(error) => {
                    tracing::warn!("other processes are not heard, so what they make due is found later: {error}");
                    said = true;
                }
            }
            pause = if heard {
                LISTEN_AGAIN.0
            } else {
                (pause * 2).min(LISTEN_AGAIN.1)
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Says that this process lives, and takes the time from the database, until told to stop.
    pub async fn beat(self, stop: CancellationToken) {
        let (shortest, longest) = BEATS;
        let mut silent = false;
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(self.sweep.clamp(shortest, longest)) => {}
            }
            match self.desk.beat(&self.node).await {
                Ok(()) if silent => {
                    tracing::info!("the database answers again");
                    silent = false;
                }
                Ok(()) => {}
                // said once: what cannot be done meanwhile says so itself
                Err(_) if silent => {}
                Err(error) => {
                    tracing::error!("this process could not say that it lives: {error}");
                    silent = true;
                }
            }
        }
    }
}

/// A task that sent a message has ended.
fn sent(ended: Result<(), task::JoinError>) {
    if let Err(error) = ended {
        // its lease lapses, and it is sent again
        tracing::error!("sending a message ended badly: {error}");
    }
}
