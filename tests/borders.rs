//! The one-way rule of the house, read off the source text of every file in `src/`. The table below is the rule.
//!
//! Three borders: a room refers only to the rooms the table allows; `cfg(feature …)` stands in `lib.rs` and `main.rs`
//! only; SQL is written in `store` and in the practice supplier only. Comments and string literals do not count.

use std::fs;
use std::path::{Path, PathBuf};

/// Room → the rooms it may refer to. What is not named is forbidden, and a folder or file in `src/` that is not a room
/// is an error: a new room starts here.
const ROOMS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("store", &["domain"]),
    ("supplier", &["domain"]),
    ("mail", &["config"]),
    ("desk", &["domain", "store", "supplier", "mail", "config"]),
    ("worker", &["desk", "config"]),
    // ui: the words of tables that people take with them
    ("web", &["desk", "domain", "app", "calls", "config", "ui"]),
    ("caller", &["domain", "desk", "calls"]),
    ("calls", &["domain", "desk", "caller"]),
    ("ui", &["domain", "calls"]),
    ("app", &["ui"]),
    ("config", &[]),
    ("practice", &["domain"]),
    ("demo", &["domain", "desk", "config", "practice", "supplier"]),
    (
        "commands",
        &[
            "domain", "desk", "config", "store", "supplier", "practice", "demo", "worker", "web", "ui",
        ],
    ),
    // The roots: lib.rs names the modules and starts the browser side, main.rs hands over to any room.
    ("lib", &["app", "ui"]),
    ("main", ANY),
];

const ANY: &[&str] = &["*"];
const MAY_ASK_FOR_FEATURES: &[&str] = &["lib", "main"];
const MAY_WRITE_SQL: &[&str] = &["store", "practice"];

#[test]
fn every_room_refers_only_to_the_rooms_below_it() {
    let files = sources(Path::new("src"));
    assert!(
        !files.is_empty(),
        "no source file found: the test reads the wrong folder"
    );
    let faults: Vec<String> = files.iter().flat_map(|(path, text)| faults_in(path, text)).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn faults_in(path: &Path, text: &str) -> Vec<String> {
    let module = module_path(path);
    let room = module.first().map_or("", String::as_str);
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![format!(
            "{}: `{room}` is no room of the house (tests/borders.rs)",
            path.display()
        )];
    };
    let tokens = tokens(text);
    let mut faults = Vec::new();
    for (line, target) in references(&tokens, &module) {
        if target == "*" {
            faults.push(format!(
                "{}:{line}: a glob over the crate hides what is used",
                path.display()
            ));
        } else if is_room(&target) && target != room && !allowed.contains(&target.as_str()) && *allowed != ANY {
            faults.push(format!("{}:{line}: {room} must not refer to {target}", path.display()));
        }
    }
    if !MAY_ASK_FOR_FEATURES.contains(&room) {
        for line in feature_questions(&tokens) {
            faults.push(format!(
                "{}:{line}: cfg(feature …) belongs on whole modules in lib.rs",
                path.display()
            ));
        }
    }
    if !MAY_WRITE_SQL.contains(&room) {
        for line in sql(&tokens) {
            faults.push(format!("{}:{line}: SQL belongs in store", path.display()));
        }
    }
    faults
}

fn is_room(name: &str) -> bool {
    ROOMS.iter().any(|(room, _)| *room == name) && name != "lib" && name != "main"
}

