//! The event chain of a tenant, walked from its first event to its head (rule 16, case Q5).

use super::DeskError;
use crate::domain::event::Walk;
use crate::store::tenants::TenantRow;
use crate::store::{Conn, events};

/// Events in memory at a time.
const PAGE: u32 = 1_000;

/// What was found along a chain.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub events: u64,
    /// The last event's bytes.
    pub last: Option<String>,
    /// Where it does not hold, in sentences.
    pub faults: Vec<String>,
}

/// Walks the tenant's chain and compares its end with the head in the tenant's row, which shows deleted last events.
pub(super) async fn walk(conn: &mut Conn, tenant: &TenantRow) -> Result<Walked, DeskError> {
    let (mut walk, mut walked) = (Walk::default(), Walked::default());
    loop {
        let page = events::event_page(conn, &tenant.id, walk.number, PAGE).await?;
        let Some((_, last, _)) = page.last() else { break };
        walked.last = Some(last.clone());
        for (number, bytes, hash) in &page {
            walk.step(*number, bytes, hash);
            walked.events += 1;
        }
    }
    let name = &tenant.name;
    if let Some(number) = walk.broken_at {
        walked
            .faults
            .push(format!("{name}: the event chain does not hold at event {number}"));
    }
    let (wanted, hash) = events::event_head(conn, &tenant.id).await?;
    if (wanted, &hash) != (walk.number, &walk.hash) {
        let found = walk.number;
        walked.faults.push(format!(
            "{name}: the last event is {wanted}, and the chain ends at {found}"
        ));
    }
    Ok(walked)
}
