"""Zero-shot transfer: one classifier on the test sets of many languages."""
