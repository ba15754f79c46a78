//! A database that was restored or copied must not order again what it does not know of (rule 20, case C7). Real
//! processes on either database; purchases are counted at the supplier.

mod support;

use chrono::TimeDelta;
use serde_json::{Value, json};
use support::database::{on_postgres, only_on_postgres};
use support::home::{assert_done, assert_owned, blind, fault, id, moment, page, until, without_key};
use support::{BUYER, House, MANAGER, RESOLVER, Session, body};

/// An order that waits under a person's hold, so that nobody sends it.
async fn held(house: &House, intent: &str) -> Value {
    let buyer = house.sign_in(BUYER).await;
    // the supplier turns it away first, so that it is there to be held before it is sent
    house.faults(json!([fault("429")])).await;
    let order = house.buy(&buyer, intent).await;
    let order = house
        .wait_for(&order, "turned away", |order| {
            order["attempts"][0]["reply"] == "not_sent"
        })
        .await;
    buyer.does("hold", &order, &[("reason", "wait for the budget")]).await;
    house.order(id(&order)).await
}

/// As `held`, and not a byte of it has left.
async fn never_sent(house: &House, intent: &str) -> Value {
    let on_hold = house.run(&["supplier", "hold", "practice", "--reason", "they move"]);
    assert_eq!(on_hold.status, 0, "{}", on_hold.err);
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, intent).await;
    let order = house.order(&order).await;
    buyer.does("hold", &order, &[("reason", "wait for the budget")]).await;
    let released = house.run(&["supplier", "release", "practice"]);
    assert_eq!(released.status, 0, "{}", released.err);
    house.now(&order).await
}

/// Buys, and waits until the supplier said yes.
async fn bought(house: &House, intent: &str) -> Value {
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, intent).await;
    house.wait_for_state(&order, "confirmed").await
}

/// Everything is held: the queue says so, and why.
async fn assert_paused(house: &House, because: &str) {
    assert_eq!(
        house.number("SELECT count(*) FROM pauses WHERE ended_at IS NULL").await,
        1
    );
    let manager = house.sign_in(MANAGER).await;
    let queue = manager.get("/").await.text;
    assert!(queue.contains("nothing goes out by itself"), "the queue says so");
    assert!(queue.contains(because), "and why: {because}");
}

async fn assert_not_paused(house: &House) {
    assert_eq!(house.number("SELECT count(*) FROM pauses").await, 0);
    let manager = house.sign_in(MANAGER).await;
    assert!(!manager.get("/").await.text.contains("nothing goes out by itself"));
}

const MISSING_EVENTS: &str = "vents are missing that this machine has seen";

#[tokio::test]
async fn what_was_sent_after_the_backup_is_not_bought_again_when_the_assistant_repeats_its_wishes() {
    let mut house = House::start().await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    let mut lost = Vec::new();
    for number in 1..=5 {
        lost.push(bought(&house, &format!("after-the-backup-{number}")).await);
    }
    house.kill_web();
    house.put_back(&backup);

    house.restart_web().await;

    assert_eq!(house.orders().await.len(), 0, "the database knows of none");
    assert_paused(&house, MISSING_EVENTS).await;
    for (before, number) in lost.iter().zip(1..) {
        let buyer = house.sign_in(BUYER).await;
        let again = house.buy(&buyer, &format!("after-the-backup-{number}")).await;
        let again = house.order(&again).await;
        assert_eq!(
            again["operation_key"], before["operation_key"],
            "the same approval has the same key"
        );
        let found = house.see_state(&again, "confirmation_pending").await;
        assert_owned(&found, "late_record");
        assert_eq!(
            found["supplier_reference"], before["supplier_reference"],
            "it names the record"
        );
        let resolver = house.sign_in(RESOLVER).await;
        let number = found["supplier_reference"].as_str().expect("a number");
        let kept = resolver.finds(&found, "at_supplier", &[("reference", number)]).await;
        assert_done(&kept, &found);
        house.see_state(&again, "confirmed").await;
        house.assert_counts_there(&again, 1).await;
    }
    house.assert_log_is_whole().await;
}

