"""The documentation in a window of its own."""
