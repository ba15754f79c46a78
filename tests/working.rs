//! Deadlines of cases are counted in the tenant's working hours, where it has any (case Q3). The table of deadlines itself is
//! worked by hand beside `domain::working`.

mod support;

use chrono::{DateTime, Datelike, Days, NaiveDate, Utc, Weekday};
use chrono_tz::Europe::Berlin;
use serde_json::Value;
use support::home::{moment, page};
use support::{BUYER, House, RESOLVER};

const WEEKDAYS: [(Weekday, &str); 7] = [
    (Weekday::Mon, "mon"),
    (Weekday::Tue, "tue"),
    (Weekday::Wed, "wed"),
    (Weekday::Thu, "thu"),
    (Weekday::Fri, "fri"),
    (Weekday::Sat, "sat"),
    (Weekday::Sun, "sun"),
];

fn named(day: NaiveDate) -> &'static str {
    let found = WEEKDAYS.iter().find(|(weekday, _)| *weekday == day.weekday());
    found.expect("a weekday").1
}

fn after(day: NaiveDate, days: u64) -> NaiveDate {
    day.checked_add_days(Days::new(days)).expect("a day")
}

/// The moment at which a wall in Berlin shows this.
fn noon(day: NaiveDate) -> DateTime<Utc> {
    let wall = day.and_hms_opt(12, 0, 0).expect("a time");
    wall.and_local_timezone(Berlin).single().expect("one moment").to_utc()
}

fn due(order: &Value) -> DateTime<Utc> {
    moment(&order["case"]["due_at"])
}

#[tokio::test]
async fn a_case_is_due_after_so_much_working_time_and_a_holiday_is_none() {
    let house = House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .start()
        .await;
    let buyer = house.sign_in(BUYER).await;
    let bought = house.buy(&buyer, "today").await;
    let bought = house.wait_for_state(&bought, "confirmed").await;
    let today = moment(&bought["approved_at"]).with_timezone(&Berlin).date_naive();
    let passing = house.lose(&buyer, "passing", "store_then_close").await;
    let opened = moment(&passing["case"]["opened_at"]);
    assert_eq!(
        (due(&passing) - opened).num_hours(),
        4,
        "without hours time is counted as it passes"
    );

    // nobody works before the day after tomorrow
    let works = after(today, 2);
    let hours = format!("{} 08:00-18:00", named(works));
    let set = house.run(&["tenant", "hours", "--set", &hours]);
    assert_eq!((set.status, set.last_line()), (0, hours), "{}", set.err);
    let lost = house.lose(&buyer, "working", "store_then_close").await;
    assert_eq!(due(&lost), noon(works), "four hours after it opens");

    let day = works.to_string();
    let set = house.run(&["tenant", "holiday", &day, "--name", "Founders’ day"]);
    assert_eq!(
        (set.status, set.last_line()),
        (0, format!("{day} Founders’ day")),
        "{}",
        set.err
    );
    let lost = house.lose(&buyer, "holiday", "store_then_close").await;
    assert_eq!(due(&lost), noon(after(works, 7)), "the same weekday a week later");

    // what runs out while nobody works is said on the order's page
    let resolver = house.sign_in(RESOLVER).await;
    let shown = resolver.get(&page(&lost)).await.text;
    assert!(
        !shown.contains("Nobody works when that runs out"),
        "nobody works before it either"
    );

    assert_eq!(house.run(&["tenant", "holiday", &day, "--off"]).out.trim(), "");
    assert_eq!(house.run(&["tenant", "hours", "--off"]).out.trim(), "");
    let lost = house.lose(&buyer, "passing-again", "store_then_close").await;
    let opened = moment(&lost["case"]["opened_at"]);
    assert_eq!((due(&lost) - opened).num_hours(), 4);
    house.assert_log_is_whole().await;
}

/// A key is kept for so long: where that ends while nobody works, people hear when they last can act.
#[tokio::test]
async fn a_limit_of_the_supplier_that_runs_out_while_nobody_works_is_warned_of() {
    // long enough to end on another day at whatever hour this runs
    let house = House::plan()
        .setting("look_up_first", "12h")
        .setting("look_up_most", "12h")
        .supplier_file(|file| file.replace("window = \"24h\"", "window = \"30h\""))
        .start()
        .await;
    let (buyer, resolver) = (house.sign_in(BUYER).await, house.sign_in(RESOLVER).await);
    let first = house.lose(&buyer, "seen", "store_then_close").await;
    let today = moment(&first["approved_at"]).with_timezone(&Berlin).date_naive();
    // open today to its very end, and then not for days
    let hours = format!("{} 00:00-24:00; {} 08:00-18:00", named(today), named(after(today, 4)));
    assert_eq!(house.run(&["tenant", "hours", "--set", &hours]).status, 0);
    let until = moment(&first["resume"]["until"]).with_timezone(&Berlin).date_naive();
    assert!(until > today, "{first:#}");

    let shown = resolver.get(&page(&first)).await.text;

    assert!(shown.contains("Nobody works when that runs out"), "{shown}");
}

#[tokio::test]
async fn hours_and_days_that_cannot_be_read_are_named_and_change_nothing() {
    let house = House::plan().no_worker().start().await;
    assert_eq!(
        house.run(&["tenant", "hours", "--set", "mon-fri 08:00-18:00"]).status,
        0
    );
    for wrong in [
        "",
        "mon-fri",
        "mon-fri 18:00-08:00",
        "someday 08:00-18:00",
        "mon 08:00-12:00, 11:00-13:00",
    ] {
        let refused = house.run(&["tenant", "hours", "--set", wrong]);
        assert_eq!(refused.status, 2, "{wrong:?}: {}", refused.err);
        assert!(refused.err.contains("--set"), "{wrong:?}: {}", refused.err);
    }
    for wrong in [
        &["tenant", "holiday", "christmas", "--name", "Christmas"][..],
        &["tenant", "holiday", "2026-12-25"],
        &["tenant", "holiday", "2026-02-30", "--name", "never"],
        &["tenant", "holiday", "2026-12-25", "--name", " "],
        &["tenant", "hours", "--set", "mon 08:00-18:00", "--off"],
    ] {
        let refused = house.run(wrong);
        assert_eq!(refused.status, 2, "{wrong:?}: {}", refused.err);
    }
    let nothing = house.run(&["tenant", "holiday", "2026-12-25", "--off"]);
    assert_eq!(nothing.status, 1, "there is no such holiday: {}", nothing.err);
    let kept = house.run(&["tenant", "hours"]).last_line();
    assert!(kept.starts_with("mon 08:00-18:00; tue"), "{kept}");
}
