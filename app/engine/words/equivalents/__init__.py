"""Translation equivalents of words, from sentence pairs."""
