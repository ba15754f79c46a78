//! Everything is held after a restore or a copy: why, since when, what is not known, and how it ends (rule 20).

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::Words;
use super::reason_form::{ReasonForm, Reasoned};
use super::words;
use crate::domain::pages::{Draft, Paused};
use leptos::prelude::*;

/// The notice at the top of the queue.
#[component]
pub fn Pause(paused: Paused, draft: Option<Draft>, here: Here) -> impl IntoView {
    let held = usize::try_from(paused.held).unwrap_or(usize::MAX);
    let next = match held {
        0 => view! {
            <p>"No order from before the gap is held any more. A manager can end the pause."</p>
        }
        .into_any(),
        held => view! {
            <p>
                <a href="/orders?state=approved">{words::count(held, "order from before the gap is held", "orders from before the gap are held")}</a>
                ". Each is looked up by itself. Open it, and release it, withdraw it, or record what was found out."
            </p>
        }
        .into_any(),
    };
    let form = Reasoned {
        act: "end_pause",
        button: "End the pause",
        summary: "End the pause",
        label: "What was done about the gap",
        hint: "What is approved after that goes out by itself again. An assistant that repeats an old wish only now could buy it twice: let it repeat its wishes first.",
        may: paused.may_end.clone(),
        hidden: Vec::new(),
    };
    view! {
        <section class="card notice" aria-labelledby="paused-heading">
            <h2 id="paused-heading">
                <Drawing icon=Icon::Pause/>
                <span>"Paused since "<Moment at=paused.since here/>": nothing goes out by itself"</span>
            </h2>
            <p><Words text=words::sentence_case(&paused.because)/>"."</p>
            <p>
                "The last thing known here happened at "<Moment at=paused.gap_at here precise=true/>
                ". Orders may have been sent after that, and this database would not know. So every order, also one approved now, is held until the supplier was looked up."
            </p>
            {next}
            <ReasonForm form draft here/>
        </section>
    }
    .into_any()
}
