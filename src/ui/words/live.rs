//! Whether a page is still what it was when it was read.

use crate::domain::live::MOST;

/// What is known of what has happened since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Nothing, or nobody listens.
    Read,
    /// So many things have changed.
    Updates(u32),
    /// Nothing can be heard.
    Lost,
}

/// The same in words, before "Refresh"; `read_at` is when the page was made.
pub fn news(news: News, read_at: &str) -> String {
    match news {
        News::Read | News::Updates(0) => format!("Read at {read_at}"),
        News::Updates(1) => "1 update".to_owned(),
        News::Updates(many) if many > MOST => format!("{MOST}+ updates"),
        News::Updates(some) => format!("{some} updates"),
        News::Lost => format!("Not live: read at {read_at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_many_or_when_it_was_read() {
        for (what, words) in [
            (News::Read, "Read at 09:33"),
            (News::Updates(0), "Read at 09:33"),
            (News::Updates(1), "1 update"),
            (News::Updates(4), "4 updates"),
            (News::Updates(99), "99 updates"),
            (News::Updates(100), "99+ updates"),
            (News::Lost, "Not live: read at 09:33"),
        ] {
            assert_eq!(news(what, "09:33"), words);
        }
    }
}
