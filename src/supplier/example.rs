//! The practice supplier's file, as `countersign supplier example practice` prints it.

/// The file for a practice supplier at this address. Commented, since it is also the example to write others from.
pub fn practice(url: &str) -> String {
    PRACTICE.replace("{url}", url.trim_end_matches('/'))
}

/// The file for a supplier at this address that promises nothing: it honours no key and cannot be looked up, so that an
/// order in doubt is settled by people alone.
pub fn promises_nothing(url: &str) -> String {
    let file = practice(url).replace("look_up = \"exact\"", "look_up = \"none\"");
    without(&without(&file, "[contract.key]"), "[look_up]")
}

/// The file without one of its sections.
fn without(file: &str, section: &str) -> String {
    let mut inside = false;
    let kept = file.lines().filter(|line| {
        if line.starts_with('[') {
            inside = *line == section;
        }
        !inside
    });
    kept.map(|line| format!("{line}\n")).collect()
}

const PRACTICE: &str = r##"id = "practice"
name = "Practice supplier"
currencies = ["EUR", "SEK", "NOK", "JPY", "USD"]

# What the supplier promises. What is not said here is not assumed.
[contract]
# our reference is not unique there: a second order with it would be a second order
reference_unique = false
# can be asked for an exact reference; a new record is visible at once
look_up = "exact"
look_up_lag = "0s"
# longest processing time plus look-up lag, from the end of the last attempt
settle_time = "30s"
# answers that say "certainly not placed", as long as no earlier attempt is in doubt
refusals = [422]
# add 401 and 403 where the supplier looks at the secret before anything else: they also put it on hold
turned_away = [429]
# who may send an order in doubt again: "person" or "automatic"
resume = "person"
# an order that was not sent this long after its approval waits for a person
send_within = "24h"

# The supplier honours our operation key: a repeat within the window, counted from the first send, gets the first answer.
[contract.key]
header = "Idempotency-Key"
window = "24h"
replays_saved_errors = true
checks_body = true

# Answers that mean something by the supplier's own code (`submit.code`): refused, turned_away, in_flight, other_body,
# exists. What is not named here is unknown.
[[contract.answers]]
status = 409
code = "in_flight"
means = "in_flight"

[[contract.answers]]
status = 409
code = "key_reused"
means = "other_body"

[[contract.answers]]
status = 409
code = "reference_exists"
means = "exists"

[http]
base_url = "{url}"
# Where the practice supplier asks for accounts: the account's name, and where its secret is to be found
# ("env:NAME" or "file:/path"), never the secret itself. It is sent as `Authorization: Bearer`.
account = ""
# secret = "env:PRACTICE_SECRET"

[submit]
method = "POST"
path = "/orders"
# A MiniJinja template over `operation_key` and `contents` (the frozen contents).
body = """
{% set c = contents -%}
{"reference": {{ operation_key | tojson }},
 "currency": {{ c.currency | tojson }},
 "deliver_to": {{ c.deliver_to | tojson }},
 {% if c.needed_by %}"needed_by": {{ c.needed_by | tojson }},
 {% endif %}{% if c.note_to_supplier %}"note": {{ c.note_to_supplier | tojson }},
 {% endif %}"charges": {{ (c.charges or []) | tojson }},
 "lines": {{ c.lines | tojson }}}
"""
# The success predicate: what the answer must say before an order counts as confirmed.
confirmed = { pointer = "/status", any_of = ["confirmed"] }
# They have it and have not said yes.
acknowledged = { pointer = "/status", any_of = ["in_progress"] }
# where the supplier's own code stands in an answer
code = "/code"

# How the supplier is asked for our reference. A record counts only when it carries exactly that reference.
[look_up]
path = "/orders?reference={{ operation_key }}"
# where the list of records is, and in a record our reference
records = ""
reference = "/reference"
# refused or cancelled there
refused = { pointer = "/status", any_of = ["refused", "cancelled"] }

# Where a record says what it says (JSON pointers; inside a line or charge from there on).
[record]
number = "/number"
currency = "/currency"
deliver_to = "/deliver_to"
needed_by = "/needed_by"
lines = "/lines"
sku = "/sku"
description = "/description"
quantity = "/quantity"
unit = "/unit"
unit_price = "/unit_price"
price_per = "/price_per"
charges = "/charges"
charge_kind = "/kind"
charge_amount = "/amount"
"##;
