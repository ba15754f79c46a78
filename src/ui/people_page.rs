//! Everybody of the house: who is there, who stands in, and what each has open.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::icon::Icon;
use super::layout::{Frame, Place};
use super::moment::Here;
use super::plain::Name;
use super::reason_form::Hidden;
use super::status_tag::{Tag, Tone};
use super::typed::{Typed, field_id};
use super::words;
use crate::calls;
use crate::domain::ids::PersonId;
use crate::domain::pages::Draft;
use crate::domain::people::{AwayShown, PeoplePage, PersonShown, hand_over_path};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

const AWAY: &str = "away";

/// `/people`
#[component]
pub fn PeopleRoute() -> impl IntoView {
    let query = use_query_map();
    let refused = move || query.read().get("refused");
    let page = Resource::new(refused, calls::people::people_page);
    answered(page, |page| view! { <People page/> })
}

#[component]
fn People(page: PeoplePage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let summary = page.draft.clone().map(|draft| {
        view! { <ErrorSummary draft here forms=vec![AWAY]/> }
    });
    let zone = words::zone(&page.viewer.zone);
    let form = AwayForm {
        draft: page.draft,
        deputies: page.deputies,
        today: here.today().to_string(),
        zone,
    };
    let rows = page.people.into_iter().map(|one| {
        view! { <OnePerson one form=form.clone()/> }
    });
    let rows = rows.collect_view();
    view! {
        <Frame title="People" viewer=page.viewer place=Place::People>
            {summary}
            <div class="title">
                <h1>"People"</h1>
                <p class="lead">"While somebody is away their new cases go to who stands in. What is open already stays theirs until it is handed over."</p>
            </div>
            <section class="card" aria-label="People">
                <table class="people">
                    <caption class="unseen">"People"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Name"</th>
                            <th scope="col">"There?"</th>
                            <th scope="col" class="number">"Open cases"</th>
                            <th scope="col" class="number">"Late"</th>
                            <th scope="col">"What to do"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                <p class="fine rows-rest">"Resolvers and managers say when they are away and hand over what is theirs; a manager does it for everybody."</p>
            </section>
        </Frame>
    }
    .into_any()
}

/// What the form of each row needs.
#[derive(Debug, Clone)]
struct AwayForm {
    draft: Option<Draft>,
    deputies: Vec<(PersonId, String)>,
    today: String,
    zone: String,
}

#[component]
fn OnePerson(one: PersonShown, form: AwayForm) -> impl IntoView {
    let late = match one.late {
        0 => view! { "0" }.into_any(),
        late => view! { <Tag tone=Tone::Bad icon=Icon::Alert text=late.to_string()/> }.into_any(),
    };
    let roles = words::roles(&one.roles);
    view! {
        <tr>
            <td class="people-name"><b><Name text=one.name.clone()/></b><span class="fine">{roles}</span></td>
            <td data-th="There?"><There disabled=one.disabled away=one.away.clone()/></td>
            <td class="number" data-th="Open cases">{one.open_cases.to_string()}</td>
            <td class="number" data-th="Late">{late}</td>
            <td class="people-acts"><Acts one form/></td>
        </tr>
    }
    .into_any()
}

/// There, away or disabled, in words, drawing and colour.
#[component]
pub fn There(disabled: bool, away: Option<AwayShown>) -> impl IntoView {
    let is_away = away.as_ref().is_some_and(|away| away.now);
    let (tone, icon, text) = match (disabled, is_away) {
        (true, _) => (Tone::Plain, Icon::Cross, "Disabled"),
        (false, true) => (Tone::Doubt, Icon::Pause, "Away"),
        (false, false) => (Tone::Ok, Icon::Check, "There"),
    };
    let more = away.filter(|_| !disabled).map(|away| {
        view! { <span class="fine">{words::people::away(&away)}</span> }
    });
    view! { <Tag tone icon text/>{more} }.into_any()
}

/// What the viewer may do for this person; nothing where they may not.
#[component]
fn Acts(one: PersonShown, form: AwayForm) -> impl IntoView {
    let hand_over = (one.may_hand_over.is_ok() && one.open_cases > 0).then(|| {
        let label = format!("Hand over the cases of {}", one.name);
        view! { <a class="people-link" href=hand_over_path(&one.id) aria-label=label>"Hand over"</a> }
    });
    let may_say = one.may_say_away.is_ok() && !one.disabled;
    let back = (may_say && one.away.is_some()).then(|| {
        let label = format!("{} is there", one.name);
        view! {
            <form method="post" action="/act/back">
                <Hidden fields=vec![("person", one.id.to_string())]/>
                <button class="button button-quiet button-small" aria-label=label>"Is there"</button>
            </form>
        }
    });
    let away = may_say.then(|| view! { <Away one=one.clone() form/> });
    view! { {hand_over}{back}{away} }.into_any()
}

/// From when to when, and who stands in: folded away.
#[component]
fn Away(one: PersonShown, form: AwayForm) -> impl IntoView {
    let typed = Typed::into_person(form.draft.as_ref(), AWAY, &one.id);
    let stands = |date: fn(&AwayShown) -> String| one.away.as_ref().map(date);
    let from = typed.as_typed("from").or(stands(|away| away.from.to_string()));
    let until = typed.as_typed("until").or(stands(|away| away.until.to_string()));
    let stands_in = one.away.as_ref().and_then(|away| away.deputy.as_ref());
    let deputy = typed.as_typed("deputy").or(stands_in.map(|(id, _)| id.to_string()));
    let field = |name| field_id(AWAY, Some(one.id.as_str()), name);
    let (from_id, until_id, deputy_id) = (field("from"), field("until"), field("deputy"));
    let invalid = typed.invalid("deputy");
    let label = format!("When {} is away", one.name);
    view! {
        <details class="no" open=typed.is_there()>
            <summary>{if one.away.is_some() { "Change" } else { "Say when away" }}<span class="unseen">{format!(": {}", one.name)}</span></summary>
            <form class="form" method="post" action="/act/away" aria-label=label>
                <Hidden fields=vec![("person", one.id.to_string())]/>
                <label for=from_id.clone()>"First day"<span class="label-more">{form.zone}</span></label>
                <input id=from_id type="date" name="from" value=from.unwrap_or(form.today) aria-invalid=typed.invalid("from")/>
                <label for=until_id.clone()>"Last day"</label>
                <input id=until_id type="date" name="until" value=until.unwrap_or_default() aria-invalid=typed.invalid("until")/>
                <label for=deputy_id.clone()>"Who stands in"</label>
                <Deputy id=deputy_id person=one.id deputies=form.deputies chosen=deputy invalid/>
                <button class="button button-quiet">"Save"</button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Deputy(
    id: String,
    person: PersonId,
    deputies: Vec<(PersonId, String)>,
    chosen: Option<String>,
    invalid: Option<&'static str>,
) -> impl IntoView {
    let others = deputies.into_iter().filter(|(id, _)| *id != person);
    let options = others.map(|(id, name)| {
        let is_chosen = chosen.as_deref() == Some(id.as_str());
        view! { <option value=id.to_string() selected=is_chosen>{name}</option> }
    });
    let options = options.collect_view();
    view! {
        <select id=id name="deputy" aria-invalid=invalid>
            <option value="">"Nobody: the rules find somebody"</option>
            {options}
        </select>
    }
    .into_any()
}
