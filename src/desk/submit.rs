//! Sending an order that was claimed: attempt committed (`desk::claim`), call, reply committed (rule 6). Three steps, two
//! short transactions, and the network between them.
//!
//! Promises: what was claimed is sent at most once; its reply is stored on its attempt whenever it comes (rule 13); a reply
//! that cannot be stored leaves an order that is confirmation pending. Must not: classify the wire.

use super::claim::Claimed;
use super::doubt::known;
use super::record::Act;
use super::{Desk, DeskError, clock};
use crate::config::StopPoint;
use crate::domain::attempt::{self, Reply, Tried};
use crate::domain::classify::Meaning;
use crate::domain::difference::{self, Difference, Recorded};
use crate::domain::doubt::{answers_doubt, as_judged, beside, late_change, late_finding};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::look_up::{FindingWord, Source};
use crate::domain::order::{self, Beside, OrderState};
use crate::store::attempts::Ended;
use crate::store::findings::NewFinding;
use crate::store::orders::{Asking, OrderRow};
use crate::store::{Conn, Written, attempts, events, findings, orders};
use crate::supplier::Outcome;
use crate::supplier::http::Bounds;
use chrono::{DateTime, Utc};
use std::time::Duration;

/// Between two tries to store what a supplier said, doubling from the first to the longest.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(50);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Desk {
    /// Makes the call and stores its reply. An attempt of which nobody knows whether it is kept is not sent. Whatever is
    /// logged inside says which order and attempt it is about.
    #[tracing::instrument(level = "error", skip_all, fields(
        tenant = %claimed.tenant, order = %claimed.order, attempt = %claimed.attempt, supplier = %claimed.supplier_id
    ))]
    pub async fn submit(&self, claimed: &Claimed) {
        self.reach(StopPoint::AttemptCommitted).await;
        let outcome = if claimed.is_kept {
            self.send(claimed).await
        } else {
            nothing_sent("Nothing was sent: the database did not say whether the attempt was kept.".to_owned())
        };
        let reply = outcome.reply.word().word();
        tracing::info!(reply, http_status = outcome.http_status, "the attempt ended");
        self.reach(StopPoint::AnswerReceived).await;
        self.store_reply(claimed, &outcome).await;
    }

    async fn send(&self, claimed: &Claimed) -> Outcome {
        let may_send = || clock::awake_or_not() < claimed.send_by;
        let bounds = Bounds {
            deadline: self.lengths.request_deadline,
            may_send: &may_send,
            now: clock::now(),
        };
        if let Err(error) = self.remember(&claimed.tenant).await {
            // sent now, and lost in a restore, nobody would know of it
            tracing::error!("nothing is sent: {error}");
            return nothing_sent(
                "Nothing was sent: this node could not keep what it knows of the database.".to_owned(),
            );
        }
        match claimed.supplier.http() {
            Ok(http) => {
                http.submit(&claimed.step, &claimed.operation_key, &claimed.before, &bounds)
                    .await
            }
            Err(fault) => Outcome {
                reply: Reply::NotSent(attempt::NotSent {
                    retry_after: None,
                    hold_supplier: true,
                }),
                ..nothing_sent(format!("Nothing was sent: {fault}."))
            },
        }
    }

    /// Stores a reply, trying again for as long as the process lives and the lease is not long over (case C5). If it
    /// cannot be stored the lease lapses, and the order ends confirmation pending: that is the honest state.
    async fn store_reply(&self, claimed: &Claimed, outcome: &Outcome) {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.close(claimed, outcome).await {
                Ok(()) => {
                    self.tally.replied(outcome.reply.word());
                    return self.reach(StopPoint::ReplyCommitted).await;
                }
                Err(DeskError::Absent(_)) if !claimed.is_kept => {
                    return tracing::info!("the attempt was not kept, so nothing is to be told of it");
                }
                Err(error) if clock::awake_or_not() >= claimed.store_until => {
                    return tracing::error!("the reply could not be stored: {error}");
                }
                Err(error) => tracing::error!("reply not stored yet: {error}"),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Stores a reply on its own attempt (rule 13), and what it means for the order.
    async fn close(&self, claimed: &Claimed, outcome: &Outcome) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(&claimed.tenant).await?;
        let order = orders::order_fetch(&mut tx, &claimed.tenant, &claimed.order).await?;
        let order = order.ok_or(DeskError::Absent("order"))?;
        let tried = attempts::attempt_list(&mut tx, &order.id).await?;
        let (mine, others): (Vec<_>, Vec<_>) = tried.into_iter().partition(|row| row.attempt.id == claimed.attempt);
        let [mine] = &mine[..] else {
            return Err(DeskError::Absent("attempt"));
        };
        let recorded = match &outcome.reply {
            Reply::Accepted { record, .. } => Some(record.clone()),
            Reply::Acknowledged { .. } | Reply::Refused | Reply::NotSent(_) | Reply::Unknown { .. } => None,
        };
        let differences = recorded
            .as_ref()
            .map(|record| difference::with_record(&order.contents, record))
            .unwrap_or_default();
        let ended = ended(outcome, recorded, &differences, now);
        if attempts::attempt_close(&mut tx, &claimed.attempt, &ended).await? == Written::NotInThatState {
            // an earlier try of ours stored it, and only its commit's answer was lost
            return Ok(());
        }
        // kept on the attempt as it came; what it means is judged with what people said of the record it names
        let outcome = &Outcome {
            reply: as_judged(&outcome.reply, &known(&mut tx, &order).await?),
            ..outcome.clone()
        };
        if mine.lapsed {
            self.close_late(&mut tx, &order, (mine, &others), outcome, &differences)
                .await?;
        } else {
            let known = known(&mut tx, &order).await?;
            let beside = beside(&known, &others, mine, order.gap_at.is_some(), now);
            self.close_in_time(&mut tx, &order, mine, outcome, &differences, beside)
                .await?;
            self.ask_at_once(&mut tx, claimed, outcome).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn close_in_time(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        mine: &Tried,
        outcome: &Outcome,
        differences: &[Difference],
        beside: Beside<'_>,
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let change = order::close_attempt(&order.life, &outcome.reply, differences, beside, &self.pace, now)?;
        let happening = Happening::AttemptClosed {
            attempt: mine.attempt.id.clone(),
            reply: outcome.reply.word(),
            detail: outcome.detail.clone(),
            from: order.life.state,
            to: change.life.state,
        };
        self.record_now(conn, order, &change, Act::by(&Actor::Worker, happening, now))
            .await?;
        if let (Some((reference, _)), OrderState::Confirmed) = (beside.late_acceptance, change.life.state) {
            self.keep_reply_finding(conn, order, FindingWord::AtSupplier, Some(reference), now)
                .await?;
        }
        answer_doubt(conn, order, change.life.state).await
    }

    /// They say that they have it, or it has to be read back: what they have is asked for at once, and compared.
    async fn ask_at_once(&self, conn: &mut Conn, claimed: &Claimed, outcome: &Outcome) -> Result<(), DeskError> {
        let acknowledged = matches!(outcome.reply, Reply::Acknowledged { .. });
        let read_back = claimed.supplier.contract.read_back && acknowledged;
        if read_back || outcome.meaning == Some(Meaning::Exists) {
            orders::order_ask(conn, &claimed.order, &Asking::at(clock::now())).await?;
        }
        Ok(())
    }

    async fn keep_reply_finding(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        finding: FindingWord,
        reference: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let kept = NewFinding {
            tenant: &order.tenant,
            order: &order.id,
            at: now,
            finding,
            source: Source::Reply,
            found_by: None,
            confirmed_by: None,
            reference,
            evidence: None,
        };
        Ok(findings::finding_add(conn, &kept).await?)
    }

    /// The lease had lapsed: kept on its attempt; what it definitely says is a finding.
    async fn close_late(
        &self,
        conn: &mut Conn,
        order: &OrderRow,
        (mine, others): (&Tried, &[Tried]),
        outcome: &Outcome,
        differences: &[Difference],
    ) -> Result<(), DeskError> {
        let now = clock::now();
        let known = known(conn, order).await?;
        let change = late_change(&order.life, &known, others, mine, &outcome.reply, differences, now);
        let happening = Happening::LateReply {
            attempt: mine.attempt.id.clone(),
            reply: outcome.reply.word(),
            detail: outcome.detail.clone(),
            from: order.life.state,
            to: change.as_ref().map_or(order.life.state, |change| change.life.state),
        };
        let Ok(change) = change else {
            let subject = Subject::Order(order.id.clone());
            events::event_append(conn, &order.tenant, &Actor::Worker, subject, happening, now).await?;
            return Ok(());
        };
        self.record_now(conn, order, &change, Act::by(&Actor::Worker, happening, now))
            .await?;
        if let Some(finding) = late_finding(&outcome.reply) {
            self.keep_reply_finding(conn, order, finding, outcome.reply.reference(), now)
                .await?;
        }
        answer_doubt(conn, order, change.life.state).await
    }
}

fn nothing_sent(detail: String) -> Outcome {
    Outcome {
        reply: Reply::NotSent(attempt::NotSent::default()),
        http_status: None,
        detail,
        meaning: None,
        excerpt: None,
    }
}

/// A supplier that said yes, or "we have it", answers every doubt about the order.
pub(super) async fn answer_doubt(conn: &mut Conn, order: &OrderRow, to: OrderState) -> Result<(), DeskError> {
    if answers_doubt(to) {
        attempts::attempts_answer(conn, &order.id).await?;
    }
    Ok(())
}

fn ended(outcome: &Outcome, recorded: Option<Recorded>, differences: &[Difference], at: DateTime<Utc>) -> Ended {
    Ended {
        at,
        reply: outcome.reply.word(),
        meaning: outcome.meaning,
        http_status: outcome.http_status,
        reference: outcome.reply.reference().map(str::to_owned),
        detail: outcome.detail.clone(),
        excerpt: outcome.excerpt.clone(),
        recorded,
        differences: differences.to_vec(),
    }
}
