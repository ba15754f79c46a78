//! The log of a tenant as a file, up to one moment.
//!
//! Promises: it ends exactly at the anchor that was read first, whatever happens meanwhile; no more than a page is in
//! memory, and no transaction waits for whoever reads the file. Must not: judge the chain (`verify` does).

use super::{Desk, DeskError, Person, clock};
use crate::domain::calendar;
use crate::domain::chain::Anchor;
use crate::domain::ids::TenantId;
use crate::domain::log_file::{self, AnchorLine, EventLine, Line};
use crate::store::{Conn, Store, events, tenants};
use chrono_tz::Tz;

/// Events in memory at a time.
const PAGE: u32 = 500;

/// The end of the tenant's log now.
pub(super) async fn anchor(conn: &mut Conn, tenant: &TenantId) -> Result<Anchor, DeskError> {
    let (number, hash) = events::event_head(conn, tenant).await?;
    let tenant = tenant.clone();
    Ok(Anchor { tenant, number, hash })
}

/// A log that is being read, page by page. Events are only ever added, so pages of several moments make one log.
#[derive(Debug)]
pub struct LogFile {
    store: Store,
    anchor: Anchor,
    name: String,
    /// The number of the last event that was read.
    after: u64,
    is_over: bool,
}

impl Desk {
    /// The log of whoever is signed in. Every role may read all of it.
    pub async fn log_file_of(&self, person: &Person) -> Result<LogFile, DeskError> {
        self.log_file(person.tenant()).await
    }

    /// The tenant's log from its first event to the last there is now.
    pub async fn log_file(&self, tenant: &TenantId) -> Result<LogFile, DeskError> {
        let mut read = self.store.begin_read().await?;
        let row = tenants::tenant_fetch(&mut read, tenant)
            .await?
            .ok_or(DeskError::Absent("tenant"))?;
        let zone = calendar::zone(&row.zone).unwrap_or(Tz::UTC);
        Ok(LogFile {
            store: self.store.clone(),
            anchor: anchor(&mut read, tenant).await?,
            name: log_file::name(&row.name, calendar::date_there(clock::now(), zone)),
            after: 0,
            is_over: false,
        })
    }
}

impl LogFile {
    /// What the file is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next lines, each with its end; the last of all is the anchor's. Nothing once it was read to its end.
    pub async fn read_on(&mut self) -> Result<Option<String>, DeskError> {
        if self.is_over {
            return Ok(None);
        }
        let mut read = self.store.begin_read().await?;
        let page = events::event_page(&mut read, &self.anchor.tenant, self.after, PAGE).await?;
        drop(read);
        let until = self.anchor.number;
        let page = page.into_iter().take_while(|(number, _, _)| *number <= until);
        let (mut lines, mut many) = (String::new(), 0);
        for (number, event, hash) in page {
            (self.after, many) = (number, many + 1);
            lines += &Line::Event(EventLine { number, hash, event }).text();
        }
        if many < PAGE {
            self.is_over = true;
            let anchor = self.anchor.clone();
            lines += &Line::Anchor(AnchorLine { anchor }).text();
        }
        Ok(Some(lines))
    }
}
