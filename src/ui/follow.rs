//! The page of an order that is on its way looks again by itself until the order has moved on.
//!
//! An island: the only part of the order's page that lives in the browser. It asks for the mark alone and loads the
//! whole page anew when that changed, so that the page always shows what the database says (rule 21). Without JavaScript
//! the page's `noscript` refresh does the same.

use crate::calls;
use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);
/// Two minutes: longer than any attempt. After that a person reloads, or reads on.
const MOST: u32 = 120;

/// Looks every second while the page is seen. `mark` is the one the page shows.
#[island]
pub fn Follow(order: String, mark: u64) -> impl IntoView {
    let looks = StoredValue::new(0_u32);
    let timer = StoredValue::<Option<IntervalHandle>>::new(None);
    Effect::new(move || {
        let order = order.clone();
        let look = move || {
            if document().hidden() {
                return;
            }
            looks.update_value(|looks| *looks += 1);
            if looks.get_value() > MOST {
                timer.with_value(|timer| timer.iter().for_each(IntervalHandle::clear));
                return;
            }
            spawn_local(reload_if_moved(order.clone(), mark));
        };
        timer.set_value(set_interval_with_handle(look, EVERY).ok());
    });
    view! { <p class="follow fine">"This page looks again by itself."</p> }
}

/// An answer that is lost is no news: the next look comes in a second.
async fn reload_if_moved(order: String, shown: u64) {
    if calls::orders::order_mark(order).await.is_ok_and(|mark| mark != shown) {
        // a page that is being left cannot be loaded anew, and need not be
        let _ = window().location().reload();
    }
}
