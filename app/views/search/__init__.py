"""Search: the sentences nearest to a text, by language."""
