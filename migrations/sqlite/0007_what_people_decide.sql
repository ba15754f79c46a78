-- What a person judged a supplier's record to be, with the case it closed. Append-only: a record once judged never reopens
-- its order.
CREATE TABLE judgements (
    id        INTEGER PRIMARY KEY,
    tenant    TEXT NOT NULL REFERENCES tenants (id),
    order_id  TEXT NOT NULL REFERENCES orders (id),
    at        INTEGER NOT NULL,
    -- the supplier's number: text, compared exactly
    reference TEXT NOT NULL CHECK (reference <> ''),
    verdict   TEXT NOT NULL CHECK (verdict IN ('kept', 'cancelled', 'not_ours')),
    judged_by TEXT NOT NULL REFERENCES people (id),
    evidence  TEXT NOT NULL CHECK (evidence <> '')
) STRICT;
CREATE INDEX judgements_by_order ON judgements (order_id, at);
CREATE TRIGGER judgements_never_change BEFORE UPDATE ON judgements
BEGIN
    SELECT RAISE(ABORT, 'judgements are append-only');
END;
CREATE TRIGGER judgements_stay BEFORE DELETE ON judgements
BEGIN
    SELECT RAISE(ABORT, 'judgements are append-only');
END;
