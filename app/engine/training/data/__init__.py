"""Training data: reading, checking, tokenising and sampling in batches."""
