//! Everything open, as the queue has it, and not only what its page shows.

use super::PAGE;
use super::queue::{everything, target_rows};
use super::rows::{Known, Placed};
use crate::desk::owners::today_in;
use crate::desk::{Desk, DeskError, clock};
use crate::domain::ids::TenantId;
use crate::domain::pages::{Row, Target};
use crate::domain::queue::Section;
use crate::store::queue::Looking;
use std::collections::HashMap;

/// Something open, in its section.
#[derive(Debug, Clone)]
pub struct OpenThing {
    pub section: Section,
    pub row: Row,
}

impl Desk {
    /// Everything open at one moment, section by section in the queue's order; nothing that is settled. It grows with what
    /// is open, as the queue does, and not with history.
    pub(in crate::desk) async fn open_things(&self, tenant: &TenantId) -> Result<Vec<OpenThing>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let now = clock::now();
        let who = Looking {
            today: today_in(&mut read, tenant, now).await?,
            person: None,
            tenant,
        };
        let (all, _) = everything(&mut read, who, now, None).await?;
        let open: Vec<Placed> = all.into_iter().filter(|one| one.section != Section::Settled).collect();
        let mut rows: HashMap<Target, Row> = HashMap::new();
        for some in open.chunks(PAGE as usize) {
            let known: HashMap<&Target, Known<'_>> = some.iter().map(|one| (&one.target, one.known())).collect();
            let targets: Vec<&Target> = some.iter().map(|one| &one.target).collect();
            let read_rows = target_rows(&mut read, tenant, &targets, &known, now).await?;
            rows.extend(read_rows.into_iter().map(|row| (row.target.clone(), row)));
        }
        let in_section = |section: Section| open.iter().filter(move |one| one.section == section);
        let in_order = Section::ALL.into_iter().flat_map(in_section);
        let things = in_order.filter_map(|one| {
            let row = one.row.clone().or_else(|| rows.remove(&one.target))?;
            Some(OpenThing {
                section: one.section,
                row,
            })
        });
        Ok(things.collect())
    }
}
