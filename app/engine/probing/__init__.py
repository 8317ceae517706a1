"""Probing: small classifiers on frozen sentence vectors."""
