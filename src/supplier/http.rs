//! The HTTP connector: one request on one fresh connection, and what was heard on it.
//!
//! Promises: no retries, no redirects, no pooled connections, HTTP/1.1 only (an HTTP/2 peer cannot make the protocol
//! send again, case W2), one overall deadline, a cap on the answer. "Not sent" is said only when not a byte of the
//! request was handed to the network, or when the contract lists the answer (rule 7). Built on hyper's single-connection
//! client, because a pooling client cannot promise the first three.

use super::file::Supplier;
use super::retry_after::retry_after;
use super::{Outcome, Step};
use crate::domain::attempt::{NotSent, Reply};
use crate::domain::classify::{Before, Heard, Said, classify};
use crate::domain::contract::Carried;
use chrono::{DateTime, Utc};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    LOCATION, USER_AGENT,
};
use hyper::http::{Uri, response::Parts};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// No order's answer is longer than this; what is, is not read to its end (case W10).
const MOST_ANSWER: usize = 1 << 20;
/// Characters of an answer that are kept for people.
const EXCERPT: usize = 400;

/// A supplier with its secret at hand.
pub struct Http<'a> {
    pub(super) supplier: &'a Supplier,
    pub(super) secret: Option<String>,
}

/// How one request is bounded.
pub struct Bounds<'a> {
    /// For everything: connect, send, and the last byte of the answer.
    pub deadline: Duration,
    /// Asked right before the first byte; false means send nothing (rule 6).
    pub may_send: &'a (dyn Fn() -> bool + Send + Sync),
    /// The moment, for answers that name a date.
    pub now: DateTime<Utc>,
}

/// What the gate saw.
#[derive(Default)]
pub(super) struct Seen {
    byte_left: AtomicBool,
    too_late: AtomicBool,
}

/// A stream that asks `may_send` before the first byte, and knows whether one left.
struct Gate<'a, S> {
    stream: S,
    may_send: &'a (dyn Fn() -> bool + Send + Sync),
    seen: Arc<Seen>,
    /// TLS may have sent bytes and still report an error, so handing it any counts as left.
    is_tls: bool,
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gate<'_, S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !self.seen.byte_left.load(Ordering::SeqCst) && !(self.may_send)() {
            self.seen.too_late.store(true, Ordering::SeqCst);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "past its send-by time")));
        }
        if self.is_tls {
            self.seen.byte_left.store(true, Ordering::SeqCst);
        }
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if !matches!(written, Poll::Ready(Err(_))) {
            self.seen.byte_left.store(true, Ordering::SeqCst);
        }
        written
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

/// Where on the way it failed.
pub(super) enum Failure {
    /// Before the request: no connection, no TLS, a request that cannot be built.
    Before(String),
    /// After the request was handed to the connection.
    Wire(hyper::Error),
    /// The answer began and did not end well.
    Answer { status: u16, why: String },
}

