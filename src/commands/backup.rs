//! `backup`: a copy of the database while it is in use.

use super::{CommandError, Done, failed};
use crate::config::Config;
use crate::desk::backup;
use crate::store::{self, Store};
use std::path::Path;

/// `backup`: the copy's path on standard output.
pub async fn backup(config: &Config, file: &Path) -> Done {
    if store::is_postgres(&config.database_url) {
        return Err(not_ours(&config.database_url, file));
    }
    // also one whose schema is not current: the time for a backup is before the upgrade
    let store = Store::open(&config.database_url, false).await?;
    let copied = backup::backup(&store, file).await.map_err(failed)?;
    println!("{}", file.display());
    eprintln!("{} orders and {} events are in the copy", copied.orders, copied.events);
    Ok(())
}

/// PostgreSQL's own program copies it; the nodes at work now are not at work on a copy.
fn not_ours(url: &str, file: &Path) -> CommandError {
    failed(format!(
        "nothing was backed up: PostgreSQL has its own program for it (add the password as PostgreSQL wants it, in \
         PGPASSWORD or a .pgpass file):\n  \
         pg_dump --format=custom --exclude-table-data=nodes --file={} {}",
        quoted(&file.display().to_string()),
        quoted(&store::without_password(url)),
    ))
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
