//! What the supplier says, asked when and by whom, and the harmless button that asks it again.
//!
//! Promises: "could not be checked" is never shown as "no record", and "no record" never as "not there" before it counts.

use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::{Name, Words};
use super::reason_form::Hidden;
use super::status_tag::{Tag, Tone};
use super::why_not::WhyNot;
use super::words::{self, home, ways};
use crate::domain::look_up::{AnswerWord, Found, Ladder, LookedUp, RUNGS, last_said};
use crate::domain::order::{OrderState, may_find};
use crate::domain::pages::{OrderPage, WayHome};
use crate::domain::refusal::Refusal;
use leptos::prelude::*;

/// The answer and the button.
#[component]
pub fn SupplierSays(page: OrderPage, here: Here) -> impl IntoView {
    let heading = format!("What {} says", page.supplier_name);
    view! {
        <section class="says" aria-labelledby="says-heading">
            <div class="says-words"><h3 id="says-heading">{heading}</h3><Said page=page.clone() here/></div>
            <div class="says-act"><AskForm page here/></div>
        </section>
    }
    .into_any()
}

/// What they said, in words alone: the last answers, how far "no record" has come, and when they are asked next.
#[component]
pub fn Said(page: OrderPage, here: Here) -> impl IntoView {
    let way_home = page.way_home;
    // once it was found not to be there, "no record" has nothing more to prove
    let climbs = may_find(&page.life).is_ok() && page.life.state != OrderState::Approved;
    let key = (!way_home.contract.look_up.can_ask()).then_some(page.operation_key);
    view! {
        <Answers look_ups=way_home.look_ups.clone() can_ask=key.is_none() here/>
        {key.map(|key| view! { <AskByHand supplier=page.supplier_name key/> })}
        {climbs.then(|| view! { <Progress way_home=way_home.clone() here/> })}
        <Next way_home here/>
    }
    .into_any()
}

/// The last answer; and the last that said anything, where the last one did not.
#[component]
fn Answers(look_ups: Vec<LookedUp>, can_ask: bool, here: Here) -> impl IntoView {
    let Some(last) = look_ups.last().cloned() else {
        return can_ask
            .then(|| view! { <p>"They have not been asked yet."</p> })
            .into_any();
    };
    let earlier = (last.answer == AnswerWord::CouldNotCheck)
        .then(|| last_said(&look_ups).cloned())
        .flatten();
    view! {
        <Answer one=last here/>
        {earlier.map(|one| view! { <Answer one before="Before that:" here/> })}
    }
    .into_any()
}

#[component]
fn Answer(one: LookedUp, #[prop(optional)] before: &'static str, here: Here) -> impl IntoView {
    let (tone, icon, words) = match one.answer {
        AnswerWord::Found if one.records.len() > 1 => (Tone::Bad, Icon::Alert, "More than one record"),
        AnswerWord::Found => (Tone::Wait, Icon::Eye, "They have a record"),
        AnswerWord::None => (Tone::Doubt, Icon::Question, "No record seen"),
        AnswerWord::CouldNotCheck => (Tone::Plain, Icon::Cross, "Could not be checked"),
    };
    let by = home::asked_by(&one);
    let detail =
        (one.answer == AnswerWord::CouldNotCheck).then(|| view! { <div class="fine"><Words text=one.detail/></div> });
    view! {
        <p class="says-answer">
            {before}
            <Tag tone icon text=words/>
            <span><Moment at=one.at here precise=true/>", "<Name text=by/></span>
        </p>
        {detail}
        <Records records=one.records/>
    }
    .into_any()
}

#[component]
fn Records(records: Vec<Found>) -> impl IntoView {
    let item = |one: Found| {
        let unreadable = one.record.is_none().then_some("; its lines cannot be read");
        view! { <li><b><Name text=one.reference/></b>", "{home::standing(one.standing)}{unreadable}</li> }
    };
    (!records.is_empty()).then(|| {
        view! { <ul class="says-records">{records.into_iter().map(item).collect_view()}</ul> }
    })
}

#[component]
fn AskByHand(supplier: String, key: String) -> impl IntoView {
    view! {
        <p>{format!("{supplier} cannot be asked by us. Somebody has to call or write; they know it by our reference:")}</p>
        <p><code class="wrap key">{key}</code></p>
    }
    .into_any()
}

