-- The first floor of the house. Moments are microseconds since 1970-01-01 UTC, so that both databases compare and sort
-- them alike. Money and quantities are text, never floating point. CHECKs restate the machine of src/domain/order.rs.

CREATE TABLE tenants (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE,
    zone         TEXT NOT NULL,
    -- salts the fingerprint of a supplier's secret that an attempt keeps (rule 17)
    salt         TEXT NOT NULL,
    -- head of the tenant's event chain; written in the transaction that appends, so two writers cannot fork it
    event_number BIGINT NOT NULL DEFAULT 0 CHECK (event_number >= 0),
    event_hash   TEXT NOT NULL DEFAULT '',
    created_at   BIGINT NOT NULL
);

CREATE TABLE sites (
    tenant     TEXT NOT NULL REFERENCES tenants (id),
    code       TEXT NOT NULL,
    name       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
);

CREATE TABLE people (
    id            TEXT PRIMARY KEY,
    tenant        TEXT NOT NULL REFERENCES tenants (id),
    name          TEXT NOT NULL,
    -- sign-in asks for e-mail and password alone, so an address belongs to one tenant; kept in lower case
    email         TEXT NOT NULL UNIQUE,
    -- absent: this person cannot sign in with a password
    password_hash TEXT,
    created_at    BIGINT NOT NULL,
    disabled_at   BIGINT
);
CREATE INDEX people_by_tenant ON people (tenant, name);

CREATE TABLE person_roles (
    person TEXT NOT NULL REFERENCES people (id),
    role   TEXT NOT NULL CHECK (role IN ('buyer', 'resolver', 'manager', 'admin')),
    PRIMARY KEY (person, role)
);

CREATE TABLE sessions (
    -- SHA-256 of the cookie's secret: the database alone signs nobody in
    secret_hash TEXT PRIMARY KEY,
    person      TEXT NOT NULL REFERENCES people (id),
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person);

CREATE TABLE tokens (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    scope       TEXT NOT NULL CHECK (scope IN ('intake', 'read')),
    -- SHA-256 of 256 random bits: nothing to guess, so nothing to slow down
    secret_hash TEXT NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    revoked_at  BIGINT
);

CREATE TABLE suppliers (
    tenant       TEXT NOT NULL REFERENCES tenants (id),
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- the version that new orders are sent under
    version      BIGINT NOT NULL CHECK (version >= 1),
    held_at      BIGINT,
    held_because TEXT,
    PRIMARY KEY (tenant, id),
    CHECK ((held_at IS NULL) = (held_because IS NULL))
);

-- A supplier is one file; adding it again makes a new version. Attempts keep the version they were made under.
CREATE TABLE supplier_versions (
    tenant   TEXT NOT NULL,
    supplier TEXT NOT NULL,
    version  BIGINT NOT NULL,
    file     TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, supplier, version),
    FOREIGN KEY (tenant, supplier) REFERENCES suppliers (tenant, id)
);

