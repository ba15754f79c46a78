//! The sockets: accepts connections, writes answers, and breaks them on purpose.
//!
//! Promises that a connection works like any HTTP/1.1 connection, keep-alive included, until a request hangs up its own
//! [`Line`]; then the socket is dropped without another byte. Must know nothing of orders, keys or faults.

use std::future::Future;
use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Frame;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::Shop;

/// The longest request body taken, in bytes.
pub(super) const BODY_CAP: usize = 1024 * 1024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The connection a request came on; found in the request's extensions.
#[derive(Clone)]
pub(super) struct Line(CancellationToken);

impl Line {
    /// Drops the connection without another byte. Never returns: there is no answer to return.
    pub(super) async fn hang_up(&self) -> Response {
        self.0.cancel();
        std::future::pending().await
    }
}

/// Accepts connections until `shutdown` completes; each is served in a task of the shop's. Then the port is given up, and
/// connections end with the request they are at.
pub(super) async fn accept(
    listener: TcpListener,
    router: &Router,
    shop: &Shop,
    shutdown: impl Future<Output = ()> + Send,
) {
    let closing = CancellationToken::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            () = shutdown.as_mut() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let line = Line(shop.switched_off.child_token());
                    shop.work.spawn(serve_connection(stream, router.clone(), line, closing.clone()));
                }
                Err(error) => {
                    // Out of file handles, most likely: the ones in use come back, so wait instead of giving up.
                    tracing::warn!(%error, "practice supplier: a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    closing.cancel();
}

/// Serves one connection until either side ends it, its line is hung up, or the shop closes.
async fn serve_connection(stream: TcpStream, router: Router, line: Line, closing: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "practice supplier: TCP_NODELAY is not set");
    }
    let cut = line.0.clone();
    let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(line.clone());
        router.clone().oneshot(request)
    });
    let mut http = http1::Builder::new();
    // A client that has only closed its sending side still wants its answer.
    http.timer(TokioTimer::new()).half_close(true);
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut told_to_close = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "practice supplier: a connection broke");
                }
                break;
            }
            () = cut.cancelled() => break,
            () = closing.cancelled(), if !told_to_close => {
                told_to_close = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// How a request ends for the client.
pub(super) enum Ending {
    /// An answer goes out (or begins to).
    Response(Response),
    /// The connection closes without one.
    HangUp,
}

impl Ending {
    /// The status that goes out; none when nothing does.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Response(response) => Some(response.status().as_u16()),
            Self::HangUp => None,
        }
    }
}

impl From<Answer> for Ending {
    fn from(answer: Answer) -> Self {
        Self::Response(answer.into_response())
    }
}

/// Whether a status tells of an error (400 and up).
pub(super) fn is_error(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

/// A whole answer: status, body, and the headers that matter.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Answer {
    fn new(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            body: body.into(),
            headers: vec![(header::CONTENT_TYPE, content_type)],
        }
    }

    /// A JSON answer.
    pub(super) fn json(status: StatusCode, value: &Value) -> Self {
        Self::new(status, JSON, value.to_string())
    }

    /// `{"code": …}`: how the supplier says what went wrong. A status out of range would be a slip here, and shows as 500.
    pub(super) fn code(status: u16, code: &str) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::json(status, &json!({ "code": code }))
    }

    /// What a client learns of a failure on the supplier's own side.
    pub(super) fn internal_error() -> Self {
        Self::code(500, "internal_error")
    }

    /// 400 as a problem document (RFC 9457) that points at every fault of the input.
    pub(super) fn bad_input(errors: &[FieldError]) -> Self {
        let errors: Vec<Value> = errors
            .iter()
            .map(|error| json!({ "pointer": error.pointer, "detail": error.detail }))
            .collect();
        let problem = json!({
            "type": "about:blank",
            "title": "Bad Request",
            "status": 400,
            "detail": "The input was refused and nothing was changed; see errors.",
            "code": "bad_input",
            "errors": errors,
        });
        Self::new(StatusCode::BAD_REQUEST, PROBLEM, problem.to_string())
    }

    /// The page a redirect of the supplier's gateway leads to.
    pub(super) fn sign_in_page() -> Self {
        Self::html(StatusCode::OK, "<h1>Please sign in</h1>")
    }

    /// An HTML page where JSON was expected.
    pub(super) fn html(status: StatusCode, content: &str) -> Self {
        let page =
            format!("<!doctype html><html><head><title>Practice supplier</title></head><body>{content}</body></html>");
        Self::new(status, HTML, page)
    }

    /// An answer saved for a key, given again.
    pub(super) fn replayed(status: StatusCode, body: Vec<u8>) -> Self {
        Self::new(status, JSON, body).with(REPLAYED, HeaderValue::from_static("true"))
    }

    /// Whether this tells of an error (400 and up).
    pub(super) fn is_error(&self) -> bool {
        is_error(self.status)
    }

    /// The same answer with one more header; a header already there is kept beside it.
    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The same answer with nothing in it.
    pub(super) fn emptied(mut self) -> Self {
        self.body = Bytes::new();
        self.headers.retain(|(name, _)| name != header::CONTENT_TYPE);
        self
    }

    pub(super) fn into_response(self) -> Response {
        let body = Body::from(self.body.clone());
        self.with_body(body)
    }

    /// This answer's head over another body.
    fn with_body(self, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        response
    }

    /// Announces the whole length, sends a part that ends inside the text, closes.
    pub(super) fn truncated(self) -> Response {
        let whole = self.body.clone();
        let announced = HeaderValue::from(whole.len());
        let part = whole.slice(..whole.len() / 2);
        let body = feed(move |to| async move {
            if to.send(Ok(part)).await.is_ok() {
                // hyper throws away what it has not flushed when a body fails: let the part leave first.
                tokio::time::sleep(Duration::from_millis(100)).await;
                let _gone = to.send(Err(CutOff)).await;
            }
        });
        self.with(header::CONTENT_LENGTH, announced).with_body(body)
    }

    /// Sends the body one byte at a time.
    pub(super) fn dripping(self, pause: Duration) -> Response {
        let whole = self.body.clone();
        let body = feed(move |to| async move {
            for at in 0..whole.len() {
                if to.send(Ok(whole.slice(at..=at))).await.is_err() {
                    return;
                }
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = to.closed() => return,
                }
            }
        });
        self.with_body(body)
    }

    /// Begins like JSON and goes on for 5 GiB.
    pub(super) fn endless(self) -> Response {
        const CHUNK: usize = 64 * 1024;
        const CHUNKS: usize = 5 * 1024 * 1024 * 1024 / CHUNK;
        let chunk = Bytes::from(vec![b'x'; CHUNK]);
        let beginning = Bytes::from_static(b"{\"padding\":\"");
        let body = feed(move |to| async move {
            if to.send(Ok(beginning)).await.is_ok() {
                send_again_and_again(&to, &chunk, CHUNKS).await;
            }
        });
        self.with_body(body)
    }

    /// Announces gzip and sends the plain body.
    pub(super) fn falsely_gzipped(self) -> Response {
        self.with(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))
            .into_response()
    }

    /// Announces gzip and sends some ten megabytes that unpack to ten gigabytes: many members of a
    /// megabyte each.
    pub(super) fn exploding(self) -> Response {
        const MEMBER: u64 = 1024 * 1024;
        const MEMBERS: usize = 10 * 1024;
        let mut member = Vec::new();
        let zeros = std::io::repeat(0).take(MEMBER);
        let mut packed = flate2::read::GzEncoder::new(zeros, flate2::Compression::best());
        if packed.read_to_end(&mut member).is_err() {
            return Self::internal_error().into_response();
        }
        let member = Bytes::from(member);
        let body = feed(move |to| async move { send_again_and_again(&to, &member, MEMBERS).await });
        self.with(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))
            .with_body(body)
    }

    /// Sends the head, and then nothing for as long as the client stays.
    pub(super) fn silent(self) -> Response {
        let body = feed(|to| async move { to.closed().await });
        self.with_body(body)
    }
}

