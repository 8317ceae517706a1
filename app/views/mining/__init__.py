"""Mine: find translation pairs between corpora, and filter them."""
