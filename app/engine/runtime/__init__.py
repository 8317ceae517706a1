"""The runtime of tasks: progress reports, devices, child processes, hashes."""