impl Http<'_> {
    /// Sends a step, once, and says what came of it. Never fails: a failure is an outcome.
    pub async fn submit(&self, step: &Step, key: &str, before: &Before, bounds: &Bounds<'_>) -> Outcome {
        let seen = Arc::new(Seen::default());
        let answered = tokio::time::timeout(bounds.deadline, self.exchange(step, Some(key), bounds, &seen)).await;
        let byte_left = seen.byte_left.load(Ordering::SeqCst);
        match answered {
            Ok(Ok((parts, body))) => self.sort(&parts, &body, before, bounds.now),
            _ if seen.too_late.load(Ordering::SeqCst) => {
                not_sent("Its time to send had passed before the first byte left, so nothing was sent.")
            }
            Ok(Err(Failure::Before(why))) => not_sent(&format!("Nothing was sent: {why}.")),
            Ok(Err(Failure::Wire(error))) if !byte_left => not_sent(&format!("Nothing was sent: {}.", root(&error))),
            Err(_) if !byte_left => not_sent("Nothing was sent: the supplier could not be reached in time."),
            Ok(Err(Failure::Wire(error))) => unknown(None, &in_words(&error)),
            Ok(Err(Failure::Answer { status, why })) => unknown(Some(status), &why),
            Err(_) => unknown(None, &no_answer(bounds.deadline)),
        }
    }

    pub(super) async fn exchange(
        &self,
        step: &Step,
        key: Option<&str>,
        bounds: &Bounds<'_>,
        seen: &Arc<Seen>,
    ) -> Result<(Parts, Bytes), Failure> {
        let uri: Uri = step
            .url
            .parse()
            .map_err(|error| Failure::Before(format!("bad address: {error}")))?;
        let request = self.request(step, key, &uri)?;
        let stream = connect(&uri, bounds.deadline).await?;
        let gate = |stream, is_tls| Gate {
            stream,
            may_send: bounds.may_send,
            seen: Arc::clone(seen),
            is_tls,
        };
        let answer = async {
            if uri.scheme_str() == Some("https") {
                let stream = tls(&uri, stream).await?;
                talk(gate(Either::Tls(Box::new(stream)), true), request).await
            } else {
                talk(gate(Either::Plain(stream), false), request).await
            }
        };
        answer.await
    }

    fn request(&self, step: &Step, key: Option<&str>, uri: &Uri) -> Result<Request<Full<Bytes>>, Failure> {
        let before = |error: hyper::http::Error| Failure::Before(format!("the request cannot be built: {error}"));
        let host = uri.authority().map_or("", |authority| authority.as_str());
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::builder()
            .method(step.method.as_str())
            .uri(path)
            .header(HOST, host)
            .header(USER_AGENT, concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            // plain only: what we cap is what we read, and nothing explodes on unpacking (case W10)
            .header(ACCEPT_ENCODING, "identity")
            .header(CONNECTION, "close");
        let carried = self.supplier.contract.key.as_ref().map(|promise| &promise.carried);
        if let (Some(Carried::Header { name, quoted }), Some(key)) = (carried, key) {
            let header: HeaderName = name.parse().map_err(|error| Failure::Before(format!("{error}")))?;
            let quote = if *quoted { "\"" } else { "" };
            request = request.header(header, format!("{quote}{key}{quote}"));
        }
        if let Some(secret) = &self.secret {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {}", self.credential(secret)))
                .map_err(|_| Failure::Before("the secret cannot stand in a header".to_owned()))?;
            bearer.set_sensitive(true);
            request = request.header(AUTHORIZATION, bearer);
        }
        request.body(Full::new(Bytes::from(step.body.clone()))).map_err(before)
    }

    fn credential(&self, secret: &str) -> String {
        match self.supplier.account() {
            "" => secret.to_owned(),
            account => format!("{account}.{secret}"),
        }
    }

    /// Sorts a whole answer, as `domain::classify` says.
    fn sort(&self, parts: &Parts, body: &Bytes, before: &Before, now: DateTime<Utc>) -> Outcome {
        let heard = self.heard(parts, body, now);
        let sorted = classify(&heard, &self.supplier.contract, before);
        Outcome {
            reply: sorted.reply,
            meaning: sorted.meaning,
            http_status: Some(heard.status),
            detail: sorted.detail,
            excerpt: heard.excerpt,
        }
    }

    /// What the answer says, by the pointers and predicates of the supplier's file.
    fn heard(&self, parts: &Parts, body: &Bytes, now: DateTime<Utc>) -> Heard {
        let text = |name: &HeaderName| Some(parts.headers.get(name)?.to_str().ok()?.to_owned());
        let is_plain = text(&CONTENT_ENCODING).is_none_or(|value| value == "identity");
        let answer: Option<Value> = serde_json::from_slice(body).ok().filter(|_| is_plain);
        let submit = &self.supplier.submit;
        let marker = self
            .supplier
            .contract
            .key
            .as_ref()
            .and_then(|key| key.replay_marker.as_ref());
        Heard {
            status: parts.status.as_u16(),
            code: answer.as_ref().and_then(|answer| submit.code_in(answer)),
            said: answer.as_ref().map(|answer| Said {
                standing: submit.standing(answer),
                number: self.supplier.record.number(answer),
                record: self.supplier.record.record(answer),
            }),
            location: text(&LOCATION),
            retry_after: retry_after(&parts.headers, now),
            is_replay: marker.is_some_and(|marker| parts.headers.contains_key(marker)),
            excerpt: self.excerpt(body),
        }
    }

    /// The start of an answer: readable characters only, and never our own secret.
    fn excerpt(&self, body: &Bytes) -> Option<String> {
        let text = String::from_utf8_lossy(body);
        let plain: String = text
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let safe = match self.secret.as_deref().filter(|secret| !secret.is_empty()) {
            Some(secret) => words.replace(secret, "•••"),
            None => words,
        };
        let mut excerpt: String = safe.chars().take(EXCERPT).collect();
        if safe.chars().count() > EXCERPT {
            excerpt.push('…');
        }
        Some(excerpt).filter(|excerpt| !excerpt.is_empty())
    }
}

