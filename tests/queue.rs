//! The morning queue counts everything open, and reads in full what it shows.

mod support;

use support::fill::{Filling, Original};
use support::{BUYER, House, Suggested, body};

/// More than one section shows.
const MANY: i64 = 130;

async fn suggested(house: &House) -> Suggested {
    house.suggest("restock", &body("restock")).await
}

#[tokio::test]
async fn a_long_section_shows_its_oldest_and_counts_and_adds_up_all_of_them() {
    let mut house = House::plan().no_worker().start().await;
    let one = suggested(&house).await;
    house.kill_web();
    let mut filling = Filling::of(house.database_url()).await;
    filling.copy(Original::Suggestion(&one.id), 1..1 + MANY).await;
    filling.done().await;
    house.restart_web().await;

    let page = house.sign_in(BUYER).await.get("/").await.text;

    assert!(page.contains("The oldest 100 of 131."), "{page}");
    // 24 at 0.4375 is 10.50, less the discount; 131 of them
    assert!(page.contains(">€1,375.50<"), "{page}");
    assert!(!page.contains(&one.id), "the newest is not among the oldest");
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
    let thaw = support::database::either(
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
