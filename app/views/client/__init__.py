"""The window's one connection to the engine and the project store."""
