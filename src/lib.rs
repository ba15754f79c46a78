//! Countersign: one approval, exactly one purchase. The rooms and who may use whom: docs/layout.md.

#![recursion_limit = "512"]

pub mod app;
#[cfg(feature = "ssr")]
pub mod caller;
pub mod calls;
#[cfg(feature = "ssr")]
pub mod commands;
#[cfg(feature = "ssr")]
pub mod config;
#[cfg(feature = "ssr")]
pub mod demo;
#[cfg(feature = "ssr")]
pub mod desk;
pub mod domain;
#[cfg(feature = "ssr")]
pub mod mail;
#[cfg(feature = "ssr")]
pub mod practice;
#[cfg(feature = "ssr")]
pub mod store;
#[cfg(feature = "ssr")]
pub mod supplier;
pub mod ui;
#[cfg(feature = "ssr")]
pub mod web;
#[cfg(feature = "ssr")]
pub mod worker;

/// Whether rules can be taken out (`domain::taken_out`): only in a test's own build.
pub const MUTANTS: bool = cfg!(feature = "mutants");

/// Wakes the islands of a page in the browser.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
