//! People are told by e-mail: out of one outbox, once, also over a server that is away; and a mail changes nothing (case P12).

#![allow(
    clippy::disallowed_methods,
    reason = "the morning is moved to where the clock of this machine is"
)]

mod support;

use chrono::{DateTime, TimeDelta, Timelike, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::database::free_address;
use support::home::{page, until};
use support::post_office::{Does, Mail, PostOffice};
use support::{Answer, BUYER, House, MANAGER, Plan, RESOLVER, Session, body, run_in};

/// A house whose mail goes to this address, soon and often.
fn plan(mail: &str) -> Plan {
    let web = free_address();
    House::plan()
        .at(web.clone(), "127.0.0.1:0".to_owned())
        .setting("public_url", &format!("http://{web}"))
        .setting("mail_server", &format!("smtp://{mail}"))
        .setting("mail_from", "Countersign <desk@example.com>")
        .setting("mail_deadline", "2s")
        .setting("mail_first", "200ms")
        .setting("mail_most", "800ms")
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
}

async fn house_and_office() -> (House, PostOffice) {
    let office = PostOffice::open().await;
    let house = plan(&office.address).start().await;
    (house, office)
}

/// Every try of every message, oldest first: when it began, and how it ended.
async fn tries(house: &House) -> Vec<(i64, String)> {
    let pool = house.database().await;
    let tries = sqlx::query_as("SELECT at, coalesce(outcome, 'open') FROM outbox_attempts ORDER BY message, number");
    let tries = tries.fetch_all(&pool).await.expect("the tries");
    pool.close().await;
    tries
}

/// To whom, and where it is, of every message of this kind.
async fn outbox(house: &House, kind: &str) -> Vec<(String, String)> {
    let pool = house.database().await;
    let rows = sqlx::query_as(
        "SELECT p.email, CASE WHEN m.sent_at IS NOT NULL THEN 'sent'
                              WHEN m.given_up_at IS NOT NULL THEN 'given up: ' || m.given_up_because
                              ELSE 'waiting' END
         FROM outbox m JOIN people p ON p.id = m.person WHERE m.kind = $1 ORDER BY m.created_at, m.id",
    );
    let rows = rows.bind(kind).fetch_all(&pool).await.expect("the outbox");
    pool.close().await;
    rows
}

/// The id of the only message.
async fn only_message(house: &House) -> String {
    let pool = house.database().await;
    let id = sqlx::query_scalar("SELECT id FROM outbox").fetch_all(&pool).await;
    pool.close().await;
    let ids: Vec<String> = id.expect("the outbox");
    assert_eq!(ids.len(), 1, "{ids:?}");
    ids[0].clone()
}

fn to(mails: &[Mail], whom: &str) -> usize {
    mails.iter().filter(|mail| mail.to == whom).count()
}

fn assert_each_once(mails: &[Mail]) {
    let ids: BTreeSet<String> = mails.iter().map(Mail::id).collect();
    assert_eq!(ids.len(), mails.len(), "one came twice: {mails:?}");
}

#[tokio::test]
async fn a_case_is_told_to_its_owner_in_the_transaction_that_opens_it_and_once() {
    let (house, office) = house_and_office().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "told", "store_then_close").await;

    let mail = office.wait_for(1).await.remove(0);

    assert_eq!(mail.to, RESOLVER);
    assert_eq!(mail.field("From"), "Countersign <desk@example.com>");
    assert_eq!(mail.field("Auto-Submitted"), "auto-generated");
    assert!(mail.id().starts_with("msg_"), "{}", mail.raw);
    let text = mail.text();
    for part in [
        "This case is yours now.",
        "Hex bolt M8×40 A2",
        "€10.50",
        "Confirmation pending",
        "Owner:  Rolf Resolver",
        "Berlin time",
        "need sign-in",
        &format!("{}{}\n", house.base, page(&lost)),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let apart = house.number("SELECT m.created_at - c.opened_at FROM outbox m JOIN cases c ON c.id = m.case_id");
    assert_eq!(apart.await, 0, "of one transaction");
    // a second one comes after the first was seen to have come once
    house.lose(&buyer, "told-too", "store_then_close").await;
    let mails = office.wait_for(2).await;
    assert_eq!((mails.len(), office.heard()), (2, 2));
    assert_each_once(&mails);
    until("both noted as sent", || async {
        let sent = outbox(&house, "given").await;
        sent.iter().all(|(_, state)| state == "sent").then_some(())
    })
    .await;
    let shown = resolver.get("/messages").await.text;
    for part in [
        "Rolf Resolver",
        "Sent",
        "aken by the mail server",
        "Send again",
        "No clear answer yet",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains(RESOLVER), "the address is the person's alone");
    let activity = resolver.get("/activity").await.text;
    assert!(activity.contains("href=\"/messages\""), "{activity}");
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_written_and_the_page_says_so() {
    let house = House::start().await;
    let buyer = house.sign_in(BUYER).await;
    house.lose(&buyer, "untold", "store_then_close").await;
    assert_eq!(house.number("SELECT count(*) FROM outbox").await, 0);
    let shown = buyer.get("/messages").await;
    assert_eq!(shown.status, 200);
    assert!(shown.text.contains("No mail server is set"), "{}", shown.text);
    assert!(shown.text.contains("Nobody was told anything"), "{}", shown.text);
}

#[tokio::test]
async fn while_the_server_is_away_it_is_tried_less_and_less_often_and_arrives_later() {
    let address = free_address();
    let house = plan(&address).start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house.lose(&buyer, "away", "store_then_close").await;

    let tried = until("three tries", || async {
        let tried = tries(&house).await;
        (tried.len() >= 4).then_some(tried)
    })
    .await;

    assert!(tried[..3].iter().all(|(_, end)| end == "failed"), "{tried:?}");
    let waits: Vec<i64> = tried.windows(2).map(|two| (two[1].0 - two[0].0) / 1_000).collect();
    for (wait, least) in waits.iter().zip([200, 400, 800]) {
        assert!(*wait >= least, "{waits:?} ms");
    }
    let shown = resolver.get("/messages").await.text;
    assert!(shown.contains("Waiting") && shown.contains("Not taken"), "{shown}");
    let office = PostOffice::open_at(&address).await;
    let mails = office.wait_for(1).await;
    assert_eq!(to(&mails, RESOLVER), 1);
    until("sent", || async {
        let all = outbox(&house, "given").await;
        (all == [(RESOLVER.to_owned(), "sent".to_owned())]).then_some(())
    })
    .await;
    assert_eq!(office.heard(), 1);
}

/// Somebody else closes without an answer, or never answers: it may have arrived, so it comes again under the same id.
#[tokio::test]
async fn a_lost_answer_is_tried_again_under_the_same_id() {
    for (does, came_to) in [(Does::Close, "lost"), (Does::Hang, "lost"), (Does::NotNow, "failed")] {
        let (house, office) = house_and_office().await;
        office.does(does);
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, "lost-answer", "store_then_close").await;
        until("a try that came to this", || async {
            let tried = tries(&house).await;
            tried.first().filter(|(_, end)| end == came_to).map(|_| ())
        })
        .await;
        office.does(Does::Take);
        let mails = office.wait_for(1).await;
        assert_eq!(mails[0].id(), only_message(&house).await, "{does:?}");
    }
}

/// Nobody knows whether it arrived, so it comes again, and mail programs show one.
#[tokio::test]
async fn what_a_process_that_died_was_sending_is_sent_again_under_the_same_id() {
    let office = PostOffice::open().await;
    let mut house = plan(&office.address).setting("mail_deadline", "6s").start().await;
    office.does(Does::Hang);
    let buyer = house.sign_in(BUYER).await;
    house.lose(&buyer, "died", "store_then_close").await;
    until("handed over", || async { (office.heard() > 0).then_some(()) }).await;
    house.kill_web();
    office.does(Does::Take);
    house.restart_web().await;
    let mails = office.wait_for(1).await;
    assert_eq!(mails[0].id(), only_message(&house).await);
    let tried = until("noted", || async {
        let tried = tries(&house).await;
        tried.last().filter(|(_, end)| end == "accepted").map(|_| tried.clone())
    })
    .await;
    assert_eq!(tried.first().map(|(_, end)| end.as_str()), Some("lost"), "{tried:?}");
}

#[tokio::test]
async fn what_the_server_refuses_is_given_up_and_whoever_it_is_for_has_it_sent_again() {
    let (house, office) = house_and_office().await;
    office.does(Does::Never);
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    house.lose(&buyer, "refused", "store_then_close").await;
    let given_up = until("given up", || async {
        let all = outbox(&house, "given").await;
        all.into_iter().find(|(_, state)| state.starts_with("given up"))
    })
    .await;
    assert!(
        given_up.1.contains("550") && !given_up.1.contains(RESOLVER),
        "{given_up:?}"
    );
    assert_eq!(tries(&house).await.len(), 1, "a refusal is not tried again");
    let shown = resolver.get("/messages").await.text;
    assert!(shown.contains("Given up") && shown.contains("550"), "{shown}");
    let in_vain = async || manager.get("/").await.text.contains("1 e-mail was given up since");
    assert!(in_vain().await, "the queue says that somebody was not told");
    let message = only_message(&house).await;
    let again = |who: &Session<'_>, id: &str| {
        let form = who.form("/act/send_again", &[("message", id)]);
        async move { Answer::of(form).await }
    };

    let not_theirs = buyer.refused(&again(&buyer, &message).await, "/messages").await;
    assert!(not_theirs.is("not_your_role"), "{:?}", not_theirs.why);
    for nothing in ["", "po_0123456789ab", "msg_0123456789ab"] {
        let refused = resolver.refused(&again(&resolver, nothing).await, "/messages").await;
        assert_eq!(refused.field(), "message", "{nothing:?}");
    }
    office.does(Does::Take);
    let done = again(&resolver, &message).await;
    assert_eq!((done.status, done.location()), (303, "/messages"), "{done:?}");

    let mails = office.wait_for(1).await;
    assert_eq!(mails[0].id(), message);
    assert!(!in_vain().await, "it was taken after all");
    let wanted = house
        .number("SELECT count(*) FROM events WHERE body LIKE '%send_again_wanted%'")
        .await;
    assert_eq!(wanted, 1, "who wanted it is in the log (rule 16)");
    // on its way: calmly told, and sent no second time
    until("sent", || async {
        let all = outbox(&house, "given").await;
        all.iter().all(|(_, state)| state == "sent").then_some(())
    })
    .await;
    office.does(Does::Hang);
    let heard = office.heard();
    assert_eq!(again(&manager, &message).await.location(), "/messages");
    until("handed over", || async { (office.heard() > heard).then_some(()) }).await;
    let calm = resolver.refused(&again(&resolver, &message).await, "/messages").await;
    assert!(calm.is("message_on_its_way"), "{:?}", calm.why);
    assert!(calm.page.contains("summary-calm"), "{}", calm.page);
    house.assert_log_is_whole().await;
}

