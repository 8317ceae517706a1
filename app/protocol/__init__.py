"""Everything that crosses the channel between window and engine."""
