"""The engine: all computation and all writes; it never imports Qt."""
