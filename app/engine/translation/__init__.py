"""Training of multilingual translation models, translation and scores."""
