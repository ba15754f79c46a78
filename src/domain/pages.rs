//! What a page shows: facts already gathered, so that a page is one question and one answer. Moments stay moments;
//! the page turns them into words in the viewer's zone.

use super::activity::{Asked, Unreadable};
use super::attempt::Attempt;
use super::case::Case;
use super::chain::Anchor;
use super::closing::Closing;
use super::contents::{Digest, OrderContents, SupplierId};
use super::contract::SupplierContract;
use super::difference::{Difference, Recorded};
use super::event::Event;
use super::ids::{AttemptId, CaseId, IntentId, MessageId, OrderId, PersonId, SuggestionId};
use super::look_up::{Established, FindingWord, Ladder, LookedUp};
use super::message::{MailStop, MessageShown};
use super::money::Money;
use super::order::{Hold, Life, OrderState};
use super::person::Role;
use super::queue::{self, Matched, Section, Urgency};
use super::refusal::Refusal;
use super::second_person::Proposed;
use super::suggestion::{Reused, Suggestion, SuggestionState};
use super::ways::{OtherPurchase, Ways};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Who looks, from where, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    pub id: PersonId,
    pub name: String,
    pub roles: Vec<Role>,
    pub tenant: String,
    /// IANA name of the tenant's zone.
    pub zone: String,
    /// The moment the page was made.
    pub now: DateTime<Utc>,
}

/// What somebody typed into an act that was refused, and why it was (rule 18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub fields: Vec<(String, String)>,
    pub refusal: Refusal,
}

impl Draft {
    /// What was typed into this field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Where a thing stands, for its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stands {
    Suggestion(SuggestionState),
    Order {
        state: OrderState,
        held: Option<Hold>,
        differences: bool,
    },
    /// A supplier nothing is sent to for now.
    SupplierHeld,
}

impl Stands {
    /// Where this order stands.
    pub fn of_order(life: &Life) -> Self {
        Stands::Order {
            state: life.state,
            held: life.holds.gravest(),
            differences: life.differences,
        }
    }
}

/// What a row leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Suggestion(SuggestionId),
    Order(OrderId),
    /// What a case is about has no page of its own: its sheet.
    Case(CaseId),
}

impl Target {
    /// The page's path.
    pub fn path(&self) -> String {
        match self {
            Target::Suggestion(id) => format!("/suggestions/{id}"),
            Target::Order(id) => format!("/orders/{id}"),
            Target::Case(id) => sheet_path(id),
        }
    }
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Target::Suggestion(id) => id.as_str(),
            Target::Order(id) => id.as_str(),
            Target::Case(id) => id.as_str(),
        }
    }
    /// The path of the form that changes it.
    pub fn change_path(&self) -> String {
        format!("{}/change", self.path())
    }
}

/// One row of the queue or of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub target: Target,
    pub stands: Stands,
    pub supplier: SupplierId,
    pub supplier_name: String,
    pub headline: String,
    /// Nothing for what costs nothing: a supplier on hold.
    pub total: Option<Money>,
    /// Since when: suggested, or approved.
    pub since: DateTime<Utc>,
    /// Who approved it.
    pub by: Option<String>,
    /// Whose its open case is.
    pub owner: Option<String>,
    /// Open cases beside that one.
    pub other_cases: usize,
    /// Whoever looks owns one of those, and not the one that is shown.
    pub mine_is_another: bool,
    pub urgency: Urgency,
    pub why: Why,
    /// What somebody found out, and who: it counts once a second person has confirmed it.
    pub proposed: Option<(FindingWord, String)>,
    /// What was looked for and found; empty where nothing was.
    pub matched: Vec<Matched>,
}

/// Why a row stands where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// An open case, with its reason.
    Case(String),
    Held(Hold),
    /// Due to be sent now.
    Due,
    /// Turned away before; tried again then.
    Again(DateTime<Utc>),
    Sending,
    Acknowledged,
    Review,
    SentBack(String),
    /// Confirmed, under the supplier's own number.
    Numbered(String),
    Settled,
}

