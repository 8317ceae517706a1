"""Corpora: import and browse corpora, define sub-corpora."""
