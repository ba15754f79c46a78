//! A moment until which something is safe, and how long that still is.
//!
//! An island: the span counts down in the browser. The moment itself is written by the server and reads right without
//! JavaScript. Must not: trust the browser's idea of the time; it only measures how much of it has passed since the page
//! came alive, and the server judges again whatever the page says.

use crate::domain::calendar;
use chrono::TimeDelta;
use leptos::prelude::*;
use leptos::web_sys::js_sys::Date;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

/// `Safe until 14:27 (23 h 34 min)`; when that has passed, `Not safe any more since 14:27 (refused now)`. `left` is in milliseconds
/// from when the page was made, `moment` is RFC 3339, `words` are the moment as people read it.
#[island]
pub fn SafeUntil(left: i64, moment: String, words: String) -> impl IntoView {
    let now_left = RwSignal::new(left);
    Effect::new(move || {
        let alive_at = Date::now();
        // whole milliseconds, far below what a float holds exactly
        let tick = move || now_left.set(left - (Date::now() - alive_at) as i64);
        // without a timer the moment still stands there
        let _ = set_interval_with_handle(tick, EVERY);
    });
    let is_over = Memo::new(move |_| now_left.get() <= 0);
    let span = Memo::new(move |_| calendar::span(TimeDelta::milliseconds(now_left.get().max(0))));
    let lead = move || {
        if is_over.get() {
            "Not safe any more since "
        } else {
            "Safe until "
        }
    };
    let rest = move || {
        if is_over.get() {
            " (refused now)".to_owned()
        } else {
            format!(" ({})", span.get())
        }
    };
    view! {
        <b class="safe-until" class:safe-over=is_over>{lead}<time datetime=moment>{words}</time>{rest}</b>
    }
}
