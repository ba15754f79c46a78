//! The sheet of a case: what its order's or suggestion's page shows, and how it closed.
//!
//! Must not: decide, or show what the page of the same thing would not.

use super::super::record::subject_of;
use super::super::{Desk, DeskError, Person};
use super::queue::list_rows;
use super::{draft_of, giving};
use crate::domain::closing::closing_of;
use crate::domain::contents::SupplierId;
use crate::domain::ids::{CaseId, DraftId};
use crate::domain::pages::{SheetAbout, SheetPage, SupplierWaits, Target, Viewer};
use crate::store::cases::{About, case_fetch};
use crate::store::{Conn, events, orders, suppliers};

/// Orders on a supplier's sheet; the rest is counted.
const MOST_WAITING: usize = 10;

impl Desk {
    /// A case's sheet. `address` is where it is read; `refused` names the draft of an act that was refused.
    pub async fn sheet_page(
        &self,
        person: &Person,
        id: &CaseId,
        address: String,
        refused: Option<&DraftId>,
    ) -> Result<SheetPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let conn = &mut read;
        let (case, about) = case_fetch(conn, person.tenant(), id)
            .await?
            .ok_or(DeskError::Absent("case"))?;
        let viewer = self.viewer(conn, person).await?;
        let history = events::event_list(conn, person.tenant(), &subject_of(&about).id()).await?;
        Ok(SheetPage {
            closing: case.closed_at.and_then(|_| closing_of(&history, &case.id)),
            about: self.sheet_about(conn, person, &viewer, &about).await?,
            giving: giving(conn, person).await?,
            draft: draft_of(conn, person, refused).await?,
            case,
            viewer,
            address,
        })
    }

    async fn sheet_about(
        &self,
        conn: &mut Conn,
        person: &Person,
        viewer: &Viewer,
        about: &About,
    ) -> Result<SheetAbout, DeskError> {
        Ok(match about {
            About::Order(id) => {
                let page = self.order_page_in(conn, person, viewer.clone(), id, None).await?;
                SheetAbout::Order(Box::new(page))
            }
            About::Suggestion(id) => {
                let page = self.review_page_in(conn, person, viewer.clone(), id, None).await?;
                SheetAbout::Suggestion(Box::new(page))
            }
            About::Supplier(id) => SheetAbout::Supplier(supplier_waits(conn, person, id, viewer).await?),
        })
    }
}

/// A supplier, and what waits for it.
async fn supplier_waits(
    conn: &mut Conn,
    person: &Person,
    id: &str,
    viewer: &Viewer,
) -> Result<SupplierWaits, DeskError> {
    let tenant = person.tenant();
    let id: SupplierId = id.parse().map_err(|_| DeskError::Absent("supplier"))?;
    let supplier = suppliers::supplier_fetch(conn, tenant, &id)
        .await?
        .ok_or(DeskError::Absent("supplier"))?;
    let waiting = orders::order_of_supplier(conn, tenant, id.as_str()).await?;
    let count = waiting.len();
    let shown: Vec<Target> = waiting
        .into_iter()
        .take(MOST_WAITING)
        .map(|order| Target::Order(order.id))
        .collect();
    Ok(SupplierWaits {
        id: id.to_string(),
        name: supplier.name,
        held_since: supplier.held_at,
        held_because: supplier.held_because,
        count,
        rows: list_rows(conn, person, viewer, &shown).await?,
    })
}
