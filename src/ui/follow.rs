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

/// What somebody is at, in a form they have unfolded: it must not be thrown away.
const AT_WORK: &str = "details.no[open] form :is(:focus, :checked, textarea:not(:placeholder-shown))";

const LOOKS: &str = "This page looks again by itself.";
const STOPPED: &str = "This page has stopped looking by itself. Reload it to see where the order stands.";
const MOVED: &str = "Something has happened. Reload the page when you have finished your form.";

/// Looks every second while the page is seen. `mark` is the one the page shows.
#[island]
pub fn Follow(order: String, mark: u64) -> impl IntoView {
    let looks = StoredValue::new(0_u32);
    let timer = StoredValue::<Option<IntervalHandle>>::new(None);
    let words = RwSignal::new(LOOKS);
    Effect::new(move || {
        let order = order.clone();
        let look = move || {
            if document().hidden() {
                return;
            }
            looks.update_value(|looks| *looks += 1);
            if looks.get_value() > MOST {
                timer.with_value(|timer| timer.iter().for_each(IntervalHandle::clear));
                words.set(STOPPED);
                return;
            }
            spawn_local(look_again(order.clone(), mark, words));
        };
        timer.set_value(set_interval_with_handle(look, EVERY).ok());
    });
    view! { <p class="follow fine" role="status">{words}</p> }
}

/// An answer that is lost is no news: the next look comes in a second. A form that stands open is not thrown away.
async fn look_again(order: String, shown: u64, words: RwSignal<&'static str>) {
    if calls::orders::order_mark(order).await.is_ok_and(|mark| mark != shown) {
        if matches!(document().query_selector(AT_WORK), Ok(Some(_))) {
            words.set(MOVED);
        } else {
            // a page that is being left cannot be loaded anew, and need not be
            let _ = window().location().reload();
        }
    }
}