/// What the mail server says of us somebody puts right, and then everything goes out.
#[tokio::test]
async fn what_the_server_refuses_because_of_us_is_tried_again() {
    for (does, said) in [
        (Does::NotFromYou, "not from you"),
        (Does::NoRelay, "relay access denied"),
    ] {
        let (house, office) = house_and_office().await;
        office.does(does);
        let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
        house.lose(&buyer, "about-us", "store_then_close").await;
        let tried = until("a second try", || async {
            let tried = tries(&house).await;
            (tried.len() >= 3).then_some(tried)
        })
        .await;
        assert!(tried[..2].iter().all(|(_, end)| end == "failed"), "{does:?}: {tried:?}");
        let shown = resolver.get("/messages").await.text;
        assert!(shown.contains(said), "{said}: {shown}");
        office.does(Does::Take);
        let mails = office.wait_for(1).await;
        assert_eq!(mails[0].id(), only_message(&house).await, "{does:?}");
    }
}

#[tokio::test]
async fn a_message_is_given_up_by_its_age_and_sent_again_counts_anew() {
    let office = PostOffice::open().await;
    let house = plan(&office.address).setting("mail_give_up", "3s").start().await;
    office.does(Does::NotNow);
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house.lose(&buyer, "aged", "store_then_close").await;
    let given_up = || async {
        let all = outbox(&house, "given").await;
        all.into_iter().find(|(_, state)| state.starts_with("given up"))
    };
    let (_, why) = until("given up", given_up).await;
    assert!(
        why.contains("tried for") && why.contains("no mail server said that it took it"),
        "{why}"
    );
    let tried = tries(&house).await;
    let length = tried.last().expect("a try").0 - tried[0].0;
    assert!(length >= 3_000_000, "{length} µs: {tried:?}");
    assert!(resolver.get("/").await.text.contains("1 e-mail was given up since"));
    assert!(tried.iter().all(|(_, end)| end == "failed"), "{tried:?}");
    let message = only_message(&house).await;
    let again = resolver.post("/act/send_again", &[("message", &message)]).await;
    assert_eq!((again.status, again.location()), (303, "/messages"), "{again:?}");
    until("tried twice more", || async {
        (tries(&house).await.len() >= tried.len() + 2).then_some(())
    })
    .await;
    office.does(Does::Take);
    let mails = office.wait_for(1).await;
    assert_eq!(mails[0].id(), message);
}

