"""Objectives: the loss of a batch and its gradient, one objective per module."""
