//! Rows of the queue and of lists, out of what the store read.
//!
//! Promises: no sum across currencies (rule 22). Must not: ask the database.

use crate::domain::case::Case;
use crate::domain::contents::SupplierId;
use crate::domain::ids::{OrderId, SuggestionId};
use crate::domain::money::{Money, sums};
use crate::domain::order::{Hold, OrderState};
use crate::domain::pages::{Row, SectionRows, Stands, Target, Why};
use crate::domain::queue::{
    Filter, Place, Section, Urgency, Watched, section_of_order, section_of_suggestion, urgency,
};
use crate::domain::suggestion::SuggestionState;
use crate::store::orders::OrderRow;
use crate::store::queue::{Open, OpenSupplier, ShownOrder, ShownSuggestion};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// What a row says of why the order stands where it stands.
struct Waiting {
    case_reason: Option<String>,
    held: Option<Hold>,
    state: OrderState,
    due_at: Option<DateTime<Utc>>,
    was_turned_away: bool,
    reference: Option<String>,
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
            (None, OrderState::Confirmed) => self.reference.map_or(Why::Settled, Why::Numbered),
            (None, OrderState::ConfirmationPending | OrderState::Refused | OrderState::Withdrawn) => Why::Settled,
        }
    }
}

/// An order in the queue.
pub(super) fn order_row(order: ShownOrder, urgency: Option<Urgency>, now: DateTime<Utc>) -> Row {
    let held = order.holds.gravest();
    let waiting = Waiting {
        case_reason: order.case_reason,
        held,
        state: order.state,
        due_at: order.due_at,
        was_turned_away: order.not_sent > 0,
        reference: order.supplier_reference,
    };
    let is_over = OrderState::FINAL.contains(&order.state);
    Row {
        target: Target::Order(order.id),
        stands: Stands::Order {
            state: order.state,
            held,
            differences: order.differences,
        },
        supplier: order.contents.supplier.clone(),
        supplier_name: order.supplier_name,
        headline: order.contents.headline(),
        total: Some(order.contents.total()),
        since: order.approved_at,
        by: Some(order.approved_by_name),
        owner: order.owner_name,
        urgency: urgency.unwrap_or_else(|| unplaced(order.case_due_at, is_over, order.changed_at, now)),
        why: waiting.why(now),
        matched: Vec::new(),
    }
}

/// How urgent something is that stands in a list, and not in the queue.
fn unplaced(due_at: Option<DateTime<Utc>>, is_over: bool, since: DateTime<Utc>, now: DateTime<Utc>) -> Urgency {
    let case = due_at.map(|due_at| Watched {
        due_at,
        fell_to_manager: false,
        owner_is_away: false,
    });
    let section = if is_over { Section::Settled } else { Section::NotSent };
    urgency(section, case, since, now)
}

/// A suggestion in the queue.
pub(super) fn suggestion_row(one: ShownSuggestion, urgency: Option<Urgency>, now: DateTime<Utc>) -> Row {
    let why = match (one.case_reason, one.state) {
        (Some(reason), _) => Why::Case(reason),
        (None, SuggestionState::InReview) => Why::Review,
        (None, SuggestionState::SentBack) => Why::SentBack(one.decision.unwrap_or_default()),
        (None, SuggestionState::Rejected | SuggestionState::Approved | SuggestionState::Superseded) => Why::Settled,
    };
    let is_over = !SuggestionState::OPEN.contains(&one.state);
    Row {
        target: Target::Suggestion(one.id),
        stands: Stands::Suggestion(one.state),
        supplier: one.contents.supplier.clone(),
        supplier_name: one.supplier_name,
        headline: one.contents.headline(),
        total: Some(one.contents.total()),
        since: one.created_at,
        by: None,
        owner: one.owner_name,
        urgency: urgency.unwrap_or_else(|| unplaced(one.case_due_at, is_over, one.created_at, now)),
        why,
        matched: Vec::new(),
    }
}

/// A supplier on hold in the queue.
fn supplier_row(one: OpenSupplier, urgency: Urgency) -> Row {
    Row {
        target: Target::Case(one.case),
        stands: Stands::SupplierHeld,
        supplier: one.id,
        supplier_name: one.name.clone(),
        headline: one.name,
        total: None,
        since: one.opened_at,
        by: None,
        owner: Some(one.owner_name),
        urgency,
        why: Why::Case(one.reason),
        matched: Vec::new(),
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
        reference: life.supplier_reference.clone(),
    };
    let is_over = OrderState::FINAL.contains(&life.state);
    Row {
        stands: Stands::of_order(life),
        supplier: order.contents.supplier.clone(),
        headline: order.contents.headline(),
        total: Some(order.contents.total()),
        since: order.approved_at,
        by: Some(approved_by),
        owner: open.map(|case| case.owner_name.clone()),
        urgency: unplaced(open.map(|case| case.due_at), is_over, order.changed_at, now),
        why: waiting.why(now),
        target: Target::Order(order.id),
        supplier_name,
        matched: Vec::new(),
    }
}

