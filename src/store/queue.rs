//! What the queue reads: everything of a tenant that is not final, by the indexes that hold only open things.
//!
//! Promises: of everything open only what places, counts and sums it is read; what a row shows is read for the rows that
//! are shown. So memory and time grow little with what is open, and not at all with history.

use super::dialect::{Transaction, among, ask};
use super::{Conn, StoreError, from_json, micros, moment, moment_if, parsed, to_json};
use crate::domain::case::Left;
use crate::domain::contents::{OrderContents, SupplierId};
use crate::domain::ids::{CaseId, OrderId, PersonId, SuggestionId, TenantId};
use crate::domain::look_up::FindingWord;
use crate::domain::money::Money;
use crate::domain::order::{Holds, OrderState};
use crate::domain::pages::Stands;
use crate::domain::queue::PlacedCase;
use crate::domain::suggestion::SuggestionState;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::HashMap;

/// Something that is not final, or has an open case: no more than places it in the queue.
#[derive(Debug, Clone)]
pub struct Open<Id, State> {
    pub id: Id,
    pub state: State,
    pub supplier: SupplierId,
    /// When it was approved or suggested.
    pub since: DateTime<Utc>,
    pub total: Money,
}

/// Who looks at the queue, and on which day of the tenant's zone.
#[derive(Debug, Clone, Copy)]
pub struct Looking<'a> {
    pub tenant: &'a TenantId,
    pub person: Option<&'a PersonId>,
    pub today: NaiveDate,
}

/// A row that is placed, in the order in which `placed!` names its columns.
#[derive(serde::Deserialize)]
struct OpenColumns {
    id: String,
    state: String,
    supplier: String,
    since: i64,
    currency: Option<String>,
    /// Absent in rows from before it was kept.
    total: Option<String>,
}

/// The rows of a statement as one JSON array of arrays of these columns, in no order: read one by one, a thousand rows cost
/// more than everything else on the page.
macro_rules! as_array {
    ($conn:ident, $columns:literal, $statement:literal) => {
        match $conn {
            Transaction::Sqlite(_) => concat!(
                "SELECT json_group_array(json_array(",
                $columns,
                ")) FROM (",
                $statement,
                ") AS listed"
            ),
            Transaction::Postgres(_) => concat!(
                "SELECT CAST(coalesce(json_agg(json_build_array(",
                $columns,
                ")), '[]') AS TEXT) FROM (",
                $statement,
                ") AS listed"
            ),
        }
    };
}

/// A statement over rows that are placed.
macro_rules! placed {
    ($conn:ident, $statement:literal) => {
        as_array!($conn, "id, state, supplier, since, currency, total", $statement)
    };
}

impl OpenColumns {
    fn read<Id, State>(
        self,
        of: impl Fn(&str) -> Option<State>,
        not_kept: &HashMap<String, Money>,
    ) -> Result<Open<Id, State>, StoreError>
    where
        Id: std::str::FromStr,
        Id::Err: std::error::Error + Send + Sync + 'static,
    {
        let kept = self.currency.as_deref().zip(self.total.as_deref());
        let total = match kept {
            Some((currency, total)) => Money::of_texts(currency, total),
            None => not_kept.get(&self.id).copied(),
        };
        Ok(Open {
            id: parsed(&self.id)?,
            state: of(&self.state).ok_or_else(|| StoreError::corrupt(&self.state))?,
            supplier: parsed(&self.supplier)?,
            since: moment(self.since)?,
            total: total.ok_or_else(|| StoreError::corrupt(format!("the total of {}", self.id)))?,
        })
    }
}

/// The totals of those rows that came before totals were kept, out of their contents.
async fn totals_not_kept(
    conn: &mut Conn,
    rows: &[OpenColumns],
    contents: &'static str,
) -> Result<HashMap<String, Money>, StoreError> {
    let ids: Vec<&str> = rows
        .iter()
        .filter(|row| row.total.is_none())
        .map(|row| &*row.id)
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as(contents).bind(to_json(&ids)?).fetch_all(&mut *conn)
    )?;
    let total = |(id, contents): (String, String)| {
        let contents = OrderContents::thaw(contents.as_bytes()).map_err(StoreError::corrupt)?;
        Ok((id, contents.total()))
    };
    rows.into_iter().map(total).collect()
}

async fn read_orders(conn: &mut Conn, rows: Vec<OpenColumns>) -> Result<Vec<Open<OrderId, OrderState>>, StoreError> {
    let contents = among!(conn, "SELECT o.id, o.contents FROM orders o WHERE o.id", "");
    let not_kept = totals_not_kept(conn, &rows, contents).await?;
    rows.into_iter()
        .map(|row| row.read(OrderState::of, &not_kept))
        .collect()
}

