//! Live ticks: a page hears that things have changed, how many, and nothing else (case P2). Streams are read as a browser
//! reads them, from real processes.

mod support;

use reqwest::Response;
use std::time::{Duration, Instant};
use support::{Answer, BUYER, House, MANAGER, PASSWORD, RESOLVER, Session, Suggested, body};

/// Longer than a tick or the end of a stream ever takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a browser reads.
struct Stream {
    response: Response,
    unread: String,
}

impl Stream {
    /// Listens at this address for what happens after this event.
    async fn at(base: &str, cookie: &str, since: i64) -> Self {
        let response = asked(base, cookie, since).await;
        assert_eq!(response.status(), 200);
        let header = |name: &str| response.headers()[name].to_str().expect("a header").to_owned();
        assert_eq!(header("content-type"), "text/event-stream");
        assert_eq!(header("cache-control"), "no-store");
        Self {
            response,
            unread: String::new(),
        }
    }

    async fn of(who: &Session<'_>, since: i64) -> Self {
        Self::at(&who.house.base, &who.cookie, since).await
    }

    /// The next tick; nothing when the stream has ended.
    async fn next(&mut self) -> Option<u32> {
        let read = async {
            loop {
                while let Some((event, rest)) = self.unread.split_once("\n\n") {
                    let (event, rest) = (event.to_owned(), rest.to_owned());
                    self.unread = rest;
                    // a line that begins with a colon is a comment
                    if let Some(number) = event.strip_prefix("data: ") {
                        return Some(number.parse().expect("a number"));
                    }
                    assert_eq!(event, ":");
                }
                // a stream that was broken off has ended too
                let chunk = self.response.chunk().await.ok().flatten()?;
                self.unread += std::str::from_utf8(&chunk).expect("text");
            }
        };
        tokio::time::timeout(PATIENCE, read).await.expect("a tick, or the end")
    }

    /// Reads on until it says this.
    async fn says(&mut self, wanted: u32) {
        loop {
            let said = self.next().await.expect("it goes on");
            if said == wanted {
                return;
            }
            assert!(said < wanted, "{said} instead of {wanted}");
        }
    }

    /// Reads to the end.
    async fn ends(&mut self) {
        while self.next().await.is_some() {}
    }
}

async fn asked(base: &str, cookie: &str, since: i64) -> Response {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("an HTTP client");
    let request = client.get(format!("{base}/live?since={since}"));
    request.header("Cookie", cookie).send().await.expect("an answer")
}

/// The number of the last event of the house.
async fn mark(house: &House) -> i64 {
    house
        .number("SELECT event_number FROM tenants WHERE name = 'House'")
        .await
}

async fn reject(who: &Session<'_>, one: &Suggested) {
    let fields = [
        ("suggestion", &*one.id),
        ("digest", &*one.digest),
        ("reason", "not needed"),
    ];
    let answer = who.post("/act/reject", &fields).await;
    assert_eq!(answer.status, 303, "{answer:?}");
}

async fn suggested(house: &House, count: usize) -> Vec<Suggested> {
    let mut all = Vec::new();
    for number in 0..count {
        let intent = format!("wish-{number}");
        all.push(house.suggest(&intent, &body(&intent)).await);
    }
    all
}

#[tokio::test]
async fn a_page_hears_how_many_things_others_have_changed_and_each_counts_once() {
    let house = House::plan().no_worker().start().await;
    let things = suggested(&house, 3).await;
    let (manager, buyer) = (house.sign_in(MANAGER).await, house.sign_in(BUYER).await);
    let page = manager.get("/").await.text.replace("&quot;", "\"");
    let since = mark(&house).await;
    assert!(
        page.contains(&format!("\"mark\":{since}")),
        "the page knows its mark: {page}"
    );
    let mut stream = Stream::of(&manager, since).await;
    assert_eq!(stream.next().await, Some(0), "it says at once that it listens");

    reject(&buyer, &things[0]).await;
    stream.says(1).await;
    reject(&buyer, &things[1]).await;
    stream.says(2).await;

    // the order that comes of it is a thing of its own, and is changed twice
    let order = buyer.approve(&things[2]).await;
    stream.says(4).await;
    let found = house.order(&order).await;
    buyer.does("withdraw", &found, &[("reason", "no longer")]).await;
    house.run(&["supplier", "hold", "practice", "--reason", "prices change"]);
    stream.says(5).await;

    // the intent alone is nothing that a queue shows
    house.put_intent("only-reserved").await;
    let mut later = Stream::of(&manager, since).await;
    assert_eq!(later.next().await, Some(5));
}

