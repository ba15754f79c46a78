//! The acts' door: only our own pages, only people who may, every field there; a refusal changes nothing and keeps what
//! was typed (rule 18, cases P10 and P13).

mod support;

use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use support::session::sign_in;
use support::{Answer, BUYER, House, MANAGER, PASSWORD, RESOLVER, Session, Stored, Suggested, body};

const ACTS: [&str; 3] = ["/act/approve", "/act/send_back", "/act/reject"];

/// Everything an act on this suggestion needs.
fn fields(shown: &Suggested) -> [(&str, &str); 3] {
    [
        ("suggestion", &*shown.id),
        ("digest", &*shown.digest),
        ("reason", "because"),
    ]
}

/// Rows, and the state of the suggestion.
async fn standing(house: &House, shown: &Suggested) -> (Stored, String) {
    let state = house.intent(&shown.intent).await["suggestion"]["state"].to_string();
    (house.stored().await, state)
}

/// Sends a request of this session as it is told to look, from whatever page.
async fn foreign(session: &Session<'_>, path: &str, headers: &[(&str, &str)], text: String) -> Answer {
    let house = session.house;
    let mut request = house.http.post(format!("{}{path}", house.base));
    request = request.header("Cookie", &session.cookie).body(text);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::of(request).await
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(fields).finish()
}

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// PostgreSQL's texts cannot hold U+0000: wherever somebody sends one, it is refused before the database is asked.
#[tokio::test]
async fn a_nul_in_any_field_is_refused_and_breaks_nothing() {
    let house = House::plan().no_worker().start().await;
    let manager = house.sign_in(MANAGER).await;
    let shown = house.suggest("nul", &body("NUL")).await;
    let other = house.suggest("other", &body("OTHER")).await;
    let order = manager.approve(&other).await;
    let before = (standing(&house, &shown).await, house.order(&order).await);
    let decision = vec![("suggestion", &*shown.id), ("digest", &*shown.digest), ("reason", "x")];
    let of_order = |more: &[(&'static str, &'static str)]| [&[("order", &*order), ("version", "1")], more].concat();
    for (act, fields) in [
        ("approve", decision[..2].to_vec()),
        ("send_back", decision.clone()),
        ("reject", decision.clone()),
        ("hold", of_order(&[("reason", "x")])),
        ("release", of_order(&[("reason", "x")])),
        ("withdraw", of_order(&[("reason", "x")])),
        ("look_up", of_order(&[])),
        ("resume", of_order(&[])),
        (
            "record_finding",
            of_order(&[("finding", "at_supplier"), ("reference", "x"), ("evidence", "x")]),
        ),
        (
            "assign",
            vec![
                ("case", "case_1"),
                ("version", "1"),
                ("owner", "per_1"),
                ("due_at", "x"),
                ("reason", "x"),
            ],
        ),
    ] {
        for field in 0..fields.len() {
            let mut broken = fields.clone();
            broken[field].1 = "a\0b";
            let answer = manager.post(&format!("/act/{act}"), &broken).await;
            assert_eq!(answer.status, 303, "{act} {broken:?}: {answer:?}");
            let page = manager.get(answer.location()).await;
            assert_eq!(page.status, 200, "{act} {broken:?}: {page:?}");
        }
    }
    for field in ["email", "password", "next"] {
        let mut fields = vec![("email", MANAGER), ("password", "wrong password"), ("next", "/")];
        fields.retain(|(name, _)| *name != field);
        fields.push((field, "a\0b"));
        let answer = sign_in(&house, &fields).await;
        assert!(
            answer.location().starts_with("/sign-in?failed=1"),
            "{field}: {answer:?}"
        );
    }
    for path in [
        "orders?state=%00",
        "orders?supplier=%00",
        "orders?after=%00",
        "orders/%00",
        "intents/%00",
    ] {
        let answer = house.read(&format!("/api/v1/{path}")).await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
    }
    for path in [
        "/orders?state=%00&after=%00&refused=%00",
        "/suggestions/%00",
        "/orders/%00",
        "/?refused=%00",
    ] {
        let page = manager.get(path).await;
        assert!(matches!(page.status, 200 | 404), "{path}: {page:?}");
    }
    let purpose = json!({ "purpose": "a\0b" });
    let answer = house
        .api(Method::PUT, "/api/v1/intents/nul-2", house.intake(), Some(&purpose))
        .await;
    assert_eq!(answer.pointers(), ["/purpose"]);
    assert_eq!((standing(&house, &shown).await, house.order(&order).await), before);
}