/// A suggestion that waited for review at the backup, was approved and sent after it, and is approved anew when the pause
/// has ended: at a supplier that recognises no key only the look-up before the send keeps it from being bought twice.
#[tokio::test]
async fn a_suggestion_from_before_the_gap_is_looked_up_before_it_is_sent_also_after_the_pause() {
    let mut house = House::start().await;
    house.add_supplier(without_key);
    house.habits(json!({ "key_honoured": false })).await;
    let suggested = house.suggest("in-review", &body("in-review")).await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    let before = house.sign_in(BUYER).await.approve(&suggested).await;
    let before = house.wait_for_state(&before, "confirmed").await;
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    assert_paused(&house, MISSING_EVENTS).await;
    let manager = house.sign_in(MANAGER).await;
    let ended = manager.post("/act/end_pause", &[("reason", "nothing is held")]).await;
    assert_eq!((ended.status, ended.location()), (303, "/"), "{ended:?}");

    let again = manager.approve(&suggested).await;

    let found = house.wait_for_state(&again, "confirmation_pending").await;
    assert_owned(&found, "late_record");
    assert_eq!(found["supplier_reference"], before["supplier_reference"]);
    house.assert_counts_there(&found, 1).await;
    // one that came after the pause is an order like any other
    let fresh = house.buy(&manager, "fresh").await;
    house.wait_for_state(&fresh, "confirmed").await;
}

/// A process that cannot keep what it sees pauses nobody before it fails.
#[tokio::test]
async fn a_process_that_does_not_start_pauses_nobody() {
    let mut house = House::start().await;
    bought(&house, "before").await;
    house.set("node_file", "/nowhere/node");
    for verb in ["serve", "check"] {
        let failed = house.run(&[verb]);
        assert_eq!(failed.status, 1, "{verb}: {}", failed.err);
        assert!(failed.err.contains("/nowhere/node"), "{verb}: {}", failed.err);
    }
    assert_not_paused(&house).await;
}

