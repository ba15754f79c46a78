//! The settings for telling people by e-mail.

use lettre::message::Mailbox;
use std::net::IpAddr;
use std::time::Duration;

/// How people are told.
#[derive(Debug, Clone)]
pub struct Mail {
    pub server: MailServer,
    pub from: Mailbox,
    /// Where the password is, as `env:NAME` or `file:/path`; there is one exactly where the server has a user.
    pub password: Option<String>,
    /// Scheme and host of the pages that messages link to.
    pub links: String,
    /// How long sending one message may take.
    pub deadline: Duration,
    /// After the first try that failed, doubling to `most`.
    pub first: Duration,
    pub most: Duration,
    /// A message that nobody took for so long since its first try is given up.
    pub give_up: Duration,
}

/// Whom messages are handed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailServer {
    pub host: String,
    pub port: u16,
    pub user: Option<String>,
    pub secured: Secured,
}

/// How the way to the mail server is secured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secured {
    /// TLS from the first byte.
    Wrapped,
    /// Upgraded before anything is said, or nothing is said.
    StartTls,
    /// Not at all: on this machine, or because somebody wants it so.
    Not,
}

/// Lengths of time, read already.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths {
    pub deadline: Duration,
    pub first: Duration,
    pub most: Duration,
    pub give_up: Duration,
    /// How long a process that stops waits for what it is sending.
    pub grace: Duration,
}

/// The settings as they were written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Post<'a> {
    pub server: &'a str,
    pub from: &'a str,
    pub password: &'a str,
    pub lengths: Lengths,
    /// `public_url` is set, and if it cannot be read that was said already.
    pub has_address: bool,
}

/// What a mail server's address looks like.
const SUCH_AS: &str = "is not an address such as smtp://mail.example.com:587 or smtps://desk@mail.example.com";

impl Post<'_> {
    /// The settings; nothing where no server is set, or where something is wrong, which is named.
    pub fn read(self, links: Option<&str>, faults: &mut Vec<String>) -> Option<Mail> {
        let Lengths {
            deadline,
            first,
            most,
            give_up,
            grace,
        } = self.lengths;
        let before = faults.len();
        if first > most {
            faults.push("mail_first: must not be longer than mail_most".to_owned());
        }
        if give_up < most {
            faults.push("mail_give_up: must not be shorter than mail_most".to_owned());
        }
        if deadline.is_zero() {
            faults.push("mail_deadline: longer than nothing".to_owned());
        }
        if self.server.is_empty() {
            return None;
        }
        // else a process that stops abandons what the server may be taking, and somebody else sends it again
        if deadline >= grace {
            faults.push("mail_deadline: must be shorter than grace".to_owned());
        }
        if !self.has_address {
            faults.push("public_url: is needed with mail_server, for the links in messages".to_owned());
        }
        let from = self.from.parse::<Mailbox>();
        if let Err(error) = &from {
            let why = "is needed with mail_server, such as Countersign <desk@example.com>";
            faults.push(format!("mail_from: {why}: {error}"));
        }
        let password = Some(self.password.to_owned()).filter(|reference| !reference.is_empty());
        if password.as_deref().is_some_and(|text| !is_reference(text)) {
            let why = "a reference, \"env:NAME\" or \"file:/path\", never the password";
            faults.push(format!("mail_password: {why}"));
        }
        let server = server(self.server)
            .map_err(|why| faults.push(format!("mail_server: {why}")))
            .ok();
        match server.as_ref().map(|server| (&server.user, &password)) {
            Some((Some(_), None)) => faults.push("mail_password: is needed, mail_server names a user".to_owned()),
            Some((None, Some(_))) => faults.push("mail_server: names no user for mail_password".to_owned()),
            Some((Some(_), Some(_)) | (None, None)) | None => {}
        }
        if faults.len() > before {
            return None;
        }
        Some(Mail {
            server: server?,
            from: from.ok()?,
            password,
            links: links?.to_owned(),
            deadline,
            first,
            most,
            give_up,
        })
    }
}

fn is_reference(text: &str) -> bool {
    text.starts_with("env:") || text.starts_with("file:")
}

