//! Whether a tenant's log is what was written (rule 16, case Q5), fault by fault.
//!
//! Promises: nothing is changed, and the walk goes on behind each fault. What somebody can do who writes to the database and
//! computes every hash anew shows by an anchor alone, which was kept elsewhere. Must not: hold SQL.

use super::{Desk, DeskError, chain};
use crate::domain::chain::{Anchor, Walk};
use crate::domain::ids::TenantId;
use crate::domain::restored::Head;
use crate::store::tenants::{TenantRow, tenant_fetch, tenant_list};
use crate::store::{Conn, events};

/// Events in memory at a time.
const PAGE: u32 = 1_000;
/// Faults of one kind beside the chain that are told one by one.
const MOST: u32 = 1_000;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The tenant's name.
    pub tenant: String,
    /// The end of the log, to be kept elsewhere.
    pub anchor: Anchor,
    /// What is wrong, one sentence each, the tenant's name first; nothing when the log is whole.
    pub faults: Vec<String>,
}

impl Desk {
    /// Every tenant there is, by name.
    pub async fn tenants(&self) -> Result<Vec<TenantId>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let all = tenant_list(&mut read).await?;
        Ok(all.into_iter().map(|row| row.id).collect())
    }

    /// Walks the tenant's log, past this event if one is given, and compares what is kept beside it.
    pub async fn verify(&self, tenant: &TenantId, past: Option<&Head>) -> Result<Verified, DeskError> {
        let mut read = self.store.begin_read().await?;
        let row = tenant_fetch(&mut read, tenant)
            .await?
            .ok_or(DeskError::Absent("tenant"))?;
        let walk = past.cloned().map_or_else(Walk::default, Walk::past);
        let walked = chain::walk_on(&mut read, &row, walk).await?;
        let mut faults: Vec<String> = walked.breaks.iter().map(ToString::to_string).collect();
        if walked.more > 0 {
            faults.push(format!("and so on, {} times more", walked.more));
        }
        faults.extend(misfiled(&mut read, &row).await?);
        faults.extend(unaccounted(&mut read, &row).await?);
        let Head { number, hash } = walked.head;
        Ok(Verified {
            faults: faults.iter().map(|fault| format!("{}: {fault}", row.name)).collect(),
            anchor: Anchor {
                tenant: row.id,
                number,
                hash,
            },
            tenant: row.name,
        })
    }
}

/// Events that a filter does not find by what they say: their columns are no part of the hash.
async fn misfiled(conn: &mut Conn, tenant: &TenantRow) -> Result<Vec<String>, DeskError> {
    let (mut faults, mut after) = (Vec::new(), 0);
    loop {
        let page = events::event_filed(conn, &tenant.id, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(faults) };
        after = last.number()?;
        for filed in page.iter().filter(|filed| !filed.is_as_it_says()) {
            if faults.len() < MOST as usize {
                let number = filed.number()?;
                faults.push(format!(
                    "event {number} is filed by other words than it says: filters do not find it as they should"
                ));
            }
        }
    }
}

/// Orders whose approval nobody knows of: their events were taken out.
async fn unaccounted(conn: &mut Conn, tenant: &TenantRow) -> Result<Vec<String>, DeskError> {
    let orders = events::event_less_orders(conn, &tenant.id, MOST).await?;
    let fault = |order| format!("order {order} is there, and no event tells of its approval");
    Ok(orders.iter().map(fault).collect())
}
