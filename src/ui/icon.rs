//! Small line drawings. Never alone: a word stands beside each, so they are hidden from readers.

use leptos::prelude::*;

/// What a drawing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    Alert,
    Arrow,
    Back,
    Check,
    Clock,
    Cross,
    Dots,
    Eye,
    Pause,
    Question,
    Swap,
    Unequal,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Icon::Alert => "M8 2.2 14.4 13.4H1.6zM8 6.4v3.2M8 11.5v.1",
            Icon::Arrow => "M2 8h11M9 4l4 4-4 4",
            Icon::Back => "M6.2 3 2.6 6.6l3.6 3.6M2.8 6.6h6.4a4 4 0 0 1 0 6.6H7",
            Icon::Check => "m2.6 8.4 3.6 3.6 7.2-7.8",
            Icon::Clock => "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 4.6V8l2.3 1.5",
            Icon::Cross => "m3.6 3.6 8.8 8.8M12.4 3.6l-8.8 8.8",
            Icon::Dots => {
                "M2.3 8a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0M7.3 8a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0M12.3 8a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0"
            }
            Icon::Eye => {
                "M1.4 8S3.8 3.6 8 3.6 14.6 8 14.6 8 12.2 12.4 8 12.4 1.4 8 1.4 8M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6"
            }
            Icon::Pause => "M5.4 3.4v9.2M10.6 3.4v9.2",
            Icon::Question => {
                "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M6.2 6.4a1.85 1.85 0 1 1 2.7 1.65c-.6.3-.9.7-.9 1.25M8 11.5v.1"
            }
            Icon::Swap => "M2.6 5.4h9.6M9.6 2.8l2.6 2.6L9.6 8M13.4 10.6H3.8M6.4 8l-2.6 2.6 2.6 2.6",
            Icon::Unequal => "M2.6 6h10.8M2.6 10h10.8M11 2.4 5 13.6",
        }
    }
}

/// The drawing.
#[component]
pub fn Drawing(icon: Icon) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d=icon.path()></path>
        </svg>
    }
    .into_any()
}
