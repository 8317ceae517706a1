"""Evaluate: measure encoders, compare results, write reports."""
