//! Whose a case is first, worked by hand.

use super::*;

fn person(number: u128) -> PersonId {
    PersonId::from_random(number)
}

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a date")
}

fn today() -> NaiveDate {
    day("2026-11-30")
}

fn candidate(number: u128, roles: &[Role], open_cases: u64) -> Candidate {
    Candidate {
        person: person(number),
        roles: roles.to_vec(),
        open_cases,
        absence: None,
    }
}

/// Away today, with this deputy.
fn away(one: Candidate, deputy: Option<u128>) -> Candidate {
    let absence = Absence {
        from: day("2026-11-28"),
        until: today(),
        deputy: deputy.map(person),
    };
    Candidate {
        absence: Some(absence),
        ..one
    }
}

fn first(rule: Option<u128>, candidates: &[Candidate]) -> Option<(PersonId, bool)> {
    let first = first_owner(rule.map(person).as_ref(), candidates, today());
    first.map(|first| (first.person, first.fell_to_manager))
}

#[test]
fn without_a_rule_the_least_loaded_resolver_who_is_there() {
    let all = [
        candidate(1, &[Role::Resolver], 3),
        candidate(2, &[Role::Resolver, Role::Buyer], 1),
        away(candidate(3, &[Role::Resolver], 0), Some(1)),
        candidate(4, &[Role::Manager], 0),
    ];
    assert_eq!(
        first(None, &all),
        Some((person(2), false)),
        "a deputy only stands in for a rule's owner"
    );
    let equal = [candidate(6, &[Role::Resolver], 1), candidate(5, &[Role::Resolver], 1)];
    let lower = person(5).min(person(6));
    assert_eq!(first(None, &equal), Some((lower, false)));
}

#[test]
fn the_rules_owner_or_who_stands_in_and_a_circle_is_nobody() {
    let (one, two, three) = (
        candidate(1, &[Role::Resolver], 9),
        candidate(2, &[Role::Resolver], 5),
        candidate(3, &[Role::Manager], 0),
    );
    let all = [one.clone(), two.clone(), three.clone()];
    assert_eq!(
        first(Some(1), &all),
        Some((person(1), false)),
        "however much they have to do"
    );
    let all = [away(one.clone(), Some(3)), two.clone(), three.clone()];
    assert_eq!(
        first(Some(1), &all),
        Some((person(3), false)),
        "a deputy is not who it fell to"
    );
    let all = [away(one.clone(), Some(3)), two.clone(), away(three.clone(), Some(2))];
    assert_eq!(first(Some(1), &all), Some((person(2), false)), "the deputy’s deputy");
    let all = [away(one.clone(), Some(2)), away(two.clone(), Some(1)), three.clone()];
    assert_eq!(first(Some(1), &all), Some((person(3), true)), "a circle of two");
    let all = [away(one.clone(), Some(9)), two.clone(), three.clone()];
    assert_eq!(
        first(Some(1), &all),
        Some((person(2), false)),
        "a deputy who cannot own a case"
    );
    let all = [away(one, None), two.clone(), three];
    assert_eq!(first(Some(1), &all), Some((person(2), false)), "nobody stands in");
    assert_eq!(
        first(Some(7), &[two]),
        Some((person(2), false)),
        "an owner who is no candidate"
    );
}

#[test]
fn with_nobody_there_it_falls_to_a_manager_who_is_away_if_need_be() {
    let resolver = away(candidate(1, &[Role::Resolver], 0), None);
    let managers = [candidate(2, &[Role::Manager], 4), candidate(3, &[Role::Manager], 2)];
    let all = [resolver.clone(), managers[0].clone(), away(managers[1].clone(), None)];
    assert_eq!(first(None, &all), Some((person(2), true)));
    let all = [
        resolver.clone(),
        away(managers[0].clone(), None),
        away(managers[1].clone(), None),
    ];
    assert_eq!(first(None, &all), Some((person(3), true)), "everybody is away");
    assert_eq!(
        first(None, &[resolver]),
        Some((person(1), false)),
        "no manager: never nobody"
    );
    assert_eq!(first(None, &[]), None);
}

#[test]
fn an_absence_has_its_first_and_its_last_day() {
    let absence = away(candidate(1, &[Role::Resolver], 0), None)
        .absence
        .expect("an absence");
    for (text, is_away) in [
        ("2026-11-27", false),
        ("2026-11-28", true),
        ("2026-11-30", true),
        ("2026-12-01", false),
    ] {
        assert_eq!(absence.covers(day(text)), is_away, "{text}");
    }
}

#[test]
fn the_suppliers_rule_goes_before_and_what_it_leaves_open_is_the_tenants() {
    let (four, two) = (TimeLimit::Working { minutes: 240 }, TimeLimit::Working { minutes: 120 });
    let rule = |supplier: Option<&str>, owner: Option<u128>, within: Option<TimeLimit>| OwnerRule {
        supplier: supplier.map(str::to_owned),
        owner: owner.map(person),
        within,
    };
    let rules = [
        rule(None, Some(1), Some(four)),
        rule(Some("acme"), Some(2), None),
        rule(Some("bolts"), None, Some(two)),
        rule(Some("gone"), Some(9), None),
    ];
    let candidates = [candidate(1, &[Role::Manager], 0), candidate(2, &[Role::Resolver], 0)];
    let applied = |supplier: &str| {
        let applied = rule_for(&rules, supplier, &candidates);
        (applied.owner, applied.within)
    };
    assert_eq!(applied("acme"), (Some(person(2)), Some(four)));
    assert_eq!(applied("bolts"), (Some(person(1)), Some(two)));
    assert_eq!(applied("other"), (Some(person(1)), Some(four)));
    assert_eq!(
        applied("gone"),
        (Some(person(1)), Some(four)),
        "an owner who cannot own a case"
    );
    assert_eq!(rule_for(&[], "acme", &candidates), Applied::default());
}
