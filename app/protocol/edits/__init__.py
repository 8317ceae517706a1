"""Edits: small writes, most with an inverse for undo."""
