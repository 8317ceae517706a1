"""Tour: pictures of every view with the demo project."""
