//! Whose a case is: by the rules, by who is there, and handed over many at a time; through the command line and the pages.

#![allow(clippy::disallowed_methods, reason = "a test says on which days somebody is away")]

mod support;

use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::Europe::Berlin;
use serde_json::Value;
use support::home::{id, moment};
use support::{Answer, BUYER, House, MANAGER, PASSWORD, Plan, RESOLVER, Ran, Session};

/// A second resolver.
const COLLEAGUE: &str = "rita@example.com";
/// A second manager.
const OTHER_MANAGER: &str = "moritz@example.com";

fn plan() -> Plan {
    House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
}

fn done(ran: &Ran) {
    assert_eq!(ran.status, 0, "{}", ran.err);
}

fn add(house: &House, name: &str, email: &str, role: &str) {
    let arguments = [
        "person",
        "add",
        name,
        "--email",
        email,
        "--role",
        role,
        "--password-stdin",
    ];
    done(&house.run_with_input(&arguments, PASSWORD));
}

async fn house() -> House {
    let house = plan().start().await;
    add(&house, "Rita Resolver", COLLEAGUE, "resolver");
    house
}

/// So many days from today, as the command line takes them.
fn day(days: u64) -> String {
    let today = Utc::now().with_timezone(&Berlin).date_naive();
    let day: NaiveDate = today.checked_add_days(Days::new(days)).expect("a day");
    day.to_string()
}

fn away(house: &House, who: &str, more: &[&str]) {
    let until = day(3);
    let mut arguments = vec!["person", "away", who, "--until", &until];
    arguments.extend(more);
    done(&house.run(&arguments));
}

/// An order in doubt, and with it a case.
async fn lost(house: &House, buyer: &Session<'_>, intent: &str) -> Value {
    house.lose(buyer, intent, "store_then_close").await
}

fn owner(order: &Value) -> &str {
    order["case"]["owner_name"].as_str().expect("an owner")
}

/// A case as its list carries it.
fn tick(order: &Value) -> String {
    format!("{}:{}", id(&order["case"]), order["case"]["version"])
}

async fn has_fallen(house: &House, order: &Value) -> bool {
    let pool = house.database().await;
    let fallen: i64 = sqlx::query_scalar("SELECT fell_to_manager FROM cases WHERE id = $1")
        .bind(id(&order["case"]))
        .fetch_one(&pool)
        .await
        .expect("a case");
    pool.close().await;
    fallen == 1
}

fn list_of(person: &str) -> String {
    format!("/people/{person}/hand-over")
}

/// Hands these over, as the list's form does.
async fn hand_over(who: &Session<'_>, from: &str, ticks: &[String], to: &str, reason: &str) -> Answer {
    // a browser leaves out what is not ticked: the places have gaps
    let names: Vec<String> = (0..ticks.len()).map(|place| format!("cases[{}]", place * 2)).collect();
    let mut fields = vec![("from", from), ("owner", to), ("reason", reason)];
    fields.extend(names.iter().zip(ticks).map(|(name, tick)| (&**name, &**tick)));
    who.post("/act/hand_over", &fields).await
}

/// The address names the events of the hand-over, which moved so many cases.
async fn assert_handed_over(house: &House, answer: &Answer, from: &str, cases: i64) {
    assert_eq!(answer.status, 303, "{answer:?}");
    let there = format!("{}?moved=", list_of(from));
    let events = answer.location().strip_prefix(&there).unwrap_or_default();
    let numbers = events.split('&').next().and_then(|numbers| numbers.split_once('-'));
    let (first, last) = numbers.unwrap_or_else(|| panic!("{answer:?}"));
    let moved: &str =
        format!("SELECT count(*) FROM events WHERE number BETWEEN {first} AND {last} AND body LIKE '%\"case_moved\"%'")
            .leak();
    assert_eq!(house.number(moved).await, cases, "{answer:?}");
}

