//! The sheet of a case answers what whoever takes it over asks (brief.md "What a pending order's case must always answer"),
//! for every kind of case; it changes nothing. And whoever approved an order is told what became of it.

mod support;

use serde_json::{Value, json};
use support::home::{assert_done, assert_owned, fault, id, page, until};
use support::{BUYER, House, MANAGER, PASSWORD, RESOLVER, Session, body};

/// What every sheet of an open case answers.
const ANSWERED: [&str; 5] = [
    "What may I do now, until when?",
    "What must I not do, and why?",
    "Who owns it, until when?",
    "What happens if nobody acts?",
    "What closes this case?",
];

/// What the sheet of an order answers beside that.
const ABOUT_THE_ORDER: [&str; 3] = [
    "What did we send?",
    "Did it leave us?",
    "What does the supplier say, asked when?",
];

fn plan() -> support::Plan {
    House::soon_settled()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
}

/// The path of a case's sheet.
fn sheet(case: &Value) -> String {
    format!("/cases/{}", id(case))
}

/// The page without its header: there is a button to sign out.
fn main_of(page: &str) -> &str {
    let main = page.split("<main").nth(1).expect("a main part");
    main.split("</main>").next().expect("its end")
}

/// The sheet itself: below a supplier's stand the forms that have no other page.
fn paper_of(page: &str) -> &str {
    let paper = page.split("<article").nth(1).expect("a sheet");
    paper.split("</article>").next().expect("its end")
}

/// What a page says, without its markup.
fn words_of(page: &str) -> String {
    let mut words = String::new();
    for piece in main_of(page).split('<').skip(1) {
        words.push_str(piece.split_once('>').map_or("", |(_, text)| text));
    }
    let words = words
        .replace("&amp;", "&")
        .replace("&#39;", "'")
        .replace("&quot;", "\"");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a sheet twice: nothing is changed by it, and there is nothing to press. Answers its words.
async fn read(who: &Session<'_>, path: &str) -> String {
    // the worker may write meanwhile, and does not each time
    let first = until("a sheet is read, and nothing is written", || async {
        let before = who.house.stored().await;
        let first = who.get(path).await;
        let again = who.get(path).await;
        assert_eq!((first.status, again.status), (200, 200), "{path}");
        (who.house.stored().await == before).then_some(first)
    })
    .await;
    for pressed in ["<form", "<button", "<input", "<select", "<textarea"] {
        assert!(!paper_of(&first.text).contains(pressed), "{pressed} on {path}");
    }
    let words = words_of(&first.text);
    assert!(
        words.contains(&format!("{}{path}", authority(who.house))),
        "its address: {words}"
    );
    words
}

fn authority(house: &House) -> &str {
    house.base.trim_start_matches("http://")
}

#[track_caller]
fn assert_says(words: &str, all: &[&str]) {
    for one in all {
        assert!(words.contains(one), "{one:?} is missing in: {words}");
    }
}

/// The sheet of this open case, by a link that the page of its thing has; it answers everything.
async fn open_sheet(who: &Session<'_>, linked_on: &str, case: &str) -> String {
    let path = format!("/cases/{case}");
    let linked = who.get(linked_on).await.text;
    assert!(
        linked.contains(&format!("href=\"{path}\"")),
        "{linked_on} leads to {path}"
    );
    let words = read(who, &path).await;
    assert_says(&words, &ANSWERED);
    assert_says(&words, &["Case open", "Rolf Resolver", "Time alone never closes it."]);
    words
}

/// The sheet of an order's case of this kind.
async fn order_sheet(who: &Session<'_>, order: &Value, kind: &str) -> String {
    let cases = order["cases"].as_array().expect("cases");
    let case = cases
        .iter()
        .find(|case| case["kind"] == kind && case["closed_at"].is_null());
    let case = case.unwrap_or_else(|| panic!("no open case {kind}: {order:#}"));
    let words = open_sheet(who, &page(order), id(case)).await;
    assert_says(&words, &ABOUT_THE_ORDER);
    for fact in ["operation_key", "digest"] {
        assert_says(&words, &[order[fact].as_str().expect(fact)]);
    }
    assert_says(
        &words,
        &[
            "Main warehouse",
            "24 each",
            "€10.50",
            "To them our reference is",
            "Take or hand over",
        ],
    );
    words
}

/// The id of the open case that a page links to.
async fn linked_case(who: &Session<'_>, path: &str) -> String {
    until("a case's sheet", || async {
        let page = who.get(path).await.text;
        let found = page.split("href=\"/cases/").nth(1)?;
        Some(found.split('"').next()?.to_owned())
    })
    .await
}

#[tokio::test]
async fn the_sheets_of_an_order_that_was_lost_found_missing_and_turned_up_answer_everything() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);

    let pending = house.lose(&buyer, "lost", "close_without_store").await;
    let words = order_sheet(&resolver, &pending, "pending").await;
    let same = [
        "Sends the same 24 each for €10.50 again, under the same key.",
        "Only asks. It changes nothing there.",
        "Ordering it again by telephone",
        "Blocked until this order is settled",
    ];
    assert_says(&words, &same);
    assert_says(&words_of(&resolver.get(&page(&pending)).await.text), &same);
    assert_says(
        &words,
        &[
            "Maybe:",
            "Safe until",
            "They have not been asked yet.",
            "Their record: not known.",
        ],
    );
    // a buyer reads the same facts, and what is not theirs to do
    let theirs = order_sheet(&buyer, &pending, "pending").await;
    assert_says(
        &theirs,
        &[
            "not offered: Your roles do not let you resume orders.",
            "let you assign cases.",
        ],
    );

    let missing = house.found_missing(&resolver, &pending).await;
    let words = order_sheet(&resolver, &missing, "not_sent").await;
    assert_says(
        &words,
        &[
            "a resume would buy it twice",
            "Withdraw this order",
            "spoke to Ms Berg",
            "its withdrawal",
        ],
    );

    let number = house.enter_there(&missing).await;
    resolver.does("look_up", &missing, &[]).await;
    let late = house.see_state(&missing, "confirmation_pending").await;
    assert_owned(&late, "late_record");
    let words = order_sheet(&resolver, &late, "late_record").await;
    assert_says(
        &words,
        &[
            &format!("Their number: {number}"),
            "Keep it: this is the order",
            "They have a record",
        ],
    );
}