#[tokio::test]
async fn an_order_approved_before_the_gap_is_looked_up_and_released_once_or_found_there() {
    let mut house = House::start().await;
    let waits = held(&house, "waits-since-before").await;
    let sent = held(&house, "sent-in-the-gap").await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    {
        let buyer = house.sign_in(BUYER).await;
        buyer.does("release", &sent, &[("reason", "the budget came")]).await;
        house.see_state(&sent, "confirmed").await;
    }
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    assert_paused(&house, MISSING_EVENTS).await;

    // looked up by itself, and found: a person judges the record
    let found = house.see_state(&sent, "confirmation_pending").await;
    assert_owned(&found, "late_record");

    // looked up by itself, and not there: it waits for its release
    let waits = house
        .see(&waits, "looked up", |order| {
            order["look_ups"].as_array().is_some_and(|all| !all.is_empty())
        })
        .await;
    assert_eq!(
        (&waits["state"], &waits["held_because"]),
        (&json!("approved"), &json!("restore"))
    );
    assert_owned(&waits, "restore");
    house.assert_counts_there(&waits, 0).await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let early = manager
        .post("/act/end_pause", &[("reason", "looked at everything")])
        .await;
    let refused = manager.refused(&early, "/").await;
    assert!(refused.is("held_from_before_gap"), "{:?}", refused.why);
    assert!(refused.page.contains("looked at everything"), "what was typed is kept");
    assert!(
        refused.page.contains("1 order from before the gap is still held"),
        "{}",
        refused.page
    );

    buyer
        .does("release", &waits, &[("reason", "they have no record of it")])
        .await;

    let done = house.see_state(&waits, "confirmed").await;
    house.assert_counts_there(&done, 1).await;
    let asked = house.happened(&done, "looked_up").await;
    let asked = moment(&asked.last().expect("a look-up")["at"]);
    let sent = done["attempts"]
        .as_array()
        .expect("attempts")
        .last()
        .expect("an attempt");
    let before = moment(&sent["started_at"]) - asked;
    assert!(
        before >= TimeDelta::zero() && before < TimeDelta::seconds(10),
        "looked up right before: {before}"
    );
    assert_eq!(house.happened(&done, "release_wanted").await.len(), 1);
    assert_eq!(done["case"], Value::Null, "{done:#}");

    // nothing from before the gap is held any more
    let ended = manager
        .post("/act/end_pause", &[("reason", "all five were looked at")])
        .await;
    assert_eq!((ended.status, ended.location()), (303, "/"), "{ended:?}");
    assert_eq!(
        house.number("SELECT count(*) FROM pauses WHERE ended_at IS NULL").await,
        0
    );
    let fresh = bought(&house, "after-the-pause").await;
    house.assert_counts(&fresh, 1, 1, "sent by itself again").await;
    let twice = manager.post("/act/end_pause", &[("reason", "once more")]).await;
    assert!(manager.refused(&twice, "/").await.is("not_paused"));
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn an_order_whose_attempt_was_open_at_the_backup_ends_pending_and_is_looked_up() {
    let mut house = House::plan().setting("look_up_first", "200ms").start().await;
    let leased = {
        let buyer = house.sign_in(BUYER).await;
        house
            .faults(json!([{ "on": "submit", "do": "store_then_sleep", "seconds": 20 }]))
            .await;
        let order = house.buy(&buyer, "leased").await;
        let order = house.wait_for_state(&order, "submitting").await;
        until("the supplier has it", || async {
            (house.count(&order).await == 1).then_some(())
        })
        .await;
        order
    };
    house.kill_web();
    let backup = house.back_up();
    house.put_back(&backup);

    house.restart_web().await;

    let pending = house
        .see(&leased, "no longer submitting", |order| order["state"] != "submitting")
        .await;
    assert_ne!(pending["state"], "approved", "it is not sent anew: {pending:#}");
    house.see_state(&leased, "confirmed").await;
    house.assert_counts_there(&leased, 1).await;
}

#[tokio::test]
async fn while_paused_what_is_approved_is_held_and_a_release_sends_nothing_when_nobody_can_tell() {
    let mut house = House::start().await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    bought(&house, "known-there").await;
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    house.faults(json!([blind("503"), blind("503")])).await;
    let order = house.buy(&buyer, "approved-while-paused").await;
    let order = house
        .wait_for(&order, "asked about", |order| {
            order["look_ups"].as_array().is_some_and(|all| !all.is_empty())
        })
        .await;
    assert_eq!(
        (&order["state"], &order["held_because"]),
        (&json!("approved"), &json!("restore")),
        "{order:#}"
    );
    assert_owned(&order, "restore");

    buyer.does("release", &order, &[("reason", "go")]).await;

    let told = house
        .see(&order, "told", |order| {
            order["version"].as_u64() > Some(3) || order["resume"]["offered"] == true
        })
        .await;
    let dropped = until("dropped", || async {
        let dropped = house.happened(&told, "resume_not_sent").await;
        (!dropped.is_empty()).then_some(dropped)
    })
    .await;
    assert_eq!(dropped[0]["happening"]["why"], "could_not_check", "{dropped:?}");
    house.assert_counts_there(&order, 0).await;
    let now = house.now(&order).await;
    assert_eq!(
        (&now["state"], &now["held_because"]),
        (&json!("approved"), &json!("restore"))
    );
    // once the supplier can be asked again, the same press sends it once
    buyer.does("release", &now, &[("reason", "go")]).await;
    house.see_state(&order, "confirmed").await;
    house.assert_counts_there(&order, 1).await;
}

#[tokio::test]
async fn a_release_that_was_turned_away_waits_for_a_person_again() {
    let mut house = House::start().await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    bought(&house, "known-there-2").await;
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "turned-away").await;
    let order = house
        .wait_for(&order, "looked up", |order| {
            order["look_ups"].as_array().is_some_and(|all| !all.is_empty())
        })
        .await;
    house.faults(json!([fault("429")])).await;

    buyer.does("release", &order, &[("reason", "go")]).await;

    let again = house
        .see(&order, "turned away", |order| {
            order["attempts"][0]["reply"] == "not_sent"
        })
        .await;
    assert_eq!(
        (&again["state"], &again["held_because"]),
        (&json!("approved"), &json!("restore")),
        "{again:#}"
    );
    assert_owned(&again, "restore");
    house.assert_counts_there(&order, 0).await;
}

