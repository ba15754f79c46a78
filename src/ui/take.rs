//! Links to tables that people take with them.

use super::words::tables;
use crate::domain::export::{Reader, Table};
use leptos::prelude::*;

/// `The queue: for people · for machines`, a line a table.
#[component]
pub fn Take(tables: &'static [Table]) -> impl IntoView {
    let one = |table: &Table| view! { <OneTable table=*table/> };
    let lines = tables.iter().map(one).collect_view();
    view! {
        <section class="take fine" aria-label="Take it with you">
            <p>"Take it with you (CSV)"</p>
            <ul>{lines}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn OneTable(table: Table) -> impl IntoView {
    let name = tables::table(table);
    let link = |reader: Reader| {
        let whom = tables::reader(reader);
        view! { <a href=table.path(reader) download="" aria-label=format!("{name}, {whom}")>{whom}</a> }
    };
    view! { <li>{name}": "{link(Reader::People)}" · "{link(Reader::Machines)}</li> }.into_any()
}
