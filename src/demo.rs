//! stub
use crate::config::Config;
use crate::desk::{Desk, DeskError};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
pub async fn fill(
    _: &Desk,
    _: &Config,
    _: &mut JoinSet<()>,
    _: &CancellationToken,
) -> Result<Vec<String>, DeskError> {
    Ok(vec![])
}
