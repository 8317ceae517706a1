"""The command line: one sub-command per params struct, and the demo."""
