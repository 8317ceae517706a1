"""Maps: two coordinates of each sentence, computed from its vector."""
