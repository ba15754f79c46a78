//! The event chain of a tenant, walked from its first event to its head (rule 16, case Q5).

use super::DeskError;
use crate::domain::chain::{Break, Walk};
use crate::domain::restored::Head;
use crate::store::tenants::TenantRow;
use crate::store::{Conn, events};

/// Events in memory at a time.
const PAGE: u32 = 1_000;
/// Breaks that are told one by one: a log that was written anew by somebody careless has one at every event.
const MOST_BREAKS: usize = 1_000;

/// What was found along a chain.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub events: u64,
    /// The last event's bytes.
    pub last: Option<String>,
    /// The end of the log, by the tenant's row.
    pub head: Head,
    /// What does not hold, the first of it.
    pub breaks: Vec<Break>,
    /// How many more breaks there are.
    pub more: usize,
    /// Where it does not hold at first, and whether its end is another than it should be, in sentences.
    pub faults: Vec<String>,
}

impl Walked {
    fn note(&mut self, found: Vec<Break>) {
        let room = MOST_BREAKS.saturating_sub(self.breaks.len());
        self.more += found.len().saturating_sub(room);
        self.breaks.extend(found.into_iter().take(room));
    }
}

/// Walks the tenant's chain and compares its end with the head in the tenant's row, which shows deleted last events.
pub(super) async fn walk(conn: &mut Conn, tenant: &TenantRow) -> Result<Walked, DeskError> {
    walk_on(conn, tenant, Walk::default()).await
}

/// As `walk`, along what this walk looks for. Every schema there ever was can be walked: copies are made before an upgrade.
pub(super) async fn walk_on(conn: &mut Conn, tenant: &TenantRow, mut walk: Walk) -> Result<Walked, DeskError> {
    let mut walked = Walked::default();
    loop {
        let page = events::event_page(conn, &tenant.id, walk.number, PAGE).await?;
        let Some((_, last, _)) = page.last() else { break };
        walked.last = Some(last.clone());
        for (number, bytes, hash) in &page {
            walked.note(walk.step(*number, bytes, hash));
            walked.events += 1;
        }
    }
    let name = &tenant.name;
    if let Some(number) = walk.broken_at {
        walked
            .faults
            .push(format!("{name}: the event chain does not hold at event {number}"));
    }
    let (number, hash) = events::event_head(conn, &tenant.id).await?;
    let head = Head { number, hash };
    if (number, &head.hash) != (walk.number, &walk.hash) {
        let found = walk.number;
        walked.faults.push(format!(
            "{name}: the last event is {number}, and the chain ends at {found}"
        ));
    }
    walked.note(walk.end(&head));
    walked.head = head;
    Ok(walked)
}
