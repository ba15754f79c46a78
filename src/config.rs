//! Settings: embedded defaults, then a file, then the environment. Every fault is named at once.
//!
//! Promises: a configuration that loads lets a request end before its lease does. Must not: decide what a setting is good for.

mod mail;

use figment::Figment;
use figment::error::Kind;
use figment::providers::{Env, Format, Toml};
use figment::value::Dict;
pub use mail::{Mail, MailServer, Secured};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DEFAULTS: &str = include_str!("config.default.toml");

/// No setting is longer: a moment that far away can still be reckoned with.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// Everything that is wrong with the settings.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigFault(pub Vec<String>);

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    Text,
    Json,
}

/// The settings, checked. Lengths of time are durations.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    /// Scheme and host people use, without a slash at the end; absent: the request's Host.
    pub public_url: Option<String>,
    pub database_url: String,
    /// Where this node keeps what it knows of the database; absent: beside it.
    pub node_file: Option<PathBuf>,
    /// What tells this machine from others; absent: its name and machine id.
    pub host: Option<String>,
    pub request_deadline: Duration,
    pub lease: Duration,
    pub send_by: Duration,
    pub wake: Duration,
    pub sweep: Duration,
    pub parallel: usize,
    pub again_first: Duration,
    pub again_most: Duration,
    pub not_sent_case_after: u32,
    pub look_up_first: Duration,
    pub look_up_most: Duration,
    pub case_due: Duration,
    pub remind_before: Duration,
    pub acknowledge_lasts: Duration,
    pub session: Duration,
    pub grace: Duration,
    /// How people are told by e-mail; absent: not at all.
    pub mail: Option<Mail>,
    /// Where a submit freezes the process, for tests of crashes.
    pub stop_at: Option<StopPoint>,
    pub log: LogFormat,
}

/// A point of a submit at which the process can be made to freeze itself (cases C1 and C2). The point between the first
/// byte and the answer needs none: there a slow supplier holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopPoint {
    /// The order is due; its attempt is not written.
    BeforeAttempt,
    /// The attempt is committed; its first byte has not left.
    AttemptCommitted,
    /// The supplier's answer is read; nothing of it is written.
    AnswerReceived,
    /// The reply is committed.
    ReplyCommitted,
}

impl StopPoint {
    const ALL: [(&'static str, Self); 4] = [
        ("before_attempt", Self::BeforeAttempt),
        ("attempt_committed", Self::AttemptCommitted),
        ("answer_received", Self::AnswerReceived),
        ("reply_committed", Self::ReplyCommitted),
    ];

    fn of(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|(name, _)| *name == word)
            .map(|(_, point)| point)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    listen: String,
    public_url: String,
    database_url: String,
    node_file: String,
    host: String,
    request_deadline: String,
    lease: String,
    send_by: String,
    wake: String,
    sweep: String,
    parallel: usize,
    again_first: String,
    again_most: String,
    not_sent_case_after: u32,
    look_up_first: String,
    look_up_most: String,
    case_due: String,
    remind_before: String,
    acknowledge_lasts: String,
    session: String,
    grace: String,
    mail_server: String,
    mail_from: String,
    mail_password: String,
    mail_deadline: String,
    mail_first: String,
    mail_most: String,
    mail_give_up: String,
    stop_at: String,
    log: LogFormat,
}

/// What the command line says over file and environment.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub listen: Option<String>,
}

impl Config {
    /// Reads defaults, file and environment, in this order.
    pub fn load(file: Option<&Path>, overrides: &Overrides) -> Result<Self, ConfigFault> {
        let mut sources = Figment::from(Toml::string(DEFAULTS));
        if let Some(file) = file {
            if !file.is_file() {
                return Err(ConfigFault(vec![format!(
                    "--config {}: there is no such file",
                    file.display()
                )]));
            }
            sources = sources.merge(Toml::file_exact(file));
        }
        let mut sources = sources
            .merge(Env::raw().only(&["DATABASE_URL"]))
            // COUNTERSIGN_CONFIG names the file itself
            .merge(Env::prefixed("COUNTERSIGN_").ignore(&["config"]));
        if let Some(listen) = &overrides.listen {
            sources = sources.merge(("listen", listen));
        }
        let (sound, mut faults) = sorted(&sources)?;
        let raw: Raw = sound.extract().map_err(unreadable)?;
        match raw.validate() {
            Ok(config) if faults.is_empty() => Ok(config),
            Ok(_) => Err(ConfigFault(faults)),
            Err(ConfigFault(more)) => {
                faults.extend(more);
                Err(ConfigFault(faults))
            }
        }
    }
}

fn unreadable(error: figment::Error) -> ConfigFault {
    ConfigFault(error.into_iter().map(|fault| fault.to_string()).collect())
}

/// Tries every setting by itself: what is no setting, or of the wrong kind, is named and its default stands in, so that
/// the others are judged all the same.
fn sorted(sources: &Figment) -> Result<(Figment, Vec<String>), ConfigFault> {
    let mut sound = Figment::from(Toml::string(DEFAULTS));
    let mut faults = Vec::new();
    let given: Dict = sources.extract().map_err(unreadable)?;
    for (name, value) in given {
        let said = sources.get_metadata(value.tag());
        let said = said.map_or_else(String::new, |said| format!(" ({})", said.name));
        let with = sound.clone().merge((&*name, value));
        match with.extract::<Raw>().map_err(|error| error.kind) {
            Ok(_) => sound = with,
            Err(Kind::UnknownField(..)) => faults.push(format!("{name}: is no setting{said}")),
            Err(kind) => faults.push(format!("{name}: {kind}{said}")),
        }
    }
    Ok((sound, faults))
}

