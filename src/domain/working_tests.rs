//! The deadlines of case Q3, worked by hand from each country's own rules for its clocks.

use super::*;

const WEEK: &str = "08:00-18:00";

fn hours(text: &str) -> Vec<Hours> {
    vec![Hours::of(text).expect("hours")]
}

fn weekdays(open: [bool; 7], text: &str) -> [Vec<Hours>; 7] {
    open.map(|is_open| if is_open { hours(text) } else { Vec::new() })
}

const MONDAY_TO_FRIDAY: [bool; 7] = [true, true, true, true, true, false, false];
/// Nepal's week ends on Friday; Saturday is free.
const SUNDAY_TO_FRIDAY: [bool; 7] = [true, true, true, true, true, false, true];
const TUESDAY: [bool; 7] = [false, true, false, false, false, false, false];

fn calendar(open: [bool; 7], text: &str, holidays: &[&str]) -> WorkingCalendar {
    let holidays = holidays.iter().map(|day| day.parse().expect("a date")).collect();
    WorkingCalendar::new(weekdays(open, text), holidays).expect("a calendar")
}

fn zone(name: &str) -> Tz {
    name.parse().expect("a zone")
}

/// A time of day on the wall, as the moment it is.
fn wall(text: &str, zone: Tz) -> DateTime<Utc> {
    let wall = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").expect("a time");
    zone.from_local_datetime(&wall).single().expect("one moment").to_utc()
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().expect("a moment")
}

const FIVE: TimeLimit = TimeLimit::NextWorkingDay { at: 17 * 60 };
const FOUR_HOURS: TimeLimit = TimeLimit::Working { minutes: 240 };

/// "17:00 on the next working day", said on a Friday before the clocks change; in UTC as the new offset has it.
#[test]
fn five_o_clock_on_the_next_working_day_is_five_o_clock_whatever_the_clocks_do() {
    let week = calendar(MONDAY_TO_FRIDAY, WEEK, &[]);
    let good_friday = calendar(MONDAY_TO_FRIDAY, WEEK, &["2026-04-03"]);
    let nepal = calendar(SUNDAY_TO_FRIDAY, WEEK, &[]);
    for (about, calendar, place, said, due) in [
        (
            "Berlin, forward",
            &week,
            "Europe/Berlin",
            "2026-03-27 15:00",
            "2026-03-30T15:00:00Z",
        ),
        (
            "Berlin, back",
            &week,
            "Europe/Berlin",
            "2026-10-23 15:00",
            "2026-10-26T16:00:00Z",
        ),
        (
            "New York, forward",
            &week,
            "America/New_York",
            "2026-03-06 15:00",
            "2026-03-09T21:00:00Z",
        ),
        (
            "New York, back",
            &week,
            "America/New_York",
            "2026-10-30 15:00",
            "2026-11-02T22:00:00Z",
        ),
        (
            "Santiago, back, Good Friday",
            &good_friday,
            "America/Santiago",
            "2026-04-02 15:00",
            "2026-04-06T21:00:00Z",
        ),
        (
            "Santiago, forward",
            &week,
            "America/Santiago",
            "2026-09-04 15:00",
            "2026-09-07T20:00:00Z",
        ),
        (
            "Lord Howe, back by half an hour",
            &week,
            "Australia/Lord_Howe",
            "2026-04-03 15:00",
            "2026-04-06T06:30:00Z",
        ),
        (
            "Lord Howe, forward",
            &week,
            "Australia/Lord_Howe",
            "2026-10-02 15:00",
            "2026-10-05T06:00:00Z",
        ),
        (
            "Kathmandu, Sunday works",
            &nepal,
            "Asia/Kathmandu",
            "2026-11-27 15:00",
            "2026-11-29T11:15:00Z",
        ),
    ] {
        let zone = zone(place);
        assert_eq!(calendar.deadline(zone, FIVE, wall(said, zone)), Ok(utc(due)), "{about}");
    }
}