#[tokio::test]
async fn the_sheets_of_what_they_confirmed_otherwise_or_twice_answer_everything() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);

    house.faults(json!([fault("store_with_differences")])).await;
    let differs = house.buy(&buyer, "differs").await;
    let differs = house.wait_for_state(&differs, "confirmed").await;
    let words = order_sheet(&resolver, &differs, "differences").await;
    assert_says(
        &words,
        &[
            "Yes: the supplier answered.",
            "Decide: see “What closes this case?”.",
            "Quantity",
            "would deliver both",
            "Take what they confirmed",
            "A person’s decision.",
        ],
    );

    let lost = house.lose(&buyer, "twice", "store_then_close").await;
    house.enter_there(&lost).await;
    resolver.does("look_up", &lost, &[]).await;
    let two = house
        .see(&lost, "two records", |order| {
            order["cases"].as_array().is_some_and(|all| all.len() == 2)
        })
        .await;
    let words = order_sheet(&resolver, &two, "supplier_duplicate").await;
    assert_says(
        &words,
        &[
            "More than one record",
            "They cancelled the extra record",
            "We want both, not offered",
        ],
    );
    order_sheet(&resolver, &two, "pending").await;
}

#[tokio::test]
async fn the_sheets_of_what_waits_unsent_answer_everything() {
    let house = House::plan()
        .no_worker()
        .supplier_file(|file| file.replace("send_within = \"24h\"", "send_within = \"1s\""))
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);

    let old = house.buy(&buyer, "old").await;
    let old = house
        .wait_for(&old, "too old", |order| order["case"]["kind"] == "too_old")
        .await;
    let words = order_sheet(&resolver, &old, "too_old").await;
    assert_says(
        &words,
        &[
            "No: nobody has tried to send it.",
            "Release this order",
            "once it goes out it is bought twice",
            "Nothing yet.",
        ],
    );

    let suggested = house.suggest("reused", &body("reused")).await;
    let other = house.put_suggestion("reused", &body("something-else")).await;
    assert_eq!(other.status, 422, "{other:?}");
    let review = format!("/suggestions/{}", suggested.id);
    let case = linked_case(&resolver, &review).await;
    let words = open_sheet(&resolver, &review, &case).await;
    assert_says(
        &words,
        &[
            "What was suggested first?",
            "something-else",
            "No: nothing is bought before",
            "Leave what was stored first",
        ],
    );
    assert_says(
        &words,
        &[&suggested.digest, "Your roles do not let you approve suggestions."],
    );

    let held = house.run(&["supplier", "hold", "practice", "--reason", "they move"]);
    assert_eq!(held.status, 0, "{}", held.err);
    let case = linked_case(&resolver, "/").await;
    let words = open_sheet(&resolver, "/", &case).await;
    assert_says(
        &words,
        &[
            "Which orders wait?",
            id(&old),
            "they move",
            "countersign supplier release practice",
            "The supplier’s release.",
        ],
    );

    let released = house.run(&["supplier", "release", "practice"]);
    assert_eq!(released.status, 0, "{}", released.err);
    let words = read(&resolver, &format!("/cases/{case}")).await;
    assert_says(
        &words,
        &[
            "Case closed",
            "It was closed by the command line",
            "The command line released the supplier.",
        ],
    );
}

