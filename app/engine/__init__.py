"""The engine: all computing and all writing; it never imports Qt."""
