"""Search: the nearest sentences of a text, by language."""
