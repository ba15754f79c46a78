//! What is counted when everything is at rest: at the supplier, in the database, and against what callers were answered.

use super::crew::Crew;
use super::stage::Stage;
use countersign::domain::contents::Digest;
use serde_json::{Value, json};
use sqlx::AnyPool;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The clocks of the database and of the supplier may be so far apart, in microseconds.
const GIVE_OR_TAKE: i64 = 1_000_000;

/// How much there was of what.
#[derive(Debug)]
pub struct Size {
    orders: usize,
    attempts: usize,
    requests: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            orders,
            attempts,
            requests,
        } = self;
        write!(
            f,
            "{orders} orders, {attempts} attempts, {requests} requests at the supplier"
        )
    }
}

/// What was found, each in a sentence.
pub struct Verdict {
    pub size: Size,
    duplicates: Vec<String>,
    lost: Vec<String>,
    unowned: Vec<String>,
    /// Everything else that must not be.
    wrong: Vec<String>,
    /// The orders that are named above, with their histories.
    histories: Vec<String>,
}

impl Verdict {
    /// How many duplicates, how much lost, how many unowned.
    pub fn numbers(&self) -> (usize, usize, usize) {
        (self.duplicates.len(), self.lost.len(), self.unowned.len())
    }

    pub fn is_clean(&self) -> bool {
        [&self.duplicates, &self.lost, &self.unowned, &self.wrong]
            .iter()
            .all(|found| found.is_empty())
    }

    /// `duplicates 0, lost 0, unowned 0`
    pub fn counts(&self) -> String {
        let (duplicates, lost, unowned) = self.numbers();
        let counts = format!("duplicates {duplicates}, lost {lost}, unowned {unowned}");
        match self.wrong.len() {
            0 => counts,
            wrong => format!("{counts}; and {wrong} otherwise wrong"),
        }
    }

    /// Everything that was found.
    pub fn told(&self) -> String {
        let mut told = self.counts();
        for (what, found) in [
            ("duplicate", &self.duplicates),
            ("lost", &self.lost),
            ("unowned", &self.unowned),
            ("wrong", &self.wrong),
            ("history", &self.histories),
        ] {
            for one in found {
                told += &format!("\n{what}: {one}");
            }
        }
        told
    }
}

/// An order in the database.
#[derive(Debug, sqlx::FromRow)]
struct Order {
    id: String,
    operation_key: String,
    state: String,
    contents: String,
    digest: String,
    /// Open cases with an owner who can act and a deadline.
    owned: i64,
    holds: String,
}

/// An attempt in the database.
#[derive(Debug, sqlx::FromRow)]
struct Attempt {
    operation_key: String,
    started_at: i64,
    lapsed_at: Option<i64>,
    reply: Option<String>,
    http_status: Option<i64>,
    steps: i64,
}

impl Attempt {
    /// A byte of it may have left.
    fn may_have_left(&self) -> bool {
        self.reply.as_deref() != Some("not_sent") || self.http_status.is_some()
    }
    /// The supplier answered it.
    fn was_answered(&self) -> bool {
        self.http_status.is_some()
    }
}

