//! An intent that was used again with other contents: what is stored and what came later, side by side (rule 3).

use super::differences::DifferenceTable;
use super::icon::{Drawing, Icon};
use super::layout::heading_id;
use super::moment::{Here, Moment};
use super::order_facts::{Delivery, LinesTable};
use super::plain::Name;
use crate::domain::contents::OrderContents;
use crate::domain::difference;
use crate::domain::pages::ReviewPage;
use crate::domain::suggestion::Reused;
use leptos::prelude::*;

/// Both sides of everything that came; nothing where nothing did.
#[component]
pub fn BothSides(page: ReviewPage, here: Here) -> impl IntoView {
    let stored = page.suggestion.contents.clone();
    let (supplier, site) = (page.supplier_name, page.site_name);
    let one = |(place, other): (usize, Reused)| {
        view! { <OneOther place other stored=stored.clone() supplier=supplier.clone() site=site.clone() here/> }
    };
    page.reused.into_iter().enumerate().map(one).collect_view()
}

#[component]
fn OneOther(
    place: usize,
    other: Reused,
    stored: OrderContents,
    supplier: String,
    site: String,
    here: Here,
) -> impl IntoView {
    let (heading, labelled) = heading_id(&format!("reused-{place}"));
    let differences = difference::between(&stored, &other.contents);
    // a supplier or a place of its own is named by its id; the page knows the names of what is stored alone
    let theirs = match other.contents.supplier == stored.supplier {
        true => supplier.clone(),
        false => other.contents.supplier.to_string(),
    };
    let there = match other.contents.deliver_to == stored.deliver_to {
        true => site.clone(),
        false => other.contents.deliver_to.to_string(),
    };
    view! {
        <section class="card notice" aria-labelledby=labelled>
            <h2 id=heading><Drawing icon=Icon::Alert/>"Sent again with other contents"</h2>
            <p>
                <Name text=other.sent_by/>" sent this at "<Moment at=other.at here/>
                " under the same intent and version. Nothing was changed by it: what was stored first stands."
            </p>
            <DifferenceTable caption="What differs" before="Stored" after="Came later" differences/>
            <details class="fold">
                <summary>"Both, side by side"</summary>
                <div class="ways">
                    <section class="way"><h3>"Stored"</h3><LinesTable contents=stored.clone()/><Delivery contents=stored supplier site here/></section>
                    <section class="way"><h3>"Came later"</h3><LinesTable contents=other.contents.clone()/><Delivery contents=other.contents supplier=theirs site=there here/></section>
                </div>
            </details>
        </section>
    }
    .into_any()
}
