"""Tests of start.py and what it is made of."""
