-- The log is looked through by moment, by who acted and by the kind of thing that happened. These columns are an index:
-- what they say is copied from the body, the hash is over the body alone, and where the two differ the body is right
-- (`countersign verify` names such a row). Nothing but reading by filter uses them.
ALTER TABLE events ADD COLUMN at BIGINT;
-- a person's id, or one of: program, worker, command_line
ALTER TABLE events ADD COLUMN actor TEXT;
-- the kind by which people look for it, a group of the exact words in the body
ALTER TABLE events ADD COLUMN kind TEXT;

-- The events of before get theirs. No byte of a body or hash changes; that nothing may change is lifted for this one
-- statement, inside the migration's transaction. A body that is no JSON was tampered with: it stays as it is.
CREATE FUNCTION events_said(body TEXT) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    -- the one character that JSON can name and jsonb cannot hold
    RETURN replace(body, '\u0000', '')::jsonb;
EXCEPTION WHEN others THEN
    RETURN NULL;
END;
$$;
ALTER TABLE events DISABLE TRIGGER events_never_change;
UPDATE events SET (at, actor, kind) = (
    SELECT
        CAST(extract(epoch FROM CAST(said ->> 'at' AS TIMESTAMPTZ)) * 1000000 AS BIGINT),
        CASE jsonb_typeof(said -> 'actor')
            WHEN 'string' THEN said ->> 'actor'
            ELSE coalesce(said #>> '{actor,person,id}', 'program') END,
        CASE
            WHEN said #>> '{happening,kind}' IN ('intent_reserved', 'suggestion_taken', 'suggestion_reused')
                THEN 'suggestions'
            WHEN said #>> '{happening,kind}' IN ('suggestion_moved', 'order_approved') THEN 'approvals'
            WHEN said #>> '{happening,kind}' IN ('attempt_opened', 'attempt_closed', 'late_reply', 'lease_lapsed',
                'resume_wanted', 'resume_not_sent') THEN 'sending'
            WHEN said #>> '{happening,kind}' IN ('look_up_wanted', 'looked_up', 'finding_established', 'late_record',
                'compared') THEN 'findings'
            WHEN said #>> '{happening,kind}' IN ('case_opened', 'case_closed', 'case_decided', 'case_moved')
                THEN 'cases'
            WHEN said #>> '{happening,kind}' IN ('order_held', 'order_released', 'release_wanted', 'order_withdrawn',
                'supplier_held', 'supplier_released', 'paused', 'pause_ended') THEN 'holds'
            ELSE 'house' END
    FROM (SELECT events_said(body) AS said OFFSET 0) bodies WHERE said IS NOT NULL
);
ALTER TABLE events ENABLE TRIGGER events_never_change;
DROP FUNCTION events_said;

-- One index for each shape of filter, in the order in which a page shows them, so that a filter that matches rarely reads
-- no more than one that always does. What happened to one subject is little, and has its index since 0001.
CREATE INDEX events_by_time ON events (tenant, at, number);
CREATE INDEX events_by_actor ON events (tenant, actor, at, number);
CREATE INDEX events_by_kind ON events (tenant, kind, at, number);
CREATE INDEX events_by_actor_and_kind ON events (tenant, actor, kind, at, number);
