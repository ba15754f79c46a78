-- Telling people by e-mail: what was written to whom, in the transaction of what it tells of; how often it was tried; and
-- one digest a person and day.

-- The address is not kept here: it is read from `people` when the message is sent.
CREATE TABLE outbox (
    id         TEXT PRIMARY KEY,
    tenant     TEXT NOT NULL REFERENCES tenants (id),
    person     TEXT NOT NULL REFERENCES people (id),
    kind       TEXT NOT NULL CHECK (kind IN ('given', 'reminder', 'escalated', 'digest')),
    case_id    TEXT REFERENCES cases (id),
    -- one line: nothing in it can become a header of its own
    subject    TEXT NOT NULL CHECK (subject <> '' AND strpos(subject, chr(10)) = 0 AND strpos(subject, chr(13)) = 0),
    body       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- when it is tried next
    due_at     BIGINT,
    -- some process has it in hand until then
    lease_until BIGINT,
    sent_at    BIGINT,
    given_up_at BIGINT,
    given_up_because TEXT,
    attempts   BIGINT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- of these, so many before somebody wanted it sent again: what is counted before it is given up begins anew
    attempts_before BIGINT NOT NULL DEFAULT 0 CHECK (attempts_before BETWEEN 0 AND attempts),
    CHECK (num_nonnulls(due_at, sent_at, given_up_at) = 1),
    CHECK ((given_up_at IS NULL) = (given_up_because IS NULL)),
    CHECK (lease_until IS NULL OR due_at IS NOT NULL),
    CHECK ((kind = 'digest') = (case_id IS NULL))
);
-- only what waits: finding it costs the same however much was sent before
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_by_time ON outbox (tenant, created_at, id);

-- Every try to send a message, written before the mail server is spoken to.
CREATE TABLE outbox_attempts (
    message  TEXT NOT NULL REFERENCES outbox (id),
    number   BIGINT NOT NULL CHECK (number >= 1),
    at       BIGINT NOT NULL,
    ended_at BIGINT,
    outcome  TEXT CHECK (outcome IN ('accepted', 'failed', 'refused', 'lost')),
    detail   TEXT,
    PRIMARY KEY (message, number),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX outbox_attempts_open ON outbox_attempts (message) WHERE ended_at IS NULL;

-- Who was written today's digest; the day is the tenant's, YYYY-MM-DD.
CREATE TABLE digests (
    tenant  TEXT NOT NULL REFERENCES tenants (id),
    person  TEXT NOT NULL REFERENCES people (id),
    day     TEXT NOT NULL CHECK (length(day) = 10),
    message TEXT NOT NULL UNIQUE REFERENCES outbox (id),
    PRIMARY KEY (tenant, person, day)
);
