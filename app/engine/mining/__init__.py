"""Bitext mining: sentences that are translations, found by their vectors."""
