//! A choice of a filter: anything, or one of these.

use leptos::prelude::*;

/// Its label, its select, and what is chosen; `all` are values with their words.
#[component]
pub fn Choice(
    name: &'static str,
    label: &'static str,
    anything: &'static str,
    chosen: String,
    all: Vec<(String, String)>,
) -> impl IntoView {
    let id = format!("sieve-{name}");
    let options = all.into_iter().map(|(value, words)| {
        let is_chosen = value == chosen;
        view! { <option value=value selected=is_chosen>{words}</option> }
    });
    let options = options.collect_view();
    view! {
        <div class="form">
            <label for=id.clone()>{label}</label>
            <select id=id name=name><option value="">{anything}</option>{options}</select>
        </div>
    }
    .into_any()
}
