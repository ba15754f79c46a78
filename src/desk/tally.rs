//! What this process has done since it started, counted where it is stored. Whatever was done before, or by others, is in
//! the database.

use crate::domain::attempt::ReplyWord;
use crate::domain::look_up::AnswerWord;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that only grow.
#[derive(Debug, Default)]
pub struct Tally {
    replies: [AtomicU64; ReplyWord::ALL.len()],
    answers: [AtomicU64; AnswerWord::ALL.len()],
}

fn add<T: PartialEq>(all: &[T], counts: &[AtomicU64], one: &T) {
    let counted = all.iter().zip(counts).find(|(word, _)| *word == one);
    if let Some((_, count)) = counted {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn read<T: Copy>(all: &[T], counts: &[AtomicU64]) -> Vec<(T, u64)> {
    let counts = counts.iter().map(|count| count.load(Ordering::Relaxed));
    all.iter().copied().zip(counts).collect()
}

impl Tally {
    /// An attempt's reply was stored.
    pub(super) fn replied(&self, reply: ReplyWord) {
        add(&ReplyWord::ALL, &self.replies, &reply);
    }
    /// A look-up's answer was stored.
    pub(super) fn answered(&self, answer: AnswerWord) {
        add(&AnswerWord::ALL, &self.answers, &answer);
    }
    /// Attempts whose reply this process stored, by reply.
    pub fn attempts(&self) -> Vec<(ReplyWord, u64)> {
        read(&ReplyWord::ALL, &self.replies)
    }
    /// Look-ups whose answer this process stored, by answer.
    pub fn look_ups(&self) -> Vec<(AnswerWord, u64)> {
        read(&AnswerWord::ALL, &self.answers)
    }
}
