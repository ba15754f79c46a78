-- What the whole contract of a supplier needs: what an answer meant, how long they have had it, how often they may be
-- asked, and a request to send once more that nobody made.

-- what an answer that settles nothing meant, where the contract tells (cases W5 and W6)
ALTER TABLE attempts ADD COLUMN meaning TEXT
    CHECK (meaning IN ('in_flight', 'other_body', 'exists', 'saved_answer'));

-- since when they have it without a yes: its own deadline counts from then (case W7)
ALTER TABLE orders ADD COLUMN acknowledged_at INTEGER;
UPDATE orders SET acknowledged_at = changed_at WHERE state = 'acknowledged';
CREATE INDEX orders_acknowledged ON orders (tenant, supplier, acknowledged_at) WHERE state = 'acknowledged';
CREATE TRIGGER orders_acknowledged_since
BEFORE UPDATE OF state, acknowledged_at ON orders
WHEN (NEW.state = 'acknowledged') <> (NEW.acknowledged_at IS NOT NULL)
BEGIN
    SELECT RAISE(ABORT, 'an order is acknowledged since a moment, and no other order is');
END;

-- the contract's rate: this supplier is not asked about any order before then
ALTER TABLE suppliers ADD COLUMN next_look_up_at INTEGER;

-- a request to send stands only while the order is in doubt, or held because it was not found, or held after a restore;
-- a person made it, or the worker did where the supplier's file lets it: only while the order is in doubt (rule 9)
DROP TRIGGER orders_resume_only_in_doubt;
CREATE TRIGGER orders_resume_only_in_doubt
BEFORE UPDATE OF state, resume_at, resume_by ON orders
WHEN NEW.resume_at IS NULL AND NEW.resume_by IS NOT NULL
    OR NEW.resume_at IS NOT NULL AND NEW.resume_by IS NULL AND NEW.state <> 'confirmation_pending'
    OR NEW.resume_at IS NOT NULL AND NEW.state NOT IN ('confirmation_pending', 'approved')
    OR NEW.resume_at IS NOT NULL AND NEW.state = 'approved'
        AND NEW.holds NOT LIKE '%not_found%' AND NEW.holds NOT LIKE '%restore%'
BEGIN
    SELECT RAISE(ABORT, 'only an order in doubt can be resumed');
END;
