# status: SIGINT
"""KeyboardInterrupt that nobody catches ends by the signal."""

raise KeyboardInterrupt
