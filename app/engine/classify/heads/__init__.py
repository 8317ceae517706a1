"""Heads: one file for each, all keeping the protocol of head.py."""
