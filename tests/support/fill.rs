//! A database with years in it: things that were made through the product, copied by SQL as often as asked.
//!
//! A copy is a sound row: ids, intents and operation keys of its own, the original's frozen contents and digest. What is
//! not sound is the log: the copies' events carry the hash of their original, so the chain does not verify from there on.
//! Nothing that is measured or planned reads it as a chain.

use super::database::either;
use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, Executor};
use std::ops::Range;

/// Copies made by one set of statements: SQLite's write-ahead log grows no longer than this many need.
const AT_ONCE: i64 = 100_000;

/// The numbers from $1 to before $2.
macro_rules! numbered {
    ($rest:expr) => {
        concat!(
            "WITH RECURSIVE numbers (n) AS (
                 SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < $2) ",
            $rest
        )
    };
}

/// The end of an id made of number n: 12 digits, spread so that what is near in time is not near in an index.
macro_rules! tail {
    () => {
        "substr(CAST(1000000000000 + (n * 618033988749) % 1000000000000 AS TEXT), 2)"
    };
}

/// Moments of a copy: n minutes earlier, so that a million copies are the history of two years.
macro_rules! back {
    ($moment:literal) => {
        concat!($moment, " - n * 60000000")
    };
}

const INTENTS: &str = numbered!(concat!(
    "INSERT INTO intents (tenant, id, purpose, reserved_by, reserved_at)
     SELECT i.tenant, 'copy-' || n, i.purpose, i.reserved_by, ",
    back!("i.reserved_at"),
    " FROM intents i JOIN suggestions g ON g.tenant = i.tenant AND g.intent = i.id, numbers WHERE g.id = $3"
));

// a thousand different articles: look-alikes are looked for by this key
const SUGGESTIONS: &str = numbered!(concat!(
    "INSERT INTO suggestions (id, tenant, intent, revision, state, supplier, contents, digest, look_alike_key, evidence,
                              repeated, created_at, decided_by, decided_at, decision, currency, total)
     SELECT 'sug_' || ",
    tail!(),
    ", tenant, 'copy-' || n, revision, state, supplier, contents, digest, look_alike_key || (n % 1000), evidence,
       repeated, ",
    back!("created_at"),
    ", decided_by, ",
    back!("decided_at"),
    ", decision, currency, total FROM suggestions, numbers WHERE id = $3"
));

// the key is a UUID of its own; a copy is due, and may be sent for as long, as the original
const ORDERS: &str = numbered!(concat!(
    "INSERT INTO orders (id, tenant, intent, revision, suggestion, supplier, operation_key, contents, digest,
                         look_alike_key, second_purchase, approved_by, approved_at, state, holds, differences, version,
                         supplier_reference, due_at, sendable_since, not_sent, changed_at, look_up_at, looked_up,
                         supplier_version, currency, total)
     SELECT 'po_' || ",
    tail!(),
    ", tenant, 'copy-' || n, revision, 'sug_' || ",
    tail!(),
    ", supplier, '00000000-0000-5000-8000-' || ",
    tail!(),
    ", contents, digest, look_alike_key || (n % 1000), second_purchase, approved_by, ",
    back!("approved_at"),
    ", state, holds, differences, version, supplier_reference, due_at - n, sendable_since, not_sent, ",
    back!("changed_at"),
    ", look_up_at, looked_up, supplier_version, currency, total FROM orders, numbers WHERE id = $3"
));

const ATTEMPTS: &str = numbered!(concat!(
    "INSERT INTO attempts (id, tenant, order_id, number, supplier_version, base_url, account, secret_mac, started_at,
                           send_by, lease_until, lapsed_at, ended_at, reply, http_status, reference, detail, excerpt,
                           recorded, differences, answered, in_doubt)
     SELECT 'try_' || ",
    tail!(),
    ", tenant, 'po_' || ",
    tail!(),
    ", number, supplier_version, base_url, account, secret_mac, ",
    back!("started_at"),
    ", ",
    back!("send_by"),
    ", ",
    back!("lease_until"),
    ", lapsed_at, ",
    back!("ended_at"),
    ", reply, http_status, reference, detail, excerpt, recorded, differences, answered, in_doubt
     FROM attempts, numbers WHERE order_id = $3"
));

const STEPS: &str = numbered!(concat!(
    "INSERT INTO attempt_steps (attempt, number, method, url, body)
     SELECT 'try_' || ",
    tail!(),
    ", s.number, s.method, s.url, s.body
     FROM attempt_steps s JOIN attempts a ON a.id = s.attempt, numbers WHERE a.order_id = $3"
));

const CASES: &str = numbered!(concat!(
    "INSERT INTO cases (id, tenant, version, kind, order_id, owner, due_at, reason, opened_at, closed_at)
     SELECT 'case_' || ",
    tail!(),
    ", tenant, version, kind, 'po_' || ",
    tail!(),
    ", owner, due_at, reason, ",
    back!("opened_at"),
    ", ",
    back!("closed_at"),
    " FROM cases, numbers WHERE order_id = $3"
));

const SKUS: &str = numbered!(concat!(
    "INSERT INTO search_words (tenant, word, folded, what, suggestion, at)
     SELECT tenant, word, folded, what, 'sug_' || ",
    tail!(),
    ", ",
    back!("at"),
    " FROM search_words, numbers WHERE suggestion = $3"
));

