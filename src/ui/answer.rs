//! From a call's answer to a page: the one place where a page waits, and where a call that failed becomes a page.

use super::trouble::{Absent, Broken};
use crate::calls::CallError;
use leptos::prelude::*;

/// Shows the page once its one question is answered.
pub fn answered<T, V>(page: Resource<Result<T, CallError>>, show: fn(T) -> V) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    view! {
        <Suspense>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(page) => show(page).into_any(),
                    Err(CallError::Absent) => view! { <Absent/> }.into_any(),
                    Err(CallError::SignIn | CallError::Unreadable | CallError::Broken | CallError::Away) => view! { <Broken/> }.into_any(),
                }
            })}
        </Suspense>
    }
    .into_any()
}
