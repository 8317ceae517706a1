"""Map: sentences as points, close together where they mean the same."""
