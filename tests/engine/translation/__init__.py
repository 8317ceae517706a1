"""Tests of translation models."""
