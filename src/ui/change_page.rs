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
use crate::domain::contents::{Line, MOST_LINES, OrderContents};
use crate::domain::pages::{ChangeOf, ChangePage, Stands};
use crate::domain::revision::{LINE_FIELDS, field_name};
use crate::domain::unit::COMMON;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

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
            <div class="columns">
                <div class="columns-main"><TheForm page=page.clone() here/></div>
                <aside class="columns-side" aria-label="What stands now"><StandsNow page here/></aside>
            </div>
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
    let rows = rows(&page.contents, &typed)
        .into_iter()
        .enumerate()
        .map(|(place, row)| view! { <LineFields place row typed=typed.clone() standing=page.contents.lines.len()/> })
        .collect_view();
    let refused = page.may.clone().err();
    let disabled = refused.is_some();
    view! {
        <form class="form change" method="post" action="/act/revise" aria-label="The change">
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

/// A line's fields, in the order of the form, and whether it is to go.
#[derive(Debug, Clone, Default)]
struct Row {
    values: [String; 6],
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
            left_out: false,
        }
    }

    fn typed(typed: &Typed, place: usize) -> Self {
        let field = |name| typed.as_typed(&field_name(place, name)).unwrap_or_default();
        Self {
            values: LINE_FIELDS.map(field),
            left_out: field("leave_out") == "yes",
        }
    }
}

/// What was typed, or what stands; and blank rows for more.
fn rows(contents: &OrderContents, typed: &Typed) -> Vec<Row> {
    let standing = contents.lines.len() + NEW_LINES;
    if typed.is_there() {
        let is_typed = |place: &usize| *place < standing || typed.text(&field_name(*place, "quantity")).is_some();
        let places = (0..MOST_LINES).take_while(is_typed);
        return places.map(|place| Row::typed(typed, place)).collect();
    }
    let lines = contents.lines.iter().map(Row::of);
    lines.chain(vec![Row::default(); NEW_LINES]).collect()
}

#[component]
fn LineFields(place: usize, row: Row, typed: Typed, standing: usize) -> impl IntoView {
    let is_new = place >= standing;
    let legend = match is_new {
        true => format!("Line {}, new", place + 1),
        false => format!("Line {}", place + 1),
    };
    let fields = LINE_FIELDS
        .into_iter()
        .zip(row.values)
        .map(|(field, value)| view! { <LineField place field value typed=typed.clone()/> })
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
fn LineField(place: usize, field: &'static str, value: String, typed: Typed) -> impl IntoView {
    let name = field_name(place, field);
    let id = field_id(ACT, None, &name);
    let list = (field == "unit").then_some("units");
    let is_number = ["quantity", "unit_price", "price_per"].contains(&field);
    let most = if field == "description" { "2000" } else { "120" };
    view! {
        <div class=format!("change-field change-{}", field.replace('_', "-"))>
            <label for=id.clone()>{label(field)}</label>
            <input id=id type="text" inputmode=is_number.then_some("decimal") name=name.clone() value=value list=list
                maxlength=most autocomplete="off" spellcheck="false" aria-invalid=typed.invalid(&name)/>
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
