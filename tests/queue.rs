//! The morning queue: everything that is not final stands in exactly one section, counts and sums agree with the rows, what is
//! looked for is found, and pages go on where they ended (cases Q6, P2).

mod support;

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use support::database::either;
use support::fill::{Filling, Original};
use support::home::{fault, id};
use support::{BUYER, House, MANAGER, RESOLVER, Session, Suggested, body, with};

/// More than one page shows.
const MANY: i64 = 130;

async fn suggested(house: &House) -> Suggested {
    house.suggest("restock", &body("restock")).await
}

/// What the rows in this piece of a page link to.
fn links(piece: &str) -> Vec<String> {
    let links = piece
        .split("href=\"")
        .skip(1)
        .filter_map(|link| Some(link.split_once('"')?.0));
    let is_thing = |link: &&str| {
        let things = ["/orders/po_", "/suggestions/sug_", "/cases/case_"];
        things.iter().any(|thing| link.starts_with(thing))
    };
    links.filter(is_thing).map(str::to_owned).collect()
}

/// What each section of the page links to, by the section's word.
fn sections(page: &str) -> BTreeMap<String, Vec<String>> {
    let section = |piece: &str| {
        let (tag, rest) = piece.split_once('>')?;
        let word = tag.split_once(" id=\"")?.1.split('"').next()?;
        Some((word.to_owned(), links(rest.split("</section>").next()?)))
    };
    page.split("<section").skip(1).filter_map(section).collect()
}

fn in_section(page: &str, word: &str) -> Vec<String> {
    sections(page).remove(word).unwrap_or_default()
}

/// Every page of one section, from the address on.
async fn all_of(who: &Session<'_>, section: &str) -> Vec<String> {
    let (mut path, mut links) = (format!("/?section={section}"), Vec::new());
    loop {
        let page = who.get(&path).await.text;
        links.extend(in_section(&page, section));
        let Some(next) = page
            .split("href=\"")
            .find(|link| link.contains("&after=") || link.contains("&amp;after="))
        else {
            return links;
        };
        path = next.split('"').next().expect("its end").replace("&amp;", "&");
    }
}

#[tokio::test]
async fn a_long_section_shows_its_first_counts_and_adds_up_all_and_goes_on_page_by_page() {
    let mut house = House::plan().no_worker().start().await;
    let one = suggested(&house).await;
    house.kill_web();
    let mut filling = Filling::of(house.database_url()).await;
    filling.copy(Original::Suggestion(&one.id), 1..1 + MANY).await;
    filling.done().await;
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;

    let page = buyer.get("/").await.text;

    assert!(page.contains("The first 25 of 131."), "{page}");
    assert_eq!(in_section(&page, "review").len(), 25);
    // 24 at 0.4375 is 10.50; 131 of them
    assert!(page.contains(">€1,375.50<"), "{page}");
    let newest = format!("/suggestions/{}", one.id);
    assert!(!page.contains(&newest), "the newest is not among the oldest");

    let all = all_of(&buyer, "review").await;

    assert_eq!(all.len(), 131);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 131, "none twice");
    assert_eq!(all.last(), Some(&newest));
}

