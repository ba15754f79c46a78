use super::*;
use crate::domain::case::CaseKind;
use crate::domain::ids::OrderId;
use crate::domain::order::OrderState;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a moment")
}

fn writing() -> Writing<'static> {
    Writing {
        now: at("2026-11-30T11:00:00Z"),
        zone: Tz::Europe__Berlin,
        links: "https://buy.example.com",
    }
}

fn facts(number: u128, owner: u128, due: &str, headline: &str) -> CaseFacts {
    CaseFacts {
        case: Case {
            id: CaseId::from_random(number),
            version: 1,
            kind: CaseKind::Pending,
            owner: PersonId::from_random(owner),
            owner_name: "Rolf Resolver".to_owned(),
            due_at: at(due),
            reason: "the supplier's answer was lost".to_owned(),
            opened_at: at("2026-11-30T08:00:00Z"),
            closed_at: None,
            quiet_until: None,
            quiet_by_name: None,
            escalated: 0,
            fell_to_manager: false,
        },
        goods: Some(Goods {
            target: Target::Order(OrderId::from_random(number)),
            headline: headline.to_owned(),
            total: Money::of_texts("EUR", "10.50").expect("money"),
            stands: Stands::Order {
                state: OrderState::ConfirmationPending,
                held: None,
                differences: false,
            },
        }),
        supplier: "Acme Fasteners".to_owned(),
    }
}

fn open(number: u128, owner: u128, due: &str) -> OpenCase {
    OpenCase {
        facts: facts(number, owner, due, "24 × Hex bolt"),
        is_unowned: false,
    }
}

fn digest(reader: u128, is_manager: bool, due: &str, cases: &[OpenCase]) -> Letter {
    let reader = PersonId::from_random(reader);
    let morning = Morning {
        reader: &reader,
        is_manager,
        tenant: "House",
        day: "2026-11-30".parse().expect("a day"),
        due_at: at(due),
    };
    digest_letter(&morning, cases, writing())
}

#[test]
fn mail_facts_come_first_and_the_link_says_that_it_changes_nothing() {
    let letter = case_letter(
        CaseNews::Given,
        &facts(1, 1, "2026-11-30T16:00:00Z", "24 × Hex bolt"),
        writing(),
    );
    assert_eq!(
        letter.subject,
        "Yours: No clear answer yet – 24 × Hex bolt, from Acme Fasteners"
    );
    let order = OrderId::from_random(1);
    let case = CaseId::from_random(1);
    assert_eq!(
        letter.body,
        format!(
            "This case is yours now.\n\n\
             What:   24 × Hex bolt, from Acme Fasteners\n\
             Amount: €10.50\n\
             State:  Confirmation pending\n\
             Case:   No clear answer yet\n\
             Owner:  Rolf Resolver\n\
             Due:    Monday 30 November 2026, 17:00, Berlin time (5 h left)\n\
             Why:    the supplier's answer was lost\n\n\
             https://buy.example.com/orders/{order}\n\n\
             The whole case on one sheet: https://buy.example.com/cases/{case}\n\n\
             As it stood on Monday 30 November 2026, 12:00, Berlin time. Links need sign-in, and opening one changes nothing.\n"
        )
    );
}

#[test]
fn mail_of_a_reminder_and_of_the_third_time_says_so() {
    let late = facts(1, 1, "2026-11-30T10:00:00Z", "24 × Hex bolt");
    let reminder = case_letter(CaseNews::Reminder, &late, writing());
    assert!(reminder.subject.starts_with("Reminder: "), "{}", reminder.subject);
    assert!(reminder.body.contains("its deadline has passed"), "{}", reminder.body);
    let third = case_letter(CaseNews::Escalated { times: 3 }, &late, writing());
    assert!(third.subject.starts_with("Nobody has acted: "), "{}", third.subject);
    assert!(third.body.contains("for the 3. time"), "{}", third.body);
    assert!(third.body.contains("(late 1 h)"), "{}", third.body);
}