CREATE TABLE intents (
    tenant      TEXT NOT NULL REFERENCES tenants (id),
    id          TEXT NOT NULL,
    purpose     TEXT NOT NULL,
    reserved_by TEXT NOT NULL,
    reserved_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE suggestions (
    id             TEXT PRIMARY KEY,
    tenant         TEXT NOT NULL,
    intent         TEXT NOT NULL,
    revision       BIGINT NOT NULL CHECK (revision >= 1),
    state          TEXT NOT NULL CHECK (state IN ('in_review', 'sent_back', 'rejected', 'approved', 'superseded')),
    supplier       TEXT NOT NULL,
    -- normal form of the typed order, and its digest (rule 4)
    contents       TEXT NOT NULL,
    digest         TEXT NOT NULL,
    look_alike_key TEXT NOT NULL,
    -- what the assistant wrote beside the contents; it decides nothing (rule 19)
    evidence       TEXT NOT NULL,
    -- how often the same revision came again with the same contents (case I8)
    repeated       BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL,
    decided_by     TEXT,
    decided_at     BIGINT,
    decision       TEXT,
    UNIQUE (tenant, intent, revision),
    FOREIGN KEY (tenant, intent) REFERENCES intents (tenant, id),
    CHECK ((state = 'in_review') = (decided_at IS NULL))
);
CREATE INDEX suggestions_open ON suggestions (tenant, state, created_at, id) WHERE state IN ('in_review', 'sent_back');
CREATE INDEX suggestions_alike ON suggestions (tenant, look_alike_key) WHERE state = 'in_review';

CREATE TABLE orders (
    id                 TEXT PRIMARY KEY,
    tenant             TEXT NOT NULL,
    intent             TEXT NOT NULL,
    revision           BIGINT NOT NULL CHECK (revision >= 1),
    suggestion         TEXT NOT NULL UNIQUE REFERENCES suggestions (id),
    supplier           TEXT NOT NULL,
    operation_key      TEXT NOT NULL,
    -- frozen at approval (rule 5); the trigger below refuses every change
    contents           TEXT NOT NULL,
    digest             TEXT NOT NULL,
    look_alike_key     TEXT NOT NULL,
    second_purchase    BIGINT NOT NULL CHECK (second_purchase IN (0, 1)),
    approved_by        TEXT NOT NULL REFERENCES people (id),
    approved_at        BIGINT NOT NULL,
    state              TEXT NOT NULL CHECK (state IN ('approved', 'submitting', 'acknowledged', 'confirmed',
                                                      'confirmation_pending', 'refused', 'withdrawn')),
    holds              TEXT NOT NULL DEFAULT '',
    differences        BIGINT NOT NULL DEFAULT 0 CHECK (differences IN (0, 1)),
    version            BIGINT NOT NULL CHECK (version >= 1),
    supplier_reference TEXT,
    due_at             BIGINT,
    sendable_since     BIGINT NOT NULL,
    not_sent           BIGINT NOT NULL DEFAULT 0 CHECK (not_sent >= 0),
    changed_at         BIGINT NOT NULL,
    UNIQUE (tenant, intent, revision),
    UNIQUE (tenant, operation_key),
    FOREIGN KEY (tenant, intent) REFERENCES intents (tenant, id),
    -- only what nobody has sent can be held or due
    CHECK (holds = '' OR state = 'approved'),
    CHECK ((due_at IS NULL) = (state <> 'approved')),
    CHECK (differences = 0 OR state IN ('confirmed', 'withdrawn')),
    CHECK (state <> 'confirmed' OR supplier_reference IS NOT NULL)
);
CREATE INDEX orders_due ON orders (due_at) WHERE state = 'approved' AND holds = '';
CREATE INDEX orders_open ON orders (tenant, state, approved_at, id)
    WHERE state IN ('approved', 'submitting', 'acknowledged', 'confirmation_pending');
CREATE INDEX orders_by_time ON orders (tenant, approved_at, id);
CREATE INDEX orders_by_state ON orders (tenant, state, approved_at, id);
CREATE INDEX orders_by_supplier ON orders (tenant, supplier, approved_at, id);
CREATE INDEX orders_alike ON orders (tenant, look_alike_key, approved_at);

CREATE FUNCTION orders_are_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'approval freezes: no write path to frozen contents';
END;
$$;
CREATE TRIGGER orders_are_frozen BEFORE UPDATE OF id, tenant, intent, revision, suggestion, supplier, operation_key, contents, digest, second_purchase,
    approved_by, approved_at ON orders
FOR EACH ROW EXECUTE FUNCTION orders_are_frozen();
CREATE FUNCTION orders_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'orders are never deleted';
END;
$$;
CREATE TRIGGER orders_stay BEFORE DELETE ON orders
FOR EACH ROW EXECUTE FUNCTION orders_stay();

-- One try to submit: written and committed before the first byte leaves (rule 6).
CREATE TABLE attempts (
    id               TEXT PRIMARY KEY,
    tenant           TEXT NOT NULL,
    order_id         TEXT NOT NULL REFERENCES orders (id),
    number           BIGINT NOT NULL CHECK (number >= 1),
    supplier_version BIGINT NOT NULL,
    -- where it went and under which account and secret (rule 17)
    base_url         TEXT NOT NULL,
    account          TEXT NOT NULL,
    secret_mac       TEXT NOT NULL,
    started_at       BIGINT NOT NULL,
    send_by          BIGINT NOT NULL,
    lease_until      BIGINT NOT NULL,
    -- the lease was swept: whatever comes later is a late reply (rule 13)
    lapsed_at        BIGINT,
    ended_at         BIGINT,
    reply            TEXT CHECK (reply IN ('accepted', 'acknowledged', 'refused', 'not_sent', 'unknown')),
    http_status      BIGINT,
    reference        TEXT,
    detail           TEXT,
    excerpt          TEXT,
    -- what the supplier's answer says it recorded, as it was compared (rule 12)
    recorded         TEXT,
    differences      TEXT,
    answered         BIGINT NOT NULL DEFAULT 0 CHECK (answered IN (0, 1)),
    UNIQUE (order_id, number),
    CHECK (send_by > started_at AND lease_until > send_by),
    CHECK ((reply IS NULL) = (ended_at IS NULL)),
    CHECK (reply IS DISTINCT FROM 'accepted' OR reference IS NOT NULL)
);
-- an order has at most one attempt that may still send
CREATE UNIQUE INDEX attempts_running ON attempts (order_id) WHERE ended_at IS NULL AND lapsed_at IS NULL;
CREATE INDEX attempts_leases ON attempts (lease_until) WHERE ended_at IS NULL AND lapsed_at IS NULL;

-- Each mutating request of an attempt, with its bytes, committed before its first byte and sent at most once.
CREATE TABLE attempt_steps (
    attempt TEXT NOT NULL REFERENCES attempts (id),
    number  BIGINT NOT NULL CHECK (number >= 1),
    method  TEXT NOT NULL,
    url     TEXT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (attempt, number)
);

CREATE TABLE cases (
    id         TEXT PRIMARY KEY,
    tenant     TEXT NOT NULL REFERENCES tenants (id),
    version    BIGINT NOT NULL CHECK (version >= 1),
    kind       TEXT NOT NULL CHECK (kind IN ('pending', 'acknowledged_late', 'differences', 'supplier_duplicate',
                                             'late_record', 'intent_reused', 'not_sent', 'too_old', 'restore',
                                             'supplier_held')),
    order_id   TEXT REFERENCES orders (id),
    suggestion TEXT REFERENCES suggestions (id),
    supplier   TEXT,
    -- rule 15: an owner and a deadline from the moment it opens
    owner      TEXT NOT NULL REFERENCES people (id),
    due_at     BIGINT NOT NULL,
    reason     TEXT NOT NULL,
    opened_at  BIGINT NOT NULL,
    closed_at  BIGINT,
    CHECK (num_nonnulls(order_id, suggestion, supplier) = 1)
);
CREATE UNIQUE INDEX cases_open_order ON cases (order_id, kind) WHERE closed_at IS NULL AND order_id IS NOT NULL;
CREATE UNIQUE INDEX cases_open_suggestion ON cases (suggestion, kind) WHERE closed_at IS NULL AND suggestion IS NOT NULL;
CREATE UNIQUE INDEX cases_open_supplier ON cases (tenant, supplier, kind) WHERE closed_at IS NULL AND supplier IS NOT NULL;
CREATE INDEX cases_open ON cases (tenant, due_at) WHERE closed_at IS NULL;
CREATE INDEX cases_open_owner ON cases (owner) WHERE closed_at IS NULL;
CREATE INDEX cases_by_order ON cases (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX cases_by_suggestion ON cases (suggestion) WHERE suggestion IS NOT NULL;
CREATE INDEX cases_by_supplier ON cases (tenant, supplier) WHERE supplier IS NOT NULL;

-- Append-only, chained by hash within the tenant (rule 16).
CREATE TABLE events (
    tenant  TEXT NOT NULL REFERENCES tenants (id),
    number  BIGINT NOT NULL CHECK (number >= 1),
    subject TEXT NOT NULL,
    body    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    PRIMARY KEY (tenant, number)
);
CREATE INDEX events_by_subject ON events (tenant, subject, number);
CREATE FUNCTION events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append-only';
END;
$$;
CREATE TRIGGER events_stay BEFORE DELETE ON events
FOR EACH ROW EXECUTE FUNCTION events_stay();
CREATE FUNCTION events_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append-only';
END;
$$;
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION events_never_change();

-- What somebody typed into an act that was refused (rule 18).
CREATE TABLE drafts (
    id         TEXT PRIMARY KEY,
    person     TEXT NOT NULL REFERENCES people (id),
    fields     TEXT NOT NULL,
    refusal    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX drafts_by_person ON drafts (person, created_at);
