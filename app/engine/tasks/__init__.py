"""Tasks: one file each, named after its params."""
