"""Reports: runs as one self-contained page of HTML."""
