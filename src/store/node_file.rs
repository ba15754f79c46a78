//! The file beside the database in which a node keeps what it knows of it (rule 20). Several processes on one machine
//! share it.
//!
//! Promises: the file is whole at every moment, on the disk when the write has returned, and never goes back behind what
//! another process of this machine wrote. Must not: judge.

use super::StoreError;
use crate::domain::restored::NodeFile;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another process of this machine may keep the file locked: one that writes it takes milliseconds.
const LOCKED_AT_MOST: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(5);

/// What is wrong with the file.
fn unusable(path: &Path, error: impl std::fmt::Display) -> StoreError {
    StoreError::NodeFile {
        path: path.display().to_string(),
        error: error.to_string(),
    }
}

/// Reads the file; nothing where there is none.
pub fn node_file_read(path: &Path) -> Result<Option<NodeFile>, StoreError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, error)),
    };
    let whole = serde_json::from_slice(&text);
    whole.map(Some).map_err(|error| unusable(path, error))
}

/// Writes the file, with the higher numbers of what stands there already where it tells of the same history. What another
/// process keeps locked is not written: nobody waits for one that is frozen.
pub async fn node_file_write(path: &Path, known: NodeFile) -> Result<(), StoreError> {
    let lock = lock(path).await?;
    let path = path.to_owned();
    let write = tokio::task::spawn_blocking(move || {
        let written = write(&path, &known);
        drop(lock);
        written
    });
    write.await.map_err(StoreError::corrupt)?
}

/// Whether the file could be written: its folder is there and takes files.
pub async fn node_file_probe(path: &Path) -> Result<(), StoreError> {
    node_file_read(path)?;
    lock(path).await.map(drop)
}

fn write(path: &Path, known: &NodeFile) -> Result<(), StoreError> {
    let mut whole = known.clone();
    if let Some(there) = node_file_read(path)?.filter(|there| there.instance == known.instance) {
        for (tenant, head) in there.heads {
            whole.saw(&tenant, head);
        }
    }
    let fresh = beside(path, "new");
    let keep = || {
        let mut file = File::create(&fresh)?;
        file.write_all(serde_json::to_string_pretty(&whole)?.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&fresh, path)?;
        // the new name is on the disk, too
        File::open(folder_of(path))?.sync_all()
    };
    keep().map_err(|error| unusable(path, error))
}

/// Keeps other processes of this machine from writing meanwhile. Never the database's own file: closing it would drop
/// SQLite's locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
async fn lock(path: &Path) -> Result<File, StoreError> {
    let lock = beside(path, "lock");
    let file = OpenOptions::new().create(true).append(true).open(&lock);
    let file = file.map_err(|error| unusable(&lock, error))?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < LOCKED_AT_MOST => tokio::time::sleep(AGAIN).await,
            Err(TryLockError::WouldBlock) => {
                let path = lock.display().to_string();
                return Err(StoreError::NodeFileLocked { path });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(&lock, error)),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::TenantId;
    use crate::domain::restored::Head;
    use std::collections::BTreeMap;

    fn known(instance: &str, number: u64) -> NodeFile {
        let head = Head {
            number,
            hash: number.to_string(),
        };
        NodeFile {
            instance: instance.into(),
            host: "here".into(),
            place: "1".into(),
            heads: BTreeMap::from([(TenantId::from_random(1), head)]),
        }
    }

    #[tokio::test]
    async fn a_process_that_knows_less_takes_nothing_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.db.node");
        assert_eq!(node_file_read(&path).expect("no file"), None);
        node_file_write(&path, known("first", 12)).await.expect("written");
        node_file_write(&path, known("first", 11)).await.expect("written");
        assert_eq!(node_file_read(&path).expect("read"), Some(known("first", 12)));
        node_file_write(&path, known("second", 3)).await.expect("written");
        assert_eq!(
            node_file_read(&path).expect("read"),
            Some(known("second", 3)),
            "a new history begins anew"
        );
    }

    /// Case C2: the process that writes it is frozen in the midst of it.
    #[tokio::test]
    async fn nobody_waits_for_ever_for_one_that_keeps_it_locked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.db.node");
        let frozen = lock(&path).await.expect("locked");
        let error = node_file_write(&path, known("first", 1)).await.expect_err("locked");
        assert!(matches!(error, StoreError::NodeFileLocked { .. }), "{error}");
        drop(frozen);
        node_file_write(&path, known("first", 1)).await.expect("written");
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.db.node");
        std::fs::write(&path, "{\"instance\":").expect("written");
        let error = node_file_read(&path).expect_err("damaged").to_string();
        assert!(error.contains("countersign.db.node"), "{error}");
    }
}
