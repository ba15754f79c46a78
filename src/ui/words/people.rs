//! Who is there, and what becomes of somebody's cases, in words.

use crate::domain::calendar;
use crate::domain::people::{AwayShown, CaseChanged};
use crate::domain::working::TimeLimit;

/// When somebody is away, and who stands in, beside the tag that says whether they are.
pub fn away(away: &AwayShown) -> String {
    let until = calendar::day(away.until);
    let when = match away.now {
        true => format!("until {until}"),
        false => format!("away from {} to {until}", calendar::day(away.from)),
    };
    match &away.deputy {
        Some((_, deputy)) => format!("{when}; {deputy} stands in"),
        None => when,
    }
}

/// What became of a case that a list for handing over showed.
pub fn case_is(changed: &CaseChanged) -> String {
    let owner = &changed.owner_name;
    match changed.closed {
        true => "is closed now".to_owned(),
        false => format!("has changed; {owner} has it now"),
    }
}

/// Why none of them was moved.
pub fn changed(cases: usize) -> String {
    let cases = super::count(
        cases,
        "case is not as the list showed it",
        "cases are not as the list showed them",
    );
    format!("{cases}, so none was moved. Look at the list as it is now, and hand over again.")
}

/// What a hand-over did.
pub fn moved(cases: usize) -> String {
    let cases = super::count(cases, "case was", "cases were");
    format!("{cases} handed over by you. What is still open here stands below.")
}

/// A time limit after "due": the log keeps it as it was written.
pub fn limit(within: &str) -> String {
    match TimeLimit::of(within) {
        Ok(TimeLimit::Working { .. }) => format!("after {within} of working time"),
        Ok(TimeLimit::NextWorkingDay { at }) => {
            format!("at {:02}:{:02} of the next working day", at / 60, at % 60)
        }
        Err(_) => within.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_reads_as_a_sentence_goes_on() {
        assert_eq!(limit("4h"), "after 4h of working time");
        assert_eq!(limit("17:00 next working day"), "at 17:00 of the next working day");
        assert_eq!(limit("soon"), "soon");
    }
}
