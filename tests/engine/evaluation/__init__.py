"""Tests of the measurements: exact small cases, and other libraries' figures."""
