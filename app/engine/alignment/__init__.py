"""Aligning two documents that are translations in the same order."""
