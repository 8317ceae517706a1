"""Encoders and vectors that other programs made: read, checked, kept as our own."""