#[tokio::test]
async fn what_happens_elsewhere_is_heard_in_its_own_house_alone_and_by_every_process() {
    let house = House::plan().no_worker().start().await;
    let things = suggested(&house, 1).await;
    let (manager, buyer) = (house.sign_in(MANAGER).await, house.sign_in(BUYER).await);
    let other = house.serve(&["--no-worker"], &[]).await;
    let since = mark(&house).await;
    let mut here = Stream::of(&manager, since).await;
    let mut there = Stream::at(&other.base, &manager.cookie, since).await;
    assert_eq!((here.next().await, there.next().await), (Some(0), Some(0)));

    assert_eq!(house.run(&["tenant", "add", "Elsewhere", "--zone", "UTC"]).status, 0);
    let file = house.supplier_file(|file| file);
    let theirs = ["supplier", "add", &*file, "--tenant", "Elsewhere"];
    assert_eq!(house.run(&theirs).status, 0);
    reject(&buyer, &things[0]).await;

    assert_eq!((here.next().await, there.next().await), (Some(1), Some(1)));
}

#[tokio::test]
async fn only_who_is_signed_in_listens() {
    let house = House::plan().no_worker().start().await;
    let nobody = asked(&house.base, "countersign_session=none", 0).await;
    assert_eq!(nobody.status(), 401);
    let buyer = house.sign_in(BUYER).await;

    let mut ended = Stream::of(&buyer, 0).await;
    ended.next().await;
    assert_eq!(buyer.post("/sign-out", &[]).await.status, 303);
    ended.ends().await;

    let resolver = house.sign_in(RESOLVER).await;
    let mut disabled = Stream::of(&resolver, 0).await;
    disabled.next().await;
    assert_eq!(house.run(&["person", "disable", RESOLVER]).status, 0);
    disabled.ends().await;
}

#[tokio::test]
async fn one_person_listens_so_often_and_no_more() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let mut streams = Vec::new();
    for _ in 0..12 {
        streams.push(Stream::of(&buyer, 0).await);
    }
    let refused: Answer = buyer.get("/live?since=0").await;
    assert_eq!(refused.status, 429, "{refused:?}");
    assert!(refused.text.contains("stays as it was read"), "{refused:?}");
    // whoever else listens is not kept from it
    let manager = house.sign_in(MANAGER).await;
    Stream::of(&manager, 0).await.next().await;

    drop(streams.pop());
    let since = Instant::now();
    while asked(&house.base, &buyer.cookie, 0).await.status() != 200 {
        assert!(since.elapsed() < PATIENCE, "a place that was left stays taken");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn a_process_that_is_told_to_stop_does_not_wait_for_those_who_listen() {
    let mut house = House::plan().no_worker().start().await;
    let buyer = Session::open(&house, BUYER, PASSWORD).await.cookie;
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(Stream::at(&house.base, &buyer, 0).await);
    }
    let since = Instant::now();
    house.stop_web().await;
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    for stream in &mut streams {
        stream.ends().await;
    }
}

#[tokio::test]
async fn without_a_script_the_page_says_when_it_was_read_and_how_to_read_it_anew() {
    let house = House::plan().no_worker().start().await;
    let page = house.sign_in(BUYER).await.get("/").await;
    assert!(page.text.contains(">Read at "), "{}", page.text);
    assert!(page.text.contains(">Refresh</a>"), "{}", page.text);
    assert!(page.header("content-security-policy").contains("connect-src 'self'"));
}
