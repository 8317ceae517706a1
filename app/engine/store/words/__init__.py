"""Words in the store: their indexes, lists of hits, and dictionaries."""
