//! Suppliers that cost this machine next to nothing, so that what is seen is what the program costs.

use axum::Router;
use axum::extract::Json;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

/// A supplier that confirms every order at once, and keeps nothing. Answers its address.
pub async fn at_once() -> String {
    let (listener, address) = anywhere().await;
    tokio::spawn(async move {
        let router = Router::new().route("/orders", post(confirm));
        axum::serve(listener, router).await.expect("it serves");
    });
    address
}

async fn confirm(Json(mut order): Json<Value>) -> (StatusCode, Json<Value>) {
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    order["number"] = json!(format!("B-{number}"));
    order["status"] = json!("confirmed");
    (StatusCode::CREATED, Json(order))
}

/// A supplier that takes every request and never answers.
pub async fn silent() -> String {
    let (listener, address) = anywhere().await;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    address
}

async fn anywhere() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    (listener, format!("http://{address}"))
}
