//! The morning queue: everything that is not final in its section, or what somebody looks for in it.
//!
//! Promises: one moment of the database, so that sections, counts and sums agree with each other. Must not: read in full
//! what is not shown.

use super::rows::{Known, Placed, Read, order_row, placed, section_rows, shown, suggestion_row};
use super::search::search;
use super::{draft_of, paused, results};
use crate::desk::working::walls_of;
use crate::desk::{Desk, DeskError, Person};
use crate::domain::calendar;
use crate::domain::ids::{CaseId, DraftId, OrderId, TenantId};
use crate::domain::pages::{Found, QueuePage, QueueSheetPage, Results, Row, SectionRows, Target, Viewer};
use crate::domain::queue::{Asked, Filter, Place, Section, Watched};
use crate::store::outbox::messages_in_vain;
use crate::store::queue::{
    Looking, ShownCase, open_cases, open_orders, open_suggestions, open_suppliers, settled_since, shown_cases,
    shown_orders, shown_suggestions,
};
use crate::store::{Conn, events, suppliers};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use std::collections::{HashMap, HashSet};

/// Rows of each section where all of them are shown; the rest is counted.
const OF_EACH: usize = 25;
/// Rows on a page of one section.
const OF_ONE: usize = 50;
/// Rows of each section on paper; the rest is counted.
const ON_A_SHEET: usize = 500;
/// Orders settled of late that are counted; of more it is only said that there are more.
const MOST_SETTLED: usize = 500;

impl Desk {
    /// The morning queue, as far as it is asked for. A filter that cannot be read shows nothing, and the page says why.
    pub async fn queue_page(
        &self,
        person: &Person,
        asked: Asked,
        refused: Option<&DraftId>,
    ) -> Result<QueuePage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        let walls = walls_of(&mut read, person.tenant()).await?;
        let settled_since = walls.last_working_day(viewer.now);
        let (sections, found, unreadable) = match asked.filter() {
            Ok(filter) => {
                let (sections, found) = looked_through(&mut read, person, &viewer, &filter, settled_since).await?;
                (sections, found, Vec::new())
            }
            Err(unreadable) => (Vec::new(), None, unreadable),
        };
        Ok(QueuePage {
            results: match asked.is_empty() {
                true => results::results(&mut read, person, viewer.now).await?,
                false => Results::default(),
            },
            paused: paused(&mut read, person).await?,
            mails_in_vain: messages_in_vain(&mut read, person.tenant(), settled_since).await?,
            draft: draft_of(&mut read, person, refused).await?,
            suppliers: suppliers::supplier_names(&mut read, person.tenant()).await?,
            mark: events::event_head(&mut read, person.tenant()).await?.0,
            viewer,
            asked,
            unreadable,
            sections,
            settled_since,
            found,
        })
    }
}

impl Desk {
    /// The queue on paper. What cannot be read of what is asked for asks for nothing.
    pub async fn queue_sheet_page(&self, person: &Person, asked: Asked) -> Result<QueueSheetPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        let filter = Filter {
            text: None,
            after: None,
            found_after: None,
            ..asked.filter().unwrap_or_default()
        };
        let who = looking(person, &viewer);
        let (all, _) = everything(&mut read, who, viewer.now, None).await?;
        let is_open = |one: &Placed| one.section != Section::Settled && one.is_asked_for(&filter);
        let open: Vec<Placed> = all.into_iter().filter(is_open).collect();
        let page = Page {
            most: ON_A_SHEET,
            ..Page::of(&filter)
        };
        Ok(QueueSheetPage {
            sections: sections_of(&mut read, person, &open, &page, viewer.now).await?,
            viewer,
            asked,
        })
    }
}

/// The sections that are asked for; or what a text found in them, and in everything that is over.
async fn looked_through(
    conn: &mut Conn,
    person: &Person,
    viewer: &Viewer,
    filter: &Filter,
    since: DateTime<Utc>,
) -> Result<(Vec<SectionRows>, Option<Found>), DeskError> {
    let since = Some(since).filter(|_| filter.wants_settled());
    let (all, is_more) = everything(conn, looking(person, viewer), viewer.now, since).await?;
    if let Some(text) = &filter.text {
        let found = search(conn, person.tenant(), text, filter, &all, viewer.now).await?;
        return Ok((Vec::new(), Some(found)));
    }
    let asked: Vec<Placed> = all.into_iter().filter(|one| one.is_asked_for(filter)).collect();
    let page = Page::of(filter);
    let mut sections = sections_of(conn, person, &asked, &page, viewer.now).await?;
    for section in sections.iter_mut().filter(|one| one.section == Section::Settled) {
        section.is_more = is_more;
    }
    Ok((sections, None))
}

/// The page's sections of what is asked for.
async fn sections_of(
    conn: &mut Conn,
    person: &Person,
    asked: &[Placed],
    page: &Page<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<SectionRows>, DeskError> {
    let mut rows = rows_of(conn, person.tenant(), asked, page, now).await?;
    let section = |section: &Section| section_rows(*section, asked, page.after, page.most, &mut rows);
    Ok(page.sections.iter().map(section).collect())
}

/// Which rows stand on the page.
struct Page<'a> {
    sections: Vec<Section>,
    after: Option<&'a Place>,
    most: usize,
}

