//! "Change it": the lines, the note and the date as they stand, to be written anew; and what the change means for what
//! stands now.
//!
//! Must not: approve or send anything: a change waits for a review of its own.

use super::answer::answered;
use super::error_summary::ErrorSummary;
use super::layout::{Frame, Place};
use super::moment::Here;
use super::order_facts::{Delivery, LinesTable};
use super::reason_form::Hidden;
use super::status_tag::StatusTag;
use super::typed::{Typed, field_id};
use super::why_not::WhyNot;
use super::words::home;
use crate::calls;
use crate::domain::contents::{Line, MOST_LINES};
use crate::domain::pages::{ChangeOf, ChangePage, Draft, Stands};
use crate::domain::refusal::Refusal;
use crate::domain::revision::{LINE_FIELDS, field_name};
use crate::domain::unit::COMMON;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use std::collections::{HashMap, HashSet};

const ACT: &str = "revise";
/// Rows for new lines.
const NEW_LINES: usize = 2;

/// `/orders/{id}/change`
#[component]
pub fn ChangeOrderRoute() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = move || (params.read().get("id").unwrap_or_default(), query.read().get("refused"));
    let page = Resource::new(asked, |(id, refused)| calls::orders::change_of_order(id, refused));
    answered(page, |page| view! { <Change page/> })
}

/// `/suggestions/{id}/change`
#[component]
pub fn ChangeSuggestionRoute() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = move || (params.read().get("id").unwrap_or_default(), query.read().get("refused"));
    let page = Resource::new(asked, |(id, refused)| calls::review::change_of_suggestion(id, refused));
    answered(page, |page| view! { <Change page/> })
}

#[component]
fn Change(page: ChangePage) -> impl IntoView {
    let here = Here::of(&page.viewer);
    let (title, place) = match page.of {
        ChangeOf::Suggestion { .. } => ("Change the suggestion", Place::Review),
        ChangeOf::Order { .. } => ("Change it and approve a different purchase", Place::Orders),
    };
    let summary = page.draft.clone().map(|draft| {
        view! { <ErrorSummary draft here forms=vec![ACT]/> }
    });
    view! {
        <Frame title viewer=page.viewer.clone() place>
            {summary}
            <Heading page=page.clone() title/>
            <TheForm page=page.clone() here/>
            <StandsNow page here/>
        </Frame>
    }
    .into_any()
}

#[component]
fn Heading(page: ChangePage, title: &'static str) -> impl IntoView {
    let stands = match &page.of {
        ChangeOf::Suggestion { state, .. } => Stands::Suggestion(*state),
        ChangeOf::Order { stands, .. } => *stands,
    };
    let back = page.of.target().path();
    let to = match page.of {
        ChangeOf::Suggestion { .. } => "Back to the suggestion",
        ChangeOf::Order { .. } => "Back to the order",
    };
    view! {
        <div class="title">
            <p class="status-line"><StatusTag stands/><a href=back>{to}</a></p>
            <h1 class="goods">{title}</h1>
            <p class="lead">{leads_to(&page)}</p>
        </div>
    }
    .into_any()
}

/// What the change does, and what it does not.
fn leads_to(page: &ChangePage) -> String {
    match &page.of {
        ChangeOf::Suggestion { .. } => {
            "The changed version takes this one’s place and waits for review. Nothing is bought by it.".to_owned()
        }
        ChangeOf::Order { other, .. } => format!(
            "The order stays exactly as it was approved. The changed version waits for a review and an approval of its own. {}",
            home::other_purchase(*other, &page.supplier_name)
        ),
    }
}

/// What is changed, unchanged.
#[component]
fn StandsNow(page: ChangePage, here: Here) -> impl IntoView {
    let contents = page.contents.clone();
    view! {
        <section class="card" aria-labelledby="stands-heading">
            <h2 id="stands-heading">"What stands now"</h2>
            <LinesTable contents=contents.clone()/>
            <Delivery contents supplier=page.supplier_name site=page.site_name here/>
            <p class="fine">"Supplier, currency, place, charges and the packs of lines that stay are taken over."</p>
        </section>
    }
    .into_any()
}

#[component]
fn TheForm(page: ChangePage, here: Here) -> impl IntoView {
    let typed = Typed::into_act(page.draft.as_ref(), ACT);
    let hidden = match &page.of {
        ChangeOf::Suggestion { id, digest, .. } => {
            vec![("suggestion", id.to_string()), ("digest", digest.to_string())]
        }
        ChangeOf::Order { id, version, .. } => vec![("order", id.to_string()), ("version", version.to_string())],
    };
    let rows = rows(&page)
        .into_iter()
        .enumerate()
        .map(|(place, row)| view! { <LineFields place row standing=page.contents.lines.len()/> })
        .collect_view();
    let refused = page.may.clone().err();
    let disabled = refused.is_some();
    view! {
        <form class="card form change" method="post" action="/act/revise" aria-label="The change">
            <Hidden fields=hidden/>
            <Units/>
            <p class="fine" id=field_id(ACT, None, "lines")>"Prices are without tax, in "{page.contents.currency.code()}". A row left blank is no line."</p>
            {rows}
            <NoteAndDate page=page.clone() typed/>
            <button class="button button-main" disabled=disabled>"Put the change up for review"</button>
            {refused.map(|refusal| view! { <div class="fine"><WhyNot refusal here/></div> })}
        </form>
    }
    .into_any()
}

/// A line's fields, in the order of the form, whether each was wrong, and whether the line is to go.
#[derive(Debug, Clone, Default)]
struct Row {
    values: [String; 6],
    wrong: [bool; 6],
    left_out: bool,
}

