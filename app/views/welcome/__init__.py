"""The first page: open the demo, a new project or a recent one."""