#[tokio::test]
async fn the_suppliers_rule_goes_before_the_tenants_and_its_limit_decides_when_it_is_due() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    let all = house.run(&["tenant", "owner", "--owner", MANAGER, "--within", "90m"]);
    done(&all);
    assert_eq!(all.last_line(), format!("all others\t{MANAGER}\t1h30m\t"));
    let first = lost(&house, &buyer, "by-the-tenants").await;
    assert_eq!(owner(&first), "Mara Manager");
    assert!(!has_fallen(&house, &first).await, "a rule is no fall");
    let opened = moment(&first["case"]["opened_at"]);
    assert_eq!((moment(&first["case"]["due_at"]) - opened).num_minutes(), 90);

    let limit = "17:00 next working day";
    let of_one = [
        "tenant",
        "owner",
        "--supplier",
        "practice",
        "--owner",
        COLLEAGUE,
        "--within",
        limit,
    ];
    done(&house.run(&of_one));
    let second = lost(&house, &buyer, "by-the-suppliers").await;

    assert_eq!(owner(&second), "Rita Resolver");
    let opened: DateTime<Utc> = moment(&second["case"]["opened_at"]);
    let tomorrow = opened.with_timezone(&Berlin).date_naive() + Days::new(1);
    let five = tomorrow
        .and_hms_opt(17, 0, 0)
        .expect("a time")
        .and_local_timezone(Berlin);
    assert_eq!(
        moment(&second["case"]["due_at"]),
        five.single().expect("one moment").to_utc()
    );

    // what is not named stays, and a rule that is gone is gone
    done(&house.run(&["tenant", "owner", "--supplier", "practice", "--within", "2h"]));
    let listed = house.run(&["tenant", "owner"]).out;
    assert!(listed.contains(&format!("practice\t{COLLEAGUE}\t2h\t")), "{listed}");
    done(&house.run(&["tenant", "owner", "--supplier", "practice", "--off"]));
    let third = lost(&house, &buyer, "by-the-tenants-again").await;
    assert_eq!(owner(&third), "Mara Manager");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn who_is_away_is_stood_in_for_and_with_nobody_there_it_falls_to_a_manager() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    done(&house.run(&["tenant", "owner", "--owner", RESOLVER]));
    away(&house, RESOLVER, &["--deputy", MANAGER]);
    let first = lost(&house, &buyer, "a-deputy").await;
    assert_eq!(owner(&first), "Mara Manager");
    assert!(!has_fallen(&house, &first).await, "who stands in is no fall");

    away(&house, MANAGER, &["--deputy", COLLEAGUE]);
    let second = lost(&house, &buyer, "the-deputys-deputy").await;
    assert_eq!(owner(&second), "Rita Resolver");

    // everybody is away, in a circle
    away(&house, COLLEAGUE, &["--deputy", RESOLVER]);
    let third = lost(&house, &buyer, "nobody").await;
    assert_eq!(owner(&third), "Mara Manager", "never nobody");
    assert!(has_fallen(&house, &third).await);

    done(&house.run(&["person", "back", COLLEAGUE]));
    done(&house.run(&["person", "back", RESOLVER]));
    let fourth = lost(&house, &buyer, "back").await;
    assert_eq!(owner(&fourth), "Rolf Resolver");
    // whoever is given it by hand has it
    let manager = house.sign_in(MANAGER).await;
    let (case, version) = (id(&third["case"]), third["case"]["version"].to_string());
    let to = house.person(COLLEAGUE).await;
    let handed = [
        ("case", case),
        ("version", &*version),
        ("owner", &*to),
        ("due_at", "2030-01-07T09:00"),
        ("reason", "she is there again"),
    ];
    let answer = manager.post("/act/assign", &handed).await;
    assert!(!answer.location().contains("refused"), "{answer:?}");
    assert!(!has_fallen(&house, &third).await);
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn disabling_moves_cases_by_the_rules_and_the_listing_says_what_became_of_a_rule() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    done(&house.run(&["tenant", "owner", "--owner", MANAGER]));
    done(&house.run(&["tenant", "owner", "--supplier", "practice", "--owner", RESOLVER]));
    let first = lost(&house, &buyer, "before").await;
    assert_eq!(owner(&first), "Rolf Resolver");

    done(&house.run(&["person", "disable", RESOLVER]));

    let moved = house.now(&first).await;
    assert_eq!(owner(&moved), "Mara Manager", "the next rule");
    assert_eq!(moved["case"]["due_at"], first["case"]["due_at"]);
    let listed = house.run(&["tenant", "owner"]).out;
    assert!(
        listed.contains("disabled: new cases go on as if nobody were named"),
        "{listed}"
    );
    let second = lost(&house, &buyer, "after").await;
    assert_eq!(owner(&second), "Mara Manager");
    done(&house.run(&["tenant", "owner", "--off"]));
    let third = lost(&house, &buyer, "no-rule").await;
    assert_eq!(owner(&third), "Rita Resolver", "the least loaded resolver");
}

