"""Rows of corpora that are read side by side."""
