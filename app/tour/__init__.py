"""A picture of every view over the demo project."""
