//! Assistants that suggest, buyers who approve, resolvers who settle, a clerk at the supplier and the manager: each does
//! what the product offers, at either web node, and again when nobody answered.

use super::judge::watch;
use super::stage::{AWAY, Person, SUPPLIERS, Stage, pause};
use super::support::home::id;
use super::support::{Answer, Suggested, body, with};
use fastrand::Rng;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::task::JoinSet;

const ASSISTANTS: usize = 4;
const BUYERS: usize = 3;
const RESOLVERS: usize = 3;

/// Everybody at work.
pub struct Load(JoinSet<()>);

/// What waits for a buyer.
type Reviews = Arc<Mutex<Vec<Suggested>>>;

impl Load {
    pub fn start(stage: &Arc<Stage>, rng: &mut Rng) -> Self {
        let (mut all, reviews) = (JoinSet::new(), Reviews::default());
        for number in 0..ASSISTANTS {
            all.spawn(assist(stage.clone(), number, reviews.clone(), rng.fork()));
        }
        for _ in 0..BUYERS {
            all.spawn(review(stage.clone(), reviews.clone(), rng.fork()));
        }
        for _ in 0..RESOLVERS {
            all.spawn(resolve(stage.clone(), rng.fork()));
        }
        all.spawn(watch(stage.clone()));
        all.spawn(release_suppliers(stage.clone(), rng.fork()));
        Self(all)
    }

    /// Waits until everybody has finished what they began.
    pub async fn end(mut self) {
        while let Some(ended) = self.0.join_next().await {
            ended.expect("nobody gives up");
        }
    }
}

/// An assistant: wish after wish, each reserved and suggested until that is answered, sometimes once more after that.
async fn assist(stage: Arc<Stage>, number: usize, reviews: Reviews, mut rng: Rng) {
    let mut article = String::new();
    for wish in 0.. {
        if stage.is_over() {
            return;
        }
        let intent = format!("wish-{number}-{wish}");
        // now and then the same article again: a second purchase, and a wanted one
        if wish == 0 || rng.u8(..8) > 0 {
            article = format!("ART-{number}-{wish}");
        }
        let supplier = SUPPLIERS[rng.usize(..2)];
        let body = with(body(&article), "/supplier", json!(supplier));
        let suggested = stage.suggest(&mut rng, &intent, &body).await;
        reviews.lock().expect("nobody panics with it").push(suggested);
        pause(&mut rng, 100..900).await;
    }
}

impl Stage {
    async fn suggest(&self, rng: &mut Rng, intent: &str, body: &Value) -> Suggested {
        let path = format!("/api/v1/intents/{intent}");
        self.put(rng, &path, &json!({ "purpose": "restock" })).await;
        self.promises().intents.insert(intent.to_owned());
        let path = format!("{path}/suggestion");
        let taken = self.put(rng, &path, body).await;
        let answered = taken["suggestion"]["digest"].as_str().expect("a digest").to_owned();
        self.promises().suggestions.insert(intent.to_owned(), answered.clone());
        if rng.u8(..5) == 0 {
            let again = self.put(rng, &path, body).await;
            if again != taken {
                let told = format!("{intent}: answered {taken}, then {again}");
                self.promises().strange.push(told);
            }
        }
        Suggested {
            intent: intent.to_owned(),
            id: taken["suggestion"]["id"].as_str().expect("an id").to_owned(),
            digest: answered,
        }
    }

    /// Puts it until it is taken.
    async fn put(&self, rng: &mut Rng, path: &str, body: &Value) -> Value {
        let since = Instant::now();
        loop {
            let token = self.house.intake();
            let answer = self.call(rng, Method::PUT, path, token, Some(body)).await;
            if matches!(answer.status, 200 | 201) {
                return answer.json();
            }
            self.promises().strange.push(format!("{path}: {answer:?}"));
            assert!(since.elapsed() < AWAY, "not taken: {path}");
            pause(rng, 50..300).await;
        }
    }
}

