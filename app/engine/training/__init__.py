"""Training of vocabularies and encoders."""
