//! Signing in: one form.

use super::layout::Bare;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// `/sign-in`, with `?failed=1&email=…` after a failed try and `?next=…` for where to go on.
#[component]
pub fn SignInRoute() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let failed = query.get("failed").is_some();
    let email = query.get("email").unwrap_or_default();
    let next = query.get("next");
    view! {
        <Bare title="Sign in" without_navigation=true>
            <div class="sign-in">
                <h1>"Sign in"</h1>
                <p class="soft">"One approval, one purchase."</p>
                {failed.then(|| view! { <Failed/> })}
                <form class="card form" method="post" action="/sign-in">
                    {next.map(|next| view! { <input type="hidden" name="next" value=next/> })}
                    <label for="email">"E-mail"</label>
                    <input id="email" name="email" type="email" autocomplete="username" required value=email autofocus=!failed
                        aria-describedby=failed.then_some("failed")/>
                    <label for="password">"Password"</label>
                    <input id="password" name="password" type="password" autocomplete="current-password" required
                        aria-describedby=failed.then_some("failed")/>
                    <button class="button">"Sign in"</button>
                </form>
            </div>
        </Bare>
    }
    .into_any()
}

#[component]
fn Failed() -> impl IntoView {
    view! {
        <div class="summary" role="alert" tabindex="-1" autofocus>
            <h2 id="failed">"E-mail or password is not right"</h2>
            <p>"Try again. If you have forgotten your password, ask your administrator for a new one."</p>
        </div>
    }
    .into_any()
}
