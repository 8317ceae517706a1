"""Import corpora into a project, and export pairs from it."""
