"""Maps: two coordinates of each sentence, made of its vector."""
