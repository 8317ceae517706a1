"""Classifiers on frozen vectors: train on one language, use on all."""