#[tokio::test]
async fn what_cannot_be_a_rule_or_an_absence_is_named_and_changes_nothing() {
    let house = plan().no_worker().start().await;
    let (yesterday, tomorrow) = ("2020-01-01", day(1));
    for (arguments, field) in [
        (&["tenant", "owner", "--owner", BUYER][..], "--owner"),
        (&["tenant", "owner", "--owner", "nobody@example.com"], "--owner"),
        (&["tenant", "owner", "--within", "2d"], "--within"),
        (&["tenant", "owner", "--within", "0h"], "--within"),
        (&["tenant", "owner", "--within", "9000h"], "--within"),
        (
            &["tenant", "owner", "--supplier", "unheard-of", "--within", "2h"],
            "--supplier",
        ),
        (&["tenant", "owner", "--supplier", "practice"], "--owner"),
        (&["tenant", "owner", "--within", "2h", "--off"], "--off"),
        (&["person", "away", RESOLVER], "--until"),
        (&["person", "away", RESOLVER, "--until", "soon"], "--until"),
        (&["person", "away", RESOLVER, "--until", yesterday], "--until"),
        (
            &["person", "away", RESOLVER, "--until", &tomorrow, "--from", "2999-01-01"],
            "--until",
        ),
        (&["person", "away", RESOLVER, "--until", "2999-01-01"], "--until"),
        (
            &["person", "away", RESOLVER, "--until", &tomorrow, "--from", "1.1."],
            "--from",
        ),
        (
            &["person", "away", RESOLVER, "--until", &tomorrow, "--deputy", BUYER],
            "--deputy",
        ),
        (
            &["person", "away", RESOLVER, "--until", &tomorrow, "--deputy", RESOLVER],
            "--deputy",
        ),
        (
            &[
                "person",
                "away",
                RESOLVER,
                "--until",
                &tomorrow,
                "--deputy",
                "x@example.com",
            ],
            "--deputy",
        ),
    ] {
        let refused = house.run(arguments);
        assert_eq!(refused.status, 2, "{arguments:?}: {}", refused.err);
        assert!(refused.err.contains(field), "{arguments:?}: {}", refused.err);
    }
    for (arguments, says) in [
        (&["person", "away", "x@example.com", "--until", &tomorrow][..], "person"),
        (&["person", "back", RESOLVER], "not away"),
        (&["tenant", "owner", "--off"], "rule"),
    ] {
        let refused = house.run(arguments);
        assert_eq!(refused.status, 1, "{arguments:?}: {}", refused.err);
        assert!(refused.err.contains(says), "{arguments:?}: {}", refused.err);
    }
    assert_eq!(house.run(&["tenant", "owner"]).out, "");
    assert_eq!(house.number("SELECT count(*) FROM absences").await, 0);
}

