"""The read view: linked or aligned corpora side by side."""
