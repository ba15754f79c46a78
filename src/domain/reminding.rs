//! Who is told that a case waits, and when: its owner before the deadline, a manager when it has passed, and again every
//! day; while somebody says they are at it, nobody, for a set time only.
//!
//! Promises: a step is due once, whatever the process slept through. Must not: touch the case's order, or read a clock.

use super::case::at_it_until;
use super::ids::PersonId;
use super::ownership::{Candidate, stands_in};
use super::person::Role;
use super::working::Walls;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

/// What is kept about telling people of an open case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    pub due_at: DateTime<Utc>,
    /// The next look at it.
    pub remind_at: DateTime<Utc>,
    /// A reminder went out for the deadline as it stands.
    pub reminded: bool,
    /// How often a manager was told of the deadline as it stands.
    pub escalated: u32,
    /// Somebody is at it until then.
    pub quiet_until: Option<DateTime<Utc>>,
}

/// What follows now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing before this moment.
    Wait(DateTime<Utc>),
    /// The owner is reminded; the next look is at the deadline.
    Remind,
    /// A manager is told, so often by now; the next look is a day later.
    Escalate { times: u32 },
}

/// What follows at this moment. While nobody works nobody is told: it waits until work begins.
pub fn step(watch: &Watch, walls: &Walls, now: DateTime<Utc>) -> Step {
    if let Some(until) = at_it_until(watch.quiet_until, now) {
        return Step::Wait(until);
    }
    if watch.remind_at > now {
        return Step::Wait(watch.remind_at);
    }
    if let Some(opens) = walls.opens_next(now) {
        return Step::Wait(opens);
    }
    match (watch.due_at <= now, watch.reminded) {
        (true, _) => Step::Escalate {
            times: watch.escalated.saturating_add(1),
        },
        (false, false) => Step::Remind,
        (false, true) => Step::Wait(watch.due_at),
    }
}

/// When the owner is reminded of a deadline that is set now: so much working time before it; at the deadline itself where that
/// is over already. Of a deadline that has passed a manager was told: the next time is a day later.
pub fn reminder_at(due_at: DateTime<Utc>, before: TimeDelta, walls: &Walls, now: DateTime<Utc>) -> DateTime<Utc> {
    if due_at <= now {
        return again_at(walls, now);
    }
    let at = walls.before(before, due_at);
    if at > now { at } else { due_at }
}

/// When a manager is told again: a day later, or as the next day's work begins.
pub fn again_at(walls: &Walls, now: DateTime<Utc>) -> DateTime<Utc> {
    walls.opens_after_today(now).unwrap_or(now + TimeDelta::days(1))
}

