//! A tenant's working hours and holidays.

use super::dialect::{ask, done};
use super::{Conn, StoreError, Written};
use crate::domain::ids::TenantId;
use crate::domain::working::{Hours, Week, WorkingCalendar};
use chrono::NaiveDate;

/// The tenant's calendar; nothing for a tenant without working hours.
pub async fn calendar_fetch(conn: &mut Conn, tenant: &TenantId) -> Result<Option<WorkingCalendar>, StoreError> {
    let rows: Vec<(i64, String)> = ask!(
        conn,
        sqlx::query_as("SELECT weekday, hours FROM working_hours WHERE tenant = $1 ORDER BY weekday, hours")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut week = Week::default();
    for (weekday, hours) in rows {
        let place = usize::try_from(weekday - 1).map_err(StoreError::corrupt)?;
        let day = week.get_mut(place).ok_or_else(|| StoreError::corrupt(weekday))?;
        day.push(Hours::of(&hours).map_err(StoreError::corrupt)?);
    }
    let holidays = holiday_list(conn, tenant).await?;
    let holidays = holidays.into_iter().map(|(day, _)| day).collect();
    WorkingCalendar::new(week, holidays)
        .map(Some)
        .map_err(StoreError::corrupt)
}

/// Puts these hours in the place of all there were.
pub async fn hours_put(conn: &mut Conn, tenant: &TenantId, week: &Week) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query("DELETE FROM working_hours WHERE tenant = $1")
            .bind(tenant.as_str())
            .execute(&mut *conn)
    )?;
    for (weekday, day) in (1_i64..).zip(week) {
        for hours in day {
            done!(
                conn,
                sqlx::query("INSERT INTO working_hours (tenant, weekday, hours) VALUES ($1, $2, $3)")
                    .bind(tenant.as_str())
                    .bind(weekday)
                    .bind(hours.to_string())
                    .execute(&mut *conn)
            )?;
        }
    }
    Ok(())
}

/// The tenant's holidays with their names, in order.
pub async fn holiday_list(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<(NaiveDate, String)>, StoreError> {
    let rows: Vec<(String, String)> = ask!(
        conn,
        sqlx::query_as("SELECT day, name FROM holidays WHERE tenant = $1 ORDER BY day")
            .bind(tenant.as_str())
            .fetch_all(&mut *conn)
    )?;
    rows.into_iter()
        .map(|(day, name)| Ok((super::parsed(&day)?, name)))
        .collect()
}

/// Adds a holiday, or renames it.
pub async fn holiday_put(conn: &mut Conn, tenant: &TenantId, day: NaiveDate, name: &str) -> Result<(), StoreError> {
    done!(
        conn,
        sqlx::query(
            "INSERT INTO holidays (tenant, day, name) VALUES ($1, $2, $3)
         ON CONFLICT (tenant, day) DO UPDATE SET name = excluded.name",
        )
        .bind(tenant.as_str())
        .bind(day.to_string())
        .bind(name)
        .execute(&mut *conn)
    )?;
    Ok(())
}

/// Takes a holiday away.
pub async fn holiday_remove(conn: &mut Conn, tenant: &TenantId, day: NaiveDate) -> Result<Written, StoreError> {
    let done = done!(
        conn,
        sqlx::query("DELETE FROM holidays WHERE tenant = $1 AND day = $2")
            .bind(tenant.as_str())
            .bind(day.to_string())
            .execute(&mut *conn)
    )?;
    Ok(Written::of(done))
}
