//! The wire to the mail server: one message, one connection.
//!
//! Promises: what was handed over is sorted into taken, to be tried again, or never; nothing is sent in the clear that the
//! settings do not say; the same message is the same bytes each time, with the same Message-ID, so that mail programs fold one that
//! came twice. Must not: decide who is told, or keep an address or a password anywhere.

use crate::config::{MailServer, Secured};
use chrono::{DateTime, Utc};
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::{AsyncSmtpTransport, Error};
use lettre::{Address, AsyncTransport, Tokio1Executor};
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
    /// Never.
    Refused(String),
}

/// Answers about who we are, not about the message: somebody puts the settings right, and it goes out then (RFC 4954).
const ABOUT_US: [u16; 4] = [530, 534, 535, 538];
/// The longest thing a server said that is kept.
const MOST_SAID: usize = 500;

/// Hands a message over, within this time.
pub async fn hand_over(server: &MailServer, password: Option<String>, message: &Outgoing, within: Duration) -> Handed {
    let letter = match letter(message) {
        Ok(letter) => letter,
        Err(why) => return Handed::Refused(why),
    };
    let transport = match transport(server, password, within) {
        Ok(transport) => transport,
        Err(error) => return Handed::Later(format!("TLS cannot be set up: {error}")),
    };
    let handed = match tokio::time::timeout(within, transport.send(letter)).await {
        Ok(Ok(answer)) => Handed::Taken(format!("{} {}", answer.code(), answer.first_line().unwrap_or_default())),
        Ok(Err(error)) => sorted(&error),
        Err(_) => Handed::Later("the mail server did not answer in time".to_owned()),
    };
    handed.without(&message.to)
}

fn sorted(error: &Error) -> Handed {
    let about_us = error.status().is_some_and(|code| ABOUT_US.contains(&u16::from(code)));
    if error.is_permanent() && !about_us {
        Handed::Refused(error.to_string())
    } else {
        Handed::Later(error.to_string())
    }
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

fn transport(
    server: &MailServer,
    password: Option<String>,
    within: Duration,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, Error> {
    let tls = match server.secured {
        Secured::Wrapped => Tls::Wrapper(TlsParameters::new(server.host.clone())?),
        Secured::StartTls => Tls::Required(TlsParameters::new(server.host.clone())?),
        Secured::Not => Tls::None,
    };
    let transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.host.clone())
        .port(server.port)
        .timeout(Some(within))
        .tls(tls);
    let transport = match (&server.user, password) {
        (Some(user), Some(password)) => transport.credentials(Credentials::new(user.clone(), password)),
        (Some(_), None) | (None, Some(_)) | (None, None) => transport,
    };
    Ok(transport.build())
}
