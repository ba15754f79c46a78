//! What stands in which table, and tables as CSV (RFC 4180): lines end with CR LF, the first has the columns' names.
//!
//! Promises: the file for machines is UTF-8 without a mark, and has each value exactly; the one for people begins with a
//! byte order mark, is guarded (`domain::guarded`), and its last row says so (case Q4). More columns may come, behind those that
//! are there. Must not: ask or decide; everything here was read before.

use crate::desk::DeskError;
use crate::desk::export::{ExportedEvent, ExportedOrder, Page, TableFile};
use crate::desk::look::OpenThing;
use crate::domain::activity::By;
use crate::domain::case::CaseKind;
use crate::domain::contents::{Charge, ChargeKind, Line};
use crate::domain::event::{Actor, Event};
use crate::domain::export::{Book, Cell, Reader, Table};
use crate::domain::money::Money;
use crate::domain::order::Hold;
use crate::domain::pages::{Stands, Target, Why};
use crate::domain::queue::Urgency;
use crate::ui::moment::Here;
use crate::ui::words::{self, activity, events, tables};
use chrono::{DateTime, Utc};
use csv::{Terminator, WriterBuilder};
use serde::Serialize;
use serde_json::Value;

/// Without it, some spreadsheets take UTF-8 for something else.
const BYTE_ORDER_MARK: &str = "\u{feff}";

const ORDERS: [&str; 28] = [
    "id",
    "intent_id",
    "revision",
    "supplier",
    "supplier_name",
    "state",
    "held",
    "held_because",
    "differences",
    "version",
    "currency",
    "amount",
    "supplier_reference",
    "headline",
    "deliver_to",
    "needed_by",
    "second_purchase",
    "operation_key",
    "digest",
    "suggestion",
    "approved_by",
    "approved_by_name",
    "approved_at",
    "changed_at",
    "case_kind",
    "case_reason",
    "owner_name",
    "due_at",
];

const LINES: [&str; 15] = [
    "order",
    "intent_id",
    "supplier",
    "kind",
    "number",
    "sku",
    "description",
    "quantity",
    "unit",
    "unit_price",
    "price_per",
    "pack_quantity",
    "pack_unit",
    "currency",
    "amount",
];

const EVENTS: [&str; 10] = [
    "number",
    "at",
    "actor",
    "actor_id",
    "actor_name",
    "subject",
    "subject_id",
    "kind",
    "hash",
    "event",
];

const EVENTS_FOR_PEOPLE: [&str; 8] = [
    "number",
    "at",
    "actor_name",
    "subject",
    "subject_id",
    "what",
    "written",
    "hash",
];

const QUEUE: [&str; 21] = [
    "section",
    "kind",
    "id",
    "state",
    "held_because",
    "supplier",
    "supplier_name",
    "headline",
    "currency",
    "amount",
    "since",
    "approved_by_name",
    "owner_name",
    "urgency",
    "due_at",
    "why",
    "written",
    "next_try_at",
    "other_cases",
    "proposed_finding",
    "proposed_by_name",
];

/// What people read in one sentence, why, machines get in three columns.
const QUEUE_FOR_PEOPLE: [&str; 19] = [
    "section",
    "kind",
    "id",
    "state",
    "held_because",
    "supplier",
    "supplier_name",
    "headline",
    "currency",
    "amount",
    "since",
    "approved_by_name",
    "owner_name",
    "urgency",
    "due_at",
    "why",
    "other_cases",
    "proposed_finding",
    "proposed_by_name",
];

/// A table that is being written.
#[derive(Debug)]
pub struct Csv {
    file: TableFile,
    reader: Reader,
    progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    NotBegun,
    /// So many rows were written.
    Written(usize),
    Over,
}

impl Csv {
    /// This table for this reader.
    pub fn of(file: TableFile, reader: Reader) -> Self {
        Self {
            file,
            reader,
            progress: Progress::NotBegun,
        }
    }

    /// What the file is called.
    pub fn name(&self) -> String {
        self.file.name(self.reader)
    }

    /// The next rows, each with its end; the names of the columns first. Nothing once it was written to its end.
    pub async fn write_on(&mut self) -> Result<Option<Vec<u8>>, DeskError> {
        let columns = columns(self.file.table(), self.reader);
        let rows = match self.progress {
            Progress::Over => return Ok(None),
            Progress::NotBegun => {
                self.progress = Progress::Written(0);
                let mark = self.reader == Reader::People;
                let mut out = if mark { BYTE_ORDER_MARK.into() } else { Vec::new() };
                out.extend(written(&[self.names(columns)])?);
                return Ok(Some(out));
            }
            Progress::Written(rows) => rows,
        };
        let Some(page) = self.file.read_on().await? else {
            self.progress = Progress::Over;
            return match self.reader {
                Reader::Machines => Ok(None),
                Reader::People => written(&[last_row(rows, columns.len())]).map(Some),
            };
        };
        let cells = self.cells(page);
        self.progress = Progress::Written(rows + cells.len());
        let zone = self.file.zone();
        let field = |cell: Cell| cell.field(self.reader, zone);
        let rows = cells.into_iter().map(|row| row.into_iter().map(field).collect());
        written(&rows.collect::<Vec<_>>()).map(Some)
    }

