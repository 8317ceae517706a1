"""The window: views over a project that another process works on."""
