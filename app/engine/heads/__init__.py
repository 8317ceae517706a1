"""Heads on frozen vectors: the protocol, its implementations and their fitting."""
