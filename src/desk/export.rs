//! The books as tables, page by page.
//!
//! Promises: what was there when the reading began is read once, whatever is settled or added meanwhile, since pages go on
//! by a key that never changes; each order is as it was when its page was read, the log ends where it ended first, the
//! queue is of one moment. No more than a page of history is in memory, and no transaction waits for whoever reads.
//! Must not: know how a table is written (`web::tables`).

use super::look::{OpenThing, OrderFilter};
use super::{Desk, DeskError, Person, clock};
use crate::domain::calendar;
use crate::domain::export::{Book, Reader, Table, file_name};
use crate::domain::ids::{OrderId, TenantId};
use crate::store::exports::{self, Around};
use crate::store::orders::{self, OrderRow};
use crate::store::tenants::{self, TenantRow};
use crate::store::{Store, events};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use std::collections::HashMap;

/// Orders in memory at a time.
const ORDERS: u32 = 100;
/// Events in memory at a time.
const EVENTS: u32 = 500;

/// An order with what its row shows.
#[derive(Debug, Clone)]
pub struct ExportedOrder {
    pub order: OrderRow,
    pub around: Around,
}

/// An event as it is kept.
#[derive(Debug, Clone)]
pub struct ExportedEvent {
    pub number: u64,
    /// The bytes that were stored and hashed.
    pub bytes: String,
    pub hash: String,
}

/// A page of a table.
#[derive(Debug)]
pub enum Page {
    /// Newest first; the rows of [`Book::Lines`] are in them.
    Orders(Vec<ExportedOrder>),
    /// Oldest first.
    Events(Vec<ExportedEvent>),
    /// Section by section, the most urgent first.
    Queue(Vec<OpenThing>),
}

/// Where the next page begins.
#[derive(Debug)]
enum Place {
    Orders(Option<(DateTime<Utc>, OrderId)>),
    Events {
        after: u64,
        until: u64,
    },
    /// Read already, at the moment when the reading began.
    Queue(Vec<OpenThing>),
    Over,
}

/// A table that is being read.
#[derive(Debug)]
pub struct TableFile {
    store: Store,
    tenant: TenantId,
    tenant_name: String,
    table: Table,
    zone: Tz,
    begun_at: DateTime<Utc>,
    place: Place,
}

impl Desk {
    /// A table of whoever is signed in. Every role may read all of it.
    pub async fn table_of(&self, person: &Person, table: Table) -> Result<TableFile, DeskError> {
        self.table(person.tenant(), table).await
    }

    /// A table of the tenant.
    pub async fn table(&self, tenant: &TenantId, table: Table) -> Result<TableFile, DeskError> {
        let (row, until) = self.tenant_and_end(tenant).await?;
        let place = match table {
            Table::Book(Book::Orders | Book::Lines) => Place::Orders(None),
            Table::Book(Book::Events) => Place::Events { after: 0, until },
            Table::Queue => Place::Queue(self.open_things(tenant).await?),
        };
        Ok(self.begun(row, table, place))
    }

    /// The tenant, and the number of its last event.
    async fn tenant_and_end(&self, tenant: &TenantId) -> Result<(TenantRow, u64), DeskError> {
        let mut read = self.store.begin_read().await?;
        let row = tenants::tenant_fetch(&mut read, tenant)
            .await?
            .ok_or(DeskError::Absent("tenant"))?;
        let (until, _) = events::event_head(&mut read, tenant).await?;
        Ok((row, until))
    }

    fn begun(&self, row: TenantRow, table: Table, place: Place) -> TableFile {
        TableFile {
            store: self.store.clone(),
            tenant: row.id,
            tenant_name: row.name,
            table,
            zone: calendar::zone(&row.zone).unwrap_or(Tz::UTC),
            begun_at: clock::now(),
            place,
        }
    }
}

impl TableFile {
    /// Which table it is.
    pub fn table(&self) -> Table {
        self.table
    }
    /// The tenant's zone.
    pub fn zone(&self) -> Tz {
        self.zone
    }
    /// When the reading began.
    pub fn begun_at(&self) -> DateTime<Utc> {
        self.begun_at
    }
    /// What the file is called.
    pub fn name(&self, reader: Reader) -> String {
        let date = calendar::date_there(self.begun_at, self.zone);
        file_name(self.table.word(), &self.tenant_name, date, reader.ending())
    }

    /// The next page; nothing once it was read to its end.
    pub async fn read_on(&mut self) -> Result<Option<Page>, DeskError> {
        let (page, next) = match std::mem::replace(&mut self.place, Place::Over) {
            Place::Over => return Ok(None),
            Place::Orders(after) => self.orders(after).await?,
            Place::Events { after, until } => self.events(after, until).await?,
            Place::Queue(open) => (Page::Queue(open), Place::Over),
        };
        self.place = next;
        Ok(Some(page))
    }

    async fn orders(&self, after: Option<(DateTime<Utc>, OrderId)>) -> Result<(Page, Place), DeskError> {
        let filter = OrderFilter {
            after,
            ..OrderFilter::default()
        };
        let mut read = self.store.begin_read().await?;
        let rows = orders::order_page(&mut read, &self.tenant, &filter, ORDERS).await?;
        let these: Vec<&OrderId> = rows.iter().map(|row| &row.id).collect();
        let around = exports::order_around(&mut read, &self.tenant, &these).await?;
        drop(read);
        let last = rows.last().filter(|_| rows.len() == ORDERS as usize);
        let next = last.map_or(Place::Over, |row| {
            Place::Orders(Some((row.approved_at, row.id.clone())))
        });
        let mut around: HashMap<OrderId, Around> = around.into_iter().map(|one| (one.order.clone(), one)).collect();
        let with = |order: OrderRow| {
            let missing = || DeskError::Broken(format!("nothing is around {}", order.id));
            let around = around.remove(&order.id).ok_or_else(missing)?;
            Ok(ExportedOrder { order, around })
        };
        let page: Result<_, DeskError> = rows.into_iter().map(with).collect();
        Ok((Page::Orders(page?), next))
    }

    async fn events(&self, after: u64, until: u64) -> Result<(Page, Place), DeskError> {
        let mut read = self.store.begin_read().await?;
        let page = events::event_page(&mut read, &self.tenant, after, EVENTS).await?;
        drop(read);
        let page = page.into_iter().take_while(|(number, _, _)| *number <= until);
        let page: Vec<_> = page
            .map(|(number, bytes, hash)| ExportedEvent { number, bytes, hash })
            .collect();
        let last = page.last().filter(|_| page.len() == EVENTS as usize);
        let next = last.map_or(Place::Over, |last| Place::Events {
            after: last.number,
            until,
        });
        Ok((Page::Events(page), next))
    }
}