#[test]
fn four_working_hours_pass_while_it_is_open() {
    let week = calendar(MONDAY_TO_FRIDAY, WEEK, &[]);
    let holiday = calendar(MONDAY_TO_FRIDAY, WEEK, &["2026-12-25"]);
    let tuesdays = calendar(TUESDAY, "09:00-12:00", &[]);
    let nights = calendar([true; 7], "00:00-06:00", &[]);
    for (about, calendar, place, from, due) in [
        (
            "from Monday 17:00",
            &week,
            "Europe/Berlin",
            "2026-11-30 17:00",
            "2026-12-01 11:00",
        ),
        (
            "before it opens",
            &week,
            "Europe/Berlin",
            "2026-11-30 05:00",
            "2026-11-30 12:00",
        ),
        (
            "to the very end of a day",
            &week,
            "Europe/Berlin",
            "2026-11-30 14:00",
            "2026-11-30 18:00",
        ),
        (
            "over a weekend with a change",
            &week,
            "Europe/Berlin",
            "2026-03-27 16:00",
            "2026-03-30 10:00",
        ),
        (
            "from a Saturday",
            &week,
            "America/New_York",
            "2026-11-28 12:00",
            "2026-11-30 12:00",
        ),
        (
            "on a holiday",
            &holiday,
            "Europe/Berlin",
            "2026-12-25 10:00",
            "2026-12-28 12:00",
        ),
        (
            "over a holiday",
            &holiday,
            "Europe/Berlin",
            "2026-12-24 16:00",
            "2026-12-28 10:00",
        ),
        (
            "only Tuesdays",
            &tuesdays,
            "Europe/Berlin",
            "2026-11-30 10:00",
            "2026-12-08 10:00",
        ),
        (
            "a night that is an hour short",
            &nights,
            "Europe/Berlin",
            "2026-03-29 00:00",
            "2026-03-29 05:00",
        ),
        (
            "a night that is an hour long",
            &nights,
            "Europe/Berlin",
            "2026-10-25 00:00",
            "2026-10-25 03:00",
        ),
        (
            "a night half an hour short",
            &nights,
            "Australia/Lord_Howe",
            "2026-10-04 00:00",
            "2026-10-04 04:30",
        ),
    ] {
        let zone = zone(place);
        let expected = wall(due, zone);
        assert_eq!(
            calendar.deadline(zone, FOUR_HOURS, wall(from, zone)),
            Ok(expected),
            "{about}"
        );
    }
}

#[test]
fn a_day_with_a_break_has_two_openings() {
    let mut week = weekdays(MONDAY_TO_FRIDAY, "08:00-12:00");
    week[0].push(Hours::of("13:00-17:00").expect("hours"));
    let calendar = WorkingCalendar::new(week, BTreeSet::new()).expect("a calendar");
    let berlin = zone("Europe/Berlin");
    assert_eq!(
        calendar.deadline(berlin, FOUR_HOURS, wall("2026-11-30 10:00", berlin)),
        Ok(wall("2026-11-30 15:00", berlin))
    );
}

#[test]
fn a_calendar_that_is_empty_or_cannot_be_read_is_refused() {
    assert_eq!(
        WorkingCalendar::new(weekdays([false; 7], WEEK), BTreeSet::new()),
        Err(CalendarFault::Empty)
    );
    for text in [
        "18:00-08:00",
        "08:00",
        "8-18",
        "08:00-25:00",
        "08:00-08:00",
        "",
        "08:60-09:00",
    ] {
        assert_eq!(Hours::of(text), Err(CalendarFault::Hours), "{text:?}");
    }
    let twice = [hours("08:00-12:00"), hours("11:00-18:00")].concat();
    let week: [Vec<Hours>; 7] = std::array::from_fn(|_| twice.clone());
    assert_eq!(WorkingCalendar::new(week, BTreeSet::new()), Err(CalendarFault::Overlap));
    // only Tuesdays, and every Tuesday of ten years is a holiday
    let first: NaiveDate = "2026-11-24".parse().expect("a Tuesday");
    let every = (0..600).filter_map(|weeks| first.checked_add_days(Days::new(7 * weeks)));
    let never = WorkingCalendar::new(weekdays(TUESDAY, WEEK), every.collect()).expect("a calendar");
    let berlin = zone("Europe/Berlin");
    for limit in [FIVE, FOUR_HOURS] {
        let from = wall("2026-11-30 10:00", berlin);
        assert_eq!(never.deadline(berlin, limit, from), Err(CalendarFault::Never));
    }
}

#[test]
fn hours_read_back_as_they_were_written() {
    for text in ["08:00-18:00", "00:00-24:00", "22:30-24:00"] {
        assert_eq!(Hours::of(text).map(|hours| hours.to_string()), Ok(text.to_owned()));
    }
}

/// A key that is forgotten on Sunday runs out unseen: Friday evening is the last moment for people.
#[test]
fn a_weekend_that_would_eat_a_suppliers_limit_is_seen_before_it() {
    let week = calendar(MONDAY_TO_FRIDAY, WEEK, &["2026-11-30"]);
    let berlin = zone("Europe/Berlin");
    let at = |text| wall(text, berlin);
    let friday = Some(at("2026-11-27 18:00"));
    for (about, moment, last) in [
        ("on Sunday", "2026-11-29 14:00", friday),
        ("on Friday evening", "2026-11-27 19:00", friday),
        ("on a holiday", "2026-11-30 12:00", friday),
        ("the morning after, before it opens", "2026-12-01 07:00", friday),
        ("while it is open", "2026-11-27 17:59", None),
        ("the moment it closes", "2026-11-27 18:00", None),
    ] {
        assert_eq!(week.last_open_before(berlin, at(moment)), last, "{about}");
    }
}

