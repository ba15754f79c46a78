//! Zones and how moments read to people. Times are kept in UTC; a tenant's zone decides how they are shown.
//!
//! Must not: read a clock, or do date arithmetic of its own.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

/// Why a text names no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MomentFault {
    #[error("a date and time, such as 2026-11-30T17:00")]
    Unreadable,
    #[error("this time does not exist there: the clocks are put forward over it")]
    Skipped,
}

/// A moment as people and programs write it: RFC 3339, or a local date and time of the zone. A local time that comes
/// twice, when the clocks go back, is the earlier one.
pub fn moment_of(text: &str, zone: Tz) -> Result<DateTime<Utc>, MomentFault> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Ok(moment.to_utc());
    }
    let formats = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];
    let local = formats
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let local = local.ok_or(MomentFault::Unreadable)?;
    let there = local.and_local_timezone(zone).earliest();
    there.map(|moment| moment.to_utc()).ok_or(MomentFault::Skipped)
}

/// A date as a form's field for one writes it, and no other way: `2026-11-30`.
pub fn date_of(text: &str) -> Option<NaiveDate> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    date.filter(|date| date.to_string() == text)
}

/// Which date it is there at this moment.
pub fn date_there(moment: DateTime<Utc>, zone: Tz) -> NaiveDate {
    moment.with_timezone(&zone).date_naive()
}

/// The first moment of this date there. Where the clocks are put forward at midnight it is the first that exists; a zone
/// that moved over the date line has left out a whole day. Nothing at the end of all dates.
pub fn day_begins(date: NaiveDate, zone: Tz) -> Option<DateTime<Utc>> {
    let midnight = date.and_time(NaiveTime::MIN);
    let minutes = (0..=MOST_LEFT_OUT).filter_map(|minutes| midnight.checked_add_signed(TimeDelta::minutes(minutes)));
    let mut moments = minutes.filter_map(|local| local.and_local_timezone(zone).earliest());
    moments.next().map(|moment| moment.to_utc())
}

/// In minutes: no zone has left out more than a day.
const MOST_LEFT_OUT: i64 = 24 * 60;

/// The moment at which this date is over there.
pub fn day_ends(date: NaiveDate, zone: Tz) -> Option<DateTime<Utc>> {
    day_begins(date.succ_opt()?, zone)
}

/// `2026-11-30T17:00`: a moment as a form's field for local date and time wants it.
pub fn local_field(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).format("%Y-%m-%dT%H:%M").to_string()
}

/// A tenant's time zone, by its IANA name.
pub fn zone(name: &str) -> Option<Tz> {
    name.parse().ok()
}

/// `09:12` today, `28 Nov 09:12` on another day of the same year, with the year otherwise.
pub fn short(moment: DateTime<Utc>, now: DateTime<Utc>, zone: Tz) -> String {
    let (there, today) = (moment.with_timezone(&zone), now.with_timezone(&zone));
    let format = if there.date_naive() == today.date_naive() {
        "%H:%M"
    } else if there.format("%Y").to_string() == today.format("%Y").to_string() {
        "%-d %b %H:%M"
    } else {
        "%-d %b %Y %H:%M"
    };
    there.format(format).to_string()
}

/// `Monday 30 November 2026, 09:12:04`: for titles and tooltips.
pub fn long(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).format("%A %-d %B %Y, %H:%M:%S").to_string()
}

/// `Monday 30 November 2026, 09:12`: where nobody knows when it is read.
pub fn whole(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).format("%A %-d %B %Y, %H:%M").to_string()
}

/// `Friday 4 December 2026`.
pub fn day(date: NaiveDate) -> String {
    date.format("%A %-d %B %Y").to_string()
}

/// A span in the two largest units that matter: `3 h 39 min`, `2 d 4 h`, `40 s`.
pub fn span(length: TimeDelta) -> String {
    let seconds = length.num_seconds().abs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, 0, _) => format!("{days} d"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_in_the_tenants_zone() {
        let berlin = zone("Europe/Berlin").expect("a zone");
        let moment: DateTime<Utc> = "2026-11-30T23:30:00Z".parse().expect("a moment");
        let now: DateTime<Utc> = "2026-12-01T08:00:00Z".parse().expect("a moment");
        assert_eq!(short(moment, now, berlin), "00:30");
        assert_eq!(short(moment - TimeDelta::days(1), now, berlin), "30 Nov 00:30");
        assert_eq!(short(moment - TimeDelta::days(400), now, berlin), "27 Oct 2025 00:30");
        assert_eq!(zone("Mars/Olympus"), None);
    }

    #[test]
    fn a_typed_moment_is_local_unless_it_says_otherwise() {
        let berlin = zone("Europe/Berlin").expect("a zone");
        let read = |text: &str| moment_of(text, berlin).map(|moment| moment.to_rfc3339());
        assert_eq!(read("2026-11-30T17:00"), Ok("2026-11-30T16:00:00+00:00".to_owned()));
        assert_eq!(read("2026-11-30T17:00:00Z"), Ok("2026-11-30T17:00:00+00:00".to_owned()));
        assert_eq!(read("2026-03-29T02:30"), Err(MomentFault::Skipped));
        assert_eq!(
            read("2026-10-25T02:30"),
            Ok("2026-10-25T00:30:00+00:00".to_owned()),
            "the earlier one"
        );
        for text in ["", "tomorrow", "2026-13-01T10:00", "2026-11-30"] {
            assert_eq!(read(text), Err(MomentFault::Unreadable), "{text}");
        }
        let moment = moment_of("2026-11-30T17:00", berlin).expect("a moment");
        assert_eq!(local_field(moment, berlin), "2026-11-30T17:00");
    }

    #[test]
    fn a_day_begins_with_the_first_moment_that_it_has_there() {
        let begins = |date: &str, zone_name: &str| {
            let (date, zone) = (date_of(date).expect("a date"), zone(zone_name).expect("a zone"));
            day_begins(date, zone).map(|moment| moment.to_rfc3339())
        };
        let at = |text: &str| Some(format!("{text}:00+00:00"));
        assert_eq!(begins("2026-07-01", "Europe/Berlin"), at("2026-06-30T22:00"));
        // midnight to one o'clock was left out
        assert_eq!(begins("2018-11-04", "America/Sao_Paulo"), at("2018-11-04T03:00"));
        // the hour before midnight came twice
        assert_eq!(begins("2018-02-18", "America/Sao_Paulo"), at("2018-02-18T03:00"));
        // the whole day was left out
        assert_eq!(
            begins("2011-12-30", "Pacific/Apia"),
            begins("2011-12-31", "Pacific/Apia")
        );
        assert_eq!(date_of("2026-2-30"), None);
        let (date, zone) = (date_of("2026-10-25").expect("a date"), Tz::Europe__Berlin);
        let hours = day_ends(date, zone).zip(day_begins(date, zone));
        assert_eq!(hours.map(|(end, begin)| (end - begin).num_hours()), Some(25));
    }

    #[test]
    fn spans_say_two_units() {
        for (seconds, words) in [
            (40, "40 s"),
            (90, "1 min"),
            (13_140, "3 h 39 min"),
            (187_200, "2 d 4 h"),
            (7_200, "2 h"),
        ] {
            assert_eq!(span(TimeDelta::seconds(seconds)), words);
        }
    }
}
