"""Installation of Isogloss, and tools for packages and the lock."""
