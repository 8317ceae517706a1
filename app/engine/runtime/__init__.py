"""What a task runs with: progress reports, devices, child processes, hashes."""
