"""Probing sets from treebanks in CoNLL-U."""
