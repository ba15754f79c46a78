//! Answers that are sent piece by piece, as they are made.
//!
//! Promises: what cannot be made to its end breaks off, so that a browser says so; nothing is made once nobody reads any
//! more. Must not: keep more than a piece or two in memory, whoever reads slowly.

use crate::desk::DeskError;
use axum::body::{Body, HttpBody};
use hyper::body::{Bytes, Frame};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// What is sent next.
pub type Piece = Result<Bytes, DeskError>;

/// Something that is made piece by piece.
pub trait Pieces: Send + 'static {
    /// The next piece; nothing at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>, DeskError>> + Send;
}

/// A body that is made as fast as it is read.
pub fn made_from(pieces: impl Pieces) -> Body {
    let (making, body) = channel(1);
    tokio::spawn(make(pieces, making));
    sent(body)
}

/// A body of what comes through this channel.
pub fn sent(pieces: Receiver<Piece>) -> Body {
    Body::new(Sent(pieces))
}

async fn make(mut pieces: impl Pieces, making: Sender<Piece>) {
    loop {
        let piece = match pieces.next().await {
            Ok(Some(piece)) => Ok(piece),
            Ok(None) => return,
            Err(error) => {
                tracing::error!("an export broke off: {error}");
                Err(error)
            }
        };
        let is_last = piece.is_err();
        if making.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

/// What was made and is not sent yet.
struct Sent(Receiver<Piece>);

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = DeskError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, DeskError>>> {
        let piece = self.0.poll_recv(cx);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