    fn names(&self, columns: &[&str]) -> Vec<String> {
        let zone = self.file.zone();
        let name = |name: &&str| match self.reader {
            Reader::Machines => (*name).to_owned(),
            Reader::People => tables::column(name, zone.name()),
        };
        columns.iter().map(name).collect()
    }

    fn cells(&self, page: Page) -> Vec<Vec<Cell>> {
        let here = Here {
            now: self.file.begun_at(),
            zone: self.file.zone(),
        };
        match page {
            Page::Orders(orders) if self.file.table() == Table::Book(Book::Lines) => {
                orders.iter().flat_map(lines).collect()
            }
            Page::Orders(orders) => orders.iter().map(|one| order(one).into()).collect(),
            Page::Events(events) => events.into_iter().map(|one| self.event(one, here)).collect(),
            Page::Queue(open) => open.into_iter().map(|one| open_thing(one, self.reader, here)).collect(),
        }
    }

    fn event(&self, one: ExportedEvent, here: Here) -> Vec<Cell> {
        match self.reader {
            Reader::Machines => event(one).into(),
            Reader::People => event_for_people(one, here).into(),
        }
    }
}

fn columns(table: Table, reader: Reader) -> &'static [&'static str] {
    match (table, reader) {
        (Table::Book(Book::Orders), _) => &ORDERS,
        (Table::Book(Book::Lines), _) => &LINES,
        (Table::Book(Book::Events), Reader::Machines) => &EVENTS,
        (Table::Book(Book::Events), Reader::People) => &EVENTS_FOR_PEOPLE,
        (Table::Queue, Reader::Machines) => &QUEUE,
        (Table::Queue, Reader::People) => &QUEUE_FOR_PEOPLE,
    }
}

/// As wide as the others: a reader of CSV need not take rows of several widths.
fn last_row(rows: usize, width: usize) -> Vec<String> {
    let mut row = vec![tables::last_row(rows)];
    row.resize(width, String::new());
    row
}

fn written(rows: &[Vec<String>]) -> Result<Vec<u8>, DeskError> {
    let broken = |error: &dyn std::fmt::Display| DeskError::Broken(format!("a table cannot be written: {error}"));
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).map_err(|error| broken(&error))?;
    }
    writer.into_inner().map_err(|error| broken(&error))
}

/// A word of ours as it is on every wire, and as people call it.
fn word(of: impl Serialize, people: impl Into<String>) -> Cell {
    Cell::Word {
        machines: machine_word(of),
        people: people.into(),
    }
}

fn machine_word(of: impl Serialize) -> String {
    match serde_json::to_value(of) {
        Ok(Value::String(word)) => word,
        // none of our words is anything else
        Ok(_) | Err(_) => String::new(),
    }
}

fn flag(is_so: bool) -> Cell {
    Cell::Word {
        machines: is_so.to_string(),
        people: tables::yes(is_so).to_owned(),
    }
}

fn held(hold: Option<Hold>) -> Cell {
    hold.map_or(Cell::Nothing, |hold| word(hold, words::hold_briefly(hold)))
}

fn case_kind(kind: Option<CaseKind>) -> Cell {
    kind.map_or(Cell::Nothing, |kind| word(kind, words::case_kind(kind)))
}

fn text(text: impl Into<String>) -> Cell {
    Cell::Text(text.into())
}

fn order(one: &ExportedOrder) -> [Cell; ORDERS.len()] {
    let ExportedOrder { order, around } = one;
    let (life, contents) = (&order.life, &order.contents);
    let total = contents.total();
    [
        text(order.id.as_str()),
        text(order.intent.as_str()),
        Cell::number(order.revision),
        text(contents.supplier.as_str()),
        text(&around.supplier_name),
        word(life.state, words::stands(Stands::of_order(life))),
        flag(!life.holds.is_empty()),
        held(life.holds.gravest()),
        flag(life.differences),
        Cell::number(life.version),
        text(total.currency().code()),
        Cell::number(total.amount()),
        Cell::text(life.supplier_reference.as_deref()),
        text(contents.headline()),
        text(contents.deliver_to.as_str()),
        contents.needed_by.map_or(Cell::Nothing, Cell::number),
        flag(order.second_purchase),
        text(order.operation_key.to_string()),
        text(order.digest.as_str()),
        text(order.suggestion.as_str()),
        text(order.approved_by.as_str()),
        text(&around.approved_by_name),
        Cell::Moment(order.approved_at),
        Cell::Moment(order.changed_at),
        case_kind(around.case_kind),
        Cell::text(around.case_reason.as_deref()),
        Cell::text(around.owner_name.as_deref()),
        Cell::moment(around.due_at),
    ]
}

