//! The built site, carried inside the program: browser code, style sheet, icons.
//!
//! Promises: one file runs anywhere; what is sent is what was built, byte for byte. A URL with the content's hash
//! ([`asset_url`]) may be kept for ever, any other URL is asked again and answered with 304 while nothing changed.
//! Must not: read a file at run time, or know anything else of ours.

use std::borrow::Cow;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use rust_embed::RustEmbed;

/// `make site` fills the folder; `build.rs` sees to it that an empty one is enough to compile.
#[derive(RustEmbed)]
#[folder = "dist/site"]
#[allow_missing = true]
struct Site;

/// Routes for `/pkg/…` and for every file at the top of the site (`/favicon.svg`).
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Site::iter()
        .filter(|name| !name.contains('/') && !is_precompressed(name))
        .fold(Router::new(), |router, name| {
            router.route(&format!("/{name}"), get(asset))
        })
        .route("/pkg/{*path}", get(asset))
}

/// The URL to write into a page for an embedded file such as `/pkg/countersign.css`: it carries the content's hash, so
/// that a browser may keep it for ever. A path that is not in the site comes back as it was.
pub fn asset_url(path: &str) -> String {
    versioned(path, embedded)
}

/// Whether the browser build is inside this program; without it the pages still work, as plain forms and links.
pub fn site_is_built() -> bool {
    embedded("pkg/countersign.wasm").is_some()
}

async fn asset(request: Request) -> Response {
    answer(request.uri(), request.headers(), embedded)
}

/// One embedded file and the SHA-256 of its bytes.
struct Asset {
    bytes: Cow<'static, [u8]>,
    hash: String,
}

fn embedded(name: &str) -> Option<Asset> {
    Site::get(name).map(|file| Asset {
        hash: hex(&file.metadata.sha256_hash()),
        bytes: file.data,
    })
}

fn answer(uri: &Uri, headers: &HeaderMap, find: impl Fn(&str) -> Option<Asset>) -> Response {
    let name = file_name(uri.path());
    if is_precompressed(name) {
        return empty(StatusCode::NOT_FOUND);
    }
    let Some(plain) = find(name) else {
        return empty(StatusCode::NOT_FOUND);
    };

    let caching = if uri.query().is_some_and(|query| query == version(&plain)) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let (encoding, chosen) = ENCODINGS
        .iter()
        .filter(|encoding| accepts(headers, encoding.token))
        .find_map(|encoding| {
            let asset = find(&format!("{name}{}", encoding.suffix))?;
            Some((Some(encoding.token), asset))
        })
        .unwrap_or((None, plain));

    // Each encoding is a representation of its own and has its own hash.
    let tag = format!("\"{}\"", chosen.hash);
    let mut response = if is_known(headers, &tag) {
        empty(StatusCode::NOT_MODIFIED)
    } else {
        let mut response = Response::new(Body::from(chosen.bytes));
        set(&mut response, CONTENT_TYPE, content_type(name));
        if let Some(token) = encoding {
            set(&mut response, CONTENT_ENCODING, token);
        }
        response
    };
    set(&mut response, CACHE_CONTROL, caching);
    set(&mut response, VARY, "accept-encoding");
    // A hash in hexadecimal is always a valid header.
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

struct Encoding {
    token: &'static str,
    suffix: &'static str,
}

/// In the order of preference: the smaller one first.
const ENCODINGS: [Encoding; 2] = [
    Encoding {
        token: "br",
        suffix: ".br",
    },
    Encoding {
        token: "gzip",
        suffix: ".gz",
    },
];

fn is_precompressed(name: &str) -> bool {
    ENCODINGS.iter().any(|encoding| name.ends_with(encoding.suffix))
}

/// The site's file for a URL's path. Leptos asks for `…_bg.wasm` unless an environment variable was set while *it* was
/// compiled; one file answers to both names rather than every build having to remember the variable.
fn file_name(path: &str) -> &str {
    match path.trim_start_matches('/') {
        "pkg/countersign_bg.wasm" => "pkg/countersign.wasm",
        name => name,
    }
}

fn versioned(path: &str, find: impl Fn(&str) -> Option<Asset>) -> String {
    match find(file_name(path)) {
        Some(asset) => format!("{path}?{}", version(&asset)),
        None => path.to_owned(),
    }
}

/// 64 bits of the hash tell the versions of one file apart.
fn version(asset: &Asset) -> String {
    format!("v={}", asset.hash.get(..16).unwrap_or(&asset.hash))
}

/// RFC 9110 §12.5.3: the coding's own entry decides, else `*`, else it is not accepted.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let mut by_wildcard = false;
    for (name, wanted) in entries(headers, ACCEPT_ENCODING).map(with_quality) {
        if name.eq_ignore_ascii_case(coding) {
            return wanted;
        }
        by_wildcard |= name == "*" && wanted;
    }
    by_wildcard
}