/// The manager who is told of a case of this owner: one who is there, another than the owner where there is one, the least
/// loaded. Where all are away, who stands in for them. Among equals the lower id, so that two machines choose alike.
pub fn manager_to_tell<'a>(candidates: &'a [Candidate], owner: &PersonId, today: NaiveDate) -> Option<&'a PersonId> {
    let managers = candidates.iter().filter(|one| one.roles.contains(&Role::Manager));
    let mut managers: Vec<&Candidate> = managers.collect();
    managers.sort_by_key(|one| {
        (
            one.is_away(today),
            one.person == *owner,
            one.open_cases,
            one.person.as_str(),
        )
    });
    let there = managers
        .iter()
        .find_map(|one| stands_in(&one.person, candidates, today));
    there.or(managers.first().copied()).map(|one| &one.person)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ownership::Absence;
    use crate::domain::working::{WorkingCalendar, week_of};
    use chrono_tz::Tz;
    use std::collections::BTreeSet;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a moment")
    }

    /// Somebody works always.
    fn always() -> Walls {
        Walls {
            zone: Tz::UTC,
            calendar: None,
        }
    }

    fn watch() -> Watch {
        Watch {
            due_at: at("2026-11-30T12:00:00Z"),
            remind_at: at("2026-11-30T11:00:00Z"),
            reminded: false,
            escalated: 0,
            quiet_until: None,
        }
    }

    #[test]
    fn the_owner_before_the_deadline_a_manager_after_it_and_again() {
        let mut watch = watch();
        assert_eq!(
            step(&watch, &always(), at("2026-11-30T10:59:59Z")),
            Step::Wait(watch.remind_at)
        );
        assert_eq!(step(&watch, &always(), at("2026-11-30T11:00:00Z")), Step::Remind);
        (watch.reminded, watch.remind_at) = (true, watch.due_at);
        assert_eq!(
            step(&watch, &always(), at("2026-11-30T11:30:00Z")),
            Step::Wait(watch.due_at)
        );
        assert_eq!(step(&watch, &always(), watch.due_at), Step::Escalate { times: 1 });
        (watch.escalated, watch.remind_at) = (1, at("2026-12-01T12:00:00Z"));
        assert_eq!(
            step(&watch, &always(), at("2026-12-01T11:00:00Z")),
            Step::Wait(watch.remind_at)
        );
        assert_eq!(step(&watch, &always(), watch.remind_at), Step::Escalate { times: 2 });
    }

    #[test]
    fn a_process_that_slept_for_a_week_tells_once() {
        assert_eq!(
            step(&watch(), &always(), at("2026-12-07T12:00:00Z")),
            Step::Escalate { times: 1 }
        );
    }

    #[test]
    fn somebody_at_it_holds_for_its_time_only() {
        let mut watch = watch();
        watch.quiet_until = Some(at("2026-11-30T16:00:00Z"));
        assert_eq!(
            step(&watch, &always(), at("2026-11-30T15:59:59Z")),
            Step::Wait(at("2026-11-30T16:00:00Z"))
        );
        assert_eq!(
            step(&watch, &always(), at("2026-11-30T16:00:00Z")),
            Step::Escalate { times: 1 }
        );
    }

    #[test]
    fn nobody_is_reminded_at_night_and_told_again_as_work_begins() {
        let week = week_of("mon-fri 08:00-18:00").expect("hours");
        let calendar = WorkingCalendar::new(week, BTreeSet::new()).expect("a calendar");
        let walls = Walls {
            zone: Tz::Europe__Berlin,
            calendar: Some(calendar),
        };
        let (walls, none) = (
            &walls,
            &Walls {
                calendar: None,
                ..walls.clone()
            },
        );
        let hour = TimeDelta::hours(1);
        // due Tuesday 08:30 in Berlin: half an hour of Tuesday, and half an hour of Monday
        let (due, now) = (at("2026-12-01T07:30:00Z"), at("2026-11-30T09:00:00Z"));
        assert_eq!(reminder_at(due, hour, walls, now), at("2026-11-30T16:30:00Z"));
        // due as work begins, and on a Sunday: an hour before work ended last
        let (opens, sunday) = (at("2026-12-01T07:00:00Z"), at("2026-12-06T11:00:00Z"));
        assert_eq!(reminder_at(opens, hour, walls, now), at("2026-11-30T16:00:00Z"));
        assert_eq!(reminder_at(sunday, hour, walls, now), at("2026-12-04T16:00:00Z"));
        // whatever was planned before the hours were set: nobody is told before work begins
        let planned = Watch {
            remind_at: at("2026-11-30T06:00:00Z"),
            ..watch()
        };
        let (early, open) = (at("2026-11-30T06:30:00Z"), at("2026-11-30T07:00:00Z"));
        assert_eq!(step(&planned, walls, early), Step::Wait(open));
        assert_eq!(step(&planned, walls, open), Step::Remind);
        assert_eq!(reminder_at(due, hour, none, now), at("2026-12-01T06:30:00Z"));
        // a deadline nearer than that has no reminder of its own
        assert_eq!(reminder_at(due, hour, walls, at("2026-12-01T07:00:00Z")), due);
        // one that has passed, given to somebody else
        assert_eq!(
            reminder_at(due, hour, walls, at("2026-12-01T08:00:00Z")),
            at("2026-12-02T07:00:00Z")
        );
        // Friday afternoon: Monday 08:00
        assert_eq!(again_at(walls, at("2026-12-04T15:00:00Z")), at("2026-12-07T07:00:00Z"));
        assert_eq!(again_at(none, at("2026-12-04T15:00:00Z")), at("2026-12-05T15:00:00Z"));
    }

    #[test]
    fn another_manager_than_the_owner_where_there_is_one() {
        let manager = |number: u128, open_cases| Candidate {
            person: PersonId::from_random(number),
            roles: vec![Role::Manager],
            open_cases,
            absence: None,
        };
        let today = at("2026-11-30T12:00:00Z").date_naive();
        let mut all = [manager(1, 0), manager(2, 5)];
        assert_eq!(manager_to_tell(&all, &all[0].person, today), Some(&all[1].person));
        assert_eq!(manager_to_tell(&all[..1], &all[0].person, today), Some(&all[0].person));
        assert_eq!(manager_to_tell(&[], &all[0].person, today), None);
        all[1].absence = Some(Absence {
            from: today,
            until: today,
            deputy: None,
        });
        assert_eq!(
            manager_to_tell(&all, &all[0].person, today),
            Some(&all[0].person),
            "who is there"
        );
        // where all are away: who stands in for one of them, whichever has somebody
        let away = |deputy| {
            Some(Absence {
                from: today,
                until: today,
                deputy,
            })
        };
        let resolver = Candidate {
            roles: vec![Role::Resolver],
            ..manager(3, 9)
        };
        let [mut idle, mut busy] = all;
        (idle.absence, busy.absence) = (away(None), away(Some(resolver.person.clone())));
        let all = [idle, busy, resolver];
        assert_eq!(manager_to_tell(&all, &all[1].person, today), Some(&all[2].person));
    }
}
