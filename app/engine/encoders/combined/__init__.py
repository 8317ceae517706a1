"""Encoder with added languages, which routes each text by its letters."""