/// Case P13.
#[tokio::test]
async fn a_foreign_page_can_do_nothing_with_the_cookie() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("foreign", &body("FOREIGN")).await;
    let before = standing(&house, &shown).await;
    let own = ("Origin", &*house.base);
    let text = encoded(&fields(&shown));
    let https = house.base.replace("http://", "https://evil.");
    let port = format!("{}0", house.base);
    let foreign_pages: [&[(&str, &str)]; 12] = [
        &[FORM],
        &[FORM, ("Origin", "https://evil.example")],
        &[FORM, ("Origin", "null")],
        &[FORM, ("Origin", "")],
        &[FORM, ("Origin", &https)],
        &[FORM, ("Origin", &port)],
        &[FORM, own, ("Origin", "https://evil.example")],
        &[FORM, own, ("Sec-Fetch-Site", "cross-site")],
        &[FORM, own, ("Sec-Fetch-Site", "same-site")],
        &[FORM, own, ("Sec-Fetch-Site", "none")],
        &[FORM, ("Referer", &house.base)],
        &[FORM, ("Host", "evil.example"), own],
    ];
    for path in ACTS.into_iter().chain(["/sign-out"]) {
        for headers in foreign_pages {
            let answer = foreign(&buyer, path, headers, text.clone()).await;
            assert_eq!(answer.status, 403, "{path} {headers:?}: {answer:?}");
        }
    }
    for kind in ["text/plain", "application/json", "multipart/form-data; boundary=x", ""] {
        let headers = [own, ("Content-Type", kind)];
        let answer = foreign(&buyer, "/act/approve", &headers, text.clone()).await;
        assert_eq!(answer.status, 415, "{kind}: {answer:?}");
    }
    assert_eq!(standing(&house, &shown).await, before);
    assert_eq!(buyer.get("/").await.status, 200, "still signed in");
    // the same request from our own page does it
    let headers = [FORM, own, ("Sec-Fetch-Site", "same-origin")];
    let answer = foreign(&buyer, "/act/approve", &headers, text).await;
    assert_eq!(answer.status, 303);
    assert_eq!(house.stored().await.orders, 1);
}

/// Case P13: sign-in itself, so that nobody is signed in as somebody else by a foreign page.
#[tokio::test]
async fn a_foreign_page_can_sign_nobody_in() {
    let house = House::start().await;
    let fields = [("email", BUYER), ("password", PASSWORD)];
    for origin in [None, Some("https://evil.example")] {
        let mut request = house.http.post(format!("{}/sign-in", house.base));
        if let Some(origin) = origin {
            request = request.header("Origin", origin);
        }
        let answer = Answer::of(request.form(&fields)).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (403, ""));
    }
}

#[tokio::test]
async fn acts_are_posts_only() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("get", &body("GET")).await;
    let before = standing(&house, &shown).await;
    let query = encoded(&fields(&shown));
    for path in ACTS {
        for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE, Method::PATCH] {
            let request = house
                .http
                .request(method.clone(), format!("{}{path}?{query}", house.base));
            let request = request.header("Cookie", &buyer.cookie).header("Origin", &house.base);
            let request = request.header(FORM.0, FORM.1).body(query.clone());
            let answer = Answer::of(request).await;
            assert!(matches!(answer.status, 404 | 405), "{method} {path}: {answer:?}");
        }
    }
    assert_eq!(standing(&house, &shown).await, before);
}

