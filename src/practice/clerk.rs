//! The clerk at the supplier, who confirms, refuses, cancels and changes orders by hand.
//!
//! Promises that a change is made whole or not at all. It touches no key: a replay still says what was answered first.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::store::Order;
use super::wire::{self, Answer, Ending, FieldError};
use super::{Shop, Trouble};

/// What a clerk can set an order to.
const STATUSES: [&str; 4] = ["confirmed", "in_progress", "refused", "cancelled"];

/// What `PUT /orders/{number}` may change: `status`, the whole of `lines`, or the `quantity` of one `line` (counted from 0,
/// the first unless said).
#[derive(Default)]
struct Change {
    status: Option<&'static str>,
    lines: Option<Vec<Value>>,
    line: usize,
    quantity: Option<String>,
}

/// `PUT /orders/{number}`: what a clerk there would do. Needs no account and takes no fault.
pub(super) async fn change(shop: &Shop, number: &str, body: Body) -> Result<Ending, Trouble> {
    let document = match wire::read_json(body).await {
        Ok(document) => document,
        Err(answer) => return Ok(answer.into()),
    };
    let change = match Change::read(&document) {
        Ok(change) => change,
        Err(errors) => return Ok(Answer::bad_input(&errors).into()),
    };
    let answer = match shop.store.order_change(number, |order| change.make(order)).await? {
        None => Answer::code(404, "not_found"),
        Some(Err(error)) => Answer::bad_input(&[error]),
        Some(Ok(order)) => Answer::json(StatusCode::OK, &order.shown()),
    };
    Ok(answer.into())
}

impl Change {
    fn read(document: &Value) -> Result<Self, Vec<FieldError>> {
        let Some(fields) = document.as_object() else {
            return Err(vec![FieldError::whole("a JSON object is expected")]);
        };
        let (mut change, mut errors) = (Self::default(), Vec::new());
        for (name, value) in fields {
            if let Err(detail) = change.read_field(name, value) {
                errors.push(FieldError::at("", name, detail));
            }
        }
        if change.quantity.is_none() && fields.contains_key("line") && errors.is_empty() {
            errors.push(FieldError::at(
                "",
                "quantity",
                "a line is named, but not its new quantity",
            ));
        }
        if fields.is_empty() {
            errors.push(FieldError::whole(
                "nothing to change: name status, lines, or line and quantity",
            ));
        }
        if errors.is_empty() { Ok(change) } else { Err(errors) }
    }

    fn read_field(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match name {
            "status" => {
                let found = STATUSES.into_iter().find(|status| value.as_str() == Some(status));
                self.status = Some(found.ok_or_else(|| format!("a status is one of {}", STATUSES.join(", ")))?);
            }
            "lines" => self.lines = Some(value.as_array().ok_or("a list of lines is expected")?.clone()),
            "line" => {
                let line = value.as_u64().and_then(|line| usize::try_from(line).ok());
                self.line = line.ok_or("a line is counted from 0")?;
            }
            "quantity" => {
                self.quantity = match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => return Err("a decimal as text is expected".to_owned()),
                }
            }
            _ => return Err("there is no such field".to_owned()),
        }
        Ok(())
    }

    fn make(self, order: &mut Order) -> Result<(), FieldError> {
        if let Some(status) = self.status {
            status.clone_into(&mut order.status);
        }
        if let Some(lines) = self.lines {
            order.recorded.insert("lines".to_owned(), Value::Array(lines));
        }
        if let Some(quantity) = self.quantity {
            let line = order
                .recorded
                .get_mut("lines")
                .and_then(|lines| lines.get_mut(self.line));
            let Some(line) = line.and_then(Value::as_object_mut) else {
                return Err(FieldError::at(
                    "",
                    "line",
                    format!("the order has no line {}", self.line),
                ));
            };
            line.insert("quantity".to_owned(), json!(quantity));
        }
        Ok(())
    }
}