/// An order in every state that is not final, and what was settled today: each in one section, the first that is true of it.
#[tokio::test]
async fn every_thing_stands_in_exactly_one_section() {
    let house = House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let settled = house.buy(&buyer, "settled").await;
    house.wait_for_state(&settled, "confirmed").await;
    let pending = house.lose(&buyer, "pending", "store_then_close").await;
    let late = house.lose(&buyer, "late", "store_then_close").await;
    house.faults(json!([fault("store_with_differences")])).await;
    let differs = house.buy(&buyer, "differs").await;
    house.wait_for_state(&differs, "confirmed").await;
    house.faults(json!([fault("accept_202")])).await;
    let acknowledged = house.buy(&buyer, "acknowledged").await;
    house.wait_for_state(&acknowledged, "acknowledged").await;
    let back = house.suggest("back", &body("back")).await;
    let why = [
        ("suggestion", &*back.id),
        ("digest", &back.digest),
        ("reason", "too many"),
    ];
    buyer.post("/act/send_back", &why).await;
    let waits = house.suggest("waits", &body("waits")).await;
    let reused = house.suggest("reused", &body("reused")).await;
    let other = with(body("reused"), "/lines/0/quantity", json!("2400"));
    assert_eq!(house.put_suggestion("reused", &other).await.status, 422);
    let held = house.run(&["supplier", "hold", "practice", "--reason", "they are down"]);
    assert_eq!(held.status, 0, "{}", held.err);
    let unsent = house.buy(&buyer, "unsent").await;
    house.wait_for(&unsent, "held", |order| order["held"] == true).await;
    let pool = house.database().await;
    let overdue = "UPDATE cases SET due_at = opened_at + 1 WHERE order_id = $1";
    sqlx::query(overdue)
        .bind(id(&late))
        .execute(&pool)
        .await
        .expect(overdue);
    pool.close().await;

    let page = resolver.get("/").await.text;

    let order = |id: &str| format!("/orders/{id}");
    let suggestion = |one: &Suggested| format!("/suggestions/{}", one.id);
    let found = sections(&page);
    let mut attention = found["attention"].clone();
    let supplier = attention.iter().position(|link| link.starts_with("/cases/case_"));
    attention.remove(supplier.expect("the supplier’s hold is a case without an order"));
    let mut wanted = vec![order(id(&late)), suggestion(&reused)];
    attention.sort();
    wanted.sort();
    assert_eq!(attention, wanted);
    for (section, link) in [
        ("pending", order(id(&pending))),
        ("differences", order(&differs)),
        ("acknowledged", order(&acknowledged)),
        ("not_sent", order(&unsent)),
        ("review", suggestion(&waits)),
        ("sent_back", suggestion(&back)),
        ("settled", order(&settled)),
    ] {
        assert_eq!(found[section], [link], "{section}");
    }
    assert!(page.contains("Late"), "urgency in words");
    assert!(page.contains("They are down"), "why nothing goes out");
}

/// A case that belongs to no order can be taken where its row leads to; and on paper everything open stands once.
#[tokio::test]
async fn a_suppliers_case_is_taken_on_its_sheet_and_everything_open_is_on_paper() {
    let house = House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .start()
        .await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let settled = house.buy(&buyer, "settled").await;
    house.wait_for_state(&settled, "confirmed").await;
    let lost = house.lose(&buyer, "lost", "store_then_close").await;
    let held = house.run(&["supplier", "hold", "practice", "--reason", "they are down"]);
    assert_eq!(held.status, 0, "{}", held.err);
    let page = manager.get("/").await.text;
    let sheet = in_section(&page, "attention").pop().expect("the supplier’s case");
    let case = sheet.trim_start_matches("/cases/").to_owned();
    let version = house
        .number("SELECT version FROM cases WHERE supplier IS NOT NULL")
        .await
        .to_string();
    let owner = house.person(MANAGER).await;
    let fields = |due: &'static str| {
        vec![
            ("case", case.clone()),
            ("version", version.clone()),
            ("owner", owner.clone()),
            ("due_at", due.to_owned()),
            ("reason", "I call them".to_owned()),
        ]
    };
    let post = async |due: &'static str| {
        let fields = fields(due);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
        manager.post("/act/assign", &fields).await.location().to_owned()
    };
    assert!(
        manager.get(&sheet).await.text.contains("action=\"/act/assign\""),
        "the form is there"
    );
    let refused = post("2001-01-01T12:00").await;
    assert!(refused.starts_with(&format!("{sheet}?refused=")), "{refused}");
    let page = manager.get(&refused).await.text;
    assert!(
        page.contains("is in the past") && page.contains("I call them"),
        "{page}"
    );
    assert_eq!(post("2031-01-01T12:00").await, sheet);
    assert!(manager.get(&sheet).await.text.contains("Mara Manager"));

    let paper = manager.get("/queue-sheet").await.text;

    let open: BTreeSet<String> = links(&paper).into_iter().collect();
    let wanted = BTreeSet::from([format!("/orders/{}", id(&lost)), sheet]);
    assert_eq!(open, wanted, "what is settled is left out: {paper}");
    assert!(paper.contains("Who has what"), "{paper}");
    let mine = manager.get("/queue-sheet?mine=yes").await.text;
    assert!(mine.contains("Not everything") && !mine.contains(id(&lost)), "{mine}");
}