#[tokio::test]
async fn the_sheet_of_an_order_that_is_held_after_a_restore_answers_everything() {
    let mut house = plan().start().await;
    let before = house.buy(&house.sign_in(BUYER).await, "before").await;
    house.wait_for_state(&before, "confirmed").await;
    house.kill_web();
    house.set("host", "another machine");
    house.restart_web().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let held = house.buy(&buyer, "held").await;
    let held = house.order(&held).await;

    let words = order_sheet(&resolver, &held, "restore").await;

    assert_says(
        &words,
        &[
            "a release here could buy it twice",
            "It waits for its release.",
            "Release this order",
        ],
    );
}

#[tokio::test]
async fn the_sheet_of_a_closed_case_says_how_when_and_by_whom_it_closed() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);

    // by a person's word
    let lost = house.lose(&buyer, "by-hand", "store_then_close").await;
    let number = house.number_of(&lost).await;
    assert_done(
        &resolver.finds(&lost, "at_supplier", &[("reference", &number)]).await,
        &lost,
    );
    until("their record, compared", || async {
        let compared = house.happened(&lost, "compared").await;
        (!compared.is_empty()).then_some(())
    })
    .await;
    let words = read(&buyer, &sheet(&lost["case"])).await;
    let by_hand = [
        "Case closed",
        "How did this case close?",
        "It was closed by Rolf Resolver",
        "Rolf Resolver found out:",
    ];
    assert_says(&words, &by_hand);
    assert_says(&words, &["spoke to Ms Berg", "Who owned it, until when?", &number]);
    assert!(!words.contains("What may I do now"), "{words}");

    // by a look-up that a person wanted
    let lost = house.lose(&buyer, "looked-up", "store_then_close").await;
    resolver.does("look_up", &lost, &[]).await;
    house.see_state(&lost, "confirmed").await;
    let words = read(&buyer, &sheet(&lost["case"])).await;
    assert_says(
        &words,
        &[
            "It was closed by itself",
            "Rolf Resolver asked the supplier: it has a record.",
            "The look-ups settled it:",
        ],
    );

    // by sending it once more
    let lost = house.lose(&buyer, "resumed", "close_without_store").await;
    resolver.does("resume", &lost, &[]).await;
    house.see_state(&lost, "confirmed").await;
    let words = read(&buyer, &sheet(&lost["case"])).await;
    assert_says(
        &words,
        &[
            "Rolf Resolver asked to send the approved purchase once more.",
            "Attempt 2 ended.",
            "Confirmed",
        ],
    );

    // and the order's own page says it in a line
    let shown = words_of(&buyer.get(&page(&lost)).await.text);
    assert_says(
        &shown,
        &["Settled at", "once more. Attempt 2 ended. The supplier said yes."],
    );
}

/// Case I6.
#[tokio::test]
async fn the_sheet_of_another_tenants_case_or_of_none_does_not_exist() {
    let house = plan().start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = house.lose(&buyer, "ours", "store_then_close").await;
    assert_eq!(house.run(&["tenant", "add", "Other", "--zone", "UTC"]).status, 0);
    let otto = [
        "person",
        "add",
        "Otto Other",
        "--email",
        "otto@example.com",
        "--role",
        "manager",
        "--password-stdin",
        "--tenant",
        "Other",
    ];
    assert_eq!(house.run_with_input(&otto, PASSWORD).status, 0);
    let otto = house.sign_in("otto@example.com").await;
    let path = sheet(&lost["case"]);

    assert_eq!(buyer.get(&path).await.status, 200);
    assert_eq!(otto.get(&path).await.status, 404);
    for none in ["/cases/case_000000000000", "/cases/1", "/cases/%3Cscript%3E"] {
        assert_eq!(buyer.get(none).await.status, 404, "{none}");
    }
    let nobody = support::Answer::of(house.http.get(format!("{}{path}", house.base))).await;
    assert_eq!(nobody.status, 303, "to the sign-in");
}