/// Rule 19: what others wrote is text on one line, whatever stands in it.
#[test]
fn mail_text_of_others_begins_no_header_and_makes_no_link() {
    let nasty = "bolt\r\nBcc: all@example.com\u{2028}\u{202e}evil\nhttps://evil.example/pay www.evil.example mailto:me@evil.example";
    let mut about = facts(1, 1, "2026-11-30T16:00:00Z", nasty);
    about.supplier = nasty.to_owned();
    about.case.reason = nasty.to_owned();
    let letter = case_letter(CaseNews::Given, &about, writing());
    assert!(!letter.subject.contains(['\r', '\n']), "{:?}", letter.subject);
    assert!(letter.subject.contains("[U+000D] Bcc"), "{}", letter.subject);
    assert!(letter.body.contains("[U+202E]evil") && letter.body.contains("[U+2028]"));
    assert!(!letter.body.lines().any(|line| line.starts_with("Bcc")));
    let links: Vec<&str> = letter
        .body
        .split_whitespace()
        .filter(|word| word.contains("://"))
        .collect();
    assert_eq!(links.len(), 2, "ours alone: {links:?}");
    assert!(links.iter().all(|link| link.starts_with("https://buy.example.com/")));
    for address in ["www.evil", "evil.example", "mailto:me"] {
        assert!(!letter.body.contains(address), "{address}: {}", letter.body);
    }
    assert_eq!(one_line("M8.40 No. 7 12:30 a\tb", 80), "M8.40 No. 7 12:30 a b");
    assert_eq!(one_line(&"x".repeat(500), 10), format!("{}…", "x".repeat(9)));
    assert!(letter.subject.chars().count() <= MOST_SUBJECT);
}

#[test]
fn mail_of_the_morning_tells_each_what_is_theirs_and_managers_of_all() {
    let cases = [
        open(1, 1, "2026-11-30T10:00:00Z"),
        open(2, 1, "2026-11-30T16:00:00Z"),
        open(3, 1, "2026-12-04T16:00:00Z"),
        open(4, 2, "2026-11-29T16:00:00Z"),
        OpenCase {
            is_unowned: true,
            ..open(5, 2, "2026-12-04T16:00:00Z")
        },
    ];
    let own = digest(1, false, "2026-11-30T10:30:00Z", &cases);
    assert_eq!(own.subject, "Monday 30 November 2026: 1 of yours late, 1 due today");
    for part in [
        "Yours and late: 1 (€10.50)",
        "Yours and due today: 1 (€10.50)",
        "Yours and due later: 1 (€10.50)",
        "The queue: https://buy.example.com/\n",
    ] {
        assert!(own.body.contains(part), "{part}: {}", own.body);
    }
    assert!(
        !own.body.contains("house") && !own.body.contains("late: it was due"),
        "{}",
        own.body
    );
    let all = digest(2, true, "2026-11-30T10:30:00Z", &cases);
    for part in [
        "Yours and late: 1 (€10.50)",
        "Open in the whole house: 5 (€52.50)",
        "Late with others: 1 (€10.50)",
        "Nobody’s: give them to somebody: 1 (€10.50)",
        "Owner: Rolf Resolver.",
    ] {
        assert!(all.body.contains(part), "{part}: {}", all.body);
    }
}

#[test]
fn mail_of_a_morning_with_nothing_open_says_so_and_a_late_one_that_it_is_late() {
    let none = digest(1, false, "2026-11-30T10:00:00Z", &[]);
    assert_eq!(
        none.subject,
        "Monday 30 November 2026: nothing of yours is late or due today"
    );
    assert!(none.body.contains("\n\nNothing is open with you.\n\n"), "{}", none.body);
    assert!(!none.body.contains("comes late"), "an hour is not late");
    let late = digest(1, true, "2026-11-30T06:00:00Z", &[]);
    assert!(late.subject.starts_with("Sent late: Monday"), "{}", late.subject);
    assert!(late.body.contains("it was due at 07:00"), "{}", late.body);
    assert!(
        late.body.contains("Nothing is open in the whole house."),
        "{}",
        late.body
    );
}

#[test]
fn mail_money_is_summed_by_currency_and_an_order_counts_once() {
    let mut yen = open(2, 1, "2026-11-30T10:00:00Z");
    yen.facts.goods.as_mut().expect("goods").total = Money::of_texts("JPY", "1200").expect("money");
    let twice = open(1, 1, "2026-11-30T10:00:00Z");
    let letter = digest(1, false, "2026-11-30T10:00:00Z", &[twice.clone(), twice, yen]);
    assert!(
        letter.body.contains("Yours and late: 3 (€10.50, ¥1,200)"),
        "{}",
        letter.body
    );
}

#[test]
fn mail_is_tried_less_and_less_often_and_then_given_up() {
    let pace = MailPace {
        first: TimeDelta::seconds(30),
        most: TimeDelta::minutes(5),
        give_up: TimeDelta::minutes(15),
    };
    let (mut tried_for, mut waits) = (TimeDelta::zero(), Vec::new());
    while let Some(wait) = pace.next(u32::try_from(waits.len() + 1).expect("few"), tried_for) {
        tried_for += wait;
        waits.push(wait.num_seconds());
    }
    assert_eq!(waits, [30, 60, 120, 240, 300, 300]);
    // by its age, not by how often it was tried
    assert_eq!(pace.next(1_000, TimeDelta::minutes(14)), Some(TimeDelta::minutes(5)));
    assert_eq!(pace.next(1, TimeDelta::minutes(15)), None);
}

