//! Tables that people take with them: what their columns are called, and what the last row says.

use super::{count, sentence_case, zone};
use crate::domain::export::{Book, Reader, Table};

/// A table, in a link.
pub fn table(table: Table) -> &'static str {
    match table {
        Table::Book(Book::Orders) => "Orders",
        Table::Book(Book::Lines) => "Their lines",
        Table::Book(Book::Events) => "The log as a table",
        Table::Queue => "The queue",
    }
}

/// Whom a file is for, in a link.
pub fn reader(reader: Reader) -> &'static str {
    match reader {
        Reader::Machines => "for machines",
        Reader::People => "for people",
    }
}

/// A column, by its name for machines. Moments are local, and say where.
pub fn column(name: &str, zone_name: &str) -> String {
    let called = match name {
        "sku" => "Article number".to_owned(),
        "number" => "No.".to_owned(),
        "what" => "What happened".to_owned(),
        "written" => "What was written beside it".to_owned(),
        // beside their names
        "supplier" => "Supplier id".to_owned(),
        "approved_by" => "Approver id".to_owned(),
        name => sentence_case(&name.trim_end_matches("_name").replace('_', " ")),
    };
    let is_moment = name == "at" || name == "since" || name.ends_with("_at");
    match (is_moment, name) {
        (true, "at") => format!("When ({})", zone(zone_name)),
        (true, _) => format!("{} ({})", called.trim_end_matches(" at"), zone(zone_name)),
        (false, _) => called,
    }
}

/// The last row of a table for people: that it is the last, and what was done to cells.
pub fn last_row(rows: usize) -> String {
    format!(
        "End of the table: {}. An apostrophe (') was put before every text that a spreadsheet would take for a formula, a \
         number or a date; the file for machines has every value exactly.",
        count(rows, "row", "rows")
    )
}

/// Yes or no.
pub fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_read_as_words() {
        let called = |name| column(name, "Europe/Berlin");
        assert_eq!(called("approved_at"), "Approved (Berlin time)");
        assert_eq!(called("at"), "When (Berlin time)");
        assert_eq!(called("since"), "Since (Berlin time)");
        assert_eq!(called("supplier_name"), "Supplier");
        assert_eq!(called("unit_price"), "Unit price");
    }
}
