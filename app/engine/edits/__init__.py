"""Apply and undo edits: one module per kind."""
