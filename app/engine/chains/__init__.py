"""Chains of queries: sentences chosen step by step."""