/// Whoever was sending it died, and then it was for nobody: that try does not stay under way.
#[tokio::test]
async fn what_is_given_up_has_no_try_under_way() {
    let office = PostOffice::open().await;
    let mut house = plan(&office.address).setting("mail_deadline", "4s").start().await;
    office.does(Does::Hang);
    let buyer = house.sign_in(BUYER).await;
    house.lose(&buyer, "left-open", "store_then_close").await;
    until("handed over", || async { (office.heard() > 0).then_some(()) }).await;
    house.kill_web();
    let disabled = house.run(&["person", "disable", RESOLVER]);
    assert_eq!(disabled.status, 0, "{}", disabled.err);
    office.does(Does::Take);
    house.restart_web().await;
    until("given up", || async {
        let all = outbox(&house, "given").await;
        all.iter()
            .any(|(to, state)| to == RESOLVER && state.starts_with("given up"))
            .then_some(())
    })
    .await;
    let lost = house
        .number(
            "SELECT count(*) FROM outbox_attempts t JOIN outbox m ON m.id = t.message
             WHERE m.given_up_at IS NOT NULL AND t.outcome = 'lost'",
        )
        .await;
    let open = house
        .number(
            "SELECT count(*) FROM outbox_attempts t JOIN outbox m ON m.id = t.message
             WHERE m.given_up_at IS NOT NULL AND t.ended_at IS NULL",
        )
        .await;
    assert_eq!((lost, open), (1, 0));
}

