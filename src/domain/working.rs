//! A tenant's working hours, and deadlines counted in them (case Q3).
//!
//! Promises: hours are the clock on the wall, so that a deadline stands where people expect it whatever the clocks do in
//! between; working time is what really passes while it is open. A supplier's own limits are no working time: they run
//! through the night. Must not: read a clock.

use chrono::{
    DateTime, Datelike, Days, Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc, Weekday,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Minutes of a day.
const DAY: u16 = 24 * 60;
/// Seven o'clock.
const SEVEN: u16 = 7 * 60;
/// Nobody waits longer for a deadline than this many days; a calendar without working time in them has none.
const MOST_DAYS: u64 = 3_660;

/// From when to when it is open, in minutes since midnight; the end may be midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hours {
    from: u16,
    until: u16,
}

/// Why working hours cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalendarFault {
    #[error("hours are written as 08:00-18:00, the end after the start and at most 24:00")]
    Hours,
    #[error("days are written as mon-fri or sat, with their hours after them")]
    Days,
    #[error("the hours of a day overlap")]
    Overlap,
    #[error("no day of the week has working hours: no deadline could ever be reached")]
    Empty,
    #[error("within ten years there is no such moment")]
    Never,
    #[error("a limit is written as 4h, 90m or 1h30m, or as 17:00 next working day")]
    Limit,
    #[error("a limit is more than nothing and at most a year")]
    LimitLength,
}

impl Hours {
    /// Of `08:00-18:00`.
    pub fn of(text: &str) -> Result<Self, CalendarFault> {
        let (from, until) = text.trim().split_once('-').ok_or(CalendarFault::Hours)?;
        let (from, until) = (minute(from)?, minute(until)?);
        if from >= until {
            return Err(CalendarFault::Hours);
        }
        Ok(Self { from, until })
    }
}

impl std::fmt::Display for Hours {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
        write!(f, "{}-{}", clock(self.from), clock(self.until))
    }
}

/// `HH:MM`, up to `24:00`.
fn minute(text: &str) -> Result<u16, CalendarFault> {
    let text = text.trim();
    if text == "24:00" {
        return Ok(DAY);
    }
    let time = NaiveTime::parse_from_str(text, "%H:%M").map_err(|_| CalendarFault::Hours)?;
    let since = time - NaiveTime::MIN;
    u16::try_from(since.num_minutes()).map_err(|_| CalendarFault::Hours)
}

/// The hours of each weekday, and the days that are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingCalendar {
    week: Week,
    holidays: BTreeSet<NaiveDate>,
}

/// The hours of a week, Monday first; each day's in order.
pub type Week = [Vec<Hours>; 7];

/// What weekdays are called where hours are written.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Hours as they are written: `mon-fri 08:00-12:00, 13:00-17:00; sat 09:00-12:00`.
pub fn week_of(text: &str) -> Result<Week, CalendarFault> {
    let mut week = Week::default();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (days, hours) = part.split_once(char::is_whitespace).ok_or(CalendarFault::Days)?;
        let hours: Vec<Hours> = hours.split(',').map(Hours::of).collect::<Result<_, _>>()?;
        let (first, last) = days.split_once('-').unwrap_or((days, days));
        let place = |day: &str| DAYS.iter().position(|one| *one == day.trim().to_ascii_lowercase());
        let (first, last) = place(first).zip(place(last)).ok_or(CalendarFault::Days)?;
        let named = week.get_mut(first..=last).ok_or(CalendarFault::Days)?;
        for day in named {
            day.extend(&hours);
        }
    }
    WorkingCalendar::new(week, BTreeSet::new()).map(|calendar| calendar.week)
}

/// Hours as `week_of` reads them, day by day.
pub fn week_in_words(week: &Week) -> String {
    let named = DAYS.iter().zip(week).filter(|(_, hours)| !hours.is_empty());
    let day = |(name, hours): (&&str, &Vec<Hours>)| {
        let hours: Vec<String> = hours.iter().map(Hours::to_string).collect();
        format!("{name} {}", hours.join(", "))
    };
    named.map(day).collect::<Vec<_>>().join("; ")
}

/// How long something may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeLimit {
    /// So much working time, in minutes.
    Working { minutes: i64 },
    /// At this time of the next working day, in minutes since midnight.
    NextWorkingDay { at: u16 },
}

/// How a limit on the next working day ends, where it is written.
const NEXT_WORKING_DAY: &str = "next working day";
/// The longest limit, in minutes: a year.
const LONGEST: i64 = 365 * 24 * 60;