/// Everything is held after a restore or a copy (rule 20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    pub since: DateTime<Utc>,
    pub because: String,
    /// The last event before the gap.
    pub gap_at: DateTime<Utc>,
    /// Orders from before the gap that are still held.
    pub held: u64,
    pub may_end: Result<(), Refusal>,
}

/// The morning queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePage {
    pub viewer: Viewer,
    /// The number of the last thing that happened in the house, for a page that tells how many have happened since.
    pub mark: u64,
    pub paused: Option<Paused>,
    /// Messages given up since the last working day that somebody should have got.
    pub mails_in_vain: u64,
    pub draft: Option<Draft>,
    pub asked: queue::Asked,
    /// Fields of the filter that mean nothing; then nothing was looked for.
    pub unreadable: Vec<queue::Field>,
    /// What there is to choose from.
    pub suppliers: Vec<(SupplierId, String)>,
    /// The sections asked for, in order.
    pub sections: Vec<SectionRows>,
    /// The first moment of the last working day before today: settled since then.
    pub settled_since: DateTime<Utc>,
    /// What a text found, in place of sections; exact ones first.
    pub found: Option<Found>,
    pub results: Results,
}

/// The queue on paper: everything open, what is settled left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSheetPage {
    pub viewer: Viewer,
    pub asked: queue::Asked,
    pub sections: Vec<SectionRows>,
}

/// What a text found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub rows: Vec<Row>,
    /// So many stand on the pages before.
    pub before: usize,
    /// The place of the last row, where there are more behind it.
    pub next: Option<String>,
    /// There is more than anybody pages through.
    pub is_cut: bool,
    /// Found too, and left out by what else is asked for.
    pub elsewhere: usize,
}

/// What became of the viewer's orders whose cases closed of late.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// How many there are in all; `rows` may be the first of them.
    pub count: usize,
    /// What was settled last comes first.
    pub rows: Vec<Became>,
}

/// An order that somebody had to see to, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Became {
    pub order: OrderId,
    pub stands: Stands,
    pub supplier_name: String,
    pub headline: String,
    pub total: Money,
    /// The supplier's own number.
    pub reference: Option<String>,
    /// How its last case closed.
    pub closing: Closing,
}

/// A section with its rows, the most urgent first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionRows {
    pub section: Section,
    /// How many there are in all; `rows` may be some of them.
    pub count: usize,
    /// There are more than were counted: `count` is the least.
    pub is_more: bool,
    /// How many are past their deadline.
    pub late: usize,
    /// How many nobody has taken.
    pub unowned: usize,
    /// Money at stake, one sum a currency (rule 22).
    pub totals: Vec<Money>,
    /// Since when the oldest stands.
    pub oldest: Option<DateTime<Utc>>,
    pub rows: Vec<Row>,
    /// The link to the next page of this section carries this.
    pub next: Option<String>,
}

/// Suggestions that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestionsPage {
    pub viewer: Viewer,
    pub rows: Vec<Row>,
    pub count: u64,
    /// The link to the next page carries this.
    pub next: Option<String>,
    pub draft: Option<Draft>,
}

/// The list of orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrdersPage {
    pub viewer: Viewer,
    pub state: Option<OrderState>,
    pub rows: Vec<Row>,
    /// The link to the next page carries this.
    pub next: Option<String>,
    pub draft: Option<Draft>,
}

/// Something that looks alike: another intent with the same supplier, site and lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookAlike {
    pub target: Target,
    pub stands: Stands,
    pub since: DateTime<Utc>,
    pub total: Money,
}

/// Another order of the same intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherOrder {
    pub order: OrderId,
    pub revision: u32,
    pub stands: Stands,
    /// The supplier's own number.
    pub supplier_reference: Option<String>,
    pub total: Money,
}

/// What else there is of an order's intent, linked both ways.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kin {
    /// Oldest first.
    pub earlier: Vec<OtherOrder>,
    /// Oldest first.
    pub later: Vec<OtherOrder>,
    /// A different purchase that waits for review, or was sent back.
    pub waiting: Option<(SuggestionId, SuggestionState)>,
}