#[test]
fn mail_is_sent_again_by_whoever_it_is_for_and_by_managers_when_it_is_not_on_its_way() {
    let now = writing().now;
    let given_up = MessageState::GivenUp {
        at: now,
        because: "550".to_owned(),
        in_vain: true,
    };
    let sent = MessageState::Sent { at: now };
    let (due, later) = (
        MessageState::Waiting { until: now },
        MessageState::Waiting {
            until: now + TimeDelta::minutes(1),
        },
    );
    let own = |state| may_send_again(state, None, &[Role::Resolver], true, now);
    for state in [&given_up, &sent, &later] {
        assert_eq!(own(state), Ok(()), "{state:?}");
        assert_eq!(may_send_again(state, None, &[Role::Manager], false, now), Ok(()));
        let of_others = may_send_again(state, None, &[Role::Resolver, Role::Admin], false, now);
        assert_eq!(of_others, Err(Refusal::NotYourRole(Act::SendAgain)));
    }
    for state in [&due, &MessageState::Sending] {
        assert_eq!(own(state), Err(Refusal::MessageOnItsWay), "{state:?}");
    }
}

#[test]
fn mail_is_not_sent_again_where_nothing_goes_out_and_that_is_why() {
    for stop in [MailStop::NoServer, MailStop::Paused] {
        for may in [Ok(()), Err(Refusal::MessageOnItsWay)] {
            assert_eq!(may_send_now(may, Some(stop)), Err(Refusal::NothingIsSent(stop)));
        }
        let not_theirs = Err(Refusal::NotYourRole(Act::SendAgain));
        assert_eq!(may_send_now(not_theirs.clone(), Some(stop)), not_theirs);
    }
    assert_eq!(may_send_now(Ok(()), None), Ok(()));
    let stops = [(false, false), (false, true), (true, true), (true, false)];
    let stops = stops.map(|(is_set_up, is_paused)| MailStop::of(is_set_up, is_paused));
    let (none_set, paused) = (Some(MailStop::NoServer), Some(MailStop::Paused));
    assert_eq!(stops, [none_set, none_set, paused, None]);
}

/// A mail that was delayed, or is wanted once more, says nothing that is not so any more.
#[test]
fn mail_about_a_case_is_judged_again_when_it_goes_out() {
    let (owner, other) = (PersonId::from_random(1), PersonId::from_random(2));
    let case = |is_closed: bool| Since {
        case: Some((&owner, is_closed)),
        ..Since::default()
    };
    let (open, closed) = (case(false), case(true));
    let disabled = Since {
        reader_is_disabled: true,
        ..open
    };
    for kind in [MessageKind::Given, MessageKind::Reminder] {
        assert_eq!(past(kind, &owner, open), None, "{kind:?}");
        assert_eq!(past(kind, &other, open), Some(Past::CaseMoved), "{kind:?}");
    }
    let escalated = past(MessageKind::Escalated, &other, open);
    assert_eq!(escalated, None, "a manager owns none of it");
    for kind in [MessageKind::Given, MessageKind::Reminder, MessageKind::Escalated] {
        assert_eq!(past(kind, &owner, closed), Some(Past::CaseClosed), "{kind:?}");
        assert_eq!(past(kind, &owner, disabled), Some(Past::ReaderDisabled), "{kind:?}");
    }
    let digest = |later_digest: bool, reader_is_disabled: bool| {
        let since = Since {
            reader_is_disabled,
            later_digest,
            case: None,
        };
        past(MessageKind::Digest, &owner, since)
    };
    assert_eq!(digest(false, false), None);
    assert_eq!(digest(true, false), Some(Past::LaterDigest));
    assert_eq!(digest(false, true), Some(Past::ReaderDisabled));
    assert!(is_in_vain(None, true) && !is_in_vain(Some(Past::CaseClosed), true));
    assert!(is_in_vain(Some(Past::LaterDigest), true), "mail goes nowhere");
    assert!(!is_in_vain(Some(Past::LaterDigest), false), "it only waited");
    // what was sent stays sent
    let now = writing().now;
    let again = |state| may_send_again(&state, Some(Past::CaseClosed), &[Role::Manager], false, now);
    let refused = Err(Refusal::MessagePast(Past::CaseClosed));
    assert_eq!(again(MessageState::Sent { at: now }), refused);
    assert_eq!(again(MessageState::Sending), Err(Refusal::MessageOnItsWay));
}