/// What a text found goes on page by page behind what stood last, whatever has left the list meanwhile.
#[tokio::test]
async fn what_is_found_goes_on_behind_what_was_found_last() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut wanted = Vec::new();
    for number in 0..57 {
        wanted.push(house.suggest(&format!("same-{number}"), &body("SAME")).await);
    }
    wanted.reverse();
    let path = |one: &Suggested| format!("/suggestions/{}", one.id);
    let found = |page: &str| links(page.split("id=\"found-heading\"").nth(1).expect("what was found"));
    let after = |page: &str| {
        let field = page.split("name=\"after\" value=\"").nth(1);
        field.map(|rest| rest.split('"').next().expect("its end").to_owned())
    };

    let first = buyer.get("/?q=SAME").await.text;

    let shown: Vec<String> = wanted.iter().take(50).map(path).collect();
    assert_eq!(found(&first), shown, "the newest first");
    assert!(first.contains(">50+<"), "{first}");
    // two of those that were shown leave, the last among them
    for gone in [&wanted[3], &wanted[49]] {
        let fields = [
            ("suggestion", &*gone.id),
            ("digest", &*gone.digest),
            ("reason", "not needed"),
        ];
        assert_eq!(buyer.post("/act/reject", &fields).await.status, 303);
    }
    let next = after(&first).expect("it goes on");
    let second = buyer.get(&format!("/?q=SAME&after={next}")).await.text;
    let rest: Vec<String> = wanted.iter().skip(50).map(path).collect();
    assert_eq!(found(&second), rest, "nothing skipped, nothing twice");
    assert_eq!(after(&second), None, "that was all of it");
    assert!(second.contains("First page"), "{second}");
    for gone in &wanted[50..] {
        let fields = [
            ("suggestion", &*gone.id),
            ("digest", &*gone.digest),
            ("reason", "not needed"),
        ];
        assert_eq!(buyer.post("/act/reject", &fields).await.status, 303);
    }
    let nothing = buyer.get(&format!("/?q=SAME&after={next}")).await.text;
    assert!(nothing.contains("Nothing stands behind it any more"), "{nothing}");
    // said of a page behind another, and of nothing else
    for path in [
        "/?after=anything",
        "/?q=NOTHING-LIKE-IT&after=anything",
        "/?section=pending&after=anything",
    ] {
        let page = buyer.get(path).await.text;
        assert!(!page.contains("Nothing stands behind it"), "{path}: {page}");
    }
}

/// Everything of one intent is found by it, however often it was changed and bought again.
#[tokio::test]
async fn what_an_id_finds_goes_on_page_by_page() {
    let mut house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "often").await;
    house.kill_web();
    let mut filling = Filling::of(house.database_url()).await;
    filling.copy(Original::Order(&order), 1..1 + 56).await;
    filling.done().await;
    let pool = house.database().await;
    let thaw = either(
        "DROP TRIGGER orders_are_frozen",
        "DROP TRIGGER orders_are_frozen ON orders",
    );
    let of_one_intent = "UPDATE orders SET intent = 'often',
                         revision = 1000 + (SELECT count(*) FROM orders o WHERE o.id < orders.id)";
    for statement in [thaw, of_one_intent] {
        sqlx::query(statement).execute(&pool).await.expect(statement);
    }
    pool.close().await;
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    let (mut path, mut found) = ("/?q=often".to_owned(), Vec::new());
    for shown in [50, 7] {
        let page = buyer.get(&path).await.text;
        let rows = links(page.split("id=\"found-heading\"").nth(1).expect("what was found"));
        assert_eq!(rows.len(), shown, "{page}");
        found.extend(rows);
        let after = page.split("name=\"after\" value=\"").nth(1);
        let after = after.map(|rest| rest.split('"').next().expect("its end").to_owned());
        path = format!("/?q=often&after={}", after.unwrap_or_default());
    }
    let once: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!((found.len(), once.len()), (57, 57), "nothing skipped, nothing twice");
}

