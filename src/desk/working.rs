//! A tenant's working hours: set from the command line, and what deadlines are counted in.
//!
//! Promises: a tenant without hours counts time as it passes; a calendar that reaches no deadline is refused, or, where it
//! was made so later, said in the log and passed over: a case never stands without a deadline (rule 15).

use super::house::faulty;
use super::{Desk, DeskError, clock};
use crate::domain::calendar;
use crate::domain::event::{Happening, Subject};
use crate::domain::ids::TenantId;
use crate::domain::text;
use crate::domain::working::{TimeLimit, Walls, week_in_words, week_of};
use crate::store::{Conn, Written, calendars, tenants};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;

/// The zone that a tenant's walls are in.
pub(super) async fn zone_of(conn: &mut Conn, tenant: &TenantId) -> Result<Tz, DeskError> {
    let tenant = tenants::tenant_fetch(conn, tenant).await?;
    let tenant = tenant.ok_or(DeskError::Absent("tenant"))?;
    Ok(calendar::zone(&tenant.zone).unwrap_or(Tz::UTC))
}

impl Desk {
    /// Sets the tenant's working hours, as `mon-fri 08:00-18:00; sat 09:00-12:00`; nothing takes them away.
    pub async fn working_hours_set(&self, tenant: &TenantId, hours: Option<&str>) -> Result<(), DeskError> {
        let week = match hours {
            Some(text) => week_of(text).map_err(|fault| faulty("--set", fault))?,
            None => Default::default(),
        };
        let mut tx = self.store.begin_write_in(tenant).await?;
        calendars::hours_put(&mut tx, tenant, &week).await?;
        let hours = hours.map(|_| week_in_words(&week));
        let happening = Happening::WorkingHoursSet { hours };
        self.note(&mut tx, tenant, Subject::Tenant, happening, clock::now())
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The tenant's working hours in words; nothing where it has none.
    pub async fn working_hours(&self, tenant: &TenantId) -> Result<Option<String>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let calendar = calendars::calendar_fetch(&mut read, tenant).await?;
        Ok(calendar.map(|calendar| week_in_words(calendar.week())))
    }

    /// A day on which nobody works; without a name it is a working day again.
    pub async fn holiday_set(&self, tenant: &TenantId, day: &str, name: Option<&str>) -> Result<(), DeskError> {
        let day: NaiveDate = day.parse().map_err(|_| faulty("DAY", "not a date; write YYYY-MM-DD"))?;
        let name = name.map(|name| text::identifier(name.trim(), 120)).transpose();
        let name = name.map_err(|fault| faulty("--name", fault))?;
        let mut tx = self.store.begin_write_in(tenant).await?;
        match &name {
            Some(name) => calendars::holiday_put(&mut tx, tenant, day, name).await?,
            None => {
                if calendars::holiday_remove(&mut tx, tenant, day).await? == Written::NotInThatState {
                    return Err(DeskError::Absent("holiday"));
                }
            }
        }
        let happening = Happening::HolidaySet { day, name };
        self.note(&mut tx, tenant, Subject::Tenant, happening, clock::now())
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The tenant's holidays.
    pub async fn holidays(&self, tenant: &TenantId) -> Result<Vec<(NaiveDate, String)>, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(calendars::holiday_list(&mut read, tenant).await?)
    }

    /// When a case that opens now is due: after what its rule allows, else after the setting's length; in working time.
    pub(super) async fn case_due_at(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        within: Option<TimeLimit>,
        now: DateTime<Utc>,
    ) -> Result<DateTime<Utc>, DeskError> {
        let usual = self.lengths.case_due;
        worked_after(conn, tenant, within, usual, now).await
    }
}

/// The tenant's zone, and its working hours where it has any.
pub(super) async fn walls_of(conn: &mut Conn, tenant: &TenantId) -> Result<Walls, DeskError> {
    Ok(Walls {
        zone: zone_of(conn, tenant).await?,
        calendar: calendars::calendar_fetch(conn, tenant).await?,
    })
}

/// The moment by which something has to be done that begins now: within this limit, or after so much working time.
pub(super) async fn worked_after(
    conn: &mut Conn,
    tenant: &TenantId,
    within: Option<TimeLimit>,
    usual: TimeDelta,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, DeskError> {
    let Walls { zone, calendar } = walls_of(conn, tenant).await?;
    let passing = within
        .and_then(|within| within.passing(zone, now))
        .unwrap_or(now + usual);
    let Some(calendar) = calendar else {
        return Ok(passing);
    };
    let limit = within.unwrap_or(TimeLimit::Working {
        minutes: usual.num_minutes(),
    });
    Ok(calendar.deadline(zone, limit, now).unwrap_or_else(|fault| {
        tracing::warn!(%tenant, "a deadline is counted as time passes: {fault}");
        passing
    }))
}

/// The last moment in which somebody works before this one, where it comes while nobody does: what a supplier's limit leaves
/// to people.
pub(super) async fn last_worked_before(
    conn: &mut Conn,
    tenant: &TenantId,
    moment: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, DeskError> {
    Ok(walls_of(conn, tenant).await?.last_open_before(moment))
}
