"""Classify: labels, classifiers, predictions and zero-shot transfer."""
