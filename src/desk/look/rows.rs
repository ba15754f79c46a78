//! Rows of the queue and of lists, out of what the store read.
//!
//! Promises: no sum across currencies (rule 22). Must not: ask the database.

use super::MOST_ROWS;
use crate::domain::case::Case;
use crate::domain::ids::{OrderId, SuggestionId};
use crate::domain::money::{Money, sums};
use crate::domain::order::{Hold, OrderState};
use crate::domain::pages::{Row, SectionRows, Stands, Target, Why};
use crate::domain::queue::{Section, section_of_order, section_of_suggestion};
use crate::domain::suggestion::SuggestionState;
use crate::store::orders::OrderRow;
use crate::store::queue::{Open, ShownOrder, ShownSuggestion};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// What a row says of why the order stands where it stands.
struct Waiting {
    case_reason: Option<String>,
    held: Option<Hold>,
    state: OrderState,
    due_at: Option<DateTime<Utc>>,
    was_turned_away: bool,
}

impl Waiting {
    fn why(self, now: DateTime<Utc>) -> Why {
        if let Some(reason) = self.case_reason {
            return Why::Case(reason);
        }
        match (self.held, self.state) {
            (Some(hold), _) => Why::Held(hold),
            (None, OrderState::Approved) => match self.due_at.filter(|due| self.was_turned_away && *due > now) {
                Some(due) => Why::Again(due),
                None => Why::Due,
            },
            (None, OrderState::Submitting) => Why::Sending,
            (None, OrderState::Acknowledged) => Why::Acknowledged,
            (
                None,
                OrderState::Confirmed | OrderState::ConfirmationPending | OrderState::Refused | OrderState::Withdrawn,
            ) => Why::Settled,
        }
    }
}

/// An order in the queue.
pub(super) fn order_row(order: ShownOrder, now: DateTime<Utc>) -> Row {
    let held = order.holds.gravest();
    let waiting = Waiting {
        case_reason: order.case_reason,
        held,
        state: order.state,
        due_at: order.due_at,
        was_turned_away: order.not_sent > 0,
    };
    let why = waiting.why(now);
    Row {
        target: Target::Order(order.id),
        stands: Stands::Order {
            state: order.state,
            held,
            differences: order.differences,
        },
        supplier_name: order.supplier_name,
        headline: order.contents.headline(),
        total: order.contents.total(),
        since: order.approved_at,
        by: Some(order.approved_by_name),
        owner: order.owner_name,
        due_at: order.case_due_at,
        why,
    }
}

/// A suggestion in the queue.
pub(super) fn suggestion_row(one: ShownSuggestion) -> Row {
    let why = match (one.case_reason, one.state) {
        (Some(reason), _) => Why::Case(reason),
        (None, SuggestionState::InReview) => Why::Review,
        (None, SuggestionState::SentBack) => Why::SentBack(one.decision.unwrap_or_default()),
        (None, SuggestionState::Rejected | SuggestionState::Approved | SuggestionState::Superseded) => Why::Settled,
    };
    Row {
        target: Target::Suggestion(one.id),
        stands: Stands::Suggestion(one.state),
        supplier_name: one.supplier_name,
        headline: one.contents.headline(),
        total: one.contents.total(),
        since: one.created_at,
        by: None,
        owner: one.owner_name,
        due_at: one.case_due_at,
        why,
    }
}

/// An order in the list.
pub(super) fn listed(
    order: OrderRow,
    cases: &[Case],
    supplier_name: String,
    approved_by: String,
    now: DateTime<Utc>,
) -> Row {
    let open = cases.iter().find(|case| case.closed_at.is_none());
    let life = &order.life;
    let waiting = Waiting {
        case_reason: open.map(|case| case.reason.clone()),
        held: life.holds.gravest(),
        state: life.state,
        due_at: life.due_at,
        was_turned_away: life.not_sent > 0,
    };
    Row {
        stands: Stands::of_order(life),
        headline: order.contents.headline(),
        total: order.contents.total(),
        since: order.approved_at,
        by: Some(approved_by),
        owner: open.map(|case| case.owner_name.clone()),
        due_at: open.map(|case| case.due_at),
        why: waiting.why(now),
        target: Target::Order(order.id),
        supplier_name,
    }
}

/// Something open in its section, before anything is read that a row shows.
pub(super) struct Placed {
    pub(super) section: Section,
    pub(super) target: Target,
    since: DateTime<Utc>,
    due_at: Option<DateTime<Utc>>,
    total: Money,
}

impl Placed {
    fn of<Id, State>(open: Open<Id, State>, section: Section, target: impl Fn(Id) -> Target) -> Self {
        Self {
            section,
            target: target(open.id),
            since: open.since,
            due_at: open.case_due_at,
            total: open.total,
        }
    }
}

/// Everything open in its section, oldest first.
pub(super) fn placed(
    orders: Vec<Open<OrderId, OrderState>>,
    suggestions: Vec<Open<SuggestionId, SuggestionState>>,
) -> Vec<Placed> {
    let orders = orders.into_iter().filter_map(|open| {
        let section = section_of_order(open.state, open.case_due_at.is_some())?;
        Some(Placed::of(open, section, Target::Order))
    });
    let suggestions = suggestions.into_iter().filter_map(|open| {
        let section = section_of_suggestion(open.state, open.case_due_at.is_some())?;
        Some(Placed::of(open, section, Target::Suggestion))
    });
    let mut placed: Vec<Placed> = orders.chain(suggestions).collect();
    placed.sort_by_key(|one| one.since);
    placed
}

/// What of a section stands on the page: the oldest.
pub(super) fn shown(placed: &[Placed], section: Section) -> impl Iterator<Item = &Placed> {
    placed.iter().filter(move |one| one.section == section).take(MOST_ROWS)
}

/// A section of the queue: the rows shown, how many there are, how many are late, and the money on them.
pub(super) fn section_rows(
    section: Section,
    placed: &[Placed],
    rows: &mut HashMap<Target, Row>,
    now: DateTime<Utc>,
) -> SectionRows {
    let all = || placed.iter().filter(|one| one.section == section);
    SectionRows {
        section,
        count: all().count(),
        late: all().filter(|one| one.due_at.is_some_and(|due| due <= now)).count(),
        totals: sums(all().map(|one| one.total)),
        rows: shown(placed, section)
            .filter_map(|one| rows.remove(&one.target))
            .collect(),
    }
}
