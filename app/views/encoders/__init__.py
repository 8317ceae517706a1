"""Encoders: the encoders of a project and the languages that they cover."""