/// `src/desk/decide.rs` → `desk decide`; `src/desk/mod.rs` and `src/desk.rs` → `desk`.
fn module_path(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = path
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .skip_while(|part| part == "src")
        .collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// The rooms named through `crate::…`, `countersign::…` or enough `super::`, with the line: each member of a group
/// counts. `*` stands for a glob over the whole crate.
fn references(tokens: &[Token], module: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let inner = inner_modules(tokens);
    for at in 0..tokens.len() {
        match tokens[at].text.as_str() {
            "crate" | "countersign" if is(tokens, at + 1, "::") => {
                collect(tokens, at + 2, &mut found);
            }
            "super" if !is(tokens, at.wrapping_sub(1), "::") => {
                let ups = (at..tokens.len())
                    .step_by(2)
                    .take_while(|at| is(tokens, *at, "super") && is(tokens, at + 1, "::"))
                    .count();
                if ups > 0 && ups == module.len() + inner[at] {
                    collect(tokens, at + 2 * ups, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// How many `mod … {` of the file each token stands in.
fn inner_modules(tokens: &[Token]) -> Vec<usize> {
    let mut open = Vec::new();
    let mut depths = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "{" => open.push(at >= 2 && is(tokens, at - 2, "mod")),
            "}" => {
                open.pop();
            }
            _ => {}
        }
        depths.push(open.iter().filter(|is_module| **is_module).count());
    }
    depths
}

/// The first names after a path's root: one, or those of a group.
fn collect(tokens: &[Token], at: usize, found: &mut Vec<(usize, String)>) {
    if !is(tokens, at, "{") {
        if let Some(token) = tokens.get(at) {
            found.push((token.line, token.text.clone()));
        }
        return;
    }
    let mut depth = 0_usize;
    let mut expecting = true;
    for token in &tokens[at..] {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => expecting = true,
            name if depth == 1 && expecting => {
                found.push((token.line, name.to_owned()));
                expecting = false;
            }
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// Lines of `cfg(…)`, `cfg!(…)` and `cfg_attr(…)` that ask for a feature.
fn feature_questions(tokens: &[Token]) -> Vec<usize> {
    let mut lines = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text != "cfg" && token.text != "cfg_attr" {
            continue;
        }
        let open = at + 1 + usize::from(is(tokens, at + 1, "!"));
        if is(tokens, open, "(") && group(tokens, open).iter().any(|token| token.text == "feature") {
            lines.push(token.line);
        }
    }
    lines
}

/// Lines that name one of sqlx's ways to write a statement, also inside a `use` group.
fn sql(tokens: &[Token]) -> Vec<usize> {
    let writes = |name: &str| name.starts_with("query") || name == "raw_sql" || name == "QueryBuilder";
    let mut lines = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text != "sqlx" || !is(tokens, at + 1, "::") {
            continue;
        }
        let named = if is(tokens, at + 2, "{") {
            group(tokens, at + 2)
        } else {
            tokens.get(at + 2..at + 3).unwrap_or_default()
        };
        if named.iter().any(|token| writes(&token.text)) {
            lines.push(token.line);
        }
    }
    lines
}

/// The tokens from an opening bracket to the one that closes it.
fn group(tokens: &[Token], open: usize) -> &[Token] {
    let mut depth = 0_usize;
    for (offset, token) in tokens[open..].iter().enumerate() {
        match token.text.as_str() {
            "(" | "{" => depth += 1,
            ")" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &tokens[open..=open + offset];
        }
    }
    &tokens[open..]
}

fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
}

struct Token {
    line: usize,
    text: String,
}

/// Identifiers, `::` and single characters; comments, strings and character literals are left out.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let start = at;
        at = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => end_of_line(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => end_of_comment(&chars, at),
            '"' => end_of_string(&chars, at),
            '\'' => end_of_char_or_lifetime(&chars, at),
            c if c == '_' || c.is_alphanumeric() => {
                let mut end = at;
                while chars.get(end).is_some_and(|c| *c == '_' || c.is_alphanumeric()) {
                    end += 1;
                }
                match end_of_raw_string(&chars, at, end) {
                    Some(end) => end,
                    None => {
                        tokens.push(Token {
                            line,
                            text: chars[at..end].iter().collect(),
                        });
                        end
                    }
                }
            }
            ':' if chars.get(at + 1) == Some(&':') => {
                tokens.push(Token {
                    line,
                    text: "::".to_owned(),
                });
                at + 2
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(Token {
                        line,
                        text: c.to_string(),
                    });
                }
                at + 1
            }
        };
        line += chars[start..at.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

fn end_of_line(chars: &[char], at: usize) -> usize {
    (at..chars.len()).find(|at| chars[*at] == '\n').unwrap_or(chars.len())
}

fn end_of_comment(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(chars: &[char], at: usize) -> usize {
    let mut at = at + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// `r"…"`, `r#"…"#`, `br#"…"#`: the end, when the word before it is such a prefix.
fn end_of_raw_string(chars: &[char], start: usize, end: usize) -> Option<usize> {
    let prefix: String = chars[start..end].iter().collect();
    if !matches!(prefix.as_str(), "r" | "br" | "cr") {
        return None;
    }
    let hashes = chars[end..].iter().take_while(|c| **c == '#').count();
    if chars.get(end + hashes) != Some(&'"') {
        return None;
    }
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = end + hashes + 1;
    let close = chars[body..]
        .windows(closing.len())
        .position(|window| window == closing);
    Some(close.map_or(chars.len(), |offset| body + offset + closing.len()))
}

fn end_of_char_or_lifetime(chars: &[char], at: usize) -> usize {
    if chars.get(at + 1) == Some(&'\\') {
        let mut at = at + 3;
        while at < chars.len() && chars[at] != '\'' {
            at += 1;
        }
        at + 1
    } else if chars.get(at + 2) == Some(&'\'') {
        at + 3
    } else {
        at + 1
    }
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is UTF-8");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

mod the_checker {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        faults_in(Path::new(path), text)
    }

    #[test]
    fn lets_through_what_the_table_allows() {
        let text = "use crate::domain::order::Order;\nuse crate::store;\nuse crate::desk::clock;\n";
        assert!(faults("src/desk/decide.rs", text).is_empty());
        assert!(faults("src/config.rs", "mod tests { use super::*; }").is_empty());
        assert!(faults("src/main.rs", "use countersign::{store, practice, web};").is_empty());
        assert!(faults("src/web/mod.rs", "use crate::{app::App, config, domain::ids};").is_empty());
    }

    #[test]
    fn finds_a_forbidden_room_with_file_and_line() {
        assert_eq!(
            faults(
                "src/ui/queue_page.rs",
                "use leptos::prelude::*;\nuse crate::desk::look;\n"
            ),
            ["src/ui/queue_page.rs:2: ui must not refer to desk"]
        );
    }

    #[test]
    fn finds_it_however_it_is_written() {
        for text in [
            "use crate::store::orders;",
            "pub use crate::store;",
            "pub(in crate::store) fn f() {}",
            "fn f() { crate::store::open() }",
            "use crate::{domain, store::{orders, events}};",
            "use crate::{\n    domain::{ids, money},\n    store,\n};",
            "use {crate::store::orders};",
            "macro_rules! m { () => { $crate::store::open() } }",
            "use super::super::store;",
            "mod tests { use super::super::super::store; }",
            "fn f() -> &'static str { crate::store::NAME }",
            "const C: char = '\"'; use crate::store; const D: char = '\\'';",
        ] {
            assert_eq!(faults("src/web/api.rs", text).len(), 1, "{text}");
        }
        assert_eq!(faults("src/web/mod.rs", "use super::store;").len(), 1);
        assert_eq!(faults("src/app.rs", "use super::store;").len(), 1);
        assert_eq!(faults("src/ui/words.rs", "use crate::*;").len(), 1);
        assert_eq!(faults("src/config.rs", "use super::*;").len(), 1);
    }

    #[test]
    fn does_not_count_comments_strings_and_the_room_itself() {
        for text in [
            "// use crate::store;",
            "/* a /* nested */ use crate::store; */",
            "//! crate::store keeps it",
            "const A: &str = \"crate::store \\\" crate::store\";",
            "const A: &str = r#\"crate::store \" crate::store\"#;",
            "use crate::domain::store_name;",
            "use crate::web::session::Session;",
            "use other_crate::store;",
            "use super::store;",
            "mod tests { use super::super::store; }",
        ] {
            assert_eq!(faults("src/web/api.rs", text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn names_a_room_that_is_not_in_the_table() {
        assert_eq!(faults("src/helpers/mod.rs", "").len(), 1);
        assert_eq!(faults("src/helpers.rs", "").len(), 1);
    }

    #[test]
    fn finds_features_asked_for_inside_a_room() {
        for text in [
            "#[cfg(feature = \"ssr\")]\nfn f() {}",
            "#[cfg(all(test, not(feature = \"ssr\")))]\nfn f() {}",
            "#[cfg_attr(feature = \"ssr\", derive(Debug))]\nstruct S;",
            "fn f() -> bool { cfg!(feature = \"ssr\") }",
        ] {
            assert_eq!(faults("src/domain/money.rs", text).len(), 1, "{text}");
            assert!(faults("src/lib.rs", text).is_empty(), "{text}");
        }
        assert!(faults("src/domain/money.rs", "#[cfg(test)]\nmod tests { fn feature() {} }").is_empty());
    }

    #[test]
    fn finds_sql_outside_the_store() {
        for text in [
            "async fn f() { sqlx::query(\"select 1\").execute(p).await; }",
            "async fn f() { sqlx::query_as::<_, Row>(\"select 1\"); }",
            "use sqlx::{Row, query_scalar};",
            "use sqlx::QueryBuilder;",
        ] {
            assert_eq!(faults("src/desk/look.rs", text).len(), 1, "{text}");
            assert!(faults("src/store/orders.rs", text).is_empty(), "{text}");
            assert!(faults("src/practice/book.rs", text).is_empty(), "{text}");
        }
        assert!(faults("src/desk/look.rs", "use sqlx::Error;").is_empty());
    }
}
