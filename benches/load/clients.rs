//! Several clients at once at the doors of a house: programs with a token, and people who post forms.

use super::support::{Answer, BUYER, House, Suggested, body};
use serde_json::json;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// As many clients press at once, each waiting for its answer.
pub const CLIENTS: usize = 8;

/// The way in: connections that are kept, a token, a session.
#[derive(Clone)]
pub struct Door {
    http: reqwest::Client,
    base: String,
    intake: String,
    reading: String,
    cookie: String,
}

impl Door {
    pub async fn of(house: &House) -> Self {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        Self {
            http: http.build().expect("an HTTP client"),
            base: house.base.clone(),
            intake: house.intake().to_owned(),
            reading: house.reading().to_owned(),
            cookie: house.sign_in(BUYER).await.cookie,
        }
    }

    pub async fn reserve(&self, intent: &str) {
        let put = self.http.put(format!("{}/api/v1/intents/{intent}", self.base));
        let put = put
            .bearer_auth(&self.intake)
            .json(&json!({ "purpose": "restock for Monday" }));
        let answer = Answer::of(put).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    /// Each with an article of its own, so that none looks like another.
    pub async fn suggest(&self, intent: String) -> Suggested {
        let put = self
            .http
            .put(format!("{}/api/v1/intents/{intent}/suggestion", self.base));
        let answer = Answer::of(put.bearer_auth(&self.intake).json(&body(&intent))).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let suggestion = &answer.json()["suggestion"];
        let text = |name: &str| suggestion[name].as_str().expect(name).to_owned();
        let (id, digest) = (text("id"), text("digest"));
        Suggested { intent, id, digest }
    }

    pub async fn approve(&self, shown: &Suggested) -> String {
        let post = self.http.post(format!("{}/act/approve", self.base));
        let post = post
            .header("Origin", &self.base)
            .header("Accept", "text/html")
            .header("Cookie", &self.cookie);
        let answer = Answer::of(post.form(&[("suggestion", &*shown.id), ("digest", &*shown.digest)])).await;
        let order = answer
            .location()
            .strip_prefix("/orders/")
            .filter(|order| !order.contains('?'));
        order.unwrap_or_else(|| panic!("not approved: {answer:?}")).to_owned()
    }

    /// How long a page, or a list of the API, took from the request to the last byte.
    pub async fn get(&self, path: &str) -> Duration {
        let get = self.http.get(format!("{}{path}", self.base));
        let get = match path.starts_with("/api/") {
            true => get.bearer_auth(&self.reading),
            false => get.header("Cookie", &self.cookie),
        };
        let asked = Instant::now();
        let answer = Answer::of(get).await;
        let took = asked.elapsed();
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        took
    }
}

/// Clients who each take the next piece of work as soon as they are through with one. Answers what came of all of it, and
/// how long it took.
pub async fn together<W, R, F>(
    clients: usize,
    work: Vec<W>,
    act: impl Fn(W) -> F + Clone + Send + 'static,
) -> (Vec<R>, Duration)
where
    W: Send + 'static,
    R: Send + 'static,
    F: Future<Output = R> + Send,
{
    let work = Arc::new(Mutex::new(work.into_iter()));
    let began = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let (work, act) = (work.clone(), act.clone());
        running.spawn(async move {
            let mut done = Vec::new();
            loop {
                let next = work.lock().expect("no panic").next();
                let Some(next) = next else { return done };
                done.push(act(next).await);
            }
        });
    }
    let done = running.join_all().await.into_iter().flatten().collect();
    (done, began.elapsed())
}

/// So many intents, reserved and then suggested; answers the suggestions and how long each half took.
pub async fn suggestions(door: &Door, name: &str, many: usize) -> (Vec<Suggested>, [Duration; 2]) {
    let intents: Vec<String> = (0..many).map(|number| format!("{name}-{number}")).collect();
    let through = door.clone();
    let (_, reserving) = together(CLIENTS, intents.clone(), move |intent| {
        let door = through.clone();
        async move { door.reserve(&intent).await }
    })
    .await;
    let through = door.clone();
    let (suggested, suggesting) = together(CLIENTS, intents, move |intent| {
        let door = through.clone();
        async move { door.suggest(intent).await }
    })
    .await;
    (suggested, [reserving, suggesting])
}

pub async fn approvals(door: &Door, suggested: Vec<Suggested>) -> (Vec<String>, Duration) {
    let through = door.clone();
    together(CLIENTS, suggested, move |one| {
        let door = through.clone();
        async move { door.approve(&one).await }
    })
    .await
}
