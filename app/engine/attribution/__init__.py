"""Which tokens of a sentence made its vector."""