/// Every line of an order, then what is added and taken off: their amounts add up to the order's.
fn lines(one: &ExportedOrder) -> Vec<Vec<Cell>> {
    let contents = &one.order.contents;
    let lines = contents.lines.iter().zip(1_u32..);
    let lines = lines.map(|(line, number)| order_line(one, number, line).into());
    let charges = contents.charges.iter().map(|charge| order_charge(one, charge).into());
    lines.chain(charges).collect()
}

fn order_line(one: &ExportedOrder, number: u32, line: &Line) -> [Cell; LINES.len()] {
    let contents = &one.order.contents;
    let pack = line.pack.as_ref();
    [
        text(one.order.id.as_str()),
        text(one.order.intent.as_str()),
        text(contents.supplier.as_str()),
        text("line"),
        Cell::number(number),
        Cell::text(line.sku.as_deref()),
        Cell::text(line.description.as_deref()),
        Cell::number(line.quantity),
        text(line.unit.code()),
        Cell::number(line.unit_price),
        Cell::number(line.price_per),
        pack.map_or(Cell::Nothing, |pack| Cell::number(pack.quantity)),
        pack.map_or(Cell::Nothing, |pack| text(pack.unit.code())),
        text(contents.currency.code()),
        Cell::number(line.total(contents.currency).rounded.amount()),
    ]
}

fn order_charge(one: &ExportedOrder, charge: &Charge) -> [Cell; LINES.len()] {
    let contents = &one.order.contents;
    let amount = Money::rounded(contents.currency, charge.amount.value()).amount();
    let (kind, amount) = match charge.kind {
        ChargeKind::Charge => ("charge", amount),
        ChargeKind::Allowance => ("allowance", -amount),
    };
    [
        text(one.order.id.as_str()),
        text(one.order.intent.as_str()),
        text(contents.supplier.as_str()),
        text(kind),
        Cell::Nothing,
        Cell::Nothing,
        Cell::text(charge.reason.as_deref()),
        Cell::Nothing,
        Cell::Nothing,
        Cell::Nothing,
        Cell::Nothing,
        Cell::Nothing,
        Cell::Nothing,
        text(contents.currency.code()),
        Cell::number(amount),
    ]
}

/// The bytes are what counts; the columns before them say what is in them, where they can be read.
fn event(one: ExportedEvent) -> [Cell; EVENTS.len()] {
    let read: Option<Event> = serde_json::from_str(&one.bytes).ok();
    let (actor, actor_id, actor_name) = match read.as_ref().map(|event| &event.actor) {
        Some(Actor::Person { id, name }) => (text("person"), text(id.as_str()), text(name)),
        Some(Actor::Program { token, name }) => (text("program"), text(token.as_str()), text(name)),
        Some(machine @ (Actor::Worker | Actor::CommandLine | Actor::System)) => {
            (text(By::of(machine).word()), Cell::Nothing, Cell::Nothing)
        }
        None => (Cell::Nothing, Cell::Nothing, Cell::Nothing),
    };
    let kind = read.as_ref().and_then(|event| {
        let happening = serde_json::to_value(&event.happening).ok()?;
        happening["kind"].as_str().map(str::to_owned)
    });
    [
        Cell::number(one.number),
        Cell::moment(read.as_ref().map(|event| event.at)),
        actor,
        actor_id,
        actor_name,
        read.as_ref().map_or(Cell::Nothing, |event| text(subject_word(event))),
        read.as_ref().map_or(Cell::Nothing, |event| text(event.subject.id())),
        kind.map_or(Cell::Nothing, Cell::Text),
        text(one.hash),
        text(one.bytes),
    ]
}

/// `order`, `suggestion` and so on, as in the event's bytes.
fn subject_word(event: &Event) -> String {
    match serde_json::to_value(&event.subject) {
        Ok(Value::Object(subject)) => subject.keys().next().cloned().unwrap_or_default(),
        Ok(Value::String(word)) => word,
        // a subject is a word or has one
        Ok(_) | Err(_) => String::new(),
    }
}

