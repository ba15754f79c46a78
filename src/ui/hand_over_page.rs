//! Handing over what somebody has open: every case with a tick, to whom, and why. What is ticked moves, and nothing else.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::icon::{Drawing, Icon};
use super::layout::{Frame, Place};
use super::moment::Here;
use super::people_page::There;
use super::plain::{Name, Words};
use super::reason_form::Hidden;
use super::rows::Due;
use super::status_tag::{StatusTag, Tag, Tone};
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words;
use crate::calls;
use crate::domain::case::is_unowned;
use crate::domain::pages::Draft;
use crate::domain::people::{
    BY_THE_RULES, CaseShown, Goods, HandOverPage, NewOwner, PEOPLE, case_field, case_of_value, case_value,
};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use std::collections::HashSet;

const ACT: &str = "hand_over";

/// `/people/{id}/hand-over`
#[component]
pub fn HandOverRoute() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = move || {
        let query = query.read();
        let id = params.read().get("id").unwrap_or_default();
        (id, query.get("refused"), query.get("moved"), query.get("came"))
    };
    let page = Resource::new(asked, |(id, refused, moved, came)| {
        calls::people::hand_over_page(id, refused, moved, came)
    });
    answered(page, |page| view! { <HandOver page/> })
}

#[component]
fn HandOver(page: HandOverPage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let forms = if page.cases.is_empty() { Vec::new() } else { vec![ACT] };
    let summary = page
        .draft
        .clone()
        .map(|draft| view! { <ErrorSummary draft here forms/> });
    let title = format!("Hand over the cases of {}", page.name);
    let body = match page.cases.is_empty() {
        true => view! { <section class="card" aria-label="Cases"><p class="empty">"Nothing is theirs. "<a href=PEOPLE>"All people"</a></p></section> }.into_any(),
        false => view! { <TheForm page=page.clone() here/> }.into_any(),
    };
    view! {
        <Frame title viewer=page.viewer place=Place::People>
            {summary}
            <div class="title">
                <p class="status-line"><There disabled=page.disabled away=page.away/><a href=PEOPLE>"All people"</a></p>
                <h1>"Hand over the cases of "<Name text=page.name/></h1>
                <p class="lead">"What is ticked goes to its new owner, all of it or nothing. Deadlines stay as they are."</p>
            </div>
            {page.moved.map(|moved| view! { <JustDone moved cases=page.cases/> })}
            {body}
        </Frame>
    }
    .into_any()
}

/// What was done a moment ago, and what came meanwhile.
#[component]
fn JustDone(moved: usize, cases: Vec<CaseShown>) -> impl IntoView {
    let came = cases.into_iter().filter(|one| one.came_meanwhile);
    let came: Vec<_> = came
        .map(|one| view! { <li><Name text=one.goods.headline/></li> })
        .collect();
    let came = (!came.is_empty()).then(|| {
        view! { <p>"This came while the list was open, and was not moved:"</p><ul class="links">{came}</ul> }
    });
    view! {
        <div class="news news-calm" role="status">
            <Drawing icon=Icon::Check/>
            <div><p>{words::people::moved(moved)}</p>{came}</div>
        </div>
    }
    .into_any()
}

#[component]
fn TheForm(page: HandOverPage, here: Here) -> impl IntoView {
    let typed = Typed::into_act(page.draft.as_ref(), ACT);
    let ticked = page.draft.as_ref().and_then(|draft| ticked(draft, &page));
    let listed: Vec<String> = page.cases.iter().map(|one| one.case.id.to_string()).collect();
    // of a list that is cut nobody could say what came meanwhile
    let listed = (page.count == listed.len()).then(|| ("listed", listed.join(" ")));
    let hidden = std::iter::once(("from", page.id.to_string())).chain(listed).collect();
    let rest = (page.count > page.cases.len()).then(|| {
        let words = format!(
            "The {} due first of {}. The others are listed once these are handed over.",
            page.cases.len(),
            page.count
        );
        view! { <p class="fine rows-rest">{words}</p> }
    });
    let is_away = page.away.as_ref().is_some_and(|away| away.now);
    let rows = page.cases.into_iter().enumerate().map(|(place, one)| {
        let is_ticked = ticked
            .as_ref()
            .is_none_or(|ticked| ticked.contains(one.case.id.as_str()));
        view! { <OneCase place one is_ticked is_away here/> }
    });
    let rows = rows.collect_view();
    let refused = page.may.err();
    let disabled = refused.is_some();
    view! {
        <form class="card form handing" method="post" action="/act/hand_over">
            <Hidden fields=hidden/>
            <fieldset id=field_id(ACT, None, "cases") class="handing-cases" tabindex="-1" disabled=disabled>
                <legend>"Which cases"</legend>
                <table class="handing-table">
                    <caption class="unseen">"Open cases"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"What"</th>
                            <th scope="col">"State"</th>
                            <th scope="col">"Due"</th>
                            <th scope="col">"Why it is a case"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                {rest}
            </fieldset>
            <ToWhom owners=page.owners typed=typed.clone() disabled/>
            <Reason typed disabled/>
            <button class="button button-main" disabled=disabled>"Hand over what is ticked"</button>
            {refused.map(|refusal| view! { <div class="fine"><WhyNot refusal here/></div> })}
        </form>
    }
    .into_any()
}

