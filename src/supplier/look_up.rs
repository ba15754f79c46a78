//! Asking a supplier for our reference, and reading its answer.
//!
//! Promises: read-only; only a 200 with a readable list says anything about an order; a record counts only when it
//! carries exactly our reference (case I3). Must not: conclude. What an answer establishes is `domain::look_up`'s.

use super::Step;
use super::http::{Bounds, Failure, Http, Seen, root};
use super::parts::LookUpPart;
use crate::domain::contract::LookUp;
use crate::domain::look_up::{Answer, Found, Standing};
use chrono::{DateTime, Utc};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::CONTENT_ENCODING;
use hyper::http::response::Parts;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// One page of a supplier's answer: its records of our order, and where the next page begins.
struct Page {
    ours: Vec<Found>,
    next: Option<String>,
}

impl Http<'_> {
    /// Asks the supplier for our reference, in what it recorded since then where it only has lists. Read-only; never fails:
    /// what cannot be read, or not to its end, is "could not check".
    pub async fn look_up(&self, key: &str, since: DateTime<Utc>, deadline: Duration) -> (Answer, String) {
        match tokio::time::timeout(deadline, self.all_pages(key, since, deadline)).await {
            Ok(Ok(ours)) if ours.is_empty() => (Answer::None, "It has no record of our reference.".to_owned()),
            Ok(Ok(ours)) => {
                let numbers: Vec<_> = ours.iter().map(|one| one.reference.as_str()).collect();
                let detail = format!("It has our reference as {}.", numbers.join(", "));
                (Answer::Found(ours), detail)
            }
            Ok(Err(why)) => (Answer::CouldNotCheck, why),
            Err(_) => {
                let why = format!("It did not answer within {} s.", deadline.as_secs_f32());
                (Answer::CouldNotCheck, why)
            }
        }
    }

    async fn all_pages(&self, key: &str, since: DateTime<Utc>, deadline: Duration) -> Result<Vec<Found>, String> {
        let map = self.supplier.look_up.as_ref().ok_or("This supplier cannot be asked.")?;
        let (mut ours, mut after) = (Vec::new(), String::new());
        for _ in 0..map.pages {
            let page = self.page(map, key, since, &after, deadline).await?;
            // a list that moved while it was read may show one record on two pages
            for found in page.ours {
                if ours.iter().all(|one: &Found| one.reference != found.reference) {
                    ours.push(found);
                }
            }
            let Some(next) = page.next else { return Ok(ours) };
            after = next;
            // a page is a question too
            tokio::time::sleep(self.supplier.between_look_ups()).await;
        }
        Err(format!(
            "Its list did not end within {} pages, so it was not read to its end.",
            map.pages
        ))
    }

    async fn page(
        &self,
        map: &LookUpPart,
        key: &str,
        since: DateTime<Utc>,
        after: &str,
        deadline: Duration,
    ) -> Result<Page, String> {
        let url = self
            .supplier
            .look_up_url(map, key, since, after)
            .map_err(|fault| fault.to_string())?;
        let step = Step {
            method: "GET".to_owned(),
            url,
            body: String::new(),
        };
        let bounds = Bounds {
            deadline,
            may_send: &|| true,
            now: DateTime::UNIX_EPOCH,
        };
        let seen = Arc::new(Seen::default());
        match self.exchange(&step, None, &bounds, &seen).await {
            Ok((parts, body)) => self.read_page(map, &parts, &body, key),
            Err(Failure::Before(why)) => Err(format!("It could not be asked: {why}.")),
            Err(Failure::Wire(error)) => Err(format!("It did not answer ({}).", root(&error))),
            Err(Failure::Answer { why, .. }) => Err(why),
        }
    }

    /// 200 with a list is an answer; 401, 403, 404, 429, 5xx and whatever else say nothing about the order (case I2).
    fn read_page(&self, map: &LookUpPart, parts: &Parts, body: &Bytes, key: &str) -> Result<Page, String> {
        let status = parts.status.as_u16();
        let is_plain = parts
            .headers
            .get(CONTENT_ENCODING)
            .is_none_or(|value| value == "identity");
        if parts.status != StatusCode::OK || !is_plain {
            return Err(format!("It answered {status}, which says nothing about the order."));
        }
        let unreadable = || format!("It answered {status}, but not with a list that can be read.");
        let answer: Value = serde_json::from_slice(body).map_err(|_| unreadable())?;
        let list = answer
            .pointer(&map.records)
            .and_then(Value::as_array)
            .ok_or_else(unreadable)?;
        let ours = self
            .ours(map, list, key)
            .ok_or_else(|| format!("It answered {status} with a record whose reference or number cannot be read."))?;
        let next = map
            .next_page(&answer)
            .ok_or_else(|| format!("It answered {status} without saying whether its list goes on."))?;
        Ok(Page { ours, next })
    }

    /// The records that carry exactly our reference. Nothing when one of ours has no number, or a reference cannot be read: a
    /// pointer that finds nothing would make every record somebody else's, and the order "not there". In a list of
    /// everything, other records may have no reference; if none has, the pointer finds nothing.
    fn ours(&self, map: &LookUpPart, list: &[Value], key: &str) -> Option<Vec<Found>> {
        let reference = |record: &Value| Some(record.pointer(&map.reference)?.as_str()?.to_owned());
        let referred: Vec<_> = list.iter().map(|record| (reference(record), record)).collect();
        let unread = referred.iter().filter(|(reference, _)| reference.is_none()).count();
        let is_list = self.supplier.contract.look_up == LookUp::List;
        if unread > 0 && (!is_list || unread == referred.len()) {
            return None;
        }
        let ours = referred
            .into_iter()
            .filter(|(reference, _)| reference.as_deref() == Some(key));
        ours.map(|(_, record)| self.found(map, record)).collect()
    }

    fn found(&self, map: &LookUpPart, record: &Value) -> Option<Found> {
        let submit = &self.supplier.submit;
        let standing = match (submit.standing(record), map.refused.holds(record)) {
            (Standing::Confirmed, _) => Standing::Confirmed,
            (Standing::NotYet | Standing::Refused | Standing::Unnamed, true) => Standing::Refused,
            (standing, false) => standing,
        };
        Some(Found {
            reference: self.supplier.record.number(record)?,
            standing,
            record: self.supplier.record.record(record),
        })
    }
}
