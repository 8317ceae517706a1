"""Encoders: the encoders of a project and the languages they cover."""