impl TimeLimit {
    /// Of `4h`, `90m`, `1h30m`, or `17:00 next working day`. Days are not read: nobody could say how many hours one has.
    pub fn of(text: &str) -> Result<Self, CalendarFault> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ").to_ascii_lowercase();
        if let Some(at) = text.strip_suffix(NEXT_WORKING_DAY) {
            let at = at.strip_suffix(' ').ok_or(CalendarFault::Limit)?;
            let at = minute(at).map_err(|_| CalendarFault::Limit)?;
            // the end of a day is also the beginning of the next
            return (at < DAY)
                .then_some(Self::NextWorkingDay { at })
                .ok_or(CalendarFault::Limit);
        }
        let (hours, rest) = text
            .split_once('h')
            .map_or((None, &*text), |(hours, rest)| (Some(hours), rest));
        let minutes = match (hours, rest) {
            (Some(_), "") => None,
            (_, rest) => Some(rest.strip_suffix('m').ok_or(CalendarFault::Limit)?),
        };
        let hours = hours.map_or(Ok(0), length)?;
        let minutes = minutes.map_or(Ok(0), length)?;
        let minutes = hours.checked_mul(60).and_then(|hours| hours.checked_add(minutes));
        let minutes = minutes.ok_or(CalendarFault::LimitLength)?;
        let fits = (1..=LONGEST).contains(&minutes);
        fits.then_some(Self::Working { minutes })
            .ok_or(CalendarFault::LimitLength)
    }

    /// The moment by which something has to be done that begins now, where every hour counts and every day is a working day.
    pub fn passing(self, zone: Tz, from: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            TimeLimit::Working { minutes } => from.checked_add_signed(TimeDelta::try_minutes(minutes)?),
            TimeLimit::NextWorkingDay { at } => {
                let tomorrow = from.with_timezone(&zone).date_naive().succ_opt()?;
                Some(moment_at(tomorrow, at, zone))
            }
        }
    }
}

impl std::fmt::Display for TimeLimit {
    /// As `of` reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TimeLimit::Working { minutes } => match (minutes / 60, minutes % 60) {
                (0, minutes) => write!(f, "{minutes}m"),
                (hours, 0) => write!(f, "{hours}h"),
                (hours, minutes) => write!(f, "{hours}h{minutes}m"),
            },
            TimeLimit::NextWorkingDay { at } => write!(f, "{:02}:{:02} {NEXT_WORKING_DAY}", at / 60, at % 60),
        }
    }
}

/// A number of hours or minutes: digits alone.
fn length(text: &str) -> Result<i64, CalendarFault> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err(CalendarFault::Limit);
    }
    text.parse().map_err(|_| CalendarFault::LimitLength)
}

impl WorkingCalendar {
    /// A calendar; at least one day has hours, and the hours of a day do not overlap.
    pub fn new(mut week: Week, holidays: BTreeSet<NaiveDate>) -> Result<Self, CalendarFault> {
        if week.iter().all(Vec::is_empty) {
            return Err(CalendarFault::Empty);
        }
        for day in &mut week {
            day.sort_unstable();
            if day.windows(2).any(|two| two[0].until > two[1].from) {
                return Err(CalendarFault::Overlap);
            }
        }
        Ok(Self { week, holidays })
    }

    /// The hours of a weekday.
    pub fn hours(&self, day: Weekday) -> &[Hours] {
        &self.week[day.num_days_from_monday() as usize]
    }

    /// The hours of every day.
    pub fn week(&self) -> &Week {
        &self.week
    }

    fn is_working_day(&self, day: NaiveDate) -> bool {
        !self.hours(day.weekday()).is_empty() && !self.holidays.contains(&day)
    }