#[tokio::test]
async fn a_resolver_may_not_decide_and_what_was_typed_is_shown_again() {
    let house = House::plan().no_worker().start().await;
    let resolver = house.sign_in(RESOLVER).await;
    let shown = house.suggest("role", &body("ROLE")).await;
    let before = standing(&house, &shown).await;
    for path in ACTS {
        let typed = [
            ("suggestion", &*shown.id),
            ("digest", &*shown.digest),
            ("reason", "because Bea <b>told</b> me"),
        ];
        let answer = resolver.post(path, &typed).await;
        refused(&answer, &shown);
        let page = resolver.get(answer.location()).await;
        assert_eq!(page.status, 200, "{page:?}");
        let (draft, _) = draft(&house, answer.location()).await;
        assert!(draft.contains("because Bea <b>told</b> me"), "{draft}");
        assert!(!page.text.contains("<b>told</b>"), "typed text stays text");
    }
    assert_eq!(standing(&house, &shown).await, before);
}

/// Back on the suggestion's page, with a draft.
fn refused(answer: &Answer, shown: &Suggested) {
    assert_eq!(answer.status, 303, "{answer:?}");
    let page = format!("/suggestions/{}?refused=", shown.id);
    assert!(answer.location().starts_with(&page), "{answer:?}");
}

/// What the draft named in a refusal's location keeps: what was typed, and why it was refused.
async fn draft(house: &House, location: &str) -> (String, String) {
    let (_, id) = location.split_once("refused=").expect("a draft");
    let pool = house.database().await;
    sqlx::query_as("SELECT fields, refusal FROM drafts WHERE id = $1")
        .bind(id)
        .fetch_one(&pool)
        .await
        .expect("the draft")
}

/// Rule 18: the form comes back with what was typed into it.
#[tokio::test]
async fn a_refused_decision_comes_back_with_its_reason_in_the_form() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("typed", &body("TYPED")).await;
    let stale = format!("sha256:{}", "0".repeat(64));
    let typed = [
        ("suggestion", &*shown.id),
        ("digest", &*stale),
        ("reason", "far too many of these"),
    ];
    for path in ["/act/send_back", "/act/reject"] {
        let answer = buyer.post(path, &typed).await;
        refused(&answer, &shown);
        let page = buyer.get(answer.location()).await;
        assert!(page.text.contains("far too many of these"), "{path}");
    }
    let other = house.sign_in(MANAGER).await;
    let answer = buyer.post("/act/reject", &typed).await;
    let page = other.get(answer.location()).await;
    assert_eq!(page.status, 200);
    let kept = page.text.contains("far too many of these");
    assert!(!kept, "a draft is shown to the person who typed it, only");
}

/// The form without this field, and with nothing or spaces in it.
fn forms_without<'a>(shown: &'a Suggested, missing: &'a str) -> [Vec<(&'a str, &'a str)>; 3] {
    let left: Vec<_> = fields(shown).into_iter().filter(|(name, _)| *name != missing).collect();
    let with = |blank| [&left[..], &[(missing, blank)]].concat();
    [left.clone(), with(""), with("  ")]
}

#[tokio::test]
async fn a_missing_field_is_named_and_never_a_default() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("missing", &body("MISSING")).await;
    let before = standing(&house, &shown).await;
    for path in ACTS {
        for missing in ["suggestion", "digest", "reason"] {
            if (path, missing) == ("/act/approve", "reason") {
                continue; // optional there
            }
            for form in forms_without(&shown, missing) {
                let answer = buyer.post(path, &form).await;
                assert_eq!(answer.status, 303, "{path} {form:?}: {answer:?}");
                let (_, refusal) = draft(&house, answer.location()).await;
                let named = format!("\"field\":\"{missing}\"");
                assert!(refusal.contains(&named), "{path} {form:?}: {refusal}");
                assert_eq!(buyer.get(answer.location()).await.status, 200, "{path} {form:?}");
            }
        }
    }
    assert_eq!(standing(&house, &shown).await, before);
}

