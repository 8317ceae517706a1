"""Words: frequencies, collocates, keywords and translation equivalents."""
