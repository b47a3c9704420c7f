# status: 1
"""A message of 200 kB."""

raise ValueError("x" * 200_000)