impl Row {
    fn of(line: &Line) -> Self {
        Self {
            values: [
                line.sku.clone().unwrap_or_default(),
                line.description.clone().unwrap_or_default(),
                line.quantity.to_string(),
                line.unit.code().to_owned(),
                line.unit_price.to_string(),
                line.price_per.to_string(),
            ],
            ..Self::default()
        }
    }
}

/// What was typed, found by its field: a form may have thousands, and each is asked for once.
struct ByField<'a> {
    values: HashMap<&'a str, &'a str>,
    wrong: HashSet<&'a str>,
}

impl<'a> ByField<'a> {
    fn of(draft: &'a Draft) -> Self {
        let values = draft.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let wrong = match &draft.refusal {
            Refusal::Fields(fields) => fields.iter().map(|(field, _)| field.as_str()).collect(),
            _ => HashSet::new(),
        };
        Self {
            values: values.collect(),
            wrong,
        }
    }

    fn row(&self, place: usize) -> Row {
        let value = |name: &str| self.values.get(field_name(place, name).as_str()).copied();
        Row {
            values: LINE_FIELDS.map(|name| value(name).unwrap_or_default().to_owned()),
            wrong: LINE_FIELDS.map(|name| self.wrong.contains(field_name(place, name).as_str())),
            left_out: value("leave_out") == Some("yes"),
        }
    }

    fn has(&self, place: usize) -> bool {
        let is_there = |name| self.values.contains_key(field_name(place, name).as_str());
        LINE_FIELDS.into_iter().any(is_there)
    }
}

/// What was typed, or what stands; and blank rows for more.
fn rows(page: &ChangePage) -> Vec<Row> {
    let standing = page.contents.lines.len() + NEW_LINES;
    let typed = page.draft.as_ref().filter(|draft| draft.field("act") == Some(ACT));
    if let Some(typed) = typed.map(ByField::of) {
        let places = (0..MOST_LINES).take_while(|place| *place < standing || typed.has(*place));
        return places.map(|place| typed.row(place)).collect();
    }
    let lines = page.contents.lines.iter().map(Row::of);
    lines.chain(vec![Row::default(); NEW_LINES]).collect()
}

#[component]
fn LineFields(place: usize, row: Row, standing: usize) -> impl IntoView {
    let is_new = place >= standing;
    let legend = match is_new {
        true => format!("Line {}, new", place + 1),
        false => format!("Line {}", place + 1),
    };
    let fields = LINE_FIELDS
        .into_iter()
        .zip(row.values.into_iter().zip(row.wrong))
        .map(|(field, (value, wrong))| view! { <LineField place field value wrong/> })
        .collect_view();
    let leave_out = (!is_new).then(|| {
        view! {
            <label class="check change-out">
                <input type="checkbox" name=field_name(place, "leave_out") value="yes" checked=row.left_out/>
                <span>"Leave this line out"</span>
            </label>
        }
    });
    view! { <fieldset class="change-line"><legend>{legend}</legend>{fields}{leave_out}</fieldset> }.into_any()
}

#[component]
fn LineField(place: usize, field: &'static str, value: String, wrong: bool) -> impl IntoView {
    let name = field_name(place, field);
    let id = field_id(ACT, None, &name);
    let list = (field == "unit").then_some("units");
    let is_number = ["quantity", "unit_price", "price_per"].contains(&field);
    let most = if field == "description" { "2000" } else { "120" };
    view! {
        <div class=format!("change-field change-{}", field.replace('_', "-"))>
            <label for=id.clone()>{label(field)}</label>
            <input id=id type="text" inputmode=is_number.then_some("decimal") name=name value=value list=list
                maxlength=most autocomplete="off" spellcheck="false" aria-invalid=wrong.then_some("true")/>
        </div>
    }
    .into_any()
}

fn label(field: &str) -> String {
    super::words::refusals::field_label(field)
}

/// Units as people most often need them; any code of the lists may be typed.
#[component]
fn Units() -> impl IntoView {
    let option = |(code, name): (&'static str, &'static str)| view! { <option value=code>{name}</option> };
    view! { <datalist id="units">{COMMON.iter().filter_map(|code| named(code)).map(option).collect_view()}</datalist> }
        .into_any()
}

fn named(code: &'static str) -> Option<(&'static str, &'static str)> {
    let unit = crate::domain::unit::Unit::of(code).ok()?;
    Some((unit.code(), unit.name()))
}

#[component]
fn NoteAndDate(page: ChangePage, typed: Typed) -> impl IntoView {
    let (note, date) = (
        field_id(ACT, None, "note_to_supplier"),
        field_id(ACT, None, "needed_by"),
    );
    let stands = page.contents.needed_by.map(|day| day.to_string());
    let day = typed.as_typed("needed_by").or(stands).unwrap_or_default();
    let words = match typed.is_there() {
        true => typed.area("note_to_supplier"),
        false => super::typed::escaped(&page.contents.note_to_supplier.clone().unwrap_or_default()),
    };
    view! {
        <label for=date.clone()>"Needed by"</label>
        <input id=date type="date" name="needed_by" value=day aria-invalid=typed.invalid("needed_by")/>
        <label for=note.clone()>"Note to the supplier"<span class="label-more">"sent word for word"</span></label>
        <textarea id=note name="note_to_supplier" rows="3" placeholder=" "
            aria-invalid=typed.invalid("note_to_supplier") inner_html=words></textarea>
    }
    .into_any()
}
