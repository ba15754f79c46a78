-- What a person judged a supplier's record to be, with the case it closed. Append-only: a record once judged never reopens
-- its order.
CREATE TABLE judgements (
    id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant    TEXT NOT NULL REFERENCES tenants (id),
    order_id  TEXT NOT NULL REFERENCES orders (id),
    at        BIGINT NOT NULL,
    -- the supplier's number: text, compared exactly
    reference TEXT NOT NULL CHECK (reference <> ''),
    verdict   TEXT NOT NULL CHECK (verdict IN ('kept', 'cancelled', 'not_ours')),
    judged_by TEXT NOT NULL REFERENCES people (id),
    evidence  TEXT NOT NULL CHECK (evidence <> '')
);
CREATE INDEX judgements_by_order ON judgements (order_id, at);
CREATE FUNCTION judgements_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'judgements are append-only';
END;
$$;
CREATE TRIGGER judgements_never_change BEFORE UPDATE ON judgements
FOR EACH ROW EXECUTE FUNCTION judgements_never_change();
CREATE FUNCTION judgements_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'judgements are append-only';
END;
$$;
CREATE TRIGGER judgements_stay BEFORE DELETE ON judgements
FOR EACH ROW EXECUTE FUNCTION judgements_stay();
