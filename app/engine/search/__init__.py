"""Search: exact and approximate neighbours, keywords, orders."""
