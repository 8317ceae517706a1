"""Objectives: the loss of a batch and its gradient, one a file."""
