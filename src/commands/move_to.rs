//! `move`: from one file to PostgreSQL.

use super::{CommandError, Done, failed};
use crate::config::Config;
use crate::desk::{Desk, moving};
use crate::store::{self, Store};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// `move --to`
pub async fn move_to(config: &Config, to: &str) -> Done {
    if !store::is_postgres(to) {
        return Err(CommandError::Usage(
            "--to: an address that begins with postgres:".to_owned(),
        ));
    }
    if store::is_postgres(&config.database_url) {
        return Err(CommandError::Usage(
            "database_url: names a PostgreSQL database already; what is moved is a SQLite file".to_owned(),
        ));
    }
    let old = Store::open(&config.database_url, false).await?;
    let faults = old.faults().await?;
    if !faults.is_empty() {
        return Err(failed(faults.join("\n")));
    }
    if let Some(why) = Desk::new(old.clone(), config).would_pause(config).await? {
        return Err(failed(format!(
            "nothing was moved: {}. Start the desk once, so that it is paused, and see to its orders first",
            why.sentence()
        )));
    }
    let new = Store::open(to, false).await?;
    let address = store::without_password(to);
    moving::move_to(&old, &new, &address, &|line| eprintln!("{line}"))
        .await
        .map_err(failed)?;
    // else the first start there would not know the database, and pause
    Desk::new(new.clone(), config).arrive(config).await?;
    new.close().await;
    lock_up(old).await;
    println!("{address}");
    eprintln!("moved; set DATABASE_URL to the new address wherever this desk is started, and keep the old file");
    Ok(())
}

/// The mark inside the file is what binds; the file's mode tells people and programs that do not ask.
async fn lock_up(old: Store) {
    let file = old.file();
    old.close().await;
    let Some(file) = file else { return };
    if let Err(error) = std::fs::set_permissions(&file, Permissions::from_mode(0o444)) {
        eprintln!("{} could not be made read-only: {error}", file.display());
    }
}
