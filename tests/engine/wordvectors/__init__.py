"""Tests of word vectors and their mapping between languages."""
