"""Text: readers, writers, languages, vocabulary."""