fn not_sent(detail: &str) -> Outcome {
    Outcome {
        reply: Reply::NotSent(NotSent::default()),
        meaning: None,
        http_status: None,
        detail: detail.to_owned(),
        excerpt: None,
    }
}

fn unknown(http_status: Option<u16>, detail: &str) -> Outcome {
    Outcome {
        reply: Reply::Unknown { reference: None },
        meaning: None,
        http_status,
        detail: detail.to_owned(),
        excerpt: None,
    }
}

fn no_answer(deadline: Duration) -> String {
    format!(
        "The request left us; no complete answer came within {} s.",
        deadline.as_secs_f32()
    )
}

pub(super) fn root(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

fn in_words(error: &hyper::Error) -> String {
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        "The request left us; the supplier closed the connection without an answer.".to_owned()
    } else if error.is_parse() {
        "The request left us; what came back is not an HTTP answer.".to_owned()
    } else {
        format!("The request left us; the connection broke ({}).", root(error))
    }
}

/// A fresh connection whose unacknowledged bytes do not outlive the attempt (rule 11).
async fn connect(uri: &Uri, deadline: Duration) -> Result<TcpStream, Failure> {
    let host = uri
        .host()
        .unwrap_or_default()
        .trim_start_matches('[')
        .trim_end_matches(']');
    let port = uri
        .port_u16()
        .unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let no_connection = |error: io::Error| Failure::Before(format!("no connection to {host} ({error})"));
    let stream = TcpStream::connect((host, port)).await.map_err(no_connection)?;
    socket2::SockRef::from(&stream)
        .set_tcp_user_timeout(Some(deadline))
        .map_err(no_connection)?;
    stream.set_nodelay(true).map_err(no_connection)?;
    Ok(stream)
}

async fn tls(uri: &Uri, stream: TcpStream) -> Result<tokio_rustls::client::TlsStream<TcpStream>, Failure> {
    let no_tls = |why: String| Failure::Before(format!("no safe connection to the supplier ({why})"));
    let host = uri.host().unwrap_or_default().to_owned();
    let name = ServerName::try_from(host).map_err(|error| no_tls(error.to_string()))?;
    let config = tls_config().map_err(no_tls)?;
    TlsConnector::from(config)
        .connect(name, stream)
        .await
        .map_err(|error| no_tls(error.to_string()))
}

/// The system's own certificates, so that an office's authority is trusted where the machine trusts it.
fn tls_config() -> Result<Arc<rustls::ClientConfig>, String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Plain or TLS.
enum Either {
    Plain(TcpStream),
    Tls(Box<tokio_rustls::client::TlsStream<TcpStream>>),
}

macro_rules! either {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self.get_mut() {
            Either::Plain($stream) => $call,
            Either::Tls($stream) => $call,
        }
    };
}

impl AsyncRead for Either {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Either {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_flush(context))
    }
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_shutdown(context))
    }
}

/// One request, one answer, on one connection; dropped afterwards.
async fn talk(gate: Gate<'_, Either>, request: Request<Full<Bytes>>) -> Result<(Parts, Bytes), Failure> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(gate))
        .await
        .map_err(Failure::Wire)?;
    let exchange = async {
        let answer = sender.send_request(request).await.map_err(Failure::Wire)?;
        read(answer).await
    };
    // the connection is driven beside the exchange, in the same task: when that is dropped, so is the socket
    let mut connection = std::pin::pin!(connection);
    let mut exchange = std::pin::pin!(exchange);
    let mut open = true;
    loop {
        tokio::select! {
            biased;
            done = &mut exchange => return done,
            _ = &mut connection, if open => open = false,
        }
    }
}

async fn read(answer: Response<hyper::body::Incoming>) -> Result<(Parts, Bytes), Failure> {
    let (parts, body) = answer.into_parts();
    let status = parts.status.as_u16();
    match Limited::new(body, MOST_ANSWER).collect().await {
        Ok(whole) => Ok((parts, whole.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => {
            let why = format!("The supplier's answer ({status}) began and was longer than an order's answer can be.");
            Err(Failure::Answer { status, why })
        }
        Err(_) if parts.status == StatusCode::NO_CONTENT => Ok((parts, Bytes::new())),
        Err(_) => {
            let why = format!("The supplier's answer ({status}) began and did not come to its end.");
            Err(Failure::Answer { status, why })
        }
    }
}
