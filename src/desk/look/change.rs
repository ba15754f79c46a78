//! The form for a change, filled with what stands.

use super::super::revise::may_change_order_now;
use super::super::{Desk, DeskError, Person};
use super::{draft_of, site_of, supplier_of};
use crate::domain::contents::OrderContents;
use crate::domain::ids::{DraftId, OrderId, SuggestionId};
use crate::domain::pages::{ChangeOf, ChangePage, Stands};
use crate::domain::person::{Act, may};
use crate::domain::refusal::Refusal;
use crate::domain::suggestion::may_change;
use crate::domain::ways::other_purchase;
use crate::store::{Conn, orders, suggestions};

impl Desk {
    /// The form that changes a suggestion.
    pub async fn change_of_suggestion(
        &self,
        person: &Person,
        id: &SuggestionId,
        refused: Option<&DraftId>,
    ) -> Result<ChangePage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let row = suggestions::suggestion_fetch(&mut read, person.tenant(), id).await?;
        let known = row.ok_or(DeskError::Absent("suggestion"))?.suggestion;
        let of = ChangeOf::Suggestion {
            id: known.id,
            digest: known.digest,
            state: known.state,
        };
        let able = may(person.roles(), Act::Revise).and(may_change(known.state));
        self.change_page(&mut read, person, (of, known.contents), able, refused)
            .await
    }

    /// The form that changes an order into a different purchase.
    pub async fn change_of_order(
        &self,
        person: &Person,
        id: &OrderId,
        refused: Option<&DraftId>,
    ) -> Result<ChangePage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let order = orders::order_fetch(&mut read, person.tenant(), id).await?;
        let order = order.ok_or(DeskError::Absent("order"))?;
        let latest = suggestions::suggestion_latest(&mut read, person.tenant(), &order.intent).await?;
        let latest = latest.ok_or(DeskError::Absent("suggestion"))?;
        let able = may_change_order_now(&mut read, &order, &latest).await?;
        let able = may(person.roles(), Act::Revise).and(able);
        let of = ChangeOf::Order {
            id: order.id,
            version: order.life.version,
            stands: Stands::of_order(&order.life),
            other: other_purchase(order.life.state),
        };
        self.change_page(&mut read, person, (of, order.contents), able, refused)
            .await
    }

    async fn change_page(
        &self,
        conn: &mut Conn,
        person: &Person,
        (of, contents): (ChangeOf, OrderContents),
        may: Result<(), Refusal>,
        refused: Option<&DraftId>,
    ) -> Result<ChangePage, DeskError> {
        let (supplier_name, _) = supplier_of(conn, person.tenant(), &contents.supplier).await?;
        Ok(ChangePage {
            viewer: self.viewer(conn, person).await?,
            site_name: site_of(conn, person.tenant(), contents.deliver_to.as_str()).await?,
            draft: draft_of(conn, person, refused).await?,
            of,
            contents,
            supplier_name,
            may,
        })
    }
}
