//! Text that others wrote: shown as text, with hidden characters made visible, in a box of its own (rule 19, case P3).
//!
//! `<bdi>` keeps letters that run from right to left from moving their neighbours. A long text scrolls in its box or
//! folds, so that it never pushes a fact or a decision off the screen (case P4).

use crate::domain::text::{Piece, visible};
use leptos::prelude::*;

/// Longer texts get a box that scrolls.
const LONG: usize = 480;
/// So do texts of more lines.
const LONG_LINES: usize = 8;
/// An inline text longer than this folds.
const INLINE: usize = 160;

/// A short text inside a line: a name, a description, a reason.
#[component]
pub fn Words(#[prop(into)] text: String) -> impl IntoView {
    if text.chars().count() <= INLINE {
        return view! { <bdi class="words">{pieces(&text)}</bdi> }.into_any();
    }
    let start: String = text.chars().take(INLINE).collect();
    let size = text.chars().count();
    view! {
        <bdi class="words">{pieces(&start)}"…"</bdi>
        <details class="fold">
            <summary>{format!("All {size} characters")}</summary>
            <Passage text label="Whole text"/>
        </details>
    }
    .into_any()
}

/// A text that never folds: for places that cannot hold a fold, such as a link or a button. Cut when it is long.
#[component]
pub fn Name(#[prop(into)] text: String) -> impl IntoView {
    let cut = text.chars().count() > INLINE;
    let start: String = text.chars().take(INLINE).collect();
    view! { <bdi class="words">{pieces(&start)}{cut.then_some("…")}</bdi> }.into_any()
}

/// A text of several lines in a box of its own; a long one scrolls.
#[component]
pub fn Passage(#[prop(into)] text: String, label: &'static str) -> impl IntoView {
    let is_long = text.chars().count() > LONG || text.lines().count() > LONG_LINES;
    let shown = pieces(&text);
    if is_long {
        // a box that scrolls must be reachable by keyboard, and then it needs a name
        view! { <div class="passage passage-long" tabindex="0" role="region" aria-label=label>{shown}</div> }.into_any()
    } else {
        view! { <div class="passage">{shown}</div> }.into_any()
    }
}

fn pieces(text: &str) -> Vec<impl IntoView + use<>> {
    visible(text).into_iter().map(piece).collect()
}

fn piece(piece: Piece) -> impl IntoView {
    match piece {
        Piece::Plain(words) => words.into_any(),
        Piece::Hidden { code_point, times } => {
            let mark = format!("U+{code_point:04X}");
            let mark = if times > 1 { format!("{mark} ×{times}") } else { mark };
            view! { <span class="hidden-mark" title="hidden character, made visible">{mark}</span> }.into_any()
        }
    }
}
