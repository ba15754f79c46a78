//! Whether the page is still what it was when it was read, and the way to read it anew.
//!
//! An island. It says how many things have changed since, and moves nothing: the page changes when somebody presses "Refresh"
//! and never under their pointer (case P2). Without JavaScript it says when the page was read.

use super::words::live::{News, news};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::Closure;
use std::time::Duration;
use web_sys::{EventSource, MessageEvent};

/// A browser begins anew by itself where the connection broke; where it was answered and refused, we do.
const AGAIN: Duration = Duration::from_secs(30);

type Source = StoredValue<Option<EventSource>, LocalStorage>;

/// `4 updates · Refresh`. `mark` is the last event that the page knows, `read_at` when it was made, as people read it. A page
/// that nobody sees does not listen: a browser has few connections to one place.
#[island]
pub fn Live(mark: u64, read_at: String) -> impl IntoView {
    let told = RwSignal::new(News::Read);
    Effect::new(move || {
        // made here, in the browser: what belongs to one thread must not be made where many take turns
        let source: Source = StoredValue::new_local(None);
        listen(mark, told, source);
        // the handle takes nothing away when it is dropped: the page listens as long as it is there
        let _ = window_event_listener_untyped("visibilitychange", move |_| {
            if document().hidden() {
                source.update_value(|source| source.take().iter().for_each(EventSource::close));
            } else {
                listen(mark, told, source);
            }
        });
    });
    let words = move || news(told.get(), &read_at);
    // an empty reference is the page's own address, with its query
    view! {
        <p class="live fine"><span aria-live="polite">{words}</span>" · "<a href="">"Refresh"</a></p>
    }
}

fn listen(mark: u64, told: RwSignal<News>, source: Source) {
    if document().hidden() || source.with_value(Option::is_some) {
        return;
    }
    let Ok(opened) = EventSource::new(&format!("/live?since={mark}")) else {
        return told.set(News::Lost);
    };
    let tick = move |tick: MessageEvent| {
        if let Some(updates) = tick.data().as_string().and_then(|data| data.parse().ok()) {
            told.set(News::Updates(updates));
        }
    };
    let lost = move || {
        told.set(News::Lost);
        let is_closed = |source: &EventSource| source.ready_state() == EventSource::CLOSED;
        if source.with_value(|source| source.as_ref().is_some_and(is_closed)) {
            source.set_value(None);
            set_timeout(move || listen(mark, told, source), AGAIN);
        }
    };
    // both live as long as the browser may call them
    let tick = Closure::<dyn FnMut(MessageEvent)>::new(tick).into_js_value();
    let lost = Closure::<dyn FnMut()>::new(lost).into_js_value();
    opened.set_onmessage(Some(tick.unchecked_ref()));
    opened.set_onerror(Some(lost.unchecked_ref()));
    source.set_value(Some(opened));
}
