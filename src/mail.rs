//! The wire to the mail server: one message, one connection.
//!
//! Promises: what was handed over is sorted into taken, to be tried again, or never, and never is only what is about the
//! recipient or the message; nothing is sent in the clear that the settings do not say; the same message is the same bytes each time, with the same Message-ID, so that mail programs fold one that
//! came twice. Must not: decide who is told, or keep an address or a password anywhere.

use crate::config::{MailServer, Secured};
use chrono::{DateTime, Utc};
use lettre::Address;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, SinglePart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use std::error::Error as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// A message, as it goes out.
#[derive(Debug, Clone)]
pub struct Outgoing {
    pub id: String,
    pub from: Mailbox,
    pub to_name: String,
    pub to: String,
    /// One line.
    pub subject: String,
    /// Plain text.
    pub body: String,
    pub written_at: DateTime<Utc>,
}

/// What became of it, with what the server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    /// The server took it.
    Taken(String),
    /// Not now: it may go well later.
    Later(String),
    /// It was handed over and nothing was heard of it: they may have it.
    Unknown(String),
    /// Never.
    Refused(String),
}

/// How far a conversation had come when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Connecting, greeting, encrypting, signing in.
    Beginning,
    Sender,
    Recipient,
    /// The wish to hand the message over.
    Message,
    /// The message itself is on its way.
    Given,
}

impl At {
    fn word(self) -> &'static str {
        match self {
            Self::Beginning => "before any message",
            Self::Sender => "to MAIL FROM",
            Self::Recipient => "to RCPT TO",
            Self::Message => "to DATA",
            Self::Given => "to the message itself",
        }
    }
}

/// Where a conversation failed, and of what.
struct Failed {
    at: At,
    why: Error,
}

impl Failed {
    fn at(at: At) -> impl Fn(Error) -> Self {
        move |why| Self { at, why }
    }

    fn sorted(&self) -> Handed {
        let Self { at, why } = self;
        let told = format!("{}: {why}", at.word());
        let said = why.source().map(ToString::to_string).unwrap_or_default();
        match why.status() {
            Some(code) if why.is_permanent() && is_final(*at, u16::from(code), &said) => Handed::Refused(told),
            None if *at == At::Given => Handed::Unknown(told),
            Some(_) | None => Handed::Later(told),
        }
    }
}

/// Whether a permanent answer is about the recipient or the message, so that it stays the same however often it is tried. One
/// about us changes as soon as somebody puts our settings or the server's right. Where the server adds a code of RFC 3463
/// that one counts, else the answer's own.
fn is_final(at: At, code: u16, said: &str) -> bool {
    match at {
        At::Beginning | At::Sender => false,
        At::Recipient | At::Message | At::Given => match enhanced(said) {
            // 5.1.7 and 5.1.8 are about the sender's address
            Some((1, about)) => !matches!(about, 7 | 8),
            // their mailbox; or the message is too big
            Some((2, _) | (3, 4)) => true,
            Some(_) => false,
            None => matches!(code, 550..=553),
        },
    }
}

/// Subject and detail of a permanent answer's code, as in `5.1.1 nobody here`.
fn enhanced(said: &str) -> Option<(u16, u16)> {
    let mut parts = said.split_whitespace().next()?.splitn(3, '.');
    let (class, subject, detail) = (parts.next()?, parts.next()?, parts.next()?);
    (class == "5").then_some((subject.parse().ok()?, detail.parse().ok()?))
}

/// The longest thing a server said that is kept.
const MOST_SAID: usize = 500;
/// What the server said counts; it is not waited for longer to take leave.
const LEAVE: Duration = Duration::from_secs(1);

/// Hands a message over, within this time.
pub async fn hand_over(server: &MailServer, password: Option<String>, message: &Outgoing, within: Duration) -> Handed {
    let letter = match letter(message) {
        Ok(letter) => letter,
        Err(why) => return Handed::Refused(why),
    };
    let given = AtomicBool::new(false);
    let spoken = tokio::time::timeout(within, async {
        let mut connection = connect(server, password, within).await?;
        let answer = converse(&mut connection, &letter, &given).await;
        Ok((connection, answer))
    });
    let handed = match spoken.await {
        Ok(Ok((mut connection, answer))) => {
            // however they part
            let _ = tokio::time::timeout(LEAVE, connection.quit()).await;
            answer.unwrap_or_else(|failed| failed.sorted())
        }
        Ok(Err(failed)) => Failed::sorted(&failed),
        Err(_) if given.load(Ordering::Relaxed) => {
            Handed::Unknown("the mail server has it and did not answer in time".to_owned())
        }
        Err(_) => Handed::Later("the mail server did not answer in time".to_owned()),
    };
    handed.without(&message.to)
}