#[test]
fn mail_of_the_morning_is_due_with_the_first_hour_of_a_working_day_or_at_seven() {
    let week = calendar(MONDAY_TO_FRIDAY, WEEK, &["2026-11-30"]);
    let berlin = zone("Europe/Berlin");
    let begins =
        |calendar: Option<&WorkingCalendar>, day: &str| work_begins(calendar, day.parse().expect("a day"), berlin);
    let opens = begins(Some(&week), "2026-12-01").expect("a working day");
    assert_eq!(
        Some(&opens),
        week.open_on("2026-12-01".parse().expect("a day"), berlin)
            .first()
            .map(|(opens, _)| opens)
    );
    assert_eq!(begins(Some(&week), "2026-11-29"), None, "a Sunday");
    assert_eq!(begins(Some(&week), "2026-11-30"), None, "a holiday");
    assert_eq!(begins(None, "2026-11-29"), Some(wall("2026-11-29 07:00", berlin)));
    // the clocks were put forward that night
    assert_eq!(begins(None, "2026-03-29"), Some(wall("2026-03-29 07:00", berlin)));
}

#[test]
fn a_week_reads_as_it_is_written_and_bad_ones_are_named() {
    let text = "mon-thu 08:00-12:00, 13:00-17:00; FRI 08:00-12:00";
    let week = week_of(text).expect("a week");
    assert_eq!(
        week_in_words(&week),
        "mon 08:00-12:00, 13:00-17:00; tue 08:00-12:00, 13:00-17:00; wed 08:00-12:00, 13:00-17:00; \
         thu 08:00-12:00, 13:00-17:00; fri 08:00-12:00"
    );
    assert_eq!(week_of(&week_in_words(&week)), Ok(week));
    for (text, fault) in [
        ("", CalendarFault::Empty),
        ("weekdays 08:00-18:00", CalendarFault::Days),
        ("fri-mon 08:00-18:00", CalendarFault::Days),
        ("mon", CalendarFault::Days),
        ("mon 18-8", CalendarFault::Hours),
        ("mon-fri 08:00-18:00; wed 09:00-10:00", CalendarFault::Overlap),
    ] {
        assert_eq!(week_of(text), Err(fault), "{text:?}");
    }
}

#[test]
fn a_limit_is_read_as_it_is_written() {
    let working = |minutes| Ok(TimeLimit::Working { minutes });
    for (text, limit, written) in [
        ("4h", working(240), "4h"),
        (" 90M ", working(90), "1h30m"),
        ("1h30m", working(90), "1h30m"),
        ("45m", working(45), "45m"),
        ("8760h", working(525_600), "8760h"),
        ("17:00  next working day", Ok(FIVE), "17:00 next working day"),
        (
            "9:30 Next Working Day",
            Ok(TimeLimit::NextWorkingDay { at: 570 }),
            "09:30 next working day",
        ),
    ] {
        assert_eq!(TimeLimit::of(text), limit, "{text:?}");
        let again = limit.map(|limit| limit.to_string());
        assert_eq!(again.as_deref(), Ok(written), "{text:?}");
        assert_eq!(TimeLimit::of(written), TimeLimit::of(text), "{text:?}");
    }
}

#[test]
fn a_limit_that_says_nothing_clear_is_none() {
    for text in [
        "",
        "4",
        "h",
        "m",
        "2d",
        "1d4h",
        "4h30",
        "30m4h",
        "4 h",
        "1.5h",
        "-4h",
        "+4h",
        "next working day",
        "17:00",
        "25:00 next working day",
        "24:00 next working day",
        "5pm next working day",
        "17:00next working day",
        "17:00 tomorrow",
    ] {
        assert_eq!(TimeLimit::of(text), Err(CalendarFault::Limit), "{text:?}");
    }
    for text in [
        "0h",
        "0m",
        "0h0m",
        "8761h",
        "525601m",
        "99999999999999999999h",
        "9223372036854775807h",
    ] {
        assert_eq!(TimeLimit::of(text), Err(CalendarFault::LimitLength), "{text:?}");
    }
}

#[test]
fn without_working_hours_every_hour_counts_and_every_day_is_a_working_day() {
    let berlin = zone("Europe/Berlin");
    // the night in which the clocks are put forward
    let saturday = wall("2026-03-28 23:00", berlin);
    assert_eq!(FIVE.passing(berlin, saturday), Some(wall("2026-03-29 17:00", berlin)));
    assert_eq!(
        FOUR_HOURS.passing(berlin, saturday),
        Some(saturday + TimeDelta::hours(4))
    );
    let just_after_midnight = wall("2026-03-28 00:01", berlin);
    assert_eq!(
        FIVE.passing(berlin, just_after_midnight),
        Some(wall("2026-03-29 17:00", berlin))
    );
}
