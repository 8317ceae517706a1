"""The project store: SQLite tables and memory-mapped arrays."""
