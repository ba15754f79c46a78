//! A copy of the database while it is in use, checked before anybody relies on it.
//!
//! Promises: a file under the name asked for is whole, sound, durable and readable by its owner alone; nothing that was
//! there is overwritten. Must not: write to the database it copies.

use super::{DeskError, chain};
use crate::store::{Store, StoreError, orders, tenants};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    pub orders: u64,
    pub events: u64,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    #[error("{} is there already; a backup overwrites nothing", .0.display())]
    Exists(PathBuf),
    #[error("{} is there: another backup is being made, or one broke off; delete it when none is", .0.display())]
    UnderWay(PathBuf),
    #[error("{} cannot be written: {error}", .file.display())]
    Unwritable { file: PathBuf, error: io::Error },
    #[error("{} cannot be written: {error}", .file.display())]
    NotCopied { file: PathBuf, error: StoreError },
    #[error("the copy is not sound and was deleted again:\n{}", .0.join("\n"))]
    Unsound(Vec<String>),
    #[error("the copy could not be checked and was deleted again: {0}")]
    Unchecked(#[from] DeskError),
}

impl From<StoreError> for BackupFault {
    fn from(error: StoreError) -> Self {
        BackupFault::Unchecked(error.into())
    }
}

/// A file that is being written: deleted again unless it is kept.
struct Part(PathBuf);

impl Part {
    /// Beside the file it will be, for its owner alone.
    fn begin(file: &Path) -> Result<Self, BackupFault> {
        let mut name = file.as_os_str().to_owned();
        name.push(".part");
        let part = PathBuf::from(name);
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part);
        match made {
            Ok(_) => Ok(Self(part)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(BackupFault::UnderWay(part)),
            Err(error) => Err(unwritable(file, error)),
        }
    }

    /// Makes it last, then gives it its name.
    fn keep(&self, file: &Path) -> Result<(), BackupFault> {
        let lasting = || {
            File::open(&self.0)?.sync_all()?;
            rename(&self.0, file)?;
            File::open(folder_of(file))?.sync_all()
        };
        lasting().map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => BackupFault::Exists(file.to_owned()),
            _ => unwritable(file, error),
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        match remove_file(&self.0) {
            Ok(()) => {}
            // it was kept
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => tracing::warn!("{} could not be deleted: {error}", self.0.display()),
        }
    }
}

/// Renames without overwriting.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // this file system cannot promise it, so it is looked at right before
        Err(Errno::INVAL | Errno::NOSYS) if to.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(Errno::INVAL | Errno::NOSYS) => std::fs::rename(from, to),
        renamed => Ok(renamed?),
    }
}

fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn unwritable(file: &Path, error: io::Error) -> BackupFault {
    let error = match error.kind() {
        ErrorKind::NotFound => io::Error::other(format!("there is no folder {}", folder_of(file).display())),
        _ => error,
    };
    BackupFault::Unwritable {
        file: file.to_owned(),
        error,
    }
}

/// Copies the database into this file.
pub async fn backup(store: &Store, file: &Path) -> Result<Copied, BackupFault> {
    let file = &std::path::absolute(file).map_err(|error| unwritable(file, error))?;
    if file.symlink_metadata().is_ok() {
        return Err(BackupFault::Exists(file.clone()));
    }
    let part = Part::begin(file)?;
    store.copy_into(&part.0).await.map_err(|error| BackupFault::NotCopied {
        file: file.clone(),
        error,
    })?;
    let copy = Store::open_copy(&part.0).await?;
    let checked = settle(&copy).await;
    copy.close().await;
    let copied = checked?;
    part.keep(file)?;
    Ok(copied)
}

/// Makes the copy a database that nobody works on, and looks whether it can be relied on.
async fn settle(copy: &Store) -> Result<Copied, BackupFault> {
    copy.forget_nodes().await?;
    let mut faults = copy.file_faults().await?;
    let mut read = copy.begin_read().await?;
    let mut events = 0;
    for tenant in tenants::tenant_list(&mut read).await? {
        let chain = chain::walk(&mut read, &tenant).await?;
        events += chain.events;
        faults.extend(chain.faults);
    }
    let orders = orders::order_total(&mut read).await?;
    match faults.is_empty() {
        true => Ok(Copied { orders, events }),
        false => Err(BackupFault::Unsound(faults)),
    }
}
