"""Trainers: one step of a training, its precision and its saved state."""
