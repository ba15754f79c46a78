-- When people of a tenant work: deadlines of cases are counted in it (case Q3). A tenant without hours has none of its own:
-- time is counted as it passes.
CREATE TABLE working_hours (
    tenant  TEXT NOT NULL REFERENCES tenants (id),
    -- 1 is Monday
    weekday BIGINT NOT NULL CHECK (weekday BETWEEN 1 AND 7),
    -- as it was written, 08:00-18:00
    hours   TEXT NOT NULL CHECK (hours <> ''),
    PRIMARY KEY (tenant, weekday, hours)
);

-- Days on which nobody works.
CREATE TABLE holidays (
    tenant TEXT NOT NULL REFERENCES tenants (id),
    -- YYYY-MM-DD in the tenant's zone
    day    TEXT NOT NULL CHECK (length(day) = 10),
    name   TEXT NOT NULL CHECK (name <> ''),
    PRIMARY KEY (tenant, day)
);
