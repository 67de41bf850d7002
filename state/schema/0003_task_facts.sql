-- What a task says of itself, so that no view knows tasks by their names. Cells that were written
-- before are filled by state/sql/facts_of_old_cells.sql as a file is opened for writing: those of the file,
-- and those that its journal still holds.
ALTER TABLE cells ADD COLUMN family VARCHAR;
ALTER TABLE cells ADD COLUMN answer VARCHAR;
ALTER TABLE cells ADD COLUMN curve_axis VARCHAR;
ALTER TABLE cells ADD COLUMN chance DOUBLE;
ALTER TABLE cells ADD COLUMN overall VARCHAR;
ALTER TABLE cells ADD COLUMN overall_tasks INTEGER;
ALTER TABLE cells ADD COLUMN official_repeats INTEGER;
ALTER TABLE cells ADD COLUMN values_asked INTEGER;
ALTER TABLE cells ADD COLUMN reply_tokens DOUBLE;