/// Reads `smtp://[user@]host[:port][?tls=none]` and `smtps://…`.
fn server(text: &str) -> Result<MailServer, String> {
    let such_as = || format!("{} {SUCH_AS}", without_password(text));
    let url = url::Url::parse(text).map_err(|_| such_as())?;
    if url.password().is_some() {
        return Err("has a password in it; name where it is with mail_password".to_owned());
    }
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(such_as)?;
    if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
        return Err(such_as());
    }
    // an IPv6 address stands in brackets in a URL alone
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let (secured, usual) = match (url.scheme(), url.query()) {
        ("smtps", None) => (Secured::Wrapped, 465),
        ("smtp", Some("tls=none")) => (Secured::Not, 25),
        ("smtp", None) if is_here => (Secured::Not, 25),
        ("smtp", None | Some("tls=required")) => (Secured::StartTls, 587),
        ("smtp" | "smtps", Some(_)) => {
            return Err("behind smtp://… only ?tls=none may stand, behind smtps://… nothing".to_owned());
        }
        (_, _) => return Err(such_as()),
    };
    let user = Some(url.username()).filter(|user| !user.is_empty());
    Ok(MailServer {
        host,
        port: url.port().unwrap_or(usual),
        user: user.map(|user| decoded(user).ok_or_else(such_as)).transpose()?,
        secured,
    })
}

/// A fault must not tell what somebody wrote where a password would stand.
fn without_password(text: &str) -> &str {
    text.rsplit_once('@').map_or(text, |(_, host)| host)
}

/// A part of a URL with its `%40` read.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, u16, Option<String>, Secured), String> {
        server(text).map(|server| (server.host, server.port, server.user, server.secured))
    }

    #[test]
    fn mail_goes_in_the_clear_on_this_machine_alone_unless_somebody_says_so() {
        let plain = |host: &str, port| Ok((host.to_owned(), port, None, Secured::Not));
        assert_eq!(read("smtp://127.0.0.1:2525"), plain("127.0.0.1", 2525));
        assert_eq!(read("smtp://[::1]:2525"), plain("::1", 2525));
        assert_eq!(read("smtp://localhost"), plain("localhost", 25));
        assert_eq!(
            read("smtp://relay.example.com:25?tls=none"),
            plain("relay.example.com", 25)
        );
        let secured = |secured, port| Ok(("mail.example.com".to_owned(), port, None, secured));
        assert_eq!(read("smtp://mail.example.com"), secured(Secured::StartTls, 587));
        assert_eq!(read("smtps://mail.example.com"), secured(Secured::Wrapped, 465));
        let user = read("smtps://desk%40example.com@mail.example.com")
            .expect("an address")
            .2;
        assert_eq!(user.as_deref(), Some("desk@example.com"));
    }

    #[test]
    fn mail_servers_that_cannot_be_are_named_without_their_password() {
        for wrong in [
            "mail.example.com",
            "https://mail.example.com",
            "smtp://",
            "smtp://mail.example.com/inbox",
            "smtp://mail.example.com?tls=maybe",
            "smtps://mail.example.com?tls=none",
            "smtp://desk:hunter2@mail.example.com",
            "smtp:desk:hunter2@mail.example.com",
        ] {
            let why = read(wrong).expect_err(wrong);
            assert!(!why.contains("hunter2"), "{why}");
        }
    }

    #[test]
    fn mail_needs_an_address_of_its_pages_a_sender_and_user_and_password_together() {
        let post = Post {
            server: "smtp://desk@localhost",
            from: "",
            password: "",
            lengths: Lengths {
                deadline: Duration::from_secs(15),
                first: Duration::from_secs(30),
                most: Duration::from_secs(3600),
                give_up: Duration::from_secs(3600),
                grace: Duration::from_secs(20),
            },
            has_address: false,
        };
        let named = |post: Post<'_>, links| {
            let mut faults = Vec::new();
            let mail = post.read(links, &mut faults);
            assert_eq!(mail.is_some(), faults.is_empty(), "{faults:?}");
            let names = faults
                .iter()
                .map(|fault| fault.split(':').next().unwrap_or_default().to_owned());
            names.collect::<Vec<_>>()
        };
        assert_eq!(named(post, None), ["public_url", "mail_from", "mail_password"]);
        let links = Some("https://buy.example.com");
        let sound = Post {
            from: "Countersign <desk@example.com>",
            password: "env:MAIL_PASSWORD",
            has_address: true,
            ..post
        };
        assert!(named(sound, links).is_empty());
        let no_user = Post {
            server: "smtp://localhost",
            ..sound
        };
        assert_eq!(named(no_user, links), ["mail_server"]);
        let lengths = Lengths {
            deadline: Duration::from_secs(20),
            give_up: Duration::from_secs(3599),
            ..sound.lengths
        };
        let too_short = Post { lengths, ..sound };
        assert_eq!(named(too_short, links), ["mail_give_up", "mail_deadline"]);
    }
}
