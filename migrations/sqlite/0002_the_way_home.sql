-- What brings a pending order home: look-ups, findings, and a person's request to resume.

ALTER TABLE orders ADD COLUMN look_up_at INTEGER;       -- when the worker asks next; absent: nothing to ask
ALTER TABLE orders ADD COLUMN look_up_by TEXT REFERENCES people (id); -- who wants it asked now
ALTER TABLE orders ADD COLUMN look_up_since INTEGER;    -- the supplier is being asked since then
ALTER TABLE orders ADD COLUMN looked_up INTEGER NOT NULL DEFAULT 0 CHECK (looked_up >= 0); -- how often, since it came into this state
ALTER TABLE orders ADD COLUMN resume_at INTEGER;        -- a person asked to send it once more, then
ALTER TABLE orders ADD COLUMN resume_by TEXT REFERENCES people (id);
-- the version of the supplier's file that a person last decided under: at approval, at a release (case C11)
ALTER TABLE orders ADD COLUMN supplier_version INTEGER;
CREATE INDEX orders_look_up ON orders (look_up_at) WHERE look_up_at IS NOT NULL;
CREATE INDEX orders_resume ON orders (resume_at) WHERE resume_at IS NOT NULL;

-- orders in doubt from before are asked about like new ones
UPDATE orders SET look_up_at = changed_at + 60000000 WHERE state IN ('confirmation_pending', 'acknowledged');

-- a request to resume stands only while the order is in doubt, or held because it was not found (rule 9)
CREATE TRIGGER orders_resume_only_in_doubt
BEFORE UPDATE OF state, resume_at, resume_by ON orders
WHEN (NEW.resume_at IS NULL) <> (NEW.resume_by IS NULL)
    OR NEW.resume_at IS NOT NULL AND NEW.state NOT IN ('confirmation_pending', 'approved')
    OR NEW.resume_at IS NOT NULL AND NEW.state = 'approved' AND NEW.holds NOT LIKE '%not_found%'
BEGIN
    SELECT RAISE(ABORT, 'only an order in doubt can be resumed');
END;

-- The order was in doubt when this attempt opened: neither "refused" nor "not sent" erases that (case C9).
ALTER TABLE attempts ADD COLUMN in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt IN (0, 1));

-- Every question to a supplier, and its answer; what settles nothing stays here all the same.
CREATE TABLE look_ups (
    id       INTEGER PRIMARY KEY,
    tenant   TEXT NOT NULL REFERENCES tenants (id),
    order_id TEXT NOT NULL REFERENCES orders (id),
    at       INTEGER NOT NULL,
    asked_by TEXT REFERENCES people (id),
    answer   TEXT NOT NULL CHECK (answer IN ('found', 'none', 'could_not_check')),
    -- whose books were asked: answers out of others do not count (rule 10)
    base_url TEXT NOT NULL,
    account  TEXT NOT NULL,
    detail   TEXT NOT NULL,
    records  TEXT NOT NULL
) STRICT;
CREATE INDEX look_ups_by_order ON look_ups (order_id, at);
CREATE TRIGGER look_ups_never_change BEFORE UPDATE ON look_ups
BEGIN
    SELECT RAISE(ABORT, 'look-ups are append-only');
END;
CREATE TRIGGER look_ups_stay BEFORE DELETE ON look_ups
BEGIN
    SELECT RAISE(ABORT, 'look-ups are append-only');
END;

-- Established facts about orders in doubt, each with its source.
CREATE TABLE findings (
    id        INTEGER PRIMARY KEY,
    tenant    TEXT NOT NULL REFERENCES tenants (id),
    order_id  TEXT NOT NULL REFERENCES orders (id),
    at        INTEGER NOT NULL,
    finding   TEXT NOT NULL CHECK (finding IN ('at_supplier', 'not_yet_confirmed', 'refused_there', 'not_at_supplier',
                                               'could_not_tell')),
    source    TEXT NOT NULL CHECK (source IN ('look_up', 'reply', 'person')),
    found_by  TEXT REFERENCES people (id),
    reference TEXT,
    evidence  TEXT,
    -- a person's finding needs evidence (rule 10)
    CHECK ((source = 'person') = (found_by IS NOT NULL)),
    CHECK (source <> 'person' OR (evidence IS NOT NULL AND evidence <> ''))
) STRICT;
CREATE INDEX findings_by_order ON findings (order_id, at);
CREATE TRIGGER findings_never_change BEFORE UPDATE ON findings
BEGIN
    SELECT RAISE(ABORT, 'findings are append-only');
END;
CREATE TRIGGER findings_stay BEFORE DELETE ON findings
BEGIN
    SELECT RAISE(ABORT, 'findings are append-only');
END;