#[tokio::test]
async fn where_the_supplier_cannot_be_asked_a_release_needs_a_persons_fresh_finding() {
    let mut house = House::soon_settled()
        .supplier_file(|file| {
            let (before, rest) = file.split_once("[look_up]").expect("a look-up section");
            let after = rest.find("\n[").map_or("", |next| &rest[next..]);
            format!("{before}{after}")
                .replace("look_up = \"exact\"", "look_up = \"none\"")
                .replace("settle_time = \"30s\"", "settle_time = \"1s\"")
        })
        .start()
        .await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    bought(&house, "known-there-3").await;
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let order = house.buy(&buyer, "ask-by-hand").await;
    let order = house.order(&order).await;
    assert_eq!(order["held_because"], "restore", "{order:#}");

    let refused = buyer.act("release", &order, &[("reason", "go")]).await;
    let refused = buyer.refused(&refused, &page(&order)).await;
    assert!(refused.is("no_resume"), "{:?}", refused.why);
    assert_eq!(refused.why["about"], "ask_by_hand");

    resolver.says_missing(&order).await;
    let order = house.now(&order).await;
    buyer
        .does("release", &order, &[("reason", "they say they have none")])
        .await;
    house.see_state(&order, "confirmed").await;
    house.assert_counts_there(&order, 1).await;
}

#[tokio::test]
async fn after_a_restore_the_keys_window_counts_from_the_last_event_before_the_gap() {
    let mut house = House::start().await;
    // never sent before the gap, as far as the database knows
    let waits = never_sent(&house, "window").await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    bought(&house, "known-there-4").await;
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    let waits = house
        .see(&waits, "looked up", |order| {
            order["look_ups"].as_array().is_some_and(|all| !all.is_empty())
        })
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house.faults(json!([fault("store_then_close")])).await;

    buyer.does("release", &waits, &[("reason", "go")]).await;

    let pending = house.see_state(&waits, "confirmation_pending").await;
    let gap_at = house.number("SELECT gap_at FROM pauses").await;
    let until = moment(&pending["resume"]["until"]).timestamp_micros();
    let day = 24 * 60 * 60 * 1_000_000;
    let margin = (2 + 5 * 60) * 1_000_000;
    assert_eq!(
        until,
        gap_at + day - margin,
        "not from its own first attempt: {pending:#}"
    );
    resolver.does("resume", &pending, &[]).await;
    house.see_state(&waits, "confirmed").await;
    house.assert_counts_there(&waits, 1).await;
}

#[tokio::test]
async fn a_normal_start_a_kill_and_a_second_process_do_not_pause() {
    let mut house = House::start().await;
    bought(&house, "first").await;
    house.restart_web().await; // SIGKILL
    bought(&house, "second").await;
    let other = house.work().await;
    bought(&house, "third").await;
    drop(other);
    house.web().terminate();
    assert_eq!(house.web().ended().await, Some(0));
    house.restart_web().await;
    bought(&house, "fourth").await;
    assert_not_paused(&house).await;
}

#[tokio::test]
async fn a_node_without_its_file_pauses_where_there_are_orders() {
    let mut house = House::start().await;
    house.kill_web();
    std::fs::remove_file(house.node_file()).expect("the node's file");
    house.restart_web().await;
    assert_not_paused(&house).await;
    bought(&house, "an-order").await;
    house.kill_web();
    // the process that was killed is no node at work
    let pool = house.database().await;
    sqlx::query("UPDATE nodes SET beat_at = beat_at - 61000000")
        .execute(&pool)
        .await
        .expect("a minute ago");
    pool.close().await;
    std::fs::remove_file(house.node_file()).expect("the node's file");
    house.restart_web().await;
    assert_paused(&house, "has never worked on this database").await;
}

#[tokio::test]
async fn a_new_node_beside_one_at_work_does_not_pause() {
    if !only_on_postgres("there every process shares the file beside the database") {
        return;
    }
    let mut house = House::start().await;
    bought(&house, "an-order").await;
    let file = house.folder().join("another.node");
    house.set("node_file", &file.display().to_string());
    let _other = house.work().await;
    assert!(file.exists(), "it begins a file of its own");
    assert_not_paused(&house).await;
}

