"""Evaluation of vectors: retrieval, similarity, spaces and classifiers."""
