//! `export`: the books on standard output, page by page: JSON lines, or tables as CSV.

use super::{CommandError, Done, failed, open};
use crate::config::Config;
use crate::desk::Desk;
use crate::desk::look::{OrderFilter, after};
use crate::domain::export::{Book, Reader, Table};
use crate::domain::ids::TenantId;
use crate::web::shapes;
use crate::web::tables::Csv;
use std::io::Write;

/// How an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object a line.
    JsonLines,
    /// A table.
    Csv,
}

impl Form {
    /// Reads what stands after `--as`.
    pub fn of(word: &str) -> Result<Self, String> {
        match word {
            "jsonl" => Ok(Form::JsonLines),
            "csv" => Ok(Form::Csv),
            _ => Err("there are jsonl and csv".to_owned()),
        }
    }
}

/// Orders in memory at a time.
const PAGE: u32 = 100;

/// `export events`, `export orders`, `export lines` and `export queue`
pub async fn export(config: &Config, table: Table, form: Form, reader: Option<Reader>, tenant: Option<&str>) -> Done {
    let usage = |why: &str| Err(CommandError::Usage(why.to_owned()));
    if form == Form::JsonLines && reader.is_some() {
        return usage("--for goes with --as csv; JSON lines are for machines");
    }
    let desk = open(config).await?;
    let tenant = desk.tenant_named(tenant).await?;
    match (form, table) {
        (Form::Csv, table) => export_table(&desk, &tenant, table, reader.unwrap_or_default()).await,
        (Form::JsonLines, Table::Book(Book::Events)) => export_events(&desk, &tenant).await,
        (Form::JsonLines, Table::Book(Book::Orders)) => export_orders(&desk, &tenant).await,
        (Form::JsonLines, Table::Book(Book::Lines)) => usage(
            "there is no such export as jsonl: write --as csv; `export orders --as jsonl` has the lines in the orders",
        ),
        (Form::JsonLines, Table::Queue) => usage("there is no such export as jsonl: write --as csv"),
    }
}

/// A table as `GET /export/….csv` has it.
async fn export_table(desk: &Desk, tenant: &TenantId, table: Table, reader: Reader) -> Done {
    let mut csv = Csv::of(desk.table(tenant, table).await?, reader);
    while let Some(rows) = csv.write_on().await? {
        print(&rows)?;
    }
    Ok(())
}

/// One line an event, oldest first, and the anchor as the last; of one moment.
async fn export_events(desk: &Desk, tenant: &TenantId) -> Done {
    let mut log = desk.log_file(tenant).await?;
    while let Some(lines) = log.read_on().await? {
        print(lines.as_bytes())?;
    }
    Ok(())
}

/// One line an order, newest first, in the shape of `GET /api/v1/orders/{id}`; each as it was when its page was read.
async fn export_orders(desk: &Desk, tenant: &TenantId) -> Done {
    let mut filter = OrderFilter::default();
    loop {
        let page = desk.order_views(tenant, &filter, PAGE).await?;
        let lines: String = page
            .orders
            .iter()
            .map(|view| format!("{}\n", shapes::order(view)))
            .collect();
        print(lines.as_bytes())?;
        let Some(next) = page.next else { return Ok(()) };
        filter.after = after(&next);
    }
}

/// Whoever reads may have gone away: that is a failure, and no panic.
fn print(lines: &[u8]) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(lines)
        .and_then(|()| out.flush())
        .map_err(|error| failed(format!("standard output cannot be written: {error}")))
}