#[tokio::test]
async fn data_that_was_copied_to_another_machine_is_paused() {
    let mut house = House::start().await;
    bought(&house, "an-order").await;
    house.kill_web();
    house.set("host", "another machine");
    house.restart_web().await;
    assert_paused(&house, "copied from another machine").await;
    // looked at once, it is this machine's
    house.restart_web().await;
    assert_eq!(house.number("SELECT count(*) FROM pauses").await, 1);
}

#[tokio::test]
async fn a_copy_on_the_same_machine_is_paused_and_the_original_is_not() {
    let mut house = House::start().await;
    bought(&house, "an-order").await;
    house.kill_web();
    let backup = house.back_up();
    let original = house.node_file();
    let known = std::fs::read(&original).expect("the node's file");
    house.put_back_as_copy(&backup);
    std::fs::write(&original, known).expect("copied too");
    house.restart_web().await;
    assert_paused(&house, "is a copy").await;
}

#[tokio::test]
async fn a_database_restored_under_running_processes_is_noticed_on_the_next_connection() {
    let mut house = House::start().await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    bought(&house, "under-way").await;

    if support::database::on_postgres() {
        house.put_back(&backup);
        // whoever asks meanwhile gets an error, until the connections are made anew
        until("paused", || async {
            let paused = house.number("SELECT count(*) FROM pauses WHERE ended_at IS NULL").await;
            (paused == 1).then_some(())
        })
        .await;
        let buyer = house.sign_in(BUYER).await;
        let again = house.buy(&buyer, "under-way").await;
        let again = house.order(&again).await;
        let found = house.see_state(&again, "confirmation_pending").await;
        assert_owned(&found, "late_record");
        house.assert_counts_there(&again, 1).await;
    } else {
        house.put_back_as_copy(&backup);
        assert_eq!(
            house.web().ended().await,
            Some(1),
            "it stops: nobody would see what it writes"
        );
        assert!(
            house.web().log().contains("exchanged"),
            "and says why: {}",
            house.web().log()
        );
        house.restart_web().await;
        assert_paused(&house, MISSING_EVENTS).await;
    }
}

/// A copy that was taken during a pause, and put back: what was known of the first gap says nothing of the second.
#[tokio::test]
async fn a_restore_during_a_pause_begins_another_one_that_counts_from_the_new_gap() {
    let mut house = House::start().await;
    let waits = held(&house, "waits-through-both").await;
    house.kill_web();
    house.set("host", "another machine");
    house.restart_web().await;
    assert_paused(&house, "copied from another machine").await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    house.buy(&buyer, "after-the-copy").await;
    let first_gap = house.number("SELECT gap_at FROM pauses").await;
    // nothing is sent while it is paused, so the file learns of it with a sweep
    let last = house.number("SELECT max(number) FROM events").await;
    until("known to the file", || async {
        let known: Value = serde_json::from_slice(&std::fs::read(house.node_file()).ok()?).ok()?;
        let mut heads = known["heads"].as_object()?.values();
        heads.any(|head| head["number"].as_i64() >= Some(last)).then_some(())
    })
    .await;
    house.kill_web();
    house.put_back(&backup);

    house.restart_web().await;

    assert_paused(&house, MISSING_EVENTS).await;
    assert_eq!(house.number("SELECT count(*) FROM pauses").await, 2);
    let gap = house.number("SELECT gap_at FROM pauses WHERE ended_at IS NULL").await;
    assert!(gap > first_gap, "{gap} after {first_gap}");
    let waits = house.now(&waits).await;
    assert_eq!(waits["held_because"], "restore", "{waits:#}");
    house.assert_log_is_whole().await;
}

/// Whoever writes first, a command or a server, the gap counts from what was there before.
#[tokio::test]
async fn a_command_that_writes_to_a_restored_database_pauses_it_first() {
    let mut house = House::start().await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    bought(&house, "after-the-backup").await;
    house.kill_web();
    house.put_back(&backup);

    let ran = house.run(&["site", "add", "late", "--name", "Late"]);

    assert_eq!(ran.status, 0, "{}", ran.err);
    // so the gap counts from the last event of the copy, and not from the command's own
    let paused = "SELECT number FROM events WHERE body LIKE '%\"kind\":\"paused\"%'";
    let added = "SELECT max(number) FROM events WHERE body LIKE '%\"kind\":\"site_added\"%'";
    assert!(house.number(paused).await < house.number(added).await);
    house.restart_web().await;
    assert_paused(&house, MISSING_EVENTS).await;
    assert_eq!(house.number("SELECT count(*) FROM pauses").await, 1, "noticed once");
    let checked = house.run(&["check"]);
    assert!(checked.err.contains("is paused since"), "{}", checked.err);
}

