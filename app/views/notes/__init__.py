"""The notes of a project in one list."""
