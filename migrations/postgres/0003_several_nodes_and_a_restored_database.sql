-- What tells a database from its copies, and the processes that work on it (rule 20, case C7).

-- The history this database belongs to. A pause begins a new one, so that a node that comes late with a file of the
-- history before knows that somebody has looked. The latest is the present one.
CREATE TABLE instances (
    number   BIGINT PRIMARY KEY CHECK (number >= 1),
    id       TEXT NOT NULL UNIQUE,
    since    BIGINT NOT NULL,
    because  TEXT NOT NULL,
    -- the books went on in another database (`move`): nothing is written here any more
    moved_to TEXT,
    moved_at BIGINT,
    CHECK ((moved_to IS NULL) = (moved_at IS NULL))
);

-- The processes at work: each says every few seconds that it lives.
CREATE TABLE nodes (
    id         TEXT PRIMARY KEY,
    host       TEXT NOT NULL,
    serves     BIGINT NOT NULL CHECK (serves IN (0, 1)),
    works      BIGINT NOT NULL CHECK (works IN (0, 1)),
    version    TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    beat_at    BIGINT NOT NULL
);
CREATE INDEX nodes_by_beat ON nodes (beat_at);

-- The tenant's orders are held until somebody has looked what became of them (rule 20).
CREATE TABLE pauses (
    tenant   TEXT NOT NULL REFERENCES tenants (id),
    since    BIGINT NOT NULL,
    because  TEXT NOT NULL,
    -- the last event before the gap: what is not known happened after it, at the earliest
    gap_at   BIGINT NOT NULL,
    ended_at BIGINT,
    -- absent: ended from the command line
    ended_by TEXT REFERENCES people (id),
    reason   TEXT,
    PRIMARY KEY (tenant, since),
    CHECK ((ended_at IS NULL) = (reason IS NULL)),
    CHECK (ended_by IS NULL OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX pauses_open ON pauses (tenant) WHERE ended_at IS NULL;

-- It may have been sent already in the gap that began then: its key's window counts from there (rule 20).
ALTER TABLE orders ADD COLUMN gap_at BIGINT;

-- a request to send stands only while the order is in doubt, or held because it was not found, or held after a restore
DROP TRIGGER orders_resume_only_in_doubt ON orders;
CREATE TRIGGER orders_resume_only_in_doubt BEFORE UPDATE OF state, resume_at, resume_by ON orders
FOR EACH ROW
WHEN ((NEW.resume_at IS NULL) <> (NEW.resume_by IS NULL)
    OR NEW.resume_at IS NOT NULL AND NEW.state NOT IN ('confirmation_pending', 'approved')
    OR NEW.resume_at IS NOT NULL AND NEW.state = 'approved'
        AND NEW.holds NOT LIKE '%not_found%' AND NEW.holds NOT LIKE '%restore%')
EXECUTE FUNCTION orders_resume_only_in_doubt();
