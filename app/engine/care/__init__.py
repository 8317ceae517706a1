"""Corpora kept in order: what stands twice, is damaged, or leaks into a test set."""