/// How far "no record" is from meaning "not there".
#[component]
fn Progress(way_home: WayHome, here: Here) -> impl IntoView {
    if way_home.ladder == Ladder::CannotAsk {
        return ().into_any();
    }
    if has_record(&way_home.look_ups) {
        return ().into_any();
    }
    if way_home.asks_other_books {
        return view! {
            <p class="fine">
                "The order was sent to another address or account than the supplier’s file names now: what is asked there \
                 says nothing about it. Somebody has to ask them, or the file has to name the old one again."
            </p>
        }
        .into_any();
    }
    if way_home.said_they_have_it {
        return view! {
            <p class="fine">
                "They said that they have it, so “no record” does not mean that it is not there: somebody has to ask them."
            </p>
        }
        .into_any();
    }
    let (rungs, next_at) = match way_home.ladder {
        Ladder::Climbing { rungs, next_at } => (rungs, next_at),
        Ladder::NotFound | Ladder::CannotAsk => return ().into_any(),
    };
    if way_home.settled_at > here.now {
        return view! {
            <p class="fine">
                "They may need until "<Moment at=way_home.settled_at here precise=true/>
                {format!(" to show a record. After that, {RUNGS} times “no record” mean that it is not there.")}
            </p>
        }
        .into_any();
    }
    let next = if next_at > here.now {
        view! { "; the next counts from "<Moment at=next_at here precise=true/>"." }.into_any()
    } else {
        "; the next one counts.".into_any()
    };
    view! { <p class="fine">{format!("{RUNGS} times “no record” mean that it is not there. So far {rungs}")}{next}</p> }
        .into_any()
}

/// Whether the last answer that said anything was a record.
fn has_record(look_ups: &[LookedUp]) -> bool {
    let said = last_said(look_ups);
    said.is_some_and(|one| one.answer == AnswerWord::Found)
}

/// Harmless, so it is the main button.
#[component]
fn AskForm(page: OrderPage, here: Here) -> impl IntoView {
    let words = ways::look_up_name(&page.supplier_name);
    match page.way_home.ways.look_up {
        Ok(()) => {
            let hidden = vec![
                ("order", page.id.to_string()),
                ("version", page.life.version.to_string()),
            ];
            view! {
                <form method="post" action="/act/look_up">
                    <Hidden fields=hidden/>
                    <button class="button">{words}</button>
                </form>
                <p class="fine">{ways::ONLY_ASKS}</p>
            }
            .into_any()
        }
        // said beside it already
        Err(Refusal::CannotAsk) => ().into_any(),
        Err(refusal) => view! {
            <button class="button" disabled=true>{words}</button>
            <div class="fine"><WhyNot refusal here/></div>
        }
        .into_any(),
    }
}

/// Who is asking now, or when they are asked next by themselves.
#[component]
fn Next(way_home: WayHome, here: Here) -> impl IntoView {
    if let Some(asking) = way_home.asking {
        let who = asking
            .by
            .map(|name| view! { <b><Name text=name/></b>" wants to know. " });
        let when = if asking.under_way {
            "They are being asked now."
        } else {
            "They are asked within a moment."
        };
        return view! { <p class="says-now" role="status"><Drawing icon=Icon::Dots/><span>{who}{when}</span></p> }
            .into_any();
    }
    let again = if way_home.look_ups.is_empty() {
        "Countersign asks them at "
    } else {
        "Countersign asks again at "
    };
    way_home
        .next_look_up
        .map(|at| view! { <p class="fine">{again}<Moment at here precise=true/>"."</p> })
        .into_any()
}

/// What the supplier promises, in short.
#[component]
pub fn Promises(page: OrderPage) -> impl IntoView {
    let contract = &page.way_home.contract;
    let items = home::promises(contract)
        .into_iter()
        .map(|words| view! { <li>{words}</li> })
        .collect_view();
    view! {
        <section class="card" aria-labelledby="promises-heading">
            <h2 id="promises-heading">{format!("What {} promises", page.supplier_name)}</h2>
            <p>{home::class(contract.class())}</p>
            <ul class="promises fine">{items}</ul>
        </section>
    }
    .into_any()
}

/// What the supplier's side of the comparison says where no record can be shown.
pub fn nothing_recorded(way_home: &WayHome, here: Here) -> Option<String> {
    let said = last_said(&way_home.look_ups)?;
    match (said.answer, said.records.len()) {
        (AnswerWord::None, _) => Some(format!("no record at {}", here.short(said.at))),
        (AnswerWord::Found, 1) => Some("there, lines not readable".to_owned()),
        (AnswerWord::Found, several) => Some(words::count(several, "record", "records")),
        (AnswerWord::CouldNotCheck, _) => None,
    }
}
