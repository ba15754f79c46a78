//! Moving the books from a SQLite file into an empty PostgreSQL database, for good.
//!
//! Promises: at no moment do two databases take writes. The file is closed by a mark *before* the other database commits;
//! a process that dies between the two leaves the file closed and the other empty, and the same command does it again.
//! What arrived is checked before either commits. Must not: decide anything about an order.

use super::{DeskError, chain, clock};
use crate::domain::contents::Digest;
use crate::domain::ids::InstanceId;
use crate::store::instances::{instance_begin, instance_list};
use crate::store::moving::{self, CARRIED, LEFT_BEHIND, Mark, Table};
use crate::store::{Conn, Store, StoreError, Transaction, tenants};
use chrono::TimeDelta;
use std::collections::{BTreeMap, BTreeSet};

/// A node that has said nothing for this long is not at work.
const ALIVE: TimeDelta = TimeDelta::seconds(60);

/// Hears how far it is, a line at a time.
pub type Tell<'a> = &'a (dyn Fn(&str) + Sync);

/// Why the books are where they were; said to who moves them.
#[derive(Debug, thiserror::Error)]
pub enum MoveFault {
    #[error("this database was moved to {} on {} already", .0.to, .0.at)]
    MovedAlready(Mark),
    #[error("a process still works on this database: {}; stop it, and wait a minute if it was killed", .0.join(", "))]
    Alive(Vec<String>),
    #[error("{0} is not empty: it has {1} rows of {2}; nothing was moved")]
    NotEmpty(String, u64, &'static str),
    #[error("the schemas differ; bring both databases to this program's version (`countersign migrate`): {0}")]
    Schemas(String),
    #[error("the new database is no place to keep money: {0}")]
    NotDurable(String),
    #[error("{table} could not be copied; nothing was moved: {error}")]
    NotCopied { table: &'static str, error: StoreError },
    #[error("what arrived is not what was sent; nothing was moved:\n{}", .0.join("\n"))]
    Unsound(Vec<String>),
    #[error("the new database refused at the last moment; nothing was moved: {0}")]
    NotCommitted(StoreError),
    #[error(
        "nobody knows whether the new database kept the books ({0}); so this one stays closed. \
         Run the same command again once the new database answers: it finishes what was begun"
    )]
    Undecided(StoreError),
    #[error("nothing was moved: {0}")]
    Broken(#[from] DeskError),
}

impl From<StoreError> for MoveFault {
    fn from(error: StoreError) -> Self {
        MoveFault::Broken(error.into())
    }
}

/// Moves everything from `old` into `new`, whose address (without password) goes into the mark.
pub async fn move_to(old: &Store, new: &Store, address: &str, tell: Tell<'_>) -> Result<(), MoveFault> {
    let mut from = moving::begin_on_old(old).await?;
    let broke_off = may_move(&mut from, address).await?;
    new.migrate().await?;
    let faults = new.faults().await?;
    if !faults.is_empty() {
        return Err(MoveFault::NotDurable(faults.join("; ")));
    }
    let history = history_of(&mut from).await?;
    if broke_off && has_arrived(new, &history).await? {
        tell("everything had arrived already");
        return Ok(());
    }
    let mut to = new.begin_write().await?;
    receive(&mut from, &mut to, address, tell).await?;
    let mark = Mark {
        to: address.to_owned(),
        at: clock::now(),
    };
    moving::mark_set(&mut from, &mark).await?;
    from.commit().await?;
    match to.commit().await {
        Ok(()) => Ok(()),
        Err(error) => settle(old, new, &history, error).await,
    }
}

/// Whether the file may be moved; and whether it is closed already because moving it to this address broke off.
async fn may_move(from: &mut Conn, address: &str) -> Result<bool, MoveFault> {
    let alive = moving::nodes_alive(from, clock::now() - ALIVE).await?;
    if !alive.is_empty() {
        return Err(MoveFault::Alive(alive));
    }
    match moving::mark(from).await? {
        Some(mark) if mark.to != address => Err(MoveFault::MovedAlready(mark)),
        Some(_) => {
            // rolled back with everything else unless this time it succeeds
            moving::mark_clear(from).await?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// The id of the history that moves; one that has none gets it now.
async fn history_of(from: &mut Conn) -> Result<String, MoveFault> {
    if let Some(id) = instance_list(from).await?.pop() {
        return Ok(id);
    }
    let id = InstanceId::from_random(clock::random());
    instance_begin(from, 0, id.as_str(), "moved", clock::now()).await?;
    Ok(id.as_str().to_owned())
}

/// Fills the new database and checks what arrived; nothing is committed.
async fn receive(from: &mut Transaction, to: &mut Transaction, address: &str, tell: Tell<'_>) -> Result<(), MoveFault> {
    moving::lock_new(to).await?;
    must_be_alike(&moving::schema(from).await?, &moving::schema(to).await?)?;
    must_be_empty(to, address).await?;
    moving::instances_clear(to).await?;
    let mut last = BTreeMap::new();
    for table in CARRIED {
        let copied = moving::table_copy(from, to, table).await;
        let (rows, number) = copied.map_err(|error| MoveFault::NotCopied {
            table: table.name,
            error,
        })?;
        last.insert(table.name, number);
        tell(&format!("{}: {rows} rows", table.name));
    }
    for (table, column) in moving::numbered_columns(to).await? {
        if let Some(number) = last.get(&*table).filter(|number| **number > 0) {
            moving::number_on(to, &table, &column, *number).await?;
        }
    }
    must_be_the_same(from, to).await?;
    tell("checked: rows, event chains, frozen contents");
    Ok(())
}

/// Both databases have the same tables and columns, and each table is either carried over or left behind.
fn must_be_alike(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Result<(), MoveFault> {
    let mut faults: Vec<_> = old
        .symmetric_difference(new)
        .map(|one| format!("{one} is in one of them only"))
        .collect();
    let tables: BTreeSet<_> = old.iter().filter_map(|one| one.split('.').next()).collect();
    let known = |name: &&&str| CARRIED.iter().any(|table| table.name == **name) || LEFT_BEHIND.contains(*name);
    faults.extend(
        tables
            .iter()
            .filter(|name| !known(name))
            .map(|name| format!("nothing is known of {name}")),
    );
    match faults.is_empty() {
        true => Ok(()),
        false => Err(MoveFault::Schemas(faults.join("; "))),
    }
}

async fn must_be_empty(to: &mut Conn, address: &str) -> Result<(), MoveFault> {
    let alive = moving::nodes_alive(to, clock::now() - ALIVE).await?;
    if !alive.is_empty() {
        return Err(MoveFault::Alive(alive));
    }
    // an id of its own is all that a start gives an empty database
    for table in CARRIED.iter().filter(|table| table.name != "instances") {
        let rows = moving::row_count(to, table).await?;
        if rows > 0 {
            return Err(MoveFault::NotEmpty(address.to_owned(), rows, table.name));
        }
    }
    Ok(())
}

/// Rows of each table, each tenant's event chain against its head, and each frozen content against its digest.
async fn must_be_the_same(from: &mut Conn, to: &mut Conn) -> Result<(), MoveFault> {
    let mut faults = Vec::new();
    for table in CARRIED {
        faults.extend(count_fault(from, to, table).await?);
    }
    for tenant in tenants::tenant_list(to).await? {
        faults.extend(chain::walk(to, &tenant).await?.faults);
    }
    faults.extend(frozen_faults(to).await?);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(MoveFault::Unsound(faults)),
    }
}

async fn count_fault(from: &mut Conn, to: &mut Conn, table: &Table) -> Result<Option<String>, StoreError> {
    let (sent, arrived) = (
        moving::row_count(from, table).await?,
        moving::row_count(to, table).await?,
    );
    let name = table.name;
    Ok((sent != arrived).then(|| format!("{name}: {sent} rows were sent and {arrived} arrived")))
}

async fn frozen_faults(to: &mut Conn) -> Result<Vec<String>, StoreError> {
    let mut faults = Vec::new();
    let mut after = String::new();
    loop {
        let page = moving::frozen_orders(to, &after).await?;
        let Some((last, _, _)) = page.last() else { break };
        after.clone_from(last);
        faults.extend(page.iter().filter_map(digest_fault));
    }
    after.clear();
    loop {
        let page = moving::frozen_suggestions(to, &after).await?;
        let Some((last, _, _)) = page.last() else { break };
        after.clone_from(last);
        faults.extend(page.iter().filter_map(digest_fault));
    }
    Ok(faults)
}

fn digest_fault((id, contents, digest): &(String, String, String)) -> Option<String> {
    let fits = Digest::of(contents.as_bytes()).as_str() == digest;
    (!fits).then(|| format!("{id}: the contents do not fit their digest"))
}

/// Whether the new database has this history's books.
async fn has_arrived(new: &Store, history: &str) -> Result<bool, StoreError> {
    let mut read = new.begin_read().await?;
    // what a transaction sees is fixed by its first question; so it first waits for whoever still writes
    moving::wait_for_writer(&mut read).await?;
    let is_ours = instance_list(&mut read).await?.last().map(String::as_str) == Some(history);
    Ok(is_ours && !tenants::tenant_list(&mut read).await?.is_empty())
}

/// The new database did not say that it kept everything. While it may still be about it, it holds the lock, and asking
/// waits; so the answer is the last word.
async fn settle(old: &Store, new: &Store, history: &str, error: StoreError) -> Result<(), MoveFault> {
    match has_arrived(new, history).await {
        Ok(true) => Ok(()),
        Ok(false) => {
            let mut reopen = moving::begin_on_old(old).await?;
            moving::mark_clear(&mut reopen).await?;
            reopen.commit().await?;
            Err(MoveFault::NotCommitted(error))
        }
        Err(unanswered) => Err(MoveFault::Undecided(unanswered)),
    }
}
