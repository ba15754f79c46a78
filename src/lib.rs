//! Countersign: one approval, exactly one purchase. The rooms and who may use whom: docs/layout.md.

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
pub mod practice;
#[cfg(feature = "ssr")]
pub mod store;
#[cfg(feature = "ssr")]
pub mod supplier;
#[cfg(feature = "ssr")]
pub mod web;
#[cfg(feature = "ssr")]
pub mod worker;
