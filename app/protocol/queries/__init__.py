"""Queries: short reads that need the engine."""
