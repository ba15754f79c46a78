//! What a text finds: among what is open and among what is over, exact ones first, each with what of it matched.

use super::queue::target_rows;
use super::rows::Placed;
use crate::desk::DeskError;
use crate::domain::ids::TenantId;
use crate::domain::pages::{Found, Row, Target};
use crate::domain::queue::{Filter, Matched, Urgency};
use crate::store::Conn;
use crate::store::search::{Hit, ids_exact, words_begin, words_exact};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// Things that are shown; whoever wants to see more types more.
const MOST: u32 = 50;
/// Words that are looked at where what they stand on is narrowed further.
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
    // what is narrowed further is looked for among more
    let most = if placed_only || filter.supplier.is_some() {
        MOST_LOOKED_AT
    } else {
        MOST
    };
    let (mut hits, mut is_cut) = (Vec::new(), false);
    for found in [
        words_exact(conn, tenant, text, most).await?,
        ids_exact(conn, tenant, text, most).await?,
        words_begin(conn, tenant, text, most).await?,
    ] {
        is_cut |= found.len() == most as usize;
        hits.extend(found);
    }
    let things = things(hits);
    let placed: HashMap<&Target, &Placed> = placed.iter().map(|one| (&one.target, one)).collect();
    let is_wanted = |target: &Target| match placed.get(target) {
        Some(one) => one.is_asked_for(filter),
        None => !placed_only,
    };
    let wanted: Vec<&(Target, Vec<Matched>)> = things.iter().filter(|(target, _)| is_wanted(target)).collect();
    let urgency: HashMap<&Target, Urgency> = placed.iter().map(|(target, one)| (*target, one.urgency)).collect();
    let targets: Vec<&Target> = wanted.iter().map(|(target, _)| target).collect();
    let rows = target_rows(conn, tenant, &targets, &urgency, now).await?;
    let mut rows: HashMap<Target, Row> = rows.into_iter().map(|row| (row.target.clone(), row)).collect();
    let in_order = wanted.iter().filter_map(|(target, matched)| {
        let mut row = rows.remove(target)?;
        row.matched = matched.clone();
        let of_them = filter.supplier.as_ref().is_none_or(|wanted| *wanted == row.supplier);
        of_them.then_some(row)
    });
    let mut rows: Vec<Row> = in_order.collect();
    let kept = rows.len();
    is_cut |= kept > MOST as usize;
    rows.truncate(MOST as usize);
    Ok(Found {
        elsewhere: things.len() - kept,
        rows,
        is_cut,
    })
}

/// Each thing once, with all that matched on it, in the order in which it was first found.
fn things(hits: Vec<Hit>) -> Vec<(Target, Vec<Matched>)> {
    let mut things: Vec<(Target, Vec<Matched>)> = Vec::new();
    let mut places: HashMap<Target, usize> = HashMap::new();
    for hit in hits {
        let order = hit.order.map(Target::Order);
        let Some(target) = order.or(hit.suggestion.map(Target::Suggestion)) else {
            continue;
        };
        let place = *places.entry(target.clone()).or_insert(things.len());
        match things.get_mut(place) {
            None => things.push((target, vec![hit.matched])),
            Some((_, matched)) => {
                let same = |one: &Matched| one.what == hit.matched.what && one.word == hit.matched.word;
                if !matched.iter().any(same) {
                    matched.push(hit.matched);
                }
            }
        }
    }
    things
}
