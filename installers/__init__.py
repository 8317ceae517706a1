"""What brings Isogloss onto a machine."""
