//! Rows of the queue and of lists, out of what the store read.
//!
//! Promises: no sum across currencies (rule 22). Must not: ask the database.

use super::MOST_ROWS;
use crate::domain::case::Case;
use crate::domain::money::Money;
use crate::domain::order::{Hold, OrderState};
use crate::domain::pages::{Row, SectionRows, Stands, Target, Why};
use crate::domain::queue::Section;
use crate::domain::suggestion::SuggestionState;
use crate::store::orders::OrderRow;
use crate::store::queue::{OpenOrder, OpenSuggestion};
use chrono::{DateTime, Utc};

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
pub(super) fn order_row(order: OpenOrder, now: DateTime<Utc>) -> Row {
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
        owner: order.owner.map(|(_, name)| name),
        due_at: order.case_due_at,
        why,
    }
}

/// A suggestion in the queue.
pub(super) fn suggestion_row(one: OpenSuggestion) -> Row {
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
        owner: one.owner.map(|(_, name)| name),
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

/// A section of the queue: its rows, how many are late, and the money on it.
pub(super) fn section_rows(section: Section, rows: Vec<Row>, now: DateTime<Utc>) -> SectionRows {
    let late = rows
        .iter()
        .filter(|row| row.due_at.is_some_and(|due| due <= now))
        .count();
    let totals = rows.iter().fold(Vec::<Money>::new(), |mut totals, row| {
        let same = totals.iter_mut().find(|sum| sum.currency() == row.total.currency());
        match same {
            Some(sum) => *sum = sum.checked_add(row.total).unwrap_or(*sum),
            None => totals.push(row.total),
        }
        totals
    });
    let count = rows.len();
    let rows = rows.into_iter().take(MOST_ROWS).collect();
    SectionRows {
        section,
        count,
        late,
        totals,
        rows,
    }
}