#[tokio::test]
async fn absences_are_said_on_the_page_of_people_by_oneself_or_a_manager() {
    let house = house().await;
    let (resolver, manager) = (house.sign_in(RESOLVER).await, house.sign_in(MANAGER).await);
    let (rolf, rita) = (house.person(RESOLVER).await, house.person(COLLEAGUE).await);
    let until = day(2);
    let fields = |person| [("person", person), ("from", ""), ("until", &*until), ("deputy", "")];
    let others = resolver.post("/act/away", &fields(&rita)).await;
    assert!(resolver.refused(&others, "/people").await.is("not_your_role"));
    let own = resolver.post("/act/away", &fields(&rolf)).await;
    assert_eq!((own.status, own.location()), (303, "/people"), "{own:?}");
    let stands_in = [
        ("person", &*rita),
        ("from", &*until),
        ("until", &*until),
        ("deputy", &*rolf),
    ];
    let of_others = manager.post("/act/away", &stands_in).await;
    assert_eq!(
        (of_others.status, of_others.location()),
        (303, "/people"),
        "{of_others:?}"
    );

    let shown = manager.get("/people").await.text;
    assert!(shown.contains(">Away<") && shown.contains(">There<"), "{shown}");
    assert!(shown.contains("Rolf Resolver stands in"), "{shown}");
    let buyers = house.sign_in(BUYER).await.get("/people").await.text;
    assert!(
        buyers.contains(">Away<") && !buyers.contains("action=\"/act/away\""),
        "{buyers}"
    );

    let backwards = [
        ("person", &*rolf),
        ("from", &*day(3)),
        ("until", &*until),
        ("deputy", &*rita),
    ];
    let wrong = resolver.post("/act/away", &backwards).await;
    let wrong = resolver.refused(&wrong, "/people").await;
    assert_eq!(wrong.field(), "until");
    assert!(
        wrong.page.contains(&format!("value=\"{}\"", day(3))),
        "what was typed stays"
    );
    for _ in 0..2 {
        let back = resolver.post("/act/back", &[("person", &*rolf)]).await;
        assert_eq!((back.status, back.location()), (303, "/people"), "also a second time");
    }
    let told = house
        .number("SELECT count(*) FROM events WHERE body LIKE '%\"person_back\"%'")
        .await;
    assert_eq!(told, 1, "the second press changed nothing");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn a_hand_over_of_many_moves_exactly_what_was_ticked() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    done(&house.run(&["tenant", "owner", "--owner", RESOLVER]));
    let orders = [
        lost(&house, &buyer, "one").await,
        lost(&house, &buyer, "two").await,
        lost(&house, &buyer, "three").await,
    ];
    let (rolf, rita) = (house.person(RESOLVER).await, house.person(COLLEAGUE).await);
    let manager = house.sign_in(MANAGER).await;
    let shown = manager.get(&list_of(&rolf)).await.text;
    for order in &orders {
        assert!(shown.contains(&format!("value=\"{}\"", tick(order))), "{shown}");
        assert!(shown.contains(id(order)), "{shown}");
    }
    // one comes while the list is open
    let listed: Vec<&str> = orders.iter().map(|order| id(&order["case"])).collect();
    let late = lost(&house, &buyer, "meanwhile").await;

    let (first, third, listed) = (tick(&orders[0]), tick(&orders[2]), listed.join(" "));
    let fields = [
        ("from", &*rolf),
        ("cases[0]", &*first),
        ("cases[2]", &*third),
        ("listed", &*listed),
        ("owner", &*rita),
        ("reason", "Rolf is ill"),
    ];
    let answer = manager.post("/act/hand_over", &fields).await;

    assert_handed_over(&house, &answer, &rolf, 2).await;
    let came = format!("&came={}", id(&late["case"]));
    assert!(answer.location().ends_with(&came), "{answer:?}");
    let mut owners = Vec::new();
    for order in orders.iter().chain([&late]) {
        let now = house.now(order).await;
        assert_eq!(now["case"]["due_at"], order["case"]["due_at"], "deadlines stay");
        let moved = house.happened(&now, "case_moved").await;
        owners.push((owner(&now).to_owned(), moved.len()));
        for event in moved {
            assert_eq!(event["happening"]["reason"], "Rolf is ill");
            assert_eq!(event["actor"]["person"]["name"], "Mara Manager");
        }
    }
    let (rita_has, rolf_has) = (("Rita Resolver".to_owned(), 1), ("Rolf Resolver".to_owned(), 0));
    assert_eq!(owners, [rita_has.clone(), rolf_has.clone(), rita_has, rolf_has]);
    let after = manager.get(answer.location()).await.text;
    assert!(after.contains("2 cases were handed over by you"), "{after}");
    assert!(after.contains("Came meanwhile"), "{after}");
    // rule 21: it says what the log says, to whoever did it, and not what an address says
    let most = u64::MAX;
    for told in [
        "1-3",
        "900-999",
        "3-1",
        &format!("{}-{most}", most - 1),
        &format!("0-{most}"),
        "5",
    ] {
        let page = buyer.get(&format!("{}?moved={told}", list_of(&rolf))).await;
        assert_eq!(page.status, 200, "{told}: {page:?}");
        assert!(!page.text.contains("handed over by you"), "{told}");
    }
    let (_, moved) = answer.location().split_once('?').expect("what was moved");
    let elsewhere = manager.get(&format!("{}?{moved}", list_of(&rita))).await.text;
    assert!(
        !elsewhere.contains("handed over by you"),
        "Rita’s were not: {elsewhere}"
    );

    // by the rules: Rolf's rule names Rolf, who hands over; a resolver gives away their own
    let resolver = house.sign_in(RESOLVER).await;
    let rest = [tick(&orders[1]), tick(&late)];
    let answer = hand_over(&resolver, &rolf, &rest, "rules", "on holiday").await;
    assert_handed_over(&house, &answer, &rolf, 2).await;
    assert_eq!(owner(&house.now(&late).await), "Rita Resolver");
    let empty = resolver.get(&list_of(&rolf)).await.text;
    assert!(empty.contains("Nothing is theirs"), "{empty}");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn nothing_is_handed_over_when_one_has_changed_and_which_is_named() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    done(&house.run(&["tenant", "owner", "--owner", RESOLVER]));
    let (first, second) = (
        lost(&house, &buyer, "stays").await,
        lost(&house, &buyer, "changes").await,
    );
    let (rolf, rita) = (house.person(RESOLVER).await, house.person(COLLEAGUE).await);
    let (manager, resolver) = (house.sign_in(MANAGER).await, house.sign_in(RESOLVER).await);
    let ticks = [tick(&first), tick(&second)];
    let taken = hand_over(&resolver, &rolf, &ticks[1..], &rita, "she knows them").await;
    assert_handed_over(&house, &taken, &rolf, 1).await;
    let before = house.stored().await;

    let refused = hand_over(&manager, &rolf, &ticks, &rita, "Rolf is ill").await;

    let refused = manager.refused(&refused, &list_of(&rolf)).await;
    assert!(refused.is("cases_changed"), "{:?}", refused.why);
    let named = refused.why["about"].as_array().expect("the cases");
    assert_eq!(named.len(), 1, "{named:?}");
    assert_eq!(named[0]["case"], second["case"]["id"]);
    assert!(refused.page.contains("Rita Resolver has it now"), "{}", refused.page);
    assert!(refused.page.contains("Rolf is ill"), "what was typed stays");
    assert!(refused.page.contains(&ticks[0]), "the list as it is now");
    assert!(!refused.page.contains(&ticks[1]));
    assert_eq!(house.stored().await, before);
    assert_eq!(owner(&house.now(&first).await), "Rolf Resolver");

    // what is missing is named, too
    for (cases, to, reason, field) in [
        (&[][..], &*rita, "why", "cases"),
        (&ticks[..1], "", "why", "owner"),
        (&ticks[..1], &*rolf, "why", "owner"),
        (&ticks[..1], &*rita, " ", "reason"),
        (&["case_x".to_owned()], &*rita, "why", "cases"),
        (&[ticks[0].clone(), ticks[0].clone()], &*rita, "why", "cases"),
    ] {
        let answer = hand_over(&manager, &rolf, cases, to, reason).await;
        let refused = manager.refused(&answer, &list_of(&rolf)).await;
        assert_eq!(refused.field(), field, "{cases:?} {to:?} {reason:?}: {:?}", refused.why);
    }
    assert_eq!(house.stored().await, before);
}

