# status: 1
"""A message that cannot be encoded."""

raise ValueError("half \udc80 and \ud800 and \0 zero")