/// Connects, encrypts and signs in.
async fn connect(
    server: &MailServer,
    password: Option<String>,
    within: Duration,
) -> Result<AsyncSmtpConnection, Failed> {
    let beginning = || Failed::at(At::Beginning);
    let us = ClientId::default();
    let tls = || TlsParameters::new(server.host.clone()).map_err(beginning());
    let wrapped = match server.secured {
        Secured::Wrapped => Some(tls()?),
        Secured::StartTls | Secured::Not => None,
    };
    let address = (&*server.host, server.port);
    let mut connection = AsyncSmtpConnection::connect_tokio1(address, Some(within), &us, wrapped, None)
        .await
        .map_err(beginning())?;
    match server.secured {
        Secured::StartTls => connection.starttls(tls()?, &us).await.map_err(beginning())?,
        Secured::Wrapped | Secured::Not => {}
    }
    if let (Some(user), Some(password)) = (&server.user, password) {
        let credentials = Credentials::new(user.clone(), password);
        let signed_in = connection.auth(DEFAULT_MECHANISMS, &credentials).await;
        signed_in.map_err(beginning())?;
    }
    Ok(connection)
}

/// Names the sender and the recipient, and hands the message over; `given` says when it is on its way.
async fn converse(
    connection: &mut AsyncSmtpConnection,
    letter: &Message,
    given: &AtomicBool,
) -> Result<Handed, Failed> {
    let bytes = letter.formatted();
    let (from, to) = (letter.envelope().from(), letter.envelope().to());
    let mut how = Vec::new();
    // RFC 6531: only an address can be beyond ASCII, and the field that names it
    if !bytes.is_ascii() || to.iter().chain(from).any(|address| !is_ascii(address)) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            let why = "the mail server takes no addresses with such letters (SMTPUTF8)";
            return Ok(Handed::Later(why.to_owned()));
        }
        how.extend([
            MailParameter::SmtpUtfEight,
            MailParameter::Body(MailBodyParameter::EightBitMime),
        ]);
    }
    let sender = connection.command(Mail::new(from.cloned(), how)).await;
    sender.map_err(Failed::at(At::Sender))?;
    for address in to {
        let recipient = connection.command(Rcpt::new(address.clone(), Vec::new())).await;
        recipient.map_err(Failed::at(At::Recipient))?;
    }
    let ready = connection.command(Data).await;
    ready.map_err(Failed::at(At::Message))?;
    given.store(true, Ordering::Relaxed);
    let taken = connection.message(&bytes).await.map_err(Failed::at(At::Given))?;
    Ok(Handed::Taken(told(&taken)))
}

fn is_ascii(address: &Address) -> bool {
    address.user().is_ascii() && address.domain().is_ascii()
}

fn told(answer: &Response) -> String {
    format!("{} {}", answer.code(), answer.first_line().unwrap_or_default())
}

impl Handed {
    /// Servers repeat the address; it is kept with the person alone.
    fn without(self, address: &str) -> Self {
        let told = |said: String| {
            let said: String = said
                .replace(address, "(their address)")
                .chars()
                .map(|letter| if letter.is_control() { ' ' } else { letter })
                .take(MOST_SAID)
                .collect();
            said.trim().to_owned()
        };
        match self {
            Handed::Taken(said) => Handed::Taken(told(said)),
            Handed::Later(said) => Handed::Later(told(said)),
            Handed::Unknown(said) => Handed::Unknown(told(said)),
            Handed::Refused(said) => Handed::Refused(told(said)),
        }
    }
}

fn letter(message: &Outgoing) -> Result<Message, String> {
    let to: Address = message
        .to
        .parse()
        .map_err(|_| "their address is none that mail goes to".to_owned())?;
    let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
    let text = SinglePart::builder()
        .header(ContentType::TEXT_PLAIN)
        .header(ContentTransferEncoding::QuotedPrintable)
        .body(message.body.clone());
    let letter = Message::builder()
        .message_id(Some(format!("<{}@{}>", message.id, message.from.email.domain())))
        .date(SystemTime::from(message.written_at))
        .from(message.from.clone())
        .to(Mailbox::new(Some(message.to_name.clone()), to))
        .subject(message.subject.clone())
        // RFC 3834: nobody's absence note comes back
        .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()));
    letter.singlepart(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_refused_for_good_only_for_its_recipient_or_itself() {
        for (code, said) in [
            (550, "5.1.1 nobody here"),
            (553, "5.1.3 no such address"),
            (550, "5.2.1 mailbox disabled"),
            (552, "5.2.2 mailbox full"),
            (552, "5.3.4 too big"),
            (550, "no such user"),
            (553, ""),
        ] {
            assert!(is_final(At::Recipient, code, said), "{code} {said}");
            assert!(is_final(At::Message, code, said), "{code} {said}");
            assert!(!is_final(At::Sender, code, said), "{code} {said}");
            assert!(!is_final(At::Beginning, code, said), "{code} {said}");
        }
    }

    #[test]
    fn mail_is_not_refused_for_good_for_who_we_are() {
        for (code, said) in [
            (554, "5.7.1 relay access denied"),
            (550, "5.7.26 not authenticated"),
            (550, "5.1.8 the sender's domain is unknown"),
            (553, "5.1.7 the sender's address"),
            (530, "5.7.0 sign in first"),
            (535, "5.7.8 wrong password"),
            (554, "no service here"),
            (503, "5.5.1 out of order"),
            (502, "what?"),
        ] {
            let all = [At::Beginning, At::Sender, At::Recipient, At::Message];
            assert!(all.iter().all(|at| !is_final(*at, code, said)), "{code} {said}");
        }
    }
}
