//! stub
use leptos::prelude::*;
pub fn shell(_options: LeptosOptions, _css: String) -> impl IntoView {
    view! { <App/> }
}
#[component]
pub fn App() -> impl IntoView {
    view! { <main>"x"</main> }
}
