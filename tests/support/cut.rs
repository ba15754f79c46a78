//! A wire between a process and PostgreSQL that can be cut where it hurts: when a COMMIT goes by, before the server has
//! it or after the server has answered it. It understands just enough of the protocol to know which transaction that is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Where a COMMIT is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// The server never has it, and undoes the transaction.
    OnItsWay,
    /// The server has done it; only its answer is lost.
    Answer,
}

impl Lost {
    pub const BOTH: [Self; 2] = [Self::OnItsWay, Self::Answer];
}

/// One cut: the next COMMIT of a transaction that sent this statement.
#[derive(Debug, Clone, Copy)]
struct Cut {
    statement: &'static str,
    lost: Lost,
    /// Nobody gets through afterwards, until `up`.
    stays_down: bool,
}

/// The wire. Dropping it ends it.
pub struct Wire {
    /// The database's address by way of this wire.
    pub url: String,
    cut: Arc<Mutex<Option<Cut>>>,
    down: watch::Sender<bool>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Wire {
    /// A wire to this database.
    pub async fn to(database: &str) -> Self {
        let mut url = url::Url::parse(database).expect("the database's address");
        let server = (url.host_str().expect("a host").to_owned(), url.port().expect("a port"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        url.set_port(Some(port)).expect("a port");
        let cut = Arc::new(Mutex::new(None));
        let (down, _) = watch::channel(false);
        let accepting = tokio::spawn(accept(listener, server, cut.clone(), down.clone()));
        Self {
            url: url.to_string(),
            cut,
            down,
            accepting,
        }
    }

    /// Loses the next COMMIT of a transaction in which this statement was sent.
    pub fn lose_commit(&self, statement: &'static str, lost: Lost) {
        self.arm(statement, lost, false);
    }

    /// As `lose_commit`, and nobody gets through from then on, until `up`.
    pub fn lose_commit_and_go_down(&self, statement: &'static str, lost: Lost) {
        self.arm(statement, lost, true);
    }

    fn arm(&self, statement: &'static str, lost: Lost, stays_down: bool) {
        let cut = Cut {
            statement,
            lost,
            stays_down,
        };
        *self.cut.lock().expect("no panic") = Some(cut);
    }

    /// Whether the cut that was asked for has happened.
    pub fn was_cut(&self) -> bool {
        self.cut.lock().expect("no panic").is_none()
    }

    /// Cuts every connection, and lets none through.
    pub fn down(&self) {
        self.down.send_replace(true);
    }

    /// Lets them through again.
    pub fn up(&self) {
        self.down.send_replace(false);
    }
}

async fn accept(listener: TcpListener, server: (String, u16), cut: Arc<Mutex<Option<Cut>>>, down: watch::Sender<bool>) {
    loop {
        let (client, _) = listener.accept().await.expect("a connection");
        if *down.borrow() {
            continue;
        }
        let (server, cut, down) = (server.clone(), cut.clone(), down.clone());
        tokio::spawn(async move {
            let server = TcpStream::connect(server).await.expect("the server");
            let mut is_down = down.subscribe();
            tokio::select! {
                // dropping both ends is the cut
                _ = is_down.wait_for(|down| *down) => {}
                _ = carry(client, server, &cut, &down) => {}
            }
        });
    }
}

/// Carries bytes both ways until one end closes, or the cut.
async fn carry(
    mut client: TcpStream,
    mut server: TcpStream,
    cut: &Mutex<Option<Cut>>,
    down: &watch::Sender<bool>,
) -> std::io::Result<()> {
    let mut sent = Sent::default();
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let read = read?;
                if read == 0 {
                    return Ok(());
                }
                sent.pending.extend_from_slice(&asked[..read]);
                while let Some(message) = sent.next() {
                    let lost = sent.loses(&message, cut);
                    match lost.map(|cut| cut.lost) {
                        Some(Lost::OnItsWay) => {}
                        Some(Lost::Answer) => {
                            server.write_all(&message).await?;
                            // everything before was answered, so the first byte that comes is of the answer to the COMMIT
                            server.read_exact(&mut answered[..1]).await?;
                        }
                        None => server.write_all(&message).await?,
                    }
                    if let Some(cut) = lost {
                        if cut.stays_down {
                            down.send_replace(true);
                        }
                        return Ok(());
                    }
                }
            }
            read = server.read(&mut answered) => {
                let read = read?;
                if read == 0 {
                    return Ok(());
                }
                client.write_all(&answered[..read]).await?;
            }
        }
    }
}

/// What a client has sent, message by message.
#[derive(Default)]
struct Sent {
    pending: Vec<u8>,
    has_begun: bool,
    /// Statements by the name under which they were prepared.
    prepared: HashMap<Vec<u8>, Vec<u8>>,
    /// Statements of the transaction under way.
    transaction: Vec<Vec<u8>>,
}

impl Sent {
    /// The next whole message, its kind and length included.
    fn next(&mut self) -> Option<Vec<u8>> {
        // the first message, and the question for TLS before it, have no kind
        let kind = usize::from(self.has_begun);
        let length = self.pending.get(kind..kind + 4)?;
        let length = kind + u32::from_be_bytes(length.try_into().expect("four bytes")) as usize;
        if self.pending.len() < length {
            return None;
        }
        let rest = self.pending.split_off(length);
        let message = std::mem::replace(&mut self.pending, rest);
        self.has_begun = self.has_begun || message.len() > 8;
        Some(message)
    }

    /// Whether the cut is here; then it is taken.
    fn loses(&mut self, message: &[u8], cut: &Mutex<Option<Cut>>) -> Option<Cut> {
        let (kind, body) = (*message.first()?, message.get(5..).unwrap_or_default());
        let mut texts = body.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        match kind {
            b'P' => {
                let (name, statement) = (texts.next()?, texts.next()?);
                self.prepared.insert(name, statement);
                None
            }
            b'B' => {
                let (_portal, name) = (texts.next()?, texts.next()?);
                self.transaction.extend(self.prepared.get(&name).cloned());
                None
            }
            b'Q' if body.starts_with(b"BEGIN") => {
                self.transaction.clear();
                None
            }
            b'Q' if body.starts_with(b"COMMIT") => {
                let mut armed = cut.lock().expect("no panic");
                let wanted = armed.as_ref()?.statement.as_bytes();
                let has = |statement: &Vec<u8>| statement.windows(wanted.len()).any(|part| part == wanted);
                if self.transaction.iter().any(has) {
                    armed.take()
                } else {
                    None
                }
            }
            _ => None,
        }
    }
}
