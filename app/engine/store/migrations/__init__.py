"""Migrations of the project's database, run from a Config created in code."""
