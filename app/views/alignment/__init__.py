"""Alignment: two documents and the links between their sentences."""
