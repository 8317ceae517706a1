"""Isogloss: a desktop workbench for multilingual sentence embeddings."""

VERSION = "0.1.0"
