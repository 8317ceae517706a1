"""Links between the words of sentences that translate each other."""