/// Where several words of a thing begin so it stands there once, and a page that says there is more has more.
#[tokio::test]
async fn what_is_found_by_several_of_its_words_is_no_page_of_its_own() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let line = |sku: String| json!({ "sku": sku, "quantity": "1", "unit": "EA", "unit_price": "1.00" });
    for number in 0..30 {
        let lines: Vec<Value> = (0..4).map(|place| line(format!("M8-{number}-{place}"))).collect();
        let suggestion = with(body("any"), "/lines", json!(lines));
        house.suggest(&format!("several-{number}"), &suggestion).await;
    }

    let page = buyer.get("/?q=M8").await.text;

    let found = links(page.split("id=\"found-heading\"").nth(1).expect("what was found"));
    let once: BTreeSet<&String> = found.iter().collect();
    assert_eq!((found.len(), once.len()), (30, 30));
    assert!(page.contains(">30<") && !page.contains("Next page"), "{page}");
}

/// Filters stand in the address; what means nothing is named, and nothing is shown as if it were the answer.
#[tokio::test]
async fn the_queue_is_looked_through_by_what_stands_in_the_address() {
    let house = House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let mine = house.lose(&buyer, "mine", "store_then_close").await;
    let theirs = house.lose(&buyer, "theirs", "store_then_close").await;
    let owner = house.person(MANAGER).await;
    let case = |order: &Value| order["case"]["id"].as_str().expect("a case").to_owned();
    let (moved, version) = (case(&theirs), theirs["case"]["version"].to_string());
    let to = [
        ("case", &*moved),
        ("version", &version),
        ("owner", &owner),
        ("due_at", "2031-01-01T12:00"),
        ("reason", "for the manager"),
    ];
    assert_eq!(manager.post("/act/assign", &to).await.status, 303);

    let of = |order: &Value| vec![format!("/orders/{}", id(order))];
    let page = resolver.get("/?mine=yes").await.text;
    assert_eq!(in_section(&page, "pending"), of(&mine));
    let page = manager.get("/?mine=yes&section=pending").await.text;
    assert_eq!(in_section(&page, "pending"), of(&theirs));
    let page = resolver.get("/?unowned=yes").await.text;
    assert!(
        sections(&page).values().all(Vec::is_empty),
        "everything has somebody: {page}"
    );
    let page = resolver.get("/?supplier=practice").await.text;
    assert_eq!(in_section(&page, "pending").len(), 2);
    let page = resolver.get("/?supplier=nobody").await.text;
    assert!(page.contains("Nothing here is like what you asked for"), "{page}");
    let page = resolver.get("/?section=gossip&mine=perhaps").await.text;
    assert!(page.contains("There is no such section"), "{page}");
    assert!(page.contains("“Mine” is yes, or not asked for"), "{page}");
    assert!(sections(&page).is_empty(), "nothing that could be taken for the answer");
}

