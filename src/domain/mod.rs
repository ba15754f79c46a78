//! What Countersign is about: pure, total, serialisable. Compiles for the server and for the browser.
//!
//! Must not: import anything of ours, read a clock, do I/O, or know of leptos or sqlx.

pub mod activity;
pub mod attempt;
pub mod calendar;
pub mod case;
pub mod chain;
pub mod classify;
pub mod closing;
pub mod contents;
pub mod contract;
pub mod decision;
pub mod difference;
pub mod doubt;
pub mod event;
pub mod export;
pub mod guarded;
pub mod ids;
pub mod live;
pub mod log_file;
pub mod look_up;
pub mod message;
pub mod money;
pub mod names;
pub mod order;
pub mod ownership;
pub mod pages;
pub mod people;
pub mod person;
pub mod queue;
pub mod refusal;
pub mod reminding;
pub mod restored;
pub mod resume;
pub mod revision;
pub mod second_person;
pub mod settling;
pub mod suggestion;
pub mod taken_out;
pub mod text;
pub mod unit;
pub mod ways;
pub mod working;
