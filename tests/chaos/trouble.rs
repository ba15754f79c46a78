//! What strikes the house: at moments, on victims and in ways that the seed chooses.

use super::crew::{Crew, Post, Role};
use super::stage::{Stage, pause};
use fastrand::Rng;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Longer than a lease.
const FROZEN: std::ops::Range<u64> = 4_200..6_500;
/// So long somebody else keeps a SQLite file busy.
const BUSY: std::ops::Range<u64> = 300..2_500;

/// One way to strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strike {
    KillWorker,
    KillWeb,
    KillSupplier,
    FreezeWorker,
    Terminate,
    CutConnection,
    RestartDatabase(&'static str),
}

/// How often each, of all of them.
const STRIKES: [(usize, Strike); 8] = [
    (30, Strike::KillWorker),
    (14, Strike::KillWeb),
    (9, Strike::KillSupplier),
    (12, Strike::FreezeWorker),
    (9, Strike::Terminate),
    (16, Strike::CutConnection),
    (6, Strike::RestartDatabase("immediate")),
    (4, Strike::RestartDatabase("fast")),
];

/// What was done.
#[derive(Debug, Default)]
pub struct Struck {
    kills: usize,
    freezes: usize,
    stops: usize,
    cuts: usize,
    restarts: usize,
    locks: usize,
}

impl fmt::Display for Struck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kills,
            freezes,
            stops,
            cuts,
            restarts,
            locks,
        } = self;
        write!(f, "{kills} kills, {freezes} freezes, {stops} stops, ")?;
        if *locks > 0 {
            write!(f, "{locks} times a database kept busy")
        } else {
            write!(f, "{cuts} connections cut, {restarts} database restarts")
        }
    }
}

pub struct Trouble {
    stage: Arc<Stage>,
    crew: Arc<Crew>,
    rng: Rng,
    frozen: JoinSet<()>,
    struck: Struck,
}

impl Trouble {
    pub fn new(stage: Arc<Stage>, crew: Arc<Crew>, rng: Rng) -> Self {
        Self {
            stage,
            crew,
            rng,
            frozen: JoinSet::new(),
            struck: Struck::default(),
        }
    }

    /// Strikes for so long; nobody is frozen any more when it ends.
    pub async fn strike(mut self, length: Duration) -> Struck {
        let until = Instant::now() + length;
        let spoiling = tokio::spawn(spoil(self.stage.clone(), self.rng.fork(), until));
        while Instant::now() < until {
            pause(&mut self.rng, 150..1_300).await;
            let strike = self.choose();
            self.once(strike).await;
        }
        spoiling.await.expect("it spoils to the end");
        while let Some(thawed) = self.frozen.join_next().await {
            thawed.expect("it is thawed");
        }
        self.struck
    }

    fn choose(&mut self) -> Strike {
        let all: usize = STRIKES.iter().map(|(often, _)| often).sum();
        let mut at = self.rng.usize(..all);
        for (often, strike) in STRIKES {
            if at < often {
                return strike;
            }
            at -= often;
        }
        unreachable!("within the sum")
    }

    async fn once(&mut self, strike: Strike) {
        match strike {
            Strike::KillWorker => self.kill(|role| role == Role::Worker).await,
            Strike::KillWeb => self.kill(|role| matches!(role, Role::Web(_))).await,
            Strike::KillSupplier => self.kill(|role| role == Role::Supplier).await,
            Strike::FreezeWorker => self.freeze().await,
            Strike::Terminate => {
                let victim = self.victim(|role| role != Role::Supplier);
                self.struck.stops += usize::from(victim.terminate().await);
            }
            Strike::CutConnection => self.cut_connection().await,
            Strike::RestartDatabase(mode) => self.restart_database(mode).await,
        }
    }

    fn victim(&mut self, is_one: impl Fn(Role) -> bool) -> Arc<Post> {
        let all: Vec<_> = self.crew.posts.iter().filter(|post| is_one(post.role)).collect();
        all[self.rng.usize(..all.len())].clone()
    }

    async fn kill(&mut self, is_one: impl Fn(Role) -> bool) {
        let victim = self.victim(is_one);
        self.struck.kills += usize::from(victim.kill().await);
    }

    async fn freeze(&mut self) {
        let victim = self.victim(|role| role == Role::Worker);
        let length = Duration::from_millis(self.rng.u64(FROZEN));
        if victim.freeze().await {
            self.struck.freezes += 1;
            self.frozen.spawn(async move {
                tokio::time::sleep(length).await;
                victim.thaw().await;
            });
        }
    }

    /// SQLite has no connection that could be cut: there somebody else holds the file.
    async fn cut_connection(&mut self) {
        let at = self.rng.usize(..);
        match &self.stage.cluster {
            Some(cluster) => self.struck.cuts += usize::from(cluster.cut_one(at).await),
            None => self.keep_busy().await,
        }
    }

    async fn restart_database(&mut self, mode: &'static str) {
        let Some(cluster) = self.stage.cluster.clone() else {
            return self.keep_busy().await;
        };
        let restart = tokio::task::spawn_blocking(move || cluster.restart(mode));
        restart.await.expect("it comes back");
        self.struck.restarts += 1;
    }

    async fn keep_busy(&mut self) {
        let lock = self.stage.house.lock().await;
        pause(&mut self.rng, BUSY).await;
        lock.rollback().await.expect("given back");
        self.struck.locks += 1;
    }
}

/// Faults on submit, with how long the sleeping ones sleep: one and a half to three and a half seconds, around the
/// request deadline of two. `none` and `twice` on look-ups are left out: they lie, and no rule holds against a lie.
const ON_SUBMIT: [&str; 24] = [
    "store_then_close",
    "store_then_close",
    "close_without_store",
    "close_half_body",
    "store_then_sleep",
    "sleep_then_store",
    "sleep_then_store",
    "store_then_500",
    "500_without_store",
    "store_then_502",
    "store_then_503",
    "store_then_truncated",
    "store_then_html",
    "store_then_empty",
    "redirect_302",
    "store_then_silence",
    "drip",
    "429",
    "503",
    "409_in_flight",
    "refuse_422",
    "accept_202",
    "store_with_differences",
    "401",
];
const ON_LOOK_UP: [&str; 8] = [
    "store_then_close",
    "close_without_store",
    "store_then_sleep",
    "store_then_500",
    "store_then_html",
    "429",
    "403",
    "404",
];

/// Spoils what the supplier answers, in fits.
async fn spoil(stage: Arc<Stage>, mut rng: Rng, until: Instant) {
    while Instant::now() < until {
        let submits = rng.usize(..4);
        let look_ups = rng.usize(..3);
        let mut next: Vec<Value> = (0..submits).map(|_| fault(&mut rng, "submit", &ON_SUBMIT)).collect();
        next.extend((0..look_ups).map(|_| fault(&mut rng, "look_up", &ON_LOOK_UP)));
        stage.tell_supplier("/faults", &json!({ "next": next })).await;
        pause(&mut rng, 200..900).await;
    }
}

fn fault(rng: &mut Rng, on: &str, names: &[&str]) -> Value {
    let name = names[rng.usize(..names.len())];
    let tenths = rng.u32(15..36);
    json!({ "on": on, "do": name, "seconds": f64::from(tenths) / 10.0 })
}
