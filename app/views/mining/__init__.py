"""Mine: find and filter translation pairs between corpora."""
