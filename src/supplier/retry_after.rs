//! `Retry-After` (RFC 9110, 10.2.3), as suppliers really send it (case W9).

use crate::domain::classify::MOST_WAIT as MOST;
use chrono::{DateTime, TimeDelta, Utc};
use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;

/// How long the supplier asks us to wait; nothing when it does not say, or says something unreadable or ambiguous.
pub fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<TimeDelta> {
    let mut all = headers.get_all(RETRY_AFTER).iter();
    let (Some(value), None) = (all.next(), all.next()) else {
        return None;
    };
    let text = value.to_str().ok()?.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse::<i64>()
            .map_or(MOST, |seconds| TimeDelta::seconds(seconds.min(MOST.num_seconds())))
    } else {
        let at = httpdate::parse_http_date(text).ok()?;
        DateTime::<Utc>::from(at) - now
    };
    Some(wait.clamp(TimeDelta::zero(), MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(values: &[&str]) -> Option<i64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(RETRY_AFTER, value.parse().expect("a header"));
        }
        let now = "2026-11-30T08:00:00Z".parse().expect("a moment");
        retry_after(&headers, now).map(|wait| wait.num_seconds())
    }

    #[test]
    fn as_suppliers_really_send_it() {
        assert_eq!(wait(&["120"]), Some(120));
        assert_eq!(wait(&["Mon, 30 Nov 2026 08:05:00 GMT"]), Some(300));
        assert_eq!(wait(&["Mon, 30 Nov 2026 07:00:00 GMT"]), Some(0));
        assert_eq!(wait(&["99999999999"]), Some(86_400));
        assert_eq!(wait(&["999999999999999999999999"]), Some(86_400));
        for unreadable in [&["-5"][..], &["soon"], &[""], &["1.5"], &["120", "60"], &[]] {
            assert_eq!(wait(unreadable), None, "{unreadable:?}");
        }
    }
}