#[tokio::test]
async fn without_a_mail_server_what_waits_says_so_and_nothing_is_sent_again() {
    let office = PostOffice::open().await;
    let mut house = plan(&office.address).start().await;
    office.does(Does::NotNow);
    let buyer_lost = async {
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, "no-server", "store_then_close").await;
        until("tried", || async { (!tries(&house).await.is_empty()).then_some(()) }).await;
    };
    buyer_lost.await;
    house.set("mail_server", "");
    house.restart_web().await;
    let resolver = house.sign_in(RESOLVER).await;
    let shown = until("nobody has it in hand", || async {
        let shown = resolver.get("/messages").await.text;
        (!shown.contains("is spoken to now")).then_some(shown)
    })
    .await;
    for part in [
        "No mail server is set",
        "waits until a mail server is set",
        "Not offered",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("within a moment"), "{shown}");
    let message = only_message(&house).await;
    let answer = resolver.post("/act/send_again", &[("message", &message)]).await;
    let refused = resolver.refused(&answer, "/messages").await;
    assert!(refused.is("nothing_is_sent"), "{:?}", refused.why);
}

/// Rule 20: a restored database does not know what was sent after the copy, neither orders nor mail.
#[tokio::test]
async fn a_restored_house_sends_no_mail_while_it_is_paused_and_no_second_digest() {
    let (mut house, office) = house_and_office().await;
    office.does(Does::NotNow);
    {
        let buyer = house.sign_in(BUYER).await;
        // no look-up finds it, so that its case is open until the end
        house.lose(&buyer, "before-the-backup", "close_without_store").await;
    }
    until("tried", || async { (!tries(&house).await.is_empty()).then_some(()) }).await;
    let waiting = only_message(&house).await;
    house.kill_web();
    let backup = house.back_up();
    office.does(Does::Take);
    house.restart_web().await;
    morning(&house, TimeDelta::minutes(5)).await;
    {
        let buyer = house.sign_in(BUYER).await;
        house.lose(&buyer, "after-the-backup", "store_then_close").await;
    }
    // both cases, and two digests
    let mails = office.wait_for(4).await;
    assert_each_once(&mails);
    let of_waiting = |mails: &[Mail]| mails.iter().filter(|mail| mail.id() == waiting).count();
    assert_eq!(of_waiting(&mails), 1);
    house.kill_web();
    house.put_back(&backup);
    house.restart_web().await;
    let paused = "SELECT count(*) FROM pauses WHERE ended_at IS NULL";
    assert_eq!(house.number(paused).await, 1);
    morning(&house, TimeDelta::minutes(5)).await;

    // time for a claim and a sweep
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;

    let heard = office.mails().len();
    assert_eq!(heard, mails.len(), "nothing goes out");
    assert_eq!(outbox(&house, "digest").await, []);
    let manager = house.sign_in(MANAGER).await;
    let shown = manager.get("/messages").await.text;
    for part in ["Everything is paused", "waits until the pause has ended", "Not offered"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let answer = manager.post("/act/send_again", &[("message", &waiting)]).await;
    let refused = manager.refused(&answer, "/messages").await;
    assert!(refused.is("nothing_is_sent"), "{:?}", refused.why);

    let ended = manager.post("/act/end_pause", &[("reason", "looked at it")]).await;
    assert_eq!((ended.status, ended.location()), (303, "/"), "{ended:?}");
    until("it goes out", || async {
        (of_waiting(&office.mails()) == 2).then_some(())
    })
    .await;
    assert_eq!(
        outbox(&house, "digest").await,
        [],
        "it may have been written in the gap"
    );
}

/// A person who is signed out comes back to the messages, and nothing was done.
#[tokio::test]
async fn somebody_signed_out_has_nothing_sent() {
    let (house, office) = house_and_office().await;
    office.does(Does::Never);
    let buyer = house.sign_in(BUYER).await;
    house.lose(&buyer, "signed-out", "store_then_close").await;
    let message = until("written", || async {
        let all = outbox(&house, "given").await;
        all.iter().any(|(_, state)| state.starts_with("given up")).then_some(())
    });
    message.await;
    let id = only_message(&house).await;
    let post = support::session::form(&house, "/act/send_again", &[("message", &id)]);
    let answer = Answer::of(post).await;
    assert_eq!((answer.status, answer.location()), (303, "/sign-in?next=%2Fmessages"));
    assert_eq!(tries(&house).await.len(), 1);
}

#[tokio::test]
async fn whoever_is_given_a_case_is_told_and_nobody_what_they_did_themselves() {
    let (house, office) = house_and_office().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "handed-over", "store_then_close").await;
    office.wait_for(1).await;
    let due = (Utc::now() + TimeDelta::hours(30)).to_rfc3339();
    let assign = |order: &Value, owner: String| {
        vec![
            (
                "case".to_owned(),
                order["case"]["id"].as_str().expect("a case").to_owned(),
            ),
            ("version".to_owned(), order["case"]["version"].to_string()),
            ("owner".to_owned(), owner),
            ("due_at".to_owned(), due.clone()),
            ("reason".to_owned(), "you know them".to_owned()),
        ]
    };
    let done = |who: Session<'_>, fields: Vec<(String, String)>| {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        let form = who.form("/act/assign", &fields);
        async move { assert_eq!(Answer::of(form).await.status, 303) }
    };

    // taking it oneself tells nobody; handing it on tells the next
    done(manager.clone(), assign(&lost, house.person(MANAGER).await)).await;
    let taken = house.now(&lost).await;
    assert_eq!(taken["case"]["owner_name"], "Mara Manager");
    done(manager.clone(), assign(&taken, house.person(RESOLVER).await)).await;

    let mails = office.wait_for(2).await;
    assert_eq!((to(&mails, RESOLVER), to(&mails, MANAGER)), (2, 0));
    // whose owner is disabled goes to somebody who is told; what still waits for them is given up
    let back = house.now(&lost).await;
    done(resolver.clone(), assign(&back, house.person(MANAGER).await)).await;
    office.wait_for(3).await;
    office.does(Does::NotNow);
    let with_manager = house.now(&lost).await;
    done(manager.clone(), assign(&with_manager, house.person(RESOLVER).await)).await;
    let disabled = house.run(&["person", "disable", RESOLVER]);
    assert_eq!(disabled.status, 0, "{}", disabled.err);
    until("given up", || async {
        let all = outbox(&house, "given").await;
        let why = "given up: whoever it is for is disabled, and is told nothing";
        all.iter()
            .any(|(to, state)| to == RESOLVER && state == why)
            .then_some(())
    })
    .await;
    office.does(Does::Take);
    let mails = office.wait_for(4).await;
    assert_eq!((to(&mails, RESOLVER), to(&mails, MANAGER)), (2, 2), "{mails:?}");
}

