# status: 1
"""Causes and contexts are printed."""

try:
    try:
        int("x")
    except ValueError as error:
        raise KeyError("second") from error
except KeyError:
    raise RuntimeError("third")