    /// When it is open on this day: pairs of moments, in order.
    fn open_on(&self, day: NaiveDate, zone: Tz) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
        if self.holidays.contains(&day) {
            return Vec::new();
        }
        let moments = |hours: &Hours| (moment_at(day, hours.from, zone), moment_at(day, hours.until, zone));
        let open = self.hours(day.weekday()).iter().map(moments);
        open.filter(|(from, until)| from < until).collect()
    }

    /// The moment by which something has to be done that begins now.
    pub fn deadline(&self, zone: Tz, limit: TimeLimit, from: DateTime<Utc>) -> Result<DateTime<Utc>, CalendarFault> {
        match limit {
            TimeLimit::Working { minutes } => self.after(zone, TimeDelta::minutes(minutes), from),
            TimeLimit::NextWorkingDay { at } => {
                let today = from.with_timezone(&zone).date_naive();
                let day = days_after(today).skip(1).find(|day| self.is_working_day(*day));
                day.map(|day| moment_at(day, at, zone)).ok_or(CalendarFault::Never)
            }
        }
    }

    /// The moment at which this much working time has passed.
    fn after(&self, zone: Tz, working: TimeDelta, from: DateTime<Utc>) -> Result<DateTime<Utc>, CalendarFault> {
        let mut left = working;
        for day in days_after(from.with_timezone(&zone).date_naive()) {
            for (opens, closes) in self.open_on(day, zone) {
                let begins = opens.max(from);
                if begins >= closes {
                    continue;
                }
                if closes - begins >= left {
                    return Ok(begins + left);
                }
                left -= closes - begins;
            }
        }
        Err(CalendarFault::Never)
    }

    /// The moment from which on so much working time is left until this one; nothing where there was not so much in ten years.
    pub fn before(&self, zone: Tz, working: TimeDelta, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let day = until.with_timezone(&zone).date_naive();
        let days = (0..MOST_DAYS).map_while(|days| day.checked_sub_days(Days::new(days)));
        let mut left = working;
        for (opens, closes) in days.flat_map(|day| self.open_on(day, zone).into_iter().rev()) {
            let ends = closes.min(until);
            if ends <= opens {
                continue;
            }
            if ends - opens >= left {
                return Some(ends - left);
            }
            left -= ends - opens;
        }
        None
    }

    /// When it opens next; nothing while it is open, or where it does not in ten years.
    pub fn opens_next(&self, zone: Tz, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let today = moment.with_timezone(&zone).date_naive();
        let mut open = days_after(today).flat_map(|day| self.open_on(day, zone));
        let (opens, _) = open.find(|(_, closes)| *closes > moment)?;
        (opens > moment).then_some(opens)
    }

    /// When it opens next on a later day than that of this moment; nothing where it does not in ten years.
    pub fn opens_after_today(&self, zone: Tz, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let today = moment.with_timezone(&zone).date_naive();
        let mut later = days_after(today).skip(1).flat_map(|day| self.open_on(day, zone));
        later.next().map(|(opens, _)| opens)
    }

    /// The first moment of the last working day before the day of this moment; what was settled since then is news to
    /// whoever comes back to work. Without such a day in ten years: the day before.
    pub fn last_working_day(&self, zone: Tz, moment: DateTime<Utc>) -> DateTime<Utc> {
        let today = moment.with_timezone(&zone).date_naive();
        let mut before = (1..MOST_DAYS).map_while(|days| today.checked_sub_days(Days::new(days)));
        let day = before.find(|day| self.is_working_day(*day));
        moment_at(day.unwrap_or(today - Days::new(1)), 0, zone)
    }

    /// When it closed last before a moment at which it is closed: what runs out at that moment runs out unseen, and has to
    /// be seen to before. Nothing while it is open then.
    pub fn last_open_before(&self, zone: Tz, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let day = moment.with_timezone(&zone).date_naive();
        let days = (0..MOST_DAYS).map_while(|days| day.checked_sub_days(Days::new(days)));
        let mut last = None;
        for day in days {
            let open = self.open_on(day, zone);
            if open.iter().any(|(opens, closes)| *opens < moment && moment <= *closes) {
                return None;
            }
            last = open
                .iter()
                .rev()
                .map(|(_, closes)| *closes)
                .find(|closes| *closes < moment);
            if last.is_some() {
                break;
            }
        }
        last
    }
}

/// When people begin to work on this day: its first working hour, or seven o'clock where no hours are set. Nothing on a
/// day on which nobody works.
pub fn work_begins(calendar: Option<&WorkingCalendar>, day: NaiveDate, zone: Tz) -> Option<DateTime<Utc>> {
    match calendar {
        Some(calendar) => calendar.open_on(day, zone).first().map(|(opens, _)| *opens),
        None => Some(moment_at(day, SEVEN, zone)),
    }
}

/// A tenant's zone, and its working hours where it has any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walls {
    pub zone: Tz,
    pub calendar: Option<WorkingCalendar>,
}

impl Walls {
    /// The moment from which on so much working time is left until this one; so much time where there are no hours.
    pub fn before(&self, working: TimeDelta, until: DateTime<Utc>) -> DateTime<Utc> {
        let calendar = self.calendar.as_ref();
        let before = calendar.and_then(|calendar| calendar.before(self.zone, working, until));
        before.unwrap_or(until - working)
    }

    /// When work begins next; nothing while somebody works, or without hours.
    pub fn opens_next(&self, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.calendar.as_ref()?.opens_next(self.zone, moment)
    }

    /// When work ended last before a moment at which nobody works; nothing while somebody does, or without hours.
    pub fn last_open_before(&self, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.calendar.as_ref()?.last_open_before(self.zone, moment)
    }

    /// When work begins on a later day than that of this moment; nothing without hours.
    pub fn opens_after_today(&self, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.calendar.as_ref()?.opens_after_today(self.zone, moment)
    }

    /// The first moment of the last day before today on which somebody worked; yesterday without hours.
    pub fn last_working_day(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        match &self.calendar {
            Some(calendar) => calendar.last_working_day(self.zone, now),
            None => {
                let today = now.with_timezone(&self.zone).date_naive();
                moment_at(today - Days::new(1), 0, self.zone)
            }
        }
    }
}

fn days_after(first: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    (0..MOST_DAYS).map_while(move |days| first.checked_add_days(Days::new(days)))
}

/// The moment at which the clock on the wall shows this; where it is put forward over it, the first moment after.
fn moment_at(day: NaiveDate, minute: u16, zone: Tz) -> DateTime<Utc> {
    let wall: NaiveDateTime = day.and_time(NaiveTime::MIN) + Duration::minutes(i64::from(minute));
    let shown = (0..i64::from(DAY)).find_map(|later| {
        let wall = wall + Duration::minutes(later);
        zone.from_local_datetime(&wall).earliest()
    });
    shown.map_or_else(|| wall.and_utc(), |moment| moment.to_utc())
}

#[cfg(test)]
#[path = "working_tests.rs"]
mod tests;
