"""Quality checks: duplicates, test-set leakage, corrupted text, encoder comparison."""
