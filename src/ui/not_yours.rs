//! For somebody who may not settle an order: that somebody else does, until when, and that other work can go on.

use super::cases;
use super::icon::{Drawing, Icon};
use super::moment::{Here, Moment};
use super::plain::Name;
use crate::domain::case::Case;
use crate::domain::pages::OrderPage;
use crate::domain::person::{Act, may};
use leptos::prelude::*;

/// Whose it is, where a case is open that is not this person's to settle; `in_card` where it does not stand in a card already.
#[component]
pub fn NotYours(page: OrderPage, here: Here, #[prop(optional)] in_card: bool) -> impl IntoView {
    let case = cases::open(&page.cases).into_iter().next();
    // who may let it go has something to do
    let is_theirs = page.way_home.ways.release.is_ok();
    let case = case.filter(|_| may(&page.viewer.roles, Act::Resume).is_err() && !is_theirs);
    case.map(|case| {
        view! {
            <div class="not-yours" class:card=in_card>
                <Drawing icon=Icon::Check/>
                <p><b>"You may go on with other work."</b>" "<SeenTo case here/>" Please do not order it a second time meanwhile."</p>
            </div>
        }
    })
}

/// Who sees to it, and until when.
#[component]
fn SeenTo(case: Case, here: Here) -> impl IntoView {
    let by_when = if here.is_late(case.due_at) {
        " sees to this; it was due "
    } else {
        " sees to this, by "
    };
    view! { <Name text=case.owner_name/>{by_when}<Moment at=case.due_at here/>"." }.into_any()
}
