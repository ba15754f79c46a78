//! A mail server on loopback: it takes what it is handed, or does what it was told to do instead. What it took is kept as it
//! came.

use super::home::until;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What it does with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Take,
    /// 451 to the recipient.
    NotNow,
    /// 550 to the recipient.
    Never,
    /// 550 to whom it is from.
    NotFromYou,
    /// 554 to the recipient: it relays nothing for us.
    NoRelay,
    /// Reads the whole message, keeps nothing, and closes without an answer.
    Close,
    /// Reads the whole message, keeps nothing, and says nothing for as long as somebody waits.
    Hang,
}

/// A message that it took.
#[derive(Debug, Clone)]
pub struct Mail {
    pub to: String,
    /// As it came, without what SMTP puts around it.
    pub raw: String,
}

impl Mail {
    /// The head's fields, unfolded, in order.
    pub fn head(&self) -> Vec<(String, String)> {
        let (head, _) = self.raw.split_once("\r\n\r\n").expect("a head and a body");
        let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
        let field = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("no field: {line:?}"));
            (name.to_owned(), value.to_owned())
        };
        unfolded.split("\r\n").map(field).collect()
    }

    /// A field that is there once.
    pub fn field(&self, name: &str) -> String {
        let mut found = self.head().into_iter().filter(|(field, _)| field == name);
        let (_, value) = found.next().unwrap_or_else(|| panic!("no {name} in {}", self.raw));
        assert!(found.next().is_none(), "{name} twice in {}", self.raw);
        value
    }

    /// The message's id, without what makes it a Message-ID.
    pub fn id(&self) -> String {
        let field = self.field("Message-ID");
        let (id, _) = field.trim_start_matches('<').split_once('@').expect("an id");
        id.to_owned()
    }

    /// The text, as it was written.
    pub fn text(&self) -> String {
        assert_eq!(self.field("Content-Transfer-Encoding"), "quoted-printable");
        let (_, body) = self.raw.split_once("\r\n\r\n").expect("a body");
        let (mut bytes, mut rest) = (Vec::new(), body.replace("=\r\n", "").into_bytes().into_iter());
        while let Some(byte) = rest.next() {
            if byte == b'=' {
                let digits = [rest.next().expect("a digit"), rest.next().expect("a digit")];
                let digits = std::str::from_utf8(&digits).expect("digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("a byte"));
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n")
    }

    /// What a mail program would make a link of.
    pub fn links(&self) -> BTreeSet<String> {
        let text = self.text();
        let links = text.split_whitespace().filter(|word| word.contains("://"));
        links.map(str::to_owned).collect()
    }
}

#[derive(Debug)]
struct Shared {
    does: Mutex<Does>,
    mails: Mutex<Vec<Mail>>,
    /// Messages that came to their end, whatever was done with them.
    heard: AtomicUsize,
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The mail server; it goes with its handle.
#[derive(Debug)]
pub struct PostOffice {
    pub address: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

impl PostOffice {
    /// On a free port.
    pub async fn open() -> Self {
        Self::open_at("127.0.0.1:0").await
    }

    /// At this address.
    pub async fn open_at(address: &str) -> Self {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let shared = Arc::new(Shared {
            does: Mutex::new(Does::Take),
            mails: Mutex::default(),
            heard: AtomicUsize::new(0),
        });
        let serving = tokio::spawn(serve(listener, shared.clone()));
        Self {
            address,
            shared,
            serving,
        }
    }

    /// From now on it does this.
    pub fn does(&self, what: Does) {
        *locked(&self.shared.does) = what;
    }

    /// Everything that it took, oldest first.
    pub fn mails(&self) -> Vec<Mail> {
        locked(&self.shared.mails).clone()
    }

    /// How many messages came to their end, whatever was done with them.
    pub fn heard(&self) -> usize {
        self.shared.heard.load(Ordering::SeqCst)
    }

    /// Waits until it has taken so many.
    pub async fn wait_for(&self, many: usize) -> Vec<Mail> {
        until(&format!("{many} mails"), || async {
            let mails = self.mails();
            (mails.len() >= many).then_some(mails)
        })
        .await
    }
}

impl Drop for PostOffice {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = shared.clone();
        tokio::spawn(async move {
            // whoever hangs up in the middle has had enough
            let _ = converse(stream, &shared).await;
        });
    }
}

async fn say(to: &mut OwnedWriteHalf, line: &str) -> std::io::Result<()> {
    to.write_all(format!("{line}\r\n").as_bytes()).await
}

async fn converse(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let (from, mut to) = stream.into_split();
    let mut from = BufReader::new(from);
    let mut recipient = String::new();
    say(&mut to, "220 post.office.test ESMTP").await?;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let does = *locked(&shared.does);
        let verb = line.split([' ', '\r']).next().unwrap_or_default().to_uppercase();
        match (verb.as_str(), does) {
            ("EHLO", _) => say(&mut to, "250-post.office.test\r\n250 8BITMIME").await?,
            ("MAIL", Does::NotFromYou) => say(&mut to, "550 not from you").await?,
            ("MAIL" | "RSET" | "NOOP", _) => say(&mut to, "250 as you wish").await?,
            ("RCPT", Does::NotNow) => say(&mut to, "451 4.3.2 not now").await?,
            ("RCPT", Does::Never) => {
                let address = address_in(&line);
                say(&mut to, &format!("550 5.1.1 <{address}> is nobody here")).await?;
            }
            ("RCPT", Does::NoRelay) => say(&mut to, "554 5.7.1 relay access denied").await?,
            ("RCPT", _) => {
                recipient = address_in(&line);
                say(&mut to, "250 known").await?;
            }
            ("DATA", _) => {
                say(&mut to, "354 go on").await?;
                let raw = message(&mut from).await?;
                shared.heard.fetch_add(1, Ordering::SeqCst);
                match does {
                    Does::Close => return Ok(()),
                    Does::Hang => std::future::pending().await,
                    Does::Take | Does::NotNow | Does::Never | Does::NotFromYou | Does::NoRelay => {}
                }
                let mail = Mail {
                    to: recipient.clone(),
                    raw,
                };
                locked(&shared.mails).push(mail);
                say(&mut to, "250 2.0.0 taken").await?;
            }
            ("QUIT", _) => return say(&mut to, "221 good day").await,
            _ => say(&mut to, "502 what?").await?,
        }
    }
}

fn address_in(line: &str) -> String {
    let inside = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inside.map(|(address, _)| address).unwrap_or_default().to_owned()
}

/// Up to the line with the dot alone.
async fn message(from: &mut BufReader<OwnedReadHalf>) -> std::io::Result<String> {
    let mut raw = String::new();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        match line.as_str() {
            ".\r\n" => return Ok(raw),
            stuffed => raw.push_str(stuffed.strip_prefix('.').unwrap_or(stuffed)),
        }
    }
}
