//! Asking a supplier for our reference, and reading its answer.
//!
//! Promises: read-only; only a 200 with a readable list says anything about an order; a record counts only when it
//! carries exactly our reference (case I3). Must not: conclude. What an answer establishes is `domain::look_up`'s.

use super::Step;
use super::file::LookUpPart;
use super::http::{Bounds, Failure, Http, Seen, root};
use crate::domain::look_up::{Answer, Found, Standing};
use chrono::DateTime;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::CONTENT_ENCODING;
use hyper::http::response::Parts;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

impl Http<'_> {
    /// Asks the supplier for our reference. Read-only; never fails: what cannot be read is "could not check".
    pub async fn look_up(&self, key: &str, deadline: Duration) -> (Answer, String) {
        let could_not = |why: String| (Answer::CouldNotCheck, why);
        let url = match self.supplier.look_up_url(key) {
            Ok(Some(url)) => url,
            Ok(None) => return could_not("This supplier cannot be asked.".to_owned()),
            Err(fault) => return could_not(fault.to_string()),
        };
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
        let asked = self.exchange(&step, None, &bounds, &seen);
        match tokio::time::timeout(deadline, asked).await {
            Ok(Ok((parts, body))) => self.read_records(&parts, &body, key),
            Ok(Err(Failure::Before(why))) => could_not(format!("It could not be asked: {why}.")),
            Ok(Err(Failure::Wire(error))) => could_not(format!("It did not answer ({}).", root(&error))),
            Ok(Err(Failure::Answer { why, .. })) => could_not(why),
            Err(_) => could_not(format!("It did not answer within {} s.", deadline.as_secs_f32())),
        }
    }

    /// 200 with a list is an answer; 401, 403, 404, 429, 5xx and whatever else say nothing about the order (case I2).
    fn read_records(&self, parts: &Parts, body: &Bytes, key: &str) -> (Answer, String) {
        let could_not = |why: String| (Answer::CouldNotCheck, why);
        let status = parts.status.as_u16();
        let is_plain = parts
            .headers
            .get(CONTENT_ENCODING)
            .is_none_or(|value| value == "identity");
        let asked = self.supplier.look_up.as_ref();
        let Some(map) = asked.filter(|_| parts.status == StatusCode::OK && is_plain) else {
            return could_not(format!("It answered {status}, which says nothing about the order."));
        };
        let answer: Option<Value> = serde_json::from_slice(body).ok();
        let list = answer
            .as_ref()
            .and_then(|answer| answer.pointer(&map.records)?.as_array());
        let Some(list) = list else {
            return could_not(format!("It answered {status}, but not with a list that can be read."));
        };
        let referred: Option<Vec<(&str, &Value)>> = list
            .iter()
            .map(|record| Some((record.pointer(&map.reference)?.as_str()?, record)))
            .collect();
        // a pointer that finds nothing would make every record somebody else's, and the order "not there"
        let Some(referred) = referred else {
            return could_not(format!(
                "It answered {status} with a record whose reference cannot be read."
            ));
        };
        let ours = referred.into_iter().filter(|(reference, _)| *reference == key);
        let found: Option<Vec<Found>> = ours.map(|(_, record)| self.found(map, record)).collect();
        match found {
            None => could_not("It has a record of our reference without a number that can be read.".to_owned()),
            Some(found) if found.is_empty() => (Answer::None, "It has no record of our reference.".to_owned()),
            Some(found) => {
                let numbers: Vec<_> = found.iter().map(|one| one.reference.as_str()).collect();
                let detail = format!("It has our reference as {}.", numbers.join(", "));
                (Answer::Found(found), detail)
            }
        }
    }

    fn found(&self, map: &LookUpPart, record: &Value) -> Option<Found> {
        let submit = &self.supplier.submit;
        let not_yet = submit
            .acknowledged
            .as_ref()
            .is_some_and(|predicate| predicate.holds(record));
        let standing = if submit.confirmed.holds(record) {
            Standing::Confirmed
        } else if map.refused.holds(record) {
            Standing::Refused
        } else if not_yet {
            Standing::NotYet
        } else {
            Standing::Unnamed
        };
        Some(Found {
            reference: self.supplier.record.number(record)?,
            standing,
            record: self.supplier.record.record(record),
        })
    }
}
