"""Quality: duplicates, test-set leakage, corrupted text, compared encoders."""
