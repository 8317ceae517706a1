"""The documentation in a separate window."""