/// A buyer: takes what waits and decides it.
async fn review(stage: Arc<Stage>, reviews: Reviews, mut rng: Rng) {
    while !stage.is_over() {
        let shown = {
            let mut waiting = reviews.lock().expect("nobody panics with it");
            let at = rng.usize(..waiting.len().max(1));
            (at < waiting.len()).then(|| waiting.swap_remove(at))
        };
        match shown {
            Some(shown) => stage.decide(&mut rng, &shown).await,
            None => pause(&mut rng, 50..200).await,
        }
    }
}

impl Stage {
    /// Presses until it is decided, and looks whether it is.
    async fn decide(&self, rng: &mut Rng, shown: &Suggested) {
        let since = Instant::now();
        loop {
            let mut pressing = JoinSet::new();
            for click in self.clicks(rng, shown) {
                pressing.spawn(Answer::try_of(click.timeout(std::time::Duration::from_secs(8))));
            }
            let mut led_to = Vec::new();
            for answer in pressing.join_all().await.into_iter().flatten() {
                let order = answer
                    .location()
                    .strip_prefix("/orders/")
                    .filter(|order| !order.contains('?'));
                led_to.extend(order.map(str::to_owned));
            }
            self.promises().approved.extend(led_to.iter().cloned());
            let intent = self
                .read(rng, &format!("/api/v1/intents/{}", shown.intent))
                .await
                .json();
            if let Some(other) = led_to.iter().find(|order| intent["order"]["id"] != **order) {
                let told = format!("an approval led to {other}, and the intent's order is {intent}");
                self.promises().strange.push(told);
            }
            if intent["suggestion"]["state"] != "in_review" {
                return;
            }
            assert!(since.elapsed() < AWAY, "it is not decided: {intent}");
            pause(rng, 50..300).await;
        }
    }

    /// One click, a double click, two tabs at two nodes, two approvers, or approve against reject.
    fn clicks(&self, rng: &mut Rng, shown: &Suggested) -> Vec<RequestBuilder> {
        let (buyer, manager) = (&self.people.buyer, &self.people.manager);
        let approve = |person: &Person, web: &str| {
            let fields = [
                ("suggestion", &*shown.id),
                ("digest", &*shown.digest),
                ("second_purchase", "yes"),
            ];
            self.form(person, web, "approve", &fields)
        };
        let [one, other] = &self.webs;
        let web = self.web(rng);
        match rng.u8(..10) {
            0..4 => vec![approve(buyer, web)],
            4 | 5 => vec![approve(buyer, web), approve(buyer, web)],
            6 | 7 => vec![approve(buyer, one), approve(buyer, other)],
            8 => vec![approve(buyer, one), approve(manager, other), approve(buyer, other)],
            _ => {
                let fields = [
                    ("suggestion", &*shown.id),
                    ("digest", &*shown.digest),
                    ("reason", "not this month"),
                ];
                vec![
                    approve(buyer, one),
                    self.form(manager, other, "reject", &fields),
                    approve(buyer, other),
                ]
            }
        }
    }
}

/// A resolver: takes any order that is not final and presses something, wise or not; what they say is true.
async fn resolve(stage: Arc<Stage>, mut rng: Rng) {
    while !stage.is_over() {
        let state = [
            "confirmation_pending",
            "confirmation_pending",
            "approved",
            "acknowledged",
        ][rng.usize(..4)];
        let mut orders = stage.orders(&mut rng, state, 15).await;
        if orders.is_empty() {
            pause(&mut rng, 100..400).await;
            continue;
        }
        let order = orders.swap_remove(rng.usize(..orders.len()));
        stage.press_something(&mut rng, &order).await;
        pause(&mut rng, 30..250).await;
    }
}

