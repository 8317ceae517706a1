"""Trainers: steps of a training, their precision and saved state."""
