//! The processes, each at its post and started again at once when it is gone, as a service manager does.

use super::stage::{AWAY, Stage};
use super::support::Process;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// What stands at a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `serve --no-worker`, the first or the second.
    Web(usize),
    Worker,
    Supplier,
}

/// One process, or the gap until it is started again.
pub struct Post {
    pub role: Role,
    running: Mutex<Option<Process>>,
    /// How it ended by itself, which none should.
    ended: std::sync::Mutex<Vec<String>>,
}

pub struct Crew {
    pub posts: Vec<Arc<Post>>,
    keepers: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Two web nodes, three workers and the supplier; answers when all are up.
    pub async fn assemble(stage: &Arc<Stage>) -> Self {
        let roles = [
            Role::Supplier,
            Role::Web(0),
            Role::Web(1),
            Role::Worker,
            Role::Worker,
            Role::Worker,
        ];
        let posts: Vec<_> = roles.into_iter().map(|role| Arc::new(Post::vacant(role))).collect();
        let keepers = posts.iter().map(|post| {
            let (stage, post) = (stage.clone(), post.clone());
            tokio::spawn(async move {
                loop {
                    post.keep(&stage).await;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            })
        });
        let keepers = keepers.collect();
        let crew = Self { posts, keepers };
        crew.all_up().await;
        crew
    }

    /// Waits until each process runs.
    pub async fn all_up(&self) {
        let since = Instant::now();
        for post in &self.posts {
            while post.running.lock().await.is_none() {
                assert!(since.elapsed() < AWAY, "{:?} does not come up", post.role);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Which processes ended by themselves, and how.
    pub fn ended(&self) -> Vec<String> {
        let ended = |post: &Arc<Post>| post.ended.lock().expect("nobody panics with it").clone();
        self.posts.iter().flat_map(ended).collect()
    }

    /// Stops everything; answers the last lines of each log.
    pub async fn dismiss(&self) -> String {
        for keeper in &self.keepers {
            keeper.abort();
        }
        let mut logs = String::new();
        for post in &self.posts {
            let process = post.running.lock().await.take();
            let log = process.map_or_else(String::new, |process| process.log());
            logs += &format!("--- {:?}\n{}\n", post.role, last_lines(&log));
        }
        logs
    }
}

impl Post {
    fn vacant(role: Role) -> Self {
        Self {
            role,
            running: Mutex::new(None),
            ended: std::sync::Mutex::default(),
        }
    }

    /// Starts it if it is gone; one that cannot start yet, because its database is away, is started again.
    async fn keep(&self, stage: &Stage) {
        let mut running = self.running.lock().await;
        if let Some(process) = running.as_mut() {
            let Some(status) = process.has_ended() else { return };
            let told = format!(
                "{:?} ended by itself with {status}: {}",
                self.role,
                last_lines(&process.log())
            );
            self.ended.lock().expect("nobody panics with it").push(told);
        }
        *running = self.started(stage).await.ok();
    }

    async fn started(&self, stage: &Stage) -> Result<Process, String> {
        match self.role {
            Role::Web(number) => {
                let address = stage.webs[number].trim_start_matches("http://");
                let serve = ["serve", "--no-worker", "--listen", address];
                stage.house.try_process(&serve, "serving http://").await
            }
            Role::Worker => stage.house.try_process(&["work"], "working").await,
            Role::Supplier => {
                let address = stage.house.supplier_base.trim_start_matches("http://");
                Process::try_supplier(stage.house.folder(), address).await
            }
        }
    }

    /// SIGKILL, wherever it is. Answers whether there was anybody.
    pub async fn kill(&self) -> bool {
        self.running.lock().await.take().is_some()
    }

    /// SIGTERM, and waits for its end.
    pub async fn terminate(&self) -> bool {
        let mut running = self.running.lock().await;
        let Some(mut process) = running.take() else {
            return false;
        };
        // one that is frozen hears nothing
        process.thaw();
        process.terminate();
        let status = process.ended().await;
        if status != Some(0) {
            let told = format!(
                "{:?} told to stop ended with {status:?}: {}",
                self.role,
                last_lines(&process.log())
            );
            self.ended.lock().expect("nobody panics with it").push(told);
        }
        true
    }

    /// SIGSTOP.
    pub async fn freeze(&self) -> bool {
        let running = self.running.lock().await;
        running.as_ref().inspect(|process| process.freeze()).is_some()
    }

    /// SIGCONT, to whoever stands there by now.
    pub async fn thaw(&self) {
        if let Some(process) = self.running.lock().await.as_ref() {
            process.thaw();
        }
    }
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}
