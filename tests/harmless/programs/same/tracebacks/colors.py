# environment: FORCE_COLOR=1
# status: 1
"""Colours where they are forced (3.13 and later)."""

1 / 0
