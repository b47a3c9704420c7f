# python-at-least: 3.11
# status: 1
"""A group of exceptions."""

raise ExceptionGroup("several", [ValueError("one"), ExceptionGroup("inner", [KeyError("two")])])
