-- Above these amounts a second person confirms what a person found out. A currency without an amount, beside one that has
-- one, always asks for the second person: no gap is left by forgetting it.
CREATE TABLE second_person_above (
    tenant   TEXT NOT NULL REFERENCES tenants (id),
    currency TEXT NOT NULL,
    amount   TEXT NOT NULL,
    PRIMARY KEY (tenant, currency)
);

-- What a person found out, until a second one confirms or declines it. It counts for the order's version it was made from.
CREATE TABLE proposed_findings (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant        TEXT NOT NULL REFERENCES tenants (id),
    order_id      TEXT NOT NULL REFERENCES orders (id),
    order_version BIGINT NOT NULL CHECK (order_version >= 1),
    at            BIGINT NOT NULL,
    finding       TEXT NOT NULL CHECK (finding IN ('at_supplier', 'refused_there', 'not_at_supplier')),
    proposed_by   TEXT NOT NULL REFERENCES people (id),
    reference     TEXT,
    evidence      TEXT NOT NULL CHECK (evidence <> ''),
    -- absent while it waits; declined: by that person, confirmed: it became a finding, void: the order moved on
    answer        TEXT CHECK (answer IN ('confirmed', 'declined', 'void')),
    answered_by   TEXT REFERENCES people (id),
    answered_at   BIGINT,
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    -- nobody confirms what they found out themselves
    CHECK (answer IS NULL OR answer <> 'confirmed' OR (answered_by IS NOT NULL AND answered_by <> proposed_by))
);
CREATE UNIQUE INDEX proposed_findings_open ON proposed_findings (order_id) WHERE answer IS NULL;

-- the second person, where one was needed
ALTER TABLE findings ADD COLUMN confirmed_by TEXT REFERENCES people (id);

-- What came later under a known intent and revision, and was never stored as a suggestion: both sides are shown (rule 3).
CREATE TABLE reused_contents (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant     TEXT NOT NULL REFERENCES tenants (id),
    suggestion TEXT NOT NULL REFERENCES suggestions (id),
    at         BIGINT NOT NULL,
    -- the program's name, as its token had it
    sent_by    TEXT NOT NULL,
    contents   TEXT NOT NULL,
    digest     TEXT NOT NULL,
    UNIQUE (suggestion, digest)
);

-- Earlier orders of the intent that whoever approved this one saw as bought or accepted unsettled, and wanted this one
-- beside; ids joined by a space. A record that turns up of any other holds it (rule 5).
ALTER TABLE orders ADD COLUMN beside TEXT NOT NULL DEFAULT '';
