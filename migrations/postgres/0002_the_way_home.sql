-- What brings a pending order home: look-ups, findings, and a person's request to resume.

ALTER TABLE orders ADD COLUMN look_up_at BIGINT;       -- when the worker asks next; absent: nothing to ask
ALTER TABLE orders ADD COLUMN look_up_by TEXT REFERENCES people (id); -- who wants it asked now
ALTER TABLE orders ADD COLUMN look_up_since BIGINT;    -- the supplier is being asked since then
ALTER TABLE orders ADD COLUMN looked_up BIGINT NOT NULL DEFAULT 0 CHECK (looked_up >= 0); -- how often, since it came into this state
ALTER TABLE orders ADD COLUMN resume_at BIGINT;        -- a person asked to send it once more, then
ALTER TABLE orders ADD COLUMN resume_by TEXT REFERENCES people (id);
-- the version of the supplier's file that a person last decided under: at approval, at a release (case C11)
ALTER TABLE orders ADD COLUMN supplier_version BIGINT;
CREATE INDEX orders_look_up ON orders (look_up_at) WHERE look_up_at IS NOT NULL;
CREATE INDEX orders_resume ON orders (resume_at) WHERE resume_at IS NOT NULL;

-- orders in doubt from before are asked about like new ones
UPDATE orders SET look_up_at = changed_at + 60000000 WHERE state IN ('confirmation_pending', 'acknowledged');

-- a request to resume stands only while the order is in doubt, or held because it was not found (rule 9)
CREATE FUNCTION orders_resume_only_in_doubt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'only an order in doubt can be resumed';
END;
$$;
CREATE TRIGGER orders_resume_only_in_doubt BEFORE UPDATE OF state, resume_at, resume_by ON orders
FOR EACH ROW
WHEN ((NEW.resume_at IS NULL) <> (NEW.resume_by IS NULL)
    OR NEW.resume_at IS NOT NULL AND NEW.state NOT IN ('confirmation_pending', 'approved')
    OR NEW.resume_at IS NOT NULL AND NEW.state = 'approved' AND NEW.holds NOT LIKE '%not_found%') EXECUTE FUNCTION orders_resume_only_in_doubt();

-- The order was in doubt when this attempt opened: neither "refused" nor "not sent" erases that (case C9).
ALTER TABLE attempts ADD COLUMN in_doubt BIGINT NOT NULL DEFAULT 0 CHECK (in_doubt IN (0, 1));

-- Every question to a supplier, and its answer; what settles nothing stays here all the same.
CREATE TABLE look_ups (
    id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant   TEXT NOT NULL REFERENCES tenants (id),
    order_id TEXT NOT NULL REFERENCES orders (id),
    at       BIGINT NOT NULL,
    asked_by TEXT REFERENCES people (id),
    answer   TEXT NOT NULL CHECK (answer IN ('found', 'none', 'could_not_check')),
    -- whose books were asked: answers out of others do not count (rule 10)
    base_url TEXT NOT NULL,
    account  TEXT NOT NULL,
    detail   TEXT NOT NULL,
    records  TEXT NOT NULL
);
CREATE INDEX look_ups_by_order ON look_ups (order_id, at);
CREATE FUNCTION look_ups_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'look-ups are append-only';
END;
$$;
CREATE TRIGGER look_ups_never_change BEFORE UPDATE ON look_ups
FOR EACH ROW EXECUTE FUNCTION look_ups_never_change();
CREATE FUNCTION look_ups_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'look-ups are append-only';
END;
$$;
CREATE TRIGGER look_ups_stay BEFORE DELETE ON look_ups
FOR EACH ROW EXECUTE FUNCTION look_ups_stay();

-- Established facts about orders in doubt, each with its source.
CREATE TABLE findings (
    id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant    TEXT NOT NULL REFERENCES tenants (id),
    order_id  TEXT NOT NULL REFERENCES orders (id),
    at        BIGINT NOT NULL,
    finding   TEXT NOT NULL CHECK (finding IN ('at_supplier', 'not_yet_confirmed', 'refused_there', 'not_at_supplier',
                                               'could_not_tell')),
    source    TEXT NOT NULL CHECK (source IN ('look_up', 'reply', 'person')),
    found_by  TEXT REFERENCES people (id),
    reference TEXT,
    evidence  TEXT,
    -- a person's finding needs evidence (rule 10)
    CHECK ((source = 'person') = (found_by IS NOT NULL)),
    CHECK (source <> 'person' OR (evidence IS NOT NULL AND evidence <> ''))
);
CREATE INDEX findings_by_order ON findings (order_id, at);
CREATE FUNCTION findings_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'findings are append-only';
END;
$$;
CREATE TRIGGER findings_never_change BEFORE UPDATE ON findings
FOR EACH ROW EXECUTE FUNCTION findings_never_change();
CREATE FUNCTION findings_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'findings are append-only';
END;
$$;
CREATE TRIGGER findings_stay BEFORE DELETE ON findings
FOR EACH ROW EXECUTE FUNCTION findings_stay();
