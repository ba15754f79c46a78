//! Moments in the tenant's zone. The server writes the words; the exact moment stands in `datetime` and in the title.

use crate::domain::calendar;
use crate::domain::pages::Viewer;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use leptos::prelude::*;

/// When the page was made, and in which zone it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Here {
    pub now: DateTime<Utc>,
    pub zone: Tz,
}

impl Here {
    /// Where this person looks from.
    pub fn of(viewer: &Viewer) -> Self {
        Self {
            now: viewer.now,
            zone: calendar::zone(&viewer.zone).unwrap_or(Tz::UTC),
        }
    }
    /// `09:12` today, with the date on other days.
    pub fn short(self, at: DateTime<Utc>) -> String {
        calendar::short(at, self.now, self.zone)
    }
    /// The same with seconds: what happened in one minute has an order.
    pub fn precise(self, at: DateTime<Utc>) -> String {
        format!("{}{}", self.short(at), at.with_timezone(&self.zone).format(":%S"))
    }
    /// Today's date there.
    pub fn today(self) -> NaiveDate {
        self.now.with_timezone(&self.zone).date_naive()
    }
    /// `3 h 39 min left`, or `late 1 h 20 min`.
    pub fn left(self, due: DateTime<Utc>) -> String {
        let span = calendar::span(due - self.now);
        if self.is_late(due) {
            format!("late {span}")
        } else {
            format!("{span} left")
        }
    }
    /// Whether a deadline has passed.
    pub fn is_late(self, due: DateTime<Utc>) -> bool {
        due <= self.now
    }
}

/// A moment.
#[component]
pub fn Moment(at: DateTime<Utc>, here: Here, #[prop(optional)] precise: bool) -> impl IntoView {
    let words = if precise { here.precise(at) } else { here.short(at) };
    view! {
        <time datetime=at.to_rfc3339() title=calendar::long(at, here.zone)>
            {words}
        </time>
    }
    .into_any()
}
