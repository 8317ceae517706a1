"""Quality checks: duplicates, test-set leakage, damaged text, encoder comparison."""