/// A mail that was delayed says nothing that is not so any more, nor does one that is wanted once more.
#[tokio::test]
async fn nobody_is_told_that_a_case_is_theirs_when_it_is_somebody_elses_by_then() {
    let (house, office) = house_and_office().await;
    office.does(Does::NotNow);
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let manager = house.sign_in(MANAGER).await;
    let lost = house.lose(&buyer, "delayed", "store_then_close").await;
    let (case, version) = (
        lost["case"]["id"].as_str().expect("a case").to_owned(),
        lost["case"]["version"].to_string(),
    );
    let (due, mara) = (
        (Utc::now() + TimeDelta::hours(30)).to_rfc3339(),
        house.person(MANAGER).await,
    );
    let taken = [
        ("case", &*case),
        ("version", &*version),
        ("owner", &*mara),
        ("due_at", &*due),
        ("reason", "I take it"),
    ];
    assert_eq!(manager.post("/act/assign", &taken).await.status, 303);
    let is_past = || async {
        let why = "given up: somebody else has the case by now";
        let all = outbox(&house, "given").await;
        all.iter()
            .any(|(to, state)| to == RESOLVER && state == why)
            .then_some(())
    };
    until("it is not sent any more", is_past).await;
    let queue = resolver.get("/").await.text;
    assert!(!queue.contains("nobody may have got it"), "nobody misses it: {queue}");
    office.does(Does::Take);
    let message = only_message(&house).await;
    let again = resolver.post("/act/send_again", &[("message", &message)]).await;
    let refused = resolver.refused(&again, "/messages").await;
    assert!(refused.is("message_past"), "{:?}", refused.why);
    assert!(office.mails().is_empty(), "{:?}", office.mails());
}