#[tokio::test]
async fn fields_that_are_none_are_refused_and_never_an_error_page() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("garbage", &body("GARBAGE")).await;
    let before = standing(&house, &shown).await;
    let (id, digest) = (&*shown.id, &*shown.digest);
    let upper = digest.to_uppercase();
    let bad = [
        vec![("suggestion", "sug_"), ("digest", digest)],
        vec![("suggestion", "po_000000000000"), ("digest", digest)],
        vec![("suggestion", "sug_000000000000"), ("digest", digest)],
        vec![("suggestion", "../../etc/passwd"), ("digest", digest)],
        vec![("suggestion", id), ("digest", "sha256:1")],
        vec![("suggestion", id), ("digest", &*upper)],
        vec![("suggestion", id), ("digest", digest), ("second_purchase", "true")],
        vec![("suggestion", id), ("digest", digest), ("accept_unsettled", "po_1")],
        vec![
            ("suggestion", id),
            ("digest", digest),
            ("accept_unsettled", "po_000000000000:x"),
        ],
    ];
    for form in bad {
        let answer = buyer.post("/act/approve", &form).await;
        assert_eq!(answer.status, 303, "{form:?}: {answer:?}");
        assert!(answer.location().contains("?refused="), "{form:?}: {answer:?}");
    }
    assert_eq!(standing(&house, &shown).await, before);
}