/// The form for a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangePage {
    pub viewer: Viewer,
    pub of: ChangeOf,
    pub contents: OrderContents,
    pub supplier_name: String,
    pub site_name: String,
    pub may: Result<(), Refusal>,
    pub draft: Option<Draft>,
}

/// What is changed, as the form carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeOf {
    Suggestion {
        id: SuggestionId,
        digest: Digest,
        state: SuggestionState,
    },
    Order {
        id: OrderId,
        version: u64,
        stands: Stands,
        other: OtherPurchase,
    },
}

impl ChangeOf {
    /// The page of what is changed.
    pub fn target(&self) -> Target {
        match self {
            ChangeOf::Suggestion { id, .. } => Target::Suggestion(id.clone()),
            ChangeOf::Order { id, .. } => Target::Order(id.clone()),
        }
    }
}

/// A suggestion under review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewPage {
    pub viewer: Viewer,
    pub giving: Giving,
    pub suggestion: Suggestion,
    pub purpose: String,
    pub supplier_name: String,
    pub supplier_held: Option<String>,
    pub site_name: String,
    /// How often the assistant sent the same revision again.
    pub repeated: u64,
    pub decided_by: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub decision: Option<String>,
    pub look_alikes: Vec<LookAlike>,
    pub earlier_orders: Vec<OtherOrder>,
    /// Earlier orders that this person has to accept by name and version to approve (rule 5).
    pub to_accept: Vec<(OrderId, u64)>,
    pub needs_second_purchase: bool,
    /// What changed against the revision before.
    pub changes: Vec<Difference>,
    pub newer: Option<SuggestionId>,
    pub order: Option<OrderId>,
    pub cases: Vec<Case>,
    /// What else came under the same intent and version (rule 3), oldest first.
    pub reused: Vec<Reused>,
    pub may_approve: Result<(), Refusal>,
    pub may_send_back: Result<(), Refusal>,
    pub may_reject: Result<(), Refusal>,
    pub may_change: Result<(), Refusal>,
    pub draft: Option<Draft>,
}

/// An attempt with what was sent and compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptShown {
    pub attempt: Attempt,
    pub recorded: Option<Recorded>,
    pub differences: Vec<Difference>,
}

/// The record that a look-up found, compared with what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordShown {
    /// When it was seen.
    pub at: DateTime<Utc>,
    pub reference: String,
    /// Nothing when its lines cannot be read.
    pub recorded: Option<Recorded>,
    pub differences: Vec<Difference>,
}

/// A look-up that somebody waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    /// Who wants it asked; nobody when the worker asks on its schedule.
    pub by: Option<String>,
    /// The supplier is being asked at this moment; else it is asked within a moment.
    pub under_way: bool,
}

/// What waits for a second person, for this viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedShown {
    pub proposed: Proposed,
    pub may_confirm: Result<(), Refusal>,
    pub may_decline: Result<(), Refusal>,
}

/// Everything about an order that bringing it home is judged by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayHome {
    pub ways: Ways,
    /// What the supplier promises today.
    pub contract: SupplierContract,
    /// Oldest first.
    pub look_ups: Vec<LookedUp>,
    /// They said that they have it: "no record" settles nothing by itself.
    pub said_they_have_it: bool,
    /// Look-ups ask other books than the order was sent to: what they say does not count.
    pub asks_other_books: bool,
    /// Oldest first.
    pub findings: Vec<Established>,
    /// The last record that a look-up found, if the last answer that said anything was one.
    pub record: Option<RecordShown>,
    /// How far "not at the supplier" is from being established.
    pub ladder: Ladder,
    /// From when "no record" counts, and a person may say that it is not there.
    pub settled_at: DateTime<Utc>,
    /// When the supplier may forget our key, under both versions of its contract; nothing without a key.
    pub key_until: Option<DateTime<Utc>>,
    /// When people last work before resuming stops being safe, where it does so while nobody works.
    pub act_before: Option<DateTime<Utc>>,
    /// How long it is, in seconds: the shorter of what both versions of the contract say.
    pub key_window: Option<i64>,
    pub asking: Option<Asking>,
    /// When the worker asks next by itself.
    pub next_look_up: Option<DateTime<Utc>>,
    /// Who asked to send it once more.
    pub resume_wanted_by: Option<String>,
    /// What a person found out and a second one has to confirm, and whether this viewer may confirm or decline it.
    pub proposed: Option<ProposedShown>,
    /// A finding about this order needs a second person.
    pub needs_second_person: bool,
    /// Who may own a case, for handing over.
    pub owners: Vec<(PersonId, String)>,
}