const OTHER_WORK: &str = "You may go on with other work.";
const RESULTS: &str = "What became of your orders";

/// In every state in which a case is open, also once the order is confirmed; and never to whoever may settle it.
#[tokio::test]
async fn whoever_may_not_settle_it_is_told_whose_it_is_and_by_when() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let pending = house.lose(&buyer, "pending", "close_without_store").await;
    house.faults(json!([fault("store_with_differences")])).await;
    let differs = house.buy(&buyer, "differs").await;
    let differs = house.wait_for_state(&differs, "confirmed").await;
    let own = house.lose(&manager, "own", "close_without_store").await;
    let missing = house.found_missing(&resolver, &own).await;

    for order in [&pending, &differs, &missing] {
        let shown = words_of(&buyer.get(&page(order)).await.text);
        assert_says(&shown, &[OTHER_WORK, "Rolf Resolver sees to this, by"]);
        for able in [&resolver, &manager] {
            let shown = words_of(&able.get(&page(order)).await.text);
            assert!(!shown.contains(OTHER_WORK), "{shown}");
        }
    }
}

#[tokio::test]
async fn whoever_approved_an_order_is_told_what_became_of_it_and_nobody_else_is() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let calm = house.buy(&buyer, "calm").await;
    house.wait_for_state(&calm, "confirmed").await;
    let lost = house.lose(&buyer, "lost", "store_then_close").await;
    let others = house.lose(&manager, "others", "store_then_close").await;
    for who in [&buyer, &resolver, &manager] {
        assert!(
            !words_of(&who.get("/").await.text).contains(RESULTS),
            "nothing is settled yet"
        );
    }

    let number = house.number_of(&lost).await;
    assert_done(
        &resolver.finds(&lost, "at_supplier", &[("reference", &number)]).await,
        &lost,
    );
    resolver.does("look_up", &others, &[]).await;
    house.see_state(&others, "confirmed").await;

    let told = results_of(&buyer.get("/").await.text).expect("a panel");
    let line = format!("Their number is {number}. Rolf Resolver found out: the supplier has the order, as {number}.");
    assert_says(&words_of(&told), &[&line, "Confirmed", "€10.50"]);
    assert!(told.contains(&format!("href=\"{}\"", page(&lost))), "{told}");
    assert!(!told.contains(id(&others)) && !told.contains(&calm), "{told}");
    let told = results_of(&manager.get("/").await.text).expect("a panel");
    assert_says(
        &words_of(&told),
        &["By itself", "Rolf Resolver asked the supplier: it has a record."],
    );
    assert!(told.contains(id(&others)) && !told.contains(id(&lost)), "{told}");
    assert_eq!(results_of(&resolver.get("/").await.text), None, "who settled it knows");
}

/// The panel, as a page of its own.
fn results_of(page: &str) -> Option<String> {
    let from = main_of(page).split("id=\"results-heading\"").nth(1)?;
    let panel = from.split("</section>").next().expect("its end");
    Some(format!("<main>{panel}</main>"))
}

/// An order that came back is in the queue, and not among what is settled; and a result is told for a week.
#[tokio::test]
async fn a_result_is_told_while_it_is_one_and_for_a_week() {
    let house = plan().start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "lost", "close_without_store").await;
    let missing = house.found_missing(&resolver, &lost).await;
    assert_eq!(
        results_of(&buyer.get("/").await.text),
        None,
        "one case closed, another is open"
    );
    buyer
        .does("withdraw", &missing, &[("reason", "bought elsewhere")])
        .await;
    let told = results_of(&buyer.get("/").await.text).expect("a panel");
    assert_says(&words_of(&told), &["Withdrawn", "Bea Buyer withdrew it."]);

    let pool = house.database().await;
    let eight_days = 8_i64 * 86_400 * 1_000_000;
    sqlx::query("UPDATE cases SET closed_at = closed_at - $1")
        .bind(eight_days)
        .execute(&pool)
        .await
        .expect("a week goes by");
    pool.close().await;
    assert_eq!(results_of(&buyer.get("/").await.text), None);
}