/// The open cases of one thing each, by its id.
pub type PlacedCases = HashMap<String, Vec<PlacedCase>>;

/// An open case, in the order in which the statements name its columns.
#[derive(serde::Deserialize)]
struct CaseColumns {
    id: String,
    about: String,
    due_at: i64,
    fell_to_manager: i64,
    owner_is_away: i64,
    quiet_until: Option<i64>,
    is_mine: i64,
}

/// Open cases of orders and suggestions, by the id of what they are about.
pub async fn open_cases(conn: &mut Conn, who: Looking<'_>, now: DateTime<Utc>) -> Result<PlacedCases, StoreError> {
    let statement = as_array!(
        conn,
        "id, about, due_at, fell_to_manager, owner_is_away, quiet_until, is_mine",
        "SELECT c.id, coalesce(c.order_id, c.suggestion) AS about, c.due_at, c.fell_to_manager,
                CASE WHEN a.person IS NOT NULL THEN 1 ELSE 0 END AS owner_is_away, c.quiet_until,
                CASE WHEN c.owner = $2 THEN 1 ELSE 0 END AS is_mine
         FROM cases c LEFT JOIN absences a ON a.person = c.owner AND a.begins <= $3 AND a.ends >= $3
         WHERE c.tenant = $1 AND c.closed_at IS NULL AND c.supplier IS NULL"
    );
    let rows: String = ask!(
        conn,
        sqlx::query_scalar(statement)
            .bind(who.tenant.as_str())
            .bind(who.person.map_or("", PersonId::as_str))
            .bind(who.today.to_string())
            .fetch_one(&mut *conn)
    )?;
    let mut cases = PlacedCases::new();
    for row in from_json::<Vec<CaseColumns>>(&rows)? {
        let quiet_until = moment_if(row.quiet_until)?;
        let case = PlacedCase {
            id: parsed(&row.id)?,
            due_at: moment(row.due_at)?,
            left: Left::of(row.fell_to_manager == 1, row.owner_is_away == 1, quiet_until, now),
            is_mine: row.is_mine == 1,
        };
        cases.entry(row.about).or_default().push(case);
    }
    Ok(cases)
}

/// The rows of a statement over what is open.
async fn open_rows(
    conn: &mut Conn,
    statement: &'static str,
    tenant: &TenantId,
) -> Result<Vec<OpenColumns>, StoreError> {
    let rows: String = ask!(
        conn,
        sqlx::query_scalar(statement)
            .bind(tenant.as_str())
            .fetch_one(&mut *conn)
    )?;
    from_json(&rows)
}

