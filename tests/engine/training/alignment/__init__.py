"""Tests of training an encoder of another language."""