type Feeder = mpsc::Sender<Result<Bytes, CutOff>>;

async fn send_again_and_again(to: &Feeder, chunk: &Bytes, times: usize) {
    for _ in 0..times {
        if to.send(Ok(chunk.clone())).await.is_err() {
            return;
        }
    }
}

/// The reason hyper is given to break a connection in the middle of an answer.
#[derive(Debug, thiserror::Error)]
#[error("cut off on purpose")]
struct CutOff;

/// A body written by a task that stops when the client has gone.
struct Feed(mpsc::Receiver<Result<Bytes, CutOff>>);

impl hyper::body::Body for Feed {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        self.0
            .poll_recv(context)
            .map(|next| next.map(|part| part.map(Frame::data)))
    }
}

fn feed<F>(write: impl FnOnce(Feeder) -> F) -> Body
where
    F: Future<Output = ()> + Send + 'static,
{
    let (to, from) = mpsc::channel(1);
    tokio::spawn(write(to));
    Body::new(Feed(from))
}

/// Why a request body could not be had.
#[derive(Debug)]
pub(super) enum NotRead {
    /// Longer than [`BODY_CAP`].
    TooLong,
    /// The client went away in the middle of it.
    Gone,
}

/// Reads a request body to its end.
pub(super) async fn read_whole(mut body: Body) -> Result<Vec<u8>, NotRead> {
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(NotRead::Gone);
        };
        if let Ok(data) = frame.into_data() {
            if whole.len() + data.len() > BODY_CAP {
                return Err(NotRead::TooLong);
            }
            whole.extend_from_slice(&data);
        }
    }
    Ok(whole)
}

/// Reads about half of what the client announced, and drops the rest unread.
pub(super) async fn read_half(mut body: Body) {
    let announced = hyper::body::Body::size_hint(&body).exact().unwrap_or_default();
    let mut seen = 0;
    while let Some(Ok(frame)) = body.frame().await {
        seen += frame.data_ref().map_or(0, |data| data.len() as u64);
        if seen.saturating_mul(2) >= announced {
            return;
        }
    }
}

/// Reads a request body as JSON, or says why not, as the answer to give.
pub(super) async fn read_json(body: Body) -> Result<Value, Answer> {
    let bytes = match read_whole(body).await {
        Ok(bytes) => bytes,
        Err(NotRead::TooLong) => return Err(Answer::code(413, "too_large")),
        Err(NotRead::Gone) => return Err(Answer::code(400, "body_incomplete")),
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        let detail = format!("this is not JSON: {error}");
        Answer::bad_input(&[FieldError::whole(detail)])
    })
}

/// One fault of the input: a JSON pointer (RFC 6901) and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldError {
    pointer: String,
    detail: String,
}

impl FieldError {
    /// A fault of the whole document.
    pub(super) fn whole(detail: impl Into<String>) -> Self {
        Self::here("", detail)
    }

    /// A fault of what `pointer` points to.
    pub(super) fn here(pointer: &str, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            detail: detail.into(),
        }
    }

    /// A fault of the field `name` inside what `within` points to.
    pub(super) fn at(within: &str, name: &str, detail: impl Into<String>) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        Self {
            pointer: format!("{within}/{name}"),
            detail: detail.into(),
        }
    }
}
