-- The log is looked through by moment, by who acted and by the kind of thing that happened. These columns are an index:
-- what they say is copied from the body, the hash is over the body alone, and where the two differ the body is right
-- (`countersign verify` names such a row). Nothing but reading by filter uses them.
ALTER TABLE events ADD COLUMN at INTEGER;
-- a person's id, or one of: program, worker, command_line
ALTER TABLE events ADD COLUMN actor TEXT;
-- the kind by which people look for it, a group of the exact words in the body
ALTER TABLE events ADD COLUMN kind TEXT;

-- The events of before get theirs. No byte of a body or hash changes; that nothing may change is lifted for this one
-- statement, inside the migration's transaction. A body that is no JSON was tampered with: it stays as it is.
DROP TRIGGER events_never_change;
UPDATE events SET
    at = CAST(strftime('%s', substr(json_extract(body, '$.at'), 1, 19)) AS INTEGER) * 1000000
        + CAST(substr(rtrim(substr(json_extract(body, '$.at'), 21), 'Z') || '000000', 1, 6) AS INTEGER),
    actor = CASE json_type(body, '$.actor')
        WHEN 'text' THEN json_extract(body, '$.actor')
        ELSE coalesce(json_extract(body, '$.actor.person.id'), 'program') END,
    kind = CASE
        WHEN json_extract(body, '$.happening.kind') IN ('intent_reserved', 'suggestion_taken', 'suggestion_reused')
            THEN 'suggestions'
        WHEN json_extract(body, '$.happening.kind') IN ('suggestion_moved', 'order_approved') THEN 'approvals'
        WHEN json_extract(body, '$.happening.kind') IN ('attempt_opened', 'attempt_closed', 'late_reply',
            'lease_lapsed', 'resume_wanted', 'resume_not_sent') THEN 'sending'
        WHEN json_extract(body, '$.happening.kind') IN ('look_up_wanted', 'looked_up', 'finding_established',
            'late_record', 'compared') THEN 'findings'
        WHEN json_extract(body, '$.happening.kind') IN ('case_opened', 'case_closed', 'case_decided', 'case_moved')
            THEN 'cases'
        WHEN json_extract(body, '$.happening.kind') IN ('order_held', 'order_released', 'release_wanted',
            'order_withdrawn', 'supplier_held', 'supplier_released', 'paused', 'pause_ended') THEN 'holds'
        ELSE 'house' END
WHERE json_valid(body);
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- One index for each shape of filter, in the order in which a page shows them, so that a filter that matches rarely reads
-- no more than one that always does. What happened to one subject is little, and has its index since 0001.
CREATE INDEX events_by_time ON events (tenant, at, number);
CREATE INDEX events_by_actor ON events (tenant, actor, at, number);
CREATE INDEX events_by_kind ON events (tenant, kind, at, number);
CREATE INDEX events_by_actor_and_kind ON events (tenant, actor, kind, at, number);
