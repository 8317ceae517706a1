"""A project folder: create, open, lock, close; its runs and their files."""