#[tokio::test]
async fn a_schema_that_a_newer_program_made_is_not_worked_on() {
    let mut house = House::start().await;
    house.kill_web();
    let pool = house.database().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 SELECT 9999, 'from tomorrow', success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1";
    sqlx::query(newer).execute(&pool).await.expect("a newer migration");
    pool.close().await;
    for verb in [&["check"][..], &["site", "list"]] {
        let ran = house.run(verb);
        assert_eq!(ran.status, 1, "{verb:?}: {}", ran.err);
        assert!(ran.err.contains("a newer one made them"), "{verb:?}: {}", ran.err);
    }
}

#[tokio::test]
async fn nothing_is_sent_while_the_node_cannot_keep_what_it_knows() {
    let mut house = House::plan().setting("again_first", "300ms").start().await;
    house.kill_web();
    let folder = house.folder().join("kept");
    std::fs::create_dir(&folder).expect("a folder");
    house.set("node_file", &folder.join("here.node").display().to_string());
    house.restart_web().await;
    let elsewhere = house.folder().join("elsewhere");
    std::fs::rename(&folder, &elsewhere).expect("gone");
    let buyer = house.sign_in(BUYER).await;
    let order = house.buy(&buyer, "not-kept").await;
    // the file is missed when a new connection is looked at, or else right before the first byte
    let missed = |order: &Value| order["attempts"][0]["reply"] == "not_sent" || house.web_log().contains("here.node");
    let order = house.wait_for(&order, "kept from being sent", missed).await;
    assert_eq!(house.submits_of(&order).await, 0, "no byte left");
    let ready = until("not ready", || async {
        let ready = house.read("/ready").await;
        (ready.status == 503).then_some(ready)
    })
    .await;
    assert!(ready.text.contains("node file"), "{ready:?}");

    std::fs::rename(&elsewhere, &folder).expect("there again");

    house.see_state(&order, "confirmed").await;
    house.assert_counts_there(&order, 1).await;
}

#[tokio::test]
async fn a_pause_ends_from_the_command_line_too_and_only_by_a_manager_on_the_page() {
    let mut house = House::start().await;
    bought(&house, "an-order").await;
    house.kill_web();
    house.set("host", "another machine");
    house.restart_web().await;
    let resolver: Session<'_> = house.sign_in(RESOLVER).await;
    let refused = resolver.post("/act/end_pause", &[("reason", "mine")]).await;
    assert!(resolver.refused(&refused, "/").await.is("not_your_role"));
    let manager = house.sign_in(MANAGER).await;
    let refused = manager.post("/act/end_pause", &[]).await;
    assert_eq!(manager.refused(&refused, "/").await.field(), "reason");

    let ran = house.run(&["end-pause", "--reason", "the old machine is switched off"]);

    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(
        house.number("SELECT count(*) FROM pauses WHERE ended_at IS NULL").await,
        0
    );
    let again = house.run(&["end-pause", "--reason", "once more"]);
    assert_eq!(again.status, 1, "{}", again.err);
    let fresh = bought(&house, "goes-out").await;
    assert_eq!(fresh["held"], false);
}

