"""Tasks: one module per task, named after the task's params."""
