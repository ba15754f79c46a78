//! `verify`: whether the logs are what was written, fault by fault.

use super::{CommandError, Done, failed};
use crate::config::Config;
use crate::desk::Desk;
use crate::domain::chain::{Anchor, Walk, head_of};
use crate::domain::ids::TenantId;
use crate::domain::log_file::{EventLine, Line};
use crate::domain::restored::Head;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// What a log is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against<'a> {
    /// Itself, and what the tenant's row says of its end.
    Itself,
    /// `NUMBER:HASH`.
    Anchor(&'a str),
    /// The anchor that ends an exported log, which is verified itself.
    Export(&'a Path),
}

/// `verify`: a line for each log that is whole, with its anchor; or every fault.
pub async fn verify(config: &Config, tenant: Option<&str>, against: Against<'_>) -> Done {
    let (mut faults, anchor, is_of) = match against {
        Against::Itself => (Vec::new(), None, None),
        Against::Anchor(text) => (Vec::new(), Some(anchor_of(text)?), None),
        Against::Export(file) => {
            let (faults, anchor) = read(file)?;
            let is_of = anchor.as_ref().map(|anchor| anchor.tenant.clone());
            (faults, anchor.map(|anchor| anchor.head()), is_of)
        }
    };
    let desk = super::open(config).await?;
    let mut whole = Vec::new();
    for tenant in tenants(&desk, tenant, anchor.is_some(), is_of).await? {
        let found = desk.verify(&tenant, anchor.as_ref()).await?;
        let Anchor { number, hash, .. } = &found.anchor;
        whole.push(format!("{}\twhole\t{number}:{hash}", found.tenant));
        faults.extend(found.faults);
    }
    if !faults.is_empty() {
        return Err(failed(faults.join("\n")));
    }
    whole.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn anchor_of(text: &str) -> Result<Head, CommandError> {
    head_of(text).map_err(|fault| CommandError::Usage(format!("--anchor: {fault}")))
}

/// Whose logs are meant: an anchor is one tenant's, and a file says whose it is.
async fn tenants(
    desk: &Desk,
    named: Option<&str>,
    has_anchor: bool,
    is_of: Option<TenantId>,
) -> Result<Vec<TenantId>, CommandError> {
    let Some(is_of) = is_of else {
        return match (named, has_anchor) {
            (None, false) => Ok(desk.tenants().await?),
            (named, _) => Ok(vec![desk.tenant_named(named).await?]),
        };
    };
    if let Some(named) = named
        && desk.tenant_named(Some(named)).await? != is_of
    {
        return Err(CommandError::Usage(format!("--export: this file is not of {named}")));
    }
    Ok(vec![desk.tenant_named(Some(is_of.as_str())).await?])
}

/// Walks an exported log, line by line; answers its faults, and its anchor if it has one.
fn read(file: &Path) -> Result<(Vec<String>, Option<Anchor>), CommandError> {
    let name = file.display();
    let unreadable = |error: std::io::Error| CommandError::Usage(format!("{name}: {error}"));
    let lines = BufReader::new(File::open(file).map_err(unreadable)?).lines();
    let (mut walk, mut anchor, mut faults) = (Walk::default(), None, Vec::new());
    for (at, line) in lines.enumerate() {
        match Line::of(&line.map_err(unreadable)?) {
            Some(Line::Event(EventLine { number, hash, event })) if anchor.is_none() => {
                let found = walk.step(number, &event, &hash);
                faults.extend(found.iter().map(ToString::to_string));
            }
            Some(Line::Anchor(line)) if anchor.is_none() => anchor = Some(line.anchor),
            Some(Line::Event(_) | Line::Anchor(_)) => faults.push(format!("line {} is behind the anchor", at + 1)),
            None => faults.push(format!("line {} is no line of an exported log", at + 1)),
        }
    }
    match &anchor {
        Some(anchor) => faults.extend(walk.end(&anchor.head()).iter().map(ToString::to_string)),
        None => faults.push("it has no anchor as its last line: it broke off".to_owned()),
    }
    Ok((faults.iter().map(|fault| format!("{name}: {fault}")).collect(), anchor))
}