/// Rule 19: what a supplier or an assistant wrote begins no header and makes no link.
#[tokio::test]
async fn names_with_line_ends_and_direction_marks_add_no_header_and_no_link() {
    let (house, office) = house_and_office().await;
    let buyer = house.sign_in(BUYER).await;
    let pool = house.database().await;
    let name = "Acme\r\nBcc: all@example.com\r\n\r\nbuy \u{202e}now https://evil.example/pay";
    sqlx::query("UPDATE suppliers SET name = $1")
        .bind(name)
        .execute(&pool)
        .await
        .expect("renamed");
    pool.close().await;
    let mut order = body("nasty");
    order["lines"][0]["description"] = json!("bolt\r\nBcc: all@example.com\r\n.\r\nwww.evil.example \u{202e}");
    let suggested = house.suggest("nasty", &order).await;
    house.faults(json!([support::home::fault("store_then_close")])).await;
    let id = buyer.approve(&suggested).await;
    house.wait_for_state(&id, "confirmation_pending").await;

    let mail = office.wait_for(1).await.remove(0);

    let names: BTreeSet<String> = mail.head().into_iter().map(|(name, _)| name).collect();
    let expected = [
        "Auto-Submitted",
        "Content-Transfer-Encoding",
        "Content-Type",
        "Date",
        "From",
        "MIME-Version",
        "Message-ID",
        "Subject",
        "To",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    let text = mail.text();
    assert!(!text.lines().any(|line| line.starts_with("Bcc")), "{text}");
    assert!(text.contains("U+202E") && !text.contains('\u{202e}'), "{text}");
    let links = mail.links();
    assert!(links.iter().all(|link| link.starts_with(&house.base)), "{links:?}");
    assert!(!text.contains("evil.example"), "{text}");
}

/// Case P12: scanners and previews open every link of a mail.
#[tokio::test]
async fn a_link_in_a_mail_asks_for_sign_in_and_opening_it_changes_nothing() {
    let (house, office) = house_and_office().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    house.lose(&buyer, "links", "store_then_close").await;
    morning(&house, TimeDelta::minutes(5)).await;
    let mails = office.wait_for(3).await;
    let links: BTreeSet<String> = mails.iter().flat_map(Mail::links).collect();
    assert!(links.len() >= 3, "an order, its case and the queue: {links:?}");
    let (stored, head) = (house.stored().await, head(&house).await);
    for link in &links {
        let path = link.strip_prefix(&house.base).expect("an address of this house");
        for method in [Method::GET, Method::HEAD] {
            let opened = Answer::of(house.http.request(method.clone(), link)).await;
            assert_eq!(opened.status, 303, "{method} {link}: {opened:?}");
            assert!(opened.location().starts_with("/sign-in"), "{opened:?}");
            let signed_in = house
                .http
                .request(method.clone(), link)
                .header("Cookie", &resolver.cookie);
            assert_eq!(Answer::of(signed_in).await.status, 200, "{method} {path}");
        }
    }
    assert_eq!((house.stored().await, self::head(&house).await), (stored, head));
}

/// The head of the log.
async fn head(house: &House) -> i64 {
    house.number("SELECT max(event_number) FROM tenants").await
}

/// It is about noon where the tenant is, everybody has been here for long, and people have worked since so long.
async fn morning(house: &House, since: TimeDelta) {
    let now: DateTime<Utc> = Utc::now();
    let offset = 12 - i64::from(now.hour());
    let zone = match offset {
        ahead @ 0.. => format!("Etc/GMT-{ahead}"),
        behind => format!("Etc/GMT+{}", -behind),
    };
    let opens = now + TimeDelta::hours(offset) - since;
    let hours = format!("mon-sun {}-24:00", opens.format("%H:%M"));
    let set = house.run(&["tenant", "hours", "--set", &hours]);
    assert_eq!(set.status, 0, "{}", set.err);
    let pool = house.database().await;
    for (statement, value) in [
        ("UPDATE tenants SET zone = $1", zone.as_str()),
        ("UPDATE people SET created_at = 1 WHERE name <> $1", ""),
    ] {
        sqlx::query(statement)
            .bind(value)
            .execute(&pool)
            .await
            .expect(statement);
    }
    pool.close().await;
}

#[tokio::test]
async fn two_processes_send_each_message_once_and_write_one_digest_each() {
    let (house, office) = house_and_office().await;
    let _second = house.work_with(&[]).await;
    let _third = house.serve(&["--no-worker"], &[]).await;
    let buyer = house.sign_in(BUYER).await;
    for intent in ["first", "second", "third", "fourth"] {
        house.lose(&buyer, intent, "store_then_close").await;
    }
    morning(&house, TimeDelta::minutes(5)).await;

    let mails = office.wait_for(6).await;
    // one more, so that what would have come twice has come
    house.lose(&buyer, "fifth", "store_then_close").await;
    let mails = if mails.len() == 6 {
        office.wait_for(7).await
    } else {
        mails
    };

    assert_each_once(&mails);
    assert_eq!((mails.len(), office.heard()), (7, 7));
    let digests = outbox(&house, "digest").await;
    let whom: BTreeSet<&str> = digests.iter().map(|(to, _)| to.as_str()).collect();
    assert_eq!((digests.len(), whom), (2, BTreeSet::from([MANAGER, RESOLVER])));
    let of_manager = digest_of(&mails, MANAGER);
    assert!(of_manager.contains("Nothing is open with you."), "{of_manager}");
    assert!(
        of_manager.contains("Open in the whole house: 4 (€42.00)"),
        "{of_manager}"
    );
    assert!(!of_manager.contains("comes late"), "{of_manager}");
    assert!(!digest_of(&mails, RESOLVER).contains("whole house"));
}

/// The text of the digest that somebody got.
fn digest_of(mails: &[Mail], whom: &str) -> String {
    let texts = mails.iter().filter(|mail| mail.to == whom).map(Mail::text);
    let mut digests = texts.filter(|text| text.contains("The queue: "));
    let digest = digests.next().unwrap_or_else(|| panic!("no digest for {whom}"));
    assert!(digests.next().is_none(), "one digest for {whom}");
    digest
}

#[tokio::test]
async fn after_downtime_the_digest_of_today_comes_late_once_and_says_so() {
    let (mut house, office) = house_and_office().await;
    house.kill_web();
    morning(&house, TimeDelta::hours(3)).await;
    house.restart_web().await;
    let mails = office.wait_for(2).await;
    for whom in [MANAGER, RESOLVER] {
        let text = digest_of(&mails, whom);
        assert!(text.contains("This comes late: it was due at "), "{text}");
        assert!(text.contains("Nothing is open with you."), "{text}");
    }
    assert!(
        mails
            .iter()
            .all(|mail| mail.field("Subject").starts_with("Sent late: "))
    );

    // a process that dies before it noted what it sent would send it again
    until("noted as sent", || async {
        let digests = outbox(&house, "digest").await;
        digests.iter().all(|(_, state)| state == "sent").then_some(())
    })
    .await;
    house.restart_web().await;
    let buyer = house.sign_in(BUYER).await;
    house.lose(&buyer, "after", "store_then_close").await;

    let mails = office.wait_for(3).await;
    assert_eq!(mails.len(), 3);
    assert_eq!(outbox(&house, "digest").await.len(), 2, "no second one that day");
}

/// After days without a mail server nobody gets a morning for each of them.
#[tokio::test]
async fn a_digest_that_waited_is_not_sent_behind_a_later_one() {
    let (house, office) = house_and_office().await;
    morning(&house, TimeDelta::minutes(5)).await;
    office.wait_for(2).await;
    let resolver = house.sign_in(RESOLVER).await;
    let pool = house.database().await;
    let yesterday = (Utc::now() - TimeDelta::days(1)).date_naive().to_string();
    // due once all of it is written: a worker that looked between would send it
    for statement in [
        "INSERT INTO outbox (id, tenant, person, kind, subject, body, created_at, due_at)
         SELECT 'msg_000000000000', m.tenant, m.person, m.kind, 'The queue of yesterday', m.body, m.created_at,
                4000000000000000
         FROM outbox m JOIN people p ON p.id = m.person WHERE m.kind = 'digest' AND p.email = 'rolf@example.com'",
        "INSERT INTO digests (tenant, person, day, message)
         SELECT tenant, person, 'DAY', 'msg_000000000000' FROM outbox WHERE id = 'msg_000000000000'",
        "UPDATE outbox SET due_at = created_at WHERE id = 'msg_000000000000'",
    ] {
        let statement = statement
            .replace("DAY", &yesterday)
            .replace("rolf@example.com", RESOLVER);
        let done = sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&pool).await;
        assert_eq!(done.expect("written").rows_affected(), 1);
    }
    pool.close().await;

    let given_up = until("given up", || async {
        let page = resolver.get("/messages").await.text;
        page.contains("a later digest was written since").then_some(page)
    })
    .await;

    assert!(given_up.contains("The queue of yesterday"), "{given_up}");
    assert_eq!(office.heard(), 2, "nobody got it");
    let queue = resolver.get("/").await.text;
    assert!(!queue.contains("nobody may have got it"), "it was not tried: {queue}");
}

