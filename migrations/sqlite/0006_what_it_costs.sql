-- What an order costs beside its contents: a queue of thousands adds up its money without reading what is bought.
-- Rows from before have none; their total is computed from their contents, where it is frozen.

ALTER TABLE suggestions ADD COLUMN currency TEXT;
ALTER TABLE suggestions ADD COLUMN total TEXT CHECK ((total IS NULL) = (currency IS NULL));

ALTER TABLE orders ADD COLUMN currency TEXT;
ALTER TABLE orders ADD COLUMN total TEXT CHECK ((total IS NULL) = (currency IS NULL));
CREATE TRIGGER orders_total_is_frozen
BEFORE UPDATE OF currency, total ON orders
BEGIN
    SELECT RAISE(ABORT, 'approval freezes: no write path to frozen contents');
END;
