-- Indexes for what was read from one end to the other (docs/performance.md).

-- what is due, by supplier: orders that wait for one that is busy are passed over unread
CREATE INDEX orders_due_by_supplier ON orders (tenant, supplier, due_at) WHERE state = 'approved' AND holds = '';
DROP INDEX orders_due;

-- a supplier's orders in one state, however rare it is among them
CREATE INDEX orders_by_supplier_and_state ON orders (tenant, supplier, state, approved_at, id);
