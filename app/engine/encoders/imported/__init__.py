"""Encoders and vectors of other programs: read, checked and converted."""