/// An order, for life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderPage {
    pub viewer: Viewer,
    pub id: OrderId,
    pub intent: IntentId,
    pub revision: u32,
    pub suggestion: SuggestionId,
    pub purpose: String,
    pub life: Life,
    pub contents: OrderContents,
    pub digest: Digest,
    pub operation_key: String,
    pub second_purchase: bool,
    pub supplier_name: String,
    pub supplier_held: Option<String>,
    pub site_name: String,
    pub approved_by: String,
    pub approved_at: DateTime<Utc>,
    pub changed_at: DateTime<Utc>,
    pub attempts: Vec<AttemptShown>,
    pub way_home: WayHome,
    pub kin: Kin,
    pub may_change: Result<(), Refusal>,
    pub cases: Vec<Case>,
    /// The number of the last thing that happened to it, for a page that waits for the next.
    pub mark: u64,
    pub history: Vec<Event>,
    pub draft: Option<Draft>,
}

/// Something that happened, with what a reader wants to know of what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happened {
    pub event: Event,
    /// What an order or suggestion buys, and from whom.
    pub goods: Option<(String, String)>,
    /// The name of a person it is about.
    pub name: Option<String>,
    /// The order's attempts, oldest first.
    pub attempts: Vec<AttemptId>,
}

/// What happened in the house, newest first, as far as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityPage {
    pub viewer: Viewer,
    pub asked: Asked,
    /// Why it cannot be looked through like this; then nothing is shown.
    pub unreadable: Vec<Unreadable>,
    /// Who may have acted, by name.
    pub people: Vec<(PersonId, String)>,
    pub happened: Vec<Happened>,
    /// The link to the next page carries this: the number of the last event here.
    pub older: Option<u64>,
    /// The end of the log now.
    pub anchor: Anchor,
}

/// The path of a case's sheet.
pub fn sheet_path(case: &CaseId) -> String {
    format!("/cases/{case}")
}

/// To whom cases can be given, and whether whoever looks may give them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Giving {
    pub owners: Vec<(PersonId, String)>,
    pub may: Result<(), Refusal>,
}

/// A case on one sheet, to hand over or to print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetPage {
    pub viewer: Viewer,
    pub case: Case,
    /// How it closed, once it has.
    pub closing: Option<Closing>,
    pub about: SheetAbout,
    /// Where the sheet is read, for who has it on paper.
    pub address: String,
    pub giving: Giving,
    pub draft: Option<Draft>,
}

/// What a sheet's case is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SheetAbout {
    Order(Box<OrderPage>),
    Suggestion(Box<ReviewPage>),
    Supplier(SupplierWaits),
}

/// A supplier, and the orders of it that nobody has sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupplierWaits {
    /// As the command line names it.
    pub id: String,
    pub name: String,
    pub held_since: Option<DateTime<Utc>>,
    pub held_because: Option<String>,
    /// How many there are in all; `rows` may be the first of them.
    pub count: usize,
    /// Oldest first.
    pub rows: Vec<Row>,
}

/// What people were told by e-mail, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagesPage {
    pub viewer: Viewer,
    /// A mail server is set: without one nothing is written, and nothing is sent.
    pub is_set_up: bool,
    pub messages: Vec<MessageShown>,
    /// The link to the next page carries this.
    pub next: Option<MessageId>,
    pub draft: Option<Draft>,
}

/// The page of messages, and why none of them goes out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagesNow {
    pub page: MessagesPage,
    pub stop: Option<MailStop>,
}

/// Scheme and host under which people open the pages, where the configuration says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(pub Option<String>);
