-- Mail that was given up and that somebody should have got: the queue says so.

-- given up, and still of use: not what was past before it could be sent
ALTER TABLE outbox ADD COLUMN in_vain INTEGER NOT NULL DEFAULT 0 CHECK (in_vain = 0 OR in_vain = 1 AND given_up_at IS NOT NULL);
UPDATE outbox SET in_vain = 1 WHERE given_up_at IS NOT NULL AND given_up_because NOT LIKE '% is disabled and is told nothing';
CREATE INDEX outbox_in_vain ON outbox (tenant, given_up_at) WHERE in_vain = 1;

-- who said last that they are at it
ALTER TABLE cases ADD COLUMN quiet_by TEXT REFERENCES people (id);

-- nobody looks for what came to nothing
DELETE FROM search_words WHERE suggestion IN (SELECT id FROM suggestions WHERE state IN ('rejected', 'superseded'));
-- a word that a million things have is found as quickly as one that a single thing has, and so is what is written otherwise
DROP INDEX search_words_folded;
CREATE INDEX search_words_folded ON search_words (tenant, folded, word, at, id);

-- what places, counts and sums a row of the queue is in these, so that the rows themselves are not read
DROP INDEX orders_settled;
CREATE INDEX orders_settled ON orders (tenant, changed_at, id, state, supplier, currency, total)
    WHERE state IN ('confirmed', 'refused', 'withdrawn');
DROP INDEX orders_open;
CREATE INDEX orders_open ON orders (tenant, state, approved_at, id, supplier, currency, total)
    WHERE state IN ('approved', 'submitting', 'acknowledged', 'confirmation_pending');
DROP INDEX suggestions_open;
CREATE INDEX suggestions_open ON suggestions (tenant, state, created_at, id, supplier, currency, total)
    WHERE state IN ('in_review', 'sent_back');
