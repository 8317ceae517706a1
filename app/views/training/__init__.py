"""Training: set up, follow and compare the training of encoders."""