/// `gzip;q=0.5` → (`gzip`, true); a quality of zero, or none that can be read, is a refusal.
fn with_quality(entry: &str) -> (&str, bool) {
    let mut parts = entry.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let wanted = parts
        .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
        .is_none_or(|quality| quality.parse::<f32>().is_ok_and(|quality| quality > 0.0));
    (name, wanted)
}

/// RFC 9110 §13.1.2: any of the listed tags, compared weakly, or `*`.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    entries(headers, IF_NONE_MATCH).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

/// The members of a comma-separated header, over all its lines.
fn entries(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn set(response: &mut Response, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    /// A made-up site, so that these tests say the same with and without a built one.
    fn find(name: &str) -> Option<Asset> {
        let (bytes, hash): (&[u8], &str) = match name {
            "pkg/countersign.css" => (b"body { color: black }", "aaaabbbbccccddddeeee"),
            "pkg/countersign.css.br" => (b"brotli", "b10000000000000000"),
            "pkg/countersign.css.gz" => (b"gzip", "6210000000000000000"),
            "pkg/countersign.wasm" => (b"\0asm", "0a50000000000000000"),
            "favicon.svg" => (b"<svg/>", "5f60000000000000000"),
            _ => return None,
        };
        Some(Asset {
            bytes: Cow::Borrowed(bytes),
            hash: hash.to_owned(),
        })
    }

    fn get_with(uri: &'static str, headers: &[(HeaderName, &'static str)]) -> Response {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect();
        answer(&Uri::from_static(uri), &headers, find)
    }

    fn header(response: &Response, name: HeaderName) -> Option<&str> {
        response.headers().get(name).map(|value| value.to_str().expect("ASCII"))
    }

    async fn body(response: Response) -> Vec<u8> {
        to_bytes(response.into_body(), 1024).await.expect("a body").to_vec()
    }

    #[tokio::test]
    async fn sends_a_file_with_its_type_and_tag_and_has_it_asked_for_again() {
        let response = get_with("/pkg/countersign.css", &[]);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, CONTENT_TYPE), Some("text/css; charset=utf-8"));
        assert_eq!(header(&response, ETAG), Some("\"aaaabbbbccccddddeeee\""));
        assert_eq!(header(&response, CACHE_CONTROL), Some("no-cache"));
        assert_eq!(header(&response, VARY), Some("accept-encoding"));
        assert_eq!(header(&response, CONTENT_ENCODING), None);
        assert_eq!(body(response).await, b"body { color: black }");
    }

    #[test]
    fn only_the_url_of_these_very_contents_may_be_kept_for_ever() {
        let url = versioned("/pkg/countersign.css", find);
        assert_eq!(url, "/pkg/countersign.css?v=aaaabbbbccccdddd");
        let kept = get_with("/pkg/countersign.css?v=aaaabbbbccccdddd", &[]);
        assert_eq!(
            header(&kept, CACHE_CONTROL),
            Some("public, max-age=31536000, immutable")
        );
        // A page of the previous version asks the new server, or the other way round.
        let other = get_with("/pkg/countersign.css?v=1111222233334444", &[]);
        assert_eq!(header(&other, CACHE_CONTROL), Some("no-cache"));
        assert_eq!(versioned("/pkg/absent.css", find), "/pkg/absent.css");
    }

    #[tokio::test]
    async fn sends_the_smallest_encoding_the_browser_takes() {
        for (accepted, encoding, sent) in [
            ("gzip, deflate, br, zstd", Some("br"), "brotli"),
            ("gzip", Some("gzip"), "gzip"),
            ("GZIP", Some("gzip"), "gzip"),
            ("br;q=0, gzip;q=0.5", Some("gzip"), "gzip"),
            ("*", Some("br"), "brotli"),
            ("br;q=0, *", Some("gzip"), "gzip"),
            ("*;q=0", None, "body { color: black }"),
            ("br;q=nonsense", None, "body { color: black }"),
            ("identity", None, "body { color: black }"),
            ("", None, "body { color: black }"),
        ] {
            let response = get_with("/pkg/countersign.css", &[(ACCEPT_ENCODING, accepted)]);
            assert_eq!(header(&response, CONTENT_ENCODING), encoding, "for {accepted:?}");
            assert_eq!(body(response).await, sent.as_bytes(), "for {accepted:?}");
        }
    }

    #[tokio::test]
    async fn sends_a_file_as_it_is_when_it_does_not_shrink() {
        let response = get_with("/favicon.svg", &[(ACCEPT_ENCODING, "br, gzip")]);
        assert_eq!(header(&response, CONTENT_ENCODING), None);
        assert_eq!(header(&response, CONTENT_TYPE), Some("image/svg+xml"));
        assert_eq!(body(response).await, b"<svg/>");
    }

    #[tokio::test]
    async fn says_not_modified_to_whoever_has_this_representation() {
        for (known, status) in [
            ("\"aaaabbbbccccddddeeee\"", StatusCode::NOT_MODIFIED),
            ("\"other\", W/\"aaaabbbbccccddddeeee\"", StatusCode::NOT_MODIFIED),
            ("*", StatusCode::NOT_MODIFIED),
            ("\"other\"", StatusCode::OK),
            ("aaaabbbbccccddddeeee", StatusCode::OK),
            // What a browser holds in gzip says nothing about the plain file.
            ("\"6210000000000000000\"", StatusCode::OK),
        ] {
            let response = get_with("/pkg/countersign.css", &[(IF_NONE_MATCH, known)]);
            assert_eq!(response.status(), status, "for {known}");
            assert_eq!(header(&response, ETAG), Some("\"aaaabbbbccccddddeeee\""), "for {known}");
        }
        let response = get_with("/pkg/countersign.css", &[(IF_NONE_MATCH, "*")]);
        assert!(body(response).await.is_empty());
    }

    #[test]
    fn the_module_answers_to_both_names_leptos_may_ask_for() {
        for uri in ["/pkg/countersign.wasm", "/pkg/countersign_bg.wasm"] {
            let response = get_with(uri, &[]);
            assert_eq!(header(&response, CONTENT_TYPE), Some("application/wasm"), "for {uri}");
        }
    }

    #[test]
    fn what_is_not_in_the_site_is_not_found() {
        for uri in [
            "/pkg/",
            "/pkg/absent.js",
            "/pkg/../Cargo.toml",
            "/pkg/countersign.css.br",
        ] {
            assert_eq!(get_with(uri, &[]).status(), StatusCode::NOT_FOUND, "for {uri}");
        }
    }

    #[tokio::test]
    async fn a_head_request_gets_the_length_and_no_body() {
        use axum::http::Method;
        use axum::http::header::CONTENT_LENGTH;
        use tower::ServiceExt;

        let app: Router = Router::new().route(
            "/{*path}",
            get(|request: Request| async move { answer(request.uri(), request.headers(), find) }),
        );
        let request = Request::builder()
            .method(Method::HEAD)
            .uri("/favicon.svg")
            .body(Body::empty())
            .expect("a request");
        let response = app.oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, CONTENT_LENGTH), Some("6"));
        assert!(body(response).await.is_empty());
    }
}