/// Two cases of one order, two owners: all that its row says is of one of them.
#[tokio::test]
async fn a_row_with_two_cases_speaks_of_one_of_them_and_what_somebody_is_at_is_not_nobodys() {
    let house = House::plan()
        .setting("request_deadline", "1s")
        .setting("send_by", "1s")
        .setting("lease", "2500ms")
        .setting("look_up_first", "300ms")
        .setting("look_up_most", "300ms")
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let twice = std::iter::repeat_n(json!({ "on": "look_up", "do": "twice" }), 200);
    house
        .faults(std::iter::once(fault("store_then_close")).chain(twice).collect())
        .await;
    let order = house.buy(&buyer, "two-cases").await;
    let order = house
        .wait_for(&order, "two cases", |order| {
            order["cases"].as_array().map(Vec::len) == Some(2)
        })
        .await;
    let row = async || {
        let page = buyer.get("/").await.text;
        let rows = page.split("<tr>").filter(|row| row.contains(id(&order)));
        let [row] = rows.collect::<Vec<_>>()[..] else {
            panic!("not one row: {page}")
        };
        let section = sections(&page).into_iter();
        let mut section = section.filter(|(_, links)| links.contains(&format!("/orders/{}", id(&order))));
        (section.next().expect("a section").0, row.to_owned())
    };
    let (section, both) = row().await;
    assert_eq!(section, "pending", "{both}");
    assert!(
        both.contains("Rolf Resolver") && both.contains("and 1 more case"),
        "{both}"
    );

    // the one that is due later goes to somebody who is away
    let case = duplicate(&house, &order).await;
    let version = case["version"].to_string();
    let to = [
        ("case", id(&case)),
        ("version", &*version),
        ("owner", &house.person(MANAGER).await),
        ("due_at", "2031-01-01T12:00"),
        ("reason", "hers"),
    ];
    assert_eq!(resolver.post("/act/assign", &to).await.status, 303);
    let away = house.run(&["person", "away", MANAGER, "--until", &in_two_days()]);
    assert_eq!(away.status, 0, "{}", away.err);
    let (section, left) = row().await;
    assert_eq!(section, "attention", "{left}");
    assert!(
        left.contains("Owner is away") && left.contains("Mara Manager"),
        "{left}"
    );
    assert!(
        !left.contains("Rolf Resolver"),
        "not the owner of the other one: {left}"
    );
    let mine = resolver.get("/?mine=yes").await.text;
    assert!(mine.contains("and 1 more case, which is yours"), "{mine}");

    let case = duplicate(&house, &order).await;
    let version = case["version"].to_string();
    let at_it = [("order", id(&order)), ("case", id(&case)), ("version", &*version)];
    assert_eq!(resolver.post("/act/acknowledge", &at_it).await.status, 303);
    let (section, at_it) = row().await;
    assert_eq!(section, "pending", "somebody is at it: {at_it}");
    assert!(at_it.contains("Rolf Resolver"), "{at_it}");
}

/// The case about a second record of an order.
async fn duplicate(house: &House, order: &Value) -> Value {
    let now = house.now(order).await;
    let cases = now["cases"].as_array().expect("cases");
    let mut duplicates = cases.iter().filter(|case| case["kind"] == "supplier_duplicate");
    duplicates.next().expect("a case").clone()
}

#[allow(clippy::disallowed_methods, reason = "a test says until when somebody is away")]
fn in_two_days() -> String {
    (Utc::now() + TimeDelta::days(2)).date_naive().to_string()
}

/// What stands on somebody's papers: exact ones first, each with what of it matched; nothing of another tenant.
#[tokio::test]
async fn a_thing_is_found_by_what_stands_on_its_papers() {
    let house = House::start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let bought = house.buy(&buyer, "M8-40-A2").await;
    let bought = house.wait_for_state(&bought, "confirmed").await;
    let longer = house.suggest("longer", &body("m8-40-a2-x")).await;
    house.suggest("other", &body("other")).await;
    let number = bought["supplier_reference"].as_str().expect("a number").to_owned();
    let key = bought["operation_key"].as_str().expect("a key").to_owned();
    let order = vec![format!("/orders/{}", id(&bought))];
    let suggestion = vec![format!("/suggestions/{}", longer.id)];
    let find = async |text: &str| {
        let page = resolver.get(&format!("/?q={}", text.replace(' ', "+"))).await.text;
        let cut = page
            .split("id=\"found-heading\"")
            .nth(1)
            .expect("what was found")
            .to_owned();
        (links(&cut), cut)
    };

    for exact in [id(&bought), &number, &key] {
        let (links, page) = find(exact).await;
        assert_eq!(links, order, "{exact}: {page}");
    }
    let (links, page) = find("M8-40-A2").await;
    assert_eq!(
        links,
        [&*order, &*suggestion].concat(),
        "exact first, then what begins so"
    );
    assert!(page.contains("Article is M8-40-A2"), "{page}");
    assert!(page.contains("Article begins so: m8-40-a2-x"), "{page}");
    assert_eq!(find(&longer.id).await.0, suggestion);
    assert_eq!(find("longer").await.0, suggestion, "by its intent");
    assert_eq!(find(&id(&bought)[..9]).await.0, order, "by the beginning of its id");
    let (links, page) = find("nothing like it %25").await;
    assert!(links.is_empty() && page.contains("Nothing is called so"), "{page}");
    let narrowed = resolver.get("/?q=M8-40-A2&section=pending").await.text;
    assert!(narrowed.contains("2 things are called so elsewhere"), "{narrowed}");
    assert!(!narrowed.contains("Nothing is called so"), "it is there, only not here");
    assert!(
        find("M8-40-a2")
            .await
            .1
            .contains("Article is, but for capitals, M8-40-A2")
    );
    let mine = resolver.get("/?q=M8-40-A2&mine=yes").await.text;
    assert!(!mine.contains(&order[0]), "what is settled is nobody’s");

    let added = house.run(&["tenant", "add", "Other", "--zone", "UTC"]);
    assert_eq!(added.status, 0, "{}", added.err);
    let added = house.run_with_input(
        &[
            "person",
            "add",
            "Otto",
            "--email",
            "otto@example.com",
            "--role",
            "manager,resolver",
            "--password-stdin",
            "--tenant",
            "Other",
        ],
        support::PASSWORD,
    );
    assert_eq!(added.status, 0, "{}", added.err);
    let otto = house.sign_in("otto@example.com").await;
    for text in [id(&bought), &number, &key, "M8-40-A2", &longer.id, "longer"] {
        let page = otto.get(&format!("/?q={text}")).await.text;
        assert!(page.contains("Nothing is called so"), "{text} is another tenant’s");
    }
}

