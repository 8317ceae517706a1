"""Tests of the look inside a sentence."""