#[tokio::test]
async fn a_hand_over_is_for_who_may_and_stays_within_the_house() {
    let house = house().await;
    let buyer = house.sign_in(BUYER).await;
    done(&house.run(&["tenant", "owner", "--owner", RESOLVER]));
    let order = lost(&house, &buyer, "mine").await;
    let (rolf, rita) = (house.person(RESOLVER).await, house.person(COLLEAGUE).await);
    let ticks = [tick(&order)];
    for who in [BUYER, COLLEAGUE] {
        let session = house.sign_in(who).await;
        let answer = hand_over(&session, &rolf, &ticks, &rita, "give it here").await;
        let refused = session.refused(&answer, &list_of(&rolf)).await;
        assert!(refused.is("not_your_role"), "{who}: {:?}", refused.why);
    }

    done(&house.run(&["tenant", "add", "Next door", "--zone", "UTC"]));
    let next_door = ["--tenant", "Next door", "--password-stdin"];
    let mut arguments = vec![
        "person",
        "add",
        "Nora Next",
        "--email",
        "nora@example.com",
        "--role",
        "manager",
    ];
    arguments.extend(next_door);
    done(&house.run_with_input(&arguments, PASSWORD));
    let stranger = house.sign_in("nora@example.com").await;
    let nora = house.person("nora@example.com").await;
    assert_eq!(stranger.get(&list_of(&rolf)).await.status, 404);
    let shown = stranger.get("/people").await.text;
    assert!(!shown.contains("Rolf Resolver"), "{shown}");
    let theirs = hand_over(&stranger, &rolf, &ticks, &nora, "mine now").await;
    assert_eq!(stranger.refused(&theirs, "/people").await.field(), "person");
    let as_own = hand_over(&stranger, &nora, &ticks, "rules", "mine now").await;
    assert_eq!(stranger.refused(&as_own, &list_of(&nora)).await.field(), "case");
    // and nobody is given a case who is not of the house
    let manager = house.sign_in(MANAGER).await;
    let out = hand_over(&manager, &rolf, &ticks, &nora, "she has time").await;
    assert_eq!(manager.refused(&out, &list_of(&rolf)).await.field(), "owner");
    assert_eq!(owner(&house.now(&order).await), "Rolf Resolver");
}

