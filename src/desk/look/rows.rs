//! Rows of the queue and of lists, out of what the store read.
//!
//! Promises: no sum across currencies (rule 22). Must not: ask the database.

use crate::domain::contents::SupplierId;
use crate::domain::ids::{OrderId, SuggestionId};
use crate::domain::money::{Money, sums};
use crate::domain::order::OrderState;
use crate::domain::pages::{Row, SectionRows, Stands, Target, Why};
use crate::domain::queue::{
    Filter, Place, Section, Urgency, Watched, section_of_order, section_of_suggestion, urgency,
};
use crate::domain::suggestion::SuggestionState;
use crate::store::queue::{Open, OpenSupplier, PlacedCases, ShownCase, ShownOrder, ShownSuggestion};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// What is known of a thing beside what its row says: where it is placed, and its open cases.
#[derive(Clone, Copy, Default)]
pub(super) struct Known<'a> {
    /// Nothing where it stands in a list, and not in the queue.
    pub(super) urgency: Option<Urgency>,
    pub(super) watched: Option<&'a Watched>,
}

impl<'a> Known<'a> {
    /// Of something in a list.
    pub(super) fn of(watched: &'a Watched) -> Self {
        Self {
            urgency: None,
            watched: Some(watched),
        }
    }

    /// How urgent it is: as it is placed, else by its case.
    fn urgent(self, is_over: bool, since: DateTime<Utc>, now: DateTime<Utc>) -> Urgency {
        let section = if is_over { Section::Settled } else { Section::NotSent };
        let case = self.watched.map(|watched| &watched.first);
        self.urgency.unwrap_or_else(|| urgency(section, case, since, now))
    }

    fn others(self) -> usize {
        self.watched.map_or(0, |watched| watched.others)
    }

    fn mine_is_another(self) -> bool {
        self.watched
            .is_some_and(|watched| watched.is_mine && !watched.first.is_mine)
    }
}

/// Why an order stands where it stands.
fn order_why(order: &ShownOrder, case: Option<&ShownCase>, now: DateTime<Utc>) -> Why {
    if let Some(case) = case {
        return Why::Case(case.reason.clone());
    }
    match (order.holds.gravest(), order.state) {
        (Some(hold), _) => Why::Held(hold),
        (None, OrderState::Approved) => match order.due_at.filter(|due| order.not_sent > 0 && *due > now) {
            Some(due) => Why::Again(due),
            None => Why::Due,
        },
        (None, OrderState::Submitting) => Why::Sending,
        (None, OrderState::Acknowledged) => Why::Acknowledged,
        (None, OrderState::Confirmed) => order.supplier_reference.clone().map_or(Why::Settled, Why::Numbered),
        (None, OrderState::ConfirmationPending | OrderState::Refused | OrderState::Withdrawn) => Why::Settled,
    }
}

/// The row of an order.
pub(super) fn order_row(order: ShownOrder, known: Known<'_>, case: Option<&ShownCase>, now: DateTime<Utc>) -> Row {
    let is_over = OrderState::FINAL.contains(&order.state);
    let since = if is_over { order.changed_at } else { order.approved_at };
    Row {
        why: order_why(&order, case, now),
        stands: order.stands(),
        target: Target::Order(order.id),
        supplier: order.contents.supplier.clone(),
        supplier_name: order.supplier_name,
        headline: order.contents.headline(),
        total: Some(order.contents.total()),
        since: order.approved_at,
        by: Some(order.approved_by_name),
        owner: case.map(|case| case.owner_name.clone()),
        other_cases: known.others(),
        mine_is_another: known.mine_is_another(),
        urgency: known.urgent(is_over, since, now),
        proposed: order.proposed,
        matched: Vec::new(),
    }
}

/// The row of a suggestion.
pub(super) fn suggestion_row(
    one: ShownSuggestion,
    known: Known<'_>,
    case: Option<&ShownCase>,
    now: DateTime<Utc>,
) -> Row {
    let why = match (case, one.state) {
        (Some(case), _) => Why::Case(case.reason.clone()),
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
        owner: case.map(|case| case.owner_name.clone()),
        other_cases: known.others(),
        mine_is_another: known.mine_is_another(),
        urgency: known.urgent(is_over, one.created_at, now),
        why,
        proposed: None,
        matched: Vec::new(),
    }
}