/// Nobody works on a holiday, and whoever came after the morning begins with tomorrow's.
#[tokio::test]
async fn there_is_no_digest_on_a_holiday_nor_for_who_came_after_it_was_due() {
    let (house, office) = house_and_office().await;
    let today = Utc::now().date_naive();
    for day in [today.pred_opt(), Some(today), today.succ_opt()] {
        let day = day.expect("a day").to_string();
        let set = house.run(&["tenant", "holiday", &day, "--name", "Founders’ day"]);
        assert_eq!(set.status, 0, "{}", set.err);
    }
    morning(&house, TimeDelta::minutes(5)).await;
    let buyer = house.sign_in(BUYER).await;
    house.lose(&buyer, "holiday", "store_then_close").await;
    office.wait_for(1).await;
    assert_eq!(outbox(&house, "digest").await, []);
    let add = [
        "person",
        "add",
        "Nora New",
        "--email",
        "nora@example.com",
        "--role",
        "manager",
    ];
    assert_eq!(house.run(&add).status, 0);
    for day in [today.pred_opt(), Some(today), today.succ_opt()] {
        let day = day.expect("a day").to_string();
        assert_eq!(house.run(&["tenant", "holiday", &day, "--off"]).status, 0);
    }
    let mails = office.wait_for(3).await;
    assert_eq!(
        (
            to(&mails, RESOLVER),
            to(&mails, MANAGER),
            to(&mails, "nora@example.com")
        ),
        (2, 1, 0)
    );
}

#[tokio::test]
async fn settings_for_mail_that_lack_something_are_named_at_once() {
    let house = House::plan().no_worker().start().await;
    let refused = run_in(
        house.folder(),
        &[
            ("mail_server", "smtps://desk@mail.example.com".to_owned()),
            ("mail_give_up", "0s".to_owned()),
        ],
        &["check"],
    );
    assert_eq!(refused.status, 2, "{}", refused.err);
    for name in ["public_url", "mail_from", "mail_password", "mail_give_up"] {
        assert!(refused.err.contains(name), "{name}: {}", refused.err);
    }
}