/// Something in its section, before anything is read that a row shows.
pub(super) struct Placed {
    pub(super) section: Section,
    pub(super) target: Target,
    since: DateTime<Utc>,
    pub(super) urgency: Urgency,
    place: Place,
    supplier: SupplierId,
    is_mine: bool,
    is_unowned: bool,
    total: Option<Money>,
    /// What its row shows, where nothing more has to be read for it.
    pub(super) row: Option<Row>,
}

impl Placed {
    fn of<Id, State>(
        open: Open<Id, State>,
        section: Section,
        target: impl Fn(Id) -> Target,
        now: DateTime<Utc>,
    ) -> Self {
        let urgency = urgency(section, open.case, open.since, now);
        let target = target(open.id);
        Self {
            place: Place::of(urgency, target.id()),
            section,
            target,
            since: open.since,
            urgency,
            supplier: open.supplier,
            is_mine: open.is_mine,
            is_unowned: open.case.is_some_and(Watched::is_unowned),
            total: Some(open.total),
            row: None,
        }
    }

    fn of_supplier(open: OpenSupplier, now: DateTime<Utc>) -> Self {
        let urgency = urgency(Section::Attention, Some(open.watched), open.opened_at, now);
        let target = Target::Case(open.case.clone());
        Self {
            place: Place::of(urgency, target.id()),
            section: Section::Attention,
            target,
            since: open.opened_at,
            urgency,
            supplier: open.id.clone(),
            is_mine: open.is_mine,
            is_unowned: open.watched.is_unowned(),
            total: None,
            row: Some(supplier_row(open, urgency)),
        }
    }

    fn is_late(&self) -> bool {
        matches!(self.urgency, Urgency::Late(_))
    }

    /// Whether somebody who asks like this wants to see it.
    pub(super) fn is_asked_for(&self, filter: &Filter) -> bool {
        (!filter.mine || self.is_mine)
            && (!filter.unowned || self.is_unowned)
            && filter.supplier.as_ref().is_none_or(|wanted| *wanted == self.supplier)
            && filter.section.is_none_or(|wanted| wanted == self.section)
    }
}

/// What the store read for the queue.
pub(super) struct Read {
    pub orders: Vec<Open<OrderId, OrderState>>,
    pub suggestions: Vec<Open<SuggestionId, SuggestionState>>,
    pub suppliers: Vec<OpenSupplier>,
    pub settled: Vec<Open<OrderId, OrderState>>,
}

/// Everything in its section, the most urgent first.
pub(super) fn placed(read: Read, now: DateTime<Utc>) -> Vec<Placed> {
    let of_order = |settled_lately: bool| {
        move |open: Open<OrderId, OrderState>| {
            let section = section_of_order(open.state, open.case, settled_lately, now)?;
            let was_bought = section != Section::Settled || open.state == OrderState::Confirmed;
            let placed = Placed::of(open, section, Target::Order, now);
            // what was refused or withdrawn is no money spent
            Some(Placed {
                total: placed.total.filter(|_| was_bought),
                ..placed
            })
        }
    };
    let of_suggestion = |open: Open<SuggestionId, SuggestionState>| {
        let section = section_of_suggestion(open.state, open.case.is_some())?;
        Some(Placed::of(open, section, Target::Suggestion, now))
    };
    let orders = read.orders.into_iter().filter_map(of_order(false));
    let settled = read.settled.into_iter().filter_map(of_order(true));
    let suggestions = read.suggestions.into_iter().filter_map(of_suggestion);
    let suppliers = read.suppliers.into_iter().map(|open| Placed::of_supplier(open, now));
    let mut placed: Vec<Placed> = orders.chain(settled).chain(suggestions).chain(suppliers).collect();
    placed.sort_by(|one, other| one.place.cmp(&other.place));
    placed
}

/// What of a section stands on the page: the first so many behind a place.
pub(super) fn shown<'a>(
    placed: &'a [Placed],
    section: Section,
    after: Option<&'a Place>,
    most: usize,
) -> impl Iterator<Item = &'a Placed> {
    let behind = move |one: &&Placed| one.section == section && after.is_none_or(|after| one.place > *after);
    placed.iter().filter(behind).take(most)
}

/// A section of the queue: the rows shown, how many there are, how many are late, and the money on them.
pub(super) fn section_rows(
    section: Section,
    placed: &[Placed],
    after: Option<&Place>,
    most: usize,
    rows: &mut HashMap<Target, Row>,
) -> SectionRows {
    let all = || placed.iter().filter(|one| one.section == section);
    let seen: Vec<&Placed> = shown(placed, section, after, most).collect();
    let last = seen.last().map(|last| &last.place);
    let goes_on = last.is_some_and(|last| shown(placed, section, Some(last), 1).next().is_some());
    SectionRows {
        section,
        count: all().count(),
        is_more: false,
        late: all().filter(|one| one.is_late()).count(),
        unowned: all().filter(|one| one.is_unowned).count(),
        totals: sums(all().filter_map(|one| one.total)),
        oldest: all().map(|one| one.since).min(),
        next: last.filter(|_| goes_on).map(Place::to_string),
        rows: seen
            .iter()
            .filter_map(|one| one.row.clone().or_else(|| rows.remove(&one.target)))
            .collect(),
    }
}
