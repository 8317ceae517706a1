"""Probing: what a small classifier finds in frozen sentence vectors."""
