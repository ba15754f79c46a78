//! Child processes of the program under test, each stopped by its own handle.

use super::PROGRAM;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A file's name without its folder.
pub fn first_file(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// The program with a clean environment: nothing of the developer's own settings reaches it.
fn command(folder: &Path, settings: &[(&'static str, String)], arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("NO_COLOR", "1");
    for (name, value) in settings {
        match *name {
            "RUST_LOG" => command.env(name, value),
            name => command.env(format!("COUNTERSIGN_{}", name.to_uppercase()), value),
        };
    }
    command
}

/// What a verb of the command line did.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn last_line(&self) -> String {
        self.out.lines().last().unwrap_or_default().to_owned()
    }
}

/// Runs a verb to its end; its database is `countersign.db` in the folder, as a newcomer's is.
pub fn run(folder: &Path, settings: &[(&'static str, String)], arguments: &[&str], input: &str) -> Ran {
    let mut child = command(folder, settings, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its standard input");
    // a verb that reads nothing may be gone already
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    ran(child.wait_with_output().expect("the program ends"))
}

/// Runs a shell's line in this folder, with the program as `$0`.
pub fn shell(folder: &Path, line: &str, program: &str) -> Ran {
    let mut command = Command::new("bash");
    command.args(["-c", line, program]).current_dir(folder);
    ran(command.env_clear().output().expect("the shell runs"))
}

pub fn ran(output: std::process::Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A running process. Dropping the handle kills it (SIGKILL) and waits for its end.
pub struct Process {
    child: Child,
    log: PathBuf,
    /// `http://…`, where it serves.
    pub base: String,
}

impl Process {
    /// Starts a verb that runs on, and waits until its log says `ready`.
    pub async fn start(folder: &Path, settings: &[(&'static str, String)], arguments: &[&str], ready: &str) -> Self {
        let started = Self::try_start(folder, settings, arguments, ready).await;
        started.unwrap_or_else(|why| panic!("{why}"))
    }

    /// As `start`; if it does not start, answers why.
    pub async fn try_start(
        folder: &Path,
        settings: &[(&'static str, String)],
        arguments: &[&str],
        ready: &str,
    ) -> Result<Self, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let log = folder.join(format!("{}-{number}.log", arguments[0]));
        let file = std::fs::File::create(&log).expect("a log file");
        let child = command(folder, settings, arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .expect("the program starts");
        let mut process = Self {
            child,
            log,
            base: String::new(),
        };
        process.base = process.wait_until(ready).await?;
        Ok(process)
    }

    /// The practice supplier, on its own file in the folder.
    pub async fn supplier(folder: &Path, listen: &str) -> Self {
        let started = Self::try_supplier(folder, listen).await;
        started.unwrap_or_else(|why| panic!("{why}"))
    }

    /// As `supplier`; if it does not start, answers why.
    pub async fn try_supplier(folder: &Path, listen: &str) -> Result<Self, String> {
        let arguments = ["practice-supplier", "--listen", listen];
        Self::try_start(folder, &[], &arguments, "practice supplier on http://").await
    }

    /// Waits for the log line, and answers the address in it.
    async fn wait_until(&mut self, ready: &str) -> Result<String, String> {
        let since = Instant::now();
        loop {
            let log = self.log();
            if let Some((_, rest)) = log.split_once(ready)
                && let Some((address, _)) = rest.split_once('\n')
            {
                // in an object the message ends with a quotation mark
                let address = address.split('"').next().unwrap_or_default();
                return Ok(format!("http://{}", address.trim()));
            }
            if let Some(status) = self.has_ended() {
                return Err(format!("it ended with {status}:\n{log}"));
            }
            if since.elapsed() >= PATIENCE {
                return Err(format!("it did not start:\n{log}"));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// How it ended, if it has.
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the child's status")
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Its number, by which the system tells of it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Freezes it (SIGSTOP), and not in the midst of a write to a SQLite file: every other writer would wait for it.
    pub fn freeze(&self) {
        loop {
            self.signal("-STOP");
            while !self.is_frozen() && !self.is_gone() {
                std::thread::yield_now();
            }
            if !self.writes() {
                return;
            }
            self.thaw();
        }
    }

    /// Whether it has the lock of those who write to a SQLite file: byte 120 of the file's shared memory.
    fn writes(&self) -> bool {
        let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        let id = self.id().to_string();
        locks.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            matches!(words[..], [_, "POSIX", _, "WRITE", holder, _, "120", "120"] if holder == id)
        })
    }

    /// Lets it go on (SIGCONT).
    pub fn thaw(&self) {
        self.signal("-CONT");
    }
    /// Asks it to stop (SIGTERM).
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Whether it has been stopped, by itself or by us, and stands still.
    pub fn is_frozen(&self) -> bool {
        self.stands("T")
    }

    /// Whether it has ended, and nobody asked how.
    fn is_gone(&self) -> bool {
        self.stands("Z")
    }

    fn stands(&self, letter: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        after_name.starts_with(letter)
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "kill {name}");
    }

    /// Waits for its own end; answers the exit status.
    pub async fn ended(&mut self) -> Option<i32> {
        let since = Instant::now();
        loop {
            if let Some(status) = self.has_ended() {
                return status.code();
            }
            assert!(since.elapsed() < PATIENCE, "it did not end: {}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- {}\n{}", self.log.display(), self.log());
        }
    }
}
