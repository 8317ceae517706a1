"""The static encoder: a sum of rows of a table."""