const WORDS: &str = numbered!(concat!(
    "INSERT INTO search_words (tenant, word, folded, what, order_id, at)
     SELECT tenant, CASE WHEN what = 'order' THEN 'po_' || ",
    tail!(),
    " ELSE word END, CASE WHEN what = 'order' THEN 'po_' || ",
    tail!(),
    " ELSE folded END, what, 'po_' || ",
    tail!(),
    ", ",
    back!("at"),
    " FROM search_words, numbers WHERE order_id = $3"
));

const LOOK_UPS: &str = numbered!(concat!(
    "INSERT INTO look_ups (tenant, order_id, at, asked_by, answer, base_url, account, detail, records)
     SELECT tenant, 'po_' || ",
    tail!(),
    ", at, asked_by, answer, base_url, account, detail, records FROM look_ups, numbers WHERE order_id = $3"
));

const EVENTS: &str = numbered!(concat!(
    "INSERT INTO events (tenant, number, subject, body, hash, at, actor, kind)
     SELECT e.tenant, t.event_number + (n - $1) * e.many + e.place, 'po_' || ",
    tail!(),
    ", replace(e.body, $3, 'po_' || ",
    tail!(),
    "), e.hash, ",
    back!("e.at"),
    ", e.actor, e.kind
     FROM (SELECT tenant, body, hash, at, actor, kind, row_number() OVER (ORDER BY number) AS place, count(*) OVER () AS many
           FROM events WHERE subject = $3) e
     JOIN tenants t ON t.id = e.tenant, numbers"
));

const HEADS: &str = "UPDATE tenants SET event_number = (SELECT max(number) FROM events WHERE tenant = tenants.id),
     event_hash = (SELECT hash FROM events WHERE tenant = tenants.id ORDER BY number DESC LIMIT 1)
     WHERE event_number > 0";

/// What is copied.
#[derive(Debug, Clone, Copy)]
pub enum Original<'a> {
    /// A suggestion that became no order.
    Suggestion(&'a str),
    /// An order of one attempt and at most one case, with those, its suggestion, look-ups and events.
    Order(&'a str),
}

/// A connection for filling. While it is open nobody else should write.
pub struct Filling {
    connection: AnyConnection,
}

impl Filling {
    /// What is copied was checked when it was made, so keys that refer are not checked again. Nobody restores what is
    /// made here, so SQLite need not wait for the disk; the product's own connections do.
    pub async fn of(url: &str) -> Self {
        sqlx::any::install_default_drivers();
        let pool = AnyPoolOptions::new().max_connections(1).connect(url);
        let connection = pool.await.expect("the database").acquire().await.expect("a connection");
        let mut connection = connection.detach();
        let settings = either(
            "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1500000",
            "SET session_replication_role = replica; SET synchronous_commit = off",
        );
        connection.execute(settings).await.expect("settings");
        Self { connection }
    }

    /// Copies it once for each of these numbers, which no other copy has.
    pub async fn copy(&mut self, original: Original<'_>, numbers: Range<i64>) {
        let mut from = numbers.start;
        while from < numbers.end {
            let to = numbers.end.min(from + AT_ONCE);
            self.copy_some(original, from, to).await;
            from = to;
        }
        self.connection.execute(HEADS).await.expect(HEADS);
    }

    async fn copy_some(&mut self, original: Original<'_>, from: i64, to: i64) {
        match original {
            Original::Suggestion(id) => {
                for statement in [INTENTS, SUGGESTIONS, SKUS] {
                    self.run(statement, from, to, id).await;
                }
            }
            Original::Order(id) => {
                let suggestion = "SELECT suggestion FROM orders WHERE id = $1";
                let suggestion: String = sqlx::query_scalar(suggestion)
                    .bind(id)
                    .fetch_one(&mut self.connection)
                    .await
                    .expect("the order");
                for statement in [INTENTS, SUGGESTIONS, SKUS] {
                    self.run(statement, from, to, &suggestion).await;
                }
                for statement in [ORDERS, WORDS, ATTEMPTS, STEPS, CASES, LOOK_UPS, EVENTS, HEADS] {
                    self.run(statement, from, to, id).await;
                }
            }
        }
    }

    async fn run(&mut self, statement: &'static str, from: i64, to: i64, id: &str) {
        let query = sqlx::query(statement);
        let query = if statement == HEADS {
            query
        } else {
            query.bind(from).bind(to).bind(id)
        };
        query.execute(&mut self.connection).await.expect(statement);
    }

    /// Says that whoever has a case was told of it, long ago.
    pub async fn tell_of_cases(&mut self) {
        let told = "INSERT INTO outbox (id, tenant, person, kind, case_id, subject, body, created_at, sent_at)
                    SELECT 'msg_' || id, tenant, owner, 'given', id, 'A case', 'It is yours.', opened_at, opened_at FROM cases";
        self.connection.execute(told).await.expect(told);
    }

    /// What the server does by itself some time after so much was written. SQLite has no such thing, and the program
    /// never asks it to: its plans there are made without counts.
    pub async fn done(mut self) {
        let tidy = either("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM ANALYZE");
        self.connection.execute(tidy).await.expect(tidy);
        sqlx::Connection::close(self.connection).await.expect("closed");
    }
}

/// The id of the order's copy with this number.
pub fn copied_order(number: i64) -> String {
    format!("po_{:012}", number * 618_033_988_749 % 1_000_000_000_000)
}
