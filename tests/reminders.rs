//! Nothing is forgotten: the owner of a case is reminded before its deadline, a manager is told when it has passed and again
//! every day, and whoever says that they are on it is left alone for a set time only. None of it touches the order.

mod support;

use serde_json::Value;
use support::home::{id, moment};
use support::{BUYER, House, MANAGER, Plan, RESOLVER};

/// Answers are lost, and nobody asks about them.
fn plan(due: &str, before: &str, lasts: &str) -> Plan {
    House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .setting("case_due", due)
        .setting("remind_before", before)
        .setting("acknowledge_lasts", lasts)
}

fn by_the_system(events: &[Value]) -> bool {
    events.iter().all(|event| event["actor"] == "system")
}

#[tokio::test]
async fn the_owner_before_the_deadline_then_a_manager_and_the_order_does_not_move() {
    let house = plan("4s", "2s", "1h").start().await;
    let buyer = house.sign_in(BUYER).await;
    let lost = house.lose(&buyer, "told", "store_then_close").await;

    let told = house
        .see(&lost, "told of", |order| order["case"]["escalated"] == 1)
        .await;

    let (reminded, escalated) = (
        house.happened(&lost, "case_reminded").await,
        house.happened(&lost, "case_escalated").await,
    );
    assert_eq!((reminded.len(), escalated.len()), (1, 1), "{reminded:?} {escalated:?}");
    assert!(by_the_system(&reminded) && by_the_system(&escalated));
    assert_eq!(reminded[0]["happening"]["owner_name"], "Rolf Resolver");
    assert_eq!(escalated[0]["happening"]["to"], house.person(MANAGER).await);
    let due = moment(&lost["case"]["due_at"]);
    assert!(moment(&reminded[0]["at"]) < due && due <= moment(&escalated[0]["at"]));
    for field in ["state", "version", "held"] {
        assert_eq!(told[field], lost[field], "{field}: telling people changes nothing");
    }
    assert_eq!(
        told["case"]["version"], lost["case"]["version"],
        "whoever has its page open is not too late"
    );
    assert_eq!(
        told["case"]["owner"], lost["case"]["owner"],
        "telling a manager takes it from nobody"
    );
    let page = house
        .sign_in(RESOLVER)
        .await
        .get(&format!("/orders/{}", id(&lost)))
        .await
        .text;
    assert!(page.contains("It is late, and was put before a manager"), "{page}");
    assert!(
        page.contains("put it before Mara Manager in the queue"),
        "no mail goes out: {page}"
    );
}

#[tokio::test]
async fn a_manager_is_told_again_the_next_day_and_once_by_however_many_processes() {
    let house = plan("1s", "500ms", "1h").start().await;
    let (_one, _other) = (house.work().await, house.work().await);
    let buyer = house.sign_in(BUYER).await;
    let lost = house.lose(&buyer, "again", "store_then_close").await;
    house
        .see(&lost, "told of", |order| order["case"]["escalated"] == 1)
        .await;
    // a day passes
    let pool = house.database().await;
    let later = "UPDATE cases SET remind_at = remind_at - 86400000000 WHERE order_id = $1";
    sqlx::query(later).bind(id(&lost)).execute(&pool).await.expect(later);
    pool.close().await;

    house
        .see(&lost, "told of again", |order| order["case"]["escalated"] == 2)
        .await;

    let told = house.happened(&lost, "case_escalated").await;
    let times: Vec<&Value> = told.iter().map(|event| &event["happening"]["times"]).collect();
    assert_eq!(times, [1, 2], "each once, of three processes that sweep");
    house.assert_log_is_whole().await;
}

#[tokio::test]
async fn whoever_is_on_it_is_left_alone_for_a_set_time_only() {
    let house = plan("2s", "500ms", "3s").start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "on-it", "store_then_close").await;
    let case = lost["case"]["id"].as_str().expect("a case").to_owned();
    let version = lost["case"]["version"].to_string();
    let fields = [("case", &*case), ("version", &*version), ("order", id(&lost))];

    let refused = buyer.post("/act/acknowledge", &fields).await;
    assert!(refused.location().contains("refused="), "a buyer may not: {refused:?}");
    let done = resolver.post("/act/acknowledge", &fields).await;
    assert_eq!(
        (done.status, done.location()),
        (303, &*format!("/orders/{}", id(&lost)))
    );
    let again = resolver.post("/act/acknowledge", &fields).await;
    assert!(
        again.location().contains("refused="),
        "its version has moved: {again:?}"
    );

    let acknowledged = house.happened(&lost, "case_acknowledged").await;
    assert_eq!(acknowledged.len(), 1, "{acknowledged:?}");
    let until = moment(&acknowledged[0]["happening"]["until"]);
    let page = resolver.get(&format!("/orders/{}", id(&lost))).await.text;
    assert!(
        page.contains("Rolf Resolver is on it: nobody is reminded until"),
        "{page}"
    );
    house
        .see(&lost, "told of", |order| order["case"]["escalated"] == 1)
        .await;
    let told = house.happened(&lost, "case_escalated").await;
    assert!(moment(&told[0]["at"]) >= until, "not before its time: {told:?}");
    assert!(
        house.happened(&lost, "case_reminded").await.is_empty(),
        "the deadline passed meanwhile"
    );
    let now = house.now(&lost).await;
    assert_eq!((&now["state"], &now["version"]), (&lost["state"], &lost["version"]));
}

/// A new deadline is a new beginning: what was said of the one before does not count.
#[tokio::test]
async fn a_case_that_is_given_to_somebody_is_told_of_anew() {
    let house = plan("1s", "500ms", "1h").start().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let lost = house.lose(&buyer, "anew", "store_then_close").await;
    let told = house
        .see(&lost, "told of", |order| order["case"]["escalated"] == 1)
        .await;
    let (case, version) = (
        told["case"]["id"].as_str().expect("a case"),
        told["case"]["version"].to_string(),
    );
    let owner = house.person(MANAGER).await;
    let to = [
        ("case", case),
        ("version", &*version),
        ("owner", &owner),
        ("due_at", "2031-01-01T12:00"),
        ("reason", "I take it"),
    ];

    assert_eq!(manager.post("/act/assign", &to).await.status, 303);

    let now = house.now(&lost).await;
    assert_eq!(
        (&now["case"]["escalated"], &now["case"]["owner"]),
        (&0.into(), &owner.into())
    );
}

/// Saying that one is on it never brings the next word forward.
#[tokio::test]
async fn being_on_it_brings_nothing_forward() {
    let house = plan("1s", "500ms", "2s").start().await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let lost = house.lose(&buyer, "later", "store_then_close").await;
    let told = house
        .see(&lost, "told of", |order| order["case"]["escalated"] == 1)
        .await;
    let next = "SELECT remind_at FROM cases WHERE closed_at IS NULL";
    let before = house.number(next).await;
    let (case, version) = (
        told["case"]["id"].as_str().expect("a case"),
        told["case"]["version"].to_string(),
    );

    let done = resolver
        .post("/act/acknowledge", &[("case", case), ("version", &version)])
        .await;

    assert_eq!(
        (done.status, done.location()),
        (303, &*format!("/orders/{}", id(&lost)))
    );
    assert_eq!(
        house.number(next).await,
        before,
        "a day after the first time, as it was"
    );
}