/// Whatever bytes come as a form: refused, and neither stored nor an error of ours.
#[tokio::test]
async fn garbage_bodies_and_duplicate_fields_are_never_an_error_of_ours() {
    let house = House::plan().no_worker().start().await;
    let buyer = house.sign_in(BUYER).await;
    let shown = house.suggest("bytes", &body("BYTES")).await;
    let before = standing(&house, &shown).await;
    let sound = encoded(&fields(&shown));
    let other = format!("digest=sha256%3A{}", "0".repeat(64));
    let bodies = [
        String::new(),
        "&&&===".to_owned(),
        "%".to_owned(),
        "suggestion=%ff%fe&digest=%00".to_owned(),
        "suggestion[]=a&suggestion[b]=c&digest[0][1]=x".to_owned(),
        "{\"suggestion\":1}".to_owned(),
        format!("{sound}&{other}"),
        format!("{other}&{sound}"),
        format!("{sound}&suggestion=sug_000000000000"),
        format!("{sound}&unknown=1&version=7x"),
        format!("reason={}", "x".repeat(200_000)),
    ];
    let mut wrong = Vec::new();
    for path in ["/act/approve", "/act/reject"] {
        for text in &bodies {
            for accept in ["text/html", "*/*", "application/json"] {
                let headers = [FORM, ("Origin", &*house.base), ("Accept", accept)];
                if text.contains("unknown=1") {
                    continue; // an unknown field beside sound ones is judged below
                }
                let answer = foreign(&buyer, path, &headers, text.clone()).await;
                let short: String = text.chars().take(60).collect();
                if answer.status >= 500 {
                    wrong.push(format!("{path} {accept} {short}: {}", answer.status));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert_eq!(standing(&house, &shown).await, before);
    let large = format!("{sound}&note={}", "x".repeat(2 << 20));
    let headers = [FORM, ("Origin", &*house.base)];
    let answer = foreign(&buyer, "/act/approve", &headers, large).await;
    assert!(answer.status < 500, "too large: {}", answer.status);
    assert_eq!(standing(&house, &shown).await, before);
}

/// Case I6 and every id from elsewhere: another tenant's things do not exist.
#[tokio::test]
async fn another_tenants_things_do_not_exist() {
    let house = House::plan().no_worker().start().await;
    let ours = house.suggest("ours", &body("OURS")).await;
    let order = {
        let approved = house.suggest("ours-2", &body("OURS-2")).await;
        house.sign_in(BUYER).await.approve(&approved).await
    };
    let added = house.run(&["tenant", "add", "Other", "--zone", "UTC"]);
    assert_eq!(added.status, 0, "{}", added.err);
    let person = [
        "person",
        "add",
        "Otto Other",
        "--email",
        "otto@example.com",
        "--role",
        "buyer,manager",
        "--password-stdin",
        "--tenant",
        "Other",
    ];
    assert_eq!(house.run_with_input(&person, PASSWORD).status, 0);
    let token = ["token", "create", "other", "--scope", "read", "--tenant", "Other"];
    let token = house.run(&token).last_line();
    let otto = house.sign_in("otto@example.com").await;
    let before = standing(&house, &ours).await;

    for path in ACTS {
        let answer = otto.post(path, &fields(&ours)).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        assert!(answer.location().contains("?refused="), "{answer:?}");
    }
    for path in [format!("/suggestions/{}", ours.id), format!("/orders/{order}")] {
        assert_eq!(otto.get(&path).await.status, 404, "{path}");
    }
    let asked = house
        .api(Method::GET, &format!("/api/v1/orders/{order}"), &token, None)
        .await;
    assert_eq!(asked.status, 404);
    let asked = house.api(Method::GET, "/api/v1/intents/ours", &token, None).await;
    assert_eq!(asked.status, 404);
    let list = house.api(Method::GET, "/api/v1/orders", &token, None).await;
    assert_eq!(list.json()["orders"], serde_json::json!([]));
    assert_eq!(standing(&house, &ours).await, before);
}

#[tokio::test]
async fn without_a_session_every_page_and_act_leads_to_the_sign_in_and_back() {
    let house = House::plan().setting("session", "1500ms").no_worker().start().await;
    let shown = house.suggest("session", &body("SESSION")).await;
    let before = standing(&house, &shown).await;
    let buyer = house.sign_in(BUYER).await;
    let page = format!("/suggestions/{}", shown.id);
    assert_eq!(buyer.get(&page).await.status, 200);
    tokio::time::sleep(Duration::from_millis(1600)).await;
    let next = format!("/sign-in?next=%2Fsuggestions%2F{}", shown.id);

    let answer = buyer.get(&page).await;
    assert_eq!((answer.status, answer.location()), (303, &*next));
    for path in ACTS {
        let form = buyer.form(path, &fields(&shown));
        let form = form.header("Referer", format!("{}{page}", house.base));
        let answer = Answer::of(form).await;
        let back = format!("{next}%3Frefused%3Ddr_");
        assert_eq!(answer.status, 303, "{path}");
        assert!(
            answer.location().starts_with(&back),
            "{path}: what was typed is kept: {answer:?}"
        );
    }
    // case P10: back on the page with the reason kept, and nothing replayed
    let typed = [
        ("suggestion", &*shown.id),
        ("digest", &*shown.digest),
        ("reason", "we have enough of these"),
    ];
    let kept = buyer.post("/act/reject", &typed).await;
    let kept = kept
        .location()
        .replace("/sign-in?next=", "")
        .replace("%2F", "/")
        .replace("%3F", "?")
        .replace("%3D", "=");
    let again = house.sign_in(BUYER).await;
    let shown_again = again.get(&kept).await;
    assert_eq!(shown_again.status, 200);
    assert!(
        shown_again.text.contains("we have enough of these"),
        "the reason is there again"
    );
    assert_eq!(standing(&house, &shown).await, before, "nothing was replayed");
    let nobody = Session {
        house: &house,
        cookie: "countersign_session=guess".to_owned(),
    };
    for path in ["/orders", "/suggestions", "/act/approve"] {
        let answer = nobody.get(path).await;
        assert!(answer.location().starts_with("/sign-in?next=%2F"), "{path}: {answer:?}");
    }
    assert_eq!(nobody.get("/").await.location(), "/sign-in");
    let call = nobody.post("/call/queue_page", &[]).await;
    assert_eq!(call.status, 401, "no data without a session");
    assert_eq!(standing(&house, &shown).await, before);

    let back = sign_in(&house, &[("email", BUYER), ("password", PASSWORD), ("next", &page)]).await;
    assert_eq!((back.status, back.location()), (303, &*page));
}

#[tokio::test]
async fn signing_in_asks_for_the_right_password_and_says_nothing_of_who_exists() {
    let house = House::start().await;
    let wrong = [
        [("email", BUYER), ("password", "correct horse batterx")],
        [("email", BUYER), ("password", "")],
        [("email", "nobody@example.com"), ("password", PASSWORD)],
        [("email", ""), ("password", "")],
    ];
    for fields in wrong {
        let answer = sign_in(&house, &fields).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (303, ""), "{fields:?}");
        assert!(answer.location().starts_with("/sign-in?failed=1"), "{answer:?}");
        assert!(!answer.location().contains("horse"), "no password in an address");
    }
    assert_eq!(sign_in(&house, &[]).await.status, 303);
    let spelled = [("email", " BEA@Example.com "), ("password", PASSWORD)];
    assert_eq!(sign_in(&house, &spelled).await.location(), "/");
}

#[tokio::test]
async fn the_session_cookie_is_for_http_and_this_site_only() {
    let house = House::plan()
        .setting("public_url", "https://buy.example.com")
        .start()
        .await;
    let form = house.http.post(format!("{}/sign-in", house.base));
    let form = form.header("Origin", "https://buy.example.com");
    let answer = Answer::of(form.form(&[("email", BUYER), ("password", PASSWORD)])).await;
    let cookie = answer.header("set-cookie").to_lowercase();
    for wanted in ["httponly", "samesite=lax", "path=/", "secure", "max-age="] {
        assert!(cookie.contains(wanted), "{wanted} in {cookie}");
    }
    // with a public address, the request's own Host is not enough
    let answer = sign_in(&house, &[("email", BUYER), ("password", PASSWORD)]).await;
    assert_eq!(answer.status, 403);
}

#[tokio::test]
async fn signing_out_ends_the_session_on_the_server() {
    let house = House::start().await;
    let (buyer, again) = (house.sign_in(BUYER).await, house.sign_in(BUYER).await);
    assert_ne!(buyer.cookie, again.cookie);

    let answer = buyer.post("/sign-out", &[]).await;

    assert_eq!((answer.status, answer.location()), (303, "/sign-in"));
    assert!(answer.header("set-cookie").contains("Max-Age=0"), "{answer:?}");
    assert_eq!(
        buyer.get("/").await.location(),
        "/sign-in",
        "the old cookie is worth nothing"
    );
    assert_eq!(again.get("/").await.status, 200, "the other browser stays signed in");
}

#[tokio::test]
async fn a_disabled_person_is_out_at_once() {
    let house = House::plan().no_worker().start().await;
    let shown = house.suggest("disabled", &body("DISABLED")).await;
    let buyer = house.sign_in(BUYER).await;
    let disabled = house.run(&["person", "disable", BUYER]);
    assert_eq!(disabled.status, 0, "{}", disabled.err);
    let before = standing(&house, &shown).await;

    let answer = buyer.post("/act/approve", &fields(&shown)).await;
    assert!(answer.location().starts_with("/sign-in"), "{answer:?}");
    assert_eq!(buyer.get("/").await.location(), "/sign-in");
    let answer = sign_in(&house, &[("email", BUYER), ("password", PASSWORD)]).await;
    assert!(answer.location().starts_with("/sign-in?failed=1"), "{answer:?}");
    assert_eq!(standing(&house, &shown).await, before);
}

/// Browsers drop tabs and line ends out of an address before they read it, so `/<tab>/evil.example` is another site.
#[tokio::test]
async fn signing_in_leads_only_to_our_own_pages() {
    let house = House::start().await;
    for next in [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "/\t/evil.example",
        "\t//evil.example",
        "/\n/evil.example",
        "/\r/evil.example",
        "javascript:alert(1)",
        "/\u{1}x",
        "/ä",
        "evil.example",
    ] {
        let fields = [("email", BUYER), ("password", PASSWORD), ("next", next)];
        let answer = sign_in(&house, &fields).await;
        assert_eq!((answer.status, answer.location()), (303, "/"), "{next:?}");
    }
    let own = "/orders?state=confirmed&x=%20y";
    let fields = [("email", BUYER), ("password", PASSWORD), ("next", own)];
    assert_eq!(sign_in(&house, &fields).await.location(), own);
}

#[tokio::test]
async fn a_decision_that_somebody_else_has_made_is_told_calmly() {
    let house = House::plan().no_worker().start().await;
    let (buyer, manager) = (house.sign_in(BUYER).await, house.sign_in(MANAGER).await);
    let shown = house.suggest("calm", &body("CALM")).await;
    let done = manager.post("/act/reject", &fields(&shown)).await;
    assert_eq!(done.location(), format!("/suggestions/{}", shown.id));
    let before = standing(&house, &shown).await;

    for path in ACTS {
        let answer = buyer.post(path, &fields(&shown)).await;
        refused(&answer, &shown);
        let page = buyer.get(answer.location()).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("Mara Manager"), "{path}: who was faster");
    }
    assert_eq!(standing(&house, &shown).await, before);
}
