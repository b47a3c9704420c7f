# status: 1
"""A message with lines and control characters."""

raise ValueError("one\ntwo\r\n\x1b[31mred\x1b[0m\ttab")
