//! The file beside the database in which a node keeps what it knows of it (rule 20). Several processes on one machine
//! share it.
//!
//! Promises: the file is whole at every moment, on the disk when the write has returned, and never goes back behind what
//! another process of this machine wrote. Must not: judge.

use super::StoreError;
use crate::domain::restored::NodeFile;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

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

/// Writes the file, with the higher numbers of what stands there already where it tells of the same history.
pub fn node_file_write(path: &Path, known: &NodeFile) -> Result<(), StoreError> {
    let _lock = lock(path)?;
    let mut whole = known.clone();
    if let Some(there) = node_file_read(path)?.filter(|there| there.instance == known.instance) {
        for (tenant, head) in there.heads {
            whole.saw(&tenant, head);
        }
    }
    let fresh = beside(path, "new");
    let write = || {
        let mut file = File::create(&fresh)?;
        file.write_all(serde_json::to_string_pretty(&whole)?.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&fresh, path)?;
        // the new name is on the disk, too
        File::open(folder_of(path))?.sync_all()
    };
    write().map_err(|error| unusable(path, error))
}

/// Keeps other processes of this machine from writing meanwhile. Never the database's own file: closing it would drop
/// SQLite's locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
fn lock(path: &Path) -> Result<File, StoreError> {
    let lock = beside(path, "lock");
    let file = OpenOptions::new().create(true).append(true).open(&lock);
    let file = file.map_err(|error| unusable(&lock, error))?;
    file.lock().map_err(|error| unusable(&lock, error))?;
    Ok(file)
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

    #[test]
    fn a_process_that_knows_less_takes_nothing_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.db.node");
        assert_eq!(node_file_read(&path).expect("no file"), None);
        node_file_write(&path, &known("first", 12)).expect("written");
        node_file_write(&path, &known("first", 11)).expect("written");
        assert_eq!(node_file_read(&path).expect("read"), Some(known("first", 12)));
        node_file_write(&path, &known("second", 3)).expect("written");
        assert_eq!(
            node_file_read(&path).expect("read"),
            Some(known("second", 3)),
            "a new history begins anew"
        );
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