fn event_for_people(one: ExportedEvent, here: Here) -> [Cell; EVENTS_FOR_PEOPLE.len()] {
    let Ok(event) = serde_json::from_str::<Event>(&one.bytes) else {
        let unread = [Cell::Nothing, Cell::Nothing, Cell::Nothing, Cell::Nothing];
        let [at, actor, subject, id] = unread;
        let (what, hash) = (text(one.bytes), text(one.hash));
        return [
            Cell::number(one.number),
            at,
            actor,
            subject,
            id,
            what,
            Cell::Nothing,
            hash,
        ];
    };
    // which attempt of how many an order's page says; here each has its own moment
    let told = events::told(&event, &[], here);
    [
        Cell::number(one.number),
        Cell::Moment(event.at),
        text(events::actor(&event.actor)),
        text(activity::subject(&event.subject)),
        text(event.subject.id()),
        text(told.sentence),
        Cell::text(told.aside.as_deref()),
        text(one.hash),
    ]
}

fn open_thing(one: OpenThing, reader: Reader, here: Here) -> Vec<Cell> {
    let OpenThing { section, row } = one;
    let kind = match &row.target {
        Target::Order(_) => word("order", "Order"),
        Target::Suggestion(_) => word("suggestion", "Suggestion"),
        // the id is its case's, which has a sheet
        Target::Case(_) => word("supplier", "Supplier"),
    };
    let because = match row.stands {
        Stands::Order { held, .. } => held,
        Stands::Suggestion(_) | Stands::SupplierHeld => None,
    };
    let total = row.total;
    let (finding, proposed_by) = row.proposed.unzip();
    let stands_so = [
        word(section.word(), words::queue::section(section)),
        kind,
        text(row.target.id()),
        stands(row.stands),
        held(because),
        text(row.supplier.as_str()),
        text(row.supplier_name),
        text(row.headline),
        total.map_or(Cell::Nothing, |total| text(total.currency().code())),
        total.map_or(Cell::Nothing, |total| Cell::number(total.amount())),
        Cell::Moment(row.since),
        Cell::text(row.by.as_deref()),
        Cell::text(row.owner.as_deref()),
        urgency(row.urgency, here),
        Cell::moment(due_at(row.urgency)),
    ];
    let beside = [
        Cell::number(row.other_cases),
        finding.map_or(Cell::Nothing, |found| word(found.word(), words::finding(found))),
        Cell::text(proposed_by.as_deref()),
    ];
    let why = match reader {
        Reader::Machines => why(row.why).into(),
        Reader::People => vec![text(why_for_people(&row.why, here))],
    };
    stands_so.into_iter().chain(why).chain(beside).collect()
}

fn stands(stands: Stands) -> Cell {
    match stands {
        Stands::Order { state, .. } => word(state, words::stands(stands)),
        Stands::Suggestion(state) => word(state, words::stands(stands)),
        Stands::SupplierHeld => word("supplier_held", words::stands(stands)),
    }
}

fn urgency(urgency: Urgency, here: Here) -> Cell {
    let machines = match urgency {
        Urgency::Late(_) => "late",
        Urgency::Unowned(_) => "unowned",
        Urgency::OwnerAway(_) => "owner_away",
        Urgency::Due(_) => "due",
        Urgency::Waits(_) => "waits",
        Urgency::Over(_) => "over",
    };
    let people = words::queue::urgency(urgency, here);
    word(
        machines,
        people.unwrap_or_else(|| words::queue::urgency_more(urgency, here)),
    )
}

fn due_at(urgency: Urgency) -> Option<DateTime<Utc>> {
    match urgency {
        Urgency::Late(due) | Urgency::Unowned(due) | Urgency::OwnerAway(due) | Urgency::Due(due) => Some(due),
        Urgency::Waits(_) | Urgency::Over(_) => None,
    }
}

/// Why it stands there, in a word; what somebody wrote of it; when it goes out again.
fn why(why: Why) -> [Cell; 3] {
    let (word, written, at) = match why {
        Why::Case(written) => ("case", Some(written), None),
        Why::SentBack(written) => ("sent_back", Some(written), None),
        Why::Numbered(reference) => ("confirmed", Some(reference), None),
        Why::Again(at) => ("goes_out_again", None, Some(at)),
        Why::Held(_) => ("held", None, None),
        Why::Due => ("due", None, None),
        Why::Sending => ("sending", None, None),
        Why::Acknowledged => ("acknowledged", None, None),
        Why::Review => ("review", None, None),
        Why::Settled => ("settled", None, None),
    };
    [text(word), Cell::text(written.as_deref()), Cell::moment(at)]
}

fn why_for_people(why: &Why, here: Here) -> String {
    match why {
        Why::Again(at) => format!("{} {}", words::why(why), here.short(*at)),
        Why::Case(_)
        | Why::SentBack(_)
        | Why::Numbered(_)
        | Why::Held(_)
        | Why::Due
        | Why::Sending
        | Why::Acknowledged
        | Why::Review
        | Why::Settled => words::why(why),
    }
}
