"""Before the program's first line: what Python's own functions were, what is watched, our own thread."""
