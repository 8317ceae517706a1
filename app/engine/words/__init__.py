"""Words: occurrences, frequencies, collocates, keywords and translations."""
