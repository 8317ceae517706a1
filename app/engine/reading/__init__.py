"""Rows of corpora that are shown side by side."""
