"""Answers to queries: frozen structs, one module per family."""