impl<'a> Page<'a> {
    fn of(filter: &'a Filter) -> Self {
        match filter.section {
            Some(section) => Self {
                sections: vec![section],
                after: filter.after.as_ref(),
                most: OF_ONE,
            },
            None => Self {
                sections: Section::ALL.into(),
                after: None,
                most: OF_EACH,
            },
        }
    }
}

/// Everything open in its section, with what was settled since then where that is asked for; and whether more was settled than
/// is counted.
pub(super) async fn everything(
    conn: &mut Conn,
    who: Looking<'_>,
    now: DateTime<Utc>,
    since: Option<DateTime<Utc>>,
) -> Result<(Vec<Placed>, bool), DeskError> {
    let orders = open_orders(conn, who.tenant).await?;
    let (mut settled, is_more) = match since {
        Some(since) => settled_since(conn, who.tenant, since, MOST_SETTLED).await?,
        None => (Vec::new(), false),
    };
    // what has an open case is not over
    let open: HashSet<&OrderId> = orders.iter().map(|open| &open.id).collect();
    settled.retain(|one| !open.contains(&one.id));
    let read = Read {
        cases: open_cases(conn, who, now).await?,
        suggestions: open_suggestions(conn, who.tenant).await?,
        suppliers: open_suppliers(conn, who, now).await?,
        orders,
        settled,
    };
    Ok((placed(read, now), is_more))
}

pub(super) fn looking<'a>(person: &'a Person, viewer: &Viewer) -> Looking<'a> {
    let zone = calendar::zone(&viewer.zone).unwrap_or(Tz::UTC);
    Looking {
        tenant: person.tenant(),
        person: Some(&person.0.id),
        today: calendar::date_there(viewer.now, zone),
    }
}

/// What the rows on the page show.
async fn rows_of(
    conn: &mut Conn,
    tenant: &TenantId,
    placed: &[Placed],
    page: &Page<'_>,
    now: DateTime<Utc>,
) -> Result<HashMap<Target, Row>, DeskError> {
    let shown: Vec<&Placed> = page
        .sections
        .iter()
        .flat_map(|section| shown(placed, *section, page.after, page.most))
        .collect();
    let known: HashMap<&Target, Known<'_>> = shown.iter().map(|one| (&one.target, one.known())).collect();
    let targets: Vec<&Target> = shown.iter().map(|one| &one.target).collect();
    let rows = target_rows(conn, tenant, &targets, &known, now).await?;
    Ok(rows.into_iter().map(|row| (row.target.clone(), row)).collect())
}

/// The rows of orders and suggestions, in no order.
pub(super) async fn target_rows(
    conn: &mut Conn,
    tenant: &TenantId,
    targets: &[&Target],
    known: &HashMap<&Target, Known<'_>>,
    now: DateTime<Utc>,
) -> Result<Vec<Row>, DeskError> {
    let (mut orders, mut waiting) = (Vec::new(), Vec::new());
    for target in targets {
        match target {
            Target::Order(id) => orders.push(id),
            Target::Suggestion(id) => waiting.push(id),
            // it was read with its place
            Target::Case(_) => {}
        }
    }
    let of = |target: &Target| known.get(target).copied().unwrap_or_default();
    let case = |known: Known<'_>| known.watched.map(|watched| watched.first.id.clone());
    let cases: Vec<CaseId> = targets.iter().filter_map(|target| case(of(target))).collect();
    let cases = shown_cases(conn, &cases.iter().collect::<Vec<_>>()).await?;
    let shown = |known: Known<'_>| -> Option<&ShownCase> { cases.get(&known.watched?.first.id) };
    let orders = shown_orders(conn, tenant, &orders).await?.into_iter();
    let orders = orders.map(|one| {
        let known = of(&Target::Order(one.id.clone()));
        order_row(one, known, shown(known), now)
    });
    let waiting = shown_suggestions(conn, tenant, &waiting).await?.into_iter();
    let waiting = waiting.map(|one| {
        let known = of(&Target::Suggestion(one.id.clone()));
        suggestion_row(one, known, shown(known), now)
    });
    Ok(orders.chain(waiting).collect())
}

/// The rows of a list that is not the queue, in its order, each with its open case.
pub(super) async fn list_rows(
    conn: &mut Conn,
    person: &Person,
    viewer: &Viewer,
    targets: &[Target],
) -> Result<Vec<Row>, DeskError> {
    let mut cases = open_cases(conn, looking(person, viewer), viewer.now).await?;
    let watched: HashMap<&Target, Watched> = targets
        .iter()
        .filter_map(|target| Some((target, Watched::of(cases.remove(target.id())?, viewer.now)?)))
        .collect();
    let known: HashMap<&Target, Known<'_>> = watched
        .iter()
        .map(|(target, watched)| (*target, Known::of(watched)))
        .collect();
    let all: Vec<&Target> = targets.iter().collect();
    let rows = target_rows(conn, person.tenant(), &all, &known, viewer.now).await?;
    let mut rows: HashMap<Target, Row> = rows.into_iter().map(|row| (row.target.clone(), row)).collect();
    Ok(targets.iter().filter_map(|target| rows.remove(target)).collect())
}
