"""Training data: read, checked, cut into tokens once and drawn in batches."""
