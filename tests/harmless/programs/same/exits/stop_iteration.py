# status: 1
"""StopIteration at the top."""

next(iter(()))
