"""What each token contributed to the similarity of two sentences."""