impl Stage {
    async fn press_something(&self, rng: &mut Rng, order: &Value) {
        let (buyer, resolver, manager) = (&self.people.buyer, &self.people.resolver, &self.people.manager);
        let held = order["held_because"].as_str().unwrap_or_default();
        match (order["state"].as_str().unwrap_or_default(), held, rng.u8(..10)) {
            ("confirmation_pending", _, 0..3) => self.press(rng, buyer, "look_up", order, &[]).await,
            ("confirmation_pending", _, 3..6) => self.press(rng, resolver, "resume", order, &[]).await,
            ("confirmation_pending", _, 6) => self.press(rng, manager, "resume", order, &[]).await,
            ("confirmation_pending", _, _) => self.find_out(rng, order).await,
            ("acknowledged", _, 0..4) => self.press(rng, resolver, "look_up", order, &[]).await,
            ("acknowledged", _, _) => self.confirm_there(order).await,
            ("approved", "not_found", 0..6) => self.press(rng, resolver, "resume", order, &[]).await,
            ("approved", "not_found", 6 | 7) => self.withdraw(rng, order).await,
            ("approved", "person", 0..8) => {
                self.press(rng, buyer, "release", order, &[("reason", "the budget came")])
                    .await;
            }
            ("approved", _, 0..4) => {
                self.press(rng, resolver, "hold", order, &[("reason", "wait for the budget")])
                    .await;
            }
            ("approved", _, 4) => self.withdraw(rng, order).await,
            _ => {}
        }
    }

    pub async fn withdraw(&self, rng: &mut Rng, order: &Value) {
        let reason = [("reason", "no longer wanted")];
        self.press(rng, &self.people.buyer, "withdraw", order, &reason).await;
    }

    /// An act from what this version of the page showed; sometimes a double click. What comes of it, the next look shows.
    pub async fn press(&self, rng: &mut Rng, person: &Person, act: &str, order: &Value, more: &[(&str, &str)]) {
        let version = order["version"].to_string();
        let mut fields = vec![("order", id(order)), ("version", &*version)];
        fields.extend(more);
        let (web, other) = (self.web(rng), self.web(rng));
        let first = self.ask(self.form(person, web, act, &fields));
        if rng.u8(..5) > 0 {
            first.await;
        } else {
            tokio::join!(first, self.ask(self.form(person, other, act, &fields)));
        }
    }

    /// Asks the supplier by telephone, who tells the truth, and records what it said.
    pub async fn find_out(&self, rng: &mut Rng, order: &Value) {
        let key = order["operation_key"].as_str().expect("a key");
        let evidence = ("evidence", "called them, spoke to Ms Berg");
        let resolver = &self.people.resolver;
        let counted = self.ask_supplier(&format!("/count?reference={key}")).await;
        if counted.as_ref().is_some_and(|said| said["count"] == 0) {
            let fields = [("finding", "not_at_supplier"), evidence];
            return self.press(rng, resolver, "record_finding", order, &fields).await;
        }
        let records = self.ask_supplier(&format!("/orders?reference={key}")).await;
        let record = records.as_ref().and_then(|records| records.get(0));
        let confirmed = record.filter(|record| record["status"] == "confirmed");
        match confirmed.and_then(|record| record["number"].as_str()) {
            Some(number) => {
                let fields = [("finding", "at_supplier"), ("reference", number), evidence];
                self.press(rng, resolver, "record_finding", order, &fields).await;
            }
            None => {
                let fields = [("finding", "could_not_tell"), evidence];
                self.press(rng, resolver, "record_finding", order, &fields).await;
            }
        }
    }

    /// The supplier's clerk confirms what is in progress there.
    pub async fn confirm_there(&self, order: &Value) {
        if let Some(number) = order["supplier_reference"].as_str() {
            let confirmed = json!({ "status": "confirmed" });
            self.tell_supplier(&format!("/orders/{number}"), &confirmed).await;
        }
    }
}

/// The manager comes by every few seconds.
async fn release_suppliers(stage: Arc<Stage>, mut rng: Rng) {
    while !stage.is_over() {
        pause(&mut rng, 2_000..4_000).await;
        stage.release_suppliers().await;
    }
}
