//! Who is away, from which day to which, and who stands in. One absence a person; a new one takes its place.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written, parsed};
use crate::domain::ids::{PersonId, TenantId};
use crate::domain::ownership::Absence;
use chrono::NaiveDate;
use std::collections::{HashMap, HashSet};

/// The columns of an absence, all there or none.
pub(super) type Columns = (Option<String>, Option<String>, Option<String>);

pub(super) fn read((begins, ends, deputy): Columns) -> Result<Option<Absence>, StoreError> {
    let Some((from, until)) = begins.zip(ends) else {
        return Ok(None);
    };
    Ok(Some(Absence {
        from: parsed(&from)?,
        until: parsed(&until)?,
        deputy: deputy.map(|id| parsed::<PersonId>(&id)).transpose()?,
    }))
}

/// A person, and the columns of their absence.
type OfPerson = (String, Option<String>, Option<String>, Option<String>);

/// The tenant's absences, past ones too, by whose they are.
pub async fn absence_list(conn: &mut Conn, tenant: &TenantId) -> Result<HashMap<PersonId, Absence>, StoreError> {
    let rows: Vec<OfPerson> = ask!(
        conn,
        sqlx::query_as("SELECT person, begins, ends, deputy FROM absences WHERE tenant = $1")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    let mut all = HashMap::new();
    for (person, begins, ends, deputy) in rows {
        if let Some(absence) = read((begins, ends, deputy))? {
            all.insert(parsed(&person)?, absence);
        }
    }
    Ok(all)
}

/// Who is away on this day.
pub async fn away_on(conn: &mut Conn, tenant: &TenantId, day: NaiveDate) -> Result<HashSet<PersonId>, StoreError> {
    let all = absence_list(conn, tenant).await?;
    let away = all.into_iter().filter(|(_, absence)| absence.covers(day));
    Ok(away.map(|(person, _)| person).collect())
}

/// Puts this absence in the place of the one that was there.
pub async fn absence_put(
    conn: &mut Conn,
    tenant: &TenantId,
    person: &PersonId,
    absence: &Absence,
) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO absences (person, tenant, begins, ends, deputy) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (person) DO UPDATE SET begins = excluded.begins, ends = excluded.ends, deputy = excluded.deputy",
        )
        .bind(person.as_str())
        .bind(tenant.as_str())
        .bind(absence.from.to_string())
        .bind(absence.until.to_string())
        .bind(absence.deputy.as_ref().map(PersonId::as_str))
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// They are there.
pub async fn absence_remove(conn: &mut Conn, person: &PersonId) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("DELETE FROM absences WHERE person = $1")
            .bind(person.as_str())
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}