#[tokio::test]
async fn of_two_managers_who_hand_the_same_over_at_once_one_wins() {
    let house = house().await;
    add(&house, "Moritz Manager", OTHER_MANAGER, "manager");
    let buyer = house.sign_in(BUYER).await;
    done(&house.run(&["tenant", "owner", "--owner", RESOLVER]));
    let orders = [lost(&house, &buyer, "one").await, lost(&house, &buyer, "two").await];
    let ticks: Vec<String> = orders.iter().map(tick).collect();
    let rolf = house.person(RESOLVER).await;
    let (rita, mara) = (house.person(COLLEAGUE).await, house.person(MANAGER).await);
    let (one, other) = (house.sign_in(MANAGER).await, house.sign_in(OTHER_MANAGER).await);

    let (first, second) = tokio::join!(
        hand_over(&one, &rolf, &ticks, &rita, "to Rita"),
        hand_over(&other, &rolf, &ticks, &mara, "to Mara"),
    );

    let won = format!("{}?moved=", list_of(&rolf));
    let wins = [&first, &second].map(|answer| answer.location().starts_with(&won));
    assert_eq!(wins.iter().filter(|wins| **wins).count(), 1, "{first:?} {second:?}");
    let (loser, lost, winner) = match wins[0] {
        true => (&other, &second, "Rita Resolver"),
        false => (&one, &first, "Mara Manager"),
    };
    let refused = loser.refused(lost, &list_of(&rolf)).await;
    assert!(refused.is("cases_changed"), "{:?}", refused.why);
    assert_eq!(refused.why["about"].as_array().map(Vec::len), Some(2));
    for order in &orders {
        let now = house.now(order).await;
        assert_eq!(owner(&now), winner);
        assert_eq!(house.happened(&now, "case_moved").await.len(), 1);
    }
    house.assert_log_is_whole().await;
}

/// One absence at a time: one that does not meet the other would make it be forgotten.
#[tokio::test]
async fn a_later_absence_does_not_take_the_place_of_one_that_is_not_over() {
    let house = House::plan().no_worker().start().await;
    let day = |days: u64| (chrono::Utc::now().date_naive() + chrono::Days::new(days)).to_string();
    let away =
        |from: String, until: String| house.run(&["person", "away", RESOLVER, "--from", &from, "--until", &until]);
    let first = away(day(0), day(3));
    assert_eq!(first.status, 0, "{}", first.err);

    let later = away(day(9), day(12));

    assert_eq!(later.status, 2, "{}", later.err);
    assert!(
        later.err.contains("--from") && later.err.contains("one at a time"),
        "{}",
        later.err
    );
    let joined = away(day(2), day(12));
    assert_eq!(joined.status, 0, "{}", joined.err);
    let kept = house.run(&["person", "list"]).out;
    let days = format!("away {} to {}", day(0), day(12));
    assert!(kept.contains(&days), "days that have begun stay: {kept}");
}

/// Whoever has the case of an order keeps what follows from it, whoever has less to do.
#[tokio::test]
async fn nobody_loses_an_order_in_the_middle_of_their_work() {
    let house = House::soon_settled().start().await;
    let buyer = house.sign_in(BUYER).await;
    let resolver = house.sign_in(RESOLVER).await;
    let lost = house.lose(&buyer, "kept", "close_without_store").await;
    let owner = lost["case"]["owner"].clone();
    let added = house.run_with_input(
        &[
            "person",
            "add",
            "Rita",
            "--email",
            "rita@example.com",
            "--role",
            "resolver",
            "--password-stdin",
        ],
        support::PASSWORD,
    );
    assert_eq!(added.status, 0, "{}", added.err);

    let missing = house.found_missing(&resolver, &lost).await;

    assert_eq!(missing["held_because"], "not_found", "{missing:#}");
    assert_eq!(missing["case"]["kind"], "not_sent", "{missing:#}");
    assert_eq!(missing["case"]["owner"], owner, "Rita has nothing to do, and still");
}