/// Looks again and again while everything goes on: also in the middle of it no doubt is without an owner, since its case
/// opens in the same transaction.
pub async fn watch(stage: Arc<Stage>) {
    let pool = stage.house.database().await;
    let unowned = "SELECT id FROM orders WHERE (state = 'confirmation_pending' OR holds LIKE '%not_found%')
        AND NOT EXISTS (SELECT 1 FROM cases JOIN person_roles ON person = owner AND role IN ('resolver', 'manager')
                        WHERE order_id = orders.id AND closed_at IS NULL AND due_at > opened_at)";
    while !stage.is_over() {
        // the database may be away
        let orders: Vec<String> = sqlx::query_scalar(unowned).fetch_all(&pool).await.unwrap_or_default();
        stage.promises().unowned.extend(orders);
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    pool.close().await;
}

/// What the supplier has of one operation key.
#[derive(Debug, Default)]
struct There {
    /// The status of each record.
    records: Vec<String>,
    /// When each submit arrived, in microseconds, oldest first.
    submits: Vec<i64>,
}

/// Everything that is compared.
struct Evidence {
    orders: Vec<Order>,
    attempts: BTreeMap<String, Vec<Attempt>>,
    there: BTreeMap<String, There>,
}

const ORDERS: &str = "SELECT id, operation_key, state, contents, digest, holds,
        (SELECT count(DISTINCT cases.id) FROM cases
         JOIN people ON people.id = cases.owner AND people.disabled_at IS NULL
         JOIN person_roles ON person = people.id AND role IN ('resolver', 'manager')
         WHERE order_id = orders.id AND closed_at IS NULL AND due_at > opened_at) AS owned
    FROM orders ORDER BY approved_at, id";
const ATTEMPTS: &str = "SELECT operation_key, started_at, lapsed_at, reply, http_status,
        (SELECT count(*) FROM attempt_steps WHERE attempt = attempts.id) AS steps
    FROM attempts JOIN orders ON orders.id = order_id ORDER BY started_at, attempts.id";

impl Evidence {
    async fn gather(stage: &Stage, pool: &AnyPool) -> Self {
        let orders = sqlx::query_as(ORDERS).fetch_all(pool).await.expect(ORDERS);
        let all: Vec<Attempt> = sqlx::query_as(ATTEMPTS).fetch_all(pool).await.expect(ATTEMPTS);
        let mut attempts: BTreeMap<String, Vec<Attempt>> = BTreeMap::new();
        for attempt in all {
            attempts.entry(attempt.operation_key.clone()).or_default().push(attempt);
        }
        let mut there: BTreeMap<String, There> = BTreeMap::new();
        for submit in stage.house.submits().await {
            // half a body without a key names nobody
            let Some(key) = submit["key"].as_str().or(submit["reference"].as_str()) else {
                continue;
            };
            let at = super::support::home::moment(&submit["at"]).timestamp_micros();
            there.entry(key.to_owned()).or_default().submits.push(at);
        }
        let records = stage.house.ask_supplier("/orders").await;
        for record in records.as_array().expect("records") {
            let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
            there.entry(text("reference")).or_default().records.push(text("status"));
        }
        Self {
            orders,
            attempts,
            there,
        }
    }
}

/// Judges, everything being at rest; `unsettled` is what did not come to rest.
pub async fn judge(stage: &Stage, crew: &Crew, unsettled: &[Value]) -> Verdict {
    let pool = stage.house.database().await;
    let evidence = Evidence::gather(stage, &pool).await;
    let mut verdict = Verdict {
        size: Size {
            orders: evidence.orders.len(),
            attempts: evidence.attempts.values().map(Vec::len).sum(),
            requests: evidence.there.values().map(|there| there.submits.len()).sum(),
        },
        duplicates: Vec::new(),
        lost: Vec::new(),
        unowned: Vec::new(),
        wrong: Vec::new(),
        histories: Vec::new(),
    };
    let mut named: BTreeSet<String> = unsettled
        .iter()
        .map(|order| super::support::home::id(order).to_owned())
        .collect();
    for order in unsettled {
        verdict.wrong.push(format!("did not come to rest: {}", order["id"]));
    }
    for order in &evidence.orders {
        let before = verdict.found();
        verdict.judge_order(&evidence, order);
        if verdict.found() > before {
            named.insert(order.id.clone());
        }
    }
    verdict.judge_strangers(&evidence);
    verdict.judge_promises(stage, &pool, &evidence).await;
    verdict.judge_cases(&pool).await;
    verdict.judge_house(stage, crew, &pool).await;
    for order in named {
        let of = json!({ "id": order });
        let told = json!({ "order": stage.house.order(&order).await, "history": stage.house.history(&of).await });
        verdict.histories.push(format!("{told:#}"));
    }
    pool.close().await;
    verdict
}

impl Verdict {
    fn found(&self) -> usize {
        self.duplicates.len() + self.lost.len() + self.unowned.len() + self.wrong.len()
    }

    fn judge_order(&mut self, evidence: &Evidence, order: &Order) {
        let nothing = There::default();
        let there = evidence.there.get(&order.operation_key).unwrap_or(&nothing);
        let about = format!("{} ({}, {})", order.id, order.state, order.operation_key);
        if there.records.len() > 1 {
            self.duplicates
                .push(format!("{about}: {} records", there.records.len()));
        }
        let stands = there
            .records
            .iter()
            .any(|status| status != "refused" && status != "cancelled");
        match &*order.state {
            "confirmed" if !stands => self.lost.push(format!("{about} has no record")),
            "refused" | "withdrawn" | "approved" if stands && order.owned == 0 => {
                self.lost.push(format!("{about} has a record that nobody looks after"));
            }
            "submitting" => self.lost.push(format!("{about} is stuck")),
            _ => {}
        }
        let in_doubt = order.state == "confirmation_pending" || order.holds.contains("not_found");
        if in_doubt && order.owned == 0 {
            self.unowned.push(format!("{about}: nobody owns its doubt"));
        }
        if Digest::of(order.contents.as_bytes()).as_str() != order.digest {
            self.wrong
                .push(format!("{about}: its contents are not those of its digest"));
        }
        let none = Vec::new();
        let attempts = evidence.attempts.get(&order.operation_key).unwrap_or(&none);
        self.judge_attempts(&about, attempts, &there.submits);
    }

    /// Each request belongs to exactly one step of an attempt that began before it came, and each attempt that was answered
    /// has one.
    fn judge_attempts(&mut self, about: &str, attempts: &[Attempt], submits: &[i64]) {
        if let Some(open) = attempts
            .iter()
            .find(|one| one.reply.is_none() && one.lapsed_at.is_none())
        {
            self.lost
                .push(format!("{about}: an attempt without reply and lease: {open:?}"));
        }
        if attempts.iter().any(|one| one.steps != 1) {
            self.wrong
                .push(format!("{about}: an attempt has not one step: {attempts:?}"));
        }
        let answered = attempts.iter().filter(|one| one.was_answered()).count();
        let began_before = |at: i64| {
            let left = attempts.iter().filter(|one| one.may_have_left());
            left.filter(|one| one.started_at <= at + GIVE_OR_TAKE).count()
        };
        let each_has_one = submits.iter().enumerate().all(|(place, at)| began_before(*at) > place);
        if !each_has_one || submits.len() < answered {
            self.wrong
                .push(format!("{about}: requests at {submits:?}, attempts {attempts:?}"));
        }
    }

    /// Whatever the supplier has belongs to an order.
    fn judge_strangers(&mut self, evidence: &Evidence) {
        let known: BTreeSet<&str> = evidence.orders.iter().map(|order| &*order.operation_key).collect();
        for (key, there) in &evidence.there {
            if !known.contains(&**key) {
                self.lost
                    .push(format!("the supplier has {key}, and no order has: {there:?}"));
            }
        }
    }

    async fn judge_promises(&mut self, stage: &Stage, pool: &AnyPool, evidence: &Evidence) {
        let intents = "SELECT id FROM intents";
        let intents: Vec<String> = sqlx::query_scalar(intents).fetch_all(pool).await.expect(intents);
        let intents: BTreeSet<_> = intents.into_iter().collect();
        let suggestions = "SELECT intent, digest FROM suggestions WHERE revision = 1";
        let suggestions: Vec<(String, String)> = sqlx::query_as(suggestions).fetch_all(pool).await.expect(suggestions);
        let suggestions: BTreeMap<_, _> = suggestions.into_iter().collect();
        let orders: BTreeSet<&String> = evidence.orders.iter().map(|order| &order.id).collect();
        let promises = stage.promises();
        for intent in promises.intents.difference(&intents) {
            self.lost
                .push(format!("intent {intent} was reserved, and is not there"));
        }
        for (intent, digest) in &promises.suggestions {
            if suggestions.get(intent) != Some(digest) {
                self.lost.push(format!(
                    "the suggestion for {intent} was taken as {digest}, and is not there"
                ));
            }
        }
        for order in promises.approved.iter().filter(|order| !orders.contains(order)) {
            self.lost
                .push(format!("an approval led to {order}, which is not there"));
        }
        let meanwhile = promises
            .unowned
            .iter()
            .map(|order| format!("{order}: meanwhile nobody owned its doubt"));
        self.unowned.extend(meanwhile);
        self.wrong.extend(promises.strange.iter().cloned());
    }

    /// Every open case, of whatever, has an owner who can act and a deadline.
    async fn judge_cases(&mut self, pool: &AnyPool) {
        let unowned = "SELECT id, kind FROM cases WHERE closed_at IS NULL AND (due_at <= opened_at OR NOT EXISTS (
            SELECT 1 FROM people JOIN person_roles ON person = people.id
            WHERE people.id = cases.owner AND disabled_at IS NULL AND role IN ('resolver', 'manager')))";
        let cases: Vec<(String, String)> = sqlx::query_as(unowned).fetch_all(pool).await.expect(unowned);
        let told = cases
            .iter()
            .map(|(id, kind)| format!("{id} ({kind}) has nobody who can act"));
        self.unowned.extend(told);
    }

    async fn judge_house(&mut self, stage: &Stage, crew: &Crew, pool: &AnyPool) {
        let pauses = "SELECT because FROM pauses";
        let pauses: Vec<String> = sqlx::query_scalar(pauses).fetch_all(pool).await.expect(pauses);
        let told = pauses
            .iter()
            .map(|because| format!("paused, and nothing was restored: {because}"));
        self.wrong.extend(told);
        if let Some(broken) = stage.house.first_break_of_log().await {
            self.wrong.push(broken);
        }
        self.wrong.extend(crew.ended());
        self.wrong.extend(panics(stage));
    }
}

/// Panics that any process logged.
fn panics(stage: &Stage) -> Vec<String> {
    let files = std::fs::read_dir(stage.house.folder()).expect("the folder");
    let paths = files.map(|file| file.expect("a file").path());
    let logs = paths.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    let read = logs.map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let panicked = |log: String| {
        let lines = log.lines().filter(|line| line.contains("panicked at"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    read.flat_map(panicked).collect()
}
