"""Training: set up, monitor and compare trainings of encoders."""