/// What was ticked before it was refused; nothing where this form was not sent.
fn ticked(draft: &Draft, page: &HandOverPage) -> Option<HashSet<String>> {
    let from_here = draft.field("act") == Some(ACT) && draft.field("from") == Some(page.id.as_str());
    from_here.then(|| {
        let cases = draft.fields.iter().filter(|(name, _)| name.starts_with("cases["));
        let cases = cases.filter_map(|(_, value)| case_of_value(value));
        cases.map(|(case, _)| case.to_string()).collect()
    })
}

#[component]
fn OneCase(place: usize, one: CaseShown, is_ticked: bool, is_away: bool, here: Here) -> impl IntoView {
    let case = one.case;
    let came = one
        .came_meanwhile
        .then(|| view! { <Tag tone=Tone::Wait icon=Icon::Clock text="Came meanwhile"/> });
    // that somebody is away stands at the top, once
    let fell = is_unowned(&case, false, here.now) && !is_away;
    let fell = fell.then(|| view! { <Tag tone=Tone::Doubt icon=Icon::Question text="Nobody else was there"/> });
    let value = case_value(&case.id, case.version);
    let stands = one.goods.stands.map(|stands| view! { <StatusTag stands/> });
    let kind = words::case_kind(case.kind);
    view! {
        <tr>
            <td class="handing-what">
                <label class="check">
                    <input type="checkbox" name=case_field(place) value=value checked=is_ticked/>
                    <span><Name text=one.goods.headline.clone()/></span>
                </label>
                <Where goods=one.goods/>
            </td>
            <td data-th="State"><div class="handing-tags">{stands}{came}{fell}</div></td>
            <td data-th="Due"><Due due=case.due_at here/></td>
            <td class="handing-why"><b>{kind}</b><div class="fine"><Words text=words::sentence_case(&case.reason)/></div></td>
        </tr>
    }
    .into_any()
}

/// From whom it is, and its page.
#[component]
fn Where(goods: Goods) -> impl IntoView {
    let supplier = goods
        .target
        .is_some()
        .then(|| view! { <span>{goods.supplier_name}</span> });
    let page = goods.target.map(|target| {
        let id = target.path().rsplit('/').next().unwrap_or_default().to_owned();
        view! { <a class="fine" href=target.path()>{id}</a> }
    });
    view! { <p class="rows-names handing-names">{supplier}{page}</p> }.into_any()
}

#[component]
fn ToWhom(owners: Vec<NewOwner>, typed: Typed, disabled: bool) -> impl IntoView {
    let id = field_id(ACT, None, "owner");
    let chosen = typed.text("owner");
    let is_chosen = |value: &str| chosen.as_deref() == Some(value);
    let by_rules = is_chosen(BY_THE_RULES);
    let options = owners.into_iter().map(|owner| {
        let name = match owner.is_away {
            true => format!("{} (away)", owner.name),
            false => owner.name,
        };
        let selected = is_chosen(owner.id.as_str());
        view! { <option value=owner.id.to_string() selected=selected>{name}</option> }
    });
    let options = options.collect_view();
    view! {
        <label for=id.clone()>"To whom"</label>
        <select id=id name="owner" disabled=disabled aria-invalid=typed.invalid("owner")>
            <option value="" selected=chosen.is_none()>"Choose a person"</option>
            <option value=BY_THE_RULES selected=by_rules>"By the rules: each to whoever a new one would go to"</option>
            {options}
        </select>
    }
    .into_any()
}

#[component]
fn Reason(typed: Typed, disabled: bool) -> impl IntoView {
    let id = field_id(ACT, None, "reason");
    view! {
        <label for=id.clone()>"Reason"</label>
        <textarea id=id name="reason" rows="2" maxlength="2000" placeholder=" " disabled=disabled aria-invalid=typed.invalid("reason")
            inner_html=typed.area("reason")></textarea>
    }
    .into_any()
}
