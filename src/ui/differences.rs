//! What differs, named: one row a difference, both sides beside each other.

use super::plain::Words;
use super::words;
use crate::domain::difference::{Difference, Place};
use leptos::prelude::*;

/// The differences. `before` and `after` head the two sides.
#[component]
pub fn DifferenceTable(
    caption: &'static str,
    before: &'static str,
    after: &'static str,
    differences: Vec<Difference>,
) -> impl IntoView {
    let row = |one: Difference| {
        view! {
            <tr>
                <th scope="row"><Where place=one.place/></th>
                <td data-th=before><Side text=one.approved/></td>
                <td data-th=after class="changed"><Side text=one.other/></td>
            </tr>
        }
    };
    view! {
        <table class="differences">
            <caption class="unseen">{caption}</caption>
            <thead><tr><th scope="col">"What"</th><th scope="col">{before}</th><th scope="col">{after}</th></tr></thead>
            <tbody>{differences.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// The field, and the line it stands in.
#[component]
fn Where(place: Place) -> impl IntoView {
    let field = words::place(&place);
    let line = match place {
        Place::Line { line, .. } | Place::LineMissing { line } | Place::LineAdded { line } => Some(line),
        Place::Supplier | Place::Currency | Place::DeliverTo | Place::NeededBy | Place::Note | Place::Charges => None,
    };
    view! { <span>{field}</span>{line.map(|line| view! { <div class="fine"><Words text=line/></div> })} }.into_any()
}

/// One side; an absent one says so.
#[component]
fn Side(text: String) -> impl IntoView {
    if text.is_empty() {
        view! { <span class="soft">"nothing"</span> }.into_any()
    } else {
        view! { <Words text/> }.into_any()
    }
}
