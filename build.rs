//! Says what, besides Rust files, the server is made of: the built site (embedded by `web::assets`) and the migrations.
//!
//! The browser build depends on neither. Were it told to watch the site, which is made from it, every build would make
//! the next one stale.

const SITE: &str = "dist/site";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_SSR").is_none() {
        return;
    }
    // A clean clone has no site yet. An empty folder lets check, clippy and test run all the same, and gives cargo
    // something to watch; where it cannot be made, `web::assets` embeds nothing and says so.
    if let Err(error) = std::fs::create_dir_all(SITE) {
        println!("cargo::warning={SITE} cannot be created, the site will be missing: {error}");
    }
    println!("cargo::rerun-if-changed={SITE}");
    println!("cargo::rerun-if-changed=migrations");
}
