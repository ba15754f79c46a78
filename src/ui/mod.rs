//! What people see: one file a page, several small components, every word in [`words`].
//!
//! Promises: server-rendered HTML that works without JavaScript, as plain links and forms; text from outside is shown
//! as text, in a box of its own ([`plain`]). Must not: decide anything (it asks `domain`), read a clock, or write style
//! or script into the page.

mod activity_page;
mod answer;
mod attempts;
mod cases;
mod change_page;
mod comparison;
mod decide_case;
mod decision;
mod differences;
mod error_summary;
mod evidence;
mod follow;
mod found_out;
mod hand_over;
mod headline;
mod history;
mod icon;
mod kin;
mod layout;
mod lead;
mod lead_doubt;
mod messages_page;
pub mod moment;
mod not_yours;
mod note_numbers;
mod order_card;
mod order_facts;
mod order_page;
mod orders_page;
mod outcome;
mod pause;
mod plain;
mod queue_page;
mod reason_form;
mod results;
mod resume_news;
mod reused;
mod review_page;
mod rows;
mod safe_until;
mod second_person;
mod settled;
mod sheet_order;
mod sheet_page;
mod sheet_parts;
mod sheet_suggestion;
mod sheet_supplier;
mod sign_in_page;
mod status_tag;
mod suggestions_page;
mod supplier_says;
mod trouble;
mod typed;
mod what_now;
mod why_not;
pub mod words;

pub use activity_page::ActivityRoute;
pub use change_page::{ChangeOrderRoute, ChangeSuggestionRoute};
pub use follow::Follow;
pub use messages_page::MessagesRoute;
pub use order_page::OrderRoute;
pub use orders_page::OrdersRoute;
pub use queue_page::QueueRoute;
pub use review_page::ReviewRoute;
pub use safe_until::SafeUntil;
pub use sheet_page::SheetRoute;
pub use sign_in_page::SignInRoute;
pub use suggestions_page::SuggestionsRoute;
pub use trouble::NoSuchPage;
