"""Word vectors, their mapping between languages, and dictionaries learned from it."""
