"""Import of encoders and vectors of other programs."""