/// The list in review goes on where its page ended, also when the last of it has been decided meanwhile.
#[tokio::test]
async fn the_list_of_suggestions_goes_on_behind_one_that_has_left_it() {
    let mut house = House::plan().no_worker().start().await;
    let newest = suggested(&house).await;
    house.kill_web();
    let mut filling = Filling::of(house.database_url()).await;
    filling.copy(Original::Suggestion(&newest.id), 1..1 + 60).await;
    filling.done().await;
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    let first = buyer.get("/suggestions").await.text;
    let next = first.split("/suggestions?after=").nth(1).expect("a second page");
    let next = next.split('"').next().expect("its end").to_owned();
    assert!(!first.contains(&newest.id));
    buyer
        .post(
            "/act/reject",
            &[
                ("suggestion", &*next),
                ("digest", &newest.digest),
                ("reason", "not now"),
            ],
        )
        .await;

    let second = buyer.get(&format!("/suggestions?after={next}")).await.text;

    assert!(second.contains(&newest.id), "{second}");
    let rows = second.matches("href=\"/suggestions/sug_").count();
    assert_eq!(rows, 11, "{second}");
}

/// The total beside the contents is there since a later version of the schema.
#[tokio::test]
async fn what_was_kept_without_its_total_is_added_up_all_the_same() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    house.buy(&buyer, "before").await;
    suggested(&house).await;
    let before = buyer.get("/").await.text;
    let pool = house.database().await;
    let thaw = either(
        "DROP TRIGGER orders_total_is_frozen",
        "DROP TRIGGER orders_total_is_frozen ON orders",
    );
    for statement in [
        thaw,
        "UPDATE orders SET currency = NULL, total = NULL",
        "UPDATE suggestions SET currency = NULL, total = NULL",
    ] {
        sqlx::query(statement).execute(&pool).await.expect(statement);
    }
    pool.close().await;

    let after = buyer.get("/").await.text;

    let money = |page: &str| page.matches("figure-money").count();
    assert_eq!(money(&before), 2, "{before}");
    assert_eq!(figures(&after), figures(&before));
}

/// The figures on top of the queue.
fn figures(page: &str) -> &str {
    let strip = page.split("aria-label=\"Figures\"").nth(1).expect("figures");
    strip.split("</ul>").next().expect("their end")
}

