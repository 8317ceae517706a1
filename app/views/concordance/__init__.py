"""Concordance: every occurrence of a word or phrase, in context."""
