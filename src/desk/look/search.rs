//! What a text finds: among what is open and among what is over, exact ones first, each with what of it matched.

use super::queue::target_rows;
use super::rows::{Known, Placed};
use crate::desk::DeskError;
use crate::domain::ids::TenantId;
use crate::domain::pages::{Found, Row, Target};
use crate::domain::queue::{Filter, FoundPlace, Matched};
use crate::store::Conn;
use crate::store::search::{Hit, ids_exact, words_begin, words_exact};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// Things on a page.
const A_PAGE: usize = 50;
/// Words that are looked at for the first page of what is not narrowed further.
const FIRST_LOOKED_AT: u32 = 100;
/// Words that are looked at else; whoever wants to see more types more.
const MOST_LOOKED_AT: u32 = 2_000;

/// Everything on which the text stands, or something that begins with it. The other fields narrow it: what stands in no
/// section is nobody's and in none.
pub(super) async fn search(
    conn: &mut Conn,
    tenant: &TenantId,
    text: &str,
    filter: &Filter,
    placed: &[Placed],
    now: DateTime<Utc>,
) -> Result<Found, DeskError> {
    let placed_only = filter.mine || filter.unowned || filter.section.is_some();
    // what is narrowed further, and what stands on later pages, is looked for among more
    let is_first = !placed_only && filter.supplier.is_none() && filter.found_after.is_none();
    let (mut things, mut is_cut) = (Vec::new(), true);
    if is_first {
        (things, is_cut) = found(conn, tenant, text, FIRST_LOOKED_AT).await?;
    }
    // and so where many of the first words stand on the same things
    if is_cut && things.len() <= A_PAGE {
        (things, is_cut) = found(conn, tenant, text, MOST_LOOKED_AT).await?;
    }
    let placed: HashMap<&Target, &Placed> = placed.iter().map(|one| (&one.target, one)).collect();
    let is_wanted = |thing: &&Thing| match placed.get(&thing.target) {
        Some(one) => one.is_asked_for(filter),
        None => !placed_only,
    };
    let mut wanted: Vec<&Thing> = things.iter().filter(is_wanted).collect();
    if let Some(supplier) = &filter.supplier {
        // of what stands in no section only its row knows the supplier
        let rows = rows_of(conn, tenant, &wanted, &placed, now).await?;
        wanted.retain(|thing| rows.get(&thing.target).is_some_and(|row| row.supplier == *supplier));
    }
    let is_before = |thing: &&&Thing| filter.found_after.as_ref().is_some_and(|after| thing.place <= *after);
    let before = wanted.iter().filter(is_before).count();
    let page: Vec<&Thing> = wanted.iter().skip(before).take(A_PAGE).copied().collect();
    let goes_on = wanted.len() > before + page.len();
    let next = page.last().filter(|_| goes_on).map(|last| last.place.to_string());
    let mut rows = rows_of(conn, tenant, &page, &placed, now).await?;
    let in_order = page.iter().filter_map(|thing| {
        let mut row = rows.remove(&thing.target)?;
        row.matched = thing.matched.clone();
        Some(row)
    });
    Ok(Found {
        rows: in_order.collect(),
        elsewhere: things.len() - wanted.len(),
        is_cut: is_cut && !goes_on,
        before,
        next,
    })
}

async fn rows_of(
    conn: &mut Conn,
    tenant: &TenantId,
    things: &[&Thing],
    placed: &HashMap<&Target, &Placed>,
    now: DateTime<Utc>,
) -> Result<HashMap<Target, Row>, DeskError> {
    let targets: Vec<&Target> = things.iter().map(|thing| &thing.target).collect();
    let known: HashMap<&Target, Known<'_>> = placed.iter().map(|(target, one)| (*target, one.known())).collect();
    let rows = target_rows(conn, tenant, &targets, &known, now).await?;
    Ok(rows.into_iter().map(|row| (row.target.clone(), row)).collect())
}

/// The things that the text found, exact ones first, and whether there is more. What begins so is not asked for where what matches
/// exactly is too much already: exact ones would follow it on the next page.
async fn found(conn: &mut Conn, tenant: &TenantId, text: &str, most: u32) -> Result<(Vec<Thing>, bool), DeskError> {
    let is_cut = |found: &Vec<Hit>| found.len() >= most as usize;
    // all of them whatever page it is: they stand in no index in the order of their places
    let mut hits = ids_exact(conn, tenant, text, MOST_LOOKED_AT).await?;
    let exact = words_exact(conn, tenant, text, most).await?;
    let mut cut = is_cut(&exact) || hits.len() >= MOST_LOOKED_AT as usize;
    hits.extend(exact);
    if !cut {
        let begin = words_begin(conn, tenant, text, most).await?;
        cut = is_cut(&begin);
        hits.extend(begin);
    }
    Ok((things(hits), cut))
}

/// A thing that was found, with all that matched on it.
struct Thing {
    target: Target,
    matched: Vec<Matched>,
    /// Where what of it matched first stands.
    place: FoundPlace,
}

/// Each thing once, in the order in which it was first found.
fn things(hits: Vec<Hit>) -> Vec<Thing> {
    let mut things: Vec<Thing> = Vec::new();
    let mut places: HashMap<Target, usize> = HashMap::new();
    for hit in hits {
        let order = hit.order.map(Target::Order);
        let Some(target) = order.or(hit.suggestion.map(Target::Suggestion)) else {
            continue;
        };
        let place = *places.entry(target.clone()).or_insert(things.len());
        match things.get_mut(place) {
            None => things.push(Thing {
                target,
                matched: vec![hit.matched],
                place: hit.place,
            }),
            Some(thing) => {
                let same = |one: &Matched| one.what == hit.matched.what && one.word == hit.matched.word;
                if !thing.matched.iter().any(same) {
                    thing.matched.push(hit.matched);
                }
            }
        }
    }
    things
}
