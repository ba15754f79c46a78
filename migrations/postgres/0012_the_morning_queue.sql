-- The morning queue: whose a case is and how it came to them, who is told when, what was settled of late, and finding a
-- thing by what stands on its papers.

-- the owner is a manager because nobody else could be found: somebody should be given it (rule 15)
ALTER TABLE cases ADD COLUMN fell_to_manager BIGINT NOT NULL DEFAULT 0 CHECK (fell_to_manager IN (0, 1));
-- when somebody is reminded or told next; absent: at the deadline
ALTER TABLE cases ADD COLUMN remind_at BIGINT;
-- a reminder went out, for the deadline as it stands
ALTER TABLE cases ADD COLUMN reminded BIGINT NOT NULL DEFAULT 0 CHECK (reminded IN (0, 1));
-- how often a manager was told, for the deadline as it stands
ALTER TABLE cases ADD COLUMN escalated BIGINT NOT NULL DEFAULT 0 CHECK (escalated >= 0);
-- somebody is at it: nobody is reminded or told until then
ALTER TABLE cases ADD COLUMN quiet_until BIGINT;
CREATE INDEX cases_to_remind ON cases (remind_at) WHERE closed_at IS NULL;

-- What was settled of late, with what its section adds up.
CREATE INDEX orders_settled ON orders (tenant, changed_at, id) WHERE state IN ('confirmed', 'refused', 'withdrawn');

-- Whose a new case is first, and by when it is due. A rule without a supplier is for all others of the tenant.
CREATE TABLE owner_rules (
    tenant   TEXT NOT NULL REFERENCES tenants (id),
    -- '' for all others
    supplier TEXT NOT NULL,
    owner    TEXT REFERENCES people (id),
    -- as it was written: "4h" of working time, or "17:00 next working day"
    within   TEXT,
    PRIMARY KEY (tenant, supplier),
    CHECK (owner IS NOT NULL OR within IS NOT NULL)
);

-- Who is away, and who stands in. Days of the tenant's zone, YYYY-MM-DD, the last one whole.
CREATE TABLE absences (
    person TEXT PRIMARY KEY REFERENCES people (id),
    tenant TEXT NOT NULL REFERENCES tenants (id),
    begins TEXT NOT NULL CHECK (length(begins) = 10),
    ends   TEXT NOT NULL CHECK (length(ends) = 10 AND ends >= begins),
    deputy TEXT REFERENCES people (id),
    CHECK (deputy IS NULL OR deputy <> person)
);
CREATE INDEX absences_by_tenant ON absences (tenant);

-- What stands on somebody's papers: an article, a number of the supplier's, an order's id. Text, compared exactly; folded (ASCII
-- letters small) for finding by its beginning. An index over contents, attempts, look-ups and findings: nothing decides by it.
CREATE TABLE search_words (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant     TEXT NOT NULL,
    -- beginnings are ranges of bytes, whatever the database's own collation is
    word       TEXT COLLATE "C" NOT NULL,
    folded     TEXT COLLATE "C" NOT NULL,
    what       TEXT NOT NULL CHECK (what IN ('sku', 'reference', 'order')),
    suggestion TEXT REFERENCES suggestions (id),
    order_id   TEXT REFERENCES orders (id),
    at         BIGINT NOT NULL,
    CHECK ((suggestion IS NOT NULL) = (what = 'sku') AND (order_id IS NOT NULL) = (what <> 'sku'))
);
CREATE INDEX search_words_folded ON search_words (tenant, folded, at);
CREATE UNIQUE INDEX search_words_sku ON search_words (suggestion, word) WHERE suggestion IS NOT NULL;
CREATE UNIQUE INDEX search_words_order ON search_words (order_id, word) WHERE order_id IS NOT NULL;

INSERT INTO search_words (tenant, word, folded, what, suggestion, at)
SELECT DISTINCT g.tenant, l ->> 'sku', lower((l ->> 'sku') COLLATE "C"), 'sku', g.id, g.created_at
FROM suggestions g, json_array_elements(g.contents::json -> 'lines') l
WHERE l ->> 'sku' IS NOT NULL;
INSERT INTO search_words (tenant, word, folded, what, order_id, at)
SELECT tenant, reference, lower(reference COLLATE "C"), 'reference', order_id, min(at) FROM (
    SELECT tenant, id AS order_id, supplier_reference AS reference, changed_at AS at FROM orders
    UNION ALL SELECT tenant, order_id, reference, started_at FROM attempts
    UNION ALL SELECT tenant, order_id, reference, at FROM findings
    UNION ALL SELECT tenant, order_id, reference, at FROM proposed_findings
    UNION ALL SELECT tenant, order_id, reference, at FROM judgements
    UNION ALL SELECT l.tenant, l.order_id, r ->> 'reference', l.at
              FROM look_ups l, json_array_elements(l.records::json) r) known
WHERE reference IS NOT NULL
GROUP BY tenant, reference, order_id ON CONFLICT DO NOTHING;
INSERT INTO search_words (tenant, word, folded, what, order_id, at)
SELECT tenant, id, lower(id COLLATE "C"), 'order', id, approved_at FROM orders ON CONFLICT DO NOTHING;
