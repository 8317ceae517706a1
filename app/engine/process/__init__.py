"""The engine process: channel, job and query lanes, session."""
