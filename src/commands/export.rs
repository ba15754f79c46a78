//! `export`: the books as JSON lines on standard output, page by page.

use super::{Done, failed};
use crate::desk::Desk;
use crate::desk::look::{OrderFilter, after};
use crate::domain::ids::TenantId;
use crate::web::shapes;
use std::io::Write;

/// How an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object a line.
    JsonLines,
}

impl Form {
    /// Reads what stands after `--as`.
    pub fn of(word: &str) -> Result<Self, String> {
        match word {
            "jsonl" => Ok(Form::JsonLines),
            "csv" => Err("CSV is not built yet; write --as jsonl".to_owned()),
            _ => Err("there is jsonl".to_owned()),
        }
    }
}

/// Orders in memory at a time.
const PAGE: u32 = 100;

/// `export events`: one line an event, oldest first, and the anchor as the last; of one moment.
pub async fn export_events(desk: &Desk, tenant: &TenantId) -> Done {
    let mut log = desk.log_file(tenant).await?;
    while let Some(lines) = log.read_on().await? {
        print(&lines)?;
    }
    Ok(())
}

/// `export orders`: one line an order, newest first, in the shape of `GET /api/v1/orders/{id}`; each as it was when its
/// page was read.
pub async fn export_orders(desk: &Desk, tenant: &TenantId) -> Done {
    let mut filter = OrderFilter::default();
    loop {
        let page = desk.order_views(tenant, &filter, PAGE).await?;
        let lines: String = page
            .orders
            .iter()
            .map(|view| format!("{}\n", shapes::order(view)))
            .collect();
        print(&lines)?;
        let Some(next) = page.next else { return Ok(()) };
        filter.after = after(&next);
    }
}

/// Whoever reads may have gone away: that is a failure, and no panic.
fn print(lines: &str) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(lines.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| failed(format!("standard output cannot be written: {error}")))
}