/// While 250 orders are settled in no order, whoever pages through them misses none and sees none twice, and on every page of
/// the queue the sections add up to all of them.
#[tokio::test]
async fn while_250_orders_are_settled_at_random_nothing_is_skipped_and_nothing_is_twice() {
    const ORDERS: usize = 250;
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut ids = BTreeSet::new();
    for number in 0..ORDERS {
        ids.insert(house.buy(&buyer, &format!("random-{number}")).await);
    }
    let _worker = house.work().await;
    let settle = async {
        // by their ids, which are random, every third is withdrawn while the worker sends the others
        for id in ids.iter().step_by(3) {
            let order = house.order(id).await;
            let version = order["version"].to_string();
            let fields = [("order", &**id), ("version", &version), ("reason", "at random")];
            buyer.post("/act/withdraw", &fields).await;
        }
        for id in &ids {
            house
                .wait_for(id, "settled", |order| {
                    ["confirmed", "withdrawn"].contains(&order["state"].as_str().expect("a state"))
                })
                .await;
        }
    };
    let resolver = house.sign_in(RESOLVER).await;
    let done = std::sync::atomic::AtomicBool::new(false);
    let page_on = async {
        let mut rounds = 0;
        loop {
            let last = done.load(std::sync::atomic::Ordering::Relaxed);
            assert_pages_are_whole(&house, &ids).await;
            let exported = house.run(&["export", "orders", "--as", "jsonl"]);
            assert_eq!(exported.status, 0, "{}", exported.err);
            assert_each_once(
                exported.out.lines().map(|line| {
                    let order: Value = serde_json::from_str(line).expect("a line");
                    order["id"].as_str().expect("an id").to_owned()
                }),
                &ids,
            );
            let page = resolver.get("/").await.text;
            let spent = assert_queue_adds_up(&page, ORDERS);
            // what was withdrawn is no money spent
            let withdrawn = ORDERS.div_ceil(3);
            assert!((ORDERS - withdrawn..=ORDERS).contains(&spent), "{spent} of {ORDERS}");
            if last {
                let mut bought = 0;
                for id in &ids {
                    bought += usize::from(house.order(id).await["state"] == "confirmed");
                }
                assert_eq!(spent, bought, "{page}");
            }
            rounds += 1;
            if last {
                return rounds;
            }
        }
    };
    let settle = async {
        settle.await;
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    };

    let ((), rounds) = tokio::join!(settle, page_on);

    assert!(rounds >= 2, "it paged while they were settled");
    let mut records = 0;
    for id in &ids {
        let order = house.order(id).await;
        let there = house.count(&order).await;
        assert_eq!(there, i64::from(order["state"] == "confirmed"), "{order}");
        records += there;
    }
    assert!(records > 0, "some were bought");
}

fn assert_each_once(seen: impl Iterator<Item = String>, all: &BTreeSet<String>) {
    let seen: Vec<String> = seen.collect();
    assert_eq!(seen.len(), all.len(), "nothing twice");
    assert_eq!(&seen.into_iter().collect::<BTreeSet<_>>(), all, "nothing skipped");
}

async fn assert_pages_are_whole(house: &House, all: &BTreeSet<String>) {
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = house.read(&format!("/api/v1/orders?limit=20{after}")).await.json();
        let orders = page["orders"].as_array().expect("orders");
        seen.extend(orders.iter().map(|order| id(order).to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_each_once(seen.into_iter(), all);
}

/// On one page the sections hold all of them. Answers of how many the money of the sections is: 10.50 each.
fn assert_queue_adds_up(page: &str, all: usize) -> usize {
    let figures = figures(page);
    let cut = figures.split("figure-count\">").skip(1);
    let count = |cut: &str| -> usize {
        let text = cut.split("</p>").next().expect("its end");
        let number = text.rsplit('>').next().expect("a number");
        number.parse().unwrap_or_else(|_| panic!("no count: {text}"))
    };
    assert_eq!(cut.map(count).sum::<usize>(), all, "{figures}");
    let money = figures.split("figure-money\">€").skip(1);
    let cents = |cut: &str| -> u64 {
        let text = cut.split(['<', ' ']).next().expect("its end").replace([',', '.'], "");
        text.parse().expect("an amount")
    };
    let cents = money.map(cents).sum::<u64>();
    assert_eq!(cents % 1050, 0, "{figures}");
    usize::try_from(cents / 1050).expect("so many")
}