/// Open orders, and those that have an open case, in no order. The states are asked for in the very words of the index that
/// holds only them.
pub async fn open_orders(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<Open<OrderId, OrderState>>, StoreError> {
    let statement = placed!(
        conn,
        "SELECT o.id, o.state, o.supplier, o.approved_at AS since, o.currency, o.total FROM orders o
             WHERE o.tenant = $1 AND o.state IN ('approved', 'submitting', 'acknowledged', 'confirmation_pending')
             UNION ALL
             SELECT o.id, o.state, o.supplier, o.approved_at, o.currency, o.total FROM orders o
             WHERE o.id IN (SELECT c.order_id FROM cases c
                            WHERE c.tenant = $1 AND c.closed_at IS NULL AND c.order_id IS NOT NULL)
             AND o.state || '' IN ('confirmed', 'refused', 'withdrawn')"
    );
    let rows = open_rows(conn, statement, tenant).await?;
    read_orders(conn, rows).await
}

/// Open suggestions, and those that have an open case, in no order. The states are asked for in the very words of the index
/// that holds only them: SQLite does not see that a part of its condition implies it, and would read every suggestion there
/// ever was.
pub async fn open_suggestions(
    conn: &mut Conn,
    tenant: &TenantId,
) -> Result<Vec<Open<SuggestionId, SuggestionState>>, StoreError> {
    let statement = placed!(
        conn,
        "SELECT g.id, g.state, g.supplier, g.created_at AS since, g.currency, g.total FROM suggestions g
             WHERE g.tenant = $1 AND g.state IN ('in_review', 'sent_back')
             UNION ALL
             SELECT g.id, g.state, g.supplier, g.created_at, g.currency, g.total FROM suggestions g
             WHERE g.id IN (SELECT c.suggestion FROM cases c
                            WHERE c.tenant = $1 AND c.closed_at IS NULL AND c.suggestion IS NOT NULL)
             AND g.state || '' NOT IN ('in_review', 'sent_back')"
    );
    let rows = open_rows(conn, statement, tenant).await?;
    let contents = among!(conn, "SELECT g.id, g.contents FROM suggestions g WHERE g.id", "");
    let not_kept = totals_not_kept(conn, &rows, contents).await?;
    rows.into_iter()
        .map(|row| row.read(SuggestionState::of, &not_kept))
        .collect()
}

/// A supplier that is on hold, or has another case of its own.
#[derive(Debug, Clone)]
pub struct OpenSupplier {
    pub id: SupplierId,
    pub name: String,
    pub case: PlacedCase,
    pub opened_at: DateTime<Utc>,
    pub owner_name: String,
    pub reason: String,
}

#[derive(sqlx::FromRow)]
struct SupplierColumns {
    supplier: String,
    name: String,
    id: String,
    opened_at: i64,
    due_at: i64,
    fell_to_manager: i64,
    owner_is_away: i64,
    quiet_until: Option<i64>,
    owner: String,
    owner_name: String,
    reason: String,
}

/// Open cases about suppliers, by deadline.
pub async fn open_suppliers(
    conn: &mut Conn,
    who: Looking<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<OpenSupplier>, StoreError> {
    let rows: Vec<SupplierColumns> = ask!(
        conn,
        sqlx::query_as(
            "SELECT c.supplier, s.name, c.id, c.opened_at, c.due_at, c.owner, p.name AS owner_name, c.reason,
                    c.fell_to_manager, c.quiet_until,
                    CAST(CASE WHEN a.person IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS owner_is_away
             FROM cases c JOIN suppliers s ON s.tenant = c.tenant AND s.id = c.supplier
             JOIN people p ON p.id = c.owner
             LEFT JOIN absences a ON a.person = c.owner AND a.begins <= $2 AND a.ends >= $2
             WHERE c.tenant = $1 AND c.closed_at IS NULL AND c.supplier IS NOT NULL ORDER BY c.due_at, c.id"
        )
        .bind(who.tenant.as_str())
        .bind(who.today.to_string())
        .fetch_all(&mut *conn)
    )?;
    let read = |row: SupplierColumns| {
        Ok(OpenSupplier {
            id: parsed(&row.supplier)?,
            case: PlacedCase {
                id: parsed(&row.id)?,
                due_at: moment(row.due_at)?,
                left: Left::of(
                    row.fell_to_manager == 1,
                    row.owner_is_away == 1,
                    moment_if(row.quiet_until)?,
                    now,
                ),
                is_mine: who.person.is_some_and(|person| row.owner == person.as_str()),
            },
            opened_at: moment(row.opened_at)?,
            name: row.name,
            owner_name: row.owner_name,
            reason: row.reason,
        })
    };
    rows.into_iter().map(read).collect()
}

/// The rows of a statement over what was settled of late, at most so many.
async fn last_rows(
    conn: &mut Conn,
    statement: &'static str,
    tenant: &TenantId,
    since: DateTime<Utc>,
    most: usize,
) -> Result<Vec<OpenColumns>, StoreError> {
    let most = i64::try_from(most).map_err(StoreError::corrupt)?;
    let rows: String = ask!(
        conn,
        sqlx::query_scalar(statement)
            .bind(tenant.as_str())
            .bind(micros(since))
            .bind(most)
            .fetch_one(&mut *conn)
    )?;
    from_json(&rows)
}

/// Orders settled since then, the last ones first, at most so many; and whether there are more. `since` is when each was
/// settled: it came to stand where it stands, or its last case closed. Those with an open case are among them.
pub async fn settled_since(
    conn: &mut Conn,
    tenant: &TenantId,
    since: DateTime<Utc>,
    most: usize,
) -> Result<(Vec<Open<OrderId, OrderState>>, bool), StoreError> {
    let statement = placed!(
        conn,
        "SELECT id, state, supplier, changed_at AS since, currency, total
             FROM orders WHERE tenant = $1 AND state IN ('confirmed', 'refused', 'withdrawn') AND changed_at >= $2
             ORDER BY changed_at DESC, id DESC LIMIT $3"
    );
    let moved = last_rows(conn, statement, tenant, since, most + 1).await?;
    let statement = placed!(
        conn,
        "WITH last AS (
                 SELECT order_id, max(closed_at) AS closed_at FROM cases
                 WHERE tenant = $1 AND closed_at >= $2 AND closed_at IS NOT NULL AND order_id IS NOT NULL
                 GROUP BY order_id ORDER BY max(closed_at) DESC LIMIT $3)
             SELECT o.id, o.state, o.supplier, last.closed_at AS since, o.currency, o.total
             FROM last JOIN orders o ON o.id = last.order_id"
    );
    let closed = last_rows(conn, statement, tenant, since, most + 1).await?;
    let is_cut = moved.len() > most || closed.len() > most;
    let mut settled: HashMap<String, OpenColumns> = HashMap::new();
    let is_final = |row: &OpenColumns| OrderState::FINAL.iter().any(|state| state.word() == row.state);
    for row in moved.into_iter().chain(closed).filter(is_final) {
        let is_later = settled.get(&row.id).is_none_or(|there| there.since < row.since);
        if is_later {
            settled.insert(row.id.clone(), row);
        }
    }
    let mut rows: Vec<OpenColumns> = settled.into_values().collect();
    rows.sort_by(|one, other| (other.since, &other.id).cmp(&(one.since, &one.id)));
    let is_more = is_cut || rows.len() > most;
    rows.truncate(most);
    Ok((read_orders(conn, rows).await?, is_more))
}

/// What a row of the queue shows of an order.
#[derive(Debug, Clone)]
pub struct ShownOrder {
    pub id: OrderId,
    pub state: OrderState,
    pub holds: Holds,
    pub differences: bool,
    pub contents: OrderContents,
    pub supplier_name: String,
    pub approved_at: DateTime<Utc>,
    /// When it came to stand where it stands.
    pub changed_at: DateTime<Utc>,
    pub due_at: Option<DateTime<Utc>>,
    pub not_sent: i64,
    pub supplier_reference: Option<String>,
    pub approved_by_name: String,
    /// What somebody found out, and who: it waits for a second person.
    pub proposed: Option<(FindingWord, String)>,
}

impl ShownOrder {
    /// Where it stands.
    pub fn stands(&self) -> Stands {
        Stands::Order {
            state: self.state,
            held: self.holds.gravest(),
            differences: self.differences,
        }
    }
}

#[derive(sqlx::FromRow)]
struct OrderColumns {
    id: String,
    state: String,
    holds: String,
    differences: i64,
    contents: String,
    supplier_name: String,
    approved_at: i64,
    changed_at: i64,
    due_at: Option<i64>,
    not_sent: i64,
    supplier_reference: Option<String>,
    approved_by_name: String,
    proposed: Option<String>,
    proposed_by_name: Option<String>,
}

fn read_order(row: OrderColumns) -> Result<ShownOrder, StoreError> {
    let finding = |word: &String| FindingWord::of(word).ok_or_else(|| StoreError::corrupt(word));
    let proposed = row.proposed.as_ref().map(finding).transpose()?;
    Ok(ShownOrder {
        proposed: proposed.zip(row.proposed_by_name),
        id: parsed(&row.id)?,
        state: OrderState::of(&row.state).ok_or_else(|| StoreError::corrupt(&row.state))?,
        holds: Holds::of(&row.holds).ok_or_else(|| StoreError::corrupt(&row.holds))?,
        differences: row.differences != 0,
        contents: OrderContents::thaw(row.contents.as_bytes()).map_err(StoreError::corrupt)?,
        supplier_name: row.supplier_name,
        approved_at: moment(row.approved_at)?,
        changed_at: moment(row.changed_at)?,
        due_at: moment_if(row.due_at)?,
        not_sent: row.not_sent,
        supplier_reference: row.supplier_reference,
        approved_by_name: row.approved_by_name,
    })
}

/// These orders of one tenant, oldest approval first. They are looked up by id: were the tenant compared as a column of
/// its own, SQLite would rather read everything the tenant has.
pub async fn shown_orders(
    conn: &mut Conn,
    tenant: &TenantId,
    these: &[&OrderId],
) -> Result<Vec<ShownOrder>, StoreError> {
    let statement = among!(
        conn,
        "SELECT o.id, o.state, o.holds, o.differences, o.contents, s.name AS supplier_name, o.approved_at, o.changed_at, o.due_at,
                o.not_sent, o.supplier_reference, a.name AS approved_by_name, f.finding AS proposed, p.name AS proposed_by_name
         FROM orders o
         JOIN suppliers s ON s.tenant = o.tenant AND s.id = o.supplier
         JOIN people a ON a.id = o.approved_by
         LEFT JOIN proposed_findings f ON f.order_id = o.id AND f.answer IS NULL AND f.order_version = o.version
         LEFT JOIN people p ON p.id = f.proposed_by
         WHERE o.id",
        "AND o.tenant || '' = $2 ORDER BY o.approved_at, o.id"
    );
    let these = to_json(&these)?;
    let rows: Vec<OrderColumns> = ask!(
        conn,
        sqlx::query_as(statement)
            .bind(these)
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read_order).collect()
}

/// What a row of the queue shows of a suggestion.
#[derive(Debug, Clone)]
pub struct ShownSuggestion {
    pub id: SuggestionId,
    pub state: SuggestionState,
    pub contents: OrderContents,
    pub supplier_name: String,
    pub created_at: DateTime<Utc>,
    pub decision: Option<String>,
}

#[derive(sqlx::FromRow)]
struct SuggestionColumns {
    id: String,
    state: String,
    contents: String,
    supplier_name: String,
    created_at: i64,
    decision: Option<String>,
}

fn read_suggestion(row: SuggestionColumns) -> Result<ShownSuggestion, StoreError> {
    Ok(ShownSuggestion {
        id: parsed(&row.id)?,
        state: SuggestionState::of(&row.state).ok_or_else(|| StoreError::corrupt(&row.state))?,
        contents: OrderContents::thaw(row.contents.as_bytes()).map_err(StoreError::corrupt)?,
        supplier_name: row.supplier_name,
        created_at: moment(row.created_at)?,
        decision: row.decision,
    })
}

/// These suggestions of one tenant, oldest first; as `shown_orders`.
pub async fn shown_suggestions(
    conn: &mut Conn,
    tenant: &TenantId,
    these: &[&SuggestionId],
) -> Result<Vec<ShownSuggestion>, StoreError> {
    let statement = among!(
        conn,
        "SELECT g.id, g.state, g.contents, s.name AS supplier_name, g.created_at, g.decision
         FROM suggestions g JOIN suppliers s ON s.tenant = g.tenant AND s.id = g.supplier
         WHERE g.id",
        "AND g.tenant || '' = $2 ORDER BY g.created_at, g.id"
    );
    let these = to_json(&these)?;
    let rows: Vec<SuggestionColumns> = ask!(
        conn,
        sqlx::query_as(statement)
            .bind(these)
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter().map(read_suggestion).collect()
}

/// What a row of the queue shows of a case.
#[derive(Debug, Clone)]
pub struct ShownCase {
    pub owner_name: String,
    pub reason: String,
}

/// These cases, by their ids.
pub async fn shown_cases(conn: &mut Conn, these: &[&CaseId]) -> Result<HashMap<CaseId, ShownCase>, StoreError> {
    let statement = among!(
        conn,
        "SELECT c.id, p.name, c.reason FROM cases c JOIN people p ON p.id = c.owner WHERE c.id",
        ""
    );
    let these = to_json(&these)?;
    let rows: Vec<(String, String, String)> = ask!(conn, sqlx::query_as(statement).bind(these).fetch_all(&mut *conn))?;
    let read = |(id, owner_name, reason): (String, String, String)| {
        let id: CaseId = parsed(&id)?;
        Ok((id, ShownCase { owner_name, reason }))
    };
    rows.into_iter().map(read).collect()
}

/// Suggestions in review that stand behind this one, oldest first; from the first on without one. One that has left the
/// list still marks its place.
pub async fn in_review_after(
    conn: &mut Conn,
    tenant: &TenantId,
    after: Option<&SuggestionId>,
    limit: u32,
) -> Result<Vec<SuggestionId>, StoreError> {
    let mark: Option<(i64, String)> = match after {
        Some(after) => ask!(
            conn,
            sqlx::query_as("SELECT created_at, id FROM suggestions WHERE id = $1 AND tenant = $2")
                .bind(after.as_str())
                .bind(tenant.as_str())
                .fetch_optional(&mut *conn)
        )?,
        None => None,
    };
    let (since, id) = mark.unwrap_or_default();
    let found: Vec<String> = ask!(
        conn,
        sqlx::query_scalar(
            "SELECT id FROM suggestions
             WHERE tenant = $1 AND state = 'in_review' AND state IN ('in_review', 'sent_back')
             AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4"
        )
        .bind(tenant.as_str())
        .bind(since)
        .bind(id)
        .bind(i64::from(limit))
        .fetch_all(&mut *conn)
    )?;
    found.iter().map(|id| parsed(id)).collect()
}