/// docs/operations.md, "Restore, step by step", with the commands that stand there.
#[tokio::test]
async fn the_steps_of_the_operations_guide_bring_a_backup_back_paused() {
    let mut house = House::start().await;
    bought(&house, "before-the-backup").await;
    let url = house.run_shell_variables();
    house.shell(
        if on_postgres() {
            "pg_dump --format=custom --exclude-table-data=nodes --file=monday.dump \"$DATABASE_URL\""
        } else {
            "\"$COUNTERSIGN\" backup monday.db"
        },
        &url,
    );
    let lost = bought(&house, "after-the-backup").await;
    house.web().terminate();
    assert_eq!(house.web().ended().await, Some(0));
    house.kill_web();
    house.shell(
        if on_postgres() {
            "psql -q \"$DATABASE_URL\" -c \"CREATE DATABASE ${DATABASE_URL##*/}_restored\"
         pg_restore --no-owner --dbname=\"${DATABASE_URL}_restored\" monday.dump"
        } else {
            "mkdir broken && mv countersign.db countersign.db-wal countersign.db-shm broken/ 2>/dev/null
         install -m 600 monday.db countersign.db"
        },
        &url,
    );
    if on_postgres() {
        house.set("database_url", &format!("{}_restored", url[1].1));
    }
    assert_eq!(house.run(&["check"]).status, 0);

    house.restart_web().await;

    let manager = house.sign_in(MANAGER).await;
    let queue = manager.get("/").await.text;
    assert!(queue.contains(MISSING_EVENTS), "paused, and why");
    let buyer = house.sign_in(BUYER).await;
    let again = house.buy(&buyer, "after-the-backup").await;
    let found = house.wait_for_state(&again, "confirmation_pending").await;
    assert_eq!(found["supplier_reference"], lost["supplier_reference"]);
    house.assert_counts_there(&found, 1).await;
    let ended = house.run(&["end-pause", "--reason", "compared with every supplier's list"]);
    assert_eq!(ended.status, 0, "{}", ended.err);
}

/// It may have been sent in the gap: who withdraws it before that shows is still told.
#[tokio::test]
async fn an_order_withdrawn_after_a_restore_is_watched_for_what_was_sent_in_the_gap() {
    let mut house = House::plan()
        .setting("look_up_first", "500ms")
        .setting("look_up_most", "1s")
        .start()
        .await;
    let sent = held(&house, "withdrawn-too-soon").await;
    house.kill_web();
    let backup = house.back_up();
    house.restart_web().await;
    {
        let buyer = house.sign_in(BUYER).await;
        buyer.does("release", &sent, &[("reason", "the budget came")]).await;
        house.see_state(&sent, "confirmed").await;
    }
    house.kill_web();
    house.put_back(&backup);
    let unseen: Vec<Value> = (0..2).map(|_| blind("none")).collect();
    house.faults(json!(unseen)).await;
    house.restart_web().await;
    let waits = house
        .see(&sent, "looked up", |order| {
            order["look_ups"].as_array().is_some_and(|all| !all.is_empty())
        })
        .await;
    let buyer = house.sign_in(BUYER).await;
    buyer.does("withdraw", &waits, &[("reason", "bought elsewhere")]).await;

    let found = house.see_state(&sent, "confirmation_pending").await;

    assert_owned(&found, "late_record");
    house.assert_counts_there(&found, 1).await;
}

/// Rule 20: in a paused house nothing is sent without a person, whatever the supplier's file lets the worker do.
#[tokio::test]
async fn in_a_paused_house_nothing_is_sent_again_by_itself() {
    let mut house = House::plan()
        .setting("look_up_first", "500ms")
        .setting("look_up_most", "700ms")
        .start()
        .await;
    let buyer_pending = {
        let buyer = house.sign_in(BUYER).await;
        house
            .faults(json!([
                fault("close_without_store"),
                blind("503"),
                blind("503"),
                blind("503"),
                blind("503")
            ]))
            .await;
        let order = house.buy(&buyer, "by-itself-not-now").await;
        house.wait_for_state(&order, "confirmation_pending").await
    };
    house.kill_web();
    house.add_supplier(|file| file.replace("resume = \"person\"", "resume = \"automatic\""));
    house.set("host", "another machine");
    let blinded: Vec<Value> = (0..40).map(|_| blind("503")).collect();
    house.faults(json!(blinded)).await;
    house.restart_web().await;
    assert_paused(&house, "copied from another machine").await;
    let before = buyer_pending["look_ups"].as_array().map_or(0, Vec::len);
    let asked = house
        .see(&buyer_pending, "asked three times", |order| {
            order["look_ups"].as_array().map_or(0, Vec::len) >= before + 3
        })
        .await;
    assert_eq!(house.submits_of(&asked).await, 1, "{asked:#}");
}