impl Raw {
    /// Names every setting that cannot be used, all at once.
    fn validate(self) -> Result<Config, ConfigFault> {
        let mut faults = Vec::new();
        let mut length = |name: &str, text: &str| match humantime::parse_duration(text) {
            Ok(length) if length > LONGEST => {
                faults.push(format!("{name}: longer than ten years"));
                Duration::from_secs(1)
            }
            Ok(length) if length > Duration::ZERO => length,
            Ok(_) => {
                faults.push(format!("{name}: must be longer than nothing"));
                Duration::from_secs(1)
            }
            Err(error) => {
                faults.push(format!("{name}: {error}"));
                Duration::from_secs(1)
            }
        };
        let grace = length("grace", &self.grace);
        let mail_lengths = mail::Lengths {
            deadline: length("mail_deadline", &self.mail_deadline),
            first: length("mail_first", &self.mail_first),
            most: length("mail_most", &self.mail_most),
            give_up: length("mail_give_up", &self.mail_give_up),
            grace,
        };
        let config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 3000)),
            public_url: None,
            request_deadline: length("request_deadline", &self.request_deadline),
            lease: length("lease", &self.lease),
            send_by: length("send_by", &self.send_by),
            wake: length("wake", &self.wake),
            sweep: length("sweep", &self.sweep),
            again_first: length("again_first", &self.again_first),
            again_most: length("again_most", &self.again_most),
            look_up_first: length("look_up_first", &self.look_up_first),
            look_up_most: length("look_up_most", &self.look_up_most),
            case_due: length("case_due", &self.case_due),
            remind_before: length("remind_before", &self.remind_before),
            acknowledge_lasts: length("acknowledge_lasts", &self.acknowledge_lasts),
            session: length("session", &self.session),
            grace,
            mail: None,
            database_url: self.database_url,
            node_file: Some(self.node_file).filter(|path| !path.is_empty()).map(PathBuf::from),
            host: Some(self.host).filter(|name| !name.trim().is_empty()),
            parallel: self.parallel,
            not_sent_case_after: self.not_sent_case_after,
            stop_at: StopPoint::of(&self.stop_at),
            log: self.log,
        };
        if !self.stop_at.is_empty() && config.stop_at.is_none() {
            let points = StopPoint::ALL.map(|(name, _)| name).join(", ");
            faults.push(format!("stop_at: empty, or one of {points}"));
        }
        let listen = self.listen.parse();
        if let Err(error) = &listen {
            faults.push(format!("listen: {error}; an address and port such as 127.0.0.1:3000"));
        }
        let public_url = origin(&self.public_url).unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        let post = mail::Post {
            server: &self.mail_server,
            from: &self.mail_from,
            password: &self.mail_password,
            lengths: mail_lengths,
            has_address: !self.public_url.is_empty(),
        };
        let mail = post.read(public_url.as_deref(), &mut faults);
        config.relations(&mut faults);
        match listen {
            Ok(listen) if faults.is_empty() => Ok(Config {
                listen,
                public_url,
                mail,
                ..config
            }),
            _ => Err(ConfigFault(faults)),
        }
    }
}

impl Config {
    /// What must hold between settings, so that a lease outlives its request (rule 6).
    fn relations(&self, faults: &mut Vec<String>) {
        // a request that starts as late as it may must still end before its lease does
        if self.send_by + self.request_deadline >= self.lease {
            faults.push("lease: must be longer than send_by and request_deadline together".to_owned());
        }
        if self.again_first > self.again_most {
            faults.push("again_first: must not be longer than again_most".to_owned());
        }
        if self.look_up_first > self.look_up_most {
            faults.push("look_up_first: must not be longer than look_up_most".to_owned());
        }
        if self.parallel == 0 {
            faults.push("parallel: at least 1".to_owned());
        }
        if self.not_sent_case_after == 0 {
            faults.push("not_sent_case_after: at least 1".to_owned());
        }
    }
}

fn origin(text: &str) -> Result<Option<String>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let fault = || format!("public_url: {text} is not an address such as https://buy.example.com");
    let url = url::Url::parse(text).map_err(|_| fault())?;
    let bare = url.path() == "/" && url.query().is_none() && url.has_host();
    if bare && matches!(url.scheme(), "http" | "https") {
        Ok(Some(url.origin().ascii_serialization()))
    } else {
        Err(fault())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> Raw {
        Figment::from(Toml::string(DEFAULTS))
            .extract()
            .expect("the defaults read")
    }

    #[test]
    fn the_defaults_are_sound() {
        let config = raw().validate().expect("sound");
        assert_eq!(config.request_deadline, Duration::from_secs(30));
        assert_eq!(config.lease, Duration::from_secs(45));
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let broken = Raw {
            listen: "here".into(),
            lease: "soon".into(),
            parallel: 0,
            public_url: "buy.example.com/shop".into(),
            mail_server: "mail.example.com".into(),
            mail_from: "the desk".into(),
            mail_password: "hunter2".into(),
            mail_give_up: "never".into(),
            ..raw()
        };
        let ConfigFault(faults) = broken.validate().expect_err("refused");
        for name in [
            "listen",
            "lease",
            "parallel",
            "public_url",
            "mail_server",
            "mail_from",
            "mail_password",
            "mail_give_up",
        ] {
            assert!(
                faults.iter().any(|fault| fault.starts_with(name)),
                "{name} in {faults:?}"
            );
        }
    }
}
