"""Migrations of the project's database, run from a Config made in code."""