/// A supplier on hold in the queue.
fn supplier_row(one: OpenSupplier, urgency: Urgency) -> Row {
    Row {
        target: Target::Case(one.case.id),
        stands: Stands::SupplierHeld,
        supplier: one.id,
        supplier_name: one.name.clone(),
        headline: one.name,
        total: None,
        since: one.opened_at,
        by: None,
        owner: Some(one.owner_name),
        other_cases: 0,
        mine_is_another: false,
        urgency,
        why: Why::Case(one.reason),
        proposed: None,
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
    /// Its open cases.
    watched: Option<Watched>,
    total: Option<Money>,
    /// What its row shows, where nothing more has to be read for it.
    pub(super) row: Option<Row>,
}

impl Placed {
    fn of<Id, State>(
        open: Open<Id, State>,
        watched: Option<Watched>,
        section: Section,
        target: impl Fn(Id) -> Target,
        now: DateTime<Utc>,
    ) -> Self {
        let urgency = urgency(section, watched.as_ref().map(|watched| &watched.first), open.since, now);
        let target = target(open.id);
        Self {
            place: Place::of(urgency, target.id()),
            section,
            target,
            since: open.since,
            urgency,
            supplier: open.supplier,
            watched,
            total: Some(open.total),
            row: None,
        }
    }

    fn of_supplier(open: OpenSupplier, now: DateTime<Utc>) -> Self {
        let urgency = urgency(Section::Attention, Some(&open.case), open.opened_at, now);
        let target = Target::Case(open.case.id.clone());
        Self {
            place: Place::of(urgency, target.id()),
            section: Section::Attention,
            target,
            since: open.opened_at,
            urgency,
            supplier: open.id.clone(),
            watched: Watched::of(vec![open.case.clone()], now),
            total: None,
            row: Some(supplier_row(open, urgency)),
        }
    }

    /// What its row is made with.
    pub(super) fn known(&self) -> Known<'_> {
        Known {
            urgency: Some(self.urgency),
            watched: self.watched.as_ref(),
        }
    }

    fn is_mine(&self) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.is_mine)
    }

    fn is_unowned(&self) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.is_unowned)
    }

    fn is_late(&self) -> bool {
        matches!(self.urgency, Urgency::Late(_))
    }

    /// Whether somebody who asks like this wants to see it.
    pub(super) fn is_asked_for(&self, filter: &Filter) -> bool {
        (!filter.mine || self.is_mine())
            && (!filter.unowned || self.is_unowned())
            && filter.supplier.as_ref().is_none_or(|wanted| *wanted == self.supplier)
            && filter.section.is_none_or(|wanted| wanted == self.section)
    }
}

/// What the store read for the queue.
pub(super) struct Read {
    /// Of orders and suggestions, by their ids.
    pub cases: PlacedCases,
    pub orders: Vec<Open<OrderId, OrderState>>,
    pub suggestions: Vec<Open<SuggestionId, SuggestionState>>,
    pub suppliers: Vec<OpenSupplier>,
    pub settled: Vec<Open<OrderId, OrderState>>,
}

/// Everything in its section, the most urgent first.
pub(super) fn placed(read: Read, now: DateTime<Utc>) -> Vec<Placed> {
    let cases = &read.cases;
    let watched = |id: &str| Watched::of(cases.get(id)?.clone(), now);
    let of_order = |settled_lately: bool| {
        move |open: Open<OrderId, OrderState>| {
            let watched = watched(open.id.as_str());
            let section = section_of_order(open.state, watched.as_ref(), settled_lately, now)?;
            let was_bought = section != Section::Settled || open.state == OrderState::Confirmed;
            let placed = Placed::of(open, watched, section, Target::Order, now);
            // what was refused or withdrawn is no money spent
            Some(Placed {
                total: placed.total.filter(|_| was_bought),
                ..placed
            })
        }
    };
    let of_suggestion = |open: Open<SuggestionId, SuggestionState>| {
        let watched = watched(open.id.as_str());
        let section = section_of_suggestion(open.state, watched.is_some())?;
        Some(Placed::of(open, watched, section, Target::Suggestion, now))
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
        unowned: all().filter(|one| one.is_unowned()).count(),
        totals: sums(all().filter_map(|one| one.total)),
        oldest: all().map(|one| one.since).min(),
        next: last.filter(|_| goes_on).map(Place::to_string),
        rows: seen
            .iter()
            .filter_map(|one| one.row.clone().or_else(|| rows.remove(&one.target)))
            .collect(),
    }
}
